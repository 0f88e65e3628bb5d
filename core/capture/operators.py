"""Operators, truth, length, membership and subscripts on values."""

from __future__ import annotations

import ast
import collections
import enum
from collections.abc import Callable
from typing import Any

from ..symbolic.symint import sym_not
from .container_operators import list_inplace, on_containers, refuse_counter, set_operation
from .containers import complete, dict_set
from .operands import (
    BINARY,
    SCALARS,
    SET_OPERATORS,
    SYMBOLS,
    UNARY,
    bad_operands,
    refuse_other_types,
    refuse_own_operators,
    refuse_unknown,
)
from .relied import settle_enum, settle_members, settled
from .signals import Break
from .special_methods import call_special
from .torch_calls import CannotLower, lower, run
from .truth import truth
from .values import FALSE, TRUE, Const, DictValue, ListValue, ObjectValue, SetValue, TensorValue, Value

REPEATED = (str, bytes, list, tuple, collections.deque)


def binary(ev: Any, op: type, a: Value, b: Value, in_place: bool = False) -> Value:
    """`a op b`; `in_place`: of `a op= b`, for which `a` has no way of its own."""
    a, b = ev.force(a), ev.force(b)
    function, name, function_in_place = BINARY[op]
    settle_members(ev, (f"__{name}__", f"__r{name}__"), a, b)
    text = isinstance(a, Const) and isinstance(a.value, str | bytes)
    apart = text and isinstance(b, Const) and (b.symbolic or op is ast.Mod and isinstance(b.value, enum.Enum))
    if isinstance(a, SCALARS) and isinstance(b, SCALARS) and not apart:
        return on_scalars(ev, function_in_place if in_place and isinstance(a, Const) else function, a, b)
    if op is ast.Mod and text and b.type not in (str, bytes):
        return on_containers(ev, op, a, b, in_place)              # formatting: the other's own method is not asked
    if isinstance(a, ObjectValue) or isinstance(b, ObjectValue):
        refuse_own_operators(name, a)
        tries = [(a, f"__{name}__", b), (b, f"__r{name}__", a)]
        if a.type is not b.type and issubclass(b.type, a.type) and isinstance(b, ObjectValue) \
                and settled(ev, b.type, f"__r{name}__")[1] is not settled(ev, a.type, f"__r{name}__")[1]:
            tries.reverse()                        # a subclass that overrides the reflected method goes first
        for left, method, right in tries:
            found = call_special(ev, left, method, right)
            if found is not None:
                return found
        if isinstance(a, TensorValue) or isinstance(b, TensorValue):
            raise Break("operator", name=SYMBOLS[name], what="a tensor and an object")
        if op is ast.Mult:
            for seq, count in ((a, b),) if in_place else ((a, b), (b, a)):       # `a *= b` asks only what `a` is
                n = None if isinstance(seq, ObjectValue) or not issubclass(seq.type, REPEATED) \
                    else call_special(ev, count, "__index__")
                if n is not None:
                    return binary(ev, op, seq, n)
        bad_operands(ev, op, a, b, in_place)
    return on_containers(ev, op, a, b, in_place)


def on_scalars(ev: Any, function: Callable[..., Any], *operands: Value) -> Value:
    """Numbers, strings and tensors: Python's own operator does it."""
    plain = [lower(ev, v) for v in operands]
    if any(isinstance(v, TensorValue) for v in operands):
        return run(ev, function, plain, {}, f"operator {function.__name__}")
    return Const(ev.native(function, *plain))


def inplace(ev: Any, op: type, a: Value, b: Value) -> Value:
    """`a op= b`: the new value of the target."""
    a, b = ev.force(a), ev.force(b)
    function, name, in_place = BINARY[op]
    if isinstance(a, TensorValue):
        try:
            return run(ev, in_place, [a.fake, lower(ev, b)], {}, f"operator {name}")
        except CannotLower:
            return binary(ev, op, a, b)
    if isinstance(a, ListValue) and op in (ast.Add, ast.Mult):
        return list_inplace(ev, op, a, b)
    if isinstance(a, DictValue) and a.cls is collections.Counter and op in (ast.Add, ast.Sub, ast.BitOr, ast.BitAnd):
        raise Break("operator", name=f"{SYMBOLS[name]}=", what="a Counter")
    if isinstance(a, DictValue) and op is ast.BitOr and not isinstance(b, DictValue) and a.cls is not collections.Counter:
        from .mapping_methods import dict_update

        dict_update(ev, a, b)                      # any mapping, or pairs
        return a
    if isinstance(a, DictValue) and op is ast.BitOr and isinstance(b, DictValue):
        refuse_counter(a, b)
        for e in list(complete(ev, b).values()):
            dict_set(ev, a, e.key, e.value)
        return a
    if isinstance(a, SetValue) and a.cls is set and isinstance(b, SetValue) and op in SET_OPERATORS:
        a.items = set_operation(ev, function, a, b).items
        a.changed = True
        ev.changed(a)
        return a
    found = call_special(ev, a, f"__i{name}__", b)
    return found if found is not None else binary(ev, op, a, b, in_place=True)


def unary(ev: Any, op: type, a: Value) -> Value:
    a = ev.force(a)
    if op is ast.Not:
        if isinstance(a, Const):
            settle_enum(ev, a.value)
            return Const(sym_not(a.value))
        return FALSE if truth(ev, a) else TRUE
    function, name = UNARY[op]
    settle_members(ev, (name,), a)
    if isinstance(a, SCALARS):
        return on_scalars(ev, function, a)
    found = call_special(ev, a, name)
    if found is None:
        sign = {"__neg__": "-", "__pos__": "+", "__invert__": "~"}[name]
        refuse_unknown(sign, a)
        refuse_other_types(sign, a)
        ev.raise_error(TypeError, f"bad operand type for unary {sign}: '{a.c_name}'")
        raise AssertionError
    return found


