"""Growing NumPy columns on the reader's side, and the top-level calls derived from the runs.

`Columns` is what GUI and reports see: `runs.start` or `runs["start"]` is an array view of the rows so far. Views handed
out earlier stay valid while the columns grow.
"""

from __future__ import annotations

import numpy as np

from .schema import OUTCOME_NUMBER

COMPILE, RECOMPILE, REUSE, LIMIT, NOT_COMPILED, ERROR = (
    OUTCOME_NUMBER[name] for name in ("compile", "recompile", "reuse", "eager_limit", "not_compiled", "error"))
# How much a run's outcome counts in the outcome of the whole call: recompile > compile > reuse > eager. A run that
# raised but did not end the call tells nothing.
RANK = np.zeros(6, "u1")
RANK[[RECOMPILE, COMPILE, REUSE, LIMIT, NOT_COMPILED]] = 5, 4, 3, 2, 1
OF_RANK = np.array([NOT_COMPILED, NOT_COMPILED, LIMIT, REUSE, COMPILE, RECOMPILE], "u1")

CALL_COLUMNS = (("code", "<i4"), ("line", "<i4"), ("outcome", "u1"), ("start", "<i8"), ("end", "<i8"),
                ("first_run", "<i8"), ("n_runs", "<i4"), ("new_graphs", "<i4"), ("graphs_run", "<i4"),
                ("new_breaks", "<i4"))


class Columns:
    """Named NumPy columns of equal length that can only grow (amortised cost; capacity doubles)."""

    def __init__(self, kinds: dict[str, str]) -> None:
        self._size = 0
        self._data = {name: np.empty(0, kind) for name, kind in kinds.items()}

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, name: str) -> np.ndarray:
        return self._data[name][:self._size]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self._data:
            raise AttributeError(f"no column '{name}'")
        return self._data[name][:self._size]

    def __contains__(self, name: str) -> bool:
        return name in self._data

    @property
    def names(self) -> list[str]:
        return list(self._data)

    def append(self, *pieces: dict[str, np.ndarray]) -> None:
        """Add rows, in pieces of which each gives every column, all of one length."""
        counts = [len(next(iter(piece.values()))) for piece in pieces]
        need = self._size + sum(counts)
        for name, old in self._data.items():
            if len(old) < need:
                grown = np.empty(max(need, 2 * len(old)) if self._size else need, old.dtype)
                grown[:self._size] = old[:self._size]
                self._data[name] = grown
            at = self._size
            for piece, count in zip(pieces, counts):
                self._data[name][at:at + count] = piece[name]
                at += count
        self._size = need

    def reorder(self, start: int, order: np.ndarray) -> None:
        """Permute the rows from `start` on. Views handed out earlier keep the old order."""
        for name, data in self._data.items():
            fresh = data.copy()
            fresh[start:start + len(order)] = data[start:start + len(order)][order]
            self._data[name] = fresh

    def row(self, index: int) -> dict[str, int]:
        """One row as plain ints."""
        return {name: int(data[index]) for name, data in self._data.items() if index < self._size}


def sort_runs(runs: Columns, start: int) -> None:
    """Put the runs from `start` on into order of call, then start, then depth. The writer already does, unless a long
    call was stored in parts."""
    call, time, depth = runs["call"], runs["start"], runs["depth"]
    if start > 0 and start < len(call):
        start = int(np.searchsorted(call[:start], call[start:].min(), "left"))
    call, time, depth = call[start:], time[start:], depth[start:]
    later_call = call[1:] > call[:-1]
    later = (time[1:] > time[:-1]) | ((time[1:] == time[:-1]) & (depth[1:] >= depth[:-1]))
    if bool(np.all(later_call | ((call[1:] == call[:-1]) & later))):
        return
    runs.reorder(start, np.lexsort((depth, time, call)))


def derive_calls(runs: Columns, calls: Columns, has_graph: np.ndarray, graphs_of: np.ndarray,
                 breaks_of: np.ndarray) -> int:
    """Append the calls that have become complete to `calls` and return how many. Runs must be sorted (sort_runs).

    has_graph: per artifact. graphs_of, breaks_of: call numbers of artifacts with a graph and of breaks, sorted.
    Call numbers in the runs must be gapless where complete: the first gap ends the derivation."""
    done = len(calls)
    number = runs["call"]
    begin = int(np.searchsorted(number, done, "left"))
    number = number[begin:]
    if not len(number):
        return 0
    edges = np.flatnonzero(np.diff(number)) + 1
    first = np.concatenate(([0], edges))
    last = np.concatenate((edges, [len(number)]))
    ids = number[first]
    whole = (runs["depth"][begin:][first] == 0) & (ids == np.arange(done, done + len(ids)))
    count = len(whole) if whole.all() else int(np.argmin(whole))
    if not count:
        return 0
    first, last = first[:count], last[:count]
    upto = int(last[-1])
    # One run per call, as usual: a call's first run is the run of its number, and there is nothing to sum.
    single = upto == count
    at = slice(begin, begin + count) if single else first + begin
    outcome, artifact = runs["outcome"][begin:begin + upto], runs["artifact"][begin:begin + upto]
    ran = np.append(has_graph, False)[artifact]              # artifact -1, none, is the one appended
    rank = RANK[outcome] if single else np.maximum.reduceat(RANK[outcome], first)
    which = np.arange(done, done + count)
    calls.append({
        "code": runs["code"][at], "line": runs["line"][at],
        "outcome": np.where(runs["outcome"][at] == ERROR, ERROR, OF_RANK[rank]),
        "start": runs["start"][at], "end": runs["end"][at],
        "first_run": first + begin, "n_runs": last - first,
        "graphs_run": ran if single else np.add.reduceat(ran.astype("<i4"), first),
        "new_graphs": tally(graphs_of, which), "new_breaks": tally(breaks_of, which)})
    return count


def tally(numbers: np.ndarray, which: np.ndarray) -> np.ndarray:
    """How often each of the consecutive call numbers `which` is among the sorted `numbers`."""
    low, high = np.searchsorted(numbers, (which[0], which[-1] + 1))
    return np.bincount(numbers[low:high] - which[0], minlength=len(which))
