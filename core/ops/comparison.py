"""Comparisons, logical and bitwise operators, tests of elements, and choice by a condition."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from ..tensor.state import STATE
from . import intrinsics as n
from .declare import pointwise, spelled
from .fitting import fits, fitting, stored
from .op import call
from .promotion import is_tensor_like


def _compare(name: str, sign: str, eager: Any, names: str, dunder: str) -> Any:
    return pointwise(name, "input, other", f"input {sign} other", eager, "always_bool", functions=names,
                     methods=f"{names} {dunder}", inplace=" ".join(f"{m}_" for m in names.split()))


EQ = _compare("eq", "==", np.equal, "eq", "__eq__")
NE = _compare("ne", "!=", np.not_equal, "ne not_equal", "__ne__")
LT = _compare("lt", "<", np.less, "lt less", "__lt__")
LE = _compare("le", "<=", np.less_equal, "le less_equal", "__le__")
GT = _compare("gt", ">", np.greater, "gt greater", "__gt__")
GE = _compare("ge", ">=", np.greater_equal, "ge greater_equal", "__ge__")

LOGICAL_AND = pointwise("logical_and", "input, other:tensor", "logical_and(input, other)", np.logical_and, "always_bool",
                        inplace="logical_and_")
LOGICAL_OR = pointwise("logical_or", "input, other:tensor", "logical_or(input, other)", np.logical_or, "always_bool",
                       inplace="logical_or_")
LOGICAL_XOR = pointwise("logical_xor", "input, other:tensor", "logical_xor(input, other)", np.logical_xor, "always_bool",
                        inplace="logical_xor_")
LOGICAL_NOT = pointwise("logical_not", "input", "input == 0", lambda a: a == 0, "always_bool", inplace="logical_not_")

ISNAN = pointwise("isnan", "input", "isnan(input)", n.INTRINSICS["isnan"][1], "always_bool", out=False)
ISINF = pointwise("isinf", "input", "isinf(input)", n.INTRINSICS["isinf"][1], "always_bool", out=False)
ISFINITE = pointwise("isfinite", "input", "isfinite(input)", n.INTRINSICS["isfinite"][1], "always_bool", out=False)
pointwise("isposinf", "input", "logical_and(isinf(input), input > 0)", lambda a: n.INTRINSICS["isinf"][1](a) & (a > 0),
          "always_bool")
pointwise("isneginf", "input", "logical_and(isinf(input), input < 0)", lambda a: n.INTRINSICS["isinf"][1](a) & (a < 0),
          "always_bool")
pointwise("signbit", "input", "signbit(input)", n.INTRINSICS["signbit"][1], "always_bool")

BITWISE_AND = pointwise("bitwise_and", "input:operand, other", "input & other", np.bitwise_and, "no_opmath",
                        methods="bitwise_and __and__ __rand__", inplace="bitwise_and_ __iand__", only="integral")
BITWISE_OR = pointwise("bitwise_or", "input:operand, other", "input | other", np.bitwise_or, "no_opmath",
                       methods="bitwise_or __or__ __ror__", inplace="bitwise_or_ __ior__", only="integral")
BITWISE_XOR = pointwise("bitwise_xor", "input:operand, other", "input ^ other", np.bitwise_xor, "no_opmath",
                        methods="bitwise_xor __xor__ __rxor__", inplace="bitwise_xor_ __ixor__", only="integral")
BITWISE_NOT = pointwise("bitwise_not", "input", "~input", np.invert, "no_opmath", methods="bitwise_not __invert__",
                        inplace="bitwise_not_", only="integral")
SHIFT_LEFT = pointwise("bitwise_left_shift", "input:operand, other", "shift_left(input, other)", n.shift_left, "no_opmath",
                       methods="bitwise_left_shift __lshift__ __rlshift__", inplace="bitwise_left_shift_ __ilshift__",
                       only="integral")
SHIFT_RIGHT = pointwise("bitwise_right_shift", "input:operand, other", "shift_right(input, other)", n.shift_right,
                        "no_opmath", methods="bitwise_right_shift __rshift__ __rrshift__",
                        inplace="bitwise_right_shift_ __irshift__", only="integral")

WHERE = pointwise("where", "condition, input:operand, other", "where(condition, input, other)", n.where, "no_opmath",
                  over=(1, 2), functions="", methods="", normalize=fitting("where", (1, 2), check=stored))


@spelled("where", "", WHERE)
def where(condition: Any, input: Any = None, other: Any = None, *, out: Any = None) -> Any:
    """Elements of `input` where `condition` holds, else of `other`; with the condition alone, its true positions."""
    from .api import into_out

    if input is None and other is None:
        from .selection import nonzero

        return nonzero(condition, as_tuple=True)
    if is_tensor_like(condition) and condition.dtype is dt.uint8:          # an old kind of mask
        condition = condition.bool()
    if is_tensor_like(condition) and condition.dtype.category != 0:
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{condition.dtype}")
    return into_out(out, call(WHERE, (condition, input, other)))


@spelled("", "where", WHERE)
def where_method(self: Any, condition: Any, other: Any) -> Any:
    """Elements of self where `condition` holds, else of `other`."""
    return where(condition, self, other)


def _fill_args(input: Any, mask: Any, value: Any) -> tuple:
    if is_tensor_like(mask) and mask.dtype.category != 0:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype}")
    if is_tensor_like(value) and len(value.shape):
        raise RuntimeError(f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{len(value.shape)} dimension(s).")
    return (input, mask, fits(value, input.dtype))


MASKED_FILL = pointwise("masked_fill", "input, mask, value", "where(mask, value, input)",
                        lambda a, m, v: np.where(m, v, a), "no_opmath", over=(0,), normalize=_fill_args, out=False,
                        inplace="masked_fill_")


@spelled("isclose", "isclose", EQ)
def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """|input - other| <= atol + rtol * |other|, element by element."""
    if input.dtype is not other.dtype:
        from .declare import type_name

        raise RuntimeError(f"{type_name(input.dtype)} did not match {type_name(other.dtype)}")
    close = input == other
    if input.dtype.category == 2:
        near = (input - other).abs() <= atol + rtol * other.abs()
        close = close | (near & other.isfinite() & input.isfinite())
        if equal_nan:
            close = close | (input.isnan() & other.isnan())
    else:
        wide = other.to(STATE.mode.default_dtype) if input.dtype.category < 2 else other
        mine = input.to(STATE.mode.default_dtype) if input.dtype.category == 0 else input
        close = close | ((mine - wide).abs() <= atol + (rtol * wide).abs())
    return close


@spelled("allclose", "allclose", EQ)
def allclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close (a Python bool)."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


@spelled("equal", "equal", EQ)
def equal(input: Any, other: Any) -> bool:
    """Whether sizes and all elements are equal (a Python bool)."""
    if tuple(input.shape) != tuple(other.shape):
        return False
    return bool((input == other).all())
