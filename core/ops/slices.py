"""Views of a part: select, narrow, basic indices, diagonals, sliding windows, and as_strided.

As in views.py, a shape rule returns sizes, strides and the offset; the eager forms use NumPy's own views.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor.tensor import memory_owner
from .broadcast import same
from .declare import Spec, operator, view
from .dims import as_int, normalise_slice, sizes, wrap_dim
from .op import Extern
from .views import view_spec


# -- parts -----------------------------------------------------------------------------------------------------------
def check_index(index: Any, size: Any, dim: int) -> Any:
    """An int index of a dimension, made non-negative. IndexError if it is outside."""
    index = as_int(index, "index")
    if index < 0:
        shifted = index + size
        if shifted < 0:
            raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
        return shifted
    if index >= size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index


def _select_args(input: Any, dim: Any, index: Any) -> tuple:
    if not input.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, input.ndim)
    n = input.shape[d]
    i = as_int(index, "index")
    if i >= n or i < -n:
        raise IndexError(f"select(): index {i} out of range for tensor of size {list(input.shape)} at dimension {d}")
    return (input, d, i + n if i < 0 else i)


SELECT = view("select", "input, dim, index:int", lambda a, d, i: a[(slice(None),) * d + (i, ...)],
              lambda m, d, i: view_spec(m, (*m.shape[:d], *m.shape[d + 1:]), (*m.strides[:d], *m.strides[d + 1:]),
                                    i * m.strides[d]),
              functions="select", methods="select", normalize=_select_args)


def _narrow_args(input: Any, dim: Any, start: Any, length: Any) -> tuple:
    if not input.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, input.ndim)
    n = input.shape[d]
    start = int(start.item()) if hasattr(start, "item") else as_int(start, "start")
    length = as_int(length, "length")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if start < 0:
        if start < -n:
            raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
        start = start + n
    elif start > n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    if not same(start + length, n) and start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return (input, d, start, length)


NARROW = view("narrow", "input, dim, start:int, length:int",
              lambda a, d, start, length: a[(slice(None),) * d + (slice(start, start + length),)],
              lambda m, d, start, length: view_spec(m, (*m.shape[:d], length, *m.shape[d + 1:]), m.strides,
                                                         start * m.strides[d]),
              functions="narrow", methods="narrow", normalize=_narrow_args)


def _getitem_rule(m: Any, index: tuple) -> Spec:
    shape, strides = [], []
    offset: Any = 0
    d = 0
    for item in index:
        if item is None:
            shape.append(1)
            strides.append(m.shape[d] * m.strides[d] if d < len(m.shape) else 1)
        elif isinstance(item, slice):
            start, length, step = normalise_slice(item.start, item.stop, item.step, m.shape[d])
            offset = offset + start * m.strides[d]
            shape.append(length)
            strides.append(m.strides[d] * step)
            d += 1
        else:
            offset = offset + item * m.strides[d]
            d += 1
    return view_spec(m, (*shape, *m.shape[d:]), (*strides, *m.strides[d:]), offset)


GETITEM = view("getitem", "input, index:index", lambda a, index: a[(*index, ...)], _getitem_rule)


def slice_args(input: Any, dim: Any = 0, start: Any = None, stop: Any = None, step: Any = 1) -> tuple:
    d = wrap_dim(dim, input.ndim)
    return (input, (slice(None),) * d + (slice(start, stop, step),))


def _as_strided(a: np.ndarray, size: tuple, stride: tuple, offset: Any) -> np.ndarray:
    owner = memory_owner(a)
    if offset is None:
        skip = a.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    else:
        skip = offset * a.itemsize
    flat = owner.reshape(-1, order="A") if owner.flags.forc else owner
    end = skip + (sum((n - 1) * s for n, s in zip(size, stride)) + 1) * a.itemsize if all(size) else 0
    if end > owner.nbytes:
        raise RuntimeError(f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset or 0}, and "
                           f"itemsize {a.itemsize} requiring a storage size of {end} are out of bounds for storage of size "
                           f"{owner.nbytes}")
    flat = flat.view(np.uint8)[skip:].view() if flat.size else flat
    room = flat[:end] if flat.size else flat
    base = room.view(a.dtype) if room.size % a.itemsize == 0 and room.size else np.empty(0, a.dtype)
    return np.lib.stride_tricks.as_strided(base, size, [s * a.itemsize for s in stride])


def _as_strided_rule(m: Any, size: tuple, stride: tuple, offset: Any) -> Spec:
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if any(n < 0 for n in size):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    if offset is not None and offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    return view_spec(m, size, stride)


# Not lowered as a view: `storage_offset` counts from the beginning of the storage, which only the real array knows.
AS_STRIDED = operator("as_strided", "input, size, stride:ints, storage_offset:int=None", Extern(), _as_strided,
                      _as_strided_rule, functions="as_strided",
                      methods="as_strided", returns_view=True,
                      normalize=lambda a, size, stride, storage_offset=None: (a, sizes(size), sizes(stride),
                                                                              storage_offset))

def _diagonal_rule(m: Any, offset: int, a: int, b: int) -> Spec:
    rows, cols = m.shape[a], m.shape[b]
    up, left = (offset, 0) if offset >= 0 else (0, -offset)
    r, c = rows - left, cols - up
    n = r if r < c else c
    n = n if n > 0 else 0
    rest = [d for d in range(len(m.shape)) if d not in (a, b)]
    start = up * m.strides[b] + left * m.strides[a]
    return view_spec(m, [*[m.shape[d] for d in rest], n], [*[m.strides[d] for d in rest], m.strides[a] + m.strides[b]],
                 start if not (isinstance(n, int) and n == 0) else 0)


def _diagonal_args(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> tuple:
    a, b = wrap_dim(dim1, input.ndim), wrap_dim(dim2, input.ndim)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return (input, offset, a, b)


DIAGONAL = view("diagonal", "input, offset:int=0, dim1:dim=0, dim2:dim=1",
                lambda x, offset, a, b: _writable(np.diagonal(x, offset, a, b), x), _diagonal_rule, functions="diagonal",
                methods="diagonal", normalize=_diagonal_args)


def _writable(result: np.ndarray, owner: np.ndarray) -> np.ndarray:
    if owner.flags.writeable and not result.flags.writeable:
        result.flags.writeable = True
    return result


def _unfold_rule(m: Any, d: int, size: int, step: int) -> Spec:
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not m.shape:
        if size > 1:
            raise RuntimeError(f"maximum size for tensor at dimension 0 is 1 but size is {size}")
        return view_spec(m, (size,), (1,))
    n = m.shape[d]
    if n < size:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}")
    return view_spec(m, (*m.shape[:d], (n - size) // step + 1, *m.shape[d + 1:], size),
                 (*m.strides[:d], m.strides[d] * step, *m.strides[d + 1:], m.strides[d]))


def _unfold(a: np.ndarray, d: int, size: int, step: int) -> np.ndarray:
    if not a.ndim:
        return a.reshape(1)[:size]
    windows = np.lib.stride_tricks.sliding_window_view(a, size, axis=d, writeable=True)
    return windows[(slice(None),) * d + (slice(None, None, step),)]


UNFOLD = view("unfold", "input, dimension:dim, size:int, step:int", _unfold, _unfold_rule, methods="unfold",
              normalize=lambda a, d, size, step: (a, wrap_dim(d, a.ndim), size, step))
