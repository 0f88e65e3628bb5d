"""`x[...]` and its assignment, gathering and scattering, searching and sorting.

A basic index (ints, slices, None, Ellipsis) is one view operator. Tensors, lists and NumPy arrays in an index go to
`index` (a copy) and `index_put_`. A boolean mask selects a number of elements that only the data knows, so it cannot
be captured; assigning one value under a mask can.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from ..tensor.tensor import Tensor
from .broadcast import broadcast_shapes, same
from .conversion import CONTIGUOUS, elements
from .declare import Spec, checked, operator, parse, spelled
from .dims import is_int, wrap_dim
from .op import OPS, Extern, Op, call, register
from .strides import like_strides, strides_in_order, view_strides
from .views import GETITEM, check_index

ReturnTopk = namedtuple("topk", ["values", "indices"])
ReturnSort = namedtuple("sort", ["values", "indices"])
ReturnMedian = namedtuple("median", ["values", "indices"])
for _t in (ReturnTopk, ReturnSort, ReturnMedian):
    _t.__module__ = "torch.return_types"


# -- x[...] ----------------------------------------------------------------------------------------------------------
def _is_sequence_index(item: Any) -> bool:
    return isinstance(item, (list, range)) or (isinstance(item, tuple) and not hasattr(item, "_fields"))


def _index_tensor(item: Any) -> Any:
    from .creation import tensor

    found = tensor(item)
    return found.to(dt.int64) if not len(item) else found


def _split_index(self: Any, index: Any) -> tuple[tuple, list]:
    """(basic index of full length, advanced): `advanced` has one tensor or None per dimension after the basic step."""
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
            if item.ndim == 0 and item.dtype.category == 1 and item._array is not None:
                basic.append(check_index(int(item._array), shape[d], d))
                d += 1
                continue
            if item.dtype.category == 2:
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            width = item.ndim if item.dtype is dt.bool_ else 1
            if item.dtype is dt.bool_ and item.ndim == 0:
                basic.append(None)
                advanced.append(item.reshape(1))
                continue
            if item.dtype is dt.bool_:
                for k in range(width):
                    if not same(item.shape[k], shape[d + k]) and item.shape[k] != shape[d + k]:
                        raise IndexError(f"The shape of the mask {list(item.shape)} at index {k} does not match the shape of the "
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
    return tuple(basic), advanced


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


INDEX = operator("index", "input, indices:tensors", Extern(), lambda a, indices: a[_numpy_index(a, indices)], _index_rule)


@spelled("", "__getitem__", GETITEM)
def getitem(self: Any, index: Any) -> Any:
    """x[index]: a view for ints, slices, None and Ellipsis; a copy where tensors or lists take part."""
    if type(index) is int and self._meta.ndim:                # the most frequent case, without the general analysis
        return call(GETITEM, (self, (check_index(index, self._meta.shape[0], 0),)))
    basic, advanced = _split_index(self, index)
    if not any(a is not None for a in advanced):
        return call(GETITEM, (self, basic))
    base = self if _is_full(basic) else call(GETITEM, (self, basic))
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


@spelled("", "index_put", INDEX_PUT_)
def index_put(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """A copy with `values` stored at `indices`."""
    return call(INDEX_PUT_, (self.clone(), indices, values, accumulate))


@spelled("", "__setitem__", OPS.get("copy_"))
def setitem(self: Any, index: Any, value: Any) -> None:
    """x[index] = value, value a number or a tensor that broadcasts."""
    from .creation import full_of

    basic, advanced = _split_index(self, index)
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
    base = self if _is_full(basic) else call(GETITEM, (self, basic))
    tensors = [a for a in advanced if a is not None]
    if len(tensors) == 1 and tensors[0].dtype is dt.bool_ and not (isinstance(value, Tensor) and value.ndim):
        mask = tensors[0]
        at = next(d for d, a in enumerate(advanced) if a is not None)
        after = base.ndim - at - mask.ndim
        shaped = mask.reshape((*(1,) * at, *mask.shape, *(1,) * after)) if at or after else mask
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
@spelled("nonzero argwhere", "nonzero argwhere", None)
def nonzero(input: Any, *, as_tuple: bool = False, out: Any = None) -> Any:
    """Positions of the elements that are not zero: one row each, or one vector per dimension."""
    from ..tensor.tensor import wrap

    array = elements(input, "nonzero()")
    if as_tuple:
        found = np.nonzero(np.atleast_1d(array))
        return tuple([wrap(f.astype(np.int64)) for f in found])
    return wrap(np.argwhere(array).astype(np.int64).reshape(-1, array.ndim))


@spelled("masked_select", "masked_select", None)
def masked_select(input: Any, mask: Any, *, out: Any = None) -> Any:
    """The elements where the mask holds, as a vector."""
    from .views import broadcast_tensors

    a, m = broadcast_tensors(input, mask)
    return a[m]


@spelled("unique", "unique", None)
def unique(input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
           dim: int | None = None) -> Any:
    """Distinct elements in rising order; with their inverse positions and counts if asked for."""
    from ..tensor.tensor import wrap

    array = elements(input, "unique()")
    values, inverse, counts = np.unique(array, return_inverse=True, return_counts=True, axis=dim)
    out = [wrap(np.ascontiguousarray(values))]
    if return_inverse:
        shape = array.shape if dim is None else (array.shape[dim],)
        out.append(wrap(inverse.reshape(shape).astype(np.int64)))
    if return_counts:
        out.append(wrap(counts.astype(np.int64)))
    return out[0] if len(out) == 1 else tuple(out)


@spelled("unique_consecutive", "unique_consecutive", None)
def unique_consecutive(input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The elements without repeats of their predecessor."""
    from ..tensor.tensor import wrap

    array = elements(input, "unique_consecutive()").reshape(-1)
    new = np.concatenate([[True], array[1:] != array[:-1]]) if array.size else np.zeros(0, bool)
    at = np.nonzero(new)[0]
    out = [wrap(array[new])]
    if return_inverse:
        out.append(wrap(np.cumsum(new).astype(np.int64) - 1))
    if return_counts:
        out.append(wrap(np.diff(np.append(at, array.size)).astype(np.int64)))
    return out[0] if len(out) == 1 else tuple(out)


@spelled("bincount", "bincount", None)
def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each non-negative integer occurs."""
    from ..tensor.tensor import wrap

    w = None if weights is None else elements(weights, "bincount()")
    got = np.bincount(elements(input, "bincount()"), w, minlength)
    return wrap(got.astype(np.int64) if w is None else got.astype(w.dtype if w.dtype.kind == "f" else np.float64))


def _fresh(input: Any) -> Any:
    """A contiguous copy."""
    return call(CONTIGUOUS, (input,))


# -- gather and scatter ----------------------------------------------------------------------------------------------
def _bounds(index: np.ndarray, n: int, name: str, negative: bool = False) -> np.ndarray:
    if index.size and (index.min() < (-n if negative else 0) or index.max() >= n):
        bad = index[(index < 0) | (index >= n)].reshape(-1)[0]
        if name == "index_select":
            raise IndexError("index out of range in self")
        raise RuntimeError(f"index {bad} is out of bounds for dimension 0 with size {n}")
    return index


def _check_index(name: str, index: Any) -> None:
    if index.dtype is not dt.int64 and not (name in ("index_select", "index_add_", "index_copy_", "embedding", "gather")
                                            and index.dtype is dt.int32):
        raise RuntimeError(f"{name}(): Expected dtype int64 for index")


def _gather_rule(m: Any, dim: int, index: Any, sparse: bool) -> Spec:
    _check_index("gather", index)
    if len(index.shape) != len(m.shape) and not (len(index.shape) <= 1 and len(m.shape) <= 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d, (n, k) in enumerate(zip(m.shape, index.shape)):
        if d != dim and not same(n, k) and k > n:
            raise RuntimeError(f"Size does not match at dimension {d} expected index {list(index.shape)} to be no larger than "
                               f"self {list(m.shape)} apart from dimension {dim}")
    return Spec(m.dtype, index.shape)


def _gather(a: np.ndarray, dim: int, index: np.ndarray, sparse: bool) -> np.ndarray:
    if not a.ndim:
        return np.broadcast_to(a, index.shape).copy()
    _bounds(index, a.shape[dim], "gather")
    cut = tuple(slice(None) if d == dim else slice(0, n) for d, n in enumerate(index.shape)) if index.ndim else ()
    return np.take_along_axis(a[cut], index.reshape(index.shape or (1,)), dim).reshape(index.shape)


GATHER = operator("gather", "input, dim, index, *, sparse_grad:bool=False", Extern(), _gather, _gather_rule, functions="gather",
                  methods="gather", out=True, normalize=lambda a, dim, index, s=False: (a, wrap_dim(dim, a.ndim), index, s))


@spelled("take_along_dim", "take_along_dim", GATHER)
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """gather with broadcasting; over all elements if dim is None."""
    if dim is None:
        return call(GATHER, (input.reshape(-1), 0, indices.reshape(-1)))
    d = wrap_dim(dim, input.ndim)
    shape = list(broadcast_shapes([1 if k == d else n for k, n in enumerate(input.shape)],
                                  [1 if k == d else n for k, n in enumerate(indices.shape)]))
    left = input.expand([input.shape[d] if k == d else n for k, n in enumerate(shape)])
    return call(GATHER, (left, d, indices.expand([indices.shape[d] if k == d else n for k, n in enumerate(shape)])))


@spelled("take", "take", INDEX)
def take(input: Any, index: Any) -> Any:
    """Elements by their position in the flattened tensor."""
    return call(INDEX, (input.reshape(-1), (index,)))


def _select_rule(m: Any, dim: int, index: Any) -> Spec:
    _check_index("index_select", index)
    if len(index.shape) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    n = index.shape[0] if index.shape else 1
    return Spec(m.dtype, (*m.shape[:dim], n, *m.shape[dim + 1:]) if m.shape else ())


INDEX_SELECT = operator("index_select", "input, dim, index", Extern(),
                        lambda a, dim, index: np.take(a, _bounds(np.atleast_1d(index), a.shape[dim], "index_select"), axis=dim)
                        if a.ndim else a.copy(), _select_rule, functions="index_select", methods="index_select", out=True,
                        normalize=lambda a, dim, index: (a, wrap_dim(dim, a.ndim), index))


def _open(a: np.ndarray, dim: int, index: np.ndarray) -> tuple:
    grid = list(np.ogrid[tuple(slice(0, n) for n in index.shape)])
    grid[dim] = _bounds(index, a.shape[dim], "scatter")
    return tuple(grid)


def _scatter(a: np.ndarray, dim: int, index: np.ndarray, src: Any) -> None:
    at = _open(a, dim, index)
    a[at] = src[tuple(slice(0, n) for n in index.shape)] if isinstance(src, np.ndarray) and src.ndim else src


def _scatter_add(a: np.ndarray, dim: int, index: np.ndarray, src: Any) -> None:
    np.add.at(a, _open(a, dim, index), src[tuple(slice(0, n) for n in index.shape)])


_REDUCERS = {"sum": np.add, "add": np.add, "prod": np.multiply, "multiply": np.multiply, "amax": np.maximum,
             "amin": np.minimum}


def _scatter_reduce(a: np.ndarray, dim: int, index: np.ndarray, src: Any, reduce: str, include_self: bool) -> None:
    at = _open(a, dim, index)
    part = src[tuple(slice(0, n) for n in index.shape)] if isinstance(src, np.ndarray) and src.ndim else src
    if not include_self:
        start = {"sum": 0, "prod": 1, "mean": 0, "amax": np.finfo(a.dtype).min if a.dtype.kind == "f" else np.iinfo(a.dtype).min,
                 "amin": np.finfo(a.dtype).max if a.dtype.kind == "f" else np.iinfo(a.dtype).max}[reduce]
        a[at] = start
    if reduce == "mean":
        counts = np.full(a.shape, 1 if include_self else 0, np.int64)
        np.add.at(a, at, part)
        np.add.at(counts, at, 1)
        counts = np.maximum(counts, 1)
        a[...] = a / counts if a.dtype.kind == "f" else a // counts
    else:
        _REDUCERS[reduce].at(a, at, part)


def _scatter_rule(m: Any, dim: int, index: Any, src: Any, *rest: Any) -> Any:
    _check_index("scatter", index)
    if len(index.shape) != len(m.shape) and len(m.shape) > 1:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if hasattr(src, "dtype") and len(src.shape) and src.dtype is not m.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    return m


_scatter_args = lambda a, dim, index, *rest: (a, wrap_dim(dim, a.ndim), index, *rest)
SCATTER_ = operator("scatter_", "input, dim, index, src:operand", Extern(), _scatter, _scatter_rule, mutates=(0,),
                    normalize=_scatter_args)
SCATTER_ADD_ = operator("scatter_add_", "input, dim, index, src", Extern(), _scatter_add, _scatter_rule, mutates=(0,),
                        methods="scatter_add_", normalize=_scatter_args)
SCATTER_REDUCE_ = operator("scatter_reduce_", "input, dim, index, src:operand, reduce:str, *, include_self:bool=True", Extern(),
                           _scatter_reduce, _scatter_rule, mutates=(0,), methods="scatter_reduce_", normalize=_scatter_args)


@spelled("", "scatter_", SCATTER_)
def scatter_(self: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Any:
    """self[index[i]] = src[i] along dim, in place; src may be one number."""
    source = value if src is None else src
    if reduce is not None:
        return call(SCATTER_REDUCE_, (self, dim, index, source, {"add": "sum", "multiply": "prod"}[reduce], True))
    return call(SCATTER_, (self, dim, index, source))


@spelled("scatter", "scatter", SCATTER_)
def scatter(input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Any:
    """A copy with src stored at index along dim."""
    return scatter_(_fresh(input), dim, index, src, value=value, reduce=reduce)


@spelled("scatter_add", "scatter_add", SCATTER_ADD_)
def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """A copy with src added at index along dim."""
    return call(SCATTER_ADD_, (_fresh(input), dim, index, src))


@spelled("scatter_reduce", "scatter_reduce", SCATTER_REDUCE_)
def scatter_reduce(input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    """A copy with src combined into index along dim ("sum", "prod", "mean", "amax", "amin")."""
    return call(SCATTER_REDUCE_, (input.clone(), dim, index, src, reduce, include_self))


def _rows(a: np.ndarray, dim: int, index: np.ndarray) -> tuple:
    return (slice(None),) * dim + (_bounds(index, a.shape[dim], "index_add"),)


def _index_add(a: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, alpha: Any) -> None:
    np.add.at(a, _rows(a, dim, index), source if alpha == 1 else source * a.dtype.type(alpha))


def _index_copy(a: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray) -> None:
    a[_rows(a, dim, index)] = source


def _index_fill(a: np.ndarray, dim: int, index: np.ndarray, value: Any) -> None:
    a[_rows(a, dim, index)] = value


_at_rule = lambda m, dim, index, *rest: (_check_index("index_add_", index), m)[1]
INDEX_ADD_ = operator("index_add_", "input, dim, index, source, *, alpha=1", Extern(), _index_add, _at_rule, mutates=(0,),
                      methods="index_add_", normalize=_scatter_args)
INDEX_COPY_ = operator("index_copy_", "input, dim, index, source", Extern(), _index_copy, _at_rule, mutates=(0,),
                       methods="index_copy_", normalize=_scatter_args)
INDEX_FILL_ = operator("index_fill_", "input, dim, index, value:operand", Extern(), _index_fill, _at_rule, mutates=(0,),
                       methods="index_fill_", normalize=_scatter_args)


@spelled("index_add", "index_add", INDEX_ADD_)
def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """A copy with alpha * source added to the rows named by index."""
    return call(INDEX_ADD_, (_fresh(input), dim, index, source, alpha))


@spelled("index_copy", "index_copy", INDEX_COPY_)
def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """A copy with the rows named by index replaced."""
    return call(INDEX_COPY_, (_fresh(input), dim, index, source))


@spelled("index_fill", "index_fill", INDEX_FILL_)
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """A copy with the rows named by index filled."""
    return call(INDEX_FILL_, (input.clone(), dim, index, value))


def _masked_scatter(a: np.ndarray, mask: np.ndarray, source: np.ndarray) -> None:
    where = np.broadcast_to(mask, a.shape)
    a[where] = source.reshape(-1)[:int(where.sum())]


MASKED_SCATTER_ = operator("masked_scatter_", "input, mask, source", Extern(), _masked_scatter, lambda m, mask, source: m,
                           mutates=(0,), methods="masked_scatter_")


@spelled("masked_scatter", "masked_scatter", MASKED_SCATTER_)
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """A copy with the masked elements taken from source in order."""
    return call(MASKED_SCATTER_, (_fresh(input), mask, source))


# -- sorting and searching -------------------------------------------------------------------------------------------
def _sort(a: np.ndarray, dim: int, descending: bool, stable: bool) -> tuple:
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    if descending:
        n = a.shape[dim]
        order = n - 1 - np.flip(np.argsort(np.flip(a, dim), axis=dim, kind="stable"), dim)
    else:
        order = np.argsort(a, axis=dim, kind="stable")
    return np.take_along_axis(a, order, dim), order.astype(np.int64)


_sort_args = lambda a, dim=-1, descending=False, stable=False: (a, wrap_dim(dim, a.ndim), bool(descending), bool(stable))
SORT = operator("sort", "input, dim=-1, descending:bool=False, stable:bool=False", Extern(), _sort,
                lambda m, *rest: (Spec(m.dtype, m.shape, like_strides(m)), Spec(dt.int64, m.shape, like_strides(m))),
                functions="sort", methods="sort",
                normalize=_sort_args, returns=ReturnSort)


@spelled("argsort", "argsort", SORT)
def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """The order of indices that sorts along dim."""
    return call(SORT, (input, dim, descending, stable))[1]


@spelled("msort", "msort", SORT)
def msort(input: Any) -> Any:
    """Sorted along dimension 0."""
    return call(SORT, (input, 0, False, True))[0]


def _topk_rule(m: Any, k: Any, dim: int, largest: bool, sorted_: bool) -> tuple:
    if m.shape and k > m.shape[dim]:
        raise RuntimeError("selected index k out of range")
    shape = (*m.shape[:dim], k, *m.shape[dim + 1:]) if m.shape else ()
    return Spec(m.dtype, shape), Spec(dt.int64, shape)


def _topk(a: np.ndarray, k: int, dim: int, largest: bool, sorted_: bool) -> tuple:
    values, order = _sort(a, dim, largest, True)
    if not a.ndim:
        return values, order
    cut = (slice(None),) * dim + (slice(0, k),)
    return values[cut], order[cut]


TOPK = operator("topk", "input, k:int, dim=-1, largest:bool=True, sorted:bool=True", Extern(), _topk, _topk_rule, functions="topk",
                methods="topk", returns=ReturnTopk,
                normalize=lambda a, k, dim=-1, largest=True, sorted=True: (a, k, wrap_dim(dim, a.ndim), bool(largest), sorted))


def _kth(a: np.ndarray, k: int, dim: int, keepdim: bool) -> tuple:
    values, order = _sort(a, dim, False, True)
    if not a.ndim:
        return values, order
    cut = (slice(None),) * dim + (slice(k - 1, k) if keepdim else k - 1,)
    return values[cut], order[cut]


def _kth_rule(m: Any, k: int, dim: int, keepdim: bool) -> tuple:
    shape = (*m.shape[:dim], *((1,) if keepdim else ()), *m.shape[dim + 1:]) if m.shape else ()
    return Spec(m.dtype, shape), Spec(dt.int64, shape)


KTHVALUE = operator("kthvalue", "input, k:int, dim=-1, keepdim=False", Extern(), _kth, _kth_rule, functions="kthvalue",
                    methods="kthvalue", returns=ReturnSort,
                    normalize=lambda a, k, dim=-1, keep=False: (a, k, wrap_dim(dim, a.ndim), bool(keep)))


def _median(a: np.ndarray, dim: int, keepdim: bool) -> tuple:
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    values, order = _sort(a, dim, False, True)
    at = np.full([1 if d == dim else n for d, n in enumerate(a.shape)], (a.shape[dim] + 1) // 2 - 1)
    if a.dtype.kind == "f":
        at = np.where(np.isnan(values).any(axis=dim, keepdims=True), np.isnan(values).argmax(axis=dim, keepdims=True), at)
    out = np.take_along_axis(values, at, dim), np.take_along_axis(order, at, dim)
    return out if keepdim else (out[0].squeeze(dim), out[1].squeeze(dim))


MEDIAN = operator("median_dim", "input, dim, keepdim=False", Extern(), _median,
                  lambda m, dim, keepdim: _kth_rule(m, 0, dim, keepdim), returns=ReturnMedian,
                  normalize=lambda a, dim, keep=False: (a, wrap_dim(dim, a.ndim), bool(keep)))


@spelled("median", "median", KTHVALUE)
def median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median, of all elements or along dim (values, indices); NaN if there is one."""
    if input.dtype.category == 0:
        raise NotImplementedError("\"median_cpu\" not implemented for 'Bool'")
    flat = input.reshape(-1) if dim is None else input
    d = 0 if dim is None else wrap_dim(dim, input.ndim)
    n = flat.shape[d] if flat.ndim else 1
    if n == 0 and dim is not None:
        raise IndexError(f"median(): Expected reduction dim {d} to have non-zero size.")
    if n == 0:
        return input.new_full((), float("nan") if input.is_floating_point() else -1)
    out = call(MEDIAN, (flat, d, keepdim if dim is not None else False))
    return out[0] if dim is None else out


def _quantile(a: np.ndarray, q: np.ndarray, dim: Any, keepdim: bool, interpolation: str) -> Any:
    return np.quantile(a, q, axis=dim, keepdims=keepdim, method=interpolation).astype(a.dtype)


def _quantile_rule(m: Any, q: Any, dim: Any, keepdim: bool, interpolation: str) -> Spec:
    shape = [n for d, n in enumerate(m.shape) if d != dim] if dim is not None and not keepdim else \
        [1 if dim is None or d == dim else n for d, n in enumerate(m.shape)] if keepdim else []
    return Spec(m.dtype, (*q.shape, *shape))


QUANTILE = operator("quantile", "input, q:operand, dim:any=None, keepdim=False, *, interpolation:str='linear'", Extern(), _quantile,
                    lambda m, q, *rest: _quantile_rule(m, q if hasattr(q, "shape") else Spec(m.dtype, ()), *rest),
                    functions="quantile", methods="quantile",
                    normalize=lambda a, q, dim=None, keepdim=False, interpolation="linear": (
                        a, q, None if dim is None else wrap_dim(dim, a.ndim), bool(keepdim), interpolation))

SEARCHSORTED = operator("searchsorted", "sorted_sequence:tensor, input:operand, *, out_int32:bool=False, right:bool=False", Extern(),
                        lambda s, x, int32, right: _search(s, np.asarray(x), right),
                        lambda s, x, int32, right: Spec(dt.int32 if int32 else dt.int64, x.shape if hasattr(x, "shape") else ()),
                        functions="searchsorted")


def _search(s: np.ndarray, x: np.ndarray, right: bool) -> np.ndarray:
    side = "right" if right else "left"
    if s.ndim == 1:
        return np.searchsorted(s, x, side)
    flat = [np.searchsorted(a, b, side) for a, b in zip(s.reshape(-1, s.shape[-1]), x.reshape(-1, x.shape[-1]))]
    return np.stack(flat).reshape(x.shape)


@spelled("bucketize", "", SEARCHSORTED)
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """The interval between boundaries each element falls in."""
    return call(SEARCHSORTED, (boundaries, input, out_int32, right))


def _isin() -> Op:
    params = parse("elements:operand, test_elements:operand, *, assume_unique:bool=False, invert:bool=False")
    return register(Op("isin", params, lambda a, b, u, invert: np.isin(a, b, invert=invert),
                       checked("isin", params, lambda a, b, u, i: Spec(dt.bool_, a.shape if hasattr(a, "shape") else ())), Extern(),
                       functions=("torch.isin",)))


ISIN = _isin()
