"""Functions of matrices composed of products and solutions: powers, exponential, products of many, tensor equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .declare import spelled, type_name
from .linalg import square
from .op import OPS, call


# -- products and powers ---------------------------------------------------------------------------------------------
@spelled("matrix_power linalg.matrix_power", "matrix_power", OPS["matmul"], out=True)
def matrix_power(input: Any, n: int) -> Any:
    """The n-fold product with itself; the inverse's for a negative n."""
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        square("matrix_power", input)
    if n < 0:
        return matrix_power(call(OPS["inv"], (input,)), -n)
    result = None
    base = input
    while n:
        if n & 1:
            result = base if result is None else result @ base
        n >>= 1
        base = base @ base if n else base
    from .ranges import eye

    return (eye(input.shape[-1], dtype=input.dtype, device=input.device).expand(tuple(input.shape)).clone() if result is None
            else result.clone() if result is input else result)


@spelled("matrix_exp linalg.matrix_exp", "matrix_exp", OPS["matmul"])
def matrix_exp(input: Any) -> Any:
    """The exponential of square matrices, by scaling, a Taylor series and squaring."""
    square("matrix_exp", input)
    from .conversion import elements
    from .ranges import eye

    array = elements(input, "matrix_exp()")
    size = float(np.abs(array).sum(-1).max()) if array.size else 0.0
    times = max(0, int(np.ceil(np.log2(max(size, 1e-300)))) + 3)
    x = input / 2 ** times
    unit = eye(input.shape[-1], dtype=input.dtype).expand(tuple(input.shape))
    term, total = unit, unit
    for k in range(1, 14):
        term = term @ x / k
        total = total + term
    for _ in range(times):
        total = total @ total
    return total.clone() if total is unit else total


@spelled("linalg.multi_dot chain_matmul", "", OPS["matmul"], out=True)
def multi_dot(tensors: Any, *more: Any) -> Any:
    """The product of several matrices, in the cheapest order for three, else from the left."""
    many = list(tensors) if isinstance(tensors, (tuple, list)) else [tensors, *more]
    if len(many) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(many)}")
    for word, m in (("first", many[0]), ("last", many[-1])):
        if m.ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {word} tensor must be 1D or 2D but got {m.ndim}D")
    result = many[0]
    for m in many[1:]:
        result = result @ m
    return result


@spelled("linalg.vecdot", "", OPS["mul"], out=True)
def vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    """The sum of conj(x) * y along dim."""
    return (x.conj() * y).sum(dim)


@spelled("linalg.diagonal", "", OPS["diagonal"])
def linalg_diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonals of the matrices in two dimensions."""
    return A.diagonal(offset, dim1, dim2)


@spelled("vander", "", OPS["pow"])
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Powers of the elements of a vector in columns, falling unless increasing=True."""
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    return _powers(x, N, increasing)


def _powers(x: Any, n: int | None, increasing: bool) -> Any:
    from .ranges import arange

    powers = arange(x.shape[-1] if n is None else n)
    return x.unsqueeze(-1) ** (powers if increasing else powers.flip(0))


@spelled("linalg.vander", "", OPS["pow"])
def linalg_vander(x: Any, *, N: int | None = None) -> Any:
    """Rising powers of the elements of vectors in columns."""
    if x.dtype in (dt.float16, dt.bfloat16, dt.bool_):
        raise RuntimeError(f"linalg.vander supports floating point, complex, and integer tensors, but got {type_name(x.dtype)}")
    return _powers(x, N, True)


@spelled("linalg.tensorsolve", "", OPS["solve"], out=True)
def tensorsolve(A: Any, B: Any, dims: Any = None) -> Any:
    """X with tensordot(A, X, X.ndim) = B."""
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A.ndim - len(dims), A.ndim)))
    rest = tuple(A.shape[B.ndim:])
    return call(OPS["solve"], (A.reshape(B.numel(), -1), B.reshape(-1))).reshape(rest)


@spelled("linalg.tensorinv", "", OPS["inv"], out=True)
def tensorinv(A: Any, ind: int = 2) -> Any:
    """The inverse of tensordot(A, ., ind)."""
    left, right = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    n = 1
    for k in left:
        n = n * k
    return call(OPS["inv"], (A.reshape(n, -1),)).reshape((*right, *left))
