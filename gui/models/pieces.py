"""The pieces that breaks cut a function's source into: which lines are a graph, which run as Python, how often and how long.

A run's own time is what it took without the runs inside it and without compiling. What a statement that breaks the graph
takes is not recorded apart: it is in the time of the piece that it ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.events.schema import Code
from ..facts import Facts
from ..numbers import duration, number, plural


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines `first` to `last` of one function. kind: "graph" (`place` counts them from 0 within the function), "python" (the
    statement of a break, or all that follows where capture ended for good) or "skipped" (never compiled). runs, ns: of the
    code objects that start here."""

    kind: str
    first: int
    last: int
    place: int = 0
    runs: int = 0
    ns: int = 0

    @property
    def label(self) -> str:
        """`12x 3.4 ms`, for the margin."""
        return f"{number(self.runs)}\N{MULTIPLICATION SIGN} {duration(self.ns)}" if self.runs else ""

    @property
    def tip(self) -> str:
        ran = f" Ran {plural(self.runs, 'time')}, {duration(self.ns)} in all without compiling." if self.runs else ""
        if self.kind == "graph":
            return f"Compiled: piece {self.place + 1} of its function.{ran}"
        if self.kind == "python":
            return f"Runs as plain Python between compiled pieces; its time is counted with the piece before.{ran}"
        return f"Runs as plain Python; never compiled.{ran}"


def own_ns(facts: Facts) -> np.ndarray:
    """Nanoseconds of every run without the runs inside it."""
    def make() -> np.ndarray:
        runs = facts.session.runs
        depth = np.asarray(runs["depth"]).astype(np.int64)
        took = (np.asarray(runs["end"]) - np.asarray(runs["start"])).astype(np.int64)
        own, places = took.copy(), np.arange(len(depth))
        for level in range(1, int(depth.max(initial=0)) + 1):
            outer = np.maximum.accumulate(np.where(depth == level - 1, places, -1))
            inside = (depth == level) & (outer >= 0)
            np.subtract.at(own, outer[inside], took[inside])
        return np.maximum(own, 0)
    return facts.keep("own_ns", make)


def _sums(facts: Facts) -> tuple[np.ndarray, np.ndarray]:
    """Per code: runs, and nanoseconds of their own without compiling."""
    def make() -> tuple[np.ndarray, np.ndarray]:
        n = len(facts.session.codes)
        spent = facts.sum_by_code("own_ns", own_ns(facts.whole))
        compiling = np.array([facts.compile_ns(code=c) for c in range(n)], np.int64)
        return facts.code_outcomes().sum(axis=1), np.maximum(spent - compiling, 0)
    return facts.keep("code sums", make)


def pieces(facts: Facts, file: str) -> list[Piece]:
    """The pieces of every function of a file, those of outer functions before those of functions inside."""
    return facts.keep(("pieces", file), lambda: _pieces(facts, file))


def _pieces(facts: Facts, file: str) -> list[Piece]:
    own = [c for c in facts.session.codes if c.file == file and c.kind not in ("resume", "module")]
    found: list[Piece] = []
    seen: set[tuple[int, int]] = set()
    for c in sorted(own, key=lambda c: (c.first_line - c.end_line, c.id)):
        if (c.first_line, c.end_line) not in seen:           # functions made by one `def` are one piece of text
            seen.add((c.first_line, c.end_line))
            alike = [d for d in own if (d.first_line, d.end_line) == (c.first_line, c.end_line)]
            found += _of_function(facts, c, alike)
    return found


def _of_function(facts: Facts, c: Code, alike: list[Code]) -> list[Piece]:
    counts, spent = _sums(facts)

    def piece(kind: str, first: int, last: int, codes: list[Code], place: int = 0) -> Piece:
        # What goes on with the next pass of a loop begins within the piece; it adds time, no further entry.
        passes = [r for r in resumes if r.resume_line not in ends and first <= (r.resume_line or 0) <= last]
        return Piece(kind, first, last, place, sum(int(counts[d.id]) for d in codes),
                     round(sum(spent[d.id] for d in (*codes, *passes))))

    resumes = [r for d in alike for r in facts.resumes_of(d.id)]
    ends: dict[int, int] = {}                                # line of a statement that breaks -> its last line
    given_up = {n.code for n in facts.session.not_compiled}
    if all(d.id in given_up or not facts.artifacts_of(d.id) for d in alike):
        return [piece("skipped", c.first_line, c.end_line, alike)]
    members = {d.id for d in (*alike, *resumes)}
    for b in facts.session.breaks:
        if b.code in members and b.file == c.file and c.first_line <= b.line <= c.end_line:
            ends[b.line] = max(ends.get(b.line, b.line), min(b.end_line, c.end_line))
    found, start, codes, place, kind = [], c.first_line, list(alike), 0, "graph"
    for line in sorted(ends):
        if line < start:                                     # inside the statement before
            continue
        if line > start:
            found.append(piece(kind, start, line - 1, codes, place))
            place += kind == "graph"
        after = [r for r in resumes if r.resume_line == line]
        # Several breaks in one statement: the resume functions between them are within its line.
        found.append(piece("python", line, ends[line], after[:-1] if line > start else [*codes, *after[:-1]]))
        start, codes, kind = ends[line] + 1, after[-1:], "graph" if after else "python"
    if start <= c.end_line:
        found.append(piece(kind, start, c.end_line, codes, place))
    return found


def by_line(found: list[Piece]) -> dict[int, Piece]:
    """Line -> the innermost piece it belongs to."""
    return {line: p for p in found for line in range(p.first, p.last + 1)}


__all__ = ["Piece", "by_line", "own_ns", "pieces"]
