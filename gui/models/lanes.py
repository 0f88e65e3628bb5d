"""What the timeline draws: lanes of sorted intervals, and the columns of pixels made from them. NumPy only, no Qt.

A lane keeps, per colour, its intervals' starts and ends, each sorted. How many intervals touch the pixel column [a, b)
is then (starts below b) - (ends at or below a): two binary searches per column, however many intervals there are.
Bars whose height is an amount (compile time per call) come from differences of prefix sums in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ...core.events.schema import OUTCOMES, PHASES
from ..facts import Facts, code_name, column

# Outcomes worst first, as numbers of OUTCOMES: of several in one place the first wins.
IMPORTANCE = tuple(OUTCOMES.index(n) for n in ("error", "not_compiled", "eager_limit", "recompile", "compile", "reuse"))
MANY = 20_000                                       # intervals of one outcome; more are counted on a grid
_RANK = np.argsort(np.asarray(IMPORTANCE))          # outcome number -> rank, 0 is worst


@dataclass(slots=True)
class Intervals:
    """Intervals of one colour (float64) in order of their starts, with their rows; `sorted_ends` are the ends by themselves."""

    starts: np.ndarray
    ends: np.ndarray
    rows: np.ndarray
    sorted_ends: np.ndarray

    @classmethod
    def of(cls, starts: np.ndarray, ends: np.ndarray, rows: np.ndarray) -> Intervals:
        starts = np.asarray(starts, np.float64)
        ends = np.maximum(np.asarray(ends, np.float64), starts + 1e-9)
        if len(starts) > 1 and np.any(starts[1:] < starts[:-1]):
            order = np.argsort(starts, kind="stable")
            starts, ends, rows = starts[order], ends[order], rows[order]
        nested = len(ends) > 1 and bool(np.any(ends[1:] < ends[:-1]))
        return cls(starts, ends, rows, np.sort(ends) if nested else ends)


def touch_counts(starts: np.ndarray, ends: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Intervals [start, end) that touch each column [edges[i], edges[i+1]); starts and ends each sorted."""
    return below(starts, edges[1:], "left") - below(ends, edges[:-1], "right")


def below(values: np.ndarray, edges: np.ndarray, side: Literal["left", "right"]) -> np.ndarray:
    """np.searchsorted for ascending edges, looking only at the stretch that they span (so that it stays in the cache)."""
    if len(values) < 4096 or not len(edges):
        return np.searchsorted(values, edges, side)
    low, high = np.searchsorted(values, edges[[0, -1]], side)
    return low + np.searchsorted(values[low:high], edges, side)


class Coarse:
    """Counts of many intervals on a fixed grid, made once: a column's edges are moved to the grid (by far less than a
    pixel) and looked up instead of searched. What starts before and what ends before an edge are counted at the same
    places, so nothing is lost."""

    CELLS = 16384
    FINE = 8                                 # cells per column at least, else the caller searches

    def __init__(self, starts: np.ndarray, ends: np.ndarray) -> None:
        self.low = float(starts[0])
        self.step = max((float(ends[-1]) - self.low) / self.CELLS, 1e-12)
        grid = self.low + np.arange(self.CELLS + 1) * self.step
        # Beyond the grid's ends everything has begun, or nothing has.
        self.started = np.concatenate(([0], np.searchsorted(starts, grid[1:-1], "left"), [len(starts)] * 2)).astype(np.int32)
        self.ended = np.concatenate(([0], np.searchsorted(ends, grid[1:-1], "right"), [len(ends)] * 2)).astype(np.int32)

    def fits(self, edges: np.ndarray) -> bool:
        return (edges[1] - edges[0]) >= self.FINE * self.step

    def counts(self, edges: np.ndarray) -> np.ndarray:
        places = np.clip(np.rint((edges - self.low) / self.step), 0, self.CELLS + 1).astype(np.int64)
        return self.started[places[1:]] - self.ended[places[:-1]]


def column_counts(kept: dict[object, Coarse], key: object, iv: Intervals, edges: np.ndarray) -> np.ndarray:
    """Intervals that touch each column: of many by the grid, which is made once and kept under `key`; else searched."""
    if len(iv.starts) > MANY and len(edges) > 2:
        coarse = kept.get(key)
        if coarse is None:
            coarse = kept[key] = Coarse(iv.starts, iv.sorted_ends)
        if coarse.fits(edges):
            return coarse.counts(edges)
    return touch_counts(iv.starts, iv.sorted_ends, edges)


@dataclass(slots=True)
class RunLane:
    """The runs of one code: `rows` are their numbers among the session's runs, `runs` its columns. What is drawn is made from
    them when the lane first comes into view."""

    key: tuple
    title: str
    code: int
    resume: bool
    rows: np.ndarray
    runs: Mapping[str, np.ndarray]
    coarse: dict[object, Coarse] = field(default_factory=dict)
    _intervals: dict[str, dict[int, Intervals]] = field(default_factory=dict)

    def intervals(self, axis: str) -> dict[int, Intervals]:
        """Outcome number -> intervals, on the "call" axis (one per call, the worst run) or the "time" axis."""
        found = self._intervals.get(axis)
        if found is None:
            make = intervals_by_call if axis == "call" else intervals_by_time
            found = self._intervals[axis] = make(self.rows, self.runs)
        return found

    def counts(self, axis: str, edges: np.ndarray, shown: Sequence[int]) -> np.ndarray:
        """Array (len(shown), columns): runs that touch each column, per outcome in `shown`."""
        found = self.intervals(axis)
        out = np.zeros((len(shown), len(edges) - 1), np.int64)
        for i, outcome in enumerate(shown):
            if outcome in found:
                out[i] = column_counts(self.coarse, (axis, outcome), found[outcome], edges)
        return out

    def visible(self, axis: str, low: float, high: float, shown: Sequence[int], most: int
                ) -> list[tuple[float, float, int, int]] | None:
        """(start, end, outcome, row) of the intervals in view, best last so that the worst is painted over it; None
        when there are more than `most`."""
        found = self.intervals(axis)
        parts, total = [], 0
        for outcome in shown:
            if outcome not in found:
                continue
            iv = found[outcome]
            a = int(np.searchsorted(iv.sorted_ends, low, "right"))
            b = int(np.searchsorted(iv.starts, high, "left"))
            # With nested intervals the two orders differ; stepping back is then not exact, so take a little more.
            a = min(a, b)
            total += b - a
            if total > most:
                return None
            parts.append((outcome, iv, a, b))
        rows = []
        for outcome, iv, a, b in reversed(parts):
            rows += [(float(iv.starts[i]), float(iv.ends[i]), outcome, int(iv.rows[i])) for i in range(a, b)]
        return rows


@dataclass(slots=True)
class AmountLane:
    """Bars whose height is an amount of time per call, in parts (compile phases, or devices). For each part: `calls`, the
    numbers of the calls that have some, ascending (float64); `totals`, the ns before each of them and after the last;
    `by_time`, the intervals themselves."""

    key: tuple
    title: str
    parts: list[str]
    n_calls: int
    calls: list[np.ndarray]
    totals: list[np.ndarray]
    by_time: list[Intervals]
    coarse: dict[object, Coarse] = field(default_factory=dict)

    def amounts(self, edges: np.ndarray) -> np.ndarray:
        """Array (parts, columns): ns per column of the call axis."""
        return np.stack([np.diff(totals[below(calls, edges, "left")]) for calls, totals in zip(self.calls, self.totals)])

    def counts(self, edges: np.ndarray) -> np.ndarray:
        """Array (parts, columns): intervals that touch each column of the time axis."""
        return np.stack([column_counts(self.coarse, i, iv, edges) for i, iv in enumerate(self.by_time)])


def run_lanes(facts: Facts) -> list[RunLane]:
    """One lane per function that ran, in order of first appearance, each followed by its resume functions."""
    runs = {name: column(facts.session.runs, name) for name in ("code", "call", "outcome", "start", "end")}
    n = len(facts.session.codes)
    # One stable sort puts the rows of every code together, in their order; small numbers sort fastest.
    code = runs["code"].astype(np.uint8 if n < 256 else np.uint16 if n < 65536 else np.int64)
    order = np.argsort(code, kind="stable")
    edges = np.concatenate(([0], np.cumsum(np.bincount(code, minlength=n))))
    lanes = []
    for c in facts.session.codes:
        if c.kind == "resume":
            continue
        for member in (c, *facts.resumes_of(c.id)):
            rows = order[edges[member.id]:edges[member.id + 1]]
            if len(rows):
                resume = member.kind == "resume"
                title = facts.resume_title(member) if resume else code_name(member)
                lanes.append(RunLane(("code", member.id), title, member.id, resume, rows, runs))
    return lanes


def intervals_by_time(rows: np.ndarray, runs: Mapping[str, np.ndarray]) -> dict[int, Intervals]:
    """Outcome number -> the runs with it, where they are on the clock."""
    return {number: Intervals.of(runs["start"][mine], runs["end"][mine], mine)
            for number, mine in _by_outcome(rows, runs["outcome"][rows])}


def intervals_by_call(rows: np.ndarray, runs: Mapping[str, np.ndarray]) -> dict[int, Intervals]:
    """Outcome number -> the calls with it, one interval for each call: its worst run."""
    call, outcome = runs["call"][rows], runs["outcome"][rows]
    if np.any(call[1:] <= call[:-1]):
        order = np.lexsort((_RANK[outcome], call))
        order = order[np.diff(call[order], prepend=-1) > 0]
        rows, outcome = rows[order], outcome[order]
    found = {}
    for number, mine in _by_outcome(rows, outcome):
        starts = runs["call"][mine].astype(np.float64)
        found[number] = Intervals.of(starts, starts + 1, mine)
    return found


def _by_outcome(rows: np.ndarray, outcome: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """(outcome number, the rows with it), for each that occurs."""
    for number in np.flatnonzero(np.bincount(outcome, minlength=len(OUTCOMES))):
        yield int(number), rows[outcome == number]


def compile_lane(facts: Facts) -> AmountLane | None:
    """Compile time per call, by phase; None when nothing was compiled."""
    phases = facts.session.phases
    if not phases:
        return None
    found = [p.name for p in phases]
    names = sorted(set(found), key=lambda name: (PHASES.index(name) if name in PHASES else len(PHASES), name))
    part = np.array(list(map(names.index, found)))
    start, end, call = (np.array([getattr(p, field) for p in phases]) for field in ("start", "end", "call"))
    return _amount_lane(("compile",), "Compile time", facts.n_calls, names, [
        (call[mine], start[mine], end[mine], mine) for mine in (np.flatnonzero(part == i) for i in range(len(names)))])


def device_lanes(facts: Facts) -> list[AmountLane]:
    """Kernel time per call, one lane per device."""
    kernel, start, end = (column(facts.session.launches, n) for n in ("kernel", "start", "end"))
    if not len(kernel) or not facts.n_calls:
        return []
    devices = [k.device for k in facts.session.kernels]
    number = {d: i for i, d in enumerate(dict.fromkeys(devices))}
    named = {d: short_device(d) for d in number}
    named = {d: said if list(named.values()).count(said) == 1 else d for d, said in named.items()}
    of_kernel = np.array([number[d] for d in devices] or [0])
    known = kernel < len(devices)
    kernel, start, end = kernel[known], start[known], end[known]
    call = np.searchsorted(column(facts.session.calls, "start"), start, "right") - 1
    lanes = []
    for device, i in number.items():
        mine = np.flatnonzero((of_kernel[kernel] == i) & (call >= 0))
        if not len(mine):
            continue
        title = f"Kernels on {named[device]}" if device else "Kernels"
        lanes.append(_amount_lane(("device", device), title, facts.n_calls, [device or "device"],
                                  [(call[mine], start[mine], end[mine], kernel[mine])]))
    return lanes


def short_device(name: str) -> str:
    """A device as people call it: "basic-Intel(R) Xeon(R) Processor", which begins with how PoCL drives it, is Intel Xeon."""
    driver, _, rest = name.partition("-")
    said = (rest if rest and driver in ("basic", "pthread", "cpu") else name).replace("(R)", "").replace("(TM)", "")
    return " ".join(word for word in said.split() if word not in ("Processor", "CPU")) or name


def _amount_lane(key: tuple, title: str, n_calls: int, names: list[str], parts: list[tuple[np.ndarray, ...]]) -> AmountLane:
    """A lane of parts, each (calls, starts, ends, rows); what belongs to no known call is only on the clock."""
    lane = AmountLane(key, title, names, n_calls, [], [], [])
    for call, start, end, rows in parts:
        known = np.flatnonzero((call >= 0) & (call < n_calls))
        known = known[np.argsort(call[known], kind="stable")]
        lane.calls.append(call[known].astype(np.float64))
        lane.totals.append(np.concatenate(([0.0], np.cumsum((end - start)[known], dtype=np.float64))))
        lane.by_time.append(Intervals.of(start, end, rows))
    return lane


def stack_heights(counts: np.ndarray, height: int, least: int = 3) -> np.ndarray:
    """Pixels per outcome in each column: shares of `height` by count, but whatever occurs gets at least `least` pixels.

    `counts` is (outcomes worst first, columns). The result has the same shape, each column summing to `height` where
    anything occurs, else to 0. The commonest outcome pays for the others' least pixels."""
    out = np.zeros(counts.shape, np.int32)
    rows = np.flatnonzero(counts.any(axis=1))
    if len(rows) < 2:                        # one outcome has the whole column wherever it occurs
        for i in rows:
            out[i] = (counts[i] > 0) * np.int32(height)
        return out
    present = counts[rows]
    total = present.sum(axis=0)
    some = present > 0
    pixels = (present * (height / np.maximum(total, 1)) + 1e-9).astype(np.int32)
    np.maximum(pixels, some * np.int32(min(least, height)), out=pixels)
    common, columns = np.argmax(present, axis=0), np.arange(counts.shape[1])
    missing = (total > 0) * np.int32(height) - pixels.sum(axis=0)
    pixels[common, columns] = np.maximum(pixels[common, columns] + missing, 0)
    out[rows] = pixels
    return out
