"""Operators whose result has a size that only the data knows: nonzero, masked_select, unique, bincount."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tensor.dtypes import widened
from .conversion import elements
from .declare import spelled, type_name
from .dims import wrap_dim


@spelled("nonzero argwhere", "nonzero argwhere", None)
def nonzero(input: Any, *, as_tuple: bool = False, out: Any = None) -> Any:
    """Positions of the elements that are not zero: one row each, or one vector per dimension."""
    from ..tensor.tensor import wrap
    from .api import into_out

    array = widened(elements(input, "nonzero()"))
    if as_tuple:
        found = np.nonzero(np.atleast_1d(array))
        return tuple([wrap(_column(f)) for f in found])
    rows = np.argwhere(array).astype(np.int64).reshape(int(np.count_nonzero(array)), array.ndim)
    return into_out(out, _by_columns(rows) if out is None else wrap(rows))


def _column(a: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(a.astype(np.int64))


def _by_columns(rows: np.ndarray) -> Any:
    """The positions in PyTorch's layout: one column after the other where there are several."""
    from ..tensor.tensor import wrap

    return wrap(np.ascontiguousarray(rows.T).T if rows.shape[1] > 1 and rows.shape[0] > 1 else rows)


@spelled("masked_select", "masked_select", None, out=True)
def masked_select(input: Any, mask: Any) -> Any:
    """The elements where the mask holds, as a vector."""
    from .views import broadcast_tensors

    a, m = broadcast_tensors(input, mask)
    return a[m]


@spelled("unique", "unique", None)
def unique(input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
           dim: int | None = None) -> Any:
    """Distinct elements (or slices along dim) in rising order; with inverse positions and counts if asked for."""
    if not isinstance(sorted, bool):
        raise TypeError(f"unique(): argument 'sorted' must be bool, not {type(sorted).__name__}")
    array = widened(elements(input, "unique()"))
    d = _slices(array, dim)
    values, inverse, counts = np.unique(array, return_inverse=True, return_counts=True, axis=d)
    shape = array.shape if d is None else (array.shape[d],)
    return _results(input, values, inverse.reshape(shape) if return_inverse else None, counts if return_counts else None)


def _slices(array: np.ndarray, dim: Any) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise TypeError(f"unique_dim(): argument 'dim' (position 2) must be int, not {type(dim).__name__}")
    if not array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, array.ndim)


def _results(input: Any, values: np.ndarray, inverse: np.ndarray | None, counts: np.ndarray | None) -> Any:
    from ..tensor.tensor import wrap

    out = [wrap(np.array(values, input.dtype.numpy, order="C"))]
    out += [wrap(np.array(a, np.int64, order="C")) for a in (inverse, counts) if a is not None]
    return out[0] if len(out) == 1 else tuple(out)


@spelled("unique_consecutive", "unique_consecutive", None)
def unique_consecutive(input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The elements (or slices along dim) without repeats of their predecessor."""
    array = widened(elements(input, "unique_consecutive()"))
    d = _slices(array, dim)
    rows = (
        array.reshape(-1, 1)
        if d is None
        else np.moveaxis(array, d, 0).reshape(array.shape[d], math.prod(array.shape) // max(array.shape[d], 1))
    )
    new = np.concatenate([[True], (rows[1:] != rows[:-1]).any(1)]) if len(rows) else np.zeros(0, bool)
    at = np.nonzero(new)[0]
    values = array.reshape(-1)[new] if d is None else np.compress(new, array, axis=d)
    inverse = (np.cumsum(new) - 1).reshape(array.shape if d is None else -1)
    return _results(input, values, inverse if return_inverse else None,
                    np.diff(np.append(at, len(rows))) if return_counts else None)


@spelled("bincount", "bincount", None)
def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each non-negative integer occurs."""
    from ..tensor.tensor import wrap

    if input.dtype.category != 1:
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{type_name(input.dtype)}'")
    if input.ndim != 1 or (input._array is not None and input._array.size and input._array.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    w = None if weights is None else elements(weights, "bincount()")
    got = np.bincount(elements(input, "bincount()"), w, minlength)
    return wrap(got.astype(np.int64) if w is None else got.astype(w.dtype if w.dtype.kind == "f" else np.float64))
