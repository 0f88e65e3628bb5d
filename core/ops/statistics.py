"""Statistics beyond sums: quantiles, modes, histograms, covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .declare import Spec, named_result, operator, spelled, type_name
from .dims import wrap_dim
from .op import Extern, Op, call

ReturnMode = named_result("mode", "values indices")
ReturnHistogram = named_result("histogram", "hist bin_edges")


# -- quantiles -------------------------------------------------------------------------------------------------------
_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(name: str, a: np.ndarray, q: Any, dim: Any, keepdim: bool, interpolation: str) -> Any:
    """By sorting; a NaN among the elements makes the result NaN (quantile) or is left out (nanquantile)."""
    q = np.asarray(q, a.dtype)
    if q.size and (q.min() < 0 or q.max() > 1):
        raise RuntimeError(f"{name}() q " + ("values must be in the range [0, 1]" if q.ndim else
                                             f"must be in the range [0, 1] but got {q}"))
    flat = np.moveaxis(a.reshape(-1) if dim is None else np.atleast_1d(a), -1 if dim is None else dim, -1)
    ordered = np.sort(flat, axis=-1)                       # NaN last
    missing = np.isnan(flat).sum(-1)
    last = np.full(missing.shape, flat.shape[-1] - 1)
    if name == "nanquantile":
        last = np.maximum(last - missing, 0)
    place = q.reshape(-1, *[1] * last.ndim).astype(a.dtype) * last.astype(a.dtype)
    low = np.floor(place)
    rounded = {"lower": low, "higher": np.ceil(place), "nearest": np.rint(place)}.get(interpolation)
    rows = np.broadcast_to(ordered, (place.shape[0], *ordered.shape))

    def at(index: np.ndarray) -> np.ndarray:
        return np.take_along_axis(rows, index.astype(np.int64)[..., None], -1)[..., 0]

    if rounded is not None:
        out = at(rounded)
    else:
        below, above = at(low), at(np.ceil(place))
        weight = np.asarray(0.5, a.dtype) if interpolation == "midpoint" else place - low
        out = np.where(below == above, below, below + weight * (above - below))
    out = np.where((missing > 0) if name == "quantile" else (missing == flat.shape[-1]), np.nan, out)
    rest = [1] * a.ndim if dim is None and keepdim else [] if dim is None else \
        [1 if d == dim else n for d, n in enumerate(a.shape)] if keepdim else [n for d, n in enumerate(a.shape) if d != dim]
    return out.reshape((*q.shape, *rest)).astype(a.dtype)


def _quantile_rule(name: str) -> Any:
    def rule(m: Any, q: Any, dim: Any, keepdim: bool, interpolation: str) -> Spec:
        if m.dtype not in (dt.float32, dt.float64):
            raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
        size = tuple(getattr(q, "shape", ()))
        if len(size) > 1:
            raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
        if hasattr(q, "dtype") and q.dtype is not m.dtype:
            raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
        if interpolation not in _METHODS:
            raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
                               f"{interpolation}")
        if any(n == 0 for n in m.shape):
            raise RuntimeError(f"{name}() input tensor must be non-empty")
        kept = [1 if dim is None or d == dim else n for d, n in enumerate(m.shape)] if keepdim else \
            [n for d, n in enumerate(m.shape) if dim is not None and d != dim]
        return Spec(m.dtype, (*size, *kept) if m.shape else size)
    return rule


def _quantile_op(name: str) -> Op:
    return operator(name, "input, q:operand, dim:any=None, keepdim=False, *, interpolation:str='linear'", Extern(),
                    lambda *args: _quantile(name, *args), _quantile_rule(name), functions=name, methods=name, out=True,
                    normalize=lambda a, q, dim=None, keepdim=False, interpolation="linear": (
                        a, q, None if dim is None else wrap_dim(dim, a.ndim), bool(keepdim), interpolation))


QUANTILE = _quantile_op("quantile")
NANQUANTILE = _quantile_op("nanquantile")


# -- mode ------------------------------------------------------------------------------------------------------------
def _mode(a: np.ndarray, dim: int, keepdim: bool) -> tuple:
    """The most frequent value (the smallest of several) and the last place where it stands."""
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    lines = np.moveaxis(a, dim, -1)
    values, places = np.empty(lines.shape[:-1], a.dtype), np.empty(lines.shape[:-1], np.int64)
    for at in np.ndindex(lines.shape[:-1]):
        distinct, counts = np.unique(lines[at], return_counts=True)
        values[at] = distinct[np.argmax(counts)]
        places[at] = np.nonzero(lines[at] == values[at])[0][-1]
    return (np.expand_dims(values, dim), np.expand_dims(places, dim)) if keepdim else (values, places)


def _mode_rule(m: Any, dim: int, keepdim: bool) -> tuple:
    if m.dtype.category == 3:
        raise NotImplementedError(f"\"mode_cpu\" not implemented for '{type_name(m.dtype)}'")
    if m.shape and m.shape[dim] == 0:
        raise IndexError(f"mode(): Expected reduction dim {dim} to have non-zero size.")
    shape = (*m.shape[:dim], *((1,) if keepdim else ()), *m.shape[dim + 1:]) if m.shape else ()
    return Spec(m.dtype, shape), Spec(dt.int64, shape)


MODE = operator("mode", "input, dim=-1, keepdim=False", Extern(), _mode, _mode_rule, functions="mode", methods="mode", out=True,
                returns=ReturnMode, normalize=lambda a, dim=-1, keep=False: (a, wrap_dim(dim, a.ndim), bool(keep)))


# -- histograms ------------------------------------------------------------------------------------------------------
def _histc(a: np.ndarray, bins: int, low: Any, high: Any) -> np.ndarray:
    flat = a.reshape(-1)
    if low == high and flat.size:
        low, high = flat.min(), flat.max()
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"range of [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError("max must be larger than min")
    return np.histogram(flat[(flat >= low) & (flat <= high)], bins, (low, high))[0].astype(a.dtype)


def _histc_rule(m: Any, bins: Any, low: Any, high: Any) -> Spec:
    if m.dtype.category != 2:
        raise NotImplementedError(f"\"histogram_cpu\" not implemented for '{type_name(m.dtype)}'")
    if bins <= 0:
        raise RuntimeError("bins must be > 0")
    return Spec(m.dtype, (bins,))


HISTC = operator("histc", "input, bins:int=100, min:any=0, max:any=0", Extern(), _histc, _histc_rule, functions="histc",
                 methods="histc", out=True, differentiable=False)


@spelled("histogram", "histogram", HISTC, out=True)
def histogram(input: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """(counts, edges) of equal bins, or of bins with the given edges."""
    from ..tensor.tensor import wrap
    from .conversion import elements

    if input.dtype not in (dt.float32, dt.float64):
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{type_name(input.dtype)}'")
    array = elements(input, "histogram()").reshape(-1)
    edges = bins if isinstance(bins, int) else elements(bins, "histogram()")
    limits = range if range is not None else None
    w = None if weight is None else elements(weight, "histogram()").reshape(-1)
    counts, edges = np.histogram(array, edges, limits, density, w)
    kind = input.dtype.numpy
    return ReturnHistogram(wrap(counts.astype(kind)), wrap(np.asarray(edges).astype(kind)))


# -- covariance ------------------------------------------------------------------------------------------------------
@spelled("cov", "cov", None)
def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariance matrix of variables in rows and observations in columns."""
    if input.ndim > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim} "
                           "dimensions")
    if input.dtype.category == 0:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input.reshape(1, -1) if input.ndim < 2 else input
    weight = None
    if fweights is not None:
        weight = fweights
    if aweights is not None:
        weight = aweights if weight is None else weight * aweights
    if rows.dtype.category < 2:
        rows = rows.to(_default())
    if weight is None:
        count: Any = rows.shape[1]
        average = rows.mean(1, keepdim=True)
        centred = rows - average
        scaled = centred
        norm = count - correction
    else:
        total = weight.sum()
        average = (rows * weight).sum(1, keepdim=True) / total
        centred = rows - average
        scaled = centred * weight
        norm = total - correction * ((weight * aweights).sum() / total if aweights is not None else 1)
    if isinstance(norm, (int, float)):
        norm = max(norm, 0)
    other = centred.t().conj() if centred.dtype.category == 3 else centred.t()
    return (scaled @ other / norm).squeeze()


@spelled("corrcoef", "corrcoef", None)
def corrcoef(input: Any) -> Any:
    """The matrix of correlation coefficients of variables in rows."""
    if input.ndim > 2:
        raise RuntimeError(f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.ndim} "
                           "dimensions")
    c = cov(input)
    if c.ndim == 0:
        return c / c
    spread = c.diagonal().sqrt()
    out = c / spread.unsqueeze(-1) / spread.unsqueeze(0)
    return out if out.dtype.category == 3 else out.clamp(-1, 1)


def _default() -> Any:
    from ..tensor.state import STATE

    return STATE.mode.default_dtype


@spelled("renorm", "renorm", None, out=True)
def renorm(input: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Every slice along dim scaled down so that its p-norm is at most maxnorm."""
    from .norms import vector_norm

    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    d = wrap_dim(dim, input.ndim)
    size = vector_norm(input, p, [k for k in range(input.ndim) if k != d], True)
    return input * (maxnorm / (size + 1e-7)).clamp_max(1).where(size > maxnorm, 1)


@spelled("nanmedian", "nanmedian", None, out=True)
def nanmedian(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median of the elements that are not NaN, of all or along dim (values, indices)."""
    from .sorting import median_of

    return median_of(input, dim, keepdim, skip_nan=True)


__all__ = ["MODE", "NANQUANTILE", "QUANTILE", "call"]
