"""The values of the matrix, made anew for each run, and what its programs call. Read by generated programs: `from material
import *` in a module of their own."""

from __future__ import annotations

import array
import collections
import copy
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import itertools
import math
import operator
import pathlib
import types
from typing import Any

import numpy as np
import torch

Color = enum.Enum("Color", "RED BLUE")
Number = enum.IntEnum("Number", "ONE TWO")
Flags = enum.Flag("Flags", "A B")
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Data:
    a: int = 1


@dataclasses.dataclass(order=True, frozen=True)
class Ordered:
    a: int = 2


class Plain:
    def __init__(self) -> None:
        self.q = 1


class Own:
    """A class with methods of its own for nearly everything."""

    def __init__(self, k: int = 2) -> None:
        self.k = k

    def __add__(self, other: Any) -> Any:
        return "add", self.k

    def __radd__(self, other: Any) -> Any:
        return "radd", self.k

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Own)

    def __lt__(self, other: Any) -> bool:
        return True

    def __hash__(self) -> int:
        return 4

    def __len__(self) -> int:
        return self.k

    def __iter__(self) -> Any:
        return iter([1, self.k])

    def __contains__(self, item: Any) -> bool:
        return item == 3

    def __getitem__(self, index: Any) -> Any:
        return index

    def __bool__(self) -> bool:
        return False

    def __neg__(self) -> int:
        return -self.k

    def __index__(self) -> int:
        return self.k

    def __call__(self, *args: Any) -> int:
        return len(args)

    def __repr__(self) -> str:
        return f"Own({self.k})"


class MyInt(int):
    pass


class MyList(list):
    pass


class MyDict(dict):
    pass


class MyStr(str):
    pass


class MyTuple(tuple):
    pass


class MySet(set):
    pass


def same(x: Any) -> Any:
    return x


def swapped(pair: Any) -> Any:
    x, y = pair
    return y, x


def assert_(a: Any) -> int:
    assert a, a
    return 1


def del_(a: Any) -> Any:
    del a[0]
    return a


def first(x: Any, *rest: Any) -> Any:
    return x, rest


def matched(a: Any) -> Any:
    match a:
        case None | True:
            return "constant"
        case {"a": x, **rest}:
            return "mapping", x, rest
        case [x, *rest]:
            return "sequence", x, rest
        case str() | bytes():
            return "text"
        case int(x) | float(x):
            return "number", x
        case object(k=x):
            return "attribute", x
        case _:
            return "other"


def walrus(a: Any) -> Any:
    return [y for x in a if (y := x)], y


def unpacked(a: Any) -> Any:
    x, *middle, y = a
    return x, middle, y


def nested(a: Any) -> Any:
    out = []
    for i, x in enumerate(a):
        try:
            if i:
                continue
            out.append(x)
        finally:
            out.append(i)
    else:
        out.append("end")
    return out


LAYER = torch.nn.Linear(2, 2)
held = [copy, itertools, operator, math]                    # for the programs


def values() -> dict[str, Any]:
    """Name -> value. Everything that can be changed is new."""
    d = {"a": 1, "b": 2}
    return {
        "int": 3, "negative": -2, "big": 10**12, "true": True, "float": 2.5, "nan": float("nan"), "str": "ab", "empty_str": "",
        "bytes": b"ab", "none": None, "complex": 2j, "ellipsis": Ellipsis, "list": [1, 2], "empty_list": [], "tuple": (1, 2),
        "empty_tuple": (), "dict": dict(d), "empty_dict": {}, "set": {1, 2}, "frozenset": frozenset([1, 3]),
        "deque": collections.deque([1, 2]), "short_deque": collections.deque([1], maxlen=1),
        "ordered": collections.OrderedDict(d), "counter": collections.Counter("aab"),
        "defaultdict": collections.defaultdict(int, d),
        "chain": collections.ChainMap(dict(d), {"z": 1}), "userdict": collections.UserDict(d),
        "userlist": collections.UserList([1, 2]), "userstring": collections.UserString("ab"), "range": range(3),
        "slice": slice(1, 3), "keys": d.keys(), "values": d.values(), "items": d.items(), "proxy": types.MappingProxyType(d),
        "member": Color.RED, "number": Number.TWO, "flags": Flags.A | Flags.B, "point": Point(1, 2), "data": Data(),
        "ordered_data": Ordered(), "plain": Plain(), "own": Own(), "function": same, "builtin": len, "class": Plain,
        "type": int, "fraction": fractions.Fraction(1, 2), "decimal": decimal.Decimal("1.5"), "date": datetime.date(2020, 1, 2),
        "delta": datetime.timedelta(1), "path": pathlib.PurePosixPath("a/b"), "partial": functools.partial(same, 1),
        "array": array.array("i", [1, 2]), "bytearray": bytearray(b"ab"), "memoryview": memoryview(b"ab"),
        "float32": np.float32(1.5), "int64": np.int64(2), "ndarray": np.arange(2.0), "tensor": torch.arange(2.0),
        "scalar": torch.tensor(2), "indices": torch.tensor([0, 1]), "size": torch.Size([2, 3]), "dtype": torch.float32,
        "device": torch.device("cpu"), "my_int": MyInt(4), "my_list": MyList([1]), "my_dict": MyDict(a=1),
        "my_str": MyStr("ab"), "my_tuple": MyTuple((1, 2)), "my_set": MySet([1]), "module": math, "object": object(),
        "namespace": types.SimpleNamespace(a=1), "layer": LAYER, "method": Own(3).__len__,
        "parameter": torch.nn.Parameter(torch.ones(2))}
