"""torch.special beyond the elementary functions: gamma, Bessel and normal-distribution functions, on NumPy without SciPy.

Methods: digamma, polygamma and zeta by recurrence and the Euler-Maclaurin series; the modified Bessel functions by
Gauss-Legendre integration of their integral over the angle; the inverse of the normal distribution from erfinv and a
Newton step. All are computed in double precision and rounded at the end.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..tensor.state import STATE
from . import special
from .declare import Spec, elementwise_rule, operator, spelled, type_name
from .op import OPS, Extern, Op, call

# Bernoulli numbers B2, B4, ... of the Euler-Maclaurin series.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)


def zeta(s: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The Hurwitz zeta function: sum over k >= 0 of (q + k) ** -s; NaN for s < 1, inf at s = 1 and at poles."""
    s, q = np.broadcast_arrays(np.asarray(s, np.float64), np.asarray(q, np.float64))
    n = 12
    with np.errstate(all="ignore"):
        total = sum(((q + k) ** -s for k in range(n)), np.zeros(s.shape))
        a = q + n
        total = total + a ** (1 - s) / (s - 1) + 0.5 * a ** -s
        term = s * a ** (-s - 1)
        factor = term
        for k, b in enumerate(_BERNOULLI, 1):
            total = total + b / math.factorial(2 * k) * factor
            factor = factor * (s + 2 * k - 1) * (s + 2 * k) / a ** 2
        pole = (q <= 0) & (q == np.floor(q))
        out = np.where(s == 1, np.inf, np.where(s < 1, np.nan, np.where(pole, np.inf, total)))
        return np.where((q <= 0) & ~pole & (s != np.floor(s)), np.nan, out)


def digamma(x: np.ndarray) -> np.ndarray:
    """The derivative of log gamma; -inf at +0, NaN at negative integers."""
    x = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        low = x < 0
        y = np.where(low, 1 - x, x)
        small = np.zeros(x.shape)
        for _ in range(10):
            step = y < 10
            small = small - np.where(step, 1 / y, 0)
            y = np.where(step, y + 1, y)
        inverse = 1 / (y * y)
        series = np.zeros(x.shape)
        for k in range(len(_BERNOULLI), 0, -1):
            series = inverse * (_BERNOULLI[k - 1] / (2 * k) + series)
        out = small + np.log(y) - 0.5 / y - series
        out = np.where(low, out - np.pi / np.tan(np.pi * (x - np.floor(x))), out)
        out = np.where(low & (x == np.floor(x)), np.nan, out)
        return np.where(x == 0, np.copysign(np.inf, -x), np.where(np.isposinf(x), np.inf, out))


def polygamma(n: int, x: np.ndarray) -> np.ndarray:
    """The n-th derivative of digamma."""
    if n == 0:
        return digamma(x)
    return (-1.0) ** (n + 1) * math.factorial(n) * zeta(np.asarray(n + 1.0), x)


@functools.cache
def _angles() -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(120)
    return (nodes + 1) / 2 * np.pi, weights / 2


def _scaled_bessel(x: np.ndarray, order: int) -> np.ndarray:
    """exp(-|x|) I_order(x) for order 0 or 1."""
    x = np.asarray(x, np.float64)
    theta, weights = _angles()
    a = np.abs(x)[..., None]
    with np.errstate(all="ignore"):
        near = (np.exp(a * (np.cos(theta) - 1)) * np.cos(order * theta) * weights).sum(-1)
        big = np.maximum(np.abs(x), 20.0)
        mu, far, term = 4.0 * order * order, np.ones(x.shape), np.ones(x.shape)
        for k in range(1, 14):
            term = -term * (mu - (2 * k - 1) ** 2) / (k * 8 * big)
            far = far + term
        far = far / np.sqrt(2 * np.pi * big)
        out = np.where(np.abs(x) > 60, far, near)
        return np.where(np.isinf(x), 0.0, out if order == 0 else np.copysign(out, x) * np.where(x == 0, 0, 1))


def erfcx(x: np.ndarray) -> np.ndarray:
    """exp(x * x) * erfc(x) without overflow for positive x."""
    x = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        big = np.maximum(x, 8.0)
        tail = np.zeros(x.shape)
        for k in range(40, 0, -1):                # continued fraction
            tail = (k / 2) / (big + tail)
        far = 1 / (math.sqrt(math.pi) * (big + tail))
        near = np.exp(x * x) * special.erfc(x)
        return np.where(x > 10, far, near)


def ndtr(x: np.ndarray) -> np.ndarray:
    """The distribution function of the standard normal distribution."""
    return 0.5 * special.erfc(-np.asarray(x, np.float64) / math.sqrt(2))


def log_ndtr(x: np.ndarray) -> np.ndarray:
    """log of ndtr, exact far in the lower tail."""
    x = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        low = np.log(erfcx(-x / math.sqrt(2)) / 2) - x * x / 2
        return np.where(x < -1, low, np.log1p(-special.erfc(np.maximum(x, -1) / math.sqrt(2)) / 2))


def ndtri(p: np.ndarray) -> np.ndarray:
    """The inverse of ndtr; -inf at 0, inf at 1, NaN outside."""
    p = np.asarray(p, np.float64)
    with np.errstate(all="ignore"):
        x = math.sqrt(2) * special.erfinv(2 * p - 1)
        for _ in range(2):
            step = (ndtr(x) - p) * math.sqrt(2 * math.pi) * np.exp(x * x / 2)
            x = np.where(np.isfinite(step), x - step, x)
        return np.where(p == 0, -np.inf, np.where(p == 1, np.inf, np.where((p < 0) | (p > 1), np.nan, x)))


def entr(x: np.ndarray) -> np.ndarray:
    """-x log x for x > 0, 0 at 0, -inf below."""
    with np.errstate(all="ignore"):
        return np.where(np.isnan(x), x, np.where(x > 0, -x * np.log(x), np.where(x == 0, 0.0, -np.inf)))


def _float_like(name: str) -> Callable[[Any], Spec]:
    def rule(m: Any) -> Spec:
        if m.dtype.category == 3:
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{type_name(m.dtype)}'")
        return elementwise_rule(lambda: OPS["exp"])(m)
    return rule


def _rounded(f: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """`f` in double precision, rounded to the floating dtype that the operator gives."""
    def run(a: np.ndarray, *rest: Any) -> np.ndarray:
        d = a.dtype if a.dtype.kind == "f" else STATE.mode.default_dtype.numpy
        return np.asarray(f(a.astype(np.float64), *rest)).astype(d)
    return run


def _function(name: str, f: Callable[[np.ndarray], np.ndarray], functions: str, methods: str = "") -> Op:
    return operator(name, "input", Extern(), _rounded(f), _float_like(name), functions=functions, methods=methods, out=True)


_function("digamma", digamma, "digamma special.digamma special.psi", "digamma")
_function("i0", lambda x: _scaled_bessel(x, 0) * np.exp(np.abs(x)), "i0 special.i0 special.modified_bessel_i0", "i0")
_function("i0e", lambda x: _scaled_bessel(x, 0), "special.i0e")
_function("i1", lambda x: _scaled_bessel(x, 1) * np.exp(np.abs(x)), "special.i1 special.modified_bessel_i1")
_function("i1e", lambda x: _scaled_bessel(x, 1), "special.i1e")
_function("ndtr", ndtr, "special.ndtr")
_function("log_ndtr", log_ndtr, "special.log_ndtr")
_function("ndtri", ndtri, "special.ndtri")
_function("entr", entr, "special.entr")
_function("erfcx", erfcx, "special.erfcx")
POLYGAMMA = operator("polygamma", "n:int, input:tensor", Extern(), lambda n, a: _rounded(lambda x: polygamma(n, x))(a),
                     lambda n, m: _float_like("polygamma")(m))


@spelled("polygamma special.polygamma", "", POLYGAMMA)
def polygamma_(n: int, input: Any, *, out: Any = None) -> Any:
    """The n-th derivative of digamma. RuntimeError for a negative n."""
    from .api import into_out

    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return into_out(out, call(POLYGAMMA, (n, input)))


@spelled("", "polygamma", POLYGAMMA)
def polygamma_method(self: Any, n: int) -> Any:
    """polygamma of self."""
    return polygamma_(n, self)


def _pair_rule(a: Any, b: Any) -> Spec:
    return elementwise_rule(lambda: OPS["xlogy"])(a, b)


def _two(f: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    def run(a: Any, b: Any) -> np.ndarray:
        kinds = [x.dtype for x in (a, b) if isinstance(x, np.ndarray)]
        wide = np.result_type(*kinds)
        d = wide if wide.kind == "f" else STATE.mode.default_dtype.numpy
        return np.asarray(f(np.asarray(a, np.float64), np.asarray(b, np.float64))).astype(d)
    return run


ZETA = operator("zeta", "input:operand, other", Extern(), _two(zeta), _pair_rule, functions="special.zeta", out=True)


def _xlog1py(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(y), y, np.where(x == 0, 0 * x, x * np.log1p(y)))


XLOG1PY = operator("xlog1py", "input:operand, other", Extern(), _two(_xlog1py), _pair_rule,
                   functions="special.xlog1py", out=True)


@spelled("mvlgamma special.multigammaln", "mvlgamma", OPS["lgamma"])
def mvlgamma(input: Any, p: int, *, out: Any = None) -> Any:
    """The logarithm of the multivariate gamma function of dimension p."""
    from .api import into_out

    if input.dtype.category == 0:
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    x = input if input.dtype.category >= 2 else input.to(STATE.mode.default_dtype)
    total = call(OPS["lgamma"], (x,))
    for j in range(1, p):
        total = total + call(OPS["lgamma"], (x - j / 2,))
    return into_out(out, total + p * (p - 1) / 4 * math.log(math.pi))


__all__ = ["digamma", "ndtr", "ndtri", "polygamma", "zeta"]
