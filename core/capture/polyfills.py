"""Python functions of the standard library for which a rule is simpler or safer than tracing their source."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from .attribute_stores import set_attribute
from .attributes import get_attribute
from .containers import complete, list_items, new_dict
from .operators import is_callable
from .signals import Break
from .values import (
    NONE,
    ClassValue,
    Const,
    DictValue,
    FunctionValue,
    ListValue,
    ObjectValue,
    PartialValue,
    SetValue,
    TensorValue,
    TupleValue,
    Value,
)

Polyfill = Callable[[Any, list[Value], dict[str, Value]], Value]


def update_wrapper(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """functools.update_wrapper: names and `__wrapped__`."""
    wrapper, wrapped = ev.force(args[0]), args[1] if len(args) > 1 else kwargs["wrapped"]
    if isinstance(wrapper, FunctionValue) and wrapper.real is None:
        inner = ev.force(wrapped)
        if isinstance(inner, FunctionValue):
            wrapper.name, wrapper.qualname = inner.name, inner.qualname
        wrapper.attributes["__wrapped__"] = wrapped
        return wrapper
    set_attribute(ev, wrapper, "__wrapped__", wrapped)
    return wrapper


def wraps(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """functools.wraps: a partial of update_wrapper."""
    from .attributes import pinned

    return PartialValue(pinned(ev, functools.update_wrapper), [], {"wrapped": args[0]})


def replace(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """dataclasses.replace."""
    from .classes import instantiate

    obj = ev.force(args[0])
    fields = dataclass_fields(ev, obj)
    given = {f.name: kwargs.get(f.name) or get_attribute(ev, obj, f.name) for f in fields if f.init}
    for name in kwargs:
        given.setdefault(name, kwargs[name])
    return instantiate(ev, ClassValue(obj.cls, ev.pin(obj.cls)), [], given)


def dataclass_fields(ev: Any, obj: Value) -> tuple:
    cls = obj.cls if isinstance(obj, ObjectValue | ClassValue) else None
    if cls is None or not dataclasses.is_dataclass(cls):
        ev.raise_error(TypeError, "must be called with a dataclass type or instance")
        raise AssertionError
    return dataclasses.fields(cls)


def asdict(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """dataclasses.asdict."""
    return plain(ev, args[0])


def plain(ev: Any, value: Value) -> Value:
    value = ev.force(value)
    if isinstance(value, ObjectValue) and dataclasses.is_dataclass(value.cls):
        return new_dict(ev, [(Const(f.name), plain(ev, get_attribute(ev, value, f.name)))
                             for f in dataclasses.fields(value.cls)])
    if isinstance(value, ListValue | TupleValue):
        items = [plain(ev, v) for v in list_items(ev, value)]
        return ListValue(items) if isinstance(value, ListValue) else TupleValue(items, value.cls)
    if isinstance(value, DictValue):
        return new_dict(ev, [(e.key, plain(ev, e.value)) for e in complete(ev, value).values()])
    if isinstance(value, TensorValue):
        raise Break("call-unknown", what="dataclasses.asdict() of a tensor")
    return value


def fields(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """dataclasses.fields."""
    from .attributes import pinned

    return TupleValue([pinned(ev, f) for f in dataclass_fields(ev, ev.force(args[0]))])


def is_dataclass(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    value = ev.force(args[0])
    cls = value.cls if isinstance(value, ObjectValue | ClassValue) else value.type
    return Const(dataclasses.is_dataclass(cls))


def shallow_copy(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """copy.copy."""
    value = ev.force(args[0])
    if isinstance(value, ListValue):
        return ListValue(list(list_items(ev, value)), cls=value.cls)
    if isinstance(value, DictValue):
        made = new_dict(ev, [(e.key, e.value) for e in complete(ev, value).values()], value.cls)
        made.factory = value.factory
        return made
    if isinstance(value, SetValue):
        return SetValue(dict(value.items), value.cls)
    if isinstance(value, Const | TupleValue | FunctionValue | ClassValue):
        return value
    raise Break("call-unknown", what=f"copy.copy() of an object of class {value.type.__name__}")


def deep_copy(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """copy.deepcopy of containers and constants."""
    value = ev.force(args[0])
    if isinstance(value, Const | FunctionValue | ClassValue):
        return value
    if isinstance(value, ListValue) and value.cls is list:
        return ListValue([deep_copy(ev, [v], {}) for v in list_items(ev, value)])
    if isinstance(value, TupleValue):
        return TupleValue([deep_copy(ev, [v], {}) for v in value.items], value.cls)
    if isinstance(value, DictValue) and value.cls is dict:
        return new_dict(ev, [(deep_copy(ev, [e.key], {}), deep_copy(ev, [e.value], {}))
                             for e in complete(ev, value).values()])
    raise Break("call-unknown", what=f"copy.deepcopy() of an object of class {value.type.__name__}")


def named_tuple_factory(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    raise Break("class-body")


def cast(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """typing.cast."""
    return args[1]


def is_function(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return Const(isinstance(ev.force(args[0]), FunctionValue))


def _table() -> dict[Any, Polyfill]:
    import inspect
    import typing

    return {
        functools.update_wrapper: update_wrapper, functools.wraps: wraps, dataclasses.replace: replace,
        dataclasses.asdict: asdict, dataclasses.fields: fields, dataclasses.is_dataclass: is_dataclass,
        copy.copy: shallow_copy, copy.deepcopy: deep_copy, collections.namedtuple: named_tuple_factory, typing.cast: cast,
        inspect.isfunction: is_function,
    }


POLYFILLS: dict[Any, Polyfill] = _table()

__all__ = ["NONE", "POLYFILLS", "is_callable"]
