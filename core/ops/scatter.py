"""Gathering and scattering: elements read from, or stored at, positions that another tensor names."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .broadcast import broadcast_shapes, same
from .conversion import CONTIGUOUS
from .declare import Spec, operator, spelled, type_name
from .dims import wrap_dim
from .eager import to_number
from .fitting import fits
from .indexing import INDEX
from .op import Extern, Template, call


def _fresh(input: Any) -> Any:
    """A contiguous copy."""
    return call(CONTIGUOUS, (input,))


def _bounds(index: np.ndarray, n: int, name: str, negative: bool = False) -> np.ndarray:
    if index.size and (index.min() < (-n if negative else 0) or index.max() >= n):
        bad = index[(index < 0) | (index >= n)].reshape(-1)[0]
        if name == "index_select":
            raise IndexError("index out of range in self")
        if name == "index_copy":
            raise IndexError(f"index_copy_(): index {bad} is out of bounds for dimension 0 with size {n}")
        raise RuntimeError(f"index {bad} is out of bounds for dimension 0 with size {n}")
    return index


def check_index_dtype(name: str, index: Any) -> None:
    if index.dtype is not dt.int64 and not (name in ("index_select", "index_add_", "index_copy_", "embedding", "gather")
                                            and index.dtype is dt.int32):
        raise RuntimeError(f"{name}(): Expected dtype int64 for index")


def _gather_rule(m: Any, dim: int, index: Any, sparse: bool) -> Spec:
    check_index_dtype("gather", index)
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


GATHER = operator("gather", "input, dim, index, *, sparse_grad:bool=False", Template("rows"), _gather, _gather_rule,
                  functions="gather", methods="gather", out=True,
                  normalize=lambda a, dim, index, s=False: (a, wrap_dim(dim, a.ndim), index, s))


@spelled("take_along_dim", "take_along_dim", GATHER, out=True)
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """gather with broadcasting; over all elements if dim is None. As in PyTorch, positions along dim count modulo its
    size."""
    if dim is None:
        return call(GATHER, (input.reshape(-1), 0, indices.reshape(-1)))
    if input.ndim != indices.ndim:
        raise RuntimeError(f"torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
                           f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices")
    d = wrap_dim(dim, input.ndim)
    shape = list(broadcast_shapes([1 if k == d else n for k, n in enumerate(input.shape)],
                                  [1 if k == d else n for k, n in enumerate(indices.shape)]))
    left = input.expand([input.shape[d] if k == d else n for k, n in enumerate(shape)])
    indices = indices % max(input.shape[d], 1)
    return call(GATHER, (left, d, indices.expand([indices.shape[d] if k == d else n for k, n in enumerate(shape)])))


@spelled("take", "take", INDEX, out=True)
def take(input: Any, index: Any) -> Any:
    """Elements by their position in the flattened tensor."""
    return call(INDEX, (input.reshape(-1), (index,)))


def _select_rule(m: Any, dim: int, index: Any) -> Spec:
    check_index_dtype("index_select", index)
    if len(index.shape) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    n = index.shape[0] if index.shape else 1
    return Spec(m.dtype, (*m.shape[:dim], n, *m.shape[dim + 1:]) if m.shape else ())


INDEX_SELECT = operator("index_select", "input, dim, index", Template("rows"),
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


def _start(d: np.dtype, reduce: str) -> Any:
    """What an element counts as that is not to take part itself."""
    if reduce in ("sum", "mean", "prod"):
        return int(reduce == "prod")
    low = reduce == "amax"
    if d.kind == "b":
        return not low
    return (-np.inf if low else np.inf) if d.kind == "f" else (np.iinfo(d).min if low else np.iinfo(d).max)


def _scatter_reduce(a: np.ndarray, dim: int, index: np.ndarray, src: Any, reduce: str, include_self: bool) -> None:
    at = _open(a, dim, index)
    part = src[tuple(slice(0, n) for n in index.shape)] if isinstance(src, np.ndarray) and src.ndim else src
    if not include_self:
        a[at] = _start(a.dtype, reduce)
    if reduce == "mean":
        counts = np.full(a.shape, 1 if include_self else 0, np.int64)
        np.add.at(a, at, part)
        np.add.at(counts, at, 1)
        counts = np.maximum(counts, 1)
        a[...] = a / counts if a.dtype.kind == "f" else a // counts
    else:
        _REDUCERS[reduce].at(a, at, part)


def _scatter_rule(m: Any, dim: int, index: Any, src: Any, *rest: Any) -> Any:
    check_index_dtype("scatter", index)
    if len(index.shape) != len(m.shape) and len(m.shape) > 1:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if hasattr(src, "dtype") and len(src.shape) and src.dtype is not m.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    source = src.shape if hasattr(src, "dtype") and len(src.shape) else index.shape
    for d, (n, k, s) in enumerate(zip(m.shape, index.shape, source)):
        if (d != dim and not same(n, k) and k > n) or (not same(k, s) and k > s):
            raise RuntimeError(f"Expected index {list(index.shape)} to be no larger than self {list(m.shape)} apart from "
                               f"dimension "
                               f"{dim} and to be no larger than src {list(source)}")
    if len(index.shape) > max(len(m.shape), 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    return m


def _reduce_rule(m: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool) -> Any:
    _scatter_rule(m, dim, index, src)
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError("reduce argument must be either sum, prod, mean, amax or amin.")
    if m.dtype.category == 3 and reduce in ("amax", "amin", "mean"):
        raise NotImplementedError(f"\"scatter_gather_tensor_cpu_reduce_{reduce}\" not implemented for '{type_name(m.dtype)}'")
    if m.dtype.category == 0 and reduce == "mean":
        raise NotImplementedError("\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool'")
    return m


def _reduce_args(a: Any, dim: Any, index: Any, src: Any, reduce: Any, include_self: Any = True) -> tuple:
    return (a, wrap_dim(dim, a.ndim), index, src, {"max": "amax", "min": "amin"}.get(reduce, reduce), bool(include_self))


_scatter_args = lambda a, dim, index, *rest: (a, wrap_dim(dim, a.ndim), index, *rest)
SCATTER_ = operator("scatter_", "input, dim, index, src:operand", Extern(), _scatter, _scatter_rule, mutates=(0,),
                    normalize=_scatter_args)
SCATTER_ADD_ = operator("scatter_add_", "input, dim, index, src", Extern(), _scatter_add, _scatter_rule, mutates=(0,),
                        methods="scatter_add_", normalize=_scatter_args)
SCATTER_REDUCE_ = operator("scatter_reduce_", "input, dim, index, src:operand, reduce:str, *, include_self:bool=True", Extern(),
                           _scatter_reduce, _reduce_rule, mutates=(0,), methods="scatter_reduce_", normalize=_reduce_args)


@spelled("", "scatter_", SCATTER_)
def scatter_(self: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Any:
    """self[index[i]] = src[i] along dim, in place; src may be one number."""
    source = fits(value if src is None else src, self.dtype)
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
    return call(SCATTER_REDUCE_, (_fresh(input), dim, index, src, reduce, include_self))


def _rows(a: np.ndarray, dim: int, index: np.ndarray, name: str = "index_add") -> tuple:
    return (slice(None),) * dim + (_bounds(index, a.shape[dim], name),)


def _index_add(a: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, alpha: Any) -> None:
    np.add.at(a, _rows(a, dim, index), source if alpha == 1 else source * a.dtype.type(alpha))


def _index_copy(a: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray) -> None:
    a[_rows(a, dim, index, "index_copy")] = source


def _index_fill(a: np.ndarray, dim: int, index: np.ndarray, value: Any) -> None:
    n = a.shape[dim] if a.ndim else 1
    wrong = index[(index < -n) | (index >= n)]
    if wrong.size:
        raise IndexError(f"index {wrong.flat[0]} is out of bounds for dimension {dim} with size {n}")
    a[_rows(a, dim, index % max(n, 1))] = value if isinstance(value, np.ndarray) else to_number(value, a.dtype)


def _at_rule(m: Any, dim: int, index: Any, *rest: Any) -> Any:
    check_index_dtype("index_add_", index)
    return m


def _source_rule(name: str) -> Any:
    def rule(m: Any, dim: int, index: Any, source: Any, *rest: Any) -> Any:
        check_index_dtype(name, index)
        if source.dtype is not m.dtype:
            raise RuntimeError(f"{name}(): self ({type_name(m.dtype)}) and source ({type_name(source.dtype)}) must have the "
                               f"same "
                               f"scalar type")
        count = index.shape[0] if index.shape else 1
        have = source.shape[dim] if source.shape else 1
        if not same(count, have) and count != have:
            error = IndexError if name == "index_copy_" else RuntimeError
            raise error(f"{name}(): Number of indices ({count}) should be equal to source.size(dim): ({have}), for dim: {dim}")
        return m
    return rule


INDEX_ADD_ = operator("index_add_", "input, dim, index, source, *, alpha=1", Extern(), _index_add,
                      _source_rule("index_add_"), mutates=(0,),
                      methods="index_add_", normalize=_scatter_args)
INDEX_COPY_ = operator("index_copy_", "input, dim, index, source", Extern(), _index_copy, _source_rule("index_copy_"),
                       mutates=(0,),
                       methods="index_copy_", normalize=_scatter_args)
INDEX_FILL_ = operator("index_fill_", "input, dim, index, value:operand", Extern(), _index_fill, _at_rule, mutates=(0,),
                       methods="index_fill_",
                       normalize=lambda a, dim, index, value: (a, wrap_dim(dim, a.ndim), index, fits(value, a.dtype)))


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
    if source.size < where.sum():
        raise RuntimeError("Number of elements of source < number of ones in mask")
    a[where] = source.reshape(-1)[:int(where.sum())]


MASKED_SCATTER_ = operator("masked_scatter_", "input, mask, source", Extern(), _masked_scatter, lambda m, mask, source: m,
                           mutates=(0,), methods="masked_scatter_")


@spelled("masked_scatter", "masked_scatter", MASKED_SCATTER_)
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """A copy with the masked elements taken from source in order."""
    return call(MASKED_SCATTER_, (_fresh(input), mask, source))
