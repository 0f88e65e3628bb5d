"""Running sums, products and extremes along a dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .declare import Spec, named_result, operator
from .dims import wrap_dim
from .op import Extern, Op
from .promotion import sum_dtype
from .reduction import accumulator
from .softmax import wide_array


def _cumulative(name: str, f: Any) -> Op:
    def eager(a: np.ndarray, dim: int, dtype: Any) -> Any:
        acc = accumulator(a, dtype)
        return f(a, axis=dim, dtype=acc) if a.ndim else a.astype(acc)

    return operator(name, "input, dim, *, dtype=None", Extern(), eager,
                    lambda m, dim, dtype: Spec(dtype or sum_dtype(m.dtype), m.shape),
                    normalize=lambda a, dim, dtype=None: (a, wrap_dim(dim, a.ndim), dtype), functions=name, methods=name,
                    out=True)


CUMSUM = _cumulative("cumsum", np.cumsum)
CUMPROD = _cumulative("cumprod", np.cumprod)


def _running(name: str, better: Any, returns: type) -> Op:
    def eager(a: np.ndarray, dim: int) -> tuple:
        if not a.ndim:
            return a.copy(), np.zeros((), np.int64)
        values = better.accumulate(a, axis=dim)
        at = np.broadcast_to(np.arange(a.shape[dim]).reshape([-1 if d == dim else 1 for d in range(a.ndim)]), a.shape)
        new = (a == values) | (np.isnan(a) if a.dtype.kind == "f" else False)
        return values, np.maximum.accumulate(np.where(new, at, 0), axis=dim)

    return operator(name, "input, dim", Extern(), eager, lambda m, dim: (Spec(m.dtype, m.shape), Spec(dt.int64, m.shape)),
                    normalize=lambda a, dim: (a, wrap_dim(dim, a.ndim)), functions=name, methods=name, returns=returns)


_running("cummax", np.maximum, named_result("cummax", "values indices"))
_running("cummin", np.minimum, named_result("cummin", "values indices"))

LOGCUMSUMEXP = operator("logcumsumexp", "input, dim", Extern(),
                        lambda a, dim: np.logaddexp.accumulate(wide_array(a, None), axis=dim) if a.ndim else a,
                        lambda m, dim: Spec(m.dtype, m.shape), functions="logcumsumexp", methods="logcumsumexp",
                        normalize=lambda a, dim: (a, wrap_dim(dim, a.ndim)))
