"""Changes of what both worlds share: modes, the environment, libraries, Python's own functions. Made once for both."""

from __future__ import annotations

import builtins
import collections
import enum
import functools
import math
import os
import random
import sys
import types
from typing import Any

from guardscope.core.tensor.state import STATE

from .mutations import Impossible, torch
from .places import View
from .world import Shared


def twice_for_programs(before: Any, *args: Any) -> Any:
    """A replaced builtin: numbers become twice as large, but only where a program calls it."""
    result = before(*args)
    return result * 2 if args and type(args[0]) in (int, float) and type(result) in (int, float) else result


def change_shared(seed: int, view: View, shared: Shared) -> None:
    """Modes, the environment, functions of libraries: once for both worlds."""
    rng, t = random.Random(seed), torch()

    def library() -> None:
        if not view.libraries:
            raise Impossible
        owner, name = rng.choice(view.libraries)
        before = vars(owner)[name]
        shared.replace(owner, name, lambda *a, **k: before(*a, **k) * 2)

    def method() -> None:
        held = vars(t.Tensor)
        names = [n for n in view.names if callable(held.get(n)) and n not in ("__class__", "clone", "detach")]
        if not names:
            raise Impossible
        name = rng.choice(names)
        before = vars(t.Tensor)[name]
        shared.replace(t.Tensor, name, lambda self, *a, **k: before(self, *a, **k) * 2)

    def layer() -> None:
        cls = rng.choice([t.nn.Linear, t.nn.ReLU, t.nn.Sequential, t.nn.LayerNorm])
        before = cls.forward
        shared.replace(cls, "forward", lambda self, x: before(self, x) + 1)

    def environment() -> None:
        rng.choice([lambda: os.environ.__setitem__("GUARDSCOPE_ATTACK", rng.choice(["", "a", "abcdef"])),
                    lambda: os.environ.pop("GUARDSCOPE_ATTACK", None), lambda: os.putenv("GUARDSCOPE_ATTACK", "zz")])()

    def python() -> None:
        name = rng.choice(["round", "pow", "ord"])
        before = vars(builtins)[name]
        shared.replace(builtins, name, functools.partial(twice_for_programs, before))

    def new_of_tensor() -> None:
        name = rng.choice(["tag", "k", "rate", "extra", "by", "__len__", "__bool__", "__iter__", "__index__", "__getattr__",
                           "__eq__"])
        if name not in vars(t.Tensor):
            shared.add(t.Tensor, name, rng.choice([3, property(lambda self: 4), lambda self, *a: 2]))

    def of_module_class() -> None:
        name = rng.choice(["__call__", "extra", "k", "rate", "__len__", "train", "parameters", "named_children", "by"])
        before = vars(t.nn.Module).get(name)
        if before is None:
            shared.add(t.nn.Module, name, rng.choice([3, property(lambda self: 4)]))
        else:
            shared.replace(t.nn.Module, name, lambda self, *a, **k: before(self, *a, **k))

    def library_method() -> None:
        cls, name = rng.choice([(collections.UserDict, "__getitem__"), (collections.OrderedDict, "items"),
                                (enum.Enum, "__hash__"),
                                (collections.Counter, "most_common"), (random.Random, "choice"), (collections.ChainMap, "get")])
        if name in vars(cls):
            before = vars(cls)[name]
            try:
                shared.replace(cls, name, lambda self, *a: before(self, *a))
            except TypeError:                          # a class of C
                raise Impossible from None

    def process() -> None:
        rng.choice([lambda: os.chdir("/"), lambda: os.chdir("/tmp"), lambda: sys.argv.append("more"), sys.argv.clear])()

    def module_of_name() -> None:
        stand_in = types.ModuleType("math")
        vars(stand_in).update(vars(math))
        vars(stand_in)["sqrt"] = lambda x: 7.0
        shared.exchange(sys.modules, "math", stand_in)

    def deterministic() -> None:
        t.use_deterministic_algorithms(not t.are_deterministic_algorithms_enabled())

    def autocast() -> None:
        STATE.set(autocast=("cpu", rng.choice([t.bfloat16, t.float16])))

    rng.choice([library, library, library, method, method, layer, environment, environment, python, new_of_tensor,
                of_module_class, library_method, process, module_of_name, deterministic, autocast,
                lambda: STATE.set(grad_enabled=not STATE.mode.grad_enabled),
                lambda: t.set_default_dtype(t.float64), lambda: STATE.set(inference=True, grad_enabled=False)])()
