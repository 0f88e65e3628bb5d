"""Lists, dicts and sets under evaluation: reading them piece by piece when they exist, and changing the shadow.

Dict and set keys are compared here by an internal key: the constant itself, a tuple of internal keys, or the identity of
an object whose class does not define its own equality.
"""

from __future__ import annotations

import collections
import enum
import types
from collections.abc import Iterator
from typing import Any

from ..guards.origin import DictKeyOrigin, InstanceDictOrigin, ItemOrigin, Origin
from ..tensor.devices import device
from ..tensor.dtypes import dtype
from .function_values import BuiltinValue, FunctionValue
from .relied import settle_members, settled
from .signals import Break
from .values import (
    ClassValue,
    Const,
    DictValue,
    Entry,
    ListValue,
    ObjectValue,
    PyModuleValue,
    SetValue,
    TensorValue,
    TupleValue,
    Value,
)

PLAIN = (int, float, complex, str, bytes, bool, type(None))


class Identity:
    """An internal key for an object that is equal only to itself."""

    __slots__ = ("of",)

    def __init__(self, of: int) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.of == self.of

    def __hash__(self) -> int:
        return self.of


FIELDS, MEMBERS = object(), object()          # begin the keys of frozen dataclasses and frozensets, which equal no tuple


def key_of(ev: Any, value: Value) -> Any:
    """The internal key of a dict key or set member. Raises TypeError in the script for unhashable ones."""
    value = ev.force(value)
    if isinstance(value, Const):
        if value.symbolic:
            return ev.env.specialise(value.value.expr, "used as a key")
        if value.value != value.value:
            raise Break("operator", name="hash()", what="nan, which equals itself only as an object")
        settle_members(ev, ("__hash__", "__eq__"), value)
        return value.value
    if isinstance(value, TupleValue):
        return tuple(key_of(ev, v) for v in value.items)
    if isinstance(value, ClassValue):
        return value.cls
    if isinstance(value, BuiltinValue | PyModuleValue):
        return value.real
    if isinstance(value, TensorValue):
        return identity_key(ev, value, value.fake)
    if isinstance(value, FunctionValue):
        return identity_key(ev, value, value)
    if isinstance(value, ObjectValue):
        settled(ev, value.cls, "__hash__")
        settled(ev, value.cls, "__eq__")
        if value.cls.__hash__ is object.__hash__ and value.cls.__eq__ is object.__eq__ or value.real is not None \
                and getattr(value.cls, "_guardscope_module", False):
            return identity_key(ev, value, value)
        if value.cls.__hash__ is None:
            ev.raise_error(TypeError, f"unhashable type: '{value.c_name}'")
        fields = getattr(value.cls, "__dataclass_fields__", None)
        if fields is not None and value.cls.__dataclass_params__.frozen:      # type: ignore[attr-defined]
            from .attributes import get_attribute

            return (FIELDS, value.cls, *(key_of(ev, get_attribute(ev, value, name)) for name in fields))
        raise Break("operator", name="hash()", what=f"an object of class {value.cls.__name__}")
    if isinstance(value, ListValue | DictValue | SetValue) and getattr(value, "cls", None) is not frozenset:
        ev.raise_error(TypeError, f"unhashable type: '{value.c_name}'")
    if isinstance(value, SetValue):
        return (MEMBERS, frozenset(value.items))
    raise Break("operator", name="hash()", what=f"{value.type.__name__}")


def member_key(ev: Any, value: Value) -> Any:
    """The key of what is looked for in a set: a set is looked for as the frozenset of its members."""
    value = ev.force(value)
    if isinstance(value, SetValue) and value.cls is set:
        return (MEMBERS, frozenset(value.items))
    return key_of(ev, value)


def identity_key(ev: Any, value: Any, new: Any) -> Identity:
    """The key of an object that equals only itself; an existing one must be the same object in every call."""
    if value.real is None:
        return Identity(id(new))
    if value.origin is not None:
        ev.guard("ID_MATCH", value.origin, value.real, "used as a key")
    return Identity(id(value.real))


def key_of_real(ev: Any, real: Any) -> Any:
    """The internal key of a key found in an existing dict."""
    if isinstance(real, tuple):
        return tuple(key_of_real(ev, r) for r in real)
    if isinstance(real, (*PLAIN, enum.Enum, dtype, device, type, types.BuiltinFunctionType, types.ModuleType)):
        return real
    if type(real).__hash__ is object.__hash__ or getattr(type(real), "_guardscope_module", False) \
            or isinstance(real, types.FunctionType) or hasattr(real, "_meta"):
        return Identity(id(real))
    raise Break("read", what=f"a dict key of class {type(real).__name__}")


def real_key(value: Value) -> tuple[bool, Any]:
    """(whether the key can be present in an existing dict, the real key to look up)."""
    if isinstance(value, Const):
        return True, value.value
    if isinstance(value, TupleValue):
        parts = [real_key(getattr(v, "known", None) or v) for v in value.items]
        return all(ok for ok, _ in parts), tuple(r for _, r in parts)
    if isinstance(value, ClassValue):
        return True, value.cls
    real = getattr(value, "real", None)
    return real is not None, real


# -- lists ----
def list_items(ev: Any, value: Any) -> list[Value]:
    """The items of a list or tuple; of an existing list its length becomes a guard."""
    if isinstance(value, ListValue) and not value.loaded:
        ev.guard("SEQUENCE_LENGTH", value.origin, len(value.real), "its length is used")
        assert value.origin is not None
        value.items = [ev.existing(ItemOrigin(value.origin, i), v) for i, v in enumerate(value.real)] + value.added
        value.added = []
        value.loaded = True
    return value.items


def touch_list(ev: Any, value: ListValue) -> list[Value]:
    """The items of a list that is about to be changed."""
    items = list_items(ev, value)
    value.changed = True
    ev.changed(value)
    return items


def append(ev: Any, value: ListValue, item: Value) -> None:
    value.changed = True
    ev.changed(value)
    if value.loaded:
        value.items.append(item)
        if value.maxlen is not None and len(value.items) > value.maxlen:
            del value.items[0]
    elif value.maxlen is not None:
        list_items(ev, value)
        append(ev, value, item)
    else:
        value.added.append(item)


# -- dicts ----
MODULE_STORES = ("_parameters", "_buffers", "_modules")


def item_origin(value: DictValue, real: Any) -> Origin:
    """Where the value of key `real` is found again. What a module registers has one origin, however it is reached."""
    of = value.origin
    assert of is not None
    if isinstance(of, InstanceDictOrigin) and of.slot == "__dict__" and of.name in MODULE_STORES:
        return InstanceDictOrigin(of.of, real, of.name)
    return ItemOrigin(of, real)


def dict_find(ev: Any, value: DictValue, key: Value) -> Entry | None:
    """The entry of `key`, or None; looking up in an existing dict guards that key only."""
    key = ev.force(key)
    inner = key_of(ev, key)
    found = value.entries.get(inner)
    if found is not None or value.complete or inner in value.absent or inner in value.deleted:
        return found
    possible, real = real_key(key)
    if not possible:
        if not isinstance(inner, Identity):          # a new object that may equal a key which is there
            raise Break("operator", name="hash()", what="an object made here")
        return None
    if hasattr(real, "expr"):
        real = inner
    if real in value.real:
        ev.guard("DICT_CONTAINS", value.origin, (real, True), "looked up here")
        found = value.entries[inner] = Entry(key, ev.existing(item_origin(value, real), value.real[real]))
        return found
    ev.guard("DICT_CONTAINS", value.origin, (real, False), "looked up here")
    value.absent.add(inner)
    return None


def dict_set(ev: Any, value: DictValue, key: Value, item: Value) -> None:
    key = ev.force(key)
    inner = key_of(ev, key)
    if value.holder is not None:
        if not isinstance(inner, str):
            raise Break("operator", name="[]", what=f"the __dict__ of an object, with the key {inner!r}")
        value.holder.attributes[inner] = item
        value.holder.deleted.discard(inner)
    known = value.entries.get(inner)
    if known is not None:
        known.value = item
    else:
        value.entries[inner] = Entry(key, item)
    value.changed[inner] = None
    ev.changed(value)


def dict_delete(ev: Any, value: DictValue, key: Value) -> Entry | None:
    """Remove a key; None if it was not there."""
    found = dict_find(ev, value, key)
    if found is not None:
        inner = key_of(ev, key)
        del value.entries[inner]
        if value.holder is not None:
            value.holder.attributes.pop(inner, None)
            value.holder.deleted.add(inner)
        value.changed.pop(inner, None)
        value.deleted[inner] = found.key
        ev.changed(value)
    return found


def complete(ev: Any, value: DictValue, ordered: bool = True) -> dict[Any, Entry]:
    """All entries, in order. Of an existing dict the keys become a guard: with their order if `ordered`, else each by
    itself (`unordered` then remembers that the order is still open)."""
    if not value.complete:
        load_entries(ev, value)
        value.unordered = (value,)
        ev.guard("SEQUENCE_LENGTH", value.origin, len(value.real), "all its keys are used")
        for key in value.real:
            ev.guard("DICT_CONTAINS", value.origin, (key, True), "all its keys are used")
    if ordered and value.unordered:
        for of in value.unordered:
            ev.guard("DICT_KEYS", of.origin, tuple(of.real), "its keys are iterated in order")
        value.unordered = ()
    return value.entries


def load_entries(ev: Any, value: DictValue) -> None:
    """Make `entries` hold every key of the existing dict, what was deleted left out and what was added last."""
    assert value.origin is not None
    entries: dict[Any, Entry] = {}
    for index, key in enumerate(value.real):
        inner = key_of_real(ev, key)
        if inner in value.deleted:
            continue
        known = value.entries.get(inner)
        if known is None:
            plain = isinstance(key, (*PLAIN, enum.Enum, dtype, device))
            key_value = Const(key) if plain else ev.existing(DictKeyOrigin(value.origin, index), key)
            known = Entry(key_value, ev.existing(item_origin(value, key), value.real[key]))
            if not plain:
                ev.guard("DICT_KEYS", value.origin, tuple(value.real), "its keys are used")
        entries[inner] = known
    for inner, entry in value.entries.items():
        entries.setdefault(inner, entry)
    value.entries = entries
    value.complete = True


def dict_items(ev: Any, value: Value, ordered: bool = True) -> Iterator[tuple[Value, Value]]:
    """Keys (read) and values of a dict, in order."""
    assert isinstance(value, DictValue)
    for entry in list(complete(ev, value, ordered).values()):
        yield ev.force(entry.key), entry.value


def dict_clear(ev: Any, value: DictValue) -> None:
    for inner, entry in complete(ev, value, False).items():
        value.deleted[inner] = entry.key
    value.entries.clear()
    if value.holder is not None:
        value.holder.attributes.clear()
        value.holder.deleted.update(k for k in value.deleted if isinstance(k, str))
    value.changed.clear()
    ev.changed(value)


def new_dict(ev: Any, pairs: Any, cls: type = dict) -> DictValue:
    """A dict made while tracing from (key, value) pairs."""
    out = DictValue({}, cls=cls)
    for key, item in pairs:
        dict_set(ev, out, key, item)
    return out


# -- sets ----
def new_set(ev: Any, items: Any, cls: type = set) -> SetValue:
    out: dict[Any, Value] = {}
    for item in items:
        out.setdefault(key_of(ev, item), item)
    return SetValue(out, cls)


__all__ = ["append", "collections", "complete", "dict_clear", "dict_delete", "dict_find", "dict_items", "dict_set", "key_of",
           "list_items", "new_dict", "new_set", "touch_list"]
