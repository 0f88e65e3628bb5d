"""Methods of lists, deques and tuples."""

from __future__ import annotations

import ast
import collections
from collections.abc import Callable
from typing import Any

from .comparing import compare
from .container_operators import extend_unread
from .containers import append, list_items, new_dict, touch_list
from .iterate import items_of
from .operators import binary
from .relied import made_by_namedtuple, settled
from .signals import Break
from .subscripts import index_number
from .truth import truth
from .values import NONE, Const, ListValue, TupleValue, Value

Method = Callable[..., Value]


# -- lists ----
def list_append(ev: Any, self: ListValue, item: Value) -> Value:
    append(ev, self, item)
    return NONE


def list_extend(ev: Any, self: ListValue, source: Value) -> Value:
    extend_unread(ev, self, items_of(ev, source))
    return NONE


def list_insert(ev: Any, self: ListValue, at: Value, item: Value) -> Value:
    items, place = touch_list(ev, self), index_number(ev, ev.force(at), "list")
    if self.maxlen is not None and len(items) >= self.maxlen:
        ev.raise_error(IndexError, "deque already at its maximum size")
    items.insert(place, item)
    return NONE


def list_pop(ev: Any, self: ListValue, at: Value | None = None) -> Value:
    items = touch_list(ev, self)
    if at is not None and self.cls is collections.deque:
        raise Break("call-unknown", what="deque.pop() with an argument")
    index = index_number(ev, ev.force(at), "list") if at is not None else -1
    if not items:
        ev.raise_error(IndexError, "pop from an empty deque" if self.cls is not list else "pop from empty list")
    if not -len(items) <= index < len(items):
        ev.raise_error(IndexError, "pop index out of range")
    return items.pop(index)


def list_clear(ev: Any, self: ListValue) -> Value:
    touch_list(ev, self).clear()
    return NONE


def list_reverse(ev: Any, self: ListValue) -> Value:
    touch_list(ev, self).reverse()
    return NONE


def list_copy(ev: Any, self: ListValue) -> Value:
    made = ListValue(list(list_items(ev, self)), cls=self.cls)
    made.maxlen = self.maxlen
    return made


def sequence_index(ev: Any, self: Any, item: Value, start: Value | None = None, stop: Value | None = None) -> Value:
    items = list_items(ev, self)
    bounds = [index_number(ev, ev.force(b), "slice") for b in (start, stop) if b is not None]
    for i in range(*slice(*([*bounds, None, None])[:2]).indices(len(items))):
        if truth(ev, compare(ev, ast.Eq, items[i], item)):
            return Const(i)
    ev.raise_error(ValueError, "value is not in list" if isinstance(self, ListValue) else "tuple.index(x): x not in tuple")
    raise AssertionError


def sequence_count(ev: Any, self: Any, item: Value) -> Value:
    return Const(sum(truth(ev, compare(ev, ast.Eq, v, item)) for v in list_items(ev, self)))


def list_remove(ev: Any, self: ListValue, item: Value) -> Value:
    items = touch_list(ev, self)
    for i, v in enumerate(items):
        if truth(ev, compare(ev, ast.Eq, v, item)):
            del items[i]
            return NONE
    ev.raise_error(ValueError, "list.remove(x): x not in list")
    raise AssertionError


def list_sort(ev: Any, self: ListValue, **kwargs: Value) -> Value:
    from .iterating_builtins import sort_values

    items = touch_list(ev, self)
    items[:] = sort_values(ev, items, kwargs)
    return NONE


def deque_popleft(ev: Any, self: ListValue) -> Value:
    return list_pop(ev, self, Const(0))


def deque_appendleft(ev: Any, self: ListValue, item: Value) -> Value:
    items = touch_list(ev, self)
    items.insert(0, item)
    if self.maxlen is not None and len(items) > self.maxlen:
        items.pop()
    return NONE


def deque_extendleft(ev: Any, self: ListValue, source: Value) -> Value:
    for item in items_of(ev, source):
        deque_appendleft(ev, self, item)
    return NONE


def deque_rotate(ev: Any, self: ListValue, by: Value = Const(1)) -> Value:  # noqa: B008  (an immutable default)
    items, n = touch_list(ev, self), index_number(ev, ev.force(by), "deque")
    if items:
        n %= len(items)
        items[:] = items[-n:] + items[:-n] if n else items
    return NONE


def list_iadd(ev: Any, self: ListValue, other: Value) -> Value:
    extend_unread(ev, self, items_of(ev, other))
    return self

LIST: dict[str, Method] = {
    "append": list_append, "extend": list_extend, "insert": list_insert, "pop": list_pop, "clear": list_clear,
    "reverse": list_reverse, "copy": list_copy, "index": sequence_index, "count": sequence_count, "remove": list_remove,
    "sort": list_sort, "popleft": deque_popleft, "appendleft": deque_appendleft, "extendleft": deque_extendleft,
    "rotate": deque_rotate, "__iadd__": list_iadd, "__copy__": list_copy,
}


# -- tuples ----
def tuple_replace(ev: Any, self: TupleValue, **changes: Value) -> Value:
    if not made_by_namedtuple(settled(ev, self.cls, "_make")[1]):             # which makes the result
        raise Break("call-unknown", what=f"{self.cls.__name__}._make()")
    settled(ev, self.cls, "_fields")
    fields = self.cls._fields  # type: ignore[attr-defined]
    for name in changes:
        if name not in fields:
            ev.raise_error(ValueError, f"Got unexpected field names: {[name]!r}")
    return TupleValue([changes.get(n, v) for n, v in zip(fields, self.items)], self.cls)


def tuple_asdict(ev: Any, self: TupleValue) -> Value:
    settled(ev, self.cls, "_fields")
    return new_dict(ev, [(Const(n), v) for n, v in zip(self.cls._fields, self.items)])  # type: ignore[attr-defined]


def size_numel(ev: Any, self: TupleValue) -> Value:
    total: Value = Const(1)
    for n in self.items:
        total = binary(ev, ast.Mult, total, n)
    return total

TUPLE: dict[str, Method] = {"index": sequence_index, "count": sequence_count, "_replace": tuple_replace,
                            "_asdict": tuple_asdict, "numel": size_numel}
