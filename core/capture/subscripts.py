"""`obj[key]`: reading, storing, deleting."""

from __future__ import annotations

import collections
import operator
import types
from typing import Any

from .containers import dict_find, dict_set, list_items, touch_list
from .operands import refuse_unknown
from .operators import on_scalars
from .relied import can_change, class_lookup, settled
from .signals import Break
from .special_methods import call_special, special
from .torch_calls import CannotLower, lower
from .values import (
    ClassValue,
    Const,
    DictValue,
    ListValue,
    NativeValue,
    ObjectValue,
    OpaqueValue,
    RangeValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
    c_name,
)


# -- subscripts ----
def of_class(ev: Any, obj: ClassValue, key: Value) -> Value:
    """`cls[key]`: an alias like list[int], or what the script's `__class_getitem__` returns."""
    from .attributes import get_attribute
    from .calls import call

    owner, raw = class_lookup(obj.cls, "__class_getitem__")
    if can_change(type(obj.cls)) and settled(ev, type(obj.cls), "__getitem__")[0] is not None:
        raise Break("operator", name="[]", what=f"class {obj.cls.__name__}, whose metaclass defines it")
    if owner is None:
        ev.raise_error(TypeError, f"type '{c_name(obj.cls)}' is not subscriptable")
    function = getattr(raw, "__func__", raw)
    if isinstance(function, types.FunctionType) and function.__module__ not in ("typing", "typing_extensions"):
        return call(ev, get_attribute(ev, obj, "__class_getitem__"), [key], {})
    try:
        alias = ev.native(operator.getitem, obj.cls, lower(ev, key))
    except CannotLower:
        raise Break("operator", name="[]", what=f"class {obj.cls.__name__}") from None
    return OpaqueValue(alias, ev.pin(alias))


def get_item(ev: Any, obj: Value, key: Value) -> Value:
    """`obj[key]`."""
    obj, key = ev.force(obj), ev.force(key)
    if isinstance(obj, TensorValue):
        from .torch_calls import call_api

        return call_api(ev, operator.getitem, [obj, key], {}, "indexing a tensor")
    if isinstance(obj, TupleValue | ListValue):
        return from_sequence(ev, obj, key)
    if isinstance(obj, DictValue):
        return from_dict(ev, obj, key)
    if isinstance(obj, Const):
        return on_scalars(ev, operator.getitem, obj, Const(plain_key(ev, key, obj)))
    if isinstance(obj, RangeValue):
        from .torch_calls import lift

        return lift(ev, ev.native(operator.getitem, range(obj.start, obj.stop, obj.step), plain_key(ev, key, obj)))
    found = call_special(ev, obj, "__getitem__", key)
    if found is not None:
        return found
    if isinstance(obj, ObjectValue) and obj.payload is not None:
        return get_item(ev, obj.payload, key)
    if isinstance(obj, ClassValue):
        import enum

        if isinstance(obj.cls, enum.EnumMeta):
            return Const(ev.native(operator.getitem, obj.cls, lower(ev, key)))
        return of_class(ev, obj, key)
    refuse_unknown("[]", obj)
    ev.raise_error(TypeError, f"'{obj.c_name}' object is not subscriptable")
    raise AssertionError


def plain_key(ev: Any, key: Value, obj: Value) -> Any:
    """An index or slice of a text, of bytes or of a range as Python's own."""
    if isinstance(key, ObjectValue):
        return index_number(ev, key, obj.type.__name__)
    try:
        return lower(ev, key)
    except CannotLower:
        raise Break("operator", name="[]", what=f"{obj.type.__name__} and {key.type.__name__}") from None


def index_number(ev: Any, key: Value, what: str) -> int:
    if isinstance(key, Const) and key.type in (int, bool):
        return int(key.value)
    if isinstance(key, Const) and isinstance(key.value, int):       # of subclasses Python asks no method either
        return int.__index__(key.value)
    if isinstance(key, TensorValue):
        raise Break("data-item", what="a tensor used as an index")
    found = call_special(ev, key, "__index__")
    if found is None:
        refuse_unknown("[]", key)
        ev.raise_error(TypeError, f"{what} indices must be integers or slices, not {key.c_name}")
        raise AssertionError
    return int(lower(ev, found))


def from_sequence(ev: Any, obj: TupleValue | ListValue, key: Value) -> Value:
    name = "list" if isinstance(obj, ListValue) else "tuple"
    items = list_items(ev, obj)
    no_slice_of_deque(ev, obj, key)
    if isinstance(key, SliceValue):
        part = ev.native(operator.getitem, items, lower(ev, key))
        if isinstance(obj, ListValue):
            return ListValue(part)
        return TupleValue(part, obj.cls if obj.cls.__name__ == "Size" else tuple)
    index = index_number(ev, key, name)
    if not -len(items) <= index < len(items):
        ev.raise_error(IndexError, f"{name} index out of range")
    return items[index]


def no_slice_of_deque(ev: Any, obj: Value, key: Value) -> None:
    if isinstance(key, SliceValue) and obj.type is collections.deque:
        ev.raise_error(TypeError, "sequence index must be integer, not 'slice'")


def from_dict(ev: Any, obj: DictValue, key: Value) -> Value:
    entry = dict_find(ev, obj, key)
    if entry is not None:
        return entry.value
    if obj.factory is not None:
        factory = ev.force(obj.factory)
        if not (isinstance(factory, Const) and factory.value is None):
            from .calls import call

            made = call(ev, factory, [], {})
            if obj.cls.__name__ != "Counter":
                dict_set(ev, obj, key, made)
            return made
    ev.raise_error(KeyError, key)
    raise AssertionError


def set_item(ev: Any, obj: Value, key: Value, value: Value) -> None:
    """`obj[key] = value`."""
    obj, key = ev.force(obj), ev.force(key)
    if isinstance(obj, TensorValue):
        from .torch_calls import call_api

        call_api(ev, operator.setitem, [obj, key, value], {}, "storing into a tensor")
    elif isinstance(obj, ListValue):
        no_slice_of_deque(ev, obj, key)
        items = touch_list(ev, obj)
        if isinstance(key, SliceValue):
            from .iterate import items_of

            ev.native(operator.setitem, items, lower(ev, key), items_of(ev, value))
            return
        index = index_number(ev, key, "list")
        if not -len(items) <= index < len(items):
            ev.raise_error(IndexError, "list assignment index out of range")
        items[index] = value
    elif isinstance(obj, DictValue):
        dict_set(ev, obj, key, value)
    elif (method := special(ev, obj, "__setitem__")) is not None:
        from .calls import call

        call(ev, method, [key, value], {})
    elif isinstance(obj, OpaqueValue | NativeValue | ObjectValue):
        raise Break("operator", name="[]=", what=f"an object of class {obj.type.__name__}")
    else:
        ev.raise_error(TypeError, f"'{obj.c_name}' object does not support item assignment")


def delete_item(ev: Any, obj: Value, key: Value) -> None:
    """`del obj[key]`."""
    obj, key = ev.force(obj), ev.force(key)
    if isinstance(obj, ListValue):
        no_slice_of_deque(ev, obj, key)
        items = touch_list(ev, obj)
        ev.native(operator.delitem, items, lower(ev, key))
    elif isinstance(obj, DictValue):
        from .containers import dict_delete

        if dict_delete(ev, obj, key) is None and obj.cls is not collections.Counter:       # which takes it as a count of zero
            ev.raise_error(KeyError, key)
    elif (method := special(ev, obj, "__delitem__")) is not None:
        from .calls import call

        call(ev, method, [key], {})
    else:
        raise Break("operator", name="del []", what=f"an object of class {obj.type.__name__}")
