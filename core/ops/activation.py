"""Activation functions: element-wise operators of torch.nn.functional."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from . import special
from .declare import FUNCTIONS, pointwise, spelled, type_name
from .fitting import fits
from .op import OPS, call

RELU = pointwise("relu", "input", "where(input < 0, 0, input)", lambda a: np.where(a < 0, a.dtype.type(0), a),
                 "no_opmath", functions="relu", methods="relu", inplace="relu_",
                 inplace_functions="relu_ F.relu_", out=False, only="Boolean inputs not supported for relu")


def _activation(name: str, schema: str, expr: str, eager: Any, promote: str = "default", only: str = "floating") -> Any:
    """An activation under torch.nn.functional with its in-place operator (reached by `inplace=True`)."""
    return pointwise(name, schema, expr, eager, promote, functions="", methods="", inplace="", out=False, only=only)


RELU6 = _activation("relu6", "input", "where(input < 0, 0, where(input > 6, 6, input))", lambda a: np.clip(a, 0, 6),
                    "no_opmath", "Bool inputs not supported for hardtanh")
LEAKY_RELU = _activation("leaky_relu", "input, negative_slope=0.01", "where(input > 0, input, input * negative_slope)",
                         lambda a, s: np.where(a > 0, a, a * s))
ELU = _activation("elu", "input, alpha=1.0", "where(input > 0, input, alpha * expm1(input))",
                  lambda a, alpha: np.where(a > 0, a, alpha * np.expm1(np.where(a > 0, 0, a))))
CELU = _activation("celu", "input, alpha=1.0", "where(input > 0, input, alpha * expm1(input / alpha))",
                   lambda a, alpha: np.where(a > 0, a, alpha * np.expm1(np.where(a > 0, 0, a) / alpha)))
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805
SELU = _activation("selu", "input", f"{_SELU_SCALE} * where(input > 0, input, {_SELU_ALPHA} * expm1(input))",
                   lambda a: np.asarray(_SELU_SCALE * np.where(a > 0, a, _SELU_ALPHA * np.expm1(np.where(a > 0, 0, a))),
                                        a.dtype))
GELU = _activation("gelu", "input", "input * 0.5 * (1 + erf(input * 0.7071067811865476))",
                   lambda a: np.asarray(a * 0.5 * (1 + special.erf(a * a.dtype.type(math.sqrt(0.5)))), a.dtype))
GELU_TANH = _activation("gelu_tanh", "input",
                        "0.5 * input * (1 + tanh(0.7978845608028654 * (input + 0.044715 * input * input * input)))",
                        lambda a: np.asarray(0.5 * a * (1 + np.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a ** 3))),
                                             a.dtype))
SILU = _activation("silu", "input", "input / (1 + exp(-input))", lambda a: a / (1 + np.exp(-a)))
MISH = _activation("mish", "input", "input * tanh(where(input > 20, input, log1p(exp(input))))",
                   lambda a: a * np.tanh(np.where(a > 20, a, np.log1p(np.exp(np.minimum(a, 20))))))
SOFTPLUS = _activation("softplus", "input, beta=1.0, threshold=20.0",
                       "where(input * beta > threshold, input, log1p(exp(input * beta)) / beta)",
                       lambda a, b, t: np.where(a * b > t, a, np.log1p(np.exp(a * b)) / b))
HARDTANH = _activation("hardtanh", "input, min_val=-1.0, max_val=1.0", "minimum(maximum(input, min_val), max_val)",
                       lambda a, lo, hi: np.clip(a, lo, hi), "no_opmath", "Bool inputs not supported for hardtanh")
HARDSIGMOID = _activation("hardsigmoid", "input", "minimum(maximum(input + 3, 0), 6) / 6",
                          lambda a: np.clip(a + 3, 0, 6) / 6)
HARDSWISH = _activation("hardswish", "input", "input * minimum(maximum(input + 3, 0), 6) / 6",
                        lambda a: a * np.clip(a + 3, 0, 6) / 6)
SOFTSIGN = _activation("softsign", "input", "input / (1 + abs(input))", lambda a: a / (1 + np.abs(a)), "int_to_float", "number")
LOGSIGMOID = _activation("logsigmoid", "input", "minimum(input, 0) - log1p(exp(-abs(input)))",
                         lambda a: np.minimum(a, 0) - np.log1p(np.exp(-np.abs(a))))
TANHSHRINK = _activation("tanhshrink", "input", "input - tanh(input)", lambda a: a - np.tanh(a), "int_to_float")
SOFTSHRINK = _activation("softshrink", "input, lambd=0.5",
                         "where(input > lambd, input - lambd, where(input < -lambd, input + lambd, 0 * input))",
                         lambda a, t: np.where(a > t, a - t, np.where(a < -t, a + t, 0 * a)))
HARDSHRINK = _activation("hardshrink", "input, lambd=0.5",
                         "where(logical_and(input >= -lambd, input <= lambd), 0, input)",
                         lambda a, t: np.where((a >= -t) & (a <= t), 0, a), "no_opmath")
THRESHOLD = _activation("threshold", "input, threshold, value", "where(input <= threshold, value, input)",
                        lambda a, t, v: np.where(a <= t, v, a), "no_opmath", "number")
PRELU = _activation("prelu", "input, weight", "where(input > 0, input, weight * input)",
                    lambda a, w: np.where(a > 0, a, w * a))


def _stored(name: str) -> None:
    """F.name_: the in-place form as a function of its own."""
    def stored(input: Any, *args: Any, **kwargs: Any) -> Any:
        return FUNCTIONS[f"torch.nn.functional.{name}"](input, *args, inplace=True, **kwargs)

    stored.__name__, stored.__doc__ = f"{name}_", f"{name} in place."
    spelled(f"F.{name}_ {name}_" if name in ("celu", "selu", "threshold") else f"F.{name}_", "", OPS[name + "_"])(stored)


for _name in ("elu", "leaky_relu", "hardtanh", "celu", "selu", "threshold"):
    _stored(_name)


def _choose(name: str, inplace: bool, *args: Any) -> Any:
    return call(OPS[name + "_" if inplace else name], args)


@spelled("F.relu", "", RELU)
def relu(input: Any, inplace: bool = False) -> Any:
    """max(x, 0), element by element; NaN stays NaN."""
    return _choose("relu", inplace, input)


@spelled("F.relu6", "", RELU6)
def relu6(input: Any, inplace: bool = False) -> Any:
    """min(max(x, 0), 6)."""
    return _choose("relu6", inplace, input)


@spelled("F.leaky_relu", "", LEAKY_RELU)
def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """x where positive, else negative_slope * x."""
    return _choose("leaky_relu", inplace, input, negative_slope)


@spelled("F.elu", "", ELU)
def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """x where positive, else alpha * (exp(x) - 1)."""
    return _choose("elu", inplace, input, alpha)


@spelled("F.celu celu", "", CELU)
def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """x where positive, else alpha * (exp(x / alpha) - 1)."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return _choose("celu", inplace, input, alpha)


@spelled("F.selu selu", "", SELU)
def selu(input: Any, inplace: bool = False) -> Any:
    """Self-normalising exponential linear unit."""
    return _choose("selu", inplace, input)


@spelled("F.gelu", "", GELU)
def gelu(input: Any, *, approximate: str = "none") -> Any:
    """x * Phi(x), exact through erf ("none") or through tanh ("tanh")."""
    if approximate == "none":
        return call(GELU, (input,))
    if approximate == "tanh":
        return call(GELU_TANH, (input,))
    raise RuntimeError("approximate argument must be either none or tanh.")


@spelled("F.silu", "", SILU)
def silu(input: Any, inplace: bool = False) -> Any:
    """x * sigmoid(x)."""
    return _choose("silu", inplace, input)


@spelled("F.mish", "", MISH)
def mish(input: Any, inplace: bool = False) -> Any:
    """x * tanh(softplus(x))."""
    return _choose("mish", inplace, input)


@spelled("F.softplus", "", SOFTPLUS)
def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """log(1 + exp(beta * x)) / beta, x itself where beta * x > threshold."""
    return call(SOFTPLUS, (input, beta, threshold))


@spelled("F.hardtanh", "", HARDTANH)
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """x limited to [min_val, max_val]."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if input.dtype is dt.uint8 and (min_val < 0 or max_val < 0):
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return _choose("hardtanh", inplace, input, min_val, max_val)


@spelled("F.hardsigmoid", "", HARDSIGMOID)
def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """relu6(x + 3) / 6."""
    return _choose("hardsigmoid", inplace, input)


@spelled("F.hardswish", "", HARDSWISH)
def hardswish(input: Any, inplace: bool = False) -> Any:
    """x * relu6(x + 3) / 6."""
    return _choose("hardswish", inplace, input)


@spelled("F.softsign", "", SOFTSIGN)
def softsign(input: Any) -> Any:
    """x / (1 + |x|)."""
    return call(SOFTSIGN, (input,))


@spelled("F.logsigmoid", "", LOGSIGMOID)
def logsigmoid(input: Any) -> Any:
    """log(sigmoid(x)) without overflow."""
    return call(LOGSIGMOID, (input.contiguous(),))


@spelled("F.tanhshrink", "", TANHSHRINK)
def tanhshrink(input: Any) -> Any:
    """x - tanh(x)."""
    return call(TANHSHRINK, (input,))


@spelled("F.softshrink", "", SOFTSHRINK)
def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """x moved towards zero by lambd."""
    if not lambd >= 0:
        raise RuntimeError(f"lambda must be in range [0, {float(np.finfo(np.float32).max):g}] for input dtype "
                           f"{type_name(input.dtype)}, but found {lambd}")
    return call(SOFTSHRINK, (input, lambd))


@spelled("F.hardshrink hardshrink", "hardshrink", HARDSHRINK)
def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """x where |x| > lambd, else 0."""
    return call(HARDSHRINK, (input, lambd))


@spelled("F.threshold threshold", "", THRESHOLD)
def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """x where x > threshold, else value."""
    return _choose("threshold", inplace, input, fits(threshold, input.dtype), fits(value, input.dtype))


@spelled("F.prelu prelu", "prelu", PRELU)
def prelu(input: Any, weight: Any) -> Any:
    """x where positive, else weight * x; weight has one element or one per channel (dimension 1)."""
    if weight.dtype is not input.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {type_name(input.dtype)} and {type_name(weight.dtype)}")
    if weight.numel() != 1:
        channels = input.shape[1] if input.ndim > 1 else 1
        if weight.numel() != channels:
            raise RuntimeError(f"Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                               f"{weight.numel()} and channel size = {channels}.")
        weight = weight.reshape([-1 if d == 1 else 1 for d in range(input.ndim)])
    elif weight.ndim and input.ndim == 0:
        weight = weight.reshape(())
    return call(PRELU, (input, weight))
