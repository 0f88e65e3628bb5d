"""Sentences about calls, artifacts and guards, in plain words. No Qt; tested as text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..core.events.schema import OUTCOME_WORDS, WRONG_RESULT, Artifact, FailureRow
from ..core.events.summary import place_of
from .facts import Facts, code_name
from .numbers import duration, plural


def short_path(file: str) -> str:
    """A file as people name it: from the working directory or from home where it lies below, else as it is."""
    for base, mark in ((Path.cwd(), ""), (Path.home(), "~/")):
        if Path(file).is_relative_to(base):
            return f"{mark}{Path(file).relative_to(base).as_posix()}"
    return file


def signature(facts: Facts, call: int) -> list[tuple[str, str]]:
    """(parameter, value as text) of a call's top-level run."""
    for run in facts.call_runs(call):
        if run["depth"] == 0 and run["signature"] >= 0:
            return list(facts.session.signature(run["signature"]))
    return []


def call_title(facts: Facts, call: int) -> str:
    """"scale(float32[64, 32])"."""
    code = facts.code(int(facts.session.calls["code"][call]))
    values = ", ".join(text for name, text in signature(facts, call) if name != "self")
    return f"{facts.title(code.id)}({values})"


def call_sentence(facts: Facts, call: int) -> str:
    """What became of a call, in one sentence."""
    outcome = facts.outcome(call)
    runs = facts.call_runs(call)
    code = int(facts.session.calls["code"][call])
    name = code_name(facts.code(code))
    artifacts = facts.session.artifacts
    made = [artifacts[r["artifact"]] for r in runs if r["artifact"] >= 0 and r["outcome"] in (0, 1)]
    cost = duration(facts.compile_ns(call=call))
    if outcome == "compile":
        if made and made[0].code != code:
            return f"A resume function was compiled for the first time; that took {cost}."
        return f"{name} was compiled for the first time; that took {cost}."
    if outcome == "recompile":
        misses = facts.failures_of_call(call)
        tried = max((len(groups) for _, groups in misses), default=0)
        kept = "the one kept version" if tried == 1 else f"none of the {tried} kept versions" if tried else \
            "no kept version"
        start = f"{kept[0].upper()}{kept[1:]} {'did not fit' if tried == 1 else 'fitted'}"
        named = [f"version {a.version}" + ("" if a.code == code else f" of {facts.title(a.code)}") for a in made]
        if len(named) > 2:
            named = [*named[:1], f"{len(named) - 1} versions of functions inside it"]
        new = " and ".join(named) or "another version"
        return f"{start}, so {new} {'were' if len(made) > 1 else 'was'} made; that took {cost}."
    if outcome == "reuse":
        used = next((r["artifact"] for r in runs if r["artifact"] >= 0), -1)
        which = f"Version {artifacts[used].version}" if used >= 0 else "A kept version"
        return f"{which} fitted and was used again; nothing was compiled."
    if outcome == "eager_limit":
        return (f"{name} ran as plain Python: no kept version fitted and the limit of {facts.limit(code)} versions "
                "is reached.")
    if outcome == "not_compiled":
        why = next((n.why for n in facts.session.not_compiled if n.code == code), "")
        return f"{name} ran as plain Python; it is never compiled" + (f": {why}." if why else ".")
    error = next((e for e in facts.session.errors if e.call == call), None)
    if error is not None and error.type == WRONG_RESULT:
        return f"A kept version was used again and gave a wrong result. {error.message}."
    return f"The call raised {error.type}: {error.message}" if error is not None else "The call raised an exception."


def version_title(a: Artifact) -> str:
    """"version 1", "version 1 [s0, s1]", or "version 1 [5 dynamic]" where it has many symbols."""
    symbols = list(dict.fromkeys(str(symbol) for _, _, symbol in a.dynamic_dims))
    said = ", ".join(symbols) if len(symbols) < 3 else f"{len(symbols)} dynamic"
    return f"version {a.version}" + (f" [{said}]" if said else "")


def no_calls(session: Any) -> str:
    """Why there is no call to show, in one sentence."""
    if session.state == "running":
        return "The script has not called a compiled function yet."
    if not was_run(session):
        return "The script has not been run yet; press Run."
    if session.state != "finished" or session.codes:
        return "The script ended before a call of a compiled function was over."
    if any(event.kind == "uncaught" for event in session.events):
        return "The script ended with an exception before it called a compiled function."
    return "The script called no compiled function. Use torch.compile on a function or a module."


def was_run(session: Any) -> bool:
    """Whether the session is the record of a run, not just a script that was opened."""
    return "state" in session.info or len(session.calls["code"]) > 0


def outcome_words(facts: Facts, call: int) -> str:
    """"recompiled", "error", or "wrong result" where the shadow check found one."""
    outcome = facts.outcome(call)
    wrong = outcome == "error" and any(e.call == call and e.type == WRONG_RESULT for e in facts.session.errors)
    return "wrong result" if wrong else OUTCOME_WORDS[outcome]


def bound_to(places: Iterable[str]) -> str:
    """What `push.__self__` means, for places in which a stored method's object stands; "" where there is none."""
    found = dict.fromkeys(m[1] for place in places for m in [re.match(r"(.+?)\.__self__\b", place)] if m)
    said = [f"{name}.__self__ is the object whose method {name} is" for name in found]
    return "; ".join(said) + "." if said else ""


def near_limit(facts: Facts, code: int, kept: int | None = None) -> str:
    """A warning while a function has few places left, "" otherwise. kept: how many it has used, if not as many as now."""
    kept, limit = facts.kept(code) if kept is None else kept, facts.limit(code)
    if not 0.75 * limit <= kept < limit:
        return ""
    return f"Near the limit: after {plural(limit - kept, 'more version')} it runs as plain Python where none fits."


def nearly_full(facts: Facts, call: int) -> list[str]:
    """A sentence for each function of which a call made a version and left few places."""
    found = []
    for code, last in {a.code: a for r in facts.call_runs(call) if r["outcome"] in (0, 1) and r["artifact"] >= 0
                       for a in [facts.session.artifacts[r["artifact"]]]}.items():
        since = max((e.time for e in facts.session.events if e.kind == "reset" and e.time < last.time), default=-1)
        kept = sum(since < a.time <= last.time for a in facts.artifacts_of(code))
        if warning := near_limit(facts, code, kept):
            found.append(f"{facts.title(code)} has used {kept} of {facts.limit(code)} versions. {warning}")
    return found


def failure_sentence(failure: FailureRow) -> str:
    """"x.shape[0] was 64, this version needs 32"."""
    if failure.expected and failure.seen:
        return f"{place_of(failure)} was {failure.seen}, this version needs {failure.expected}"
    return f"{place_of(failure)}: {failure.seen or failure.expected or 'the condition did not hold'}"


def call_lines(facts: Facts, call: int) -> list[str]:
    """A short description for a tooltip."""
    calls = facts.session.calls
    lines = [f"Call {call}: {call_title(facts, call)}",
             f"{outcome_words(facts, call)}, {duration(int(calls['end'][call]) - int(calls['start'][call]))}"]
    for _, groups in facts.failures_of_call(call)[:1]:
        for artifact, failures in groups[:1]:
            version = facts.session.artifacts[artifact].version
            lines += [f"version {version}: {place_of(f)} was {f.seen}, needs {f.expected}" for f in failures[:3]]
    return lines
