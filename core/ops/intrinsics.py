"""The functions that Pointwise expressions may use, with their meaning in NumPy.

All keep the dtype of their (equal) operands, except comparisons and tests, which give bool. A renderer of kernels
must give each name the same meaning; floating operations follow IEEE 754, integers wrap, and minimum and maximum
propagate NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import special


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return np.asarray(1 / (1 + np.exp(-x)), x.dtype)


def sign(x: Any) -> Any:
    """-1, 0 or 1; 0 for NaN; bool stays itself."""
    if x.dtype.kind == "b":
        return x
    return (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)


def sgn(x: Any) -> Any:
    """sign, and x / |x| of complex numbers."""
    if x.dtype.kind != "c":
        return sign(x)
    size = np.abs(x)
    return np.where(size == 0, 0, x / np.where(size == 0, 1, size)).astype(x.dtype)


def integer_pow(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Wrapping integer power; a negative exponent gives 0 except for bases 1 and -1."""
    if base.dtype.kind == "b":
        return base | ~exponent.astype(bool)
    base, exponent = np.broadcast_arrays(base, exponent)
    if base.dtype.kind == "u" or not (exponent < 0).any():
        return np.power(base, exponent)
    out = np.power(base, np.where(exponent < 0, 0, exponent).astype(base.dtype))
    odd = (exponent & 1).astype(bool)
    tiny = np.where(base == 1, 1, np.where(base == -1, np.where(odd, -1, 1), 0)).astype(base.dtype)
    return np.where(exponent < 0, tiny, out)


def power(base: Any, exponent: Any) -> Any:
    """base ** exponent."""
    base, exponent = np.asarray(base), np.asarray(exponent)
    if base.dtype.kind in "iub" and exponent.dtype.kind in "iub":
        return integer_pow(base, exponent)
    return np.power(base, exponent)


def _no_zero(divisor: Any) -> None:
    if divisor.dtype.kind in "iub" and not np.all(divisor):
        raise RuntimeError("ZeroDivisionError")


def floordiv(a: Any, b: Any) -> Any:
    """Quotient rounded to minus infinity. RuntimeError for an integer divided by zero."""
    _no_zero(b)
    return np.floor_divide(a, b)


def truncdiv(a: Any, b: Any) -> Any:
    """Quotient rounded to zero."""
    if a.dtype.kind == "f":
        return np.trunc(a / b)
    _no_zero(b)
    q = np.floor_divide(a, b)
    return q + ((np.remainder(a, b) != 0) & ((a < 0) != (b < 0))).astype(q.dtype)


def remainder(a: Any, b: Any) -> Any:
    """Remainder with the sign of the divisor."""
    _no_zero(b)
    return np.remainder(a, b)


def fmod(a: Any, b: Any) -> Any:
    """Remainder with the sign of the dividend."""
    _no_zero(b)
    return np.fmod(a, b)


def shift_left(a: Any, b: Any) -> Any:
    """a << b; 0 if b is negative or not smaller than the number of bits."""
    bits = a.dtype.itemsize * 8
    bad = (b < 0) | (b >= bits)
    return np.where(bad, np.zeros((), a.dtype), np.left_shift(a, np.where(bad, 0, b).astype(a.dtype)))


def shift_right(a: Any, b: Any) -> Any:
    """Arithmetic a >> b; a shift that is negative or too large leaves only the sign."""
    bits = a.dtype.itemsize * 8
    bad = (b < 0) | (b >= bits)
    limit = bits - 1 if a.dtype.kind == "i" else bits
    shifted = np.right_shift(a, np.where(bad, min(limit, bits - 1), b).astype(a.dtype))
    return shifted if a.dtype.kind == "i" else np.where(bad, np.zeros((), a.dtype), shifted)


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition is true (non-zero), else b. Both sides are computed."""
    return np.where(condition if condition.dtype == bool else condition != 0, a, b)


def rsqrt(x: Any) -> Any:
    """1 / sqrt(x)."""
    return np.asarray(1 / np.sqrt(x), x.dtype)


def _keep_integers(f: Any) -> Any:
    def rounded(x: Any) -> Any:
        return f(x) if x.dtype.kind == "f" else x
    return rounded


def _test(f: Any, integer: bool) -> Any:
    def test(x: Any) -> Any:
        return f(x) if x.dtype.kind in "fc" else np.full(np.shape(x), integer)
    return test


INTRINSICS: dict[str, tuple[int, Any]] = {
    # name: (number of arguments, meaning)
    "exp": (1, np.exp), "exp2": (1, np.exp2), "expm1": (1, np.expm1), "log": (1, np.log), "log2": (1, np.log2),
    "log10": (1, np.log10), "log1p": (1, np.log1p), "sqrt": (1, np.sqrt), "rsqrt": (1, rsqrt),
    "sin": (1, np.sin), "cos": (1, np.cos), "tan": (1, np.tan), "asin": (1, np.arcsin), "acos": (1, np.arccos),
    "atan": (1, np.arctan), "atan2": (2, np.arctan2), "sinh": (1, np.sinh), "cosh": (1, np.cosh),
    "tanh": (1, np.tanh), "asinh": (1, np.arcsinh), "acosh": (1, np.arccosh), "atanh": (1, np.arctanh),
    "erf": (1, special.erf), "erfc": (1, special.erfc), "sigmoid": (1, sigmoid),
    "abs": (1, np.abs), "sign": (1, sign), "floor": (1, _keep_integers(np.floor)), "ceil": (1, _keep_integers(np.ceil)),
    "trunc": (1, _keep_integers(np.trunc)), "round": (1, _keep_integers(np.rint)),
    "pow": (2, power), "fmod": (2, fmod), "remainder": (2, remainder), "floordiv": (2, floordiv),
    "truncdiv": (2, truncdiv), "hypot": (2, np.hypot), "copysign": (2, np.copysign),
    "minimum": (2, np.minimum), "maximum": (2, np.maximum), "fmin": (2, np.fmin), "fmax": (2, np.fmax),
    "where": (3, where), "isnan": (1, _test(np.isnan, False)), "isinf": (1, _test(np.isinf, False)),
    "isfinite": (1, _test(np.isfinite, True)), "signbit": (1, lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0),
    "logical_and": (2, np.logical_and), "logical_or": (2, np.logical_or), "logical_xor": (2, np.logical_xor),
    "logical_not": (1, np.logical_not),
    "shift_left": (2, shift_left), "shift_right": (2, shift_right),
}
