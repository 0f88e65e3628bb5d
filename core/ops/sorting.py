"""Sorting and searching: sort, topk, median, quantiles, intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .declare import Spec, checked, named_result, operator, parse, spelled
from .dims import wrap_dim
from .op import Extern, Op, call, register
from .strides import like_strides

ReturnTopk = named_result("topk", "values indices")
ReturnSort = named_result("sort", "values indices")
ReturnMedian = named_result("median", "values indices")


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


TOPK = operator("topk", "input, k:int, dim=-1, largest:bool=True, sorted:bool=True", Extern(), _topk, _topk_rule,
                functions="topk",
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
    method: Any = interpolation
    return np.quantile(a, q, axis=dim, keepdims=keepdim, method=method).astype(a.dtype)


def _quantile_rule(m: Any, q: Any, dim: Any, keepdim: bool, interpolation: str) -> Spec:
    shape = [n for d, n in enumerate(m.shape) if d != dim] if dim is not None and not keepdim else \
        [1 if dim is None or d == dim else n for d, n in enumerate(m.shape)] if keepdim else []
    return Spec(m.dtype, (*q.shape, *shape))


QUANTILE = operator("quantile", "input, q:operand, dim:any=None, keepdim=False, *, interpolation:str='linear'", Extern(),
                    _quantile,
                    lambda m, q, *rest: _quantile_rule(m, q if hasattr(q, "shape") else Spec(m.dtype, ()), *rest),
                    functions="quantile", methods="quantile",
                    normalize=lambda a, q, dim=None, keepdim=False, interpolation="linear": (
                        a, q, None if dim is None else wrap_dim(dim, a.ndim), bool(keepdim), interpolation))

SEARCHSORTED = operator("searchsorted", "sorted_sequence:tensor, input:operand, *, out_int32:bool=False, right:bool=False",
                        Extern(),
                        lambda s, x, int32, right: _search(s, np.asarray(x), right),
                        lambda s, x, int32, right: Spec(dt.int32 if int32 else dt.int64,
                                                        x.shape if hasattr(x, "shape") else ()),
                        functions="searchsorted")


def _search(s: np.ndarray, x: np.ndarray, right: bool) -> np.ndarray:
    side: Any = "right" if right else "left"
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
                       checked("isin", params, lambda a, b, u, i: Spec(dt.bool_, a.shape if hasattr(a, "shape") else ())),
                       Extern(),
                       functions=("torch.isin",)))


ISIN = _isin()
