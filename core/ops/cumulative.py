"""Running sums, products and extremes along a dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .declare import Spec, named_result, operator, type_name
from .dims import wrap_dim
from .op import Extern, Op, Template
from .promotion import sum_dtype
from .reduction import accumulator, no_complex
from .softmax import wide_array


def _cumulative(name: str, f: Any) -> Op:
    def eager(a: np.ndarray, dim: int, dtype: Any) -> Any:
        acc = accumulator(a, dtype)
        if acc == np.float32:                            # as PyTorch: long rows would add up rounding errors
            acc = np.dtype(np.float64)
        return f(a, axis=dim, dtype=acc) if a.ndim else a.astype(acc)

    return operator(name, "input, dim, *, dtype=None", Template("scan"), eager,
                    lambda m, dim, dtype: Spec(dtype or sum_dtype(m.dtype), m.shape),
                    normalize=lambda a, dim, dtype=None: (a, wrap_dim(dim, a.ndim), dtype), functions=name, methods=name,
                    out=True)


CUMSUM = _cumulative("cumsum", np.cumsum)
CUMPROD = _cumulative("cumprod", np.cumprod)


def _running_rule(name: str, m: Any) -> tuple:
    no_complex(m, lambda d: NotImplementedError(f"\"{name}_cpu\" not implemented for '{d}'"))
    return Spec(m.dtype, m.shape), Spec(dt.int64, m.shape)


def _running(name: str, better: Any, returns: type) -> Op:
    def eager(a: np.ndarray, dim: int) -> tuple:
        if not a.ndim:
            return a.copy(), np.zeros((), np.int64)
        values = better.accumulate(a, axis=dim)
        at = np.broadcast_to(np.arange(a.shape[dim]).reshape([-1 if d == dim else 1 for d in range(a.ndim)]), a.shape)
        new = (a == values) | (np.isnan(a) if a.dtype.kind == "f" else False)
        return values, np.maximum.accumulate(np.where(new, at, 0), axis=dim)

    return operator(name, "input, dim", Extern(), eager, lambda m, dim: _running_rule(name, m),
                    normalize=lambda a, dim: (a, wrap_dim(dim, a.ndim)), functions=name, methods=name, out=True,
                    returns=returns)


_running("cummax", np.maximum, named_result("cummax", "values indices"))
_running("cummin", np.minimum, named_result("cummin", "values indices"))

def _floating_only(name: str, m: Any) -> Spec:
    if m.dtype.category < 2:
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(m.dtype)}'")
    return Spec(m.dtype, m.shape)


def _logcumsumexp(a: np.ndarray, dim: int) -> np.ndarray:
    if a.dtype.kind != "c":
        return np.logaddexp.accumulate(a, axis=dim)
    peak = a.real.max(axis=dim, keepdims=True) if a.size else np.zeros(1, a.real.dtype)
    return np.log(np.cumsum(np.exp(a - peak), axis=dim)) + peak


LOGCUMSUMEXP = operator(
    "logcumsumexp",
    "input, dim",
    Extern(),
    lambda a, dim: _logcumsumexp(wide_array(a, None), dim) if a.ndim else a,
    lambda m, dim: _floating_only("logcumsumexp_out_cpu", m),
    functions="logcumsumexp",
    out=True,
    methods="logcumsumexp",
    normalize=lambda a, dim: (a, wrap_dim(dim, a.ndim)),
)
