"""Comparison, identity and membership of values. What was compared becomes a guard where objects exist."""

from __future__ import annotations

import ast
import collections
import enum
import operator
from collections.abc import Callable
from typing import Any

from ..guards.facts import same as equal_constants
from ..symbolic.symint import sym_not
from .container_operators import as_set, is_set_like
from .containers import complete, dict_find, list_items, member_key
from .function_values import BuiltinValue, FunctionValue, MethodValue
from .operands import SCALARS, refuse_other_types, refuse_own_operators
from .operators import on_scalars, unary
from .relied import class_lookup, settle_members, settled
from .signals import Break
from .special_methods import call_special
from .torch_calls import lower
from .truth import length, truth
from .values import (
    ClassValue,
    Const,
    DictValue,
    DictViewValue,
    ListValue,
    NativeValue,
    ObjectValue,
    OpaqueValue,
    PyModuleValue,
    RangeValue,
    SetValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)

COMPARE: dict[type, tuple[Callable[..., Any], str, str]] = {
    ast.Lt: (operator.lt, "__lt__", "__gt__"), ast.LtE: (operator.le, "__le__", "__ge__"),
    ast.Gt: (operator.gt, "__gt__", "__lt__"), ast.GtE: (operator.ge, "__ge__", "__le__"),
    ast.Eq: (operator.eq, "__eq__", "__eq__"), ast.NotEq: (operator.ne, "__ne__", "__ne__"),
}


# -- comparison ----
def compare(ev: Any, op: type, a: Value, b: Value) -> Value:
    """One comparison."""
    if op is ast.Is or op is ast.IsNot:
        same = identical(ev, a, b)
        return Const(same if op is ast.Is else not same)
    if op is ast.In or op is ast.NotIn:
        inside = contains(ev, b, a)
        return Const(sym_not(inside)) if op is ast.NotIn else Const(inside)
    a, b = ev.force(a), ev.force(b)
    function, name, reflected = COMPARE[op]
    settle_members(ev, (name, reflected, "__eq__"), a, b)
    if isinstance(a, SCALARS) and isinstance(b, SCALARS):
        return on_scalars(ev, function, a, b)
    sides = [(a, name, b), (b, reflected, a)]
    if isinstance(b, ObjectValue):
        refuse_own_operators(name.strip("_"), a)
        if a.type is not b.type and issubclass(b.type, a.type):
            sides.reverse()                                                    # a subclass is asked first
    if op is ast.Eq or op is ast.NotEq:
        for left, method, right in sides:
            found = call_special(ev, left, method, right) or (
                negated(ev, call_special(ev, left, "__eq__", right)) if op is ast.NotEq else None)
            if found is not None:
                return found
        if isinstance(a, OpaqueValue) or isinstance(b, OpaqueValue):           # even with itself: it may be NaN, or an array
            raise Break("operator", name="==", what=f"{a.type.__name__} and {b.type.__name__}")
        for value in (a, b):
            cls = value.type if isinstance(value, Const) and isinstance(value.value, enum.Enum) else object
            if any(class_lookup(cls, own)[0] not in (None, object) for own in ("__eq__", "__ne__")):
                raise Break("operator", name="==", what=f"members of {cls.__name__}, which compares in a way of its own")
        same = equal(ev, a, b)
        return Const(same if op is ast.Eq else sym_not(same))
    for left, method, right in sides:
        found = call_special(ev, left, method, right)
        if found is not None:
            return found
    if alike(a, b):
        for x, y in zip(list_items(ev, a), list_items(ev, b)):
            if not truth(ev, compare(ev, ast.Eq, x, y)):
                return compare(ev, op, x, y)
        return Const(function(length(ev, a), length(ev, b)))
    if as_sets(a, b):
        return Const(function(set(as_set(ev, a).items), set(as_set(ev, b).items)))
    if isinstance(a, OpaqueValue | TensorValue) or isinstance(b, OpaqueValue | TensorValue):
        raise Break("operator", name=function.__name__, what=f"{a.type.__name__} and {b.type.__name__}")
    refuse_other_types(function.__name__, a, b)
    sign = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}[function.__name__]
    ev.raise_error(TypeError, f"'{sign}' not supported between instances of '{a.c_name}' and '{b.c_name}'")
    raise AssertionError


def alike(a: Value, b: Value) -> bool:
    """Two tuples, two lists, two deques: they are compared item by item. (A view of values equals only itself.)"""
    return isinstance(a, TupleValue) and isinstance(b, TupleValue) or isinstance(a, ListValue) and isinstance(b, ListValue) \
        and a.cls is b.cls and not isinstance(a, DictViewValue)


def as_sets(a: Value, b: Value) -> bool:
    """Two sets, or views of keys or items: they are compared by what they contain."""
    return all(isinstance(v, SetValue) or is_set_like(v) for v in (a, b))


def negated(ev: Any, value: Value | None) -> Value | None:
    return None if value is None else unary(ev, ast.Not, value)


def equal(ev: Any, a: Value, b: Value) -> Any:
    """`a == b` for values without an `__eq__` of the user's."""
    a, b = ev.force(a), ev.force(b)
    if a is b:
        return True
    if isinstance(a, SCALARS) and isinstance(b, SCALARS):
        answer = on_scalars(ev, operator.eq, a, b)
        if isinstance(answer, TensorValue):
            raise Break("data-branch")
        return answer.value  # type: ignore[attr-defined]
    if as_sets(a, b):
        return as_set(ev, a).items.keys() == as_set(ev, b).items.keys()
    if alike(a, b):
        x, y = list_items(ev, a), list_items(ev, b)
        return len(x) == len(y) and all(truth(ev, compare(ev, ast.Eq, p, q)) for p, q in zip(x, y))
    if isinstance(a, DictValue) and isinstance(b, DictValue):
        if a.cls is b.cls is collections.Counter:               # what is missing counts as zero
            raise Break("operator", name="==", what="Counters")
        in_order = a.cls is b.cls is collections.OrderedDict
        left, right = complete(ev, a, in_order), complete(ev, b, in_order)
        if in_order and list(left) != list(right):
            return False
        return left.keys() == right.keys() and all(truth(ev, compare(ev, ast.Eq, e.value, right[k].value))
                                                   for k, e in left.items())
    if isinstance(a, RangeValue) and isinstance(b, RangeValue):
        return range(a.start, a.stop, a.step) == range(b.start, b.stop, b.step)
    if isinstance(a, OpaqueValue) or isinstance(b, OpaqueValue):
        raise Break("operator", name="==", what=f"{a.type.__name__} and {b.type.__name__}")
    if isinstance(a, SliceValue) and isinstance(b, SliceValue):
        return lower(ev, a) == lower(ev, b)
    if isinstance(a, MethodValue) and isinstance(b, MethodValue):
        return identical(ev, a.function, b.function) and identical(ev, a.receiver, b.receiver)
    if isinstance(a, TensorValue) or isinstance(b, TensorValue):
        raise Break("operator", name="==", what="a tensor and an object")
    return identical(ev, a, b)


def identical(ev: Any, a: Value, b: Value) -> bool:
    """`a is b`; for existing objects the answer becomes a guard."""
    a, b = ev.force(a), ev.force(b)
    if a is b:
        return True
    if isinstance(a, Const) and isinstance(b, Const):
        if a.type is not b.type:
            return False
        if a.symbolic or b.symbolic:
            raise Break("operator", name="is", what="symbolic numbers")
        if a.value is b.value and (type(a.value) not in (int, float, str, bytes, complex)
                                   or a.origin is None and b.origin is None or same_objects(ev, a, b)):
            return True
        if type(a.value) in (int, float, str, bytes, complex) and equal_constants(a.value, b.value):
            raise Break("operator", name="is", what=f"equal {a.type.__name__} objects")
        return False
    if type(a) is not type(b):
        return False
    if isinstance(a, ClassValue):
        return a.cls is getattr(b, "cls", None)
    if isinstance(a, BuiltinValue | PyModuleValue | NativeValue):
        return a.real is getattr(b, "real", None)
    real_a, real_b = getattr(a, "real", None), getattr(b, "real", None)
    if isinstance(a, TupleValue) and all(v.origin is not None or constant_tuple(v) for v in (a, b)):
        raise Break("operator", name="is", what="two tuples")
    if a.origin is not None and b.origin is not None and (real_a is None or real_b is None):
        if a.origin == b.origin:
            return True
        raise Break("operator", name="is", what=f"two objects of class {a.type.__name__}")       # bound methods, ranges, ...
    if real_a is None or real_b is None or a.origin is None or b.origin is None:
        return False
    same = real_a is real_b
    ev.guard("OBJECT_ALIASING" if same else "NOT_ALIASING", a.origin, b.origin, "compared with `is`")
    return bool(same)


def constant_tuple(value: Any) -> bool:
    """Whether it may be a constant of the code, of which Python keeps one object per file."""
    return all(isinstance(v, Const) and v.origin is None or isinstance(v, TupleValue) and constant_tuple(v)
               for v in value.items)


def same_objects(ev: Any, a: Const, b: Const) -> bool:
    """Two equal numbers or texts are one object in this call; that they stay one becomes a guard."""
    if a.origin is not None and b.origin is not None:
        if a.origin != b.origin:
            ev.guard("OBJECT_ALIASING", a.origin, b.origin, "compared with `is`")
    else:
        place = a.origin or b.origin
        ev.guard("ID_MATCH", place, a.value, "compared with `is`")
    return True


def contains(ev: Any, container: Value, item: Value) -> Any:
    """`item in container`."""
    container = ev.force(container)
    if isinstance(container, DictValue):
        return dict_find(ev, container, item) is not None
    if isinstance(container, SetValue):
        return member_key(ev, item) in container.items
    if isinstance(container, Const):
        item = ev.force(item)
        if not isinstance(item, Const):
            if not isinstance(container.value, str) or issubclass(item.type, str):
                raise Break("operator", name="in", what=f"{item.type.__name__} and {container.type.__name__}")
            ev.raise_error(TypeError, f"'in <string>' requires string as left operand, not {item.c_name}")
        return ev.native(operator.contains, container.value, item.value)  # type: ignore[attr-defined]
    if isinstance(container, RangeValue):
        inner = ev.force(item)
        if isinstance(inner, ListValue | TupleValue | DictValue | SetValue | ClassValue | FunctionValue):
            return False
        if not isinstance(inner, Const):                 # what equals a number decides itself
            raise Break("operator", name="in", what=f"{inner.type.__name__} and a range")
        return lower(ev, inner) in range(container.start, container.stop, container.step)
    if isinstance(container, ClassValue):                # the metaclass decides (an enum: 3.12 also looks for values)
        item = ev.force(item)
        by_enum = settled(ev, type(container.cls), "__contains__")[0] is enum.EnumMeta
        if not by_enum or not isinstance(item, Const) or item.symbolic:
            raise Break("operator", name="in", what=f"{item.type.__name__} and class {container.cls.__name__}")
        return ev.native(operator.contains, container.cls, item.value)
    found = call_special(ev, container, "__contains__", item)
    if found is not None:
        return truth(ev, found)
    if isinstance(container, TensorValue):
        raise Break("data-branch")
    from .iterate import iterate

    iterator = iterate(ev, container)
    while (member := iterator.step()) is not None:
        if ev.force(member) is ev.force(item) or truth(ev, compare(ev, ast.Eq, member, item)):
            return True
    return False
