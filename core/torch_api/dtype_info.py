"""Dtypes under their torch names, finfo and iinfo, and questions about dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops import promotion
from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype
from ..tensor.state import STATE
from ..tensor.tensor import Tensor


class finfo:
    """Limits of a floating dtype (the default one if none is given). TypeError for others."""

    __module__ = "torch"

    def __init__(self, dtype: dtype | None = None) -> None:
        d = STATE.mode.default_dtype if dtype is None else dtype
        if d.category < 2:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{d}'")
        info = dt.float_limits(d)
        d = dt.REAL_OF.get(d, d)
        self.dtype = d.name
        self.bits = d.itemsize * 8
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.tiny)
        self.resolution = float(f"{float(info.resolution):.0e}")

    def __repr__(self) -> str:
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})")


class iinfo:
    """Limits of an integer dtype. TypeError for others."""

    __module__ = "torch"

    def __init__(self, dtype: dtype) -> None:
        if dtype.category != 1:
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{dtype}'")
        info: Any = np.iinfo(dtype.numpy)
        self.dtype = dtype.name
        self.bits, self.max, self.min = dtype.itemsize * 8, int(info.max), int(info.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def is_tensor(obj: Any) -> bool:
    """Whether obj is a torch.Tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the tensor's dtype is a floating one."""
    return input.dtype.category == 2


def is_complex(input: Tensor) -> bool:
    """Whether the tensor's dtype is complex (none is yet)."""
    return input.dtype.category == 3


def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The dtype of arithmetic on two tensors or numbers."""
    return promotion.result_type(tensor1, tensor2)


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype both convert to."""
    return promotion.promote_types(type1, type2)


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a result of the one dtype may be stored as the other."""
    return promotion.can_cast(from_, to)


NAMES: dict[str, Any] = {d.name: d for d in dt.ALL}
NAMES.update({"float": dt.float32, "double": dt.float64, "half": dt.float16, "int": dt.int32, "long": dt.int64,
              "short": dt.int16, "dtype": dtype})
NAMES.update({f.__name__: f for f in (finfo, iinfo, is_tensor, is_floating_point, is_complex, numel, result_type, promote_types,
                                      can_cast)})
