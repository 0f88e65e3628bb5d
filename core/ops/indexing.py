"""`x[...]` and its assignment.

A basic index (ints, slices, None, Ellipsis) is one view operator. Tensors, lists and NumPy arrays in an index go to
`index` (a copy) and `index_put_`. A boolean mask selects a number of elements that only the data knows, so it cannot
be captured; assigning one value under a mask can.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from ..tensor.tensor import Tensor
from .broadcast import broadcast_shapes, same
from .declare import Spec, operator, spelled
from .dims import is_int
from .fitting import HALVES
from .op import OPS, Composite, Extern, Template, call
from .promotion import number_category
from .slices import GETITEM, check_index
from .strides import strides_in_order, view_strides
from .views import view_spec


# -- x[...] ----------------------------------------------------------------------------------------------------------
def _is_sequence_index(item: Any) -> bool:
    return isinstance(item, (list, range)) or (isinstance(item, tuple) and not hasattr(item, "_fields"))


def _index_tensor(item: Any) -> Any:
    from .creation import tensor

    found = tensor(item)
    return found.to(dt.int64) if not len(item) else found


def _split_index(self: Any, index: Any) -> tuple[tuple, list, list]:
    """(basic index of full length, advanced, numbers): `advanced` has one tensor or None per dimension after the basic step,
    without those that `numbers` then selects: (dimension, tensor of one number that only the run knows)."""
    items = index if isinstance(index, tuple) else (index,)
    if isinstance(index, list):                    # a list that holds more than numbers stands for a tuple
        nested = any(v is None or v is Ellipsis or isinstance(v, (Tensor, np.ndarray, slice, list, tuple)) for v in index)
        items = tuple(index) if nested else (index,)
    shape = self.shape
    ndim = len(shape)
    used = 0
    for item in items:
        if isinstance(item, (Tensor, np.ndarray)):
            used += max(item.ndim, 1) if item.dtype in (dt.bool_, np.dtype(bool)) else 1
            if item.dtype in (dt.bool_, np.dtype(bool)) and item.ndim == 0:
                used -= 1
        elif item is not None and item is not Ellipsis and not isinstance(item, bool):
            used += 1
    if used > ndim:
        if ndim == 0:
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                             "convert a 0-dim tensor to a number")
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    basic: list[Any] = []
    advanced: list[Any] = []
    numbers: list[tuple[int, Any]] = []
    d = 0
    seen_ellipsis = False
    for item in items:
        if item is Ellipsis:
            if seen_ellipsis:
                continue
            seen_ellipsis = True
            for _ in range(ndim - used):
                basic.append(slice(None))
                advanced.append(None)
                d += 1
        elif item is None:
            basic.append(None)
            advanced.append(None)
        elif isinstance(item, slice):
            start, stop, step = (int(v) if isinstance(v, Tensor) else v for v in (item.start, item.stop, item.step))
            basic.append(slice(start, stop, step))
            advanced.append(None)
            d += 1
        elif isinstance(item, (bool, np.bool_)):
            from .creation import tensor

            basic.append(None)
            advanced.append(tensor(bool(item)).reshape(1))
        elif is_int(item) or isinstance(item, np.integer):
            basic.append(check_index(item, shape[d], d))
            d += 1
        elif isinstance(item, (Tensor, np.ndarray)) or _is_sequence_index(item):
            if isinstance(item, np.ndarray):
                from .creation import from_numpy

                item = from_numpy(np.ascontiguousarray(item) if item.ndim else item)
            elif not isinstance(item, Tensor):
                item = _index_tensor(item)
            if item.ndim == 0 and item.dtype.category == 1 and item.dtype is not dt.uint8:
                if item._array is not None:
                    basic.append(check_index(int(item._array), shape[d], d))
                else:
                    basic.append(slice(None))
                    numbers.append((len(advanced) + len(numbers), item))
                d += 1
                continue
            if item.dtype is dt.uint8:                     # an old kind of mask
                item = item.bool()
            if item.dtype.category >= 2:
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            width = item.ndim if item.dtype is dt.bool_ else 1
            if item.dtype is dt.bool_ and item.ndim == 0:
                basic.append(None)
                advanced.append(item.reshape(1))
                continue
            if item.dtype is dt.bool_:
                for k in range(width):
                    if not same(item.shape[k], shape[d + k]) and item.shape[k] != shape[d + k]:
                        raise IndexError(f"The shape of the mask {list(item.shape)} at index {k} does not match the shape of "
                                         f"the "
                                         f"indexed tensor {list(shape)} at index {d + k}")
            basic.extend([slice(None)] * width)
            advanced.append(item)
            advanced.extend([None] * (width - 1))
            d += width
        elif isinstance(item, str):
            raise TypeError("new(): invalid data type 'str'")
        else:
            raise IndexError(f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                             f"indices (got {type(item).__name__})")
    return tuple(basic), advanced, numbers


def _is_full(basic: tuple) -> bool:
    return all(isinstance(b, slice) and b.start is None and b.stop is None and b.step is None for b in basic)


def _advanced_indices(self: Any, advanced: list) -> tuple:
    """The advanced part with masks replaced by positions, cut after the last tensor."""
    out: list[Any] = []
    skip = 0
    for item in advanced:
        if skip:
            skip -= 1
            continue
        if isinstance(item, Tensor) and item.dtype is dt.bool_:
            from .selection import nonzero

            out.extend(nonzero(item, as_tuple=True))
            skip = item.ndim - 1
        else:
            out.append(item)
    while out and out[-1] is None:
        out.pop()
    return tuple(out)


def _index_rule(m: Any, indices: tuple) -> Spec:
    shapes = [i.shape for i in indices if i is not None]
    try:
        shape = broadcast_shapes(*shapes)
    except RuntimeError:
        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                         + ", ".join(str(list(s)) for s in shapes)) from None
    where = [d for d, i in enumerate(indices) if i is not None]
    rest = [n for d, n in enumerate(m.shape) if d >= len(indices) or indices[d] is None]
    together = where[-1] - where[0] + 1 == len(where)
    at = where[0] if together else 0
    new = (*rest[:at], *shape, *rest[at:])
    kept = [s for d, s in enumerate(m.strides) if d >= len(indices) or indices[d] is None]
    source = Spec(m.dtype, new, (*kept[:at], *[0] * len(shape), *kept[at:]))
    tails = []
    for i in indices:
        if i is not None:
            wide = (*[1] * (at + len(shape) - len(i.shape)), *i.shape, *[1] * (len(rest) - at))
            tails.append(Spec(i.dtype, wide, view_strides(i.shape, i.strides, wide)))
    return Spec(m.dtype, new, strides_in_order(new, [source, *tails]))


def _numpy_index(a: np.ndarray, indices: tuple) -> tuple:
    out: list[Any] = []
    for d, i in enumerate(indices):
        if i is None:
            out.append(slice(None))
            continue
        n = a.shape[d]
        if i.size and (i.min() < -n or i.max() >= n):
            bad = i[(i < -n) | (i >= n)].reshape(-1)[0]
            raise IndexError(f"index {bad} is out of bounds for dimension {d} with size {n}")
        out.append(i.astype(np.int64, copy=False))
    return tuple(out)


INDEX = operator("index", "input, indices:tensors", Template("rows"), lambda a, indices: a[_numpy_index(a, indices)],
                 _index_rule)


def _at(a: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    return a[(slice(None),) * dim + (check_index(int(index), a.shape[dim], dim), ...)]


def _at_rule(m: Any, dim: int, index: Any) -> Spec:
    return view_spec(m, (*m.shape[:dim], *m.shape[dim + 1:]), (*m.strides[:dim], *m.strides[dim + 1:]))


# x[t], t a tensor of one number that only the run knows: a view, as x[1] is. Where nobody can tell it from a copy the
# definition, a kernel, takes its place.
SELECT_AT = operator("select_at", "input, dim:int, index", Composite(
    lambda a, dim, index: call(OPS["index_select"], (a, dim, index.reshape(1))).reshape((*a.shape[:dim], *a.shape[dim + 1:]))),
    _at, _at_rule, returns_view=True)


def _selected(self: Any, basic: tuple, numbers: list) -> Any:
    """The view that everything in the index but its tensors of many numbers gives."""
    base = self if _is_full(basic) and (basic or numbers) else call(GETITEM, (self, basic))
    for at, number in reversed(numbers):
        base = call(SELECT_AT, (base, at, number))
    return base


@spelled("", "__getitem__", GETITEM)
def getitem(self: Any, index: Any) -> Any:
    """x[index]: a view for ints, slices, None and Ellipsis; a copy where tensors or lists take part."""
    if type(index) is int and self._meta.ndim:                # the most frequent case, without the general analysis
        return call(GETITEM, (self, (check_index(index, self._meta.shape[0], 0),)))
    basic, advanced, numbers = _split_index(self, index)
    if not any(a is not None for a in advanced):
        return _selected(self, basic, numbers) if numbers else call(GETITEM, (self, basic))
    base = _selected(self, basic, numbers)
    return call(INDEX, (base, _advanced_indices(base, advanced)))


def _put_rule(m: Any, indices: tuple, values: Any, accumulate: bool) -> Any:
    if values.dtype is not m.dtype:
        from .declare import type_name

        raise RuntimeError(f"Index put requires the source and destination dtypes match, got {type_name(m.dtype)} for the "
                           f"destination and {type_name(values.dtype)} for the source.")
    return m


def _put(a: np.ndarray, indices: tuple, values: np.ndarray, accumulate: bool) -> None:
    at = tuple(i if i is not None and i.dtype == bool else j for i, j in zip(
        indices, _numpy_index(a, indices) if not any(i is not None and i.dtype == bool for i in indices)
        else [slice(None) if i is None else i for i in indices]))
    wanted = a[at].shape
    if values.ndim > len(wanted):
        if any(n != 1 for n in values.shape[:values.ndim - len(wanted)]):
            raise RuntimeError(f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing "
                               f"result of shape {list(wanted)}")
        values = values.reshape(values.shape[values.ndim - len(wanted):])
    try:
        if accumulate:
            np.add.at(a, at, values)
        else:
            a[at] = values
    except ValueError:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result "
                           f"of shape {list(wanted)}") from None


INDEX_PUT_ = operator("index_put_", "input, indices:tensors, values:tensor, accumulate:bool=False", Extern(), _put, _put_rule,
                      methods="index_put_", mutates=(0,),
                      normalize=lambda a, indices, values, accumulate=False: (a, tuple(indices), values, bool(accumulate)))


@spelled("index_put", "index_put", INDEX_PUT_)
def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """A copy with `values` stored at `indices`."""
    return call(INDEX_PUT_, (input.clone(), indices, values, accumulate))


@spelled("", "__setitem__", OPS.get("copy_"))
def setitem(self: Any, index: Any, value: Any) -> None:
    """x[index] = value, value a number or a tensor that broadcasts."""
    from .creation import full_of

    if index is True or index is False:
        if index:
            setitem(self, ..., value)
        return
    basic, advanced, numbers = _split_index(self, index)
    if not any(a is not None for a in advanced):              # stored by position: one kernel, where the view would be NumPy's
        for at, number in numbers:
            advanced.insert(at, number)
        numbers = []
    if isinstance(value, (np.ndarray, np.generic)):
        from .creation import tensor

        value = tensor(value)
    if not any(a is not None for a in advanced):
        part = call(GETITEM, (self, basic))
        if isinstance(value, Tensor):
            if value.ndim > part.ndim:
                value = value.reshape(tuple(value.shape)[value.ndim - part.ndim:])
            call(OPS["copy_"], (part, value, False))
        else:
            call(OPS["fill_"], (part, value))
        return
    base = _selected(self, basic, numbers)
    tensors = [a for a in advanced if a is not None]
    if len(tensors) == 1 and tensors[0].dtype is dt.bool_ and not (isinstance(value, Tensor) and value.ndim):
        mask = tensors[0]
        at = next(d for d, a in enumerate(advanced) if a is not None)
        after = base.ndim - at - mask.ndim
        shaped = mask.reshape((*(1,) * at, *mask.shape, *(1,) * after)) if at or after else mask
        if number_category(value) in (1, 2) and self.dtype in HALVES:
            value = full_of((), value, self.dtype, self.device)            # stored, where masked_fill_ asks whether it fits
        call(OPS["masked_fill_"], (base, shaped, value))
        return
    if not isinstance(value, Tensor):
        value = full_of((), value, self.dtype, self.device)
    if any(t.dtype is dt.bool_ for t in tensors):
        indices = _advanced_indices(base, advanced)
    else:
        indices = tuple(advanced[:max(d for d, a in enumerate(advanced) if a is not None) + 1])
    call(INDEX_PUT_, (base, indices, value, False))


# -- positions that depend on data ---------------------------------------------------------------------------------
