"""Text made of values: str(), repr(), f-strings, format() and % on constants."""

from __future__ import annotations

import collections
import enum
import re
import types
from typing import Any

from .attributes import get_attribute
from .containers import PLAIN, complete, list_items
from .function_values import BuiltinValue, FunctionValue
from .operands import refuse_unknown
from .relied import can_change, class_lookup, made_by_namedtuple, settle_members, settle_state, settled
from .signals import Break
from .special_methods import call_special
from .torch_calls import CannotLower, lower
from .values import (
    ClassValue,
    Const,
    DictValue,
    ExceptionValue,
    ListValue,
    ObjectValue,
    RangeValue,
    SetValue,
    TensorValue,
    TupleValue,
    Value,
)


def text_of(ev: Any, value: Value) -> str:
    """str(value)."""
    value = ev.force(value)
    if isinstance(value, TensorValue):
        raise Break("data-format")
    if isinstance(value, Const):
        settle_text(ev, value, "__str__", "__repr__")
        return str(plain_number(ev, value))
    if isinstance(value, ExceptionValue) and not has_python(ev, value, "__str__"):
        if not value.args:
            return ""
        if issubclass(value.cls, KeyError) and len(value.args) == 1:
            return repr_of(ev, value.args[0])
        return text_of(ev, value.args[0]) if len(value.args) == 1 else repr_of(ev, TupleValue(list(value.args)))
    found = call_special(ev, value, "__str__") if isinstance(value, ObjectValue) else None
    if found is not None:
        return str(lower(ev, found))
    if isinstance(value, TupleValue) and hasattr(value.cls, "_fields"):
        own_text(ev, value.cls, "__str__")
    return repr_of(ev, value)


def own_text(ev: Any, cls: type, name: str) -> None:
    """Break where a class of named tuples has a text of its own, or it was given one."""
    raw = settled(ev, cls, name)[1]
    if isinstance(raw, types.FunctionType) and not made_by_namedtuple(raw) and not cls.__module__.startswith("torch"):
        raise Break("operator", name=f"{name}()", what=f"class {cls.__name__}, which has one of its own")


def name_of(ev: Any, cls: type, name: str = "__name__") -> str:
    """The class's name, which may be changed."""
    return str(lower(ev, get_attribute(ev, ClassValue(cls), name))) if can_change(cls) else str(getattr(cls, name))


def settle_text(ev: Any, value: Const, *names: str) -> None:
    """The text of a member of an enum: of its name and value now, made as these methods of its class make it now."""
    settle_members(ev, names, value)
    refuse_own_text(value, *names)
    if isinstance(value.value, enum.Enum):
        settle_state(ev, value.value)
        name_of(ev, value.type)


def refuse_own_text(value: Const, *names: str) -> None:
    """Break for a member of an enum, or a number of a class, whose text code of the script's makes: it may read anything."""
    if value.type in PLAIN:
        return
    for name in names:
        raw = class_lookup(value.type, name)[1]
        if isinstance(raw, types.FunctionType) and raw.__module__ != "enum":
            raise Break("operator", name=f"{name}()", what=f"class {value.type.__name__}, which has one of its own")


def has_python(ev: Any, value: ObjectValue, name: str) -> bool:
    return isinstance(settled(ev, value.cls, name)[1], types.FunctionType)


def plain_number(ev: Any, value: Const) -> Any:
    """The constant; a symbolic number is pinned, because its text depends on it."""
    return ev.env.specialise(value.value.expr, "formatted as text") if value.symbolic else value.value


def repr_of(ev: Any, value: Value) -> str:
    """repr(value)."""
    value = ev.force(value)
    if isinstance(value, TensorValue):
        raise Break("data-format")
    if isinstance(value, Const):
        settle_text(ev, value, "__repr__")
        return repr(plain_number(ev, value))
    if isinstance(value, TupleValue):
        if value.cls.__name__ == "Size":
            return f"torch.Size([{', '.join(repr_of(ev, v) for v in value.items)}])"
        parts = [repr_of(ev, v) for v in value.items]
        if hasattr(value.cls, "_fields"):
            settled(ev, value.cls, "_fields")
            own_text(ev, value.cls, "__repr__")
            return f"{name_of(ev, value.cls)}({', '.join(f'{n}={p}' for n, p in zip(value.cls._fields, parts))})"
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    if isinstance(value, ListValue) and value.cls is list:
        return f"[{', '.join(repr_of(ev, v) for v in list_items(ev, value))}]"
    if isinstance(value, DictValue) and value.cls is dict:
        return "{" + ", ".join(f"{repr_of(ev, e.key)}: {repr_of(ev, e.value)}" for e in complete(ev, value).values()) + "}"
    if isinstance(value, SetValue) and value.cls is set and value.items and value.origin is None and len(value.items) == 1:
        return "{" + ", ".join(repr_of(ev, v) for v in value.items.values()) + "}"
    if isinstance(value, RangeValue):
        return repr(range(value.start, value.stop, value.step))
    if isinstance(value, ClassValue | BuiltinValue):
        real = value.cls if isinstance(value, ClassValue) else value.real
        if isinstance(real, type):
            for name in ("__qualname__", "__module__"):
                name_of(ev, real, name)
            return repr(real)
    if isinstance(value, ExceptionValue) and not has_python(ev, value, "__repr__"):
        return f"{name_of(ev, value.cls)}({', '.join(repr_of(ev, a) for a in value.args)})"
    found = call_special(ev, value, "__repr__") if isinstance(value, ObjectValue) else None
    if found is not None:
        return str(lower(ev, found))
    kind = "a function" if isinstance(value, FunctionValue) else f"an object of class {value.type.__name__}"
    raise Break("operator", name="repr()", what=kind)


def format_value(ev: Any, value: Value, spec: str) -> str:
    """format(value, spec)."""
    value = ev.force(value)
    if isinstance(value, TensorValue):
        raise Break("data-format")
    if isinstance(value, Const):
        settle_text(ev, value, "__format__", "__str__", "__repr__")
        return str(ev.native(format, plain_number(ev, value), spec))
    found = call_special(ev, value, "__format__", Const(spec))
    if found is not None:
        return str(lower(ev, found))
    if spec:
        refuse_unknown("format()", value)
        ev.raise_error(TypeError, f"unsupported format string passed to {value.c_name}.__format__")
    return text_of(ev, value)


# A template that asks its values for their texts only: %s, %r, %a, with names, flags and widths.
TEXT_ONLY = re.compile(r"(?:[^%]|%%|%(?:\([^)]*\))?[-#0 +]*\d*(?:\.\d+)?[sra])*", re.DOTALL)


class Shown:
    """Stands for a value inside %-formatting and str.format: Python asks it for its text."""

    def __init__(self, ev: Any, value: Value) -> None:
        self.ev, self.value = ev, value

    def __str__(self) -> str:
        return text_of(self.ev, self.value)

    def __repr__(self) -> str:
        return repr_of(self.ev, self.value)

    def __format__(self, spec: str) -> str:
        return format_value(self.ev, self.value, spec)

    def __getitem__(self, key: Any) -> Any:
        from .subscripts import get_item

        return shown(self.ev, get_item(self.ev, self.value, Const(key)))

    def __getattr__(self, name: str) -> Any:
        from .attributes import get_attribute

        return shown(self.ev, get_attribute(self.ev, self.value, name))


def shown(ev: Any, value: Value) -> Any:
    """A plain constant, or something that formats as the value does."""
    value = ev.force(value)
    if isinstance(value, Const):
        settle_text(ev, value, "__str__", "__repr__", "__format__")
        return plain_number(ev, value)
    return Shown(ev, value)


def percent(ev: Any, template: Const, value: Value) -> Value:
    """`template % value`."""
    value = ev.force(value)
    if isinstance(value, TupleValue):
        operand: Any = tuple(shown(ev, v) for v in value.items)
    elif isinstance(value, DictValue) and value.cls is dict:
        operand = {lower(ev, e.key): shown(ev, e.value) for e in complete(ev, value).values()}
    else:
        operand = shown(ev, value)
        if isinstance(operand, Shown) and (not hasattr(value.type, "__getitem__")
                                           or issubclass(value.type, tuple | str | collections.deque)):
            operand = (operand,)                       # others may be mappings, of which nothing need be converted
    given = operand if isinstance(operand, tuple) else operand.values() if isinstance(operand, dict) else (operand,)
    if any(isinstance(x, Shown) for x in given) \
            and (isinstance(template.value, bytes) or not TEXT_ONLY.fullmatch(template.value)):
        raise Break("operator", name="%", what="an object that may be a number")
    return Const(ev.native(lambda: template.value % operand))


def format_method(ev: Any, template: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """str.format."""
    return Const(ev.native(template.format, *[shown(ev, a) for a in args], **{k: shown(ev, v) for k, v in kwargs.items()}))


__all__ = ["CannotLower", "format_value", "percent", "repr_of", "text_of"]
