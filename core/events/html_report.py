"""One self-contained HTML file of a session: a timeline to zoom and search, causes, calls, versions with guards, source.

A colleague opens it in a browser without Guardscope and without a network: script, style and data are in the file, and
a content policy in it forbids everything else. Columns of calls and runs are gzipped little-endian arrays in base64, so
a million calls make a file of some megabytes. The page's code is in resources/report/.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections import defaultdict
from pathlib import Path
from typing import IO, Any

import numpy as np

from . import summary
from .advice import result_words
from .notes import notes
from .schema import OUTCOME_WORDS, OUTCOMES

PAGE = Path(__file__).resolve().parent.parent.parent / "resources" / "report"
CALL_COLUMNS = {"code": "<i4", "outcome": "u1", "start": "<f8", "end": "<f8", "line": "<i4", "first_run": "<i4",
                "n_runs": "<i4"}
RUN_COLUMNS = {"call": "<i4", "code": "<i4", "artifact": "<i4", "outcome": "u1", "start": "<f8", "end": "<f8",
               "depth": "<u2", "signature": "<i4"}


def export_html(session: Any, file: IO[str]) -> None:
    """Write the report."""
    title = html.escape(f"{_name(session)} - Guardscope report")
    style, script = ((PAGE / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    data = json.dumps(report_data(session), separators=(",", ":")).replace("<", "\\u003c")
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    file.write(f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
               f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
               f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
               f"<style>\n{style}</style>\n</head>\n<body>\n<noscript><p>This report needs JavaScript to draw its timeline; "
               f"it loads nothing from anywhere.</p></noscript>\n<header></header>\n<main></main>\n"
               f'<script type="application/json" id="data">')
    file.write(data)
    file.write(f"</script>\n<script>\n{script}</script>\n</body>\n</html>\n")


def report_data(session: Any) -> dict[str, Any]:
    """What the page shows, as plain JSON values. Times are ns since the session's start."""
    info = session.info
    return {
        "name": _name(session), "state": session.state, "started": str(info.get("start_time", ""))[:19].replace("T", " "),
        "python": str(info.get("python", "")), "engine": str(info.get("engine", "")),
        "outcomes": list(OUTCOMES), "words": [OUTCOME_WORDS[o] for o in OUTCOMES],
        "counts": summary.outcome_totals(session),
        "codes": [{"title": c.title, "file": c.file, "line": c.first_line, "resume": c.kind == "resume"}
                  for c in session.codes],
        "artifacts": _artifacts(session), "misses": _misses(session), "causes": _causes(session),
        "breaks": [{"code": b.code, "line": b.line, "file": b.file, "text": b.sentence, "hint": b.hint, "call": b.call}
                   for b in session.breaks],
        "notCompiled": [{"code": n.code, "line": n.line, "file": n.file, "text": n.why, "call": n.call}
                        for n in session.not_compiled],
        "errors": [{"call": e.call, "text": f"{e.type}: {e.message}"} for e in session.errors],
        "decisions": [{"call": d.call, "text": d.text} for d in session.decisions],
        "phases": [[p.call, p.name, p.end - p.start] for p in session.phases],
        "signatures": [", ".join(f"{name}={text}" for name, text in session.signature(i))
                       for i in range(session.signature_count)],
        "calls": _columns(session.calls, CALL_COLUMNS), "runs": _columns(session.runs, RUN_COLUMNS),
        "sources": dict(session.sources), "problems": list(session.problems),
        "notes": [{"text": n.words, "calls": [c for c in n.calls if 0 <= c < len(session.calls)][:1000]}
                  for n in notes(session)],
    }


def _name(session: Any) -> str:
    return Path(str(session.info.get("script") or session.path)).name


def _artifacts(session: Any) -> list[dict[str, Any]]:
    spent = summary.compile_ns(session)
    used = session.runs["artifact"]
    uses = np.bincount(used[used >= 0], minlength=len(session.artifacts))
    failures: dict[tuple[int, int], int] = defaultdict(int)
    for miss in session.misses:
        for key in {(f.artifact, f.index) for f in miss.failures}:
            failures[key] += 1
    kernels: dict[int, list[Any]] = defaultdict(list)
    for k in session.kernels:
        if k.artifact is not None and k.source:
            kernels[k.artifact].append({"name": k.name, "source": k.source})
    return [{
        "code": a.code, "version": a.version, "owner": a.owner, "call": a.call, "ns": spent.get(a.id, 0),
        "uses": int(uses[a.id]),
        "dims": [[f"{source}.shape[{dim}]" if isinstance(dim, int) else str(source), str(symbol)]
                 for source, dim, symbol in a.dynamic_dims],
        "graph": a.graph_text, "python": a.python_text, "kernels": kernels[a.id],
        "guards": [[g.kind, result_words(session, a.code, g.origin), result_words(session, a.code, g.condition), g.line,
                    failures[a.id, g.index], g.ns if g.way == "test" else 0] for g in session.guards(a.id)],
    } for a in session.artifacts]


def _misses(session: Any) -> dict[int, list[dict[str, Any]]]:
    """Call -> the misses in it, each with its failing guards by artifact, nearest first."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for miss in session.misses:
        groups: dict[int, list[list[str]]] = {}
        for f in miss.failures:
            place = result_words(session, miss.code, summary.place_of(f))
            groups.setdefault(f.artifact, []).append([place, f.expected, f.seen])
        found[miss.call].append({"code": miss.code, "groups": [[a, rows] for a, rows in groups.items()]})
    return found


def _causes(session: Any) -> list[dict[str, Any]]:
    found = []
    for own in summary.together(session, summary.causes(session)):
        cause, advice = own[0], summary.advise_together(session, own)
        if advice is not None:
            found.append({"text": advice.text, "line": advice.line, "ns": cause.compile_ns, "versions": cause.versions,
                          "calls": cause.calls[:1000], "limit": cause.reached_limit, "seen": cause.seen[:40]})
    return found


def _columns(table: Any, wanted: dict[str, str]) -> dict[str, Any]:
    return {"length": len(table["code"]), "columns": {
        name: [dtype.lstrip("<"), base64.b64encode(gzip.compress(
            np.ascontiguousarray(table[name], np.dtype(dtype)).tobytes(), 6, mtime=0)).decode()]
        for name, dtype in wanted.items()}}
