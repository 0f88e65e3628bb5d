"""Decompositions and solutions of linear systems, by NumPy's LAPACK; always computed eagerly, floating dtypes only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .declare import Spec, named_result, operator, spelled, type_name
from .dims import wrap_dim
from .op import Extern, Op, call


class LinAlgError(RuntimeError):
    """A matrix that cannot be inverted or decomposed (torch.linalg.LinAlgError)."""

    __module__ = "torch._C"


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


def columns(m: Any, shape: Any, dtype: Any = None) -> Spec:
    """A result in LAPACK's layout: the columns of each matrix contiguous."""
    rows, cols = shape[-2], shape[-1]
    rows_ = rows if not (isinstance(rows, int) and rows == 0) else 1
    step: Any = rows_ * (cols if not (isinstance(cols, int) and cols == 0) else 1)
    strides: list[Any] = []
    for n in reversed(tuple(shape[:-2])):
        strides.insert(0, step)
        step = step * (n if not (isinstance(n, int) and n == 0) else 1)
    return Spec(dtype or m.dtype, shape, (*strides, 1, rows_))


def square(name: str, m: Any) -> None:
    if m.dtype.category < 2:
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {type_name(m.dtype)}")
    if len(m.shape) < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if m.shape[-1] != m.shape[-2]:
        raise RuntimeError(f"linalg.{name}: A must be batches of square matrices, but they are {m.shape[-2]} by "
                           f"{m.shape[-1]} matrices")
    if m.dtype in (dt.float16, dt.bfloat16):
        raise RuntimeError(f"linalg.{name}: Low precision dtypes not supported. Got {type_name(m.dtype)}")


def solved(f: Callable[..., Any], what: str) -> Callable[..., Any]:
    """`f` with NumPy's complaint about a singular matrix as a RuntimeError."""
    def run(*arrays: np.ndarray) -> Any:
        try:
            return f(*arrays)
        except np.linalg.LinAlgError as error:
            raise LinAlgError(f"linalg.{what}: the computation could not be completed: {error}") from None
    return run


def _same_size(name: str) -> Callable[..., Spec]:
    def rule(m: Any) -> Spec:
        square(name, m)
        return columns(m, m.shape)
    return rule


INV = operator("inv", "A:tensor", Extern(), solved(np.linalg.inv, "inv"), _same_size("inv"),
               functions="linalg.inv inverse", methods="inverse", out=True)
CHOLESKY = operator("cholesky", "A:tensor", Extern(), solved(np.linalg.cholesky, "cholesky"), _same_size("cholesky"))


@spelled("linalg.cholesky", "", CHOLESKY)
def cholesky(A: Any, *, upper: bool = False, out: Any = None) -> Any:
    """The lower Cholesky factor of positive definite matrices; the upper one with upper=True."""
    from .api import into_out

    found = call(CHOLESKY, (A,))
    return into_out(out, found.mH if upper else found)


def _scalar_per_matrix(m: Any) -> Spec:
    square("det", m)
    return Spec(m.dtype, m.shape[:-2])


DET = operator("det", "A:tensor", Extern(), np.linalg.det, _scalar_per_matrix, functions="det linalg.det", methods="det",
               out=True)

def _slogdet_rule(m: Any) -> tuple:
    sign = _scalar_per_matrix(m)
    return sign, Spec(dt.REAL_OF.get(m.dtype, m.dtype), sign.shape)


SLOGDET = operator("slogdet", "A:tensor", Extern(), lambda a: tuple(np.linalg.slogdet(a)), _slogdet_rule,
                   functions="linalg.slogdet", out=True, returns=named_result("linalg_slogdet", "sign logabsdet"))
ReturnSlogdet = named_result("slogdet", "sign logabsdet")


@spelled("slogdet", "slogdet", SLOGDET, out=True)
def old_slogdet(input: Any) -> Any:
    """(sign, log of the absolute value) of the determinant."""
    return ReturnSlogdet(*call(SLOGDET, (input,)))


@spelled("logdet", "logdet", SLOGDET)
def logdet(input: Any) -> Any:
    """The logarithm of the determinant; NaN where it is negative."""
    sign, value = call(SLOGDET, (input,))
    if sign.dtype.category == 3:
        return value + sign.log()
    return value.masked_fill(sign < 0, float("nan"))


def _pinv_rule(m: Any, rcond: Any, hermitian: bool, atol: Any) -> Spec:
    if m.dtype.category < 2:
        raise RuntimeError(f"linalg.pinv: Expected a floating point or complex tensor as input. Got {type_name(m.dtype)}")
    if len(m.shape) < 2:
        raise RuntimeError("linalg.pinv: The input tensor A must have at least 2 dimensions.")
    return Spec(m.dtype, (*m.shape[:-2], m.shape[-1], m.shape[-2]))


def _pinv(a: np.ndarray, rcond: Any, hermitian: bool, atol: Any) -> np.ndarray:
    if rcond is None:
        rcond = 0.0 if atol else np.finfo(a.dtype).eps * max(a.shape[-2:])
    if atol and a.size:
        largest = np.linalg.svd(a, compute_uv=False, hermitian=hermitian).max(-1)
        with np.errstate(divide="ignore"):
            rcond = np.maximum(rcond, atol / largest)
    return np.linalg.pinv(a, rcond, hermitian)


PINV = operator("pinv", "A:tensor, rcond:any=None, hermitian:bool=False, atol:any=None", Extern(), _pinv, _pinv_rule)


@spelled("linalg.pinv", "", PINV, out=True)
def pinv(A: Any, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Any:
    """The pseudo-inverse; singular values up to max(atol, rtol * largest) count as zero."""
    return call(PINV, (A, rtol if rtol is not None else rcond, hermitian, atol))


@spelled("pinverse", "pinverse", PINV)
def pinverse(input: Any, rcond: float = 1e-15) -> Any:
    """linalg.pinv with an absolute default."""
    return call(PINV, (input, rcond, False, None))


def _solve(a: np.ndarray, b: np.ndarray) -> Any:
    vector = b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])
    return np.linalg.solve(a, b[..., None])[..., 0] if vector else np.linalg.solve(a, b)


def _solve_rule(a: Any, b: Any) -> Spec:
    square("solve", a)
    if a.dtype is not b.dtype:
        raise RuntimeError(f"linalg.solve: Expected A and B to have the same dtype, but found A of type "
                           f"{type_name(a.dtype)} and "
                           f"B of type {type_name(b.dtype)} instead")
    vector = len(b.shape) == 1 or (len(b.shape) == len(a.shape) - 1 and tuple(b.shape) == tuple(a.shape[:-1]))
    if vector:
        if b.shape[-1] != a.shape[-1]:
            raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B for the equation AX = B ({a.shape[-2]}x"
                               f"{a.shape[-1]} and {b.shape[-1]}x1)")
        return Spec(a.dtype, (*a.shape[:-2], a.shape[-1]) if len(b.shape) == 1 else b.shape)
    if b.shape[-2] != a.shape[-1]:
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B for the equation AX = B ({a.shape[-2]}x{a.shape[-1]} "
                           f"and {b.shape[-2]}x{b.shape[-1]})")
    from .broadcast import broadcast_two

    return Spec(a.dtype, (*broadcast_two(tuple(a.shape[:-2]), tuple(b.shape[:-2])), b.shape[-2], b.shape[-1]))


SOLVE = operator("solve", "A:tensor, B:tensor", Extern(), solved(_solve, "solve"), _solve_rule)


@spelled("linalg.solve", "", SOLVE)
def solve(A: Any, B: Any, *, left: bool = True, out: Any = None) -> Any:
    """X with A @ X = B (X @ A = B with left=False)."""
    from .api import into_out

    return into_out(out, call(SOLVE, (A, B)) if left else call(SOLVE, (A.mT, B.mT)).mT)


def _qr_rule(m: Any, mode: str) -> tuple:
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
                           f"'complete'")
    if m.dtype.category < 2:
        raise RuntimeError(f"linalg.qr: Expected a floating point or complex tensor as input. Got {type_name(m.dtype)}")
    rows, cols = m.shape[-2], m.shape[-1]
    k = rows if mode == "complete" or rows < cols else cols
    lead = tuple(m.shape[:-2])
    return (Spec(m.dtype, (0,) if mode == "r" else (*lead, rows, k)),
            Spec(m.dtype, (*lead, (rows if rows < cols else cols) if mode == "r" else k, cols)))


def _qr(a: np.ndarray, mode: str) -> tuple:
    if mode == "r":
        return np.zeros(0, a.dtype), np.linalg.qr(a, "r")
    way: Any = mode
    return tuple(np.linalg.qr(a, way))


QR = operator("qr", "A:tensor, mode:str='reduced'", Extern(), _qr, _qr_rule, functions="linalg.qr", out=True,
              returns=named_result("linalg_qr", "Q R"))
ReturnQr = named_result("qr", "Q R")


@spelled("qr", "qr", QR, out=True)
def old_qr(input: Any, some: bool = True) -> Any:
    """(Q, R), reduced unless some=False."""
    return ReturnQr(*call(QR, (input, "reduced" if some else "complete")))


def _svd_rule(m: Any, full: bool) -> tuple:
    if m.dtype.category < 2:
        raise RuntimeError(f"linalg.svd: Expected a floating point or complex tensor as input. Got {type_name(m.dtype)}")
    if len(m.shape) < 2:
        raise RuntimeError("linalg.svd: The input tensor A must have at least 2 dimensions.")
    rows, cols = m.shape[-2], m.shape[-1]
    k = rows if rows < cols else cols
    lead = tuple(m.shape[:-2])
    return (Spec(m.dtype, (*lead, rows, rows if full else k)), Spec(dt.REAL_OF.get(m.dtype, m.dtype), (*lead, k)),
            Spec(m.dtype, (*lead, cols if full else k, cols)))


SVD = operator("svd", "A:tensor, full_matrices:bool=True", Extern(),
               lambda a, full: tuple(solved(np.linalg.svd, "svd")(a, full)), _svd_rule, functions="linalg.svd", out=True,
               returns=named_result("linalg_svd", "U S Vh"))
ReturnSvd = named_result("svd", "U S V")


@spelled("svd", "svd", SVD, out=True)
def old_svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """(U, S, V) with input = U @ diag(S) @ V.mH."""
    u, s, vh = call(SVD, (input, not some))
    return ReturnSvd(u, s, vh.mH) if compute_uv else ReturnSvd(u.new_zeros(tuple(u.shape)), s, vh.new_zeros(tuple(vh.shape)))


@spelled("linalg.svdvals", "", SVD, out=True)
def svdvals(A: Any, *, driver: str | None = None) -> Any:
    """The singular values, largest first."""
    return call(SVD, (A, False))[1]


def _eigh_rule(m: Any, uplo: str) -> tuple:
    square("eigh", m)
    return Spec(dt.REAL_OF.get(m.dtype, m.dtype), m.shape[:-1]), Spec(m.dtype, m.shape)


def _eigh(a: np.ndarray, uplo: str) -> tuple:
    half: Any = uplo
    return tuple(solved(lambda x: np.linalg.eigh(x, half), "eigh")(a))


EIGH = operator("eigh", "A:tensor, UPLO:str='L'", Extern(), _eigh, _eigh_rule, functions="linalg.eigh", out=True,
                returns=named_result("linalg_eigh", "eigenvalues eigenvectors"))


def _cross_rule(a: Any, b: Any, dim: int) -> Spec:
    if a.shape[dim] != 3 or b.shape[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {a.shape[dim]} and {b.shape[dim]}")
    from .broadcast import broadcast_two
    from .promotion import result_type

    return Spec(result_type(a, b), broadcast_two(tuple(a.shape), tuple(b.shape)))


CROSS: Op = operator("cross", "input, other:tensor, dim=-1", Extern(), lambda a, b, dim: np.cross(a, b, axis=dim), _cross_rule,
                     functions="linalg.cross", out=True, normalize=lambda a, b, dim=-1: (a, b, wrap_dim(dim, a.ndim)))


@spelled("cross", "cross", CROSS, out=True)
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
    both = y.narrow(d, 1, n - 1) + y.narrow(d, 0, n - 1)
    if x is None:
        return both.sum(d) * dx / 2
    step = x.diff(dim=-1) if x.ndim == 1 else x.diff(dim=d)
    return (both * (step.reshape([-1 if k == d else 1 for k in range(y.ndim)]) if x.ndim == 1 else step)).sum(d) / 2
