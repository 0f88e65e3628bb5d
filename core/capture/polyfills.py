"""Python functions of the standard library for which a rule is simpler or safer than tracing their source."""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import functools
from collections.abc import Callable
from typing import Any

from .attribute_stores import set_attribute
from .attributes import get_attribute, tells_its_class
from .containers import PLAIN, complete, dict_set, list_items, new_dict
from .function_values import FunctionValue, PartialValue
from .relied import settle_enum, settled
from .signals import Break
from .torch_calls import lower
from .truth import is_callable
from .values import NONE, ClassValue, Const, DictValue, ListValue, ObjectValue, SetValue, TupleValue, Value

FIELDS, IS_DATACLASS = dataclasses.fields, dataclasses.is_dataclass     # a script may replace them in the module

Polyfill = Callable[[Any, list[Value], dict[str, Value]], Value]


def update_wrapper(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """functools.update_wrapper: names and `__wrapped__`."""
    wrapper, wrapped = ev.force(args[0]), args[1] if len(args) > 1 else kwargs["wrapped"]
    if isinstance(wrapper, FunctionValue) and wrapper.real is None:
        inner = ev.force(wrapped)
        if isinstance(inner, FunctionValue):
            wrapper.name, wrapper.qualname = (str(lower(ev, get_attribute(ev, inner, n))) for n in ("__name__", "__qualname__"))
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
    if cls is None or not IS_DATACLASS(cls):
        ev.raise_error(TypeError, "must be called with a dataclass type or instance")
        raise AssertionError
    settled(ev, cls, "__dataclass_fields__")
    return FIELDS(cls)


def asdict(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """dataclasses.asdict."""
    if len(args) != 1 or kwargs:
        raise Break("call-unknown", what="dataclasses.asdict() with a factory")
    return plain(ev, args[0])


def plain(ev: Any, value: Value) -> Value:
    value = ev.force(value)
    if isinstance(value, ObjectValue) and IS_DATACLASS(value.cls):
        return new_dict(ev, [(Const(f.name), plain(ev, get_attribute(ev, value, f.name)))
                             for f in dataclass_fields(ev, value)])
    if isinstance(value, TupleValue) or isinstance(value, ListValue) and value.cls is list:
        items = [plain(ev, v) for v in list_items(ev, value)]
        return ListValue(items) if isinstance(value, ListValue) else TupleValue(items, value.cls)
    if isinstance(value, DictValue):
        made = new_dict(ev, [(plain(ev, e.key), plain(ev, e.value)) for e in complete(ev, value).values()], value.cls)
        made.factory = value.factory
        return made
    return deep_copy(ev, [value], {})


def fields(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """dataclasses.fields."""
    from .attributes import pinned

    return TupleValue([pinned(ev, f) for f in dataclass_fields(ev, ev.force(args[0]))])


def is_dataclass(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    value = ev.force(args[0])
    cls = value.cls if isinstance(value, ObjectValue | ClassValue) else value.type
    settled(ev, cls, "__dataclass_fields__")
    return Const(IS_DATACLASS(cls))


def shallow_copy(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """copy.copy."""
    value = ev.force(args[0])
    if isinstance(value, ListValue) and value.cls in (list, collections.deque):
        copied = ListValue(list(list_items(ev, value)), cls=value.cls)
        copied.maxlen = value.maxlen
        return copied
    if isinstance(value, DictValue):
        made = new_dict(ev, [(e.key, e.value) for e in complete(ev, value).values()], value.cls)
        made.factory = value.factory
        return made
    if isinstance(value, SetValue) and value.cls is set:
        return SetValue(dict(value.items), value.cls)
    if isinstance(value, SetValue | TupleValue) and value.cls in (frozenset, tuple):
        return value
    if isinstance(value, Const) and (value.type in PLAIN or isinstance(value.value, enum.Enum)):
        settle_enum(ev, value.value)
        tells_its_class(ev, value.type)
        return value
    if isinstance(value, FunctionValue | ClassValue):
        return value
    raise Break("call-unknown", what=f"copy.copy() of an object of class {value.type.__name__}")


def deep_copy(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """copy.deepcopy of containers and constants."""
    if len(args) != 1 or kwargs:
        raise Break("call-unknown", what="copy.deepcopy() with a memo")
    return copied_deeply(ev, args[0], {})


def copied_deeply(ev: Any, value: Value, memo: dict[int, Value]) -> Value:
    """`memo`: what was copied already, so that one object stays one object."""
    value = ev.force(value)
    if isinstance(value, Const | FunctionValue | ClassValue):
        if isinstance(value, Const):
            settle_enum(ev, value.value)
            tells_its_class(ev, value.type)
        return value
    known = memo.get(id(value))
    if known is not None:
        return known
    if isinstance(value, ListValue) and value.cls is list:
        made: Value = memo.setdefault(id(value), ListValue([]))
        made.items.extend(copied_deeply(ev, v, memo) for v in list_items(ev, value))    # type: ignore[attr-defined]
        return made
    if isinstance(value, TupleValue):
        return memo.setdefault(id(value), TupleValue([copied_deeply(ev, v, memo) for v in value.items], value.cls))
    if isinstance(value, DictValue) and value.cls is dict:
        made = memo.setdefault(id(value), new_dict(ev, []))
        for e in list(complete(ev, value).values()):
            dict_set(ev, made, copied_deeply(ev, e.key, memo), copied_deeply(ev, e.value, memo))    # type: ignore[arg-type]
        return made
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
