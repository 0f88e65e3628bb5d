"""Names that a trace relied on without reading them through an argument: what a class does not define, what a library
module holds. They are few and change almost never, so one guard (NAMES_UNCHANGED) tests them all.

A look-up has two answers that matter: what was found, and where nothing was found on the way. `obj.x` read from the
instance is also the answer "no class of `obj` has a data descriptor x"; `if obj:` is also "no class defines __bool__".
"""

from __future__ import annotations

import abc
import collections
import enum
import sys
import types
from typing import Any

from ..guards.facts import own_dict
from ..guards.guard import ABSENT, HEAP_TYPE, Guard, Held
from ..guards.origin import AttrOrigin
from ..guards.words import value_text
from .signals import Break


def class_lookup(cls: type, name: str) -> tuple[type | None, Any]:
    """The class in the MRO that defines `name`, and what its namespace holds."""
    for owner in cls.__mro__:
        if name in owner.__dict__:
            return owner, owner.__dict__[name]
    return None, None


def settled(ev: Any, cls: type, name: str) -> tuple[type | None, Any]:
    """`class_lookup`, and its answer becomes a condition: the same class defines the same object, or none does."""
    owner, raw = class_lookup(cls, name)
    not_before(ev, cls, name, owner)
    if owner is not None and can_change(owner):
        note(ev, owner, owner.__dict__, name, raw, f"{owner.__name__}.{name}")
    return owner, raw


def made_by_namedtuple(raw: Any) -> bool:
    """Whether a method of a class of named tuples is the one that every such class gets, not the script's own."""
    function = getattr(raw, "__func__", raw)
    if not isinstance(function, types.FunctionType):
        return False
    made_of_text = str(function.__globals__.get("__name__")).startswith("namedtuple_")               # __new__
    return made_of_text or function.__code__.co_filename == collections.__file__


def not_before(ev: Any, cls: type, name: str, owner: type | None) -> None:
    """No class of the MRO before `owner` (all of them for None) defines `name`, and the MRO stays."""
    settled_order(ev, cls)
    for k in cls.__mro__:
        if k is owner:
            break
        if can_change(k):
            note(ev, k, k.__dict__, name, ABSENT, f"{k.__name__}.{name}")


def settle_members(ev: Any, names: tuple[str, ...], *values: Any) -> None:
    """Members of enums are computed with natively, by what their classes define under `names` now."""
    for value in values:
        real = getattr(value, "value", None)
        if isinstance(real, enum.Enum):
            for name in names:
                settled(ev, type(real), name)


LIBRARIES = frozenset((*sys.stdlib_module_names, "torch", "numpy"))             # by the first part of a module's name

# Special methods of an enum's own that computing with its members does not ask, or that are looked at where they are asked.
KEPT = frozenset(("__new__", "__init__", "__str__", "__repr__", "__format__", "__eq__", "__ne__", "__hash__",
                  "__init_subclass__", "__set_name__", "__dir__"))


def settle_state(ev: Any, member: enum.Enum) -> None:
    """The name and the value of a member, which nobody changes, but which can be changed."""
    held = own_dict(member) or {}
    for name in ("_name_", "_value_"):
        note(ev, member, held, name, held.get(name, ABSENT), f"{value_text(member)}.{name}")


def settle_enum(ev: Any, member: Any) -> None:
    """A member of an enum is computed with natively: as what it is besides (an int, a text), or by what the enum module
    defines. Break where its class has special methods of its own, which may read anything; that it gets none is guarded."""
    if not isinstance(member, enum.Enum):
        return
    settle_state(ev, member)
    for k in type(member).__mro__:
        if not can_change(k) or k.__module__ == "enum":
            continue
        ev.guard("SEQUENCE_LENGTH", AttrOrigin(ev.pin(k), "__dict__"), len(k.__dict__), f"what {k.__name__} defines")
        for name, raw in k.__dict__.items():
            own = callable(raw) and not isinstance(raw, types.WrapperDescriptorType | types.BuiltinFunctionType | type)
            if name[:2] == "__" and name not in KEPT and own and getattr(raw, "__module__", None) != "enum":
                raise Break("operator", name=f"{name}()", what=f"a member of {type(member).__name__}, which has one of its own")


def settled_in(ev: Any, cls: type, name: str) -> None:
    """What this very class, not its bases, holds under `name`, or that it holds nothing."""
    if can_change(cls):
        note(ev, cls, cls.__dict__, name, cls.__dict__.get(name, ABSENT), f"{cls.__name__}.{name}")


def settled_order(ev: Any, cls: type) -> None:
    """The class keeps its bases. (CPython refuses to give other ones to a class that derives from object alone.)"""
    if can_change(cls) and len(cls.__mro__) > 2:
        note(ev, cls, cls, "__mro__", cls.__mro__, f"the base classes of {cls.__name__}")


def can_change(cls: type) -> bool:
    return bool(cls.__flags__ & HEAP_TYPE)


def library_name(ev: Any, module: types.ModuleType, name: str) -> None:
    """A function or constant of a library module is used: nobody may replace it (as tests and tools do)."""
    held = vars(module)
    note(ev, module, held, name, held.get(name, ABSENT), f"{module.__name__}.{name}")


def note(ev: Any, key: Any, namespace: Any, name: str, value: Any, text: str) -> None:
    """Remember one name as it is now."""
    ev.names.setdefault((id(key), name), Held(namespace, name, value, text))


class Registrations:
    """A namespace with one name: which classes are registered with abstract base classes, as one object per state."""

    def __init__(self) -> None:
        self.states: dict[object, object] = {}

    def get(self, name: str, default: Any = None) -> object:
        return self.states.setdefault(abc.get_cache_token(), object())

    __getitem__ = get


REGISTRATIONS = Registrations()


def registered_classes(ev: Any, cls: type, base: type) -> None:
    """isinstance() was asked about an abstract base class that is not among the bases of `cls`. What is registered stays so;
    what is not may become so."""
    if type(base).__instancecheck__ is abc.ABCMeta.__instancecheck__ and base not in cls.__mro__ \
            and (can_change(cls) or not issubclass(cls, base)):
        note(ev, REGISTRATIONS, REGISTRATIONS, "register", REGISTRATIONS.get("register"), "abc.register")


def names_guard(ev: Any) -> None:
    """All of them as one guard, at the end of a trace."""
    if ev.names:
        ev.guards[("NAMES_UNCHANGED",)] = Guard("NAMES_UNCHANGED", None, tuple(ev.names.values()), None,
                                                "found here by name; a replacement must be noticed")


__all__ = ["class_lookup", "library_name", "names_guard", "not_before", "note", "settled"]
