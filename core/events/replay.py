"""A session as it was when one of its calls had ended: what was recorded later is not there.

`SessionAt` stands in for a Session wherever one is read, so that everything that shows a session can show its past. Rows are
stored in the order in which they happened, so the past is a prefix of every list and column; nothing is copied but lists.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import numpy as np

from .reader import Session

LISTS = ("codes", "artifacts", "misses", "breaks", "not_compiled", "limits", "kernels", "phases", "decisions", "events",
         "errors", "results")


class Prefix:
    """The first rows of a set of columns."""

    def __init__(self, columns: Any, count: int) -> None:
        self._columns, self._count = columns, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name][:self._count]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self._columns:
            raise AttributeError(f"no column '{name}'")
        return self[name]

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    @property
    def names(self) -> list[str]:
        return list(self._columns.names)

    def row(self, index: int) -> dict[str, int]:
        """One row as plain ints."""
        return {name: int(self[name][index]) for name in self.names}


class PrefixCounts:
    """How often each number occurs among the first rows of a column, or the sums of weights there; for any number of rows, at
    the cost of those between it and the number asked for before. keys(low, high): the numbers, below `size`, of these rows."""

    def __init__(self, keys: Callable[[int, int], np.ndarray], size: int, weights: np.ndarray | None = None) -> None:
        self._keys, self._size, self._weights = keys, size, weights
        self._rows = 0
        self._sums = np.zeros(size, np.int64)

    def upto(self, rows: int) -> np.ndarray:
        """Array (size,) of int64: the counts or sums over the first `rows` rows."""
        low, high = sorted((self._rows, rows))
        keys = self._keys(low, high)
        if self._weights is None:
            between = np.bincount(keys, minlength=self._size)
        else:                                    # whole nanoseconds: exact in float64 up to a hundred days
            between = np.bincount(keys, self._weights[low:high], self._size).astype(np.int64)
        self._sums = self._sums + between if rows > self._rows else self._sums - between
        self._rows = rows
        return self._sums


class SessionAt:
    """`session` as of the end of `call`. It reads nothing new; closing it does nothing. known: how many rows of each list
    there are; two of them that know the same differ in runs, launches and output alone."""

    def __init__(self, session: Session, call: int) -> None:
        self.session, self.call = session, call
        calls = session.calls
        end = self.end = int(calls["end"][call])
        n_runs = int(calls["first_run"][call] + calls["n_runs"][call])
        self.calls, self.runs = Prefix(calls, call + 1), Prefix(session.runs, n_runs)
        starts = session.launches["start"]
        later = starts > end
        self.launches = Prefix(session.launches, int(np.argmax(later)) if later.any() else len(starts))
        self.path, self.sources, self.problems = session.path, session.sources, session.problems
        self.info, self.state = session.info, session.state
        self.live: list[dict[str, Any]] = []
        self.signature_count = session.signature_count
        when: dict[str, Callable[[Any], int]] = {"phases": lambda row: row.end,
                                                 "results": lambda row: end if row.call <= call else end + 1}
        for name in LISTS[1:]:
            rows = getattr(session, name)
            setattr(self, name, rows[:bisect_right(rows, end, key=when.get(name, lambda row: row.time))])
        self.codes = session.codes[:self._known_codes()]
        self.known = tuple(len(getattr(self, name)) for name in LISTS)

    def _known_codes(self) -> int:
        """How many codes had been met."""
        ran = self.runs["code"]
        met = [int(ran.max())] if len(ran) else []
        for name in ("artifacts", "misses", "breaks", "not_compiled", "limits", "phases"):
            met += [row.code for row in getattr(self, name)[-200:]]
        known = max(met, default=-1) + 1
        return max([known, *(c.resume_of + 1 for c in self.session.codes[:known] if c.resume_of is not None)])

    def output(self, since: int = 0) -> list[tuple[int, str, str]]:
        """What had been printed, without the first `since` pieces."""
        until = self.output_size
        return self.session.output(since, until) if since < until else []

    @property
    def output_size(self) -> int:
        """Pieces that had been printed."""
        return bisect_right(self.session.output_times(), self.end)

    def refresh(self) -> bool:
        """The past does not change."""
        return False

    def close(self) -> None:
        """The session itself stays open."""

    def __getattr__(self, name: str) -> Any:
        # Guards, nodes, signatures and values do not depend on time.
        if name in ("guards", "nodes", "signature", "values", "signature_code"):
            return getattr(self.session, name)
        raise AttributeError(f"a session as of a call has no '{name}'")

    def miss_of(self, artifact: Any) -> Any:
        """The miss that led to an artifact; None for the first of its code."""
        return self.misses[artifact.miss] if 0 <= artifact.miss < len(self.misses) else None

    def failures(self, call: int) -> list[Any]:
        """Every guard that failed in a call, nearest artifact first."""
        return [f for miss in self.misses if miss.call == call for f in miss.failures]
