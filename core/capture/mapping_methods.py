"""Methods of dicts and sets."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable
from typing import Any

from .builtin_types import update_dict
from .container_operators import as_set, set_operation
from .containers import complete, dict_clear, dict_delete, dict_find, dict_items, dict_set, key_of, member_key, new_dict
from .sequence_methods import Method
from .signals import Break
from .truth import truth
from .values import NONE, TRUE, Const, DictValue, DictViewValue, SetValue, TupleValue, Value


# -- dicts ----
def dict_get(ev: Any, self: DictValue, key: Value, default: Value = NONE) -> Value:
    found = dict_find(ev, self, key)
    return found.value if found is not None else default


def dict_pop(ev: Any, self: DictValue, key: Value, default: Value | None = None) -> Value:
    found = dict_delete(ev, self, key)
    if found is not None:
        return found.value
    if default is None:
        ev.raise_error(KeyError, key)
        raise AssertionError
    return default


def dict_setdefault(ev: Any, self: DictValue, key: Value, default: Value = NONE) -> Value:
    found = dict_find(ev, self, key)
    if found is not None:
        return found.value
    dict_set(ev, self, key, default)
    return default


def dict_update(ev: Any, self: DictValue, *args: Value, **kwargs: Value) -> Value:
    if self.cls is collections.Counter:          # which adds
        raise Break("call-unknown", what="Counter.update()")
    if len(args) > 1:
        ev.raise_error(TypeError, f"update expected at most 1 argument, got {len(args)}")
    update_dict(ev, self, list(args), kwargs)
    return NONE


def dict_popitem(ev: Any, self: DictValue, last: Value = TRUE) -> Value:
    entries = complete(ev, self)
    if not entries:
        ev.raise_error(KeyError, "popitem(): dictionary is empty")
    entry = list(entries.values())[-1 if truth(ev, last) else 0]
    dict_delete(ev, self, entry.key)
    return TupleValue([entry.key, entry.value])


def dict_copy(ev: Any, self: DictValue) -> Value:
    made = new_dict(ev, list(dict_items(ev, self)), self.cls)
    made.factory = self.factory
    return made


def dict_clear_(ev: Any, self: DictValue) -> Value:
    dict_clear(ev, self)
    return NONE


def dict_view(what: str) -> Method:
    """keys(), values(), items()."""

    def view(ev: Any, self: DictValue) -> Value:
        complete(ev, self)
        return DictViewValue(self, what)

    return view


def dict_move_to_end(ev: Any, self: DictValue, key: Value, last: Value = TRUE) -> Value:
    if not truth(ev, last):
        raise Break("call-unknown", what="OrderedDict.move_to_end(last=False)")
    found = dict_delete(ev, self, key)
    if found is None:
        ev.raise_error(KeyError, key)
        raise AssertionError
    dict_set(ev, self, key, found.value)
    return NONE

DICT: dict[str, Method] = {
    "get": dict_get, "pop": dict_pop, "setdefault": dict_setdefault, "update": dict_update, "popitem": dict_popitem,
    "copy": dict_copy, "clear": dict_clear_, "keys": dict_view("keys"), "values": dict_view("values"),
    "items": dict_view("items"), "move_to_end": dict_move_to_end, "__copy__": dict_copy,
}


# -- sets ----
def set_add(ev: Any, self: SetValue, item: Value) -> Value:
    self.items.setdefault(key_of(ev, item), item)
    self.changed = True
    ev.changed(self)
    return NONE


def set_discard(ev: Any, self: SetValue, item: Value) -> Value:
    self.items.pop(member_key(ev, item), None)
    self.changed = True
    ev.changed(self)
    return NONE


def set_remove(ev: Any, self: SetValue, item: Value) -> Value:
    if member_key(ev, item) not in self.items:
        ev.raise_error(KeyError, item)
    return set_discard(ev, self, item)


def set_combine(function: Callable[..., Any], change: bool = False) -> Method:
    def combine(ev: Any, self: SetValue, *others: Value) -> Value:
        out = SetValue(dict(self.items), self.cls)
        for other in others:
            out = set_operation(ev, function, out, as_set(ev, other))
        if not change:
            return out
        self.items = out.items
        self.changed = True
        ev.changed(self)
        return NONE

    return combine


def set_test(test: Callable[[set, set], bool]) -> Method:
    return lambda ev, self, other: Const(test(set(self.items), set(as_set(ev, other).items)))


def set_clear(ev: Any, self: SetValue) -> Value:
    self.items.clear()
    self.changed = True
    ev.changed(self)
    return NONE

SET: dict[str, Method] = {
    "add": set_add, "discard": set_discard, "remove": set_remove, "clear": set_clear,
    "copy": lambda ev, self: self if self.cls is frozenset else SetValue(dict(self.items), self.cls),
    "union": set_combine(operator.or_), "intersection": set_combine(operator.and_), "difference": set_combine(operator.sub),
    "symmetric_difference": set_combine(operator.xor), "update": set_combine(operator.or_, True),
    "intersection_update": set_combine(operator.and_, True), "difference_update": set_combine(operator.sub, True),
    "issubset": set_test(set.issubset), "issuperset": set_test(set.issuperset), "isdisjoint": set_test(set.isdisjoint),
}
