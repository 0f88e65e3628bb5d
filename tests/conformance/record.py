"""Run a script through the real runner and turn its session into a record of the schema "dynamo-facts/1"."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from guardscope.core.events.reader import Session
from guardscope.core.events.schema import OUTCOMES, Code
from guardscope.core.runner.process import ScriptProcess

# Ours tells "eager after the limit" from "not compiled"; the facts call both "eager".
WORDS = {"eager_limit": "eager", "not_compiled": "eager"}


def record(script: Path, timeout: float = 600.0, settings: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run `script` and return its facts. Never raises for what the script does; `uncaught` holds its end, also when that is
    the end of `timeout` seconds: on a busy machine one kernel may take seconds to build, and some scripts have dozens."""
    with tempfile.TemporaryDirectory() as folder:
        session_path = Path(folder) / "run.guardscope"
        process = ScriptProcess(script, session=session_path, settings={"record_results": True, **(settings or {})})
        process.start()
        status = process.wait(timeout)
        if status is None:
            process.stop()
            process.wait(20)
        session = Session(session_path)
        session.refresh()
        facts = facts_of(session, script.name)
        facts["exit_status"] = process.exit_status
        if status is None:
            facts["uncaught"] = f"stopped after {timeout:.0f} s"
        session.close()
        return facts


def facts_of(session: Session, script: str) -> dict[str, Any]:
    """The record of a finished session."""
    calls, runs = session.calls, session.runs
    text = {name: "".join(t for _, stream, t in session.output() if stream == name) for name in ("stdout", "stderr")}
    results = {r.call: r for r in session.results}
    errors = {e.call: e for e in session.errors}
    records = []
    for i in range(len(calls)):
        code = session.codes[int(calls["code"][i])]
        first, count = int(calls["first_run"][i]), int(calls["n_runs"][i])
        ran = [int(a) for a in runs["artifact"][first:first + count] if a >= 0]
        outcome = OUTCOMES[int(calls["outcome"][i])]
        error = errors.get(i) if outcome == "error" else None
        records.append({
            "index": i, "line": int(calls["line"][i]), "callable": code.qualname, "outcome": WORDS.get(outcome, outcome),
            "new_graphs": int(calls["new_graphs"][i]), "graphs_run": int(calls["graphs_run"][i]),
            "new_breaks": int(calls["new_breaks"][i]), "compiled": [a.id for a in session.artifacts if a.call == i],
            "ran": [a for a in ran if session.artifacts[a].has_graph],
            "error": {"type": error.type, "message": error.message} if error is not None else None,
            "output": {"tensors": result_rows(results[i])} if i in results else None})
    artifacts = [{
        "index": a.id, "frame": session.codes[a.code].qualname, "has_graph": a.has_graph, "call": a.call,
        "resume_of": resume_of(session, a.code),
        "dynamic_dims": [[local(s, session.codes[a.code]), d, symbol] for s, d, symbol in a.dynamic_dims if d is not None],
        "guards": [{"kind": g.kind, "source": g.origin, "expression": g.condition, "line": g.line}
                   for g in session.guards(a.id)]} for a in session.artifacts]
    words = ("compile", "recompile", "reuse", "eager", "error")
    outcomes = {word: sum(r["outcome"] == word for r in records) for word in words}
    uncaught = text["stderr"].strip().splitlines()[-1:] if session.info.get("exit_code") else []
    return {
        "schema": "dynamo-facts/1", "script": script, "backend": "guardscope", "stdout": text["stdout"],
        "stderr": text["stderr"], "uncaught": uncaught[0] if uncaught else None,
        "totals": {"calls": len(records), "graphs": sum(a["has_graph"] for a in artifacts), "artifacts": len(artifacts),
                   "graph_breaks": len(session.breaks), "graphs_run": sum(r["graphs_run"] for r in records),
                   "outcomes": outcomes},
        "calls": records, "artifacts": artifacts,
        "graph_breaks": [{"index": b.id, "call": b.call, "line": b.line, "effect": b.effect, "reason": b.sentence}
                         for b in session.breaks]}


def local(source: str, code: Code) -> str:
    """`cache[0]` as the facts write it: `L['cache'][0]`. A continuation names a value from before its break by the
    expression that gave it; the facts write `L['___stack0']`."""
    path = re.fullmatch(r"(\w+)((?:\.\w+|\[[^]]*\])*)", source)
    known = path is not None and (code.kind != "resume" or path[1] in code.params)
    return f"L['{path[1]}']{path[2]}" if path is not None and known else "L['___stack0']"


def resume_of(session: Session, code: int) -> str | None:
    parent = session.codes[code].resume_of
    return session.codes[parent].qualname if parent is not None else None


def result_rows(result: Any) -> list[dict[str, Any]]:
    rows = result.sums
    return list(rows["tensors"]) if isinstance(rows, dict) else list(rows)


def write(facts: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(facts, indent=1), encoding="utf-8")
