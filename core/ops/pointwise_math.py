"""Element-wise arithmetic and mathematical functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tensor.dtypes import float_limits
from . import intrinsics as n
from . import special
from .declare import elementwise_rule, operator, pointwise, spelled
from .fitting import computed, fitting
from .op import Extern, call
from .promotion import is_tensor_like, number_category

# -- arithmetic ------------------------------------------------------------------------------------------------------
_NO_BOOL_SUB = ("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
                "operator instead.")


_BOOL_SUB = ("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use "
             "the `~` or `logical_not()` operator instead.")


def _sub_args(input: Any, other: Any, alpha: Any = 1) -> tuple:
    kinds = [v.dtype.category == 0 if is_tensor_like(v) else number_category(v) == 0 for v in (input, other)]
    if any(kinds):
        for i, v in enumerate((input, other), 1):
            if not is_tensor_like(v) and number_category(v) is None:
                raise TypeError(f"sub(): argument '{'input' if i == 1 else 'other'}' (position {i}) must be Tensor, not "
                                f"{type(v).__name__}")
        raise RuntimeError(_NO_BOOL_SUB if all(kinds) else _BOOL_SUB)
    return _integral_alpha(input, other, alpha)


def _integral_alpha(input: Any, other: Any, alpha: Any = 1) -> tuple:
    if number_category(alpha) == 2 and all(v.dtype.category < 2 if is_tensor_like(v) else number_category(v) != 2
                                           for v in (input, other)):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return (input, other, alpha)


ADD = pointwise("add", "input:operand, other, *, alpha=1", "input + alpha * other",
                lambda a, b, alpha: a + b if alpha == 1 else a + alpha * b, methods="add __add__ __radd__",
                inplace="add_ __iadd__", normalize=fitting("add", (2,), _integral_alpha))
SUB = pointwise("sub", "input:operand, other, *, alpha=1", "input - alpha * other",
                lambda a, b, alpha: a - b if alpha == 1 else a - alpha * b, functions="sub subtract",
                methods="sub subtract __sub__ __rsub__", inplace="sub_ subtract_ __isub__",
                normalize=fitting("sub", (2,), _sub_args))
RSUB = pointwise("rsub", "input:operand, other, *, alpha=1", "other - alpha * input",
                 lambda a, b, alpha: b - alpha * a, methods="", out=False,
                 normalize=fitting("rsub", (2,), _sub_args))
MUL = pointwise("mul", "input:operand, other", "input * other", lambda a, b: a * b, functions="mul multiply",
                methods="mul multiply __mul__ __rmul__", inplace="mul_ multiply_ __imul__")
DIV = pointwise("div", "input:operand, other", "input / other", lambda a, b: a / b, "int_to_float",
                functions="true_divide", methods="true_divide __truediv__ __rtruediv__",
                inplace="true_divide_ __itruediv__")
FLOOR_DIVIDE = pointwise("floor_divide", "input:operand, other", "floordiv(input, other)", n.floordiv,
                         methods="floor_divide __floordiv__ __rfloordiv__", inplace="floor_divide_ __ifloordiv__",
                         only="number")
TRUNC_DIVIDE = pointwise("trunc_divide", "input:operand, other", "truncdiv(input, other)", n.truncdiv, functions="",
                         methods="", inplace="", only="number")
REMAINDER = pointwise("remainder", "input:operand, other", "remainder(input, other)", n.remainder,
                      methods="remainder __mod__ __rmod__", inplace="remainder_ __imod__", only="number")
FMOD = pointwise("fmod", "input:operand, other", "fmod(input, other)", n.fmod, inplace="fmod_", only="number")


@spelled("div divide", "div divide", DIV)
def div(input: Any, other: Any, *, rounding_mode: str | None = None, out: Any = None) -> Any:
    """Quotient; rounding_mode None (true division), "floor" or "trunc"."""
    from .api import into_out

    if rounding_mode is None:
        return into_out(out, call(DIV, (input, other)))
    chosen = {"floor": FLOOR_DIVIDE, "trunc": TRUNC_DIVIDE}.get(rounding_mode)
    if chosen is None:
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                           f"'{rounding_mode}'")
    return into_out(out, call(chosen, (input, other)))


@spelled("", "div_ divide_", DIV)
def div_(self: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """In-place quotient."""
    from .op import OPS

    name = {None: "div_", "floor": "floor_divide_", "trunc": "trunc_divide_"}.get(rounding_mode)
    if name is None:
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                           f"'{rounding_mode}'")
    return call(OPS[name], (self, other))


def _pow(base: Any, exponent: Any) -> Any:
    if base.dtype.kind == "f" and np.ndim(exponent) == 0 and np.ndim(base):
        if exponent == 2:
            return base * base
        if exponent == 3:
            return base * base * base
        if exponent == 0.5:
            return np.sqrt(base)
        if exponent == -0.5:
            return 1 / np.sqrt(base)
        if exponent == -1:
            return 1 / base
    return n.power(base, exponent)


def _pow_args(input: Any, exponent: Any) -> tuple:
    if number_category(exponent) == 1 and is_tensor_like(input) and input.dtype.category < 2 and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return (input, exponent)


POW = pointwise("pow", "input:operand, exponent", "pow(input, exponent)", _pow, methods="pow __pow__ __rpow__",
                inplace="pow_ __ipow__", normalize=_pow_args)

# -- two operands ----------------------------------------------------------------------------------------------------
MAXIMUM = pointwise("maximum", "input, other:tensor", "maximum(input, other)", np.maximum, "no_opmath")
MINIMUM = pointwise("minimum", "input, other:tensor", "minimum(input, other)", np.minimum, "no_opmath")
FMAX = pointwise("fmax", "input, other:tensor", "fmax(input, other)", np.fmax, "no_opmath")
FMIN = pointwise("fmin", "input, other:tensor", "fmin(input, other)", np.fmin, "no_opmath")
ATAN2 = pointwise("atan2", "input, other:tensor", "atan2(input, other)", np.arctan2, "int_to_float",
                  functions="atan2 arctan2", methods="atan2 arctan2", inplace="atan2_ arctan2_")
HYPOT = pointwise("hypot", "input, other:tensor", "hypot(input, other)", np.hypot, inplace="hypot_", only="floating")
COPYSIGN = pointwise("copysign", "input, other", "copysign(input, other)", np.copysign, "int_to_float",
                     inplace="copysign_")
XLOGY = pointwise("xlogy", "input:operand, other", "where(isnan(other), other, where(input == 0, 0 * input, input * "
                                                   "log(other)))",
                  lambda a, b: np.where(np.isnan(b), b, np.where(a == 0, 0 * a, a * np.log(b))), "int_to_float",
                  functions="xlogy special.xlogy", inplace="xlogy_")
def _logaddexp(a: Any, b: Any) -> Any:
    if a.dtype.kind != "c":
        return np.logaddexp(a, b)
    peak = np.maximum(a.real, b.real)
    return np.log(np.exp(a - peak) + np.exp(b - peak)) + peak


LOGADDEXP = pointwise("logaddexp", "input, other:tensor",
                      "where(input == other, input + 0.6931471805599453, maximum(input, other) + "
                      "log1p(exp(-abs(input - other))))", _logaddexp, only="floating")
LERP = pointwise("lerp", "input, end:tensor, weight:operand",
                 "where(abs(weight) < 0.5, input + weight * (end - input), end - (end - input) * (1 - weight))",
                 lambda a, e, w: np.where(np.abs(w) < 0.5, a + w * (e - a), e - (e - a) * (1 - w)).astype(a.dtype),
                 inplace="lerp_", only="floating")
def _no_integer_division(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> tuple:
    if all(is_tensor_like(t) and t.dtype.category < 2 for t in (tensor1, tensor2)):
        raise RuntimeError("Integer division with addcdiv is no longer supported: use input + value * torch.trunc(tensor1 / "
                           "tensor2), or convert to a floating dtype.")
    return (input, tensor1, tensor2, value)


ADDCMUL = pointwise("addcmul", "input, tensor1:tensor, tensor2:tensor, *, value=1", "input + value * tensor1 * tensor2",
                    lambda a, b, c, v: a + v * b * c, inplace="addcmul_", only="number",
                    normalize=fitting("addcmul", (3,), check=computed))
ADDCDIV = pointwise("addcdiv", "input, tensor1:tensor, tensor2:tensor, *, value=1", "input + value * (tensor1 / tensor2)",
                    lambda a, b, c, v: a + v * (b / c), inplace="addcdiv_",
                    normalize=fitting("addcdiv", (3,), _no_integer_division, computed))
operator(
    "nextafter",
    "input, other:tensor",
    Extern(),
    np.nextafter,
    lambda a, b: elementwise_rule(lambda: MAXIMUM)(a, b),
    functions="nextafter",
    methods="nextafter",
    out=True,
)

# -- clamping --------------------------------------------------------------------------------------------------------
CLAMP = pointwise("clamp", "input, min:operand, max:operand", "minimum(maximum(input, min), max)",
                  lambda a, lo, hi: np.minimum(np.maximum(a, lo), hi), "no_opmath", functions="", methods="", inplace="",
                  only="number", normalize=fitting("clamp", (1, 2)))
CLAMP_MIN = pointwise("clamp_min", "input, min:operand", "maximum(input, min)", np.maximum, "no_opmath",
                      inplace="clamp_min_", inplace_functions="clamp_min_", only="number",
                      normalize=fitting("clamp_min", (1,)))
CLAMP_MAX = pointwise("clamp_max", "input, max:operand", "minimum(input, max)", np.minimum, "no_opmath",
                      inplace="clamp_max_", inplace_functions="clamp_max_", only="number",
                      normalize=fitting("clamp_max", (1,)))


def _clamp(input: Any, min: Any, max: Any, suffix: str) -> Any:
    from .op import OPS

    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if max is None:
        return call(OPS["clamp_min" + suffix], (input, min))
    if min is None:
        return call(OPS["clamp_max" + suffix], (input, max))
    return call(OPS["clamp" + suffix], (input, min, max))


@spelled("clamp clip", "clamp clip", CLAMP)
def clamp(input: Any, min: Any = None, max: Any = None, *, out: Any = None) -> Any:
    """Limit to [min, max]; either may be None, a number or a tensor."""
    from .api import into_out

    return into_out(out, _clamp(input, min, max, ""))


@spelled("clamp_ clip_", "clamp_ clip_", CLAMP)
def clamp_(input: Any, min: Any = None, max: Any = None) -> Any:
    """clamp in place."""
    return _clamp(input, min, max, "_")


# -- one operand, floating result ------------------------------------------------------------------------------------
def _unary(name: str, expr: str, eager: Any, names: str = "", promote: str = "int_to_float", extra: str = "",
           **more: Any) -> Any:
    names = names or name
    inplace = " ".join(f"{m}_" for m in names.split())
    return pointwise(name, "input", expr, eager, promote, functions=f"{names} {extra}".strip(),
                     methods=more.pop("methods", names), inplace=inplace, inplace_functions=inplace, **more)


EXP = _unary("exp", "exp(input)", np.exp)
_unary("exp2", "exp2(input)", np.exp2, extra="special.exp2")
EXPM1 = _unary("expm1", "expm1(input)", np.expm1, extra="special.expm1")
LOG = _unary("log", "log(input)", np.log)
_unary("log2", "log2(input)", np.log2)
_unary("log10", "log10(input)", np.log10)
_unary("log1p", "log1p(input)", np.log1p, extra="special.log1p")
SQRT = _unary("sqrt", "sqrt(input)", np.sqrt)
RSQRT = _unary("rsqrt", "rsqrt(input)", n.rsqrt)
SIN = _unary("sin", "sin(input)", np.sin)
COS = _unary("cos", "cos(input)", np.cos)
_unary("tan", "tan(input)", np.tan)
_unary("asin", "asin(input)", np.arcsin, "asin arcsin")
_unary("acos", "acos(input)", np.arccos, "acos arccos")
_unary("atan", "atan(input)", np.arctan, "atan arctan")
_unary("sinh", "sinh(input)", np.sinh)
_unary("cosh", "cosh(input)", np.cosh)
TANH = _unary("tanh", "tanh(input)", np.tanh, extra="F.tanh")
_unary("asinh", "asinh(input)", np.arcsinh, "asinh arcsinh")
_unary("acosh", "acosh(input)", np.arccosh, "acosh arccosh")
_unary("atanh", "atanh(input)", np.arctanh, "atanh arctanh")
_unary("erf", "erf(input)", special.erf, extra="special.erf")
_unary("erfc", "erfc(input)", special.erfc, extra="special.erfc")
SIGMOID = _unary("sigmoid", "sigmoid(input)", n.sigmoid, extra="F.sigmoid special.expit")
_unary("reciprocal", "1 / input", lambda a: 1 / a)
_unary("sinc", "where(input == 0, 1 + 0 * input, sin(input * 3.141592653589793) / (input * 3.141592653589793))",
       np.sinc, extra="special.sinc")
_unary("deg2rad", "input * 0.017453292519943295", lambda a: a * a.dtype.type(math.pi / 180))
_unary("rad2deg", "input * 57.29577951308232", lambda a: a * a.dtype.type(180 / math.pi))


def _float_like(input: Any) -> Any:
    return elementwise_rule(lambda: EXP)(input)


operator("erfinv", "input", Extern(), special.erfinv, _float_like, functions="erfinv special.erfinv", methods="erfinv",
         out=True)
operator("lgamma", "input", Extern(), special.lgamma, _float_like, functions="lgamma special.gammaln",
         methods="lgamma", out=True)
LOGIT = pointwise("logit", "input", "log(input / (1 - input))",
                  lambda a: np.log(a / (1 - a)), "int_to_float", functions="", methods="")


@spelled("logit special.logit", "logit", LOGIT)
def logit(input: Any, eps: float | None = None, *, out: Any = None) -> Any:
    """log(x / (1 - x)), x first limited to [eps, 1 - eps] if eps is given."""
    from .api import into_out

    if eps is not None:
        input = call(CLAMP, (input, eps, 1 - eps))
    return into_out(out, call(LOGIT, (input,)))


# -- one operand, same dtype -----------------------------------------------------------------------------------------
_NO_BOOL_NEG = ("Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
                "the `~` or `logical_not()` operator instead.")
NEG = _unary("neg", "-input", lambda a: -a, "neg negative", "no_opmath", methods="neg negative __neg__", only=_NO_BOOL_NEG)
ABS = _unary("abs", "abs(input)", np.abs, "abs absolute", "to_real", methods="abs absolute __abs__", only="number")


@spelled("positive", "positive __pos__", None)
def positive(input: Any) -> Any:
    """The tensor itself. RuntimeError for bool."""
    if input.dtype.category == 0:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


_unary("sign", "sign(input)", n.sign, promote="no_opmath")
_unary("sgn", "sign(input)", n.sgn, promote="no_opmath")
_unary("floor", "floor(input)", n.INTRINSICS["floor"][1], promote="no_opmath", only="number")
_unary("ceil", "ceil(input)", n.INTRINSICS["ceil"][1], promote="no_opmath", only="number")
_unary("trunc", "trunc(input)", n.INTRINSICS["trunc"][1], "trunc fix", "no_opmath", only="number")
_unary("frac", "input - trunc(input)", lambda a: a - np.trunc(a), promote="no_opmath", only="floating")
SQUARE = _unary("square", "input * input", lambda a: a * a, promote="bool_to_int")
ROUND = pointwise("round", "input", "round(input)", n.INTRINSICS["round"][1], "no_opmath", functions="", methods="",
                  inplace="round_", inplace_functions="round_", only="number")
ROUND_DECIMALS = pointwise("round_decimals", "input, scale", "round(input * scale) / scale",
                           lambda a, s: np.rint(a * s) / s, functions="", methods="", only="floating")


@spelled("round", "round", ROUND)
def round_(input: Any, *, decimals: int = 0, out: Any = None) -> Any:
    """Nearest whole number (halves to even), or nearest multiple of 10**-decimals."""
    from .api import into_out

    return into_out(out, call(ROUND, (input,)) if decimals == 0 else call(ROUND_DECIMALS, (input, 10.0 ** decimals)))


def _nan_args(input: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> tuple:
    if is_tensor_like(input) and input.dtype.category >= 2:
        info = float_limits(input.dtype)
        posinf = float(info.max) if posinf is None else posinf
        neginf = float(info.min) if neginf is None else neginf
    return (input, 0.0 if nan is None else nan, 0.0 if posinf is None else posinf, 0.0 if neginf is None else neginf)


def _nan_to_num(a: Any, nan: Any, pos: Any, neg: Any) -> Any:
    if a.dtype.kind == "c":
        out = np.empty(a.shape, a.dtype)
        out.real, out.imag = (_nan_to_num(part, nan.real, pos.real, neg.real) for part in (a.real, a.imag))
        return out
    if a.dtype.kind != "f":
        return a
    return np.where(np.isnan(a), nan, np.where(a == np.inf, pos, np.where(a == -np.inf, neg, a)))


pointwise("nan_to_num", "input, nan=None, posinf=None, neginf=None",
          "where(isnan(input), nan, where(isinf(input), where(input > 0, posinf, neginf), input))", _nan_to_num,
          "no_opmath", normalize=_nan_args, inplace="nan_to_num_")
