"""Vector and matrix norms and what is made of them: normalize, dist."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .declare import reduction, spelled, type_name
from .dims import wrap_dim, wrap_dims
from .op import OPS, Reduction, call
from .reduction import AMAX, AMIN, SUM, accumulator, float_result


def _norm_dtype(m: Any, dtype: Any = None) -> Any:
    d = float_result("linalg.vector_norm")(m, dtype)
    return dt.REAL_OF.get(d, d)


def _cast(a: np.ndarray, dtype: Any) -> np.ndarray:
    wide = a.astype(accumulator(a, dtype))
    return np.abs(wide) if wide.dtype.kind == "c" else wide


NORM2 = reduction("norm2", "input, dim:dims=None, keepdim=False, *, dtype=None",
                  Reduction("sum", before="input * input", after="sqrt(acc)"),
                  lambda a, dim, keep, dtype: np.sqrt(np.square(_cast(a, dtype)).sum(axis=dim, keepdims=keep)), _norm_dtype)
NORM1 = reduction("norm1", "input, dim:dims=None, keepdim=False, *, dtype=None", Reduction("sum", before="abs(input)"),
                  lambda a, dim, keep, dtype: np.abs(_cast(a, dtype)).sum(axis=dim, keepdims=keep), _norm_dtype)


def _check_input(name: str, x: Any, dtype: Any = None) -> None:
    if x.dtype.category < 2:
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {type_name(x.dtype)}")
    if dtype is not None and dtype.category < 2:
        raise RuntimeError(f"linalg.{name}: dtype should be floating point or complex. Got {type_name(dtype)}")


@spelled("linalg.vector_norm", "", NORM2)
def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None) -> Any:
    """The ord-norm of the elements (over dim): (sum |x|**ord) ** (1/ord), with its limits for inf, -inf and 0."""
    from .api import into_out

    if isinstance(ord, str):
        raise TypeError("linalg_vector_norm(): argument 'ord' (position 2) must be Number, not str")
    _check_input("vector_norm", x, dtype)
    return into_out(out, _vector_norm(x, ord, dim, keepdim, dtype))


def _vector_norm(x: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if ord == 2:
        return call(NORM2, (x, dim, keepdim, dtype))
    if ord == 1:
        return call(NORM1, (x, dim, keepdim, dtype))
    x = x.to(dtype) if dtype is not None else x
    if ord == math.inf or ord < 0:
        for d in wrap_dims(dim, x.ndim):
            if x.ndim and isinstance(x.shape[d], int) and x.shape[d] == 0:
                raise RuntimeError(f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation "
                                   f"does not have an identity")
    if ord == math.inf:
        return call(AMAX, (x.abs(), dim, keepdim))
    if ord == -math.inf:
        return call(AMIN, (x.abs(), dim, keepdim))
    if ord == 0:
        return call(SUM, ((x != 0).to(dt.REAL_OF.get(x.dtype, x.dtype)), dim, keepdim, None))
    return call(SUM, (x.abs() ** ord, dim, keepdim, None)) ** (1.0 / ord)


@spelled("linalg.matrix_norm", "", NORM2)
def matrix_norm(A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None,
                out: Any = None) -> Any:
    """The norm of matrices in two dimensions: "fro", "nuc", 1, -1, 2, -2, inf or -inf."""
    _check_input("matrix_norm", A, dtype)
    if A.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim}")
    rows, cols = (wrap_dim(d, A.ndim) for d in dim)
    if rows == cols:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        return vector_norm(A, 2, (rows, cols), keepdim, dtype=dtype, out=out)
    if ord not in ("nuc", 1, -1, 2, -2, math.inf, -math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if (dtype or A.dtype) in (dt.float16, dt.bfloat16) and ord in ("nuc", 2, -2):
        raise RuntimeError(f"linalg.matrix_norm: Low precision dtypes not supported. Got {type_name(dtype or A.dtype)}")
    from .api import into_out

    x = A if dtype is None else A.to(dtype)
    rest = [d for d in range(x.ndim) if d not in (rows, cols)]
    if ord in ("nuc", 2, -2):
        values = call(OPS["svd"], (x.permute([*rest, rows, cols]), False))[1]
        found = values.sum(-1) if ord == "nuc" else values.amax(-1) if ord == 2 else values.amin(-1)
    else:
        gone, left = (rows, cols) if abs(ord) == 1 else (cols, rows)
        sums = vector_norm(x, 1, gone)
        at = left - (gone < left)
        found = sums.amax(at) if ord > 0 else sums.amin(at)
    if keepdim:
        for d in sorted((rows, cols)):
            found = found.unsqueeze(d)
    return into_out(out, found)


@spelled("norm", "norm", NORM2)
def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None) -> Any:
    """torch.norm: the p-norm of all elements or over dim ("fro" and None are the 2-norm, "nuc" sums singular values)."""
    if p == "nuc":
        return matrix_norm(input, "nuc", tuple(range(input.ndim)) if dim is None else dim, keepdim, dtype=dtype, out=out)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"only valid string values are 'fro' and 'nuc', found {p}")
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype, out=out)


@spelled("linalg.norm", "", NORM2)
def linalg_norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, out: Any = None, dtype: Any = None) -> Any:
    """torch.linalg.norm: of all elements without `ord`, else a vector norm over one dimension, a matrix norm over two."""
    _check_input("norm", A, dtype)
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, out=out, dtype=dtype)
    if dim is None:
        if A.ndim not in (1, 2):
            raise RuntimeError(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D.")
        dim = (0,) if A.ndim == 1 and not isinstance(ord, str) else (0, 1)
    many = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if len(many) == 1 and not isinstance(ord, str):
        return vector_norm(A, ord, many, keepdim, out=out, dtype=dtype)
    return matrix_norm(A, ord, many, keepdim, out=out, dtype=dtype)


@spelled("F.normalize", "", NORM2)
def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """x / max(||x||_p, eps) along dim."""
    from .api import into_out

    return into_out(out, input / vector_norm(input, p, dim, True).clamp_min(eps))


@spelled("dist", "dist", NORM2)
def dist(input: Any, other: Any, p: float = 2) -> Any:
    """The p-norm of input - other."""
    return vector_norm(input - other, p)
