"""What a program can see: every slot that holds a value, found by walking from the function and its arguments.

The walk is the same in both worlds, so place number n is the same place; `path` says which.
"""

from __future__ import annotations

import builtins
import collections
import contextvars
import enum
import functools
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from guardscope.core.tensor.tensor import Tensor

from .compare import CONSTANTS, EMPTY, slot_of
from .world import World, is_program

SKIPPED = {"PROGRAMS", "program", "torch", "nn", "F", "math", "np", "os", "copy", "collections", "contextvars", "dataclasses",
           "enum", "functools", "operator", "typing", "generated"}
LIMIT = 150
PROXIES = (collections.UserDict, collections.UserList)


@dataclass
class Place:
    """One slot. `put` stores a new value, `drop` removes the slot (None where it cannot be)."""

    path: str
    value: Any
    put: Callable[[Any], None] | None = None
    drop: Callable[[], None] | None = None
    kind: str = "item"


@dataclass
class View:
    """Everything a program can see in one world."""

    world: World
    places: list[Place] = field(default_factory=list)
    names: list[str] = field(default_factory=list)           # names that its code mentions
    libraries: list[tuple[Any, str]] = field(default_factory=list)
    seen: dict[int, Any] = field(default_factory=dict)

    def like(self, value: Any) -> list[Any]:
        """Other visible values of the same type; equal numbers and texts count as one, for which of them are one object is
        nobody's promise, and both worlds must choose alike."""
        def same(other: Any) -> bool:
            return other is value or isinstance(value, CONSTANTS) and repr(other) == repr(value)

        return [p.value for p in self.places if type(p.value) is type(value) and not same(p.value)]


def look(world: World) -> View:
    """Walk one world."""
    view = View(world)
    for i in range(len(world.args)):
        add(view, Place(f"args[{i}]", world.args[i], functools.partial(world.args.__setitem__, i), kind="argument"))
    for name in list(world.kwargs):
        add(view, Place(f"kwargs[{name!r}]", world.kwargs[name], functools.partial(world.kwargs.__setitem__, name),
                        functools.partial(world.kwargs.pop, name), "argument"))
    visit(view, world.target, "target")
    return view


def add(view: View, place: Place) -> None:
    if len(view.places) >= LIMIT:
        return
    view.places.append(place)
    visit(view, place.value, place.path)


def visit(view: View, v: Any, path: str) -> None:
    if id(v) in view.seen or isinstance(v, int | float | str | bytes | complex | type(None) | enum.Enum):
        return
    view.seen[id(v)] = v
    if isinstance(v, types.FunctionType):
        function(view, v, path)
    elif isinstance(v, types.MethodType):
        visit(view, v.__func__, f"{path}.__func__")
        visit(view, v.__self__, f"{path}.__self__")
    elif isinstance(v, functools.partial):
        visit(view, v.func, f"{path}.func")
        for i, item in enumerate(v.args):
            add(view, Place(f"{path}.args[{i}]", item, functools.partial(put_partial, v, i)))
        for k in v.keywords:
            add(view, Place(f"{path}.keywords[{k!r}]", v.keywords[k], functools.partial(v.keywords.__setitem__, k)))
    elif isinstance(v, dict):
        items: Any = collections.OrderedDict.items if isinstance(v, collections.OrderedDict) else dict.items
        for k, item in list(items(v)):
            if isinstance(k, str | int):
                add(view, Place(f"{path}[{k!r}]", item, functools.partial(v.__setitem__, k),
                                functools.partial(v.pop, k)))
    elif isinstance(v, list | collections.deque):
        for i, item in enumerate(list(v)):
            add(view, Place(f"{path}[{i}]", item, functools.partial(v.__setitem__, i), functools.partial(v.__delitem__, i)))
    elif isinstance(v, tuple):
        for i, item in enumerate(v):
            visit(view, item, f"{path}[{i}]")
    elif isinstance(v, PROXIES):
        visit(view, v.data, f"{path}.data")
    elif isinstance(v, collections.ChainMap):
        visit(view, v.maps, f"{path}.maps")
    elif isinstance(v, weakref.ref):
        visit(view, v(), f"{path}()")
    elif isinstance(v, types.ModuleType | threading.local):
        if isinstance(v, threading.local) or v.__name__ == "attack_config":
            namespace(view, v, path)
    elif isinstance(v, contextvars.ContextVar):
        add(view, Place(f"{path}.get()", v.get(), v.set))
    elif isinstance(v, functools._lru_cache_wrapper):
        visit(view, v.__wrapped__, f"{path}.__wrapped__")
    elif isinstance(v, type):
        a_class(view, v, path)
    elif isinstance(v, Tensor):
        namespace(view, v, path)
    elif type(v).__module__.startswith("attack_") or hasattr(type(v), "_guardscope_module") \
            or isinstance(v, types.SimpleNamespace):
        an_object(view, v, path)


def an_object(view: View, v: Any, path: str) -> None:
    namespace(view, v, path)
    for cls in type(v).__mro__:
        for slot in vars(cls).get("__slots__", ()):
            held = slot_of(v, slot)
            if held is not EMPTY:
                add(view, Place(f"{path}.{slot}", held, functools.partial(setattr, v, slot),
                                functools.partial(delattr, v, slot), "attribute"))
    for store in ("_parameters", "_buffers", "_modules"):
        for name in list(vars(v).get(store, ()) if hasattr(v, "__dict__") else ()):
            held = vars(v)[store]
            add(view, Place(f"{path}.{name}", held[name], functools.partial(setattr, v, name),
                            functools.partial(delattr, v, name), "registered"))
    visit(view, type(v), f"type({path})")


def namespace(view: View, v: Any, path: str) -> None:
    for name in list(getattr(v, "__dict__", ())):
        if not name.startswith("_"):
            add(view, Place(f"{path}.{name}", vars(v)[name], functools.partial(setattr, v, name),
                            functools.partial(delattr, v, name), "attribute"))


def a_class(view: View, cls: type, path: str) -> None:
    for base in (*cls.__mro__[1:], type(cls)):
        visit(view, base, base.__name__)
    if not cls.__module__.startswith("attack_") or issubclass(cls, enum.Enum):
        return
    for name in list(vars(cls)):
        raw = vars(cls)[name]
        if name in ("__dict__", "__weakref__", "__module__", "__doc__", "__slots__", "__dataclass_fields__", "__qualname__",
                    "__dataclass_params__", "_abc_impl", "__annotations__", "__match_args__", "_fields", "__orig_bases__"):
            continue
        add(view, Place(f"{cls.__name__}.{name}", raw, functools.partial(setattr, cls, name),
                        functools.partial(delattr, cls, name), "class attribute"))
        inner = getattr(raw, "__func__", None) if isinstance(raw, (staticmethod, classmethod)) else \
            getattr(raw, "fget", None) if isinstance(raw, property) else None     # others may have a __getattr__ of their own
        if inner is not None:
            visit(view, inner, f"{cls.__name__}.{name}")


def function(view: View, f: Any, path: str) -> None:
    if not is_program(f.__code__.co_filename):
        return
    for i, name in enumerate(f.__code__.co_freevars):
        cell = f.__closure__[i]
        if id(cell) in view.seen or name == "__class__":
            continue
        view.seen[id(cell)] = cell
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        add(view, Place(f"<{name}>", value, functools.partial(setattr, cell, "cell_contents"), None, "cell"))
    for i, d in enumerate(f.__defaults__ or ()):
        add(view, Place(f"{path}.__defaults__[{i}]", d, functools.partial(put_default, f, i), None, "default"))
    for k in f.__kwdefaults__ or ():
        add(view, Place(f"{path}.__kwdefaults__[{k!r}]", f.__kwdefaults__[k],
                        functools.partial(f.__kwdefaults__.__setitem__, k), None, "default"))
    for name in list(vars(f)):
        if not name.startswith("_"):
            add(view, Place(f"{path}.{name}", vars(f)[name], functools.partial(setattr, f, name),
                            functools.partial(delattr, f, name), "attribute"))
    held = f.__globals__
    for name in names_of(f.__code__):
        if name not in view.names:
            view.names.append(name)
        value = held.get(name)
        if isinstance(value, types.ModuleType) and not value.__name__.startswith("attack_"):
            view.libraries += [(value, n) for n in names_of(f.__code__)
                               if n in vars(value) and callable(vars(value)[n]) and not isinstance(vars(value)[n], type)
                               and (value, n) not in view.libraries]
        if name in held and name not in SKIPPED and name[0] != "_" and f"global {name}" not in [p.path for p in view.places]:
            add(view, Place(f"global {name}", held[name], functools.partial(held.__setitem__, name),
                            functools.partial(held.pop, name), "global"))


def names_of(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from names_of(inner)


def put_partial(p: functools.partial, i: int, value: Any) -> None:
    p.__setstate__((p.func, (*p.args[:i], value, *p.args[i + 1:]), p.keywords, vars(p)))  # type: ignore[attr-defined]


def put_default(f: Any, i: int, value: Any) -> None:
    f.__defaults__ = (*f.__defaults__[:i], value, *f.__defaults__[i + 1:])


def builtin_names(view: View) -> list[str]:
    """Names of Python's own that the code uses and the module does not define."""
    held = vars(view.world.module)
    return [n for n in view.names if hasattr(builtins, n) and n not in held]
