"""Whether a repeated call did the same: what it returned or raised, and what it left in everything it could reach.

Both calls start from the same objects, so an object that was there before is equal only to itself; what the calls made is
compared by structure. A `Picture` is taken right after each call, before the state is put back: values that look at memory the
calls write to are copied into it.
"""

from __future__ import annotations

import collections
import functools
import math
import types
from typing import Any

import numpy as np

from ..tensor.tensor import Tensor, memory_owner
from .shadow_world import FIXED, World, object_dict

# How far a kernel's result may be from NumPy's: (relative, absolute, as a share of the largest element).
TOLERANCE = {2: (2e-2, 1e-2), 4: (1e-3, 1e-5), 8: (1e-7, 1e-10), 16: (1e-7, 1e-10)}
SEQUENCES = (list, tuple, collections.deque)
LONGEST = 120


class Difference(Exception):
    """Where the two calls differ: `where`, what the reused version gave, what plain Python gave."""

    def __init__(self, where: str, reused: str, plain: str) -> None:
        super().__init__(f"{where}: the reused version gave {reused}, plain Python {plain}")
        self.where, self.reused, self.plain = where, reused, plain


class Picture:
    """What one call gave ("result" or "error", value), and the world after it."""

    def __init__(self, world: World, outcome: tuple[str, Any], printed: str, before: list[Any]) -> None:
        self.world, self.outcome, self.printed = world, outcome, printed
        self.state = world.state()
        self.changed = [i for i, (a, b) in enumerate(zip(before, self.state)) if not untouched(a, b)]
        self.arrays: dict[int, np.ndarray] = {}      # id of a new tensor or array -> its elements now
        self._seen: dict[int, Any] = {}
        self._freeze(outcome[1])
        for i in self.changed:
            self._freeze(self.state[i])

    def _freeze(self, v: Any) -> None:
        """Copy the elements of every new tensor that looks at memory which was there before."""
        todo = [v]
        while todo:
            v = todo.pop()
            if id(v) in self._seen or id(v) in self.world.seen and not isinstance(v, tuple) or isinstance(v, FIXED):
                continue
            self._seen[id(v)] = v
            array = v._array if isinstance(v, Tensor) else v if isinstance(v, np.ndarray) else None
            if array is not None:
                self.arrays[id(v)] = array.copy() if id(memory_owner(array)) in self.world.stores else array
            todo += [x for _, x in inside(v)]


def untouched(a: Any, b: Any) -> bool:
    """Whether a holder holds the very same things."""
    if a is b:
        return True
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return all(x is y or type(x) is tuple and type(y) is tuple and len(x) == len(y) and all(p is q for p, q in zip(x, y))
                   for x, y in zip(a, b))
    return False


def inside(v: Any) -> list[tuple[str, Any]]:
    """The named parts of a value."""
    if isinstance(v, dict):
        return [(f"[{shorten(k)}]", x) for k, x in dict.items(v)]
    parts: list[tuple[str, Any]] = []
    if isinstance(v, SEQUENCES):
        base: Any = next(b for b in SEQUENCES if isinstance(v, b))
        parts = [(f"[{i}]", x) for i, x in enumerate(base.__iter__(v))]
    elif isinstance(v, types.MethodType):
        return [("", v.__func__), (".__self__", v.__self__)]
    elif isinstance(v, functools.partial):
        parts = [(".func", v.func), (".args", v.args), (".keywords", v.keywords)]
    elif isinstance(v, types.FunctionType):
        return [(".__code__", v.__code__), (".__defaults__", v.__defaults__), (".__kwdefaults__", v.__kwdefaults__),
                *((f".<{n}>", c) for n, c in zip(v.__code__.co_freevars, v.__closure__ or ()))]
    elif isinstance(v, types.CellType):
        try:
            return [("", v.cell_contents)]
        except ValueError:
            return []
    elif isinstance(v, BaseException):
        parts = [(".args", v.args)]
    if not isinstance(v, type | types.ModuleType):
        parts += [(f".{k}", x) for k, x in (object_dict(v) or {}).items()]
    return parts


def shorten(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception as problem:
        text = f"a {type(value).__name__} ({type(problem).__name__})"
    return text if len(text) <= LONGEST else text[:LONGEST - 3] + "..."


class Comparison:
    """Compares two pictures of one world. Raises Difference at the first thing that is not alike."""

    def __init__(self, reused: Picture, plain: Picture) -> None:
        self.reused, self.plain = reused, plain
        self.partner: dict[int, int] = {}
        self.back: dict[int, int] = {}

    def run(self) -> None:
        a, b = self.reused, self.plain
        if a.printed != b.printed:
            raise Difference("what is printed", shorten(a.printed), shorten(b.printed))
        if a.outcome[0] != b.outcome[0]:
            raise Difference("outcome", *(f"the exception {type(v).__name__}: {v}" if kind == "error" else shorten(v)
                                          for kind, v in (a.outcome, b.outcome)))
        if a.outcome[0] == "error":
            if type(a.outcome[1]) is not type(b.outcome[1]) or str(a.outcome[1]) != str(b.outcome[1]):
                raise Difference("exception", shorten(a.outcome[1]), shorten(b.outcome[1]))
        else:
            self.same("result", a.outcome[1], b.outcome[1])
        for i in sorted({*a.changed, *b.changed}):
            holder = a.world.holders[i]
            self.same(holder.name, a.state[i], b.state[i])

    def same(self, where: str, a: Any, b: Any) -> None:
        if a is b:
            return
        known = self.reused.world.seen
        if type(a) is not type(b):
            raise Difference(f"type of {where}", type(a).__name__, type(b).__name__)
        if isinstance(a, float | complex):
            if not numbers_alike(a, b):
                raise Difference(where, repr(a), repr(b))
        elif isinstance(a, FIXED):
            if a != b:
                raise Difference(where, shorten(a), shorten(b))
        elif isinstance(a, Tensor | np.ndarray):
            self.elements(where, a, b)
        elif isinstance(a, set | frozenset):
            if a != b:
                raise Difference(where, shorten(a), shorten(b))
        elif isinstance(a, tuple):
            self.parts(where, a, b)
        elif id(a) in known or id(b) in known:
            raise Difference(where, f"the object {shorten(a)}", f"another: {shorten(b)}")
        elif isinstance(a, type | types.ModuleType | types.BuiltinMethodType):
            if isinstance(a, types.ModuleType):
                raise Difference(where, shorten(a), shorten(b))
        elif not self.paired(where, a, b):
            self.parts(where, a, b)

    def paired(self, where: str, a: Any, b: Any) -> bool:
        """Whether these two new objects were compared before. Two objects of one call must be two in the other as well."""
        if id(a) in self.partner or id(b) in self.back:
            if self.partner.get(id(a)) != id(b) or self.back.get(id(b)) != id(a):
                raise Difference(f"identity of {where}", shorten(a), shorten(b))
            return True
        self.partner[id(a)], self.back[id(b)] = id(b), id(a)
        return False

    def parts(self, where: str, a: Any, b: Any) -> None:
        x, y = inside(a), inside(b)
        if len(x) != len(y) or [n for n, _ in x] != [n for n, _ in y]:
            raise Difference(f"contents of {where}", shorten(a), shorten(b))
        for (name, p), (_, q) in zip(x, y):
            self.same(f"{where}{name}", p, q)

    def elements(self, where: str, a: Any, b: Any) -> None:
        if self.paired(where, a, b):
            return
        if isinstance(a, Tensor):
            facts = [(t.dtype, tuple(t.shape), t._meta.strides, t.requires_grad, str(t.device)) for t in (a, b)]
            if facts[0] != facts[1]:
                raise Difference(f"metadata of {where}", *(f"{d}{list(s)} strides {list(st)}{' grad' if g else ''} {on}"
                                                           for d, s, st, g, on in facts))
        x, y = self.reused.arrays.get(id(a)), self.plain.arrays.get(id(b))
        if x is None or y is None:                    # a state's own copy of some memory
            x, y = (v._array if isinstance(v, Tensor) else v for v in (a, b))
        if x is None or y is None:
            return
        place = first_difference(x, y)
        if place is not None:
            at = f"{where}[{', '.join(map(str, place))}]" if place else where
            raise Difference(at, repr(x[place].item()), repr(y[place].item()))


def numbers_alike(a: Any, b: Any) -> bool:
    """A float that came out of a kernel may be rounded otherwise."""
    if a == b or a != a and b != b:
        return True
    return isinstance(a, float) and math.isfinite(a) and math.isfinite(b) and math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-5)


def first_difference(x: np.ndarray, y: np.ndarray) -> tuple[int, ...] | None:
    """Where two arrays first differ by more than the rounding of kernels explains."""
    if x.shape != y.shape or x.dtype != y.dtype:
        return (0,) * x.ndim if x.size and y.size else None
    if x.dtype.kind in "fc":
        relative, share = TOLERANCE.get(x.dtype.itemsize, (1e-3, 1e-5))
        finite = np.abs(y[np.isfinite(y)])
        bound = share * max(1.0, float(finite.max()) if finite.size else 1.0)
        with np.errstate(invalid="ignore"):
            wrong = ~np.isclose(x, y, rtol=relative, atol=bound, equal_nan=True)
    else:
        wrong = x != y
    places = np.argwhere(wrong)
    return tuple(int(n) for n in places[0]) if len(places) else None
