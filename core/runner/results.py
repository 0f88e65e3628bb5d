"""Whether two runs of a script computed the same: by the sums of every call's result, recorded with record_results."""

from __future__ import annotations

import math
from typing import Any

from ..events.reader import Session

RELATIVE = 1e-4              # of the sum of absolute values: kernels add in another order


def same_results(a: Session, b: Session) -> tuple[bool | None, str]:
    """(whether all results are equal, a clause that says how many or what differs). None: nothing to compare. Results count
    as equal when dtypes, shapes and three sums of every tensor agree up to rounding; where no call returned a tensor the
    printed output is compared."""
    left, right = [[r.sums.get("tensors") or [] for r in s.results] for s in (a, b)]
    if not any(left) and not any(right):
        printed = ["".join(text for _, stream, text in s.output() if stream == "stdout") for s in (a, b)]
        if not printed[0] and not printed[1]:
            return None, "no call returned a tensor and nothing was printed"
        return printed[0] == printed[1], "same output" if printed[0] == printed[1] else "other output"
    for number, (x, y) in enumerate(zip(left, right)):
        why = _difference(x, y)
        if why:
            return False, f"result {number}: {why}"
    if len(left) != len(right):
        return False, f"{len(left)} results, then {len(right)}"
    return True, f"all {len(left)} results equal"


def _difference(x: Any, y: Any) -> str:
    if not isinstance(x, list) or not isinstance(y, list) or not all(isinstance(t, dict) for t in (*x, *y)):
        return "not recorded"
    if len(x) != len(y):
        return f"{len(x)} tensors, then {len(y)}"
    for a, b in zip(x, y):
        for key in ("dtype", "shape"):
            if a.get(key) != b.get(key):
                return f"{key} {a.get(key)}, then {b.get(key)}"
        scale = max((abs(t.get("abs_sum", 0.0)) for t in (a, b) if _number(t.get("abs_sum"))), default=0.0)
        for key, factor in (("sum", 1), ("abs_sum", 1), ("wsum", 13)):
            if not _close(a.get(key), b.get(key), RELATIVE * factor * (scale if math.isfinite(scale) else 0.0)):
                return f"{key} {a.get(key):.6g}, then {b.get(key):.6g}"
    return ""


def _number(value: Any) -> bool:
    return isinstance(value, int | float)


def _close(a: Any, b: Any, tolerance: float) -> bool:
    if not _number(a) or not _number(b):
        return a == b
    return a == b or (a != a and b != b) or abs(a - b) <= tolerance
