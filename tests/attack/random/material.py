"""What generated programs (grammar.py) use besides programs.py: more kinds of objects, and helpers that read anything.

Executed after programs.py in the same namespace.
"""
# ruff: noqa: F401, F821, E402 - the names of programs.py are there
import array
import contextlib
import datetime
import fractions
import itertools
import pathlib
import random
import sys
import threading
import types
import weakref

from torch.nn.functional import relu as imported


class Lazy:
    """Computes an attribute once."""

    def __init__(self):
        self.k = 2

    @functools.cached_property
    def lazy(self):
        return self.k + 5


class Counts:
    """A property that changes the object."""

    seen = 0

    def __init__(self):
        self._hits = 0
        self.k = 1

    @property
    def hits(self):
        self._hits += 1
        return self._hits

    @hits.setter
    def hits(self, value):
        self._hits = value

    def __format__(self, how):
        return "counts" + how

    def __iter__(self):
        yield 1
        yield self.k


class Indexed:
    """Stands for a number."""

    def __init__(self, n=1):
        self.n = n

    def __index__(self):
        return self.n

    def __int__(self):
        return self.n + 1

    def __float__(self):
        return self.n / 2

    def __neg__(self):
        return Indexed(-self.n)

    def __reversed__(self):
        return iter([self.n])

    def __round__(self, digits=None):
        return 4


class Node:
    def __init__(self, k, next=None):
        self.k, self.next = k, next


class Slots:
    """Holds what a program keeps in attributes."""


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Tone(str, enum.Enum):
    SOFT = "add"
    LOUD = "k"


class Bits(enum.Flag):
    A = 1
    B = 2
    C = 4


def noted(v, by=2):
    """A function with attributes."""
    return v * by + noted.level


noted.level = 1


def nested_defaults():
    def inner(v, opts={"by": 2}, *, extra=(1,)):  # noqa: B006 - shared on purpose
        opts["calls"] = opts.get("calls", 0) + 1
        return v * opts["by"] + extra[0]
    return inner


def num(x):
    """Something that can be added to a tensor of three rows."""
    if isinstance(x, (bool, int, float)):
        return max(min(x, 50), -50)
    if torch.is_tensor(x):
        return x if x.numel() == 1 else x.numel()
    if isinstance(x, (str, list, tuple, dict, set, frozenset)):
        return len(x)
    return 1


def total(xs):
    result = 0
    for x in xs:
        result = result * 2 + num(x)
    return result


def size_of(x):
    return num(x)


def first_of(x, *rest):
    return x if num(x) > 0 else rest[0] if rest else 0


def kind_of(x):
    if isinstance(x, (int, float)):
        return 1
    if isinstance(x, (list, tuple)):
        return 2 + len(x)
    if callable(x):
        return 3
    return 4 if x else 5


def ordered(d):
    result = 1
    for key, value in d.items():
        result = result * 3 + len(str(key)) + num(value)
    return result


def keyed(k=1, **rest):
    return num(k) + len(rest)


def apply_to(function, v):
    return num(function(v))


def through(net, v):
    for layer in net.children():
        v = layer(v)
    return v


def some(xs):
    """At most four things of anything."""
    if isinstance(xs, (list, tuple, set, frozenset, dict, range)):
        for i, x in enumerate(xs):
            if i < 4:
                yield x
    else:
        yield num(xs)


registry = {"add": add_one, "double": double}


@functools.lru_cache
def memo(n):
    return n + GAIN


LOCAL = threading.local()
LOCAL.k = 2
CONFIG = types.ModuleType("attack_config")
CONFIG.rate = 3
CONFIG.scale = scaled
