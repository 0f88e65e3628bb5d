"""What the timeline draws: lanes of sorted intervals, and the columns of pixels made from them. NumPy only, no Qt.

A lane keeps, per colour, its intervals' starts and ends, each sorted. How many intervals touch the pixel column [a, b)
is then (starts below b) - (ends at or below a): two binary searches per column, however many intervals there are.
Bars whose height is an amount (compile time per call) come from differences of prefix sums in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """Sorted starts and sorted ends (float64) of one colour; `order` maps a start's place to its row."""

    starts: np.ndarray
    ends: np.ndarray
    rows: np.ndarray

    @classmethod
    def of(cls, starts: np.ndarray, ends: np.ndarray, rows: np.ndarray) -> Intervals:
        starts = np.asarray(starts, np.float64)
        ends = np.maximum(np.asarray(ends, np.float64), starts + 1e-9)
        if len(starts) > 1 and np.any(starts[1:] < starts[:-1]):
            order = np.argsort(starts, kind="stable")
            starts, ends, rows = starts[order], ends[order], rows[order]
        return cls(starts, ends, rows)

    def sorted_ends(self) -> np.ndarray:
        if len(self.ends) > 1 and np.any(self.ends[1:] < self.ends[:-1]):
            return np.sort(self.ends)
        return self.ends


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


def column_counts(kept: dict[object, Coarse], key: object, starts: np.ndarray, ends: np.ndarray, edges: np.ndarray
                  ) -> np.ndarray:
    """Intervals that touch each column: of many by the grid, which is made once and kept under `key`; else searched."""
    if len(starts) > MANY and len(edges) > 2:
        coarse = kept.get(key)
        if coarse is None:
            coarse = kept[key] = Coarse(starts, ends)
        if coarse.fits(edges):
            return coarse.counts(edges)
    return touch_counts(starts, ends, edges)


@dataclass(slots=True)
class RunLane:
    """The runs of one code. `by_call`: outcome number -> intervals on the call axis (one per call, the worst run);
    `by_time`: on the time axis. `rows` are row numbers of the session's runs."""

    key: tuple
    title: str
    code: int
    resume: bool
    by_call: dict[int, Intervals] = field(default_factory=dict)
    by_time: dict[int, Intervals] = field(default_factory=dict)
    ends_call: dict[int, np.ndarray] = field(default_factory=dict)
    ends_time: dict[int, np.ndarray] = field(default_factory=dict)
    coarse: dict[object, Coarse] = field(default_factory=dict)

    def intervals(self, axis: str) -> tuple[dict[int, Intervals], dict[int, np.ndarray]]:
        return (self.by_call, self.ends_call) if axis == "call" else (self.by_time, self.ends_time)

    def counts(self, axis: str, edges: np.ndarray, shown: Sequence[int]) -> np.ndarray:
        """Array (len(shown), columns): runs that touch each column, per outcome in `shown`."""
        found, ends = self.intervals(axis)
        out = np.zeros((len(shown), len(edges) - 1), np.int64)
        for i, outcome in enumerate(shown):
            if outcome in found:
                out[i] = column_counts(self.coarse, (axis, outcome), found[outcome].starts, ends[outcome], edges)
        return out

    def visible(self, axis: str, low: float, high: float, shown: Sequence[int], most: int
                ) -> list[tuple[float, float, int, int]] | None:
        """(start, end, outcome, row) of the intervals in view, best last so that the worst is painted over it; None
        when there are more than `most`."""
        found, ends = self.intervals(axis)
        parts, total = [], 0
        for outcome in shown:
            if outcome not in found:
                continue
            iv = found[outcome]
            a = int(np.searchsorted(ends[outcome], low, "right"))
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
    """Bars whose height is an amount of time per call, in parts (compile phases, or devices). `sums[i]` are prefix sums
    over calls (length calls + 1); `by_time[i]` the intervals themselves."""

    key: tuple
    title: str
    parts: list[str]
    sums: list[np.ndarray]
    by_time: list[Intervals]
    ends_time: list[np.ndarray]
    coarse: dict[object, Coarse] = field(default_factory=dict)

    def amounts(self, edges: np.ndarray) -> np.ndarray:
        """Array (parts, columns): ns per column of the call axis."""
        n = len(self.sums[0]) - 1 if self.sums else 0
        places = np.clip(np.ceil(edges).astype(np.int64), 0, n)
        return np.stack([s[places[1:]] - s[places[:-1]] for s in self.sums]) if self.sums \
            else np.zeros((0, len(edges) - 1))

    def counts(self, edges: np.ndarray) -> np.ndarray:
        """Array (parts, columns): intervals that touch each column of the time axis."""
        return np.stack([column_counts(self.coarse, i, iv.starts, e, edges)
                         for i, (iv, e) in enumerate(zip(self.by_time, self.ends_time))]) \
            if self.by_time else np.zeros((0, len(edges) - 1), np.int64)


def run_lanes(facts: Facts) -> list[RunLane]:
    """One lane per function that ran, in order of first appearance, each followed by its resume functions."""
    runs = facts.session.runs
    code, call = column(runs, "code"), column(runs, "call")
    outcome, start, end = column(runs, "outcome"), column(runs, "start"), column(runs, "end")
    n = len(facts.session.codes)
    # One stable sort puts the rows of every code together, in their order; small numbers sort fastest.
    order = np.argsort(code.astype(np.uint16) if n < 65536 and (not len(code) or code.min() >= 0) else code, kind="stable")
    edges = np.searchsorted(code[order], np.arange(n + 1))
    lanes = []
    for c in facts.session.codes:
        if c.kind == "resume":
            continue
        for member in (c, *facts.resumes_of(c.id)):
            rows = order[edges[member.id]:edges[member.id + 1]]
            if not len(rows):
                continue
            resume = member.kind == "resume"
            title = facts.resume_title(member) if resume else code_name(member)
            lane = RunLane(("code", member.id), title, member.id, resume)
            _fill(lane, rows, call[rows], outcome[rows], start[rows], end[rows])
            lanes.append(lane)
    return lanes


def _fill(lane: RunLane, rows: np.ndarray, call: np.ndarray, outcome: np.ndarray, start: np.ndarray, end: np.ndarray
          ) -> None:
    for number in np.unique(outcome):
        here = outcome == number
        iv = Intervals.of(start[here], end[here], rows[here])
        lane.by_time[int(number)] = iv
        lane.ends_time[int(number)] = iv.sorted_ends()
    # One interval per call: its worst run.
    if np.any(call[1:] <= call[:-1]):
        order = np.lexsort((_RANK[outcome], call))
        call, outcome, rows = call[order], outcome[order], rows[order]
        first = np.ones(len(call), bool)
        first[1:] = call[1:] != call[:-1]
        call, outcome, rows = call[first], outcome[first], rows[first]
    for number in np.unique(outcome):
        here = outcome == number
        iv = Intervals.of(call[here], call[here].astype(np.float64) + 1, rows[here])
        lane.by_call[int(number)] = iv
        lane.ends_call[int(number)] = iv.sorted_ends()


def compile_lane(facts: Facts) -> AmountLane | None:
    """Compile time per call, by phase; None when nothing was compiled."""
    phases = facts.session.phases
    if not phases:
        return None
    names = [*PHASES, *sorted({p.name for p in phases} - set(PHASES))]
    names = [n for n in names if any(p.name == n for p in phases)]
    per_call = np.zeros((len(names), facts.n_calls))
    by_time = []
    for i, name in enumerate(names):
        mine = [p for p in phases if p.name == name]
        for p in mine:
            if 0 <= p.call < facts.n_calls:
                per_call[i, p.call] += p.end - p.start
        by_time.append(Intervals.of(np.array([p.start for p in mine]), np.array([p.end for p in mine]),
                                    np.array([p.id for p in mine])))
    return _amount_lane(("compile",), "Compile time", names, per_call, by_time)


def device_lanes(facts: Facts) -> list[AmountLane]:
    """Kernel time per call, one lane per device."""
    kernel, start, end = (column(facts.session.launches, n) for n in ("kernel", "start", "end"))
    if not len(kernel) or not facts.n_calls:
        return []
    devices = [k.device for k in facts.session.kernels]
    number = {d: i for i, d in enumerate(dict.fromkeys(devices))}
    of_kernel = np.array([number[d] for d in devices] or [0])
    known = kernel < len(devices)
    kernel, start, end = kernel[known], start[known], end[known]
    call = np.searchsorted(column(facts.session.calls, "start"), start, "right") - 1
    lanes = []
    for device, i in number.items():
        mine = np.flatnonzero((of_kernel[kernel] == i) & (call >= 0))
        if not len(mine):
            continue
        per_call = np.bincount(call[mine], weights=(end - start)[mine], minlength=facts.n_calls)[None, :facts.n_calls]
        iv = Intervals.of(start[mine], end[mine], kernel[mine])
        title = f"Kernels on {device.partition('-')[0]}" if device else "Kernels"
        lanes.append(_amount_lane(("device", device), title, [device or "device"], per_call, [iv]))
    return lanes


def _amount_lane(key: tuple, title: str, parts: list[str], per_call: np.ndarray, by_time: list[Intervals]
                 ) -> AmountLane:
    sums = [np.concatenate(([0.0], np.cumsum(row))) for row in per_call]
    return AmountLane(key, title, parts, sums, by_time, [iv.sorted_ends() for iv in by_time])


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
