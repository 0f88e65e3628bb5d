"""Growing NumPy columns on the reader's side, and the top-level calls derived from the runs.

`Columns` is what GUI and reports see: `runs.start` or `runs["start"]` is an array view of the rows so far. Views handed
out earlier stay valid while the columns grow.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from .schema import OUTCOME_NUMBER, Artifact, Break

COMPILE, RECOMPILE, REUSE, LIMIT, NOT_COMPILED, ERROR = (
    OUTCOME_NUMBER[name] for name in ("compile", "recompile", "reuse", "eager_limit", "not_compiled", "error"))
# How much a run's outcome counts in the outcome of the whole call: recompile > compile > reuse > eager. A run that
# raised but did not end the call tells nothing.
RANK = np.zeros(6, "u1")
RANK[[RECOMPILE, COMPILE, REUSE, LIMIT, NOT_COMPILED]] = 5, 4, 3, 2, 1
OF_RANK = np.array([NOT_COMPILED, NOT_COMPILED, LIMIT, REUSE, COMPILE, RECOMPILE], "u1")

CALL_COLUMNS = {"code": "<i4", "line": "<i4", "outcome": "u1", "start": "<i8", "end": "<i8", "first_run": "<i8",
                "n_runs": "<i4", "new_graphs": "<i4", "graphs_run": "<i4", "new_breaks": "<i4"}


class Columns:
    """Named NumPy columns of equal length that can only grow (amortised cost; capacity doubles). What was added to a column
    is put behind the rest when the column is next asked for: a window needs few of them at first."""

    def __init__(self, kinds: dict[str, str]) -> None:
        self._size = 0
        self._data = {name: np.empty(0, kind) for name, kind in kinds.items()}
        self._added: dict[str, list[np.ndarray]] = {name: [] for name in kinds}
        self._filled = dict.fromkeys(kinds, 0)
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, name: str) -> np.ndarray:
        if self._added[name]:
            with self._lock:
                self._put_together(name)
        filled = self._filled[name]          # before the data: another thread may be adding, and fills before it says so
        return self._data[name][:filled]

    def _put_together(self, name: str) -> None:
        added, data, at = self._added[name], self._data[name], self._filled[name]
        need = at + sum(map(len, added))
        if len(data) < need:
            data = np.empty(max(need, 2 * len(data)) if at else need, data.dtype)
            data[:at] = self._data[name][:at]
        for piece in added:
            data[at:at + len(piece)] = piece
            at += len(piece)
        self._data[name] = data
        self._filled[name] = at
        self._added[name] = []

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self._data:
            raise AttributeError(f"no column '{name}'")
        return self[name]

    def __contains__(self, name: str) -> bool:
        return name in self._data

    @property
    def names(self) -> list[str]:
        return list(self._data)

    def append(self, *pieces: dict[str, np.ndarray]) -> None:
        """Add rows, in pieces of which each gives every column, all of one length."""
        with self._lock:
            for name, added in self._added.items():
                added += [piece[name] for piece in pieces]
            self._size += sum(len(next(iter(piece.values()))) for piece in pieces)

    def reorder(self, start: int, order: np.ndarray) -> None:
        """Permute the rows from `start` on. Views handed out earlier keep the old order."""
        for name in self._data:
            fresh = self[name].copy()
            fresh[start:start + len(order)] = fresh[start:start + len(order)][order]
            self._data[name] = fresh

    def row(self, index: int) -> dict[str, int]:
        """One row as plain ints."""
        return {name: int(self[name][index]) for name in self._data if index < self._size}


def sort_runs(runs: Columns, start: int) -> None:
    """Put the runs from `start` on into order of call, then start, then depth. The writer already does, unless a long
    call was stored in parts."""
    call, time, depth = runs["call"], runs["start"], runs["depth"]
    if start > 0 and start < len(call):
        start = int(np.searchsorted(call[:start], call[start:].min(), "left"))
    call, time, depth = call[start:], time[start:], depth[start:]
    later_call = call[1:] > call[:-1]
    if later_call.all():                    # one run per call, as usual
        return
    later = (time[1:] > time[:-1]) | ((time[1:] == time[:-1]) & (depth[1:] >= depth[:-1]))
    if bool(np.all(later_call | ((call[1:] == call[:-1]) & later))):
        return
    runs.reorder(start, np.lexsort((depth, time, call)))


class Calls:
    """The top-level calls, with columns like those of `Columns`, each made from the runs when it is first asked for."""

    def __init__(self, runs: Columns) -> None:
        self._runs = runs
        self._artifacts: Sequence[Artifact] = ()
        self._breaks: Sequence[Break] = ()
        self._bounds = Columns({name: CALL_COLUMNS[name] for name in ("first_run", "n_runs")})
        self._made = {name: np.empty(0, kind) for name, kind in CALL_COLUMNS.items()}

    def __len__(self) -> int:
        return len(self._bounds)

    def __contains__(self, name: str) -> bool:
        return name in self._made

    @property
    def names(self) -> list[str]:
        return list(self._made)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self._made:
            raise AttributeError(f"no column '{name}'")
        return self[name]

    def __getitem__(self, name: str) -> np.ndarray:
        size, made = len(self._bounds), self._made[name]
        if name in self._bounds:
            return self._bounds[name][:size]
        if len(made) < size:
            new = self._make(name, len(made), size).astype(CALL_COLUMNS[name], copy=False)
            made = self._made[name] = np.concatenate((made, new)) if len(made) else new
        return made[:size]

    def row(self, index: int) -> dict[str, int]:
        """One row as plain ints."""
        return {name: int(self[name][index]) for name in self.names}

    def find(self, artifacts: Sequence[Artifact], breaks: Sequence[Break]) -> None:
        """Append the calls that have become complete. The runs must be sorted (sort_runs), and call numbers gapless where
        complete: the first gap ends the search. artifacts, breaks: all of the session, in any order."""
        self._artifacts, self._breaks = artifacts, breaks
        done, number = len(self), self._runs["call"]
        begin = int(np.searchsorted(number, done, "left"))
        number = number[begin:]
        if not len(number):
            return
        changes, depth = number[1:] != number[:-1], self._runs["depth"][begin:]
        if changes.all():                       # one run per call, as usual
            first: Any = slice(None)
            size = np.ones(len(number), "<i4")
        else:
            edges = np.concatenate(([0], np.flatnonzero(changes) + 1, [len(number)]))
            first, size = edges[:-1], np.diff(edges)
        whole = (depth[first] == 0) & (number[first] == np.arange(done, done + len(size), dtype=number.dtype))
        count = len(whole) if whole.all() else int(np.argmin(whole))
        starts = np.arange(begin, begin + count) if isinstance(first, slice) else first[:count] + begin
        self._bounds.append({"first_run": starts, "n_runs": size[:count]})

    def _make(self, name: str, low: int, high: int) -> np.ndarray:
        """A column of the calls low..high-1."""
        first, n_runs = self._bounds["first_run"][low:high], self._bounds["n_runs"][low:high]
        begin, end = int(first[0]), int(first[-1] + n_runs[-1])
        single = end - begin == high - low      # one run per call, as usual: nothing to gather or sum
        at = slice(begin, end) if single else first
        if name in ("code", "line", "start", "end") or name == "outcome" and single:
            return self._runs[name][at]
        if name == "outcome":
            rank = RANK[self._runs["outcome"][begin:end]]
            return np.where(self._runs["outcome"][at] == ERROR, ERROR,
                            OF_RANK[np.maximum.reduceat(rank, first - begin)])
        if name == "graphs_run":
            has_graph = np.array([*(a.has_graph for a in self._artifacts), False])
            ran = has_graph[self._runs["artifact"][begin:end]]               # -1, no artifact, is the last
            return ran if single else np.add.reduceat(ran.astype("<i4"), first - begin)
        new = self._breaks if name == "new_breaks" else [a for a in self._artifacts if a.has_graph]
        calls = np.array([record.call for record in new], np.int64)
        return np.bincount(calls[(low <= calls) & (calls < high)] - low, minlength=high - low)
