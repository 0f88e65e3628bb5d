"""torch.Tensor: an interned metadata object plus a NumPy array. Its methods come from the table of operators.

`_meta` is everything but the elements (see meta.py). `_array` is a NumPy array that *is* the storage view: PyTorch
views are NumPy views, so strides and aliasing are real. It is None for tensors on the meta device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .devices import CPU, device
from .dtypes import BY_NUMPY, dtype
from .meta import NO_MARKS, Size, TensorMeta


class Tensor:
    """A dense n-dimensional array. Make one with `wrap`, the creation functions, or `torch.tensor`."""

    __slots__ = ("_meta", "_array", "__dict__", "__weakref__")
    __module__ = "torch"
    __array_priority__ = 1000

    _meta: TensorMeta
    _array: np.ndarray | None

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            """For type checkers: methods are attached from the table of operators."""

    def __new__(cls, *data: Any, dtype: Any = None, device: Any = None) -> Any:
        """`torch.Tensor(2, 3)` (sizes), `torch.Tensor([1, 2])` (data), always of the default floating dtype."""
        from ..ops import creation
        from .state import STATE

        kind = dtype or STATE.mode.default_dtype
        if len(data) == 1 and isinstance(data[0], float):
            raise TypeError("new(): data must be a sequence (got float)")
        if len(data) == 1 and not isinstance(data[0], int | Size):
            if isinstance(data[0], Tensor):
                return data[0].detach()
            return creation.tensor(data[0], dtype=kind, device=device)
        if not data:
            return creation.empty(0, dtype=kind, device=device)
        return creation.empty(*data, dtype=kind, device=device)

    def _set_class(self, cls: type) -> None:
        """`x.__class__ = Parameter`: the class is part of the metadata, by which tensors are told apart."""
        object.__dict__["__class__"].__set__(self, cls)
        self._meta = self._meta.replace(tensor_class=cls)

    __class__ = property(type, _set_class)

    # Facts that every tensor has. Everything else is attached by core/ops (one table).
    @property
    def shape(self) -> Size:
        return self._meta.shape

    @property
    def dtype(self) -> dtype:
        return self._meta.dtype

    @property
    def device(self) -> device:
        return self._meta.device

    @property
    def ndim(self) -> int:
        return self._meta.ndim


def memory_owner(array: np.ndarray) -> np.ndarray:
    """The array whose memory `array` is a view of. Views with strides of their own (as_strided, broadcasting) stand on an
    object that only holds the array they were made from."""
    while True:
        base: Any = array.base
        if not isinstance(base, np.ndarray):
            base = getattr(base, "base", None)
        if not isinstance(base, np.ndarray):
            return array
        array = base


def wrap(array: np.ndarray, requires_grad: bool = False, cls: type = Tensor, like: device = CPU) -> Any:
    """A tensor over `array` (shared, not copied). Strides in elements follow the array's."""
    item = array.itemsize
    out: Any = object.__new__(cls)
    out._array = array
    out._meta = TensorMeta.of(cls, BY_NUMPY[array.dtype], like, array.shape, tuple(s // item for s in array.strides),
                              requires_grad, NO_MARKS)
    return out


def wrap_meta(array: np.ndarray | None, meta: TensorMeta) -> Any:
    """A tensor with known metadata: the fast way out of a compiled artifact."""
    out: Any = object.__new__(meta.cls)
    out._array = array
    out._meta = meta
    return out
