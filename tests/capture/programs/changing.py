"""What a captured function may read, and ways to change it afterwards. Every case: (call, arguments, change)."""
import collections
import enum
import functools

import torch
from torch import nn

X = torch.arange(4, dtype=torch.float32)
NUMBER = 2
NAMES = ["a", "b"]
TABLE = {"k": 1}
MEMBERS = {1, 2}
CHOSEN = torch.relu


def helper(v):
    return v + 1


def other(v):
    return v - 1


class Settings:
    factor = 2
    table = {"bias": 1}


class Model:
    rate = 3

    def __init__(self):
        self.weight = torch.ones(4)
        self.items = [{"on": True, "v": 1}]
        self.note = "unused"

    @property
    def scaled(self):
        return self.rate * 2

    def apply(self, v):
        return v * self.rate

    def __len__(self):
        return 2


class Child(Model):
    def apply(self, v):
        return super().apply(v) + 1


class Slots:
    __slots__ = ("k",)

    def __init__(self, k):
        self.k = k


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 2)
        self.layers = nn.ModuleList([nn.ReLU(), nn.Identity()])
        self.register_buffer("shift", torch.ones(2))
        self.gain = 2

    def forward(self, x):
        x = self.lin(x)
        for layer in self.layers:
            x = layer(x)
        if self.training:
            x = x * self.gain
        return x + self.shift


class Mode(enum.Enum):
    A = 1
    B = 2


Pair = collections.namedtuple("Pair", "left right")


def reads_number(x):
    return x * NUMBER


def reads_list(x):
    return x * len(NAMES), NAMES[0]


def reads_dict(x):
    return x * TABLE["k"], TABLE.get("q", 5), "z" in TABLE


def iterates_dict(x):
    return [(k, v) for k, v in TABLE.items()], x + 0


def reads_set(x):
    return x * (1 if 1 in MEMBERS else 7)


def calls_helper(x):
    return helper(x)


def calls_chosen(x):
    return CHOSEN(x - 2)


def reads_class(x):
    return x * Settings.factor + Settings.table["bias"]


def uses_model(x, m):
    return m.apply(x) + m.scaled + m.weight, m.items[0]["v"] if m.items[0]["on"] else 0, len(m)


def probes(x, m):
    return x + (1 if hasattr(m, "extra") else 2), getattr(m, "other", 5)


def uses_slots(x, s):
    return x * s.k


def uses_len(x):
    return x * len(NAMES)


def default(x, k=2, *, s=3):
    return x * k + s


def calls_default(x):
    return default(x)


def two_lists(x, a, b):
    a.append(1)
    return x * len(b)


def same(x, a, b):
    return x + 1 if a is b else x - 1


def same_list(x, a, b):
    return x + 1 if a is b else x - 1


def enumerated(x, m):
    return x + 1 if m is Mode.A else x - 1


def typed(x, v):
    return x * v if isinstance(v, int) else x + v


def pairs(x, p):
    return x * p.left + p[1]


def partials(x, f):
    return f(x)


def graded(x):
    return x * 2


def run_net(x, net):
    return net(x)


def make(k):
    def scaled(x):
        return x * k
    return scaled


def through(x, f):
    return f(x)


def counters():
    n = 1

    def get(x):
        return x * n

    def put(v):
        nonlocal n
        n = v
    return get, put


def raised(x, e):
    try:
        raise e
    except ValueError as err:
        return x * err.args[0]
    except KeyError:
        return x - 1


def assign(name, value):
    globals()[name] = value


def fresh(net):
    net.lin.weight = nn.Parameter(torch.ones(2, 4))
    net.lin.bias = nn.Parameter(torch.zeros(2))
    return net
