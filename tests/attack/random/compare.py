"""Whether two worlds look the same: values, types, shapes, elements, order, and which objects are one object."""

from __future__ import annotations

import array
import collections
import contextvars
import enum
import functools
import itertools
import random
import re
import types
from typing import Any

import numpy as np
from guardscope.core.guards.facts import same as same_constant
from guardscope.core.tensor.devices import device
from guardscope.core.tensor.dtypes import dtype
from guardscope.core.tensor.tensor import Tensor

ADDRESS = re.compile(r"0x[0-9a-f]+|attack_(compiled|plain___)")
CONSTANTS = (int, float, complex, str, bytes, bool, type(None), range)
OVERLAPS = 10
UNSEEN = {"__dict__", "__weakref__", "__module__", "__doc__", "_abc_impl", "__abstractmethods__", "__annotations__",
          "__parameters__", "__orig_bases__", "__firstlineno__", "__static_attributes__", "__qualname__"}


EMPTY = enum.Enum("Empty", "EMPTY").EMPTY


def slot_of(value: Any, name: str) -> Any:
    """What a slot holds, asked past the class's own ways: looking changes nothing."""
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return EMPTY


class Difference(Exception):
    """Where the worlds differ, and how."""


class Pairing:
    """Compares structures and remembers which object of one world stands for which of the other."""

    def __init__(self, exact: bool = True) -> None:
        self.exact = exact                     # kernels round differently from NumPy; the eager backend does not
        self.partner: dict[int, int] = {}
        self.back: dict[int, int] = {}
        self.keep: list[Any] = []
        self.tensors: list[tuple[Tensor, Tensor, str]] = []

    def fail(self, where: str, a: Any, b: Any) -> None:
        raise Difference(f"{where}: compiled {shorten(a)}, plain {shorten(b)}")

    def pair(self, where: str, a: Any, b: Any) -> bool:
        """Whether these two objects were compared before. Fails when one of them has another partner."""
        if id(a) in self.partner or id(b) in self.back:
            if self.partner.get(id(a)) != id(b) or self.back.get(id(b)) != id(a):
                raise Difference(f"{where}: other objects are one object (compiled {shorten(a)}, plain {shorten(b)})")
            return True
        self.partner[id(a)], self.back[id(b)] = id(b), id(a)
        self.keep += [a, b]
        return False

    def same(self, a: Any, b: Any, where: str) -> None:
        if isinstance(a, types.FunctionType):
            a, b = (vars(f).get("_guardscope_compiled", f) if isinstance(f, types.FunctionType) else f for f in (a, b))
        if not same_class(type(a), type(b)):
            self.fail(f"type of {where}", type(a), type(b))
        if isinstance(a, type):
            self.classes(a, b, where)
        elif type(a) is float and not self.exact:
            if not np.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True):
                self.fail(where, a, b)
        elif type(a) in CONSTANTS:
            if not (same_constant(a, b) or isinstance(a, str) and ADDRESS.sub("", a) == ADDRESS.sub("", b)):
                self.fail(where, a, b)
        elif isinstance(a, Tensor):
            self.tensor(a, b, where)
        elif isinstance(a, np.ndarray | np.generic):
            if not (a.dtype == b.dtype and np.array_equal(np.asarray(a), np.asarray(b), equal_nan=a.dtype.kind in "fc")):
                self.fail(where, a, b)
        elif isinstance(a, types.ModuleType) and a.__name__.startswith("attack_"):
            if not self.pair(where, a, b):
                self.mapping(vars(a), vars(b), where)
        elif isinstance(a, dtype | device | types.ModuleType | types.BuiltinFunctionType):
            if a is not b and not isinstance(a, types.BuiltinFunctionType):
                self.fail(where, a, b)
        elif isinstance(a, enum.Enum):
            if a.name != b.name:
                self.fail(where, a, b)
            if not self.pair(where, a, b):
                self.mapping(public(a), public(b), where)
        elif isinstance(a, types.MethodType):
            self.same(a.__func__, b.__func__, where)
            self.same(a.__self__, b.__self__, f"{where}.__self__")
        elif isinstance(a, tuple) or not self.pair(where, a, b):       # which equal tuples are one object is CPython's affair
            self.contents(a, b, where)

    def contents(self, a: Any, b: Any, where: str) -> None:
        if isinstance(a, set | frozenset):
            if len(a) != len(b) or not all(type(x) in CONSTANTS for x in a) or not same_constant(set(a), set(b)):
                self.fail(where, a, b)
        elif isinstance(a, dict):
            self.mapping(a, b, where)
        elif isinstance(a, tuple | list) or type(a).__name__ == "deque":
            if len(a) != len(b):
                self.fail(f"len({where})", len(a), len(b))
            for i, (x, y) in enumerate(zip(a, b)):
                self.same(x, y, f"{where}[{i}]")
        if isinstance(a, types.FunctionType):
            self.function(a, b, where)
        elif isinstance(a, functools.partial):
            self.same((a.func, a.args, a.keywords), (b.func, b.args, b.keywords), where)
        elif isinstance(a, BaseException):
            self.same(a.args, b.args, f"{where}.args")
        elif isinstance(a, collections.UserDict | collections.UserList):
            self.same(a.data, b.data, f"{where}.data")
        elif isinstance(a, bytearray | array.array):
            self.same(list(a), list(b), where)
        elif isinstance(a, random.Random):
            self.same(a.getstate(), b.getstate(), f"state of {where}")
        elif isinstance(a, contextvars.ContextVar):
            self.same(a.get(), b.get(), f"{where}.get()")
        elif isinstance(a, itertools.count | itertools.islice | types.GeneratorType | type(iter([])) | type(iter(()))):
            if not isinstance(a, types.GeneratorType):
                self.same(a.__reduce__(), b.__reduce__(), where)
        elif isinstance(a, slice):
            self.same((a.start, a.stop, a.step), (b.start, b.stop, b.step), where)
        self.attributes(a, b, where)

    def mapping(self, a: Any, b: Any, where: str) -> None:
        if len(a) != len(b):
            texts = [[k for k in d if isinstance(k, str) and "0x" in k] for d in (a, b)]
            if all(texts) and {ADDRESS.sub("", k) for k in texts[0]} == {ADDRESS.sub("", k) for k in texts[1]}:
                return                       # addresses of objects that are gone: how many differ is nobody's promise
            self.fail(f"keys of {where}", list(a), list(b))
        items = collections.OrderedDict.items if isinstance(a, collections.OrderedDict) else dict.items
        for (x, p), (y, q) in zip(items(a), items(b)):     # no look-up: a class may have been given another hash
            self.same(x, y, f"a key of {where}")
            self.same(p, q, f"{where}[{shorten(x)}]")

    def attributes(self, a: Any, b: Any, where: str) -> None:
        if type(a).__module__.startswith("attack_") or hasattr(type(a), "_guardscope_module") \
                or isinstance(a, types.SimpleNamespace | types.FunctionType):
            if hasattr(a, "__dict__"):
                self.mapping(without_hook_numbers(vars(a)), without_hook_numbers(vars(b)), f"{where}.__dict__")
            for cls in type(a).__mro__:
                for slot in vars(cls).get("__slots__", ()):
                    self.same(slot_of(a, slot), slot_of(b, slot), f"{where}.{slot}")

    def function(self, a: Any, b: Any, where: str) -> None:
        if (a.__code__.co_firstlineno, a.__code__.co_name) != (b.__code__.co_firstlineno, b.__code__.co_name):
            self.fail(where, a, b)
        for i, name in enumerate(a.__code__.co_freevars):
            self.same(cell_value(a.__closure__[i]), cell_value(b.__closure__[i]), f"{where}.<{name}>")
        self.same((a.__defaults__, a.__kwdefaults__), (b.__defaults__, b.__kwdefaults__), f"defaults of {where}")

    def classes(self, a: type, b: type, where: str) -> None:
        if a is b:
            return
        if (a.__qualname__, "plain" in a.__module__) == (b.__qualname__, True) or a.__qualname__ != b.__qualname__:
            self.fail(where, a, b)
        if not self.pair(where, a, b) and not issubclass(a, enum.Enum):
            names = [n for n in vars(a) if n not in UNSEEN]
            if names != [n for n in vars(b) if n not in UNSEEN]:
                self.fail(f"names of {where}", names, [n for n in vars(b) if n not in UNSEEN])
            for n in names:
                x, y = vars(a)[n], vars(b)[n]
                if type(x) in (*CONSTANTS, list, dict) or isinstance(x, Tensor):
                    self.same(x, y, f"{where}.{n}")

    def tensor(self, a: Any, b: Any, where: str) -> None:
        if self.pair(where, a, b):
            return
        facts = [(t.dtype.name, tuple(t.shape), t._meta.strides, t._meta.requires_grad, str(t.device), t.is_leaf)
                 for t in (a, b)]
        if facts[0] != facts[1]:
            self.fail(where, *facts)
        x, y = a._array, b._array
        if not self.exact and x.dtype.kind == "f":
            if not np.allclose(x, y, rtol=1e-3 if x.itemsize > 2 else 3e-2, atol=1e-4, equal_nan=True):
                self.fail(where, x, y)
        elif not np.array_equal(x, y, equal_nan=x.dtype.kind in "fc") or \
                x.dtype.kind == "f" and not np.array_equal(np.signbit(x[x == 0]), np.signbit(y[y == 0])):
            self.fail(where, x, y)
        own = [{k: v for k, v in vars(t).items() if k[0] != "_"} for t in (a, b)]
        self.mapping(own[0], own[1], where)
        if len(self.tensors) < OVERLAPS:
            for p, q, other in self.tensors:
                if np.shares_memory(x, p._array) != np.shares_memory(y, q._array):
                    raise Difference(f"{where} and {other}: they share memory in one world only")
            self.tensors.append((a, b, where))


def without_hook_numbers(held: dict) -> dict:
    """Hooks are numbered through the whole process."""
    return {k: list(v.values()) if k.endswith("_hooks") and isinstance(v, dict) else v for k, v in held.items()}


def same_class(a: type, b: type) -> bool:
    return a is b or a.__qualname__ == b.__qualname__ and a.__module__.startswith("attack_") and b.__module__.startswith(
        "attack_")


def public(member: Any) -> dict[str, Any]:
    return {k: v for k, v in vars(member).items() if k[0] != "_"}


def led_by(problem: BaseException) -> tuple[str, str]:
    return type(problem.__cause__).__name__, type(problem.__context__).__name__


def cell_value(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return "an empty cell"


def shorten(value: Any) -> str:
    try:
        text = " ".join(ADDRESS.sub("", repr(value)).split())
    except Exception as problem:
        text = f"a {type(value).__name__} ({type(problem).__name__})"
    return text if len(text) < 160 else text[:157] + "..."


def same_outcome(a: tuple[str, Any], b: tuple[str, Any], pairing: Pairing) -> None:
    """Compare what two calls gave. Raises Difference."""
    if a[0] != b[0]:
        pairing.fail("outcome", *(repr(v) if k == "error" else v for k, v in (a, b)))
    if a[0] == "result":
        pairing.same(a[1], b[1], "result")
    elif isinstance(a[1], TypeError) and isinstance(b[1], TypeError) and "argument" in str(b[1]):
        return                                         # which function was called wrongly is worded by what called it
    elif led_by(a[1]) != led_by(b[1]):
        pairing.fail("what led to the exception", (a[1].__cause__, a[1].__context__), (b[1].__cause__, b[1].__context__))
    elif not same_class(type(a[1]), type(b[1])) or ADDRESS.sub("", str(a[1])) != ADDRESS.sub("", str(b[1])):
        pairing.fail("exception", repr(a[1]), repr(b[1]))
