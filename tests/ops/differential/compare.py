"""Compares the outcomes of both sides: what must be equal exactly (kinds, dtypes, sizes, strides, error classes) and
what within a tolerance (elements of floating dtypes)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

TOLERANCE = {"torch.float16": 4e-3, "torch.bfloat16": 2e-2, "torch.float32": 3e-5, "torch.complex64": 5e-5}


def difference(theirs: Any, ours: Any, least: float = 0.0) -> str | None:
    """What differs, in a few words; None if nothing does. `least` is the precision of the coarsest input."""
    if isinstance(theirs, tuple) and theirs and theirs[0] == "no input":
        return f"the reference cannot make the input: {theirs[2]}"
    if isinstance(theirs, tuple) and theirs and theirs[0] == "raised":
        if not (isinstance(ours, tuple) and ours and ours[0] == "raised"):
            return f"no {theirs[1]} ({theirs[2].splitlines()[0][:90] if theirs[2] else ''})"
        return None if theirs[1] == ours[1] else f"{ours[1]} ({ours[2][:70]}) instead of {theirs[1]} ({theirs[2][:70]})"
    if isinstance(ours, tuple) and ours and ours[0] == "raised":
        return f"raises {ours[1]}: {ours[2][:160]}"
    if isinstance(theirs, tuple) and theirs and theirs[0] == "tensor":
        return _tensors(theirs, ours, least)
    if isinstance(theirs, tuple):
        if not isinstance(ours, tuple) or len(ours) != len(theirs):
            return f"{ours!r} instead of {theirs!r}"[:160]
        for a, b in zip(theirs, ours):
            found = difference(a, b, least)
            if found is not None:
                return found
        return None
    if isinstance(theirs, float) and isinstance(ours, float):
        same = theirs == ours or (math.isnan(theirs) and math.isnan(ours)) or math.isclose(theirs, ours, rel_tol=3e-5)
        return None if same else f"{ours!r} instead of {theirs!r}"
    return None if type(theirs) is type(ours) and theirs == ours else f"{ours!r} instead of {theirs!r}"[:300]


def _words(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "its own"


def least_precise(inputs: dict[str, str]) -> float:
    """The tolerance of the coarsest floating dtype among a case's inputs."""
    return max([TOLERANCE.get("torch." + spec.split()[0], 0.0) for spec in inputs.values()], default=0.0)


def _tensors(theirs: tuple, ours: Any, least: float) -> str | None:
    if not (isinstance(ours, tuple) and ours and ours[0] == "tensor"):
        return f"{ours!r} instead of a tensor"[:160]
    for word, a, b in zip(("dtype", "shape", "strides"), theirs[1:4], ours[1:4]):
        if a != b:
            return f"{word} {b} instead of {a}"
    a, b = theirs[4], ours[4]
    if theirs[1] in TOLERANCE or theirs[1].startswith(("torch.float", "torch.complex")):
        limit = max(TOLERANCE.get(theirs[1], 1e-9), least)
        with np.errstate(all="ignore"):
            wide = np.complex128 if a.dtype.kind == "c" else np.float64
            close = np.isclose(b.astype(wide), a.astype(wide), rtol=limit, atol=limit, equal_nan=True)
    else:
        close = a == b
    if np.all(close):
        return None if theirs[5] == ours[5] else f"memory of {_words(ours[5])} instead of {_words(theirs[5])}"
    at = tuple(int(i) for i in np.argwhere(~close)[0]) if a.ndim else ()
    return f"{int(np.sum(~close))} of {a.size} elements, first {b[at]!r} instead of {a[at]!r}"
