"""Everything a call can read or change, saved so that it can be put back: the ground on which a call is repeated.

`World(fn, args)` walks from a function and its arguments through closures, the globals that its code names, containers,
objects, classes, modules and tensors, and keeps what each changeable thing holds. `state()` is what they hold now, `restore`
puts a state back in place: every object stays itself, so nothing outside notices. An iterator or a tensor outside the host's
memory cannot be put back: Unrepeatable. Files and objects of Python's library are left alone; a call captured whole does not
change them.
"""

from __future__ import annotations

import array
import collections
import contextvars
import enum
import functools
import io
import os
import random
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..guards.guard import HEAP_TYPE
from ..tensor.generator import Generator, default_generator
from ..tensor.state import STATE
from ..tensor.tensor import Tensor, memory_owner
from .runtime import is_compilable_file

MOST = 200_000               # objects walked
FIXED = (int, float, complex, str, bytes, type(None), range, slice, types.BuiltinFunctionType, types.CodeType, enum.Enum,
         np.generic, property, types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
         type(Ellipsis))
NAMESPACES = (types.SimpleNamespace, collections.UserDict, collections.UserList, collections.ChainMap, BaseException)


class Unrepeatable(Exception):
    """This call cannot be repeated; the message is a clause that says why."""


class Holder:
    """One changeable thing: `take()` gives what it holds now, `put(held)` stores it back."""

    __slots__ = ("of", "name", "take", "put")

    def __init__(self, of: Any, name: str, take: Callable[[], Any], put: Callable[[Any], None]) -> None:
        self.of, self.name, self.take, self.put = of, name, take, put


class World:
    """What `fn(*args)` can reach. Raises Unrepeatable."""

    def __init__(self, fn: types.FunctionType, args: tuple) -> None:
        self.holders: list[Holder] = []
        self.seen: dict[int, Any] = {}
        self.stores: set[int] = set()        # ids of the arrays that own the memory of tensors
        self.todo: list[tuple[Any, str]] = [(fn, fn.__qualname__)]
        self.todo += [(a, name) for a, name in zip(args, fn.__code__.co_varnames)]
        self.hold(STATE, "the modes", lambda: STATE.mode, lambda mode: setattr(STATE, "mode", mode))
        self.hold(default_generator, "torch's random state", default_generator.state, default_generator.restore)
        self.hold(random, "random's state", random.getstate, random.setstate)
        self.hold(np.random, "numpy's random state", np.random.get_state, np.random.set_state)
        self.hold(os.environ, "os.environ", lambda: dict(os.environ), put_environment)
        while self.todo:
            thing, name = self.todo.pop()
            if id(thing) in self.seen or isinstance(thing, FIXED):
                continue
            if len(self.seen) > MOST:
                raise Unrepeatable(f"it reaches more than {MOST} objects")
            self.seen[id(thing)] = thing
            self.visit(thing, name)

    def hold(self, of: Any, name: str, take: Callable[[], Any], put: Callable[[Any], None]) -> None:
        self.holders.append(Holder(of, name, take, put))

    def state(self) -> list[Any]:
        return [h.take() for h in self.holders]

    def restore(self, state: list[Any]) -> None:
        """Put a state back. What holds the same already is left alone."""
        for h, held in zip(self.holders, state):
            h.put(held)
        STATE.bump_epoch()

    # -- the walk ------------------------------------------------------------------------------------------------------
    def visit(self, v: Any, name: str) -> None:
        if isinstance(v, Tensor):
            self.tensor(v, name)
        elif isinstance(v, np.ndarray):
            self.memory(v, name)
        elif isinstance(v, types.FunctionType):
            self.function(v, name)
        elif isinstance(v, types.MethodType):
            self.todo += [(v.__func__, name), (v.__self__, f"{name}.__self__")]
        elif isinstance(v, functools.partial):
            self.hold(v, name, lambda: v.__reduce__()[2], v.__setstate__)  # type: ignore[attr-defined]
            self.todo += [(v.func, name), (v.args, f"{name}.args"), (v.keywords, f"{name}.keywords")]
        elif isinstance(v, staticmethod | classmethod):
            self.todo.append((v.__func__, name))
        elif isinstance(v, type):
            self.a_class(v, name)
        elif isinstance(v, types.ModuleType):
            pass                                          # its names are visited where code names them
        elif isinstance(v, types.CellType):
            self.cell(v, name)
        elif isinstance(v, contextvars.ContextVar):
            self.hold(v, name, lambda: v.get(None), lambda held: None if v.get(None) is held else v.set(held) and None)
        elif isinstance(v, Generator):
            self.hold(v, name, v.state, v.restore)
        elif isinstance(v, random.Random):
            self.hold(v, name, v.getstate, v.setstate)
        elif isinstance(v, weakref.ref):
            self.todo.append((v(), name))
        elif hasattr(type(v), "__next__") and not isinstance(v, io.IOBase):
            raise Unrepeatable(f"{name} is a {type(v).__name__}, which cannot be put back")
        else:
            self.container(v, name)
            if users(type(v)) or hasattr(type(v), "_guardscope_module") or isinstance(v, NAMESPACES):
                self.attributes(v, name)

    def container(self, v: Any, name: str) -> None:
        if isinstance(v, dict):
            store = collections.OrderedDict if isinstance(v, collections.OrderedDict) else dict
            self.hold(v, name, lambda: tuple(store.items(v)), lambda held: put_dict(store, v, held))
            self.todo += [(x, f"{name}[{k!r}]" if isinstance(k, str | int) else f"a value of {name}")
                          for k, x in store.items(v)]
            self.todo += [(k, f"a key of {name}") for k in store.keys(v)]
        elif isinstance(v, list | bytearray | array.array):
            self.hold(v, name, lambda: tuple(v[:]), lambda held: put_list(v, held))
        elif isinstance(v, collections.deque):
            self.hold(v, name, lambda: tuple(v), lambda held: put_deque(v, held))
        elif isinstance(v, set):
            self.hold(v, name, lambda: frozenset(v), lambda held: put_set(v, held))
        if isinstance(v, list | tuple | set | frozenset | collections.deque):
            base: Any = next(b for b in (list, tuple, set, frozenset, collections.deque) if isinstance(v, b))
            self.todo += [(x, f"{name}[{i}]") for i, x in enumerate(base.__iter__(v))]    # not by an __iter__ of the script's

    def attributes(self, v: Any, name: str) -> None:
        """The instance's dictionary, slots, and its class."""
        own = object_dict(v)
        if own is not None:
            self.hold(v, f"{name}.__class__", lambda: type(v),
                      lambda cls: None if type(v) is cls else object.__setattr__(v, "__class__", cls))
            self.seen[id(own)] = own
            self.hold(own, name, lambda: tuple(own.items()), lambda held: put_dict(dict, own, held))
            self.todo += [(x, f"{name}.{k}") for k, x in own.items()]
        for cls in type(v).__mro__:
            for slot, descriptor in vars(cls).items():
                if isinstance(descriptor, types.MemberDescriptorType) and cls.__flags__ & HEAP_TYPE:
                    self.slot(v, descriptor, f"{name}.{slot}")
        self.todo.append((type(v), type(v).__name__))

    def slot(self, v: Any, descriptor: Any, name: str) -> None:
        def take() -> Any:
            try:
                return (descriptor.__get__(v),)
            except AttributeError:
                return ()

        def put(held: tuple) -> None:
            if held:
                descriptor.__set__(v, held[0])
            elif take():
                descriptor.__delete__(v)

        self.hold(v, name, take, put)
        self.todo += [(x, name) for x in take()]

    def a_class(self, cls: type, name: str) -> None:
        if not cls.__flags__ & HEAP_TYPE or not users(cls):
            return
        self.hold(cls, name, lambda: tuple(vars(cls).items()), lambda held: put_class(cls, held))
        self.todo += [(x, f"{name}.{k}") for k, x in vars(cls).items() if k not in ("__dict__", "__weakref__")]
        self.todo += [(x.fget, f"{name}.{k}") for k, x in vars(cls).items() if isinstance(x, property) and x.fget is not None]
        self.todo += [(b, b.__name__) for b in cls.__mro__[1:]]

    def function(self, f: types.FunctionType, name: str) -> None:
        inner = vars(f).get("_guardscope_compiled", vars(f).get("__wrapped__"))
        if inner is not None:
            self.todo.append((inner, name))
        if not is_compilable_file(f.__code__.co_filename):
            return
        self.hold(f, f"the code of {name}", lambda: (f.__code__, f.__defaults__, f.__kwdefaults__),
                  lambda held: put_function(f, held))
        self.todo += [(c, n) for c, n in zip(f.__closure__ or (), f.__code__.co_freevars)]
        self.todo += [(f.__defaults__, f"defaults of {name}"), (f.__kwdefaults__, f"defaults of {name}"), (vars(f), name)]
        held = f.__globals__
        if id(held) not in self.seen:
            self.seen[id(held)] = held
            self.hold(held, "the globals", lambda: tuple(held.items()), lambda items: put_dict(dict, held, items))
        for n in names_of(f.__code__):
            if n in held:
                self.todo.append((held[n], n))
                if isinstance(held[n], types.ModuleType) and users(held[n]):
                    self.todo.append((vars(held[n]), n))

    def cell(self, cell: Any, name: str) -> None:
        def take() -> tuple:
            try:
                return (cell.cell_contents,)
            except ValueError:
                return ()

        def put(held: tuple) -> None:
            if held:
                cell.cell_contents = held[0]
            elif take():
                del cell.cell_contents

        self.hold(cell, name, take, put)
        self.todo += [(x, name) for x in take()]

    def tensor(self, v: Any, name: str) -> None:
        def put(held: tuple) -> None:
            if v._array is not held[1] or v._meta is not held[0]:
                v._array, v._meta = held[1], held[0]

        if v._array is None and v._meta.device.type != "meta":
            raise Unrepeatable(f"{name} is on {v._meta.device}")
        self.hold(v, f"{name}.data", lambda: (v._meta, v._array), put)
        own = vars(v)
        self.hold(own, name, lambda: tuple(own.items()), lambda items: put_dict(dict, own, items))
        self.todo += [(x, f"{name}.{k}") for k, x in own.items() if k not in ("grad_fn",)]
        if v._array is not None:
            self.memory(v._array, name)

    def memory(self, a: np.ndarray, name: str) -> None:
        owner = memory_owner(a)
        if id(owner) in self.stores:
            return
        self.stores.add(id(owner))
        self.seen[id(owner)] = owner
        copies: list[np.ndarray] = []

        def take() -> np.ndarray:
            """A copy; the last one again while nothing has changed."""
            if not copies or not same_bytes(owner, copies[-1]):
                copies.append(owner.copy())
            return copies[-1]

        def put(held: np.ndarray) -> None:
            if owner.flags.writeable and not same_bytes(owner, held):
                np.copyto(owner, held)

        self.hold(owner, name, take, put)


def object_dict(v: Any) -> dict | None:
    """The dictionary of an instance, without running code of its class."""
    try:
        own = object.__getattribute__(v, "__dict__")
    except AttributeError:
        return None
    return own if isinstance(own, dict) else None


def same_bytes(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))


def users(thing: Any) -> bool:
    """Whether a class or module is the script's own, or of a package it uses: not of Python's library, nor ours."""
    import sys

    name = thing.__name__ if isinstance(thing, types.ModuleType) else thing.__module__ or ""
    top = name.split(".")[0]
    return top not in sys.stdlib_module_names and top not in ("torch", "numpy", "guardscope") or top == "__main__"


def names_of(code: types.CodeType) -> Iterator[str]:
    """Every name that a code object and the functions in it mention."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from names_of(inner)


# -- putting things back in place ----
def put_dict(store: Any, v: Any, held: tuple) -> None:
    now = tuple(store.items(v))
    if len(now) == len(held) and all(a is c and b is d for (a, b), (c, d) in zip(now, held)):
        return
    if [k for k, _ in now] != [k for k, _ in held]:
        store.clear(v)
    for key, value in held:
        store.__setitem__(v, key, value)


def put_list(v: Any, held: tuple) -> None:
    if len(v) != len(held) or any(a is not b for a, b in zip(v, held)):
        v[:] = type(v)(v.typecode, held) if isinstance(v, array.array) else held


def put_deque(v: collections.deque, held: tuple) -> None:
    if len(v) != len(held) or any(a is not b for a, b in zip(v, held)):
        v.clear()
        v.extend(held)


def put_set(v: set, held: frozenset) -> None:
    if v != held:
        v.clear()
        v.update(held)


def put_class(cls: type, held: tuple) -> None:
    before, now = dict(held), dict(vars(cls))
    for name, value in now.items():
        if name not in before:
            delattr(cls, name)
        elif value is not before[name]:
            setattr(cls, name, before[name])
    for name, value in before.items():
        if name not in now:
            setattr(cls, name, value)


def put_function(f: types.FunctionType, held: tuple) -> None:
    if f.__code__ is not held[0]:
        f.__code__ = held[0]
    if f.__defaults__ is not held[1]:
        f.__defaults__ = held[1]
    if f.__kwdefaults__ is not held[2]:
        f.__kwdefaults__ = held[2]


def put_environment(held: dict) -> None:
    if dict(os.environ) != held:
        for name in set(os.environ) - set(held):
            del os.environ[name]
        os.environ.update(held)
