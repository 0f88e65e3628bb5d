"""Decompositions and solutions of linear systems, by NumPy's LAPACK; always computed eagerly, floating dtypes only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .declare import Spec, named_result, operator, spelled, type_name
from .dims import wrap_dim
from .op import Extern, Op, call


def _square(name: str, m: Any) -> None:
    if m.dtype.category != 2:
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {type_name(m.dtype)}")
    if len(m.shape) < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if m.shape[-1] != m.shape[-2]:
        raise RuntimeError(f"linalg.{name}: A must be batches of square matrices, but they are {m.shape[-2]} by "
                           f"{m.shape[-1]} matrices")


def _solved(f: Callable[..., Any], what: str) -> Callable[..., Any]:
    """`f` with NumPy's complaint about a singular matrix as a RuntimeError."""
    def run(*arrays: np.ndarray) -> Any:
        try:
            return f(*arrays)
        except np.linalg.LinAlgError as error:
            raise RuntimeError(f"linalg.{what}: the computation could not be completed: {error}") from None
    return run


def _same_size(name: str) -> Callable[..., Spec]:
    def rule(m: Any) -> Spec:
        _square(name, m)
        return Spec(m.dtype, m.shape)
    return rule


INV = operator("inv", "A:tensor", Extern(), _solved(np.linalg.inv, "inv"), _same_size("inv"),
               functions="linalg.inv inverse", methods="inverse")
CHOLESKY = operator("cholesky", "A:tensor", Extern(), _solved(np.linalg.cholesky, "cholesky"), _same_size("cholesky"),
                    functions="linalg.cholesky")


def _scalar_per_matrix(m: Any) -> Spec:
    _square("det", m)
    return Spec(m.dtype, m.shape[:-2])


DET = operator("det", "A:tensor", Extern(), np.linalg.det, _scalar_per_matrix, functions="det linalg.det", methods="det")
SLOGDET = operator("slogdet", "A:tensor", Extern(), lambda a: tuple(np.linalg.slogdet(a)),
                   lambda m: (_scalar_per_matrix(m), _scalar_per_matrix(m)), functions="slogdet linalg.slogdet",
                   methods="slogdet", returns=named_result("slogdet", "sign logabsdet"))


@spelled("logdet", "logdet", SLOGDET)
def logdet(input: Any) -> Any:
    """The logarithm of the determinant; NaN where it is negative."""
    sign, value = call(SLOGDET, (input,))
    return value.masked_fill(sign < 0, float("nan"))


def _pinv_rule(m: Any) -> Spec:
    return Spec(m.dtype, (*m.shape[:-2], m.shape[-1], m.shape[-2]))


PINV = operator("pinv", "A:tensor", Extern(), np.linalg.pinv, _pinv_rule, functions="linalg.pinv pinverse", methods="pinverse")


def _solve(a: np.ndarray, b: np.ndarray) -> Any:
    vector = b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])
    return np.linalg.solve(a, b[..., None])[..., 0] if vector else np.linalg.solve(a, b)


def _solve_rule(a: Any, b: Any) -> Spec:
    _square("solve", a)
    return Spec(a.dtype, b.shape)


SOLVE = operator("solve", "A:tensor, B:tensor", Extern(), _solved(_solve, "solve"), _solve_rule, functions="linalg.solve")


def _qr_rule(m: Any) -> tuple:
    rows, cols = m.shape[-2], m.shape[-1]
    k = rows if rows < cols else cols
    return Spec(m.dtype, (*m.shape[:-2], rows, k)), Spec(m.dtype, (*m.shape[:-2], k, cols))


QR = operator("qr", "A:tensor", Extern(), lambda a: tuple(np.linalg.qr(a)), _qr_rule, functions="linalg.qr",
              returns=named_result("qr", "Q R"))


def _svd_rule(m: Any) -> tuple:
    rows, cols = m.shape[-2], m.shape[-1]
    k = rows if rows < cols else cols
    lead = tuple(m.shape[:-2])
    return Spec(m.dtype, (*lead, rows, k)), Spec(m.dtype, (*lead, k)), Spec(m.dtype, (*lead, k, cols))


SVD = operator("svd", "A:tensor", Extern(), lambda a: tuple(np.linalg.svd(a, full_matrices=False)), _svd_rule,
               returns=named_result("linalg_svd", "U S Vh"))


@spelled("linalg.svd", "", SVD)
def svd(A: Any, full_matrices: bool = True) -> Any:
    """Singular values with the reduced factors; NotYetSupported for full ones of a matrix that is not square."""
    if full_matrices and A.shape[-1] != A.shape[-2]:
        from ..errors import NotYetSupported
        raise NotYetSupported("torch.linalg.svd(full_matrices=True) of a matrix that is not square does not exist yet: pass "
                              "full_matrices=False.")
    return call(SVD, (A,))


@spelled("linalg.svdvals", "", SVD)
def svdvals(A: Any) -> Any:
    """The singular values, largest first."""
    return call(SVD, (A,))[1]


def _eigh_rule(m: Any) -> tuple:
    _square("eigh", m)
    return Spec(m.dtype, m.shape[:-1]), Spec(m.dtype, m.shape)


EIGH = operator("eigh", "A:tensor", Extern(), lambda a: tuple(_solved(np.linalg.eigh, "eigh")(a)), _eigh_rule,
                functions="linalg.eigh", returns=named_result("linalg_eigh", "eigenvalues eigenvectors"))


def _cross_rule(a: Any, b: Any, dim: int) -> Spec:
    if a.shape[dim] != 3 or b.shape[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {a.shape[dim]} and {b.shape[dim]}")
    from .broadcast import broadcast_two
    from .promotion import result_type

    return Spec(result_type(a, b), broadcast_two(tuple(a.shape), tuple(b.shape)))


CROSS: Op = operator("cross", "input, other:tensor, dim=-1", Extern(), lambda a, b, dim: np.cross(a, b, axis=dim), _cross_rule,
                     functions="linalg.cross", normalize=lambda a, b, dim=-1: (a, b, wrap_dim(dim, a.ndim)))


@spelled("cross", "cross", CROSS)
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """The cross product along dim, by default the first dimension of size 3."""
    if dim is None:
        dim = next((d for d, n in enumerate(input.shape) if n == 3), -1)
    return call(CROSS, (input, other, dim))


@spelled("trapezoid trapz", "", None)
def trapezoid(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The integral along dim by the trapezoidal rule."""
    d = wrap_dim(dim, y.ndim)
    n = y.shape[d]
    middle = (y.narrow(d, 1, n - 1) + y.narrow(d, 0, n - 1)) / 2
    if x is None:
        return middle.sum(d) * dx
    step = x.diff(dim=-1) if x.ndim == 1 else x.diff(dim=d)
    return (middle * (step.reshape([-1 if k == d else 1 for k in range(y.ndim)]) if x.ndim == 1 else step)).sum(d)
