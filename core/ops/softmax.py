"""softmax, log_softmax and logsumexp, composed of reductions and element-wise operators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tensor.state import STATE
from .declare import Spec, operator, reduction, spelled, type_name
from .dims import wrap_dim
from .op import Composite, call
from .promotion import opmath
from .reduction import AMAX, SUM


def _softmax_args(input: Any, dim: Any, dtype: Any = None) -> tuple:
    return (input, wrap_dim(dim, input.ndim), dtype)


def _softmax_rule(name: str) -> Any:
    def rule(input: Any, dim: int, dtype: Any) -> Spec:
        d = dtype or input.dtype
        if d.category != 2:
            raise NotImplementedError(f'"{name}_lastdim_kernel_impl" not implemented for \'{type_name(d)}\'')
        return Spec(d, input.shape)
    return rule


def wide_array(a: np.ndarray, dtype: Any) -> np.ndarray:
    a = a.astype(dtype.numpy) if dtype is not None else a
    return a.astype(np.float32) if a.dtype == np.float16 else a


def _peak(a: np.ndarray, dim: int) -> np.ndarray:
    return a.max(axis=dim, keepdims=True) if a.size else np.zeros(1, a.dtype)


def _softmax(a: np.ndarray, dim: int, dtype: Any) -> Any:
    a = wide_array(a, dtype)
    if not a.ndim:
        return np.exp(a - a)
    e = np.exp(a - _peak(a, dim))
    return e / e.sum(axis=dim, keepdims=True)


def _log_softmax(a: np.ndarray, dim: int, dtype: Any) -> Any:
    a = wide_array(a, dtype)
    if not a.ndim:
        return a - a
    shifted = a - _peak(a, dim)
    return shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))


def _softmax_composite(input: Any, dim: int, dtype: Any) -> Any:
    result = dtype or input.dtype
    x = input.to(opmath(result))
    if not x.ndim:
        return (x - x).exp().to(result)
    e = (x - call(AMAX, (x, (dim,), True))).exp()
    return (e / call(SUM, (e, (dim,), True, None))).to(result)


def _log_softmax_composite(input: Any, dim: int, dtype: Any) -> Any:
    result = dtype or input.dtype
    x = input.to(opmath(result))
    if not x.ndim:
        return (x - x).to(result)
    shifted = x - call(AMAX, (x, (dim,), True))
    return (shifted - call(SUM, (shifted.exp(), (dim,), True, None)).log()).to(result)


SOFTMAX = operator("softmax", "input, dim, dtype=None", Composite(_softmax_composite), _softmax, _softmax_rule("softmax"),
                   normalize=_softmax_args, functions="softmax special.softmax", methods="softmax", out=True)
LOG_SOFTMAX = operator("log_softmax", "input, dim, dtype=None", Composite(_log_softmax_composite), _log_softmax,
                       _softmax_rule("log_softmax"), normalize=_softmax_args,
                       functions="log_softmax special.log_softmax", methods="log_softmax", out=True)


def _implicit(ndim: int) -> int:
    return 0 if ndim in (0, 1, 3) else 1


@spelled("F.softmax", "", SOFTMAX)
def f_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """exp(x) normalised to sum 1 along dim."""
    return call(SOFTMAX, (input, _implicit(input.ndim) if dim is None else dim, dtype))


@spelled("F.softmin", "", SOFTMAX)
def f_softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """softmax of -x."""
    return call(SOFTMAX, (-input, _implicit(input.ndim) if dim is None else dim, dtype))


@spelled("F.log_softmax", "", LOG_SOFTMAX)
def f_log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """log of softmax, without overflow."""
    return call(LOG_SOFTMAX, (input, _implicit(input.ndim) if dim is None else dim, dtype))


def _lse_composite(input: Any, dim: tuple, keepdim: bool) -> Any:
    result = input.dtype if input.dtype.category >= 2 else STATE.mode.default_dtype
    x = input.to(opmath(result))
    peak = call(AMAX, (x, dim, True))
    peak = peak.masked_fill(peak.abs() == math.inf, 0)
    out = call(SUM, ((x - peak).exp(), dim, True, None)).log() + peak
    return (out if keepdim else call(AMAX, (out, dim, False))).to(result)


def _lse(a: np.ndarray, dim: tuple, keep: bool) -> Any:
    a = wide_array(a, None) if a.dtype.kind in "fc" else a.astype(STATE.mode.default_dtype.numpy)
    peak = a.real.max(axis=dim, keepdims=True) if a.size else np.zeros((), a.real.dtype)
    peak = np.where(np.isfinite(peak), peak, 0)
    out = np.log(np.exp(a - peak).sum(axis=dim, keepdims=keep))
    return out + (peak if keep or not a.size else peak.reshape(np.shape(out)))


LOGSUMEXP = reduction("logsumexp", "input, dim:dims, keepdim=False", Composite(_lse_composite), _lse,
                      lambda m: m.dtype if m.dtype.category >= 2 else STATE.mode.default_dtype,
                      functions="logsumexp special.logsumexp", methods="logsumexp")
