"""Programs and what is changed between two calls: each entry of CASES is (name, setup). `setup()` returns (function, arguments,
change): after the first compiled call `change()` runs, and every later call must equal plain Python."""

import math
import os

import torch
from torch import nn

CASES = []


def case(setup):
    CASES.append((setup.__name__, setup))
    return setup


X = torch.arange(6.0)
SCALE = 2
TABLE = {"a": 1, "b": 2}
NAMES = ["x", "y"]


def helper(v):
    return v + 1


def other(v):
    return v - 1


class Box:
    factor = 3
    size = property(lambda self: 2)

    def __init__(self):
        self.k = 4
        self.items = [1, 2]
        self.inner = None

    def apply(self, v):
        return v * self.k * self.factor


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(6, 6)
        self.act = nn.ReLU()
        self.blocks = nn.ModuleList([nn.Tanh(), nn.Sigmoid()])
        self.register_buffer("offset", torch.ones(6))
        self.gain = 2.0

    def forward(self, v):
        v = self.act(self.lin(v)) + self.offset
        for block in self.blocks:
            v = block(v)
        return v * self.gain if self.training else v


def of_globals(function, change):
    return function, (X,), change


@case
def global_number():
    globals()["SCALE"] = 2
    return of_globals(lambda v: v * SCALE, lambda: globals().__setitem__("SCALE", 5))


@case
def global_type_bool_for_int():
    globals()["SCALE"] = 1
    return of_globals(lambda v: v * 10 if SCALE is True else v * SCALE, lambda: globals().__setitem__("SCALE", True))


@case
def global_function_replaced():
    globals()["helper2"] = helper
    return of_globals(lambda v: helper2(v) * 2, lambda: globals().__setitem__("helper2", other))  # noqa: F821


@case
def function_code_replaced():
    def local(v):
        return v + 10
    return (lambda v: local(v)), (X,), lambda: setattr(local, "__code__", other.__code__)


@case
def function_defaults_replaced():
    def local(v, by=1):
        return v + by
    return (lambda v: local(v)), (X,), lambda: setattr(local, "__defaults__", (7,))


@case
def function_kwdefaults_replaced():
    def local(v, *, by=1):
        return v + by
    return (lambda v: local(v)), (X,), lambda: setattr(local, "__kwdefaults__", {"by": 9})


@case
def dict_value():
    table = dict(TABLE)
    return (lambda v: v * table["a"] + table["b"]), (X,), lambda: table.update(a=9)


@case
def dict_order():
    table = {"p": 1.5, "q": 2.5}
    def f(v):
        for name in table:
            v = v * 2 + table[name]
        return v
    def change():
        p = table.pop("p")
        table["p"] = p
    return f, (X,), change


@case
def dict_key_appears():
    table = {"p": 1}
    return (lambda v: v + 100 if "z" in table else v), (X,), lambda: table.update(z=1)


@case
def list_grows():
    items = [1, 2]
    def f(v):
        for i in items:
            v = v + i
        return v
    return f, (X,), lambda: items.append(40)


@case
def list_item_type():
    items = [1]
    return (lambda v: v * items[0]), (X,), lambda: items.__setitem__(0, 1.5)


@case
def closure_cell():
    k = 2
    def change():
        nonlocal k
        k = 3
    return (lambda v: v * k), (X,), change


@case
def closure_function():
    op = torch.add
    def change():
        nonlocal op
        op = torch.mul
    return (lambda v: op(v, v)), (X,), change


@case
def instance_attribute():
    box = Box()
    return (lambda v: box.apply(v)), (X,), lambda: setattr(box, "k", 6)


@case
def class_attribute():
    class Local(Box):
        factor = 5
    box = Local()
    return (lambda v: box.apply(v)), (X,), lambda: setattr(Local, "factor", 7)


@case
def instance_shadows_class_attribute():
    box = Box()
    return (lambda v: box.apply(v)), (X,), lambda: setattr(box, "factor", 11)


@case
def method_replaced_on_class():
    class Local(Box):
        def apply(self, v):
            return v - 5
    box = Local()
    return (lambda v: box.apply(v)), (X,), lambda: setattr(Local, "apply", lambda self, v: v * 100)


@case
def method_shadowed_on_instance():
    box = Box()
    return (lambda v: box.apply(v)), (X,), lambda: setattr(box, "apply", lambda v: v * 1000)


@case
def property_appears_over_instance_attribute():
    class Local:
        def __init__(self):
            self.k = 4
    box = Local()
    return (lambda v: v * box.k), (X,), lambda: setattr(Local, "k", property(lambda self: 50))


@case
def class_of_instance_changed():
    class Left:
        def go(self, v):
            return v + 1
    class Right:
        def go(self, v):
            return v + 2
    box = Left()
    return (lambda v: box.go(v)), (X,), lambda: setattr(box, "__class__", Right)


@case
def getattr_appears():
    class Local:
        pass
    box = Local()
    def change():
        Local.__getattr__ = lambda self, name: 12
    return (lambda v: v * getattr(box, "missing", 3)), (X,), change


@case
def special_method_appears():
    class Local:
        pass
    box = Local()
    def change():
        Local.__bool__ = lambda self: False
    return (lambda v: v + 1 if box else v - 1), (X,), change


@case
def identity():
    one, two = object(), object()
    holder = [one]
    return (lambda v: v + 1 if holder[0] is one else v - 1), (X,), lambda: holder.__setitem__(0, two)


@case
def math_function_replaced():
    class fake_math:
        sqrt = staticmethod(math.sqrt)
    return (lambda v: v * fake_math.sqrt(4)), (X,), lambda: setattr(fake_math, "sqrt", staticmethod(lambda n: 100.0))


@case
def environment_variable():
    os.environ["GUARDSCOPE_ATTACK"] = "1"
    return (lambda v: v * len(os.environ.get("GUARDSCOPE_ATTACK", ""))), (X,), \
        lambda: os.environ.__setitem__("GUARDSCOPE_ATTACK", "123")


@case
def builtin_shadowed():
    return of_globals(lambda v: v * len(NAMES), lambda: globals().__setitem__("len", lambda n: 77))


@case
def signed_zero():
    k = [0.0]
    return (lambda v: torch.atan2(v * 0, v * 0 - 1) if math.copysign(1, k[0]) > 0 else v), (X,), \
        lambda: k.__setitem__(0, -0.0)


@case
def default_dtype():
    return (lambda v: v + torch.ones(6)), (X,), lambda: torch.set_default_dtype(torch.float64)


@case
def requires_grad_of_input():
    x = torch.arange(6.0)
    return (lambda v: v * 2), (x,), lambda: x.requires_grad_()


@case
def parameter_replaced():
    net = Net().eval()
    return net, (X,), lambda: setattr(net.lin, "weight", nn.Parameter(torch.ones(6, 6)))


@case
def parameter_in_place():
    net = Net().eval()
    def change():
        with torch.no_grad():
            net.lin.weight.mul_(3)
    return net, (X,), change


@case
def parameter_dict_written():
    net = Net().eval()
    return net, (X,), lambda: net.lin._parameters.__setitem__("bias", nn.Parameter(torch.ones(6) * 5))


@case
def bias_removed():
    net = Net().eval()
    return net, (X,), lambda: setattr(net.lin, "bias", None)


@case
def buffer_replaced():
    net = Net().eval()
    return net, (X,), lambda: setattr(net, "offset", torch.full((6,), 9.0))


@case
def buffer_of_another_dtype():
    net = Net().eval()
    return net, (X,), lambda: setattr(net, "offset", torch.full((6,), 9.0, dtype=torch.float64))


@case
def submodule_replaced():
    net = Net().eval()
    return net, (X,), lambda: setattr(net, "act", nn.Tanh())


@case
def submodule_shadowed():
    net = Net().eval()
    return net, (X,), lambda: net.__dict__.__setitem__("act", lambda v: v * 9)


@case
def submodule_forward_on_instance():
    net = Net().eval()
    return net, (X,), lambda: setattr(net.act, "forward", lambda v: v * 8)


@case
def module_list_grows():
    net = Net().eval()
    return net, (X,), lambda: net.blocks.append(nn.ReLU())


@case
def module_list_order():
    net = Net().eval()
    def change():
        net.blocks[0], net.blocks[1] = net.blocks[1], net.blocks[0]
    return net, (X,), change


@case
def training_flag():
    net = Net().eval()
    return net, (X,), lambda: net.train()


@case
def module_number():
    net = Net().train()
    return net, (X,), lambda: setattr(net, "gain", 7.0)


@case
def hook_registered():
    net = Net().eval()
    return net, (X,), lambda: net.act.register_forward_hook(lambda m, i, o: o * 3)


@case
def hook_on_the_compiled_module():
    net = Net().eval()
    return net, (X,), lambda: net.register_forward_hook(lambda m, i, o: o + 50)


@case
def forward_of_class_replaced():
    class Local(Net):
        def forward(self, v):
            return v * 2
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Local()
        def forward(self, v):
            return self.inner(v)
    return Outer(), (X,), lambda: setattr(Local, "forward", lambda self, v: v * 55)


@case
def changed_list_seen_through_two_names():
    a, b = [1], [1, 1]
    pair = [a, b]
    def f(v):
        pair[0].append(0)
        return v * len(pair[1])
    return f, (X,), lambda: pair.__setitem__(1, pair[0])


@case
def overlapping_views_written():
    base = torch.arange(8.0)
    pair = [torch.arange(6.0), base[2:]]
    def f(v):
        pair[0].add_(1)
        return v + pair[1]
    def change():
        pair[0] = base[:6]
    return f, (X,), change


@case
def tensor_subclass():
    holder = [torch.ones(6)]
    return (lambda v: v * 2 if isinstance(holder[0], nn.Parameter) else v + holder[0]), (X,), \
        lambda: holder.__setitem__(0, nn.Parameter(torch.ones(6)))


@case
def int_becomes_equal_float():
    k = [1]
    return (lambda v: (v.long() * k[0])), (X,), lambda: k.__setitem__(0, 1.0)


@case
def set_member():
    members = {"a"}
    return (lambda v: v + 1 if "b" in members else v), (X,), lambda: members.add("b")


@case
def tuple_for_list():
    holder = [[1, 2]]
    return (lambda v: v + 1 if isinstance(holder[0], tuple) else v - 1), (X,), lambda: holder.__setitem__(0, (1, 2))


@case
def global_deleted():
    globals()["GONE"] = 3
    def f(v):
        try:
            return v * GONE  # noqa: F821
        except NameError:
            return v - 100
    return f, (X,), lambda: globals().pop("GONE")
