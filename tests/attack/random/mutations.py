"""Random changes of what a program can see: another value in a slot, a changed object, a changed class, other modes.

A change is (kind, path, seed): every choice comes from the seed and from lists that are alike in both worlds, so the same
change can be made in each of them, and again when a failure is repeated.
"""

from __future__ import annotations

import array
import collections
import contextlib
import contextvars
import copy
import enum
import functools
import random
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from guardscope.core.tensor.tensor import Tensor

from .places import Place, View, builtin_names
from .world import World, is_program


class Impossible(Exception):
    """This change cannot be made here."""


Rng = random.Random


def torch() -> Any:
    import torch as api

    return api


# -- other values -----------------------------------------------------------------------------------------------------
def near(rng: Rng, value: Any, view: View) -> Any:
    """A value that resembles `value`, or is the very same as another visible one, or is of quite another kind."""
    others = view.like(value)
    dice = rng.random()
    if others and dice < 0.25:
        return rng.choice(others)
    if dice > 0.94:
        return rng.choice([None, 0, True, 1.0, "x", [], {}, (), torch().ones(3), lambda *a, **k: 5])
    for kind, rule in NEAR:
        if isinstance(value, kind):
            return rule(rng, value, view)
    return other_object(rng, value, view)


class Text(str):
    """A str that is not exactly a str."""


class Number(int):
    """An int that is not exactly an int."""


def near_bool(rng: Rng, v: bool, view: View) -> Any:
    return rng.choice([not v, int(v), float(v), np.bool_(v), None])


def near_int(rng: Rng, v: int, view: View) -> Any:
    return rng.choice([v + 1, v - 1, -v, 0, 1, 2, v * 7 + 1, float(v), v + 0.5, v == 1, Number(v), np.int64(v), 2**62,
                       2**65, str(v), torch().tensor(v)])


def near_float(rng: Rng, v: float, view: View) -> Any:
    return rng.choice([v + 0.5, -v, 0.0, -0.0, 1.0, float("nan"), float("inf"), 1e30, 1e-40, v * 1.25, int(v) if v == v and
                       abs(v) < 1e9 else 1, np.float64(v), np.float32(v), torch().tensor(v)])


def near_text(rng: Rng, v: str, view: View) -> Any:
    return rng.choice([v + "x", v[::-1] + "q", v.upper(), "", "".join(list(v)), Text(v), v.encode(),
                       rng.choice([*view.names, v])])


def near_none(rng: Rng, v: None, view: View) -> Any:
    return rng.choice([0, False, "", [], view.world.module.double, torch().ones(3)])


def near_tensor(rng: Rng, v: Any, view: View) -> Any:
    t = torch()
    with t.no_grad():
        others = view.like(v)
        choices: list[Callable[[], Any]] = [
            lambda: v + 1, lambda: v.clone(), lambda: v.detach(), lambda: v.double(), lambda: v.half(), lambda: v.long(),
            lambda: v > 0, lambda: t.cat([v, v]) if v.dim() else v, lambda: v[:1] if v.dim() else v,
            lambda: v[:0] if v.dim() else v, lambda: v.unsqueeze(0), lambda: v.flatten(), lambda: v.reshape(-1)[:1].expand(4),
            lambda: v.t().contiguous().t() if v.dim() == 2 else t.stack([v, v], -1)[..., 0],
            lambda: v.detach().clone().requires_grad_(not v.requires_grad) if v.dtype.is_floating_point else v,
            lambda: t.nn.Parameter(v.detach().clone(), requires_grad=rng.random() < 0.5), lambda: v * float("nan"),
            lambda: v[1:] if v.dim() and v.shape[0] > 1 else v, lambda: v.detach().view(v.shape),
            lambda: np.asarray(v.detach()),
        ]
        if others:
            o = rng.choice(others)
            choices += [lambda: o, lambda: o.detach(), lambda: o.flatten()[: max(1, v.numel())], lambda: o.detach()[..., :1]]
        return rng.choice(choices)()


def near_list(rng: Rng, v: Any, view: View) -> Any:
    return rng.choice([list(v), tuple(v), list(v)[::-1], [*v, 1], list(v)[1:], [], collections.deque(v),
                       view.world.module.WordList(v), copy.copy(v)])


def near_dict(rng: Rng, v: Any, view: View) -> Any:
    pairs = list((collections.OrderedDict if isinstance(v, collections.OrderedDict) else dict).items(v))
    return rng.choice([dict(pairs), dict(pairs[::-1]), dict(pairs[1:]), {**dict(pairs), "extra": 1},
                       collections.OrderedDict(pairs), collections.defaultdict(int, pairs),
                       view.world.module.WordDict(pairs), {}, copy.copy(v)])


def near_set(rng: Rng, v: Any, view: View) -> Any:
    return rng.choice([set(v), frozenset(v), set(v) | {"new"}, set(sorted(v, key=str)[1:]), list(v),
                       {*reversed(list(v))}])


def near_tuple(rng: Rng, v: Any, view: View) -> Any:
    return rng.choice([tuple(v), list(v), (*v, 1), tuple(v)[1:], view.world.module.Pair(2, 0.5), view.world.module.Pair(3)])


def near_function(rng: Rng, v: Any, view: View) -> Any:
    m = view.world.module
    pool = [m.add_one, m.double, m.scaled, m.with_helper, m.torch.relu, m.torch.tanh, m.Base(2).apply, m.Money(2),
            m.functools.partial(m.scaled, by=2),
            m.torch.Tensor.abs]
    if isinstance(v, types.FunctionType):
        again = types.FunctionType(v.__code__, v.__globals__, v.__name__, v.__defaults__, v.__closure__)
        again.__kwdefaults__ = v.__kwdefaults__
        renamed = types.FunctionType(v.__code__, v.__globals__, "renamed", v.__defaults__, v.__closure__)
        renamed.__kwdefaults__ = v.__kwdefaults__
        elsewhere = types.FunctionType(v.__code__, {**v.__globals__, "GAIN": 11, "TABLE": {"q": 4}, "MODE": "sub"}, v.__name__,
                                       v.__defaults__, v.__closure__)
        elsewhere.__kwdefaults__ = v.__kwdefaults__
        pool += [again, renamed, elsewhere] * 2
    return rng.choice(pool)


def near_class(rng: Rng, v: type, view: View) -> Any:
    m = view.world.module
    return rng.choice([m.Base, m.Child, m.Cousin, m.Options, m.Slotted, int, list])


def near_descriptor(rng: Rng, v: Any, view: View) -> Any:
    return rng.choice([property(lambda self: 6), 3, staticmethod(lambda v: v * 5), classmethod(lambda cls, v: v - 9),
                       lambda self, *a: 8])


def other_object(rng: Rng, v: Any, view: View) -> Any:
    m = view.world.module
    if isinstance(v, m.enum.Enum):
        return rng.choice([m.Colour.RED, m.Colour.BLUE, 1, *type(v)])
    if isinstance(v, np.ndarray | np.generic):
        a = np.asarray(v)
        return rng.choice([a + 1, a.astype(np.float64), np.float32(1.5), np.arange(3.0), a[..., None], 2.0,
                           torch().ones(3), np.ones(3, np.float32)[::-1]])
    if isinstance(v, range | slice | bytes | bytearray | complex):
        return rng.choice([range(2), range(1, 4), slice(1, 2), slice(None, 2), b"abc", bytearray(b"z"), 3 + 1j, 3, [0, 1]])
    if isinstance(v, functools.partial) and rng.random() < 0.7:
        return rng.choice([m.functools.partial(m.scaled, by=5), m.functools.partial(m.scaled, 2), m.functools.partial(m.double),
                           m.functools.partial(m.scaled, shift=1), m.functools.partial(m.torch.relu)])
    if hasattr(type(v), "_guardscope_module"):
        return rng.choice([m.Scaled(3.0), m.nn.ReLU(), m.nn.Identity(), m.nn.Tanh(), m.Net(), copy.deepcopy(v),
                           m.nn.Sequential(m.Scaled(1.5)), None])
    choices: list[Callable[[], Any]] = [m.Base, lambda: m.Base(4), m.Child, m.Cousin, lambda: m.Sized(3), lambda: m.Money(5),
                                        lambda: m.Slotted(4), m.Options, lambda: m.DRAFT, lambda: m.FINAL]
    with contextlib.suppress(Exception):
        twin = copy.copy(v)
        choices += [lambda: twin] * 4
    return rng.choice(choices)()


NEAR: list[tuple[Any, Callable[..., Any]]] = [
    (bool, near_bool), (int, near_int), (float, near_float), (str, near_text), (type(None), near_none), (Tensor, near_tensor),
    (tuple, near_tuple), (list | collections.deque, near_list), (dict, near_dict), (set | frozenset, near_set),
    (types.FunctionType | types.BuiltinFunctionType | types.MethodType, near_function), (type, near_class),
    (property | staticmethod | classmethod, near_descriptor)]


# -- changes ----------------------------------------------------------------------------------------------------------
def replace(rng: Rng, place: Place, view: View) -> None:
    if place.put is None:
        raise Impossible
    place.put(near(rng, place.value, view))


def drop(rng: Rng, place: Place, view: View) -> None:
    if place.drop is None:
        raise Impossible
    place.drop()


def swap(rng: Rng, place: Place, view: View) -> None:
    others = [p for p in view.places if p.put is not None and type(p.value) is type(place.value) and p.path != place.path]
    if not others or place.put is None:
        raise Impossible
    other = rng.choice(others)
    assert other.put is not None
    value = other.value
    other.put(place.value)
    place.put(value)


OTHERS = (np.ndarray, collections.UserDict, collections.UserList, random.Random, functools.partial, types.ModuleType,
          threading.local, bytearray)


def change(rng: Rng, place: Place, view: View) -> None:
    """Change the object itself."""
    v = place.value
    if isinstance(v, enum.EnumMeta):
        raise Impossible
    if isinstance(v, enum.Enum):
        change_enum(rng, v, view)
    elif isinstance(v, OTHERS) or hasattr(type(v), "__next__") or isinstance(v, array.array):
        change_other(rng, v, view)
    elif isinstance(v, contextvars.ContextVar):
        v.set(rng.choice([2, 3.5, None]))
    elif isinstance(v, Tensor):
        change_tensor(rng, v, view)
    elif isinstance(v, dict):
        change_dict(rng, v, view)
    elif isinstance(v, list | collections.deque):
        change_list(rng, v, view)
    elif isinstance(v, set):
        rng.choice([lambda: v.add("new"), lambda: v.clear(), lambda: v.discard(sorted(v, key=str)[0] if v else 0)])()
    elif isinstance(v, types.FunctionType):
        change_function(rng, v, view)
    elif isinstance(v, type):
        change_class(rng, v, view)
    elif hasattr(type(v), "_guardscope_module"):
        rng.choice([change_module, change_module, change_object, lambda r, o, w: change_class(r, type(o), w)])(rng, v, view)
    elif type(v).__module__.startswith("attack_"):
        rng.choice([change_object, lambda r, o, w: change_class(r, type(o), w)])(rng, v, view)
    elif isinstance(v, types.MethodType):
        change(rng, Place("", rng.choice([v.__self__, v.__func__])), view)
    else:
        raise Impossible


def change_enum(rng: Rng, v: Any, view: View) -> None:
    def value() -> None:
        v._value_ = rng.choice([7, 2.5])

    def attribute() -> None:
        setattr(v, rng.choice(["extra", "k", "rate"]), rng.choice([4, 2.5]))

    def of_class() -> None:
        setattr(type(v), rng.choice(["weight", "extra", "rate", "__str__", "__eq__", "__hash__", "__bool__"]),
                rng.choice([property(lambda self: 9), lambda self, *a: 5, lambda self, *a: True]))

    rng.choice([value, attribute, of_class])()


def change_other(rng: Rng, v: Any, view: View) -> None:
    """Objects of the standard library and arrays."""
    if isinstance(v, np.ndarray):
        rng.choice([lambda: v.fill(3), lambda: v.__iadd__(1), lambda: v.sort(), lambda: v.resize(v.size, refcheck=False)])()
    elif isinstance(v, collections.UserDict):
        v[rng.choice(["k", "z"])] = 4
    elif isinstance(v, collections.UserList | bytearray | array.array):
        rng.choice([lambda: v.append(7), lambda: v.reverse(), lambda: v.pop()])()
    elif isinstance(v, random.Random):
        rng.choice([lambda: v.seed(9), v.random])()
    elif isinstance(v, functools.partial):
        held: Any = v
        rng.choice([lambda: held.__setstate__((held.func, (*held.args, 2), held.keywords, None)),
                    lambda: setattr(held, "note", 3),
                    lambda: held.keywords.update(shift=2), lambda: held.keywords.clear(),
                    lambda: held.__setstate__((view.world.module.double, held.args, held.keywords, None))])()
    elif hasattr(type(v), "__next__"):
        next(v, None)
    elif isinstance(v, threading.local) or v.__name__ == "attack_config":
        name = rng.choice(["rate", "k", "scale", "late", "__getattr__"])
        setattr(v, name, rng.choice([5, 2.5]) if name != "__getattr__" else lambda n: 8)
    else:
        raise Impossible


def change_arguments(rng: Rng, world: World) -> None:
    """Another way of passing: fewer or more arguments, by position or by name, one object twice."""
    function = world.target
    try:
        function = getattr(function, "__func__", getattr(type(function), "forward", function))
    except Exception:                                  # another change made code of it that fails
        raise Impossible from None
    code = getattr(function, "__code__", None)
    names = code.co_varnames[:code.co_argcount] if code is not None else ()
    names = names[1:] if not isinstance(world.target, types.FunctionType) else names

    def fewer() -> None:
        if len(world.args) > 1:
            world.args.pop()

    def by_name() -> None:
        if 1 < len(world.args) <= len(names):
            world.kwargs[names[len(world.args) - 1]] = world.args.pop()

    def by_place() -> None:
        name = names[len(world.args)] if len(world.args) < len(names) else ""
        if name in world.kwargs:
            world.args.append(world.kwargs.pop(name))

    def twice() -> None:
        i, j = rng.randrange(len(world.args)), rng.randrange(len(world.args))
        world.args[i] = world.args[j]

    def reorder() -> None:
        pairs = list(world.kwargs.items())
        world.kwargs.clear()
        world.kwargs.update(pairs[::-1])

    if not world.args:
        raise Impossible
    rng.choice([fewer, by_name, by_name, by_place, twice, twice, reorder, lambda: world.args.append(4),
                lambda: world.kwargs.update(other=2)])()


def change_tensor(rng: Rng, v: Any, view: View) -> None:
    t = torch()

    def data() -> None:
        v.data = rng.choice([v.detach() + 1, v.detach().double(), v.detach().flatten(), t.ones(3)])

    def tag() -> None:
        v.tag = rng.choice([2, 3.0])

    def same_memory() -> None:
        others = [o for o in view.like(v) if o.dtype is v.dtype]
        if others:
            v.data = rng.choice(others).detach()

    def hook() -> None:
        if v.requires_grad:
            v.register_hook(lambda g: g * 2)

    def strided() -> None:
        if v.numel() >= 2:
            v.data = rng.choice([v.detach().flatten()[1:], v.detach().flatten()[::2], v.detach().flatten()[:1].expand(3)])

    with t.no_grad():
        rng.choice([same_memory, hook, strided, lambda: t._dynamo.mark_static(v), lambda: v.add_(1), data, tag,
                    lambda: v.requires_grad_(not v.requires_grad), lambda: v.unsqueeze_(0),
                    lambda: t._dynamo.maybe_mark_dynamic(v, 0), lambda: v.zero_(), lambda: v.t_() if v.dim() <= 2 else v])()


def change_dict(rng: Rng, v: dict, view: View) -> None:
    def rotate() -> None:
        if v:
            k = next(iter(v))
            v[k] = v.pop(k)

    def grow() -> None:
        v[rng.choice(["extra", "z", "n", "skip", "bias", "scale", *list(view.names)[:6]])] = rng.choice([1, 2.5, True])

    rng.choice([rotate, grow, grow, v.clear, lambda: v.popitem() if v else None])()


def change_list(rng: Rng, v: Any, view: View) -> None:
    rng.choice([lambda: v.append(rng.choice([1, 2.0, *v])), lambda: v.reverse(), v.clear, lambda: v.pop() if v else None,
                lambda: v.extend(list(v)), lambda: v.insert(0, 3)])()


def change_function(rng: Rng, f: Any, view: View) -> None:
    m = view.world.module
    if not is_program(f.__code__.co_filename):
        raise Impossible
    donors = [d for d in (m.add_one, m.double, m.scaled, m.with_helper, m.helper) if len(d.__code__.co_freevars) == len(
        f.__code__.co_freevars)]

    def code() -> None:
        if donors:
            f.__code__ = rng.choice(donors).__code__

    def defaults() -> None:
        f.__defaults__ = rng.choice([None, (5,), (5, 6), ()])

    def keyword_defaults() -> None:
        f.__kwdefaults__ = rng.choice([None, {"shift": 4}, {"shift": 1.5, "gain": 3}, {}])

    def name() -> None:
        f.__name__ = rng.choice(["other", "longer_name"])

    def attribute() -> None:
        setattr(f, rng.choice(["note", "k", "rate", "level", "__wrapped__"]), 1)

    def constants() -> None:
        held = tuple(c + 1 if type(c) in (int, float) else c for c in f.__code__.co_consts)
        f.__code__ = f.__code__.replace(co_consts=held)

    def text() -> None:
        f.__doc__ = rng.choice([None, "other", "words"])
        f.__qualname__ = rng.choice(["other", "a.b"])

    rng.choice([code, code, defaults, keyword_defaults, name, attribute, constants, text])()


def change_object(rng: Rng, v: Any, view: View) -> None:
    m = view.world.module

    def other_class() -> None:
        v.__class__ = rng.choice([m.Base, m.Child, m.Cousin, m.Sized, m.Money, m.Scaled, m.Net, m.nn.Identity])

    def attribute() -> None:
        name = rng.choice([n for n in view.names if not n.startswith("__")] or ["k"])
        setattr(v, name, rng.choice([4, 2.5, True, lambda *a: 3, torch().ones(1), None]))

    def raw() -> None:
        name = rng.choice([n for n in view.names if not n.startswith("__")] or ["k"])
        vars(v)[name] = rng.choice([4, 2.5, lambda *a: 3, torch().ones(1)])

    def remove() -> None:
        names = sorted(n for n in vars(v) if not n.startswith("_"))
        if names:
            delattr(v, rng.choice(names))

    def reorder() -> None:
        pairs = list(vars(v).items())
        vars(v).clear()
        vars(v).update(pairs[::-1])

    rng.choice([other_class, attribute, attribute, raw, remove, reorder])()


METHODS: dict[str, list[Any]] = {
    "__len__": [lambda self: 0, lambda self: 3], "__bool__": [lambda self: False, lambda self: True],
    "__getattr__": [lambda self, name: raise_attribute(name), lambda self, name: 3],
    "__getattribute__": [lambda self, name: 4 if name == "k" else object.__getattribute__(self, name)],
    "__setattr__": [lambda self, name, value: object.__setattr__(self, name, value if isinstance(value, bool) else 1)],
    "__eq__": [lambda self, other: True, lambda self, other: False], "__hash__": [lambda self: 1, None],
    "__call__": [lambda self, *a, **k: 6], "__contains__": [lambda self, x: True],
    "__iter__": [lambda self: iter([1, 2])], "__getitem__": [lambda self, i: 5 if i < 2 else raise_index()],
    "__add__": [lambda self, other: self], "__radd__": [lambda self, other: other], "__mul__": [lambda self, other: self],
    "__rmul__": [lambda self, other: other], "__lt__": [lambda self, other: True], "__iadd__": [lambda self, other: self],
    "__init__": [lambda self, *a, **k: self.__dict__.update(k=1, items=[])], "__post_init__": [lambda self: None],
    "__delattr__": [lambda self, name: None], "__str__": [lambda self: "text"], "__index__": [lambda self: 1],
    "__int__": [lambda self: 2], "__float__": [lambda self: 2.5], "__neg__": [lambda self: 3],
    "__format__": [lambda self, how: "f"],
    "__next__": [lambda self: 4], "__missing__": [lambda self, key: 6], "__enter__": [lambda self: [1]],
    "__exit__": [lambda self, *a: True, lambda self, *a: None], "__round__": [lambda self, *a: 2],
    "__dir__": [lambda self: ["k"]],
    "__reversed__": [lambda self: iter([5])], "__set_name__": [lambda self, *a: None], "__get__": [lambda self, *a: 3],
    "__set__": [lambda self, *a: None], "__new__": [lambda cls, *a, **k: object.__new__(cls)], "__repr__": [lambda self: "r"],
    "__instancecheck__": [lambda cls, x: True, lambda cls, x: False], "__delitem__": [lambda self, i: None],
    "__or__": [lambda self, o: 4],
    "__setitem__": [lambda self, i, x: None], "__matmul__": [lambda self, o: 4], "__copy__": [lambda self: self],
    "__deepcopy__": [lambda self, memo: self], "__torch_function__": [classmethod(lambda cls, *a, **k: 5)],
    "__abs__": [lambda self: 4], "__class_getitem__": [classmethod(lambda cls, i: cls)], "__length_hint__": [lambda self: 2]}


def raise_attribute(name: str) -> Any:
    raise AttributeError(name)


def raise_index() -> Any:
    raise IndexError


class Data:
    """A data descriptor."""

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return 9

    def __set__(self, obj: Any, value: Any) -> None:
        pass


def change_class(rng: Rng, cls: type, view: View) -> None:
    m = view.world.module
    own = cls.__module__.startswith("attack_")
    if not own:
        raise Impossible

    def special() -> None:
        name = rng.choice(list(METHODS))
        setattr(cls, name, rng.choice(METHODS[name]))

    def attribute() -> None:
        name = rng.choice([n for n in view.names if not n.startswith("__")] or ["k"])
        setattr(cls, name, rng.choice([property(lambda self: 12), 4, Data(), lambda self, *a: 7, staticmethod(lambda *a: 2)]))

    def bases() -> None:
        if cls in (m.Child, m.Cousin):
            cls.__bases__ = (rng.choice([m.Base, m.Cousin if cls is m.Child else m.Base, m.Money]),)

    def remove() -> None:
        names = sorted(n for n in vars(cls) if not n.startswith("__"))
        if names:
            delattr(cls, rng.choice(names))

    def meta() -> None:
        if type(cls) is not type and type(cls).__module__.startswith("attack_"):
            setattr(type(cls), rng.choice(["rate", "k", "level", "__call__", "__instancecheck__", "__getattr__", "__len__"]),
                    rng.choice([lambda self, *a: 4, property(lambda self: 8), lambda self, *a: True]))

    def other_meta() -> None:
        if type(cls) is type:
            cls.__class__ = m.Meta

    def name() -> None:
        cls.__name__ = rng.choice(["Other", "N"])

    rng.choice([special, special, special, attribute, attribute, attribute, bases, remove, meta, other_meta, name])()


def change_module(rng: Rng, v: Any, view: View) -> None:
    m, t = view.world.module, torch()

    def child() -> None:
        names = list(v._modules)
        name = rng.choice([*names, "extra", "optional"])
        setattr(v, name, rng.choice([m.Scaled(4.0), m.nn.Tanh(), m.nn.Identity()]))

    def parameter() -> None:
        for name in list(v._parameters)[:1]:
            p = v._parameters[name]
            if p is not None:
                setattr(v, name, t.nn.Parameter(rng.choice([p.detach() * 2, p.detach().double(), p.detach()[:1]])))

    def raw_parameters() -> None:
        store = rng.choice(["_parameters", "_buffers", "_modules"])
        held = dict(vars(v)[store])
        vars(v)[store] = {k: x.double() if rng.random() < 0.5 and isinstance(x, Tensor) else x for k, x in held.items()}

    def exchanged_stores() -> None:
        other: Any = object.__new__(type(v))
        t.nn.Module.__init__(other)
        for k, x in v._parameters.items():
            other._parameters[k] = None if x is None else t.nn.Parameter(x.detach().double())
        vars(v)["_parameters"] = other._parameters

    def forward() -> None:
        v.forward = rng.choice([lambda x, *a, **k: x * 3, m.double])

    def hook() -> None:
        rng.choice([lambda: v.register_forward_hook(lambda mod, args, out: out * 2 if isinstance(out, Tensor) else out),
                    lambda: v.register_forward_pre_hook(lambda mod, args: (args[0] + 1, *args[1:]))])()

    def order() -> None:
        pairs = list(v._modules.items())
        v._modules.clear()
        for k, x in pairs[::-1]:
            v._modules[k] = x

    def unhook() -> None:
        for store in (v._forward_hooks, v._forward_pre_hooks):
            if store:
                store.popitem()

    def share() -> None:
        modules = [p.value for p in view.places if hasattr(type(p.value), "_guardscope_module") and p.value is not v]
        for name in list(v._modules)[:1]:
            if modules:
                setattr(v, name, rng.choice(modules))

    def tie() -> None:
        params = list(v.parameters())
        for name in list(v._parameters)[-1:]:
            if params and v._parameters[name] is not None:
                setattr(v, name, params[0])

    def freeze() -> None:
        for p in list(v.parameters())[:1]:
            p.requires_grad_(not p.requires_grad)

    def in_place() -> None:
        with t.no_grad():
            for p in list(v.parameters())[:1]:
                rng.choice([lambda: p.add_(1), lambda: setattr(p, "data", p.detach() * 2),
                            lambda: setattr(p, "data", p.detach()[:1])])()

    def by_register() -> None:
        v.register_buffer(rng.choice(["offset", "extra", "scale2"]), t.full((4,), 3.0))

    rng.choice([child, parameter, raw_parameters, exchanged_stores, forward, hook, order, by_register, unhook, share, tie,
                freeze, in_place,
                lambda: v.apply(lambda child: child.train(rng.random() < 0.5)), lambda: v.load_state_dict({}, strict=False),
                lambda: v.train(not v.training), lambda: v.double(), lambda: v.half(), lambda: v.requires_grad_(False),
                lambda: v.add_module("more", m.Scaled())])()


def shadow(rng: Rng, place: Place, view: View) -> None:
    """A global name that hides one of Python's own."""
    names = builtin_names(view)
    if not names:
        raise Impossible
    name = rng.choice(names)
    vars(view.world.module)[name] = rng.choice([lambda *a, **k: 3, 5])


CHANGES: dict[str, Callable[[Rng, Place, View], None]] = {"replace": replace, "drop": drop, "swap": swap, "change": change,
                                                          "shadow": shadow}
