"""Sorting and searching: sort, topk, median, quantiles, intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .broadcast import same
from .declare import Spec, checked, named_result, operator, parse, spelled, type_name
from .dims import wrap_dim
from .op import Composite, Extern, Op, Template, call, register
from .promotion import promote_types
from .strides import like_strides, surely_contiguous

ReturnTopk = named_result("topk", "values indices")
ReturnSort = named_result("sort", "values indices")
ReturnMedian = named_result("median", "values indices")
ReturnNanmedian = named_result("nanmedian", "values indices")
ReturnKthvalue = named_result("kthvalue", "values indices")


def _orderable(name: str, m: Any) -> None:
    if m.dtype.category == 3:
        raise RuntimeError(f" {name} does not support complex dtypes on CPU")


def _sort(a: np.ndarray, dim: int, descending: bool, stable: bool) -> tuple:
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    if descending:
        n = a.shape[dim]
        order = n - 1 - np.flip(np.argsort(np.flip(a, dim), axis=dim, kind="stable"), dim)
    else:
        order = np.argsort(a, axis=dim, kind="stable")
    return np.take_along_axis(a, order, dim), order.astype(np.int64)


def _order(a: np.ndarray, k: int, dim: int, descending: bool) -> np.ndarray:
    return _sort(a, dim, descending, True)[1][(slice(None),) * dim + (slice(0, k),)]


ORDER = operator("order", "input, k:int, dim, descending:bool", Template("sort"), _order,
                 lambda m, k, dim, descending: Spec(dt.int64, (*m.shape[:dim], k, *m.shape[dim + 1:])), differentiable=False,
                 doc="Where the first k elements of the (stable) sorted order along dim are; of at least one dimension.")


def _in_order(a: Any, k: Any, dim: int, descending: bool) -> tuple:
    """(values, indices) of the first k in terms of ORDER, for a tensor whose layout is known."""
    from .scatter import GATHER

    if not a.ndim:
        return a.clone(), a.new_zeros((), dtype=dt.int64)
    strides = like_strides(a._meta)
    if surely_contiguous(a.shape, strides):
        a = a.contiguous()
        order = call(ORDER, (a, k, dim, descending))
        return call(GATHER, (a, dim, order)), order
    if not all(isinstance(s, int) for s in strides):
        raise NotImplementedError("which order the dimensions have in memory is not known")
    dims = sorted(range(a.ndim), key=lambda d: -strides[d])
    back = [dims.index(d) for d in range(a.ndim)]
    return tuple([x.permute(back) for x in _in_order(a.permute(dims).contiguous(), k, dims.index(dim), descending)])


def _sort_rule(m: Any, *rest: Any) -> tuple:
    _orderable("Sort", m)
    return Spec(m.dtype, m.shape, like_strides(m)), Spec(dt.int64, m.shape, like_strides(m))


_sort_args = lambda a, dim=-1, descending=False, stable=False: (a, wrap_dim(dim, a.ndim), bool(descending), bool(stable))
SORT = operator("sort", "input, dim=-1, descending:bool=False, stable:bool=False",
                Composite(lambda a, dim, descending, stable: _in_order(a, a.shape[dim] if a.ndim else 1, dim, descending)),
                _sort, _sort_rule, functions="sort", methods="sort", out=True, normalize=_sort_args, returns=ReturnSort)


@spelled("argsort", "argsort", SORT)
def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """The order of indices that sorts along dim."""
    return call(SORT, (input, dim, descending, stable))[1]


@spelled("msort", "msort", SORT, out=True)
def msort(input: Any) -> Any:
    """Sorted along dimension 0."""
    return call(SORT, (input, 0, False, True))[0]


def _topk_rule(m: Any, k: Any, dim: int, largest: bool, sorted_: bool) -> tuple:
    if k < 0 or k > (m.shape[dim] if m.shape else 1):
        raise RuntimeError("selected index k out of range")
    _orderable("topk", m)
    if m.dtype.category == 0:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    shape = (*m.shape[:dim], k, *m.shape[dim + 1:]) if m.shape else ()
    return Spec(m.dtype, shape), Spec(dt.int64, shape)


def _topk(a: np.ndarray, k: int, dim: int, largest: bool, sorted_: bool) -> tuple:
    values, order = _sort(a, dim, largest, True)
    if not a.ndim:
        return values, order
    cut = (slice(None),) * dim + (slice(0, k),)
    return values[cut], order[cut]


TOPK = operator("topk", "input, k:int, dim=-1, largest:bool=True, sorted:bool=True",
                Composite(lambda a, k, dim, largest, sorted_: _in_order(a.contiguous(), k, dim, largest)), _topk, _topk_rule,
                functions="topk", methods="topk", out=True, returns=ReturnTopk,
                normalize=lambda a, k, dim=-1, largest=True, sorted=True: (a, k, wrap_dim(dim, a.ndim), bool(largest), sorted))


def _kth(a: np.ndarray, k: int, dim: int, keepdim: bool) -> tuple:
    values, order = _sort(a, dim, False, True)
    if not a.ndim:
        return values, order
    cut = (slice(None),) * dim + (slice(k - 1, k) if keepdim else k - 1,)
    return values[cut], order[cut]


def _one_of(found: tuple, at: Any, dim: int, keepdim: bool) -> tuple:
    """Of (values, indices) in order, those at one place along dim: a number, or a tensor with size 1 there."""
    from .scatter import GATHER

    out = [call(GATHER, (x, dim, at)) if hasattr(at, "dtype") else x.narrow(dim, at, 1).clone() for x in found]
    return tuple(out if keepdim else [x.squeeze(dim) for x in out])


def _kth_composite(a: Any, k: Any, dim: int, keepdim: bool) -> tuple:
    if not a.ndim:
        return _in_order(a, 1, dim, False)
    return _one_of(_in_order(a.contiguous(), k, dim, False), k - 1, dim, keepdim)


def _kth_rule(m: Any, k: int, dim: int, keepdim: bool, name: str = "kthvalue") -> tuple:
    n = m.shape[dim] if m.shape else 1
    if n == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    if name == "kthvalue" and (k < 1 or k > n):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}")
    if m.dtype.category == 3 or (m.dtype.category == 0 and name == "kthvalue"):
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{type_name(m.dtype)}'")
    shape = (*m.shape[:dim], *((1,) if keepdim else ()), *m.shape[dim + 1:]) if m.shape else ()
    return Spec(m.dtype, shape), Spec(dt.int64, shape)


KTHVALUE = operator("kthvalue", "input, k:int, dim=-1, keepdim=False", Composite(_kth_composite), _kth, _kth_rule,
                    functions="kthvalue", methods="kthvalue", out=True, returns=ReturnKthvalue,
                    normalize=lambda a, k, dim=-1, keep=False: (a, k, wrap_dim(dim, a.ndim), bool(keep)))


def _median(a: np.ndarray, dim: int, keepdim: bool, skip_nan: bool = False) -> tuple:
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    values, order = _sort(a, dim, False, True)
    at = np.full([1 if d == dim else n for d, n in enumerate(a.shape)], (a.shape[dim] + 1) // 2 - 1)
    if a.dtype.kind == "f" and skip_nan:
        at = np.maximum((a.shape[dim] - np.isnan(values).sum(axis=dim, keepdims=True) + 1) // 2 - 1, 0)
    elif a.dtype.kind == "f":
        at = np.where(np.isnan(values).any(axis=dim, keepdims=True), np.isnan(values).argmax(axis=dim, keepdims=True), at)
    out = np.take_along_axis(values, at, dim), np.take_along_axis(order, at, dim)
    return out if keepdim else (out[0].squeeze(dim), out[1].squeeze(dim))


def _median_composite(a: Any, dim: int, keepdim: bool, skip_nan: bool = False) -> tuple:
    if not a.ndim:
        return _in_order(a, 1, dim, False)
    n = a.shape[dim]
    found = _in_order(a.contiguous(), n, dim, False)
    middle = (n + 1) // 2 - 1
    if a.dtype.category < 2:
        return _one_of(found, middle, dim, keepdim)
    missing = found[0].isnan().sum(dim, keepdim=True)                  # they come last
    at = ((n - missing + 1) // 2 - 1).clamp(min=0) if skip_nan else (n - missing).where(missing > 0, middle)
    return _one_of(found, at, dim, keepdim)


MEDIAN = operator("median_dim", "input, dim, keepdim=False", Composite(_median_composite), _median,
                  lambda m, dim, keepdim: _kth_rule(m, 0, dim, keepdim, "median"), returns=ReturnMedian,
                  normalize=lambda a, dim, keep=False: (a, wrap_dim(dim, a.ndim), bool(keep)))
NANMEDIAN = operator("nanmedian_dim", "input, dim, keepdim=False",
                     Composite(lambda a, dim, keepdim: _median_composite(a, dim, keepdim, True)),
                     lambda a, dim, keepdim: _median(a, dim, keepdim, True),
                     lambda m, dim, keepdim: _kth_rule(m, 0, dim, keepdim, "nanmedian"), returns=ReturnNanmedian,
                     normalize=lambda a, dim, keep=False: (a, wrap_dim(dim, a.ndim), bool(keep)))


def median_of(input: Any, dim: int | None, keepdim: bool, skip_nan: bool = False) -> Any:
    """median or nanmedian: the element itself over all, (values, indices) along dim."""
    if input.dtype.category in (0, 3):
        raise NotImplementedError(f"\"median_cpu\" not implemented for '{type_name(input.dtype)}'")
    flat = input.reshape(-1) if dim is None else input
    d = 0 if dim is None else wrap_dim(dim, input.ndim)
    n = flat.shape[d] if flat.ndim else 1
    if n == 0 and dim is not None:
        raise IndexError(f"median(): Expected reduction dim {d} to have non-zero size.")
    if n == 0:
        return input.new_full((), float("nan") if input.is_floating_point() else -1)
    out = call(NANMEDIAN if skip_nan else MEDIAN, (flat, d, keepdim if dim is not None else False))
    return out[0] if dim is None else out


@spelled("median", "median", KTHVALUE, out=True)
def median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median, of all elements or along dim (values, indices); NaN if there is one."""
    return median_of(input, dim, keepdim)


def _search_rule(s: Any, x: Any, int32: bool, right: bool) -> Spec:
    shape = x.shape if hasattr(x, "shape") else ()
    if len(s.shape) != 1:
        if not len(shape):
            raise RuntimeError("torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, "
                               f"but we got boundaries tensor dim({len(s.shape)}) and input value's dim(0)")
        if len(s.shape) != len(shape) or any(not same(a, b) and a != b for a, b in zip(s.shape[:-1], shape[:-1])):
            raise RuntimeError("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                               f"boundaries tensor and input value tensor must match, but we got boundaries tensor "
                               f"{list(s.shape)}"
                               f" and input value tensor {list(shape)}")
    if s.dtype.category in (0, 3):
        raise NotImplementedError(f"\"searchsorted_out_cpu\" not implemented for '{type_name(s.dtype)}'")
    return Spec(dt.int32 if int32 else dt.int64, shape)


SEARCHSORTED = operator("searchsorted", "sorted_sequence:tensor, input:operand, out_int32:bool=False, right:bool=False",
                        Extern(), lambda s, x, int32, right: _search(s, np.asarray(x), right), _search_rule)


def _search(s: np.ndarray, x: np.ndarray, right: bool) -> np.ndarray:
    side: Any = "right" if right else "left"
    if s.ndim == 1:
        return np.searchsorted(s, x, side)
    flat = [np.searchsorted(a, b, side) for a, b in zip(s.reshape(-1, s.shape[-1]), x.reshape(-1, x.shape[-1]))]
    return np.stack(flat).reshape(x.shape) if flat else np.zeros(x.shape, np.int64)


@spelled("searchsorted", "", SEARCHSORTED)
def searchsorted(sorted_sequence: Any, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
                 sorter: Any = None, out: Any = None) -> Any:
    """Where each element would be inserted into a rising sequence, before (left) or after (right) equal ones."""
    from .api import into_out

    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got side of left while right was "
                           "True")
    ordered = sorted_sequence if sorter is None else sorted_sequence.gather(-1, sorter)
    if hasattr(input, "dtype") and input.dtype is not ordered.dtype:
        d = promote_types(input.dtype, ordered.dtype)
        input, ordered = input.to(d), ordered.to(d)
    return into_out(out, call(SEARCHSORTED, (ordered, input, out_int32, right or side == "right")))


@spelled("bucketize", "", SEARCHSORTED)
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False, out: Any = None) -> Any:
    """The interval between boundaries each element falls in."""
    from .api import into_out

    if boundaries.ndim != 1:
        raise RuntimeError(f"bucketize(): boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    if hasattr(input, "dtype") and input.dtype is not boundaries.dtype:
        d = promote_types(input.dtype, boundaries.dtype)
        input, boundaries = input.to(d), boundaries.to(d)
    return into_out(out, call(SEARCHSORTED, (boundaries, input, out_int32, right)))


def _isin() -> Op:
    params = parse("elements:operand, test_elements:operand, *, assume_unique:bool=False, invert:bool=False")
    return register(Op("isin", params, lambda a, b, u, invert: np.isin(a, b, invert=invert),
                       checked("isin", params, lambda a, b, u, i: Spec(dt.bool_, a.shape if hasattr(a, "shape") else ())),
                       Extern(),
                       functions=("torch.isin",)))


ISIN = _isin()
