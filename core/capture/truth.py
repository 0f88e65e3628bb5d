"""Truth, length, and whether something can be called."""

from __future__ import annotations

import sys
from typing import Any

from ..graph.constants import known_elements
from .containers import complete, list_items
from .function_values import BuiltinMethodValue, BuiltinValue, FunctionValue, MethodValue, PartialValue
from .operands import refuse_unknown
from .relied import settle_enum, settled
from .signals import Break
from .special_methods import call_special
from .torch_calls import lower
from .values import (
    ClassValue,
    Const,
    DictValue,
    ListValue,
    ModuleValue,
    NativeValue,
    ObjectValue,
    OpaqueValue,
    RangeValue,
    SetValue,
    TensorValue,
    TupleValue,
    Value,
)


def truth(ev: Any, value: Value) -> bool:
    """bool(value), deciding symbolic numbers with a guard. A tensor's truth breaks the graph."""
    value = ev.force(value)
    if isinstance(value, Const):
        settle_enum(ev, value.value)
        return bool(ev.native(bool, value.value))
    if isinstance(value, TensorValue):
        known = known_elements(value.fake, ev.graph)
        if known is not None and known.size == 1:
            return bool(known)
        raise Break("data-branch")
    if isinstance(value, TupleValue | ListValue | DictValue | SetValue | RangeValue):
        return length(ev, value) != 0
    if isinstance(value, ObjectValue):
        answer = call_special(ev, value, "__bool__")
        if answer is not None:
            if answer.type is not bool:
                ev.raise_error(TypeError, f"__bool__ should return bool, returned {answer.c_name}")
            return bool(ev.native(bool, lower(ev, answer)))
        if not isinstance(value, ModuleValue) or settled(ev, value.cls, "__len__")[0] is not None:
            size = call_special(ev, value, "__len__")
            if size is not None:
                return bool(ev.native(bool, checked_length(ev, size)))
        if value.payload is not None:
            return length(ev, value.payload) != 0
        return True
    if isinstance(value, OpaqueValue):
        if any(settled(ev, value.type, n)[0] is not None for n in ("__bool__", "__len__")):
            raise Break("operator", name="bool()", what=f"an object of class {value.type.__name__}")
        return True
    return True


def untouched(ev: Any, value: DictValue) -> bool:
    """Whether an existing dict is as it was; its length then becomes a guard, and nothing else."""
    if value.complete or value.changed or value.deleted:
        return False
    ev.guard("SEQUENCE_LENGTH", value.origin, len(value.real), "its length is used")
    return True


def length(ev: Any, value: Value) -> Any:
    """len(value): an int, or a symbolic one for tensors."""
    value = ev.force(value)
    if isinstance(value, TupleValue):
        return len(value.items)
    if isinstance(value, ListValue):
        return len(list_items(ev, value))
    if isinstance(value, DictValue):
        return len(value.real) if untouched(ev, value) else len(complete(ev, value, False))
    if isinstance(value, SetValue):
        return len(value.items)
    if isinstance(value, RangeValue):
        return len(range(value.start, value.stop, value.step))
    if isinstance(value, Const) and not value.symbolic:
        settle_enum(ev, value.value)
        return ev.native(len, value.value)
    if isinstance(value, TensorValue):
        if not value.fake._meta.shape:
            ev.raise_error(TypeError, "len() of a 0-d tensor")
        return value.fake._meta.shape[0]
    answer = call_special(ev, value, "__len__")
    if answer is not None:
        return checked_length(ev, answer)
    if isinstance(value, ObjectValue) and value.payload is not None:
        return length(ev, value.payload)
    refuse_unknown("len()", value)
    ev.raise_error(TypeError, f"object of type '{value.c_name}' has no len()")
    return None


def checked_length(ev: Any, answer: Value) -> Any:
    """What `__len__` returned, if len() accepts it."""
    if isinstance(answer, ObjectValue):
        index = call_special(ev, answer, "__index__")
        if index is not None:
            return checked_length(ev, index)
    if isinstance(answer, TensorValue | NativeValue | OpaqueValue):
        raise Break("operator", name="len()", what=f"an object whose __len__ returns an object of class {answer.type.__name__}")
    if not issubclass(answer.type, int):
        ev.raise_error(TypeError, f"'{answer.c_name}' object cannot be interpreted as an integer")
    number = lower(ev, answer)
    if answer.type is not int:
        number = int.__index__(number)
    if number < 0:
        ev.raise_error(ValueError, "__len__() should return >= 0")
    if number > sys.maxsize:
        ev.raise_error(OverflowError, "cannot fit 'int' into an index-sized integer")
    return number


def is_callable(ev: Any, value: Value) -> bool:
    value = ev.force(value)
    if isinstance(value, FunctionValue | MethodValue | BuiltinValue | BuiltinMethodValue | ClassValue | PartialValue):
        return True
    return settled(ev, value.type, "__call__")[0] is not None


