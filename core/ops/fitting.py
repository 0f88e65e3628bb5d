"""Whether a number fits the dtype that it is stored as or compared in.

Operators that take a number for an element (full, fill_, masked_fill, clamp, where, alpha= ...) refuse one that the dtype
cannot hold, as PyTorch's conversion of a Scalar does; arithmetic between a tensor and a number wraps instead. A symbolic number
is compared, which guards the answer: another number that does not fit is decided anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype as DType
from .op import OPS
from .promotion import number_category, op_dtypes

LEAST, MOST = -2**63, 2**64 - 1                    # of the integers that PyTorch takes for a number at all
_NAMES = {dt.float16: "c10::Half", dt.bfloat16: "c10::BFloat16", dt.float32: "float"}
HALVES = (dt.float16, dt.bfloat16)


def _bounds(kind: DType) -> tuple[Any, Any]:
    """Smallest and greatest integer that fits. An unsigned dtype takes -n for what wraps to it, as in C."""
    if kind.category == 1:
        info = np.iinfo(kind.numpy)
        return int(info.min) if info.min else -int(info.max), int(info.max)
    return (-65504, 65504) if kind is dt.float16 else (LEAST, MOST)


_INTEGERS = {kind: _bounds(kind) for kind in dt.ALL}
_FLOATS = {kind: float(dt.float_limits(kind).max) for kind in _NAMES if kind is not None}


def fits(value: Any, kind: DType) -> Any:
    """The number itself, and anything that is no number. RuntimeError where the dtype cannot hold it, OverflowError where
    no dtype can."""
    category = number_category(value) if kind in _INTEGERS else None           # dtypes without tensors say so themselves
    if hasattr(value, "env") and value.env.is_data(value.expr):
        return value                                       # read from a tensor: only the run knows it
    if category == 1:
        low, high = _INTEGERS[kind]
        if low <= value <= high:
            return value
        if value > MOST:
            raise OverflowError("int too big to convert")
        if value < LEAST:
            raise OverflowError("can't convert negative int to unsigned")
        raise _refused(kind)
    if category == 2:
        if kind.category == 1:
            info = np.iinfo(kind.numpy)
            if not int(info.min) <= value <= int(info.max):          # NaN does not fit either
                raise _refused(kind)
        elif kind in _FLOATS and (value > _FLOATS[kind] or value < -_FLOATS[kind]) and abs(value) != float("inf"):
            raise _refused(kind)
    return value


def _refused(kind: DType) -> RuntimeError:
    name = _NAMES.get(kind) or f"{kind.name}_t"
    return RuntimeError(f"value cannot be converted to type {name} without overflow")


def _always(value: Any) -> bool:
    """Whether the value is no number, or one that every dtype holds: most calls, told without asking for their dtypes."""
    return type(value) is int and -128 < value < 128 or number_category(value) in (None, 0)


def computed(value: Any, kind: DType) -> Any:
    """A number that is computed with: halves are computed in float32."""
    return fits(value, dt.float32 if kind in HALVES else kind)


def stored(value: Any, kind: DType) -> Any:
    """A number that is stored as it is (fill_, full): a half takes what is too large as infinite."""
    if kind not in HALVES:
        return fits(value, kind)
    fits(value, dt.float64)
    return float(value) if type(value) is int and abs(value) > 2**53 else value         # ml_dtypes takes no such int


def fitting(name: str, places: tuple[int, ...], inner: Callable[..., tuple] | None = None,
            check: Callable[[Any, DType], Any] = fits) -> Callable[..., tuple]:
    """A `normalize` for the element-wise operator of this name, whose numbers at these places must fit the result's dtype."""
    def normalize(*args: Any) -> tuple:
        if inner is not None:
            args = inner(*args)
        doubtful = [args[i] for i in places if not _always(args[i])]
        if doubtful:
            kind = op_dtypes(OPS[name], args).result
            for value in doubtful:
                check(value, kind)
        return args

    return normalize
