"""Iteration: iterators made while tracing are lazy, step by step, as Python's are."""

from __future__ import annotations

import collections
import types
from typing import Any

from .containers import complete, list_items
from .function_values import IteratorValue
from .operands import refuse_unknown
from .relied import settle_enum
from .signals import Break, UserRaise
from .special_methods import call_special, special
from .values import Const, DictValue, ListValue, ObjectValue, OpaqueValue, RangeValue, SetValue, TensorValue, TupleValue, Value


def fixed(items: list[Value], kind: type = types.GeneratorType) -> IteratorValue:
    """An iterator over values that are known."""
    position = -1

    def step() -> Value | None:
        nonlocal position
        position += 1
        return items[position] if position < len(items) else None

    return IteratorValue(step, kind)


def iterate(ev: Any, value: Value) -> IteratorValue:
    """iter(value). Raises TypeError in the script for what cannot be iterated."""
    value = ev.force(value)
    if isinstance(value, IteratorValue):
        return value
    if isinstance(value, ListValue):
        view = getattr(value, "what", None)
        return over_list(ev, value) if view is None else over_dict(ev, value.of, view)  # type: ignore[attr-defined]
    if isinstance(value, TupleValue):
        return fixed(value.items, type(iter(())))
    if isinstance(value, DictValue):
        return over_dict(ev, value)
    if isinstance(value, SetValue):
        if len(value.items) > 1:
            raise Break("iterate", what="a set, whose order only the set itself knows")
        return fixed(list(value.items.values()), type(iter(set())))
    if isinstance(value, RangeValue):
        return over_range(value)
    if isinstance(value, Const) and not value.symbolic and isinstance(value.value, str | bytes):
        settle_enum(ev, value.value)
        return fixed([Const(c) for c in value.value], type(iter("")))
    if isinstance(value, TensorValue):
        return over_tensor(ev, value)
    if isinstance(value, Const) or not isinstance(value, ObjectValue | OpaqueValue):
        from .values import ClassValue

        if isinstance(value, ClassValue):
            import enum

            if isinstance(value.cls, enum.EnumMeta):
                return fixed([Const(m) for m in list[Any](value.cls)])
        if any(hasattr(value.type, n) for n in ("__iter__", "__getitem__")) and not isinstance(value, ClassValue):
            raise Break("iterate", what=f"an object of class {value.type.__name__}")
        ev.raise_error(TypeError, f"'{value.c_name}' object is not iterable")
    if isinstance(value, ObjectValue):
        found = call_special(ev, value, "__iter__")
        if found is not None:
            return from_object(ev, found)
        if value.payload is not None:
            return iterate(ev, value.payload)
        if special(ev, value, "__getitem__") is not None:
            return by_index(ev, value)
        ev.raise_error(TypeError, f"'{value.c_name}' object is not iterable")
    raise Break("iterate", what=f"an object of class {value.type.__name__}")


def from_object(ev: Any, value: Value) -> IteratorValue:
    """The result of `__iter__`: an iterator of ours, or a user's object with `__next__`."""
    value = ev.force(value)
    if not isinstance(value, ObjectValue):
        return iterate(ev, value)
    held: Value = value

    def step() -> Value | None:
        from .calls import call

        method = special(ev, held, "__next__")
        if method is None:
            ev.raise_error(TypeError, f"iter() returned non-iterator of type '{held.c_name}'")
            raise AssertionError
        try:
            return call(ev, method, [], {})
        except UserRaise as raised:
            if issubclass(raised.value.cls, StopIteration):
                return None
            raise

    return IteratorValue(step, held.type)


def by_index(ev: Any, value: Value) -> IteratorValue:
    """The old protocol: `__getitem__` with 0, 1, ... until IndexError."""
    position = -1

    def step() -> Value | None:
        from .subscripts import get_item

        nonlocal position
        position += 1
        try:
            return get_item(ev, value, Const(position))
        except UserRaise as raised:
            if issubclass(raised.value.cls, IndexError):
                return None
            raise

    return IteratorValue(step)


def over_list(ev: Any, value: ListValue) -> IteratorValue:
    """A list's iterator sees what is appended while it runs."""
    position = -1

    def step() -> Value | None:
        nonlocal position
        items = list_items(ev, value)
        position += 1
        if position < len(items):
            return items[position]
        position = len(items) + (1 << 60)
        return None

    return IteratorValue(step, type(iter([])))


def over_dict(ev: Any, value: DictValue, what: str = "keys") -> IteratorValue:
    entries = complete(ev, value)
    keys = list(entries)
    position = -1

    ordered = issubclass(value.type, collections.OrderedDict)

    def step() -> Value | None:
        nonlocal position
        position += 1
        if ordered and position and position < len(keys) and list(entries) != keys:      # asked for only while there is a next
            ev.raise_error(RuntimeError, f"OrderedDict {'mutated' if entries else 'changed size'} during iteration")
        if not ordered and len(entries) != len(keys):
            ev.raise_error(RuntimeError, "dictionary changed size during iteration")
        if position >= len(keys):
            return None
        if keys[position] not in entries:                  # another key took its place
            raise Break("iterate", what="a dictionary whose keys are exchanged")
        entry = entries[keys[position]]
        if what == "keys":
            return entry.key
        return entry.value if what == "values" else TupleValue([entry.key, entry.value])

    return IteratorValue(step, type(iter({})))


def over_range(value: RangeValue) -> IteratorValue:
    numbers = iter(range(value.start, value.stop, value.step))

    def step() -> Value | None:
        for n in numbers:
            return Const(n)
        return None

    return IteratorValue(step, type(iter(range(0))))


def over_tensor(ev: Any, value: TensorValue) -> IteratorValue:
    """Rows along the first dimension, whose size is pinned."""
    from .torch_calls import run

    shape = value.fake._meta.shape
    if not shape:
        ev.raise_error(TypeError, "iteration over a 0-d tensor")
    rows = shape[0] if isinstance(shape[0], int) else ev.env.specialise(shape[0].expr, "a tensor is iterated")
    if rows == 0:
        return fixed([])
    result = run(ev, value.fake.unbind, [0], {}, "iterating over a tensor")
    return fixed(list(result.items))  # type: ignore[attr-defined]


def items_of(ev: Any, value: Value) -> list[Value]:
    """All items, in a new Python list."""
    value = ev.force(value)
    if isinstance(value, ListValue | TupleValue):
        return list(list_items(ev, value))
    iterator = iterate(ev, value)
    out: list[Value] = []
    while (item := iterator.step()) is not None:
        out.append(item)
        if len(out) > 100_000:
            raise Break("iterate", what="something with more than 100000 items")
    return out


def unpack(ev: Any, value: Value, count: int, star: int | None = None) -> list[Value]:
    """The items for `count` targets, the one at `star` taking a list. Raises ValueError in the script as Python does."""
    value = ev.force(value)
    iterable = isinstance(value, ListValue | TupleValue | DictValue | SetValue | RangeValue | IteratorValue | TensorValue)
    if not iterable and isinstance(value, Const) and not isinstance(value.value, str | bytes) \
            and not any(hasattr(value.type, n) for n in ("__iter__", "__getitem__")):
        ev.raise_error(TypeError, f"cannot unpack non-iterable {value.c_name} object")
    iterator = iterate(ev, value)
    if star is None:
        items: list[Value] = []
        for _ in range(count):
            item = iterator.step()
            if item is None:
                ev.raise_error(ValueError, f"not enough values to unpack (expected {count}, got {len(items)})")
                raise AssertionError
            items.append(item)
        if iterator.step() is not None:
            ev.raise_error(ValueError, f"too many values to unpack (expected {count})")
        return items
    items = items_of(ev, iterator)
    if len(items) < count - 1:
        ev.raise_error(ValueError, f"not enough values to unpack (expected at least {count - 1}, got {len(items)})")
    after = count - star - 1
    middle = ListValue(items[star:len(items) - after])
    return [*items[:star], middle, *items[len(items) - after:]]


def next_of(ev: Any, iterator: Value, default: Value | None) -> Value:
    """next(iterator, default)."""
    iterator = ev.force(iterator)
    if isinstance(iterator, IteratorValue):
        item = iterator.step()
        if item is not None:
            return item
        if default is None:
            stop = UserRaise(ev.lift_exception(StopIteration()))
            if isinstance(iterator.returned, Const) and iterator.returned.value is None:
                raise stop
            stop.value.args.append(iterator.returned)
            raise stop
        return default
    if isinstance(iterator, OpaqueValue):
        raise Break("iterate", what=f"an object of class {iterator.type.__name__}")
    from .calls import call

    method = special(ev, iterator, "__next__")
    if method is None:
        refuse_unknown("next()", iterator)
        ev.raise_error(TypeError, f"'{iterator.c_name}' object is not an iterator")
        raise AssertionError
    if default is None:
        return call(ev, method, [], {})
    try:
        return call(ev, method, [], {})
    except UserRaise as raised:
        if issubclass(raised.value.cls, StopIteration):
            return default
        raise
