"""Vector norms and what is made of them: normalize, dist."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .declare import reduction, spelled
from .op import Reduction, call
from .reduction import AMAX, AMIN, SUM, accumulator, float_result

_norm_dtype = lambda m, dtype=None: float_result("linalg.vector_norm")(m, dtype)
_cast = lambda a, dtype: a.astype(accumulator(a, dtype))
NORM2 = reduction("norm2", "input, dim:dims=None, keepdim=False, *, dtype=None",
                  Reduction("sum", before="input * input", after="sqrt(acc)"),
                  lambda a, dim, keep, dtype: np.sqrt(np.square(_cast(a, dtype)).sum(axis=dim, keepdims=keep)), _norm_dtype)
NORM1 = reduction("norm1", "input, dim:dims=None, keepdim=False, *, dtype=None", Reduction("sum", before="abs(input)"),
                  lambda a, dim, keep, dtype: np.abs(_cast(a, dtype)).sum(axis=dim, keepdims=keep), _norm_dtype)


@spelled("linalg.vector_norm", "", NORM2)
def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None) -> Any:
    """The ord-norm of the elements (over dim): (sum |x|**ord) ** (1/ord), with its limits for inf, -inf and 0."""
    float_result("linalg.vector_norm")(x, dtype)
    if ord == 2:
        return call(NORM2, (x, dim, keepdim, dtype))
    if ord == 1:
        return call(NORM1, (x, dim, keepdim, dtype))
    x = x.to(dtype) if dtype is not None else x
    if ord == math.inf:
        return call(AMAX, (x.abs(), dim, keepdim))
    if ord == -math.inf:
        return call(AMIN, (x.abs(), dim, keepdim))
    if ord == 0:
        return call(SUM, ((x != 0).to(x.dtype), dim, keepdim, None))
    return call(SUM, (x.abs() ** ord, dim, keepdim, None)) ** (1.0 / ord)


@spelled("norm", "norm", NORM2)
def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None) -> Any:
    """torch.norm: the p-norm of all elements or over dim ("fro" and None are the 2-norm)."""
    if p == "nuc":
        from ..errors import NotYetSupported
        raise NotYetSupported("torch.norm(p='nuc') does not exist yet; p='fro' and any number do.")
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


@spelled("linalg.norm", "", NORM2)
def linalg_norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, out: Any = None, dtype: Any = None) -> Any:
    """torch.linalg.norm for vectors and for the Frobenius norm of matrices."""
    if isinstance(ord, (int, float)) and dim is None and A.ndim > 1:
        from ..errors import NotYetSupported
        raise NotYetSupported("torch.linalg.norm of a matrix with a numeric ord does not exist yet; "
                              "torch.linalg.vector_norm and ord='fro' do.")
    return vector_norm(A, 2 if ord in ("fro", None) else ord, dim, keepdim, dtype=dtype)


@spelled("F.normalize", "", NORM2)
def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """x / max(||x||_p, eps) along dim."""
    return input / vector_norm(input, p, dim, True).clamp_min(eps)


@spelled("dist", "dist", NORM2)
def dist(input: Any, other: Any, p: float = 2) -> Any:
    """The p-norm of input - other."""
    return vector_norm(input - other, p)
