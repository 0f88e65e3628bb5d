"""Small programs for random changes. `PROGRAMS[name]()` builds a fresh state: (what is called, arguments, keyword arguments).

The file is executed twice, as two separate modules: one world is compiled, the other is plain Python. So a program may keep
state anywhere: in globals, classes, closures, defaults, containers, modules. It must be deterministic.
"""
import collections
import contextvars
import copy
import dataclasses
import enum
import functools
import math
import operator
import os
import typing

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

PROGRAMS = {}


def program(build):
    PROGRAMS[build.__name__] = build
    return build


def ramp(*shape):
    count = math.prod(shape)
    return (torch.arange(float(count)) - 2.5).reshape(shape) if shape else torch.tensor(1.5)


# -- shared material: functions, classes and values that changes may put in other places ------------------------------
def add_one(v):
    return v + 1


def double(v):
    return v * 2


def scaled(v, by=3, *, shift=0):
    return v * by + shift


def with_helper(v):
    return helper(v) - 1


def helper(v):
    return v * GAIN


GAIN = 2
RATE = 0.5
MODE = "add"
FLAG = True
NOTHING = None
WEIGHTS = [1, 2.5, 3]
TABLE = {"a": 1, "b": 2.0, "c": 3}
CHOICES = {"add", "sub"}
ACTIVE = torch.relu


class Mark:
    def __init__(self, name):
        self.name = name


DRAFT = Mark("draft")
FINAL = Mark("final")
LEVEL = contextvars.ContextVar("level", default=1)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2

    @property
    def weight(self):
        return self.value * 10


class Base:
    rate = 2
    table = {"bias": 1}

    def __init__(self, k=3):
        self.k = k
        self.items = [1, 2]

    @property
    def scaled(self):
        return self.k * self.rate

    def apply(self, v):
        return v * self.k + self.rate

    @staticmethod
    def fixed(v):
        return v - 1

    @classmethod
    def made(cls, v):
        return v * cls.rate


class Child(Base):
    extra = 5

    def apply(self, v):
        return super().apply(v) + self.extra


class Cousin(Base):
    rate = 7

    def apply(self, v):
        return v - self.k


class Slotted:
    __slots__ = ("k", "v")

    def __init__(self, k, v=None):
        self.k, self.v = k, v


class Sized:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return i * 2

    def __contains__(self, x):
        return x == self.n

    def __eq__(self, other):
        return isinstance(other, Sized) and other.n == self.n

    def __hash__(self):
        return hash(self.n)


class Money:
    def __init__(self, cents):
        self.cents = cents

    def __add__(self, other):
        return Money(self.cents + other.cents)

    def __mul__(self, other):
        return Money(self.cents * other)

    def __lt__(self, other):
        return self.cents < other.cents

    def __iadd__(self, other):
        self.cents += other.cents
        return self

    def __call__(self, v):
        return v * self.cents

    def __bool__(self):
        return self.cents > 0


class Falls:
    """Attributes that are not there are asked of another object."""

    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.inner, name)


class Described:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner=None):
        return self if obj is None else obj.__dict__["_" + self.name] * 2

    def __set__(self, obj, value):
        obj.__dict__["_" + self.name] = value + 1


class UsesDescribed:
    size = Described()

    def __init__(self):
        self.size = 3


@dataclasses.dataclass
class Options:
    width: int = 2
    eps: float = 0.1
    name: str = "x"
    tags: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Key:
    kind: str
    n: int = 1


class Pair(typing.NamedTuple):
    left: int
    right: float = 0.5

    def total(self):
        return self.left + self.right


class WordList(list):
    pass


class WordDict(dict):
    pass


class Scaled(nn.Module):
    def __init__(self, by=2.0):
        super().__init__()
        self.by = by

    def forward(self, v):
        return v * self.by


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        with torch.no_grad():
            self.lin.weight.copy_(ramp(4, 4) * 0.1)
            self.lin.bias.copy_(ramp(4))
        self.blocks = nn.ModuleList([Scaled(2.0), nn.ReLU()])
        self.named = nn.ModuleDict({"p": Scaled(0.5), "q": nn.Tanh()})
        self.register_buffer("offset", torch.ones(4))
        self.scale = nn.Parameter(torch.full((4,), 1.5))
        self.optional = None
        self.gain = 2.0
        self.calls = 0

    def forward(self, v, extra=None):
        self.calls += 1
        v = self.lin(v) + self.offset
        for block in self.blocks:
            v = block(v)
        if self.optional is not None:
            v = self.optional(v)
        for name, block in self.named.items():
            v = block(v) if name != "skip" else v
        if self.training:
            v = v * self.gain
        if extra is not None:
            v = v + extra
        return v * self.scale


# -- globals, closures, defaults --------------------------------------------------------------------------------------
@program
def globals_of_every_kind():
    def f(v):
        v = helper(v) * RATE
        if FLAG and NOTHING is None:
            v = v + WEIGHTS[0]
        for w in WEIGHTS:
            v = v + w
        if MODE in CHOICES:
            v = ACTIVE(v)
        return v + TABLE["a"] + len(TABLE)
    return f, (ramp(4),)


@program
def closure_of_every_kind():
    low, high, op, box = -1, 2.0, torch.add, [1, 2]

    def inner(v):
        return op(v, high)

    def f(v):
        return inner(v).clamp(low, None) + len(box) * box[0]
    return f, (ramp(4),)


@program
def counter_in_a_cell():
    count, seen = 0, []

    def f(v, note="n"):
        nonlocal count
        count += 1
        seen.append(note)
        return v * count, len(seen)
    return f, (ramp(3),)


@program
def defaults():
    def f(v, k=2, *more, gain=1.5, **named):
        total = v * k + gain
        for m in more:
            total = total + m
        for name in named:
            total = total + len(name) * named[name]
        return scaled(total, shift=k)
    return f, (ramp(4), 3, 4.0), {"gain": 2, "z": 1}


@program
def functions_as_arguments():
    def f(v, g, h, table):
        return table["f"](g(v)) + h(v)
    return f, (ramp(4), add_one, functools.partial(scaled, by=4), {"f": double})


@program
def names_of_functions():
    def wrap(fn):
        @functools.wraps(fn)
        def wrapper(v):
            return fn(v) * len(fn.__name__)
        return wrapper
    one, two = wrap(add_one), wrap(double)

    def f(v):
        return one(v) + two(v) * len(one.__name__) + len(wrapper_doc(two))

    return f, (ramp(4),)


def wrapper_doc(fn):
    return fn.__doc__ or fn.__qualname__


@program
def recursion():
    def power(v, n):
        return v if n == 0 else power(v, n - 1) * 2

    def f(v, n):
        return power(v, n)
    return f, (ramp(3), 2)


# -- objects ----------------------------------------------------------------------------------------------------------
@program
def instance():
    def f(v, o):
        return o.apply(v) * o.scaled + o.items[0] + o.table["bias"] + o.fixed(v) + o.made(v)
    return f, (ramp(4), Base())


@program
def inheritance():
    def f(v, o):
        return o.apply(v)
    return f, (ramp(4), Child(2))


@program
def two_objects():
    def f(v, a, b):
        a.k += 1
        a.items.append(v)
        if a is b:
            return v * 100
        return v * b.k + len(b.items), a.items
    return f, (ramp(4), Base(), Base())


@program
def probing():
    def f(v, o):
        if hasattr(o, "extra"):
            v = v + o.extra
        v = v * getattr(o, "factor", 3)
        try:
            v = v - o.missing
        except AttributeError:
            v = v - 1
        if o:
            v = v + 0.5
        return v + (10 if callable(o) else 0)
    return f, (ramp(4), Base())


@program
def slots():
    def f(v, s):
        s.v = s.k + 1
        return v * s.k + s.v
    return f, (ramp(4), Slotted(2))


@program
def special_methods():
    def f(v, s, m):
        total = v * len(s) + s[1]
        for x in s:
            total = total + x
        if 3 in s:
            total = total + 100
        m2 = m + m
        m += m2
        return m(total) + (m2 * 2).cents + (1 if m2 < m else 0) + (5 if m else 7)
    return f, (ramp(3), Sized(2), Money(3))


@program
def equality():
    def f(v, a, b, c):
        if a == b:
            v = v + 1
        if a is b:
            v = v * 10
        if c != a:
            v = v - 3
        return v
    return f, (ramp(3), Sized(2), Sized(2), Sized(3))


@program
def falls_through():
    def f(v, o):
        return v * o.k + o.rate
    return f, (ramp(3), Falls(Base()))


@program
def descriptors():
    def f(v, o):
        o.size = o.size + 1
        return v * o.size
    return f, (ramp(3), UsesDescribed())


@program
def dataclasses_made_inside():
    def f(v, o, n):
        made = Options(n, name=o.name)
        made.tags.append(o.width)
        return v * made.width + o.eps, made, len(o.tags)
    return f, (ramp(3), Options(3, tags=[1]), 4)


@program
def objects_made_inside():
    def f(v, k):
        o = Child(k)
        o.note = "made"
        return o.apply(v), o
    return f, (ramp(3), 2)


@program
def class_counters():
    def f(v):
        Cousin.rate += 1
        Base.table["bias"] += 2
        return v * Cousin.rate + Child.table["bias"]
    return f, (ramp(3),)


@program
def enums_and_tuples():
    def f(v, c, p):
        left, right = p
        if c is Colour.RED:
            return v * c.weight + left
        return v * c.value + p.total() + right
    return f, (ramp(3), Colour.RED, Pair(2))


@program
def identity_of_objects():
    def f(v, mode, other):
        if mode is DRAFT:
            v = v + 1
        if mode is other:
            v = v * 5
        return v, mode
    return f, (ramp(3), DRAFT, FINAL)


@program
def text_identity():
    def f(v, mode):
        if mode is MODE:
            return v + 1
        return v - 1 if mode == MODE else v
    return f, (ramp(3), MODE)


@program
def types_of_things():
    def f(v, a, b):
        if isinstance(a, int):
            v = v + 1
        if type(a) is type(b):
            v = v + 2
        if isinstance(a, (Base, str)) or isinstance(b, collections.abc.Mapping):
            v = v * 3
        return v + len(type(b).__name__)
    return f, (ramp(3), 1, {"a": 1})


# -- containers -------------------------------------------------------------------------------------------------------
@program
def two_lists():
    def f(v, a, b):
        a.append(1)
        return v * len(b), a
    return f, (ramp(3), [1, 2], [1, 2])


@program
def list_methods():
    def f(v, xs):
        xs.insert(0, xs[-1])
        xs[1] = 5
        last = xs.pop()
        del xs[0:1]
        xs += [last, v]
        return sum(x for x in xs if not torch.is_tensor(x)) * v, sorted(xs[:2])
    return f, (ramp(3), [3, 1, 2])


@program
def two_dicts():
    def f(v, a, b):
        a["new"] = v
        a.setdefault("other", 2)
        b.pop("gone", None)
        return v * len(a) + sum(len(k) for k in b), list(b)
    return f, (ramp(3), {"x": 1}, {"y": 1, "gone": 2})


@program
def dict_reads():
    def f(v, d):
        if "scale" in d:
            v = v * d["scale"]
        v = v + d.get("bias", 1)
        for name, value in d.items():
            v = v * 2 + value + len(name)
        return {**d, "v": v}
    return f, (ramp(3), {"scale": 2, "bias": 0.5})


@program
def object_keys():
    table = {DRAFT: 1, FINAL: 2, Key("a"): 3, add_one: 4, (1, "z"): 5}

    def f(v, a, k, g, n):
        local = {a: 10, g: 20}
        return v * table[a] + table[Key(k)] + table[g] + table.get((n, "z"), 0) + local[g] + local[a]
    return f, (ramp(3), DRAFT, "a", add_one, 1)


@program
def sets():
    def f(v, s, t):
        u = s | t
        if "b" in u:
            v = v + 1
        s.add("z")
        for name in sorted(u):
            v = v + len(name)
        for name in s:
            v = v * 2 + len(name)
        return v * len(s & t), u
    return f, (ramp(3), {"a", "bb"}, {"bb", "c"})


@program
def collections_of_all_kinds():
    def f(v, o, dd, q, c):
        dd["n"] += 1
        q.append(len(o))
        o.move_to_end(next(iter(o)))
        return v * dd["m"] + sum(q) + c["a"], list(o), c.most_common(1)
    return f, (ramp(3), collections.OrderedDict(a=1, b=2), collections.defaultdict(int, m=2),
               collections.deque([1, 2], maxlen=3), collections.Counter("aab"))


@program
def subclasses_of_builtins():
    def f(v, xs, d):
        xs.append(2)
        d["k"] = len(xs)
        return v * len(d) + xs[0]
    return f, (ramp(3), WordList([1]), WordDict(a=1))


@program
def nested():
    def f(v, config):
        layer = config["layers"][1]
        if layer["on"]:
            v = v * layer["w"] + config["shared"].k
        config["layers"][0]["w"] = v.sum()
        return v, config["layers"][0]
    return f, (ramp(3), {"layers": [{"on": True, "w": 2}, {"on": True, "w": 3}], "shared": Base()})


# -- numbers ----------------------------------------------------------------------------------------------------------
@program
def numbers():
    def f(v, i, x, b):
        v = v * i + x
        if b:
            v = v - 1
        if i == 1:
            v = v * 7
        if x == 0:
            v = v + math.copysign(2.0, x) + torch.atan2(v * 0, v * 0 + x)
        return v, i + 1, x / 2, [i, x], b
    return f, (ramp(3), 2, 0.5, True)


@program
def number_branches():
    def f(v, i, x):
        n = min(max(i, 0), 5)
        if x > 1.5:
            v = v.reshape(-1)
        elif x < -1:
            v = v * -1
        for _ in range(n):
            v = v + i // 2
        return v * (i % 3) + math.floor(x) + round(x, 1)
    return f, (ramp(2, 3), 3, 1.0)


@program
def sizes_from_numbers():
    def f(v, n):
        w = torch.zeros(n, 2) + v[:1]
        return w, w.sum(), v[:n].shape[0], torch.cat([v[:n], v])
    return f, (ramp(4, 2), 2)


@program
def text():
    def f(v, name, k):
        label = f"{name}-{k:03d}-{v.shape[0]}"
        return v * len(label), label, name.upper(), name + str(k)
    return f, (ramp(3), "req", 4)


@program
def numpy_things():
    def f(v, scalar, array):
        return v * scalar + torch.from_numpy(array) + float(array[0])
    return f, (ramp(3), np.float32(2.0), np.ones(3, np.float32))


# -- tensors ----------------------------------------------------------------------------------------------------------
@program
def shapes():
    def f(v, w):
        if v.shape[0] == w.shape[0]:
            v = v + w
        if v.dim() == 2 and v.stride(0) == 1:
            v = v * 3
        if v.dtype == torch.float64:
            v = v - 1
        if v.is_contiguous():
            v = v.reshape(-1)
        if w.requires_grad:
            v = v + 10
        return v, w.shape, v.numel() // 2
    return f, (ramp(2, 3), ramp(2, 3))


@program
def in_place():
    def f(v, w):
        v.add_(1)
        w2 = w * 2
        v[0] = w2.sum()
        v.mul_(2)
        return w + v[0], w2, v
    return f, (ramp(4), ramp(4))


@program
def in_place_through_views():
    base = ramp(8)
    pair = [base[:4], ramp(4)]

    def f(i):
        view = pair[0].view(2, 2)
        view[0] += i
        pair[1].copy_(pair[0] * 2)
        view.t_() if i < 0 else view
        return view.sum() + pair[1], base * 1
    return f, (3,)


@program
def same_tensor():
    def f(v, w):
        if v is w:
            return v + 1
        out = [v]
        out.append(v if w is None else w)
        return out, out[0] is out[1], v.view(-1), v.contiguous()
    return f, (ramp(4), ramp(4))


@program
def tensor_attributes():
    def f(v):
        if isinstance(v, nn.Parameter):
            v = v * 5
        if hasattr(v, "tag"):
            v = v * v.tag
        return v * (2 if v.is_leaf else 3) + v.storage_offset(), type(v) is torch.Tensor
    return f, (ramp(3),)


@program
def tensors_in_containers():
    def f(state, xs):
        state["h"] = torch.tanh(state["h"] + xs[0])
        xs[1] = state["h"] * 2
        return {"out": state["h"], "all": list(xs)}
    return f, ({"h": ramp(3)}, [ramp(3), ramp(3)])


@program
def methods_and_operators():
    def f(v):
        return torch.relu(v) + v.abs() - (v @ v) + F.gelu(v) ** 2 + math.sqrt(4.0) + (-v).clamp(min=0) \
            + operator.mul(v, 2) + torch.softmax(v, 0)
    return f, (ramp(4),)


@program
def item_branch():
    def f(v, threshold):
        total = v.sum()
        if total > threshold:
            v = v * 2
        n = int(total.item())
        return v + n, total.item()
    return f, (ramp(4), 1.0)


@program
def grad_modes():
    def f(v, on):
        with torch.set_grad_enabled(on):
            w = v * 2
        with torch.no_grad():
            u = w + 1
        return w, u, torch.is_grad_enabled(), torch.ones(2).dtype
    return f, (ramp(3).requires_grad_(), True)


# -- modules ----------------------------------------------------------------------------------------------------------
@program
def module():
    return Net(), (ramp(2, 4),)


@program
def module_in_eval():
    return Net().eval(), (ramp(2, 4),), {"extra": ramp(4)}


@program
def function_over_modules():
    net, other = nn.Linear(3, 3), Scaled()
    with torch.no_grad():
        net.weight.copy_(ramp(3, 3))
        net.bias.copy_(ramp(3))
    layers = [net, other, nn.Sequential(Scaled(3.0), nn.Sigmoid())]

    def f(v):
        for layer in layers:
            v = layer(v)
        return v, sum(p.numel() for p in net.parameters())
    return f, (ramp(2, 3),)


@program
def module_state():
    class Running(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(3))
            self.steps = 0
            self.cache = {}

        def forward(self, v):
            self.mean.mul_(0.5).add_(v.mean(0))
            self.steps += 1
            self.last = v
            self.cache[self.steps % 2] = v.sum()
            return v - self.mean, self.steps
    return Running(), (ramp(2, 3),)


@program
def wrapped_module():
    class Wrapper(nn.Module):
        def __init__(self, base):
            super().__init__()
            self.base = base

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(super().__getattr__("base"), name)

        def forward(self, v):
            return self.base(v) * self.by
    return Wrapper(Scaled()), (ramp(3),)


@program
def norm_and_dropout():
    net = nn.Sequential(nn.LayerNorm(4), nn.Dropout(0.0), nn.BatchNorm1d(4), nn.GELU()).eval()
    return net, (ramp(3, 4),)


# -- the world around -------------------------------------------------------------------------------------------------
@program
def environment():
    os.environ.pop("GUARDSCOPE_ATTACK", None)

    def f(v):
        return v * len(os.environ.get("GUARDSCOPE_ATTACK", "ab")) + LEVEL.get()
    return f, (ramp(3),)


@program
def breaks_in_the_middle():
    log = []

    def f(v, o, k):
        v = v * o.k
        torch._dynamo.graph_break()
        log.append(k)
        v = v + len(log) + GAIN
        if v.sum() > 0:
            v = o.apply(v)
        return v, log
    return f, (ramp(3), Base(), 1)


@program
def errors():
    def f(v, d, k):
        try:
            w = v * d[k]
        except KeyError as e:
            return v, str(e)
        finally:
            d["n"] = d.get("n", 0) + 1
        if w.shape[0] != 3:
            raise ValueError(f"three rows, not {w.shape[0]}")
        return w
    return f, (ramp(3), {"a": 2}, "a")


@program
def generators():
    def numbers(xs, limit):
        for x in xs:
            if x > limit:
                return
            yield x

    def f(v, xs, limit):
        for x in numbers(xs, limit):
            v = v + x
        return v, [y * GAIN for y in numbers(xs, limit)], {k: i for i, k in enumerate(TABLE)}
    return f, (ramp(3), [1, 2, 3], 2)


@program
def copies():
    def f(v, o):
        p = copy.copy(o)
        p.k = 9
        q = copy.deepcopy(o.items)
        q.append(o.k)
        return v * p.k + o.k, q, p
    return f, (ramp(3), Base())


@program
def bound_methods():
    def f(v, m, call, append):
        append(1)
        return m(v) + call(v)
    box = Base()
    return f, (ramp(3), box.apply, Money(2), box.items.append)


@program
def method_compiled():
    return Child(2).apply, (ramp(3),)


@program
def callable_object():
    return Money(3), (ramp(3),)


@program
def attributes_by_dict():
    def f(v, o):
        for name, value in o.__dict__.items():
            if isinstance(value, int):
                v = v * value + len(name)
        vars(o)["seen"] = 1
        return v
    return f, (ramp(3), Base())


# -- more of the language ---------------------------------------------------------------------------------------------
class Meta(type):
    level = 3

    def __call__(cls, *args):
        made = super().__call__(*args)
        made.counted = True
        return made


class WithMeta(metaclass=Meta):
    def __init__(self, k=2):
        self.k = k


class OnlyGet:
    """A descriptor that does not store."""

    def __init__(self, value):
        self.value = value

    def __get__(self, obj, owner=None):
        return self.value if obj is not None else self


class UsesOnlyGet:
    plain = OnlyGet(4)
    both = 5

    def __init__(self):
        self.own = 2


class Manager:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self.log

    def __exit__(self, kind, value, trace):
        self.log.append("out")
        return kind is ValueError


class Failure(Exception):
    def __init__(self, code, detail="d"):
        super().__init__(code)
        self.code, self.detail = code, detail


class Shape(collections.abc.Sequence):
    def __init__(self, *sides):
        self.sides = sides

    def __len__(self):
        return len(self.sides)

    def __getitem__(self, i):
        return self.sides[i]


@functools.lru_cache(maxsize=None)
def cached(n):
    return n * 2


@functools.singledispatch
def dispatched(x):
    return 1


@dispatched.register
def _(x: int):
    return x + 10


@program
def metaclasses():
    def f(v, k):
        made = WithMeta(k)
        return v * made.k + WithMeta.level + type(made).level, made.counted
    return f, (ramp(3), 2)


@program
def class_descriptors():
    def f(v, o):
        return v * o.plain + o.own + o.both
    return f, (ramp(3), UsesOnlyGet())


@program
def context_managers():
    def f(v, log, bad):
        with Manager(log) as entered:
            entered.append("middle")
            if bad:
                raise ValueError("swallowed")
            v = v + 1
        return v * len(log), log
    return f, (ramp(3), [], False)


@program
def exceptions():
    def inner(k):
        if k > 2:
            raise Failure(k)
        if k < 0:
            raise KeyError("negative")
        return k

    def f(v, k):
        try:
            return v * inner(k)
        except Failure as problem:
            return v + problem.code + len(problem.detail)
        except (KeyError, TypeError) as other:
            return v, type(other).__name__, other.args
        else:
            return v
    return f, (ramp(3), 3)


@program
def patterns():
    def f(v, x):
        match x:
            case {"k": k, **rest}:
                return v * k + len(rest)
            case [first, *others]:
                return v + first + len(others)
            case Base(k=k):
                return v - k
            case int() | float():
                return v / (x or 1)
            case "text" | None:
                return v * 0
            case _:
                return v
    return f, (ramp(3), {"k": 2, "z": 1})


@program
def patterns_of_sequences():
    def f(v, xs):
        match xs:
            case (1, 2):
                return v
            case [a, b, *_]:
                return v * a + b
            case str():
                return v * len(xs)
            case _:
                return v - 1
    return f, (ramp(3), [3, 4, 5])


@program
def dynamic_names():
    names = ["k", "rate"]

    def f(v, o):
        for name in names:
            v = v * getattr(o, name, 2)
        setattr(o, names[0], 7)
        return v + (1 if hasattr(o, names[1] + "s") else 2)
    return f, (ramp(3), Base())


@program
def keys_of_sorting():
    def f(v, objects, words):
        first = min(objects, key=lambda o: o.k)
        order = sorted(words, key=len, reverse=True)
        best = max(words)
        return v * first.k + len(best), order, {w: len(w) for w in words if w not in order[1:]}
    return f, (ramp(3), [Base(4), Child(2), Base(9)], ["bb", "a", "ccc"])


@program
def library_functions():
    def f(v, n):
        total = functools.reduce(operator.add, range(n), 0)
        return v * cached(n) + dispatched(n) + total + math.prod([1, 2, n]) + math.hypot(3.0, n)
    return f, (ramp(3), 3)


@program
def dataclass_tools():
    def f(v, o):
        p = dataclasses.replace(o, width=o.width + 1)
        if p == o:
            v = v + 100
        return v * p.width, dataclasses.asdict(p), [f.name for f in dataclasses.fields(o)]
    return f, (ramp(3), Options())


@program
def interned_keys():
    def f(v, d, k):
        d[k] = d.get(k, 0) + 1
        if k in (1, "a", None):
            v = v + 1
        return v * d[k], {True: "t", 1: "one"}.get(k), k in d, [1.0, True].count(k)
    return f, (ramp(3), {1: 2, "a": 3}, 1)


@program
def abstract_sequences():
    def f(v, s):
        if isinstance(s, collections.abc.Sequence):
            for x in s:
                v = v * x
            return v + len(s), s[-1] if s else None, list(reversed(s))
        return v
    return f, (ramp(3), Shape(2, 3))


@program
def assertions():
    def f(v, k, flags):
        assert v.shape[0] == 3, "rows"
        assert k, flags
        a, *b = flags
        (c, d), e = (a, b), k
        flags[0], flags[-1] = flags[-1], flags[0]
        while k > 0 and flags:
            k -= 1
            v = v + flags[k % len(flags)]
        else:
            v = v * 2
        return v, c, d, e
    return f, (ramp(3), 2, [1, 2, 3])


@program
def iterators_as_arguments():
    def f(v, it, z):
        v = v + next(it, 0)
        for a, b in z:
            v = v * a + b
        return v, list(it)
    return f, (ramp(3), iter([1, 2, 3, 4, 5, 6]), zip([1, 2], [3, 4]))


@program
def modules_of_modules():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = Scaled(2.0), Scaled(3.0)
            self.weight = nn.Parameter(torch.ones(3))
            self.shared = self.a
            self.plain = {"c": Scaled(4.0)}
            self.table = nn.ParameterDict({"p": nn.Parameter(torch.ones(3)), "q": nn.Parameter(torch.zeros(3))})
            self.limits = (0, 1)
            self.register_buffer("maybe", None)
            self.note = torch.ones(3)

        def forward(self, v):
            for name, child in self.named_children():
                if isinstance(child, Scaled):
                    v = child(v) + len(name)
            for p in self.parameters():
                v = v + p
            if self.maybe is not None:
                v = v + self.maybe
            if hasattr(self, "late"):
                v = v + self.late
            return self.plain["c"](v).clamp(*self.limits) + self.table["p"] * self.note
    return Tied(), (ramp(3),)


@program
def layers_by_index():
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3)).eval()
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.ones_like(p) * 0.25)

    def f(v, n):
        v = net[0](v)
        for i, layer in enumerate(net[1:]):
            v = layer(v) * (i + 1)
        if net[0].weight is net[2].weight:
            v = v * 100
        return v, len(net), net[n].training
    return f, (ramp(2, 3), 1)


@program
def hooked():
    net = nn.Sequential(Scaled(2.0), nn.ReLU())
    net[0].register_forward_hook(lambda m, args, out: out + 1)

    def f(v):
        return net(v) + net[0].by
    return f, (ramp(3),)


@program
def settings_of_the_library():
    def f(v):
        if torch.backends.cudnn.benchmark:
            v = v + 1
        if torch.get_default_dtype() is torch.float64:
            v = v * 2
        if torch.is_inference_mode_enabled():
            v = v - 5
        return v + torch.get_num_threads() * 0, torch.tensor([1.0]).dtype
    return f, (ramp(3),)


@program
def compiled_inside():
    inner = torch.compile(double, backend="eager")
    box = Base()

    def f(v):
        return inner(v) + torch.compiler.disable(add_one)(v) * box.k
    return f, (ramp(3),)


@program
def star_arguments():
    def g(*args, scale=1, **rest):
        total = args[0] * scale
        for a in args[1:]:
            total = total + a
        return total + sum(rest.values()) + len(rest)

    def f(v, args, named):
        return g(v, *args, **named), g(*[v], **{"scale": 2, **named})
    return f, (ramp(3), (1, 2), {"z": 4})


@program
def class_made_inside():
    def f(v, k):
        class Local(Base):
            rate = k

            def apply(self, x):
                return super().apply(x) * k
        return Local(2).apply(v)
    return f, (ramp(3), 3)


def net_of(*widths):
    torch.manual_seed(3)
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


@program
def partly_without_gradient():
    def f(v, w, flag):
        with torch.set_grad_enabled(flag):
            y = v * w
        with torch.no_grad():
            z = v * w + 1
        kept = y + z.detach() + w.data
        return kept, y.requires_grad, z.requires_grad, kept.is_leaf, kept.grad_fn is None
    return f, (ramp(3).requires_grad_(), ramp(3), True)


@program
def frozen_parts():
    net = net_of(3, 3, 2)

    def f(v, k):
        for i, p in enumerate(net.parameters()):
            p.requires_grad_(i >= k)
        out = net(v)
        return out, [p.requires_grad for p in net.parameters()], out.requires_grad
    return f, (ramp(2, 3), 2)


@program
def moving_average():
    net, slow = net_of(2, 2), net_of(2, 2)

    def f(x, rate):
        y = net(x)
        with torch.no_grad():
            for p, q in zip(net.parameters(), slow.parameters()):
                q.mul_(rate).add_(p, alpha=1 - rate)
            for (n, p), (_, q) in zip(net.named_buffers(), slow.named_buffers()):
                q.copy_(p)
        return y, slow(x).detach()
    return f, (ramp(2, 2), 0.5)


@program
def norm_and_dropout():
    torch.manual_seed(3)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(0.5), nn.LayerNorm(4))

    def f(v):
        return net(v).sum() if FLAG else net(v).mean()
    return f, (ramp(4, 3),)


@program
def in_place_with_gradient():
    def f(v, w):
        y = v * 2
        y[0] = w[0]
        y.mul_(w)
        view = y[1:]
        view += v[1:]
        return y.sum(), view
    return f, (ramp(3).requires_grad_(), ramp(3).requires_grad_())


@program
def penalty_while_training():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Scaled(2.0)
            self.by = nn.Parameter(torch.ones(3))
            self.penalty = 0.0

        def forward(self, v):
            out = self.inner(v) * self.by
            if self.training and self.penalty:
                out = out + self.penalty * self.by.abs()
            return out
    return Model(), (ramp(3),)
