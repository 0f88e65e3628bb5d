"""Decompositions of matrices and what is solved with them: LU, eigenvalues, singular values, triangular systems.

Real and complex floating dtypes, batches in the leading dimensions; always computed by NumPy. LU is written here, because
NumPy does not offer it; pivots count from 1, as in LAPACK.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .declare import Spec, named_result, operator, spelled, type_name
from .linalg import columns, solved, square
from .op import OPS, Extern, call

ReturnLu = named_result("linalg_lu", "P L U")
ReturnLuFactor = named_result("linalg_lu_factor", "LU pivots")
ReturnLuFactorEx = named_result("linalg_lu_factor_ex", "LU pivots info")
ReturnUnpack = named_result("lu_unpack", "P L U")
ReturnEig = named_result("linalg_eig", "eigenvalues eigenvectors")
ReturnLstsq = named_result("linalg_lstsq", "solution residuals rank singular_values")
ReturnEx = named_result("linalg_cholesky_ex", "L info")
ReturnInvEx = named_result("linalg_inv_ex", "inverse info")


def _matrix(name: str, m: Any) -> None:
    if m.dtype.category < 2:
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {type_name(m.dtype)}")
    if len(m.shape) < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")


def _less(a: Any, b: Any) -> Any:
    return a if a < b else b


def _batched(a: np.ndarray) -> np.ndarray:
    return a.reshape(-1, *a.shape[-2:])


# -- LU --------------------------------------------------------------------------------------------------------------
def _lu_one(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """In place, with partial pivoting: (L below the unit diagonal and U, row exchanged in every step, first zero pivot)."""
    rows, cols = a.shape
    pivots = np.zeros(min(rows, cols), np.int32)
    info = 0
    for k in range(min(rows, cols)):
        size = np.abs(a[k:, k].real) + np.abs(a[k:, k].imag) if a.dtype.kind == "c" else np.abs(a[k:, k])
        p = k + int(np.argmax(size))
        pivots[k] = p + 1
        if p != k:
            a[[k, p]] = a[[p, k]]
        if a[k, k] == 0:
            info = info or k + 1
            continue
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return a, pivots, info


def _lu_factor(a: np.ndarray) -> tuple:
    work = np.array(a, order="C")
    if not work.size:
        return work, np.zeros((*a.shape[:-2], min(a.shape[-2:])), np.int32), np.zeros(a.shape[:-2], np.int32)
    done = [_lu_one(m) for m in _batched(work)]
    k = min(a.shape[-2:])
    pivots = np.array([p for _, p, _ in done], np.int32).reshape((*a.shape[:-2], k))
    return work, pivots, np.array([i for _, _, i in done], np.int32).reshape(a.shape[:-2])


def _lu_rule(m: Any) -> tuple:
    _matrix("lu_factor", m)
    lead = tuple(m.shape[:-2])
    return columns(m, m.shape), Spec(dt.int32, (*lead, _less(m.shape[-2], m.shape[-1]))), Spec(dt.int32, lead)


LU_FACTOR = operator("lu", "A:tensor", Extern(), _lu_factor, _lu_rule)


@spelled("linalg.lu_factor", "", LU_FACTOR, out=True)
def lu_factor(A: Any, *, pivot: bool = True) -> Any:
    """(LU, pivots): both triangles in one matrix, rows exchanged as pivots say. RuntimeError without pivot=True."""
    _needs_pivot(pivot)
    packed, pivots, _ = call(LU_FACTOR, (A,))
    return ReturnLuFactor(packed, pivots)


@spelled("linalg.lu_factor_ex", "", LU_FACTOR, out=True)
def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """lu_factor with the number of the first zero pivot."""
    _needs_pivot(pivot)
    return ReturnLuFactorEx(*call(LU_FACTOR, (A,)))


@spelled("lu", "lu", LU_FACTOR)
def lu(self: Any, pivot: bool = True, get_infos: bool = False) -> Any:
    """(LU, pivots), and the first zero pivots if asked for."""
    _needs_pivot(pivot)
    found = call(LU_FACTOR, (self,))
    return tuple(found) if get_infos else (found[0], found[1])


def _needs_pivot(pivot: bool) -> None:
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def _unpack(packed: np.ndarray, pivots: np.ndarray, data: bool, exchange: bool) -> tuple:
    rows, cols = packed.shape[-2:]
    k = min(rows, cols)
    lower = np.tril(packed[..., :, :k], -1) + np.eye(rows, k, dtype=packed.dtype)
    upper = np.triu(packed[..., :k, :])
    order = np.tile(np.arange(rows), (*packed.shape[:-2], 1))
    count = math.prod(packed.shape[:-2])
    flat, steps = order.reshape(count, rows), pivots.reshape(count, pivots.shape[-1])
    for line, moves in zip(flat, steps):
        for i, p in enumerate(moves):
            line[[i, p - 1]] = line[[p - 1, i]]
    permutation = np.swapaxes(np.eye(rows, dtype=packed.dtype)[order], -1, -2)
    return permutation, lower, upper


def _unpack_rule(m: Any, pivots: Any, data: bool, exchange: bool) -> tuple:
    if pivots.dtype is not dt.int32:
        raise RuntimeError("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.")
    rows, cols, lead = m.shape[-2], m.shape[-1], tuple(m.shape[:-2])
    k = _less(rows, cols)
    return Spec(m.dtype, (*lead, rows, rows)), Spec(m.dtype, (*lead, rows, k)), Spec(m.dtype, (*lead, k, cols))


LU_UNPACK = operator("lu_unpack", "LU_data:tensor, LU_pivots:tensor, unpack_data:bool=True, unpack_pivots:bool=True", Extern(),
                     _unpack, _unpack_rule, functions="lu_unpack", returns=ReturnUnpack)


@spelled("linalg.lu", "", LU_FACTOR, out=True)
def linalg_lu(A: Any, *, pivot: bool = True) -> Any:
    """(P, L, U) with A = P @ L @ U."""
    _needs_pivot(pivot)
    packed, pivots, _ = call(LU_FACTOR, (A,))
    return ReturnLu(*call(LU_UNPACK, (packed, pivots, True, True)))


@spelled("linalg.lu_solve", "", LU_FACTOR, out=True)
def lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """X with A @ X = B (or X @ A = B), given the factors of A."""
    p, low, up = call(LU_UNPACK, (LU, pivots, True, True))
    matrix = p @ low @ up
    matrix = matrix.mH if adjoint else matrix
    return call(OPS["solve"], (matrix, B)) if left else call(OPS["solve"], (matrix.mT, B.mT)).mT


# -- triangular systems and Cholesky ---------------------------------------------------------------------------------
def _triangular(a: np.ndarray, b: np.ndarray, upper: bool, left: bool, unit: bool) -> np.ndarray:
    kept = np.triu(a) if upper else np.tril(a)
    if unit:
        i = np.arange(a.shape[-1])
        kept[..., i, i] = 1
    if left:
        return _substitute(kept, b, upper)
    return np.swapaxes(_substitute(np.swapaxes(kept, -1, -2), np.swapaxes(b, -1, -2), not upper), -1, -2)


def _substitute(a: np.ndarray, b: np.ndarray, upper: bool) -> np.ndarray:
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.array(np.broadcast_to(b, (*lead, *b.shape[-2:])))
    n = a.shape[-1]
    for i in (reversed(range(n)) if upper else range(n)):
        done = slice(i + 1, n) if upper else slice(0, i)
        row = x[..., i, :] - np.matmul(a[..., i:i + 1, done], x[..., done, :])[..., 0, :]
        x[..., i, :] = row / a[..., i, i][..., None]
    return x


def _triangular_rule(a: Any, b: Any, upper: bool, left: bool, unit: bool) -> Spec:
    from .broadcast import broadcast_two

    square("solve_triangular", a)
    if a.dtype is not b.dtype:
        raise RuntimeError(f"linalg.solve_triangular: Expected A and B to have the same dtype, but found A of type "
                           f"{type_name(a.dtype)} and B of type {type_name(b.dtype)}")
    if len(b.shape) < 2:
        raise RuntimeError("linalg.solve_triangular: The input tensor B must have at least 2 dimensions.")
    if (b.shape[-2] if left else b.shape[-1]) != a.shape[-1]:
        raise RuntimeError(f"linalg.solve_triangular: Incompatible shapes of A and B for the equation "
                           f"{'AX = B' if left else 'XA = B'} ({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})")
    lead = broadcast_two(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    return Spec(b.dtype, (*lead, b.shape[-2], b.shape[-1]))


TRIANGULAR = operator(
    "solve_triangular",
    "A:tensor, B:tensor, upper:bool, left:bool, unitriangular:bool",
    Extern(),
    _triangular,
    _triangular_rule,
)


@spelled("linalg.solve_triangular", "", TRIANGULAR)
def solve_triangular(A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Any = None) -> Any:
    """X with A @ X = B for a triangular A (X @ A = B with left=False)."""
    from .api import into_out

    return into_out(out, call(TRIANGULAR, (A, B, upper, left, unitriangular)))


@spelled("triangular_solve", "triangular_solve", TRIANGULAR)
def old_triangular_solve(input: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    """(X, A) with A @ X = input."""
    matrix = A.mT if transpose else A
    return call(TRIANGULAR, (matrix, input, upper != transpose, True, unitriangular)), A


@spelled("cholesky", "cholesky", OPS["cholesky"], out=True)
def old_cholesky(input: Any, upper: bool = False) -> Any:
    """The Cholesky factor, lower unless upper=True."""
    found = call(OPS["cholesky"], (input,))
    return found.mH.contiguous() if upper else found


@spelled("linalg.cholesky_ex", "", OPS["cholesky"], out=True)
def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """(factor, 0)."""
    return ReturnEx(old_cholesky(A, upper), A.new_zeros(tuple(A.shape[:-2]), dtype=dt.int32))


@spelled("linalg.inv_ex", "", OPS["inv"], out=True)
def inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """(inverse, 0)."""
    return ReturnInvEx(call(OPS["inv"], (A,)), A.new_zeros(tuple(A.shape[:-2]), dtype=dt.int32))


@spelled("cholesky_solve", "cholesky_solve", TRIANGULAR, out=True)
def cholesky_solve(B: Any, L: Any, upper: bool = False) -> Any:
    """X with A @ X = B, given the Cholesky factor of A."""
    low = L.mH if upper else L
    half = call(TRIANGULAR, (low, B, False, True, False))
    return call(TRIANGULAR, (low.mH, half, True, True, False))


@spelled("cholesky_inverse", "cholesky_inverse", TRIANGULAR, out=True)
def cholesky_inverse(L: Any, upper: bool = False) -> Any:
    """The inverse of A, given its Cholesky factor."""
    half = L.triu() if upper else L.tril()                     # the other triangle is not looked at
    return call(OPS["inv"], (half.mH @ half if upper else half @ half.mH,))


# -- eigenvalues and singular values ---------------------------------------------------------------------------------
def _complex(m: Any) -> Any:
    return dt.COMPLEX_OF.get(m.dtype, m.dtype)


def _eig_rule(m: Any) -> tuple:
    square("eig", m)
    return Spec(_complex(m), m.shape[:-1]), columns(m, m.shape, _complex(m))


EIG = operator("eig", "A:tensor", Extern(), lambda a: tuple(solved(np.linalg.eig, "eig")(a)), _eig_rule,
               functions="linalg.eig", returns=ReturnEig, out=True)


@spelled("linalg.eigvals", "", EIG, out=True)
def eigvals(A: Any) -> Any:
    """The eigenvalues, complex."""
    return call(EIG, (A,))[0]


@spelled("linalg.eigvalsh", "", OPS["eigh"], out=True)
def eigvalsh(A: Any, UPLO: str = "L") -> Any:
    """The eigenvalues of a symmetric or Hermitian matrix, rising."""
    return call(OPS["eigh"], (A, UPLO))[0]


@spelled("linalg.lstsq", "", None)
def lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """(solution, residuals, rank, singular values) of least squares: A @ X close to B."""
    if A.dtype.category < 2:
        raise RuntimeError(f"torch.linalg.lstsq: Expected a floating point or complex tensor as input. Got "
                           f"{type_name(A.dtype)}")
    if A.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if A.dtype is not B.dtype:
        raise RuntimeError(f"torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
                           f"{type_name(A.dtype)} and other's dtype {type_name(B.dtype)}")
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(f"torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), got {driver}")
    vector = B.ndim == A.ndim - 1
    right = B.unsqueeze(-1) if vector else B
    if right.shape[-2] != A.shape[-2]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    rows, cols = A.shape[-2], A.shape[-1]
    if not A.numel():
        return ReturnLstsq(right.new_zeros((*A.shape[:-2], cols, *right.shape[-1:])), right.new_empty(0),
                           right.new_zeros(tuple(A.shape[:-2]), dtype=dt.int64), right.new_empty(0))
    eps = dt.float_limits(A.dtype).eps
    cut = float(eps) * max(rows, cols) if rcond is None or rcond < 0 else rcond
    u, s, vh = call(OPS["svd"], (A, False))
    keep = s > cut * s.amax(-1, keepdim=True)
    inverse = (1 / s.where(keep, 1)).where(keep, 0)
    solution = vh.mH @ (inverse.unsqueeze(-1) * (u.mH @ right))
    full = rows > cols and bool(keep.all())
    difference = (A @ solution - right).abs()
    residuals = (difference * difference).sum(-2) if full and driver != "gelsy" else s.new_empty(0)
    rank = keep.sum(-1)
    values = s if driver in ("gelsd", "gelss") else s.new_empty(0)
    return ReturnLstsq(solution.squeeze(-1) if vector else solution, residuals, rank, values)


@spelled("linalg.matrix_rank", "", OPS["svd"], out=True)
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Any:
    """The number of singular values above max(atol, rtol * largest)."""
    _matrix("matrix_rank", A)
    if A.numel() == 0:
        return A.new_zeros(tuple(A.shape[:-2]), dtype=dt.int64)
    s = call(OPS["svd"], (A, False))[1]
    absolute = tol if tol is not None else atol
    relative = rtol if rtol is not None else 0.0 if absolute is not None else \
        float(dt.float_limits(A.dtype).eps) * max(A.shape[-2:])
    limit = (s.amax(-1, keepdim=True) * relative).clamp_min(absolute or 0.0)
    return (s > limit).sum(-1)


@spelled("linalg.cond", "", OPS["svd"], out=True)
def cond(A: Any, p: Any = None) -> Any:
    """The condition number: ||A|| * ||inv(A)|| in a matrix norm; by singular values for None, 2 and -2."""
    from .norms import matrix_norm

    _matrix("cond", A)
    if not A.numel():
        return A.new_zeros(tuple(A.shape[:-2]))
    if p in (None, 2, -2):
        s = call(OPS["svd"], (A, False))[1]
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return matrix_norm(A, p) * matrix_norm(call(OPS["inv"], (A,)), p)


__all__ = ["EIG", "LU_FACTOR", "LU_UNPACK", "TRIANGULAR"]
