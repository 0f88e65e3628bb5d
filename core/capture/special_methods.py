"""Special methods of objects whose class is written in Python: looked up on the class, guarded, called."""

from __future__ import annotations

import types
from typing import Any

from .attributes import bind, class_lookup, guard_class_attribute
from .function_values import BuiltinMethodValue
from .relied import settled
from .signals import Break
from .values import Const, ObjectValue, Value


def special(ev: Any, value: Value, name: str) -> Value | None:
    """The special method `name` as found on the value's class, bound; None if the class has none (object's own count as
    none)."""
    if not isinstance(value, ObjectValue):
        return None
    owner, raw = class_lookup(value.cls, name)
    if owner is None or owner is object or raw is None:
        settled(ev, value.cls, name)
    if raw is None and owner is not None and name != "__hash__":       # which forbids it: not even another way is tried
        raise Break("operator", name=name, what=f"objects of class {value.cls.__name__}, which has None there,")
    if owner is None or owner is object or raw is None:
        return None
    guard_class_attribute(ev, value, name, raw)
    if value.payload is not None and not isinstance(raw, types.FunctionType):
        return BuiltinMethodValue(value.payload, name)
    return bind(ev, raw, value, value.cls, name)


def call_special(ev: Any, value: Value, name: str, *args: Value) -> Value | None:
    """Call it; None when there is none, or when it returned NotImplemented."""
    method = special(ev, value, name)
    if method is None:
        return None
    from .calls import call

    result = ev.force(call(ev, method, list(args), {}))
    return None if isinstance(result, Const) and result.value is NotImplemented else result


