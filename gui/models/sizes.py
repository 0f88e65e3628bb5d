"""Sizes and Python numbers that a function's inputs took, call by call: what the Sizes tab plots. NumPy only, no Qt.

Values come from the session's signatures, each parsed once; a run has a value by its signature's number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..facts import Facts

MOST_SIGNATURES = 20_000         # a function met with more than this many is shown by its first ones
MOST_POINTS = 4000               # per plot


@dataclass(frozen=True, slots=True)
class Series:
    """One input over the runs of a function: `name` ("x.shape[0]", "step"), the runs' calls, the values (float64),
    versions (-1: no version ran) and the outcomes' numbers; `taken`: how many different values."""

    name: str
    calls: np.ndarray
    values: np.ndarray
    versions: np.ndarray
    outcomes: np.ndarray
    taken: int


def series_of(facts: Facts, code: int) -> list[Series]:
    """Every tensor dimension and number among the inputs of `code`, those that vary first, in order of the inputs."""
    runs = facts.session.runs
    rows = np.flatnonzero((runs["code"] == code) & (runs["signature"] >= 0))
    if not len(rows):
        return []
    signatures = runs["signature"][rows]
    known, place = np.unique(signatures, return_inverse=True)
    table: dict[str, np.ndarray] = {}
    for i, number in enumerate(known[:MOST_SIGNATURES]):
        for name, value in numbers_of(facts, code, int(number)):
            if name not in table:
                table[name] = np.full(len(known), np.nan)
            table[name][i] = value
    version_of = np.array([a.version for a in facts.session.artifacts] + [-1])
    versions = version_of[runs["artifact"][rows]]
    found = []
    for name, values in table.items():
        y = values[place]
        has = ~np.isnan(y)
        found.append(Series(name, runs["call"][rows][has], y[has], versions[has], runs["outcome"][rows][has],
                            len(np.unique(values[~np.isnan(values)]))))
    return sorted(found, key=lambda s: s.taken < 2)


def numbers_of(facts: Facts, code: int, signature: int) -> list[tuple[str, float]]:
    """(name, number) of every size and finite Python number in a signature."""
    found: list[tuple[str, float]] = []
    for param, value in facts.session.values(signature):
        name = facts.spelled(code, param)
        if value.kind == "tensor":
            found += [(f"{name}.shape[{dim}]", float(size)) for dim, size in enumerate(value.shape)]
        elif value.kind == "value" and is_finite(value.value):
            found.append((name, float(value.value)))
    return found


def is_finite(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300


def thinned(series: Series) -> np.ndarray:
    """Places of at most MOST_POINTS points to draw: evenly spread ones, and those where the value or version changes
    as far as they fit."""
    n = len(series.values)
    if n <= MOST_POINTS:
        return np.arange(n)
    changes = np.flatnonzero((np.diff(series.values) != 0) | (np.diff(series.versions) != 0)) + 1
    even = np.linspace(0, n - 1, MOST_POINTS // 2).astype(np.int64)
    return np.unique(np.concatenate((even, changes[:MOST_POINTS // 2])))
