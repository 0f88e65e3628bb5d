"""Two sessions side by side, by causes: what is gone, new, more or fewer, and the first call that went differently.

Functions are matched by where they stand in the source (file, qualified name, and for a resume function the text of the
line it goes on after), never by number: the numbers of two runs have nothing to do with each other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from . import summary
from .reader import Session
from .schema import OUTCOME_NUMBER, OUTCOME_WORDS, OUTCOMES

STATES = ("new", "more", "fewer", "gone", "same")
KIND_WORDS = {"recompile": "recompilation", "limit": "recompile limit", "not_compiled": "not compiled", "break": "graph break",
              "error": "error"}
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """What one session knows of a cause. `count`: versions compiled because of it (recompile), runs of the function that
    breaks or is not compiled, calls that ran eagerly (limit), runs that raised (error)."""

    count: int = 0
    cost_ns: int = 0
    calls: tuple[int, ...] = ()
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One cause in both sessions. `state` is one of STATES, by count; `line` is its line in B, else in A."""

    kind: str
    place: str
    function: str
    state: str
    a: Side
    b: Side
    line: int = 0

    @property
    def sentence(self) -> str:
        """`self.seen in Meter.forward: 7 versions, now none`."""
        what = {"recompile": "version", "limit": "eager call"}.get(self.kind, "run")
        before, after = (f"{n or 'no'} {summary.plural(n, what)}" for n in (self.a.count, self.b.count))
        place = f"{self.place} in {self.function}" if self.place != self.function else self.place
        if self.state == "same":
            return f"{place}: {after} in both"
        return f"{place}: {before}, now {after if self.b.count else 'none'}"


@dataclass(frozen=True, slots=True)
class FunctionChange:
    """Runs by outcome, versions and compile time of one function in both sessions; None where it does not occur."""

    function: str
    a: summary.FunctionCounts | None
    b: summary.FunctionCounts | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The first call that went differently. `a`, `b`: "Meter.forward recompiled (x: float32[4, 2])", or that the session
    has no such call; `why`: what differs first, "outcome", "function", "arguments" or "length"."""

    call: int
    why: str
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that `compare` finds. `totals`: (name, in A, in B); times in ns end in "_ns"."""

    paths: tuple[str, str]
    totals: tuple[tuple[str, int, int], ...]
    changes: tuple[Change, ...]
    functions: tuple[FunctionChange, ...]
    first: Difference | None

    def of(self, *states: str) -> list[Change]:
        return [c for c in self.changes if c.state in states]

    @property
    def worse(self) -> bool:
        """Whether B has a cause that A had not, or more of one."""
        return bool(self.of("new", "more"))

    def as_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {"a": self.paths[0], "b": self.paths[1], "worse": self.worse,
                "totals": [{"name": n, "a": a, "b": b} for n, a, b in self.totals],
                "changes": [{**asdict(c), "sentence": c.sentence} for c in self.changes],
                "functions": [asdict(f) for f in self.functions],
                "first_difference": asdict(self.first) if self.first is not None else None}


def compare(a: Session, b: Session) -> Comparison:
    """Compare two sessions: A is the one before, B the one after."""
    keys = names_of(a), names_of(b)
    return Comparison((str(a.path), str(b.path)), _totals(a, b), _changes(a, b, keys), _functions(a, b, keys),
                      first_difference(a, b, keys))


def names_of(session: Session) -> list[Key]:
    """What each code is called across sessions. A code that stands there twice gets a number."""
    script, found = str(session.info.get("script", "")), []
    met: Counter[Key] = Counter()
    for c in session.codes:
        root, hops = c, 0
        while root.resume_of is not None and root.resume_of != root.id and hops < len(session.codes):
            root, hops = session.codes[root.resume_of], hops + 1
        place = "" if c.file == script or not c.file else PurePath(c.file.replace("\\", "/")).name
        after = f"after {_line(session, c.file, c.resume_line)}" if c.kind == "resume" else ""
        key: Key = (place, root.qualname, after)
        met[key] += 1
        found.append(key if met[key] == 1 else (*key, str(met[key])))
    return found


def _line(session: Session, file: str, line: int | None) -> str:
    """The text of a source line, so that it is found again where lines were inserted above it."""
    lines = session.sources.get(file, "").splitlines()
    return " ".join(lines[line - 1].split()) if line and 0 < line <= len(lines) else f"line {line}"


def _totals(a: Session, b: Session) -> tuple[tuple[str, int, int], ...]:
    def of(session: Session) -> dict[str, int]:
        t = summary.totals(session)
        kernels = int((session.launches["end"] - session.launches["start"]).sum())
        return {**t, "compile_ns": sum(p.end - p.start for p in session.phases), "kernel_ns": kernels,
                "run_ns": int(session.info.get("end_ns") or 0)}

    left, right = of(a), of(b)
    return tuple((name, left[name], right[name]) for name in left)


# -- causes

def _changes(a: Session, b: Session, keys: tuple[list[Key], list[Key]]) -> tuple[Change, ...]:
    left, right = _causes(a, keys[0]), _causes(b, keys[1])
    found = []
    for key in dict.fromkeys([*left, *right]):
        (function, place, line, x) = left.get(key, ("", "", 0, Side()))
        if key in right:
            function, place, line, y = right[key]
        else:
            y = Side()
        state = "new" if key not in left else "gone" if key not in right else \
            "more" if y.count > x.count else "fewer" if y.count < x.count else "same"
        found.append(Change(key[0], place, function, state, x, y, line))
    return tuple(sorted(found, key=lambda c: (STATES.index(c.state), -abs(c.b.cost_ns - c.a.cost_ns),
                                              -abs(c.b.count - c.a.count), c.function, c.place)))


def _causes(session: Session, keys: list[Key]) -> dict[tuple[Any, ...], tuple[str, str, int, Side]]:
    """(kind, code, place) -> (function, place as shown, line, side)."""
    found: dict[tuple[Any, ...], tuple[str, str, int, Side]] = {}
    runs = np.bincount(session.runs["code"], minlength=len(session.codes))
    key: tuple[Any, ...]
    for c in summary.causes(session):
        if c.versions:
            code = session.codes[c.code]
            guard = next((g for g in session.guards(c.artifact) if g.index == c.guard), None) if c.artifact >= 0 else None
            key = ("recompile", keys[c.code], c.place)
            old = found[key][3] if key in found else Side()
            found[key] = (_name(code.title), c.place, guard.line if guard is not None else code.first_line, Side(
                old.count + c.versions, old.cost_ns + c.compile_ns, (*old.calls, *(x for x in c.calls if x >= 0)),
                tuple(dict.fromkeys((*old.values, *c.seen)))))
    for limit in session.limits:
        eager = np.flatnonzero((session.calls["code"] == limit.code)
                               & (session.calls["outcome"] == OUTCOME_NUMBER["eager_limit"]))
        title = _name(session.codes[limit.code].title)
        found[("limit", keys[limit.code], "")] = (title, f"the limit of {limit.limit} versions",
                                                  session.codes[limit.code].first_line,
                                                  Side(len(eager), 0, tuple(eager[:1000].tolist())))
    for b in session.breaks:
        line = _line(session, b.file, b.line)
        key = ("break", keys[b.code], b.name, line)
        if key not in found:
            calls = np.unique(session.runs["call"][session.runs["code"] == b.code])[:1000]
            found[key] = (_name(session.codes[b.code].title), f"{b.sentence} ({line})", b.line,
                          Side(int(runs[b.code]), 0, tuple(calls.tolist())))
    for n in session.not_compiled:
        calls = np.flatnonzero(session.calls["code"] == n.code)[:1000]
        found.setdefault(("not_compiled", keys[n.code], n.why), (_name(session.codes[n.code].title), n.why, n.line,
                                                                Side(int(runs[n.code]), 0, tuple(calls.tolist()))))
    errors: dict[tuple[int, str], list[int]] = {}
    for e in session.errors:
        errors.setdefault((e.code, e.type), []).append(e.call)
    for (code_id, kind), calls_of in errors.items():
        c_ = session.codes[code_id]
        found["error", keys[code_id], kind] = (_name(c_.title), kind, c_.first_line,
                                               Side(len(calls_of), 0, tuple(sorted({x for x in calls_of if x >= 0}))))
    return found


def causes_by_name(session: Session) -> dict[str, int]:
    """Counts of causes under names that mean the same in another run: "recompilation: self.seen in Meter.forward"."""
    found: Counter[str] = Counter()
    for (kind, *_), (function, place, _line_number, side) in _causes(session, names_of(session)).items():
        found[f"{KIND_WORDS[kind]}: {place} in {function}"] += side.count
    return dict(found)


def _name(title: str) -> str:
    return title.rpartition("<locals>.")[2]


# -- functions and calls

def _functions(a: Session, b: Session, keys: tuple[list[Key], list[Key]]) -> tuple[FunctionChange, ...]:
    left = dict(zip(keys[0], summary.functions(a)))
    right = dict(zip(keys[1], summary.functions(b)))
    return tuple(FunctionChange(_name((right.get(k) or left[k]).title), left.get(k), right.get(k))
                 for k in dict.fromkeys([*left, *right]))


def first_difference(a: Session, b: Session, keys: tuple[list[Key], list[Key]]) -> Difference | None:
    """The first call of another function or outcome, or one that only one session has; else the first with other
    arguments; None when all calls went alike."""
    number: dict[Key, int] = {}
    for key in (*keys[0], *keys[1]):
        number.setdefault(key, len(number))
    n = min(len(a.calls), len(b.calls))
    codes = [np.array([number[k] for k in own], np.int64)[s.calls["code"][:n]] if own else np.zeros(0, np.int64)
             for s, own in ((a, keys[0]), (b, keys[1]))]
    other_code = codes[0] != codes[1]
    differs = other_code | (a.calls["outcome"][:n] != b.calls["outcome"][:n])
    if differs.any():
        at = int(np.argmax(differs))
        return Difference(at, "function" if other_code[at] else "outcome", _call(a, at), _call(b, at))
    if len(a.calls) != len(b.calls):
        return Difference(n, "length", *(_call(s, n) if len(s.calls) > n else f"no call {n}: the session has {n}"
                                         for s in (a, b)))
    at = _first_other_arguments(a, b, n)
    return Difference(at, "arguments", _call(a, at), _call(b, at)) if at >= 0 else None


def _first_other_arguments(a: Session, b: Session, n: int) -> int:
    """The first call whose signatures differ, -1 if none. Signatures are numbered anew by their content."""
    number: dict[Any, int] = {}
    columns = []
    for s in (a, b):
        own = [number.setdefault(tuple((p, v.text, v.type, v.strides) for p, v in s.values(i)), len(number))
               for i in range(s.signature_count)]
        ids = s.runs["signature"][s.calls["first_run"][:n]]
        columns.append(np.where(ids >= 0, np.array([*own, -1], np.int64)[ids], -1))
    differs = columns[0] != columns[1]
    return int(np.argmax(differs)) if differs.any() else -1


def _call(session: Session, call: int) -> str:
    calls = session.calls
    name = _name(session.codes[int(calls["code"][call])].title)
    values = session.signature(int(session.runs["signature"][calls["first_run"][call]]))
    said = ", ".join(f"{param}: {text}" for param, text in values if param != "self")
    return f"{name} {OUTCOME_WORDS[OUTCOMES[int(calls['outcome'][call])]]}" + (f" ({said})" if said else "")
