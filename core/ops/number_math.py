"""Element-wise operators of integers, exponents and steps: gcd, lcm, ldexp, frexp, heaviside, float_power, logaddexp2."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .declare import Spec, elementwise_rule, named_result, operator, parse, pointwise, spelled, type_name
from .dims import wrap_dim
from .op import OPS, Extern, Op, Pointwise, call
from .promotion import is_tensor_like, number_category
from .strides import like_strides

ReturnFrexp = named_result("frexp", "mantissa exponent")


def _unexpressed(name: str, eager: Any, promote: str, only: str, **more: Any) -> Any:
    """A pointwise operator of two tensors without a kernel: its layout and promotion are those of an element-wise one."""
    params = parse("input, other:tensor")
    model = Op(name, params, eager, elementwise_rule(lambda: model, only), Pointwise("input"), promote=promote)
    op = operator(name, "input, other:tensor", Extern(), lambda a, b: eager(*_same(a, b)), model.infer, functions=name,
                  methods=name, out=True, **more)
    from .inplace import COPY_

    def stored(self: Any, other: Any) -> Any:
        return call(COPY_, (self, call(op, (self, other)), False))

    stored.__name__, stored.__doc__ = f"{name}_", f"{name} in place."
    spelled("", f"{name}_", op)(stored)
    return op


def _same(a: np.ndarray, b: np.ndarray) -> tuple:
    kind = np.result_type(a.dtype, b.dtype) if a.ndim == b.ndim or (a.ndim and b.ndim) else (a if a.ndim else b).dtype
    return a.astype(kind), b.astype(kind)


def _no_bool(f: Any) -> Any:
    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if a.dtype == np.bool_:
            raise NotImplementedError(f"\"{f.__name__}_cpu\" not implemented for 'Bool'")
        return f(a, b)
    return run


def _combinations_args(input: Any, r: int) -> None:
    if input.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")


@spelled("combinations", "", None)
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """All choices of r elements of a vector in order, one per row."""
    from .creation import tensor

    _combinations_args(input, r)
    if r == 0:
        return input.new_empty(0)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input.shape[0]), r))
    return input[tensor(rows, dtype=dt.int64)] if rows else input.new_empty(0, r)


pointwise("logaddexp2", "input, other:tensor",
          "where(input == other, input + 1, maximum(input, other) + log1p(exp2(-abs(input - other))) * 1.4426950408889634)",
          np.logaddexp2, only="floating")
_unexpressed("gcd", _no_bool(np.gcd), "no_opmath", "integral")
_unexpressed("lcm", _no_bool(np.lcm), "no_opmath", "integral")


# -- steps and exponents ---------------------------------------------------------------------------------------------
def _heaviside_args(input: Any, values: Any) -> tuple:
    if is_tensor_like(values) and is_tensor_like(input) and input.dtype is not values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    if is_tensor_like(input) and input.dtype.category == 3:
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    return (input, values)


pointwise("heaviside", "input, values:tensor", "where(input == 0, values, where(input > 0, 1, 0))",
          lambda a, v: np.where(a == 0, v, a > 0).astype(a.dtype), "no_opmath", normalize=_heaviside_args, inplace="heaviside_")


def _two_to(input: Any, other: Any) -> Any:
    if not is_tensor_like(other):
        raise TypeError(f"ldexp(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    power = 2.0 ** other
    return power.to(input.dtype) if other.dtype.category < 2 and input.dtype.category >= 2 else power


@spelled("ldexp", "ldexp", OPS["mul"])
def ldexp(input: Any, other: Any, *, out: Any = None) -> Any:
    """input * 2 ** other."""
    from .api import into_out

    return into_out(out, input * _two_to(input, other))


@spelled("", "ldexp_", OPS["mul"])
def ldexp_(self: Any, other: Any) -> Any:
    """ldexp in place."""
    return self.mul_(_two_to(self, other))


def _frexp_rule(m: Any) -> tuple:
    if m.dtype.category != 2:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return Spec(m.dtype, m.shape, like_strides(m)), Spec(dt.int32, m.shape, like_strides(m))


operator("frexp", "input", Extern(), np.frexp, _frexp_rule, functions="frexp", methods="frexp", out=True, returns=ReturnFrexp)


def _power_dtype(*values: Any) -> Any:
    complex_ = any(v.dtype.category == 3 if is_tensor_like(v) else number_category(v) == 3 for v in values)
    return dt.complex128 if complex_ else dt.float64


def _power(input: Any, exponent: Any) -> Any:
    for i, v in enumerate((input, exponent), 1):
        if not is_tensor_like(v) and number_category(v) is None:
            raise TypeError(f"float_power() received an invalid combination of arguments - argument {i} is a "
                            f"{type(v).__name__}")
    d = _power_dtype(input, exponent)
    return call(OPS["pow"], tuple(v.to(d) if is_tensor_like(v) else float(v) if d is dt.float64 else complex(v)
                                  for v in (input, exponent)))


@spelled("float_power", "float_power", OPS["pow"])
def float_power(input: Any, exponent: Any, *, out: Any = None) -> Any:
    """input ** exponent in double precision."""
    from .api import into_out

    return into_out(out, _power(input, exponent))


@spelled("", "float_power_", OPS["pow"])
def float_power_(self: Any, exponent: Any) -> Any:
    """float_power in place; self must be float64."""
    d = _power_dtype(self, exponent)
    if self.dtype is not d:
        raise RuntimeError(f"the base given to float_power_ has dtype {type_name(self.dtype)} but the operation's result "
                           f"requires "
                           f"dtype {type_name(d)}")
    return self.copy_(_power(self, exponent))


@spelled("", "logit_", OPS["log"])
def logit_(self: Any, eps: float | None = None) -> Any:
    """logit in place."""
    return _assigned(self, self.logit(eps))


@spelled("", "mvlgamma_", OPS["log"])
def mvlgamma_(self: Any, p: int) -> Any:
    """mvlgamma in place."""
    return _assigned(self, self.mvlgamma(p))


def _assigned(target: Any, value: Any) -> Any:
    if value.dtype.category > target.dtype.category:
        raise RuntimeError(f"result type {type_name(value.dtype)} can't be cast to the desired output type "
                           f"{type_name(target.dtype)}")
    return target.copy_(value)


@spelled("", "nextafter_", OPS["add"])
def nextafter_(self: Any, other: Any) -> Any:
    """nextafter in place."""
    return self.copy_(call(OPS["nextafter"], (self, other)))


@spelled("special.round", "", OPS["round"])
def special_round(input: Any, *, decimals: int = 0, out: Any = None) -> Any:
    """torch.round under its name in torch.special."""
    from .api import FUNCTIONS

    return FUNCTIONS["torch.round"](input, decimals=decimals, out=out)


# -- integration -----------------------------------------------------------------------------------------------------
@spelled("cumulative_trapezoid", "", None)
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The running integral along dim by the trapezoidal rule."""
    d = wrap_dim(dim, y.ndim)
    n = y.shape[d]
    both = y.narrow(d, 1, n - 1) + y.narrow(d, 0, n - 1)
    if x is None:
        return (both * dx).cumsum(d) / 2
    step = x.diff(dim=-1) if x.ndim == 1 else x.diff(dim=d)
    return (both * (step.reshape([-1 if k == d else 1 for k in range(y.ndim)]) if x.ndim == 1 else step)).cumsum(d) / 2


