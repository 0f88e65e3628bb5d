"""Facts derived from a session, for the report, the exports and the window. Pure functions; no Qt, no files.

The cause ledger counts causes, not events: "int `step`: 7 versions, 56 ms, reached the limit".
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .advice import VALUE_KINDS, cure, result_words, several
from .reader import Session
from .schema import OUTCOMES, Artifact, Break, Event, FailureRow, GuardRow, Miss

Failing = tuple[tuple[int, str, str], FailureRow]          # (code, place, kind) that the ledger counts under, and a failure
DEFAULT_LIMIT = 8
MOST_SIGNATURES = 20_000       # signatures looked at for the sizes seen


@dataclass(frozen=True, slots=True)
class FunctionCounts:
    """One function (resume functions counted under `code` of their own): runs per outcome name, compile time, calls."""

    code: int
    title: str
    calls: int
    outcomes: dict[str, int]
    artifacts: int
    compile_ns: int


@dataclass(slots=True)
class Cause:
    """Something that made artifacts of one code unusable. versions: artifacts compiled because of it; alone: those for
    which nothing else had changed; calls: the calls in which they were compiled; seen: the values, in order."""

    code: int
    place: str
    kind: str
    dim: int | None
    versions: int = 0
    alone: int = 0
    misses: int = 0
    compile_ns: int = 0
    calls: list[int] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    reached_limit: bool = False
    artifact: int = -1
    guard: int = -1
    pinned: bool = False
    result_of: bool = False


@dataclass(frozen=True, slots=True)
class Meter:
    """How much of the recompile limit a code has used. causes: (place, versions)."""

    code: int
    entries: int
    limit: int
    reached: bool
    causes: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """The values one input took: sizes of dimension `dim` of a tensor, or a Python number (dim None), with the number
    of runs for each, in order of first appearance."""

    code: int
    param: str
    dim: int | None
    values: tuple[tuple[Any, int], ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """What to change in the script. text: what it cost and the cure; cure: the change alone, a clause; line: code to
    write, if there is any; cost_ns: compile time spent because of it."""

    kind: str
    code: int
    text: str
    line: str = ""
    cost_ns: int = 0
    versions: int = 0
    cure: str = ""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A function that was never compiled, with the reason and the line that caused it."""

    code: int
    title: str
    why: str
    file: str
    line: int
    calls: int


def outcome_totals(session: Session) -> dict[str, int]:
    """Top-level calls per outcome name."""
    counts = np.bincount(session.calls["outcome"], minlength=len(OUTCOMES))
    return {name: int(counts[i]) for i, name in enumerate(OUTCOMES)}


def functions(session: Session) -> list[FunctionCounts]:
    """Runs, artifacts and compile time of every code, in the order in which they were met."""
    n, k = len(session.codes), len(OUTCOMES)
    flat = session.runs["code"].astype(np.int64) * k + session.runs["outcome"]
    table = np.bincount(flat, minlength=n * k).reshape(n, k) if n else np.zeros((0, k), int)
    entries = Counter(a.code for a in session.artifacts)
    spent: Counter[int] = Counter()
    for phase in session.phases:
        spent[phase.code] += phase.end - phase.start
    return [FunctionCounts(c.id, c.title, int(counts.sum()), dict(zip(OUTCOMES, counts.tolist())), entries[c.id],
                           spent[c.id]) for c, counts in zip(session.codes, table)]


def compile_ns(session: Session) -> dict[int, int]:
    """Compile time of each artifact: its phases added up."""
    spent: dict[int, int] = defaultdict(int)
    for phase in session.phases:
        if phase.artifact is not None:
            spent[phase.artifact] += phase.end - phase.start
    return dict(spent)


def place_of(failure: FailureRow) -> str:
    """Where the failing value is, as people write it: `x.shape[0]`, `self.step`."""
    if failure.where:
        return failure.where
    if failure.dim is None or ".shape[" in failure.origin or ".stride(" in failure.origin:
        return failure.origin or failure.kind
    return f"{failure.origin}.shape[{failure.dim}]"


def sentence(failure: FailureRow) -> str:
    """One failing guard in words: `x.shape[0] was 64, is 128`."""
    place = place_of(failure)
    if failure.aspect == "symbolic":
        return f"{failure.expected} was needed, {failure.seen}"
    if failure.aspect in ("keys", "attribute", "members", "aliasing", "overlap", "marks"):
        return f"{place}: expected {failure.expected}, now {failure.seen}"
    if not failure.expected:
        return f"{place}: {failure.seen}" if failure.seen else f"{place} ({failure.kind}) changed"
    return f"{place} was {failure.expected}, is {failure.seen}"


def explained(failure: FailureRow, guard: GuardRow | None) -> str:
    """A failing guard with the line that asked for it: `first == 3 was needed, first is 4 (line 9: loop bound)`. A decision
    about symbolic sizes and numbers tells why; the lines that led to it are part of that."""
    text = sentence(failure)
    if guard is None or not guard.line:
        return text
    return f"{text} (line {guard.line}: {guard.why})" if failure.aspect == "symbolic" else f"{text} (line {guard.line})"


def by_version(failures: tuple[FailureRow, ...]) -> dict[int, list[FailureRow]]:
    """Artifact -> all its guards that failed, nearest artifact first."""
    found: dict[int, list[FailureRow]] = {}
    for failure in failures:
        found.setdefault(failure.artifact, []).append(failure)
    return found


def nearest(failures: tuple[FailureRow, ...]) -> list[FailureRow]:
    """What failed on the nearest artifact, without the strides that follow from a changed size."""
    first = [f for f in failures if f.artifact == failures[0].artifact] if failures else []
    places = [place_of(f) for f in first]
    sized = {place.split(".shape[")[0] for place in places if ".shape[" in place and ".stride(" not in place}
    return [f for f, place in zip(first, places)
            if ".stride(" not in place
            or (place.split(", ")[-1] if several(place) else place).split(".stride(")[0] not in sized] or first


def causes(session: Session, known: dict[int, list[Failing]] | None = None) -> list[Cause]:
    """The cause ledger: what used up a limit first, then by cost. A version with several failing guards
    counts for each of them. known: keeps what is found about each miss for the next time, by the miss's id."""
    spent = compile_ns(session)
    made = {a.miss: a for a in session.artifacts if a.miss >= 0}
    limited = {limit.code for limit in session.limits}
    ledger: dict[tuple[int, str, str], Cause] = {}
    known = {} if known is None else known
    for miss in session.misses:
        failing = known.get(miss.id) or known.setdefault(miss.id, failing_of(miss))
        artifact = made.get(miss.id)
        places = {key[1] for key, _ in failing}
        for key, f in failing:
            place = key[1]
            cause = ledger.get(key)
            if cause is None:
                words = result_words(session, miss.code, place)
                cause = ledger[key] = Cause(miss.code, words, f.kind if key[2] == "value" else key[2], f.dim,
                                            artifact=f.artifact, guard=f.index, result_of=words != place)
            cause.pinned |= f.aspect == "symbolic" and " == " in f.expected and not several(place)
            cause.misses += 1
            for value in values_of(f, bool(cause.seen)):
                if value and value not in cause.seen:
                    cause.seen.append(value)
            if artifact is not None:
                cause.versions += 1
                cause.alone += len(places) == 1
                cause.compile_ns += spent.get(artifact.id, 0)
                cause.calls.append(miss.call)
            if miss.code in limited:
                cause.reached_limit = True
    return sorted(ledger.values(), key=lambda c: (not c.reached_limit, -c.compile_ns, -c.versions, c.code, c.place))


def together(session: Session, ledger: Sequence[Cause]) -> list[list[Cause]]:
    """The ledger with what always changed at once in one place, that of the first. What took most values leads, an argument
    before another."""
    found: dict[object, list[Cause]] = {}
    for place, c in enumerate(ledger):
        found.setdefault((c.code, tuple(c.calls), c.misses) if c.versions and not c.alone else place, []).append(c)
    groups = list(found.values())
    for own in groups:
        params = {p for p in session.codes[own[0].code].params if p != "self"}
        own.sort(key=lambda c: (-len(c.seen), re.split(r"[.\[]", c.place)[0] not in params))
    return groups


def named(own: Sequence[Cause]) -> str:
    """A name for what always changed at once: `x.shape[0]`, `a and b`, `a and 3 others`."""
    if len(own) < 3:
        return " and ".join(c.place for c in own)
    return f"{own[0].place} and {len(own) - 1} others"


def failing_of(miss: Miss) -> list[Failing]:
    """What failed on the nearest artifact, once for each (code, place, kind) that the ledger counts under."""
    found: dict[tuple[int, str, str], FailureRow] = {}
    for f in nearest(miss.failures):
        place = place_of(f)
        found.setdefault((miss.code, place, cause_kind(f, place)), f)
    return list(found.items())


def cause_kind(failure: FailureRow, place: str) -> str:
    """What failures of one place are counted under: a size is one cause however it is guarded, and so is a value."""
    if ".shape[" in place:
        return "TENSOR_MATCH"
    return "value" if failure.kind in VALUE_KINDS and ", " not in place else failure.kind


def values_of(failure: FailureRow, known: bool) -> tuple[str, ...]:
    """The values a failure shows: expected and seen, of a symbolic condition only the value seen."""
    if failure.aspect == "symbolic":
        return (failure.seen.rpartition(" is ")[2],) if ", " not in place_of(failure) else (failure.seen,)
    return (failure.seen,) if known else (failure.expected, failure.seen)


def entries_of(session: Session) -> Counter[int]:
    """Artifacts kept per code: those made since the last reset of all caches."""
    since = max((e.time for e in session.events if e.kind == "reset"), default=0)
    return Counter(a.code for a in session.artifacts if a.time > since)


def limit_of(session: Session, code: int) -> int:
    """The recompile limit that holds for a code."""
    said = session.info.get("recompile_limit")
    default = said if isinstance(said, int) and said > 0 else DEFAULT_LIMIT
    return next((limit.limit for limit in reversed(session.limits) if limit.code == code), default)


def meters(session: Session) -> list[Meter]:
    """How far each code with artifacts is on its way to the recompile limit. A reset sets all of them back to nothing."""
    entries = entries_of(session)
    reached = {limit.code for limit in session.limits}
    by_code: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for cause in causes(session):
        if cause.versions:
            by_code[cause.code].append((cause.place, cause.versions))
    return [Meter(code, count, limit_of(session, code), code in reached, tuple(by_code[code]))
            for code, count in sorted(entries.items())]


def seen(session: Session) -> list[Seen]:
    """Sizes per dimension of every tensor parameter, and values of every number parameter, over all runs."""
    ids = session.runs["signature"]
    uses = np.bincount(ids[ids >= 0], minlength=session.signature_count) if len(ids) else np.zeros(0, int)
    table: dict[tuple[int, str, int | None], Counter[Any]] = defaultdict(Counter)
    for number in range(min(session.signature_count, MOST_SIGNATURES)):
        code, count = session.signature_code(number), int(uses[number])
        for param, value in session.values(number):
            if value.kind == "tensor":
                for dim, size in enumerate(value.shape):
                    table[code, param, dim][size] += count
            elif value.kind == "value" and value.type in ("int", "float"):
                table[code, param, None][value.value] += count
    return [Seen(code, param, dim, tuple(values.items())) for (code, param, dim), values in table.items()]


def given_up(session: Session, runs: Sequence[int] | None = None) -> list[GivenUp]:
    """Functions that run as plain Python, one entry per reason. runs: those of each code that were not compiled, if known."""
    if not session.not_compiled:
        return []
    counts = [f.outcomes["not_compiled"] for f in functions(session)] if runs is None else runs
    return list(dict.fromkeys(GivenUp(n.code, session.codes[n.code].title, n.why, n.file, n.line, int(counts[n.code]))
                              for n in session.not_compiled))


def span_text(session: Session, broken: Break) -> str:
    """The source at a graph break: `print(y)`; "" when it is unknown, the first line and "..." when there are several."""
    lines = session.sources.get(broken.file, "").splitlines()
    if not 0 < broken.line <= len(lines):
        return ""
    first = lines[broken.line - 1]
    if not broken.end_line:
        return first.strip()
    if broken.end_line > broken.line:
        return f"{first.encode()[broken.col:].decode(errors='replace').strip()} ..."
    return first.encode()[broken.col:broken.end_col].decode(errors="replace").strip()


def place_text(broken: Break) -> str:
    """`line 7, columns 8-13`, counted from 1; several lines are `lines 7-9`."""
    if broken.end_line > broken.line:
        return f"lines {broken.line}-{broken.end_line}"
    columns = f", columns {broken.col + 1}-{broken.end_col}" if broken.end_col > broken.col else ""
    return f"line {broken.line}{columns}"


def advice(session: Session) -> list[Advice]:
    """What to change, dearest first."""
    found = [a for cause in causes(session) if (a := advise(session, cause)) is not None]
    told: set[tuple[str, int, str]] = set()
    for broken in session.breaks:
        key = (broken.file, broken.line, broken.name)
        if key in told:
            continue
        told.add(key)
        hint = f": {broken.hint}" if broken.hint else ""
        found.append(Advice("break", broken.code, f"line {broken.line} of {session.codes[broken.code].title} breaks "
                            f"the graph ({broken.sentence}){hint}"))
    for entry in given_up(session):
        found.append(Advice("not_compiled", entry.code,
                            f"{entry.title} is not compiled because of line {entry.line}: {entry.why}"))
    return sorted(found, key=lambda a: -a.cost_ns)


def advise_together(session: Session, own: Sequence[Cause]) -> Advice | None:
    """Advice for what always changed at once: one cost, and every line of the same cure."""
    found = [a for c in own if (a := advise(session, c)) is not None]
    if len(found) < 2:
        return found[0] if found else None
    first = found[0]
    _, _, rest = first.text.partition(f" in {session.codes[own[0].code].title} and cost ")
    text = f"{named(own)} changed together in {session.codes[own[0].code].title} and cost {rest}"
    lines = dict.fromkeys(a.line for a in found if a.line and a.cure == first.cure)
    return replace(first, text=text, line="\n".join(lines))


def advise(session: Session, cause: Cause) -> Advice | None:
    """Advice for one cause of recompilation; None when it cost nothing."""
    if not cause.versions:
        return None
    title = session.codes[cause.code].title
    ms = duration(cause.compile_ns)
    limit = ", then the recompile limit" if cause.reached_limit else ""
    versions = f"{cause.versions} more {plural(cause.versions, 'version')}"
    took = f"{cause.place} took {len(cause.seen)} values" if len(cause.seen) > 1 else f"{cause.place} changed"
    cost = f"{took} in {title} and cost {versions} ({ms}){limit}"
    kind, change, line = cure(session, cause)
    return Advice(kind, cause.code, f"{cost}: {change}", line, cause.compile_ns, cause.versions, change)


def duration(ns: float) -> str:
    """A stretch of time for people: 5.9 ms, 2.45 s."""
    return f"{ns / 1e9:.3g} s" if ns >= 1e9 else f"{ns / 1e6:.3g} ms"


def plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"


PROTECTIONS = ("checked", "input", "constant", "unprotected")


def reads(artifact: Artifact) -> list[tuple[str, str, str]]:
    """(what was read while the artifact was traced, one of PROTECTIONS, why or how), in order of reading."""
    found = []
    for read in artifact.reads:
        how, _, why = str(read.get("protected", "")).partition(": ")
        found.append((str(read.get("origin", "")), how if how in PROTECTIONS else "unprotected", why))
    return found


@dataclass(frozen=True, slots=True)
class ShadowCheck:
    """What the shadow check did: every `every`-th reused call of a version was repeated in plain Python (0: never);
    `checked` of them, `different` with another outcome. `skipped`: why calls could not be repeated -> how many."""

    every: int = 0
    checked: int = 0
    different: int = 0
    skipped: dict[str, int] = field(default_factory=dict)


def shadow(session: Session) -> ShadowCheck | None:
    """The shadow check of a session; None when it was off."""
    said = session.info.get("shadow")
    if not isinstance(said, dict):
        return None
    every, checked, different = (n if isinstance(n := said.get(name), int) else 0 for name in ("every", "checked", "different"))
    skipped = said.get("skipped")
    reasons = {str(k): v for k, v in skipped.items() if isinstance(v, int)} if isinstance(skipped, dict) else {}
    return ShadowCheck(every, checked, different, reasons)


def shadow_differences(session: Session) -> list[Event]:
    """Every reused call that plain Python answered otherwise, with the first differing output. `event.call` says which."""
    return [event for event in session.events if event.kind == "shadow"]


def totals(session: Session) -> dict[str, int]:
    """The numbers that `--fail-on` can name."""
    calls = outcome_totals(session)
    runs = np.bincount(session.runs["outcome"], minlength=len(OUTCOMES))
    uncaught = sum(event.kind == "uncaught" for event in session.events)
    skipped = sum(event.kind == "not_compiled" for event in session.events)
    return {"calls": len(session.calls), "compiles": int(runs[OUTCOMES.index("compile")]),
            "recompiles": int(runs[OUTCOMES.index("recompile")]), "breaks": len(session.breaks),
            "eager": calls["eager_limit"], "not_compiled": len({n.code for n in session.not_compiled}) + skipped,
            "errors": max(calls["error"], uncaught), "artifacts": len(session.artifacts),
            "shadow": check.different if (check := shadow(session)) is not None else 0}
