"""Cases that were wrong once. `CASES[name]()` gives (function, arguments, change): call, change, call again, in two worlds.

Executed as a plain module, twice: see test_regressions.py. `patch` replaces a name of a library until the case is over.
"""

import array
import builtins
import collections
import collections.abc
import contextlib
import copy
import dataclasses
import datetime
import enum
import fractions
import functools
import itertools
import math
import operator
import pathlib
import sys
import types
import typing

import numpy
import torch
import torch.nn.functional as F
from torch import nn

CASES = {}
RATE = 1
UNDO = []


def case(setup):
    CASES[setup.__name__] = setup
    return setup


def patch(owner, name, value):
    before = vars(owner)[name]
    UNDO.append(lambda: setattr(owner, name, before))
    setattr(owner, name, value)


def nothing():
    pass


def row(n=4):
    return torch.arange(float(n)) - 1.5


def helper(v):
    return v * GAIN


GAIN = 2
MODE = "".join(["ad", "d"])
LATE = "a global"


class Box:
    rate = 2

    def __init__(self, k=3):
        self.k = k


class Inherits(Box):
    pass


class Pair(typing.NamedTuple):
    left: int
    right: int


class Planet(enum.Enum):
    EARTH = 1

    def __init__(self, n):
        self.mass = n * 2


class Slotted:
    __slots__ = ("k", "v")


class Words(list):
    pass


@dataclasses.dataclass
class Options:
    width: int = 2


@dataclasses.dataclass(frozen=True)
class Key:
    kind: str


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, v):
        return self.lin(v)


# -- what is compared or looked up by identity ------------------------------------------------------------------------
@case
def objects_as_keys():
    a, b = Box(), Box()
    table, chosen = {a: 1, b: 2}, [a]
    return (lambda v: v * table[chosen[0]]), (row(),), lambda: chosen.__setitem__(0, b)


@case
def functions_as_keys():
    def make(n):
        def inner(v):
            return v
        return inner
    a, b = make(1), make(2)
    table, chosen = {a: 1, b: 2}, [a]
    return (lambda v: v * table[chosen[0]]), (row(),), lambda: chosen.__setitem__(0, b)


@case
def equal_texts_are_two_objects():
    chosen = [MODE]
    return (lambda v: v + 1 if chosen[0] is MODE else v - 1), (row(),), lambda: chosen.__setitem__(0, "".join(["a", "dd"]))


@case
def new_key_equal_to_one_that_is_there():
    table = collections.defaultdict(int, {Key("a"): 3})
    return (lambda v: v * table[Key("a")]), (row(),), nothing


# -- libraries --------------------------------------------------------------------------------------------------------
@case
def math_function_replaced():
    return (lambda v: v * math.sqrt(4.0)), (row(),), lambda: patch(math, "sqrt", lambda x: 9.0)


@case
def torch_function_replaced():
    return (lambda v: torch.relu(v)), (row(),), lambda: patch(torch, "relu", lambda v: v * 9)


@case
def torch_function_replaced_in_a_layer():
    before = F.linear
    return Layer(), (torch.ones(4),), lambda: patch(F, "linear", lambda *a: before(*a) * 3)


@case
def method_of_tensor_replaced():
    return (lambda v: v.cosh()), (row(),), lambda: patch(torch.Tensor, "cosh", lambda v: v * GAIN)


@case
def replaced_method_reads_a_global():
    before = torch.Tensor.cosh

    def set_up(v):
        return v.cosh()
    patch(torch.Tensor, "cosh", lambda v: before(v) * GAIN)
    return set_up, (row(),), lambda: globals().__setitem__("GAIN", 7)


@case
def operator_of_tensor_replaced():
    before = torch.Tensor.__mul__
    return (lambda v: v * 2), (row(),), lambda: patch(torch.Tensor, "__mul__", lambda a, b: before(a, 5))


@case
def floor_replaced_under_a_symbolic_number():
    k, before = [1.5], math.floor

    def change():
        patch(math, "floor", lambda x: before(x) * 2)
        k[0] = 7.5
    return (lambda v: v * math.floor(k[0]) + before(k[0])), (row(),), change


@case
def setting_of_the_library():
    return (lambda v: v + 1 if torch.backends.cudnn.benchmark else v - 1), (row(),), \
        lambda: patch(torch.backends.cudnn, "benchmark", not torch.backends.cudnn.benchmark)


@case
def imported_module_replaced():
    def f(v):
        import string as module
        return v * len(module.digits)

    def change():
        before = sys.modules["string"]
        UNDO.append(lambda: sys.modules.__setitem__("string", before))
        sys.modules["string"] = types.SimpleNamespace(digits="01")
    import string  # noqa: F401
    return f, (row(),), change


# -- functions --------------------------------------------------------------------------------------------------------
@case
def one_code_two_modules():
    box = [helper]
    other = types.FunctionType(helper.__code__, {**globals(), "GAIN": 50})
    return (lambda v: box[0](v)), (row(),), lambda: box.__setitem__(0, other)


@case
def names_of_wrappers():
    def wrap(f):
        @functools.wraps(f)
        def wrapper(v):
            return f(v)
        return wrapper
    box = [wrap(helper)]

    def longer_name(v):
        return v * GAIN
    return (lambda v: v * len(box[0].__name__)), (row(),), lambda: box.__setitem__(0, wrap(longer_name))


@case
def default_added():
    def g(v, by):
        return v * by

    def f(v):
        try:
            return g(v)
        except TypeError:
            return v - 1
    return f, (row(),), lambda: setattr(g, "__defaults__", (6,))


@case
def global_that_is_only_handed_on_is_deleted():
    def f(v):
        return v + 1, LATE
    return f, (row(),), lambda: globals().pop("LATE")


@case
def attribute_that_is_only_handed_on_is_deleted():
    box = Box()
    return (lambda v: (v + 1, box.k)), (row(),), lambda: delattr(box, "k")


# -- classes ----------------------------------------------------------------------------------------------------------
@case
def stored_attribute_of_a_base_class():
    def f(v):
        Inherits.rate += 1
        return v * Inherits.rate, Box.rate
    return f, (row(),), nothing


@case
def attribute_appears_between_super_and_its_base():
    class Middle(Box):
        pass

    class Low(Middle):
        def size(self):
            return super().rate
    box = Low()
    return (lambda v: v * box.size()), (row(),), lambda: setattr(Middle, "rate", 9)


@case
def super_finds_what_was_missing():
    class Low(Box):
        def size(self):
            return getattr(super(), "extra", 1)
    box = Low()
    return (lambda v: v * box.size()), (row(),), lambda: setattr(Box, "extra", 9)


@case
def data_descriptor_appears():
    class Data:
        def __get__(self, obj, owner=None):
            return 40

        def __set__(self, obj, value):
            pass

    class Local(Box):
        pass
    box = Local()
    return (lambda v: v * box.k), (row(),), lambda: setattr(Local, "k", Data())


@case
def class_value_becomes_a_property():
    class Local(Box):
        rate = 2
    box = Local()
    return (lambda v: (v, box.rate)), (row(),), lambda: setattr(Local, "rate", property(lambda self: 11))


@case
def setattr_appears():
    class Local(Box):
        pass
    box = Local()

    def f(v):
        box.k = 5
        return v * box.k
    return f, (row(),), lambda: setattr(Local, "__setattr__", lambda self, n, x: object.__setattr__(self, n, x * 2))


@case
def init_appears():
    class Local:
        k = 2
    return (lambda v: v * Local().k), (row(),), lambda: setattr(Local, "__init__", lambda self: setattr(self, "k", 6))


@case
def bases_change():
    class Left(Box):
        rate = 3

    class Low(Left):
        pass
    box = Low()
    return (lambda v: v * box.rate), (row(),), lambda: setattr(Low, "__bases__", (Box,))


@case
def named_tuple_iterates_its_own_way():
    class Local(Pair):
        pass
    Local._fields = Pair._fields
    pair = Local(1, 2)

    def f(v):
        a, b = pair
        return v * a + b
    return f, (row(),), lambda: setattr(Local, "__iter__", lambda self: iter([5, 6]))


@case
def attribute_of_an_enum_member():
    return (lambda v: v * Planet.EARTH.mass), (row(),), lambda: setattr(Planet.EARTH, "mass", 9)


@case
def generated_init_of_another_class():
    def f(v):
        made = Options.__new__(Options)
        return v * Options(3).width, type(made).__name__
    return f, (row(),), lambda: setattr(Options, "__init__", lambda self, n: setattr(self, "width", n * 10))


@case
def slot_under_another_name():
    Slotted.v = vars(Slotted)["k"]
    s = Slotted()
    s.k = 2

    def f(v):
        s.v = s.k + 1
        return v * s.k
    return f, (row(),), nothing


@case
def callable_object_gets_another_call():
    class Local:
        def __call__(self, v):
            return v + 1
    return Local(), (row(),), lambda: setattr(Local, "__call__", lambda self, v: v * 4)


@case
def length_that_is_no_int():
    class Local:
        n = 2

        def __len__(self):
            return self.n
    box = Local()
    return (lambda v: v * len(box)), (row(),), lambda: setattr(box, "n", 2.0)


# -- modules ----------------------------------------------------------------------------------------------------------
@case
def forward_of_the_compiled_module_on_the_instance():
    net = Layer()
    return net, (row(),), lambda: setattr(net, "forward", lambda v: v * 3)


@case
def forward_of_the_compiled_module_on_the_class():
    class Local(Layer):
        def forward(self, v):
            return v + 1
    return Local(), (row(),), lambda: setattr(Local, "forward", lambda self, v: v * 3)


@case
def forward_that_does_not_bind():
    class Local(Layer):
        def forward(self, v):
            return v + 1
    return Local(), (row(),), lambda: setattr(Local, "forward", functools.partial(helper))


@case
def class_of_the_compiled_module():
    class Local(Layer):
        def forward(self, v):
            return v * 4
    net = Layer()
    return net, (torch.ones(4),), lambda: setattr(net, "__class__", Local)


@case
def call_of_a_module_class():
    class Local(Layer):
        def __call__(self, v):
            return super().__call__(v) * 0 + 2
    return Local(), (torch.ones(4),), lambda: setattr(Local, "__call__", lambda self, v: v * 6)


@case
def parameters_replaced_as_a_whole():
    net = Layer()
    wide = {"weight": nn.Parameter(torch.ones(4, 4).double()), "bias": None}
    return (lambda v: net(v.to(net.lin.weight.dtype))), (row(),), lambda: vars(net.lin).__setitem__("_parameters", wide)


@case
def stores_of_two_modules_exchanged():
    a, b = nn.Linear(4, 4), nn.Linear(4, 2)
    net = nn.Sequential(a)

    def change():
        vars(a)["_parameters"], vars(b)["_parameters"] = vars(b)["_parameters"], vars(a)["_parameters"]
    for p in (*a.parameters(), *b.parameters()):
        p.data = torch.ones(p.shape)
    return net, (row(),), change


@case
def a_parameter_hides_a_submodule():
    class Local(nn.Module):
        def __init__(self):
            super().__init__()
            self.act = nn.ReLU()

        def forward(self, v):
            return self.act(v) if isinstance(self.act, nn.Module) else v * self.act
    net = Local()
    return net, (row(),), lambda: net._parameters.__setitem__("act", nn.Parameter(torch.ones(4) * 3))


@case
def getattr_of_a_module_class():
    class Local(nn.Module):
        def __init__(self):
            super().__init__()
            self.act = nn.ReLU()

        def __getattr__(self, name):
            return nn.Tanh() if name == "act" else super().__getattr__(name)

        def forward(self, v):
            return self.act(v)
    return Local(), (row(),), nothing


@case
def a_container_of_parameters_is_called():
    held = [nn.Identity()]

    def f(v):
        try:
            return held[0](v)
        except RuntimeError:
            return v - 3
    return f, (row(),), lambda: held.__setitem__(0, nn.ParameterDict())


@case
def forward_of_an_instance_after_a_break():
    net = nn.ReLU()

    def f(v):
        torch._dynamo.graph_break()
        return net(v), v.sum().item()
    return f, (row(),), lambda: setattr(net, "forward", lambda v: v * 8)


# -- values that look the same ----------------------------------------------------------------------------------------
@case
def storage_offset():
    held = [row(4)]
    return (lambda v: v + held[0].storage_offset()), (row(3)[0],), lambda: held.__setitem__(0, row(5)[1:])


@case
def leaf_or_not():
    held = [row().requires_grad_()]

    def change():
        held[0] = held[0].detach().requires_grad_() * 2
    return (lambda v: v + held[0].is_leaf), (row(),), change


@case
def order_of_a_set():
    return (lambda v: (v, [x for x in {30, 1, 22}])), (row(),), nothing  # noqa: C416


@case
def repeated_deque():
    held = [collections.deque([1, 2], maxlen=3)]
    return (lambda v: (v, held[0] * 2, held[0] + held[0])), (row(),), nothing


@case
def slice_of_a_deque():
    held = [[1, 2, 3]]

    def f(v):
        try:
            return v * held[0][:2][0]
        except TypeError:
            return v - 1
    return f, (row(),), lambda: held.__setitem__(0, collections.deque([1, 2, 3]))


@case
def pattern_of_a_list_subclass():
    held = [3]

    def f(v):
        match held[0]:
            case [a, b]:
                return v * a + b
            case range() | {"k": _}:
                return v * 5
            case _:
                return v - 1
    return f, (row(),), lambda: held.__setitem__(0, Words([2, 3]))


@case
def gradients_switched_off_inside():
    def f(v):
        with torch.no_grad():
            u = v * 2
        return u + 1, (v * 3).requires_grad
    return f, (row().requires_grad_(),), nothing


@case
def text_of_an_error_names_a_number():
    k = [4]

    def f(v):
        try:
            return v.reshape(k[0], 7)
        except RuntimeError as problem:
            return v, str(problem)
    return f, (row(),), lambda: k.__setitem__(0, 5)


# -- what belongs to the process --------------------------------------------------------------------------------------
@case
def seed_set_inside():
    def f(v):
        torch.manual_seed(3)
        return v + torch.rand(4), torch.initial_seed()
    return f, (row(),), lambda: torch.manual_seed(77)


@case
def threads_counted_inside():
    before = torch.get_num_threads()
    UNDO.append(lambda: torch.set_num_threads(before))
    return (lambda v: v * torch.get_num_threads()), (row(),), lambda: torch.set_num_threads(before + 3)


@case
def generator_seeded_inside():
    g = torch.Generator()

    def f(v):
        g.manual_seed(5)
        return v + torch.rand(4, generator=g), g.initial_seed()
    return f, (row(),), lambda: g.manual_seed(9)


@case
def generator_made_inside():
    return (lambda v: v + torch.rand(4, generator=torch.Generator())), (row(),), nothing


@case
def class_of_a_tensor():
    w = row()
    return (lambda v: v + 1 if isinstance(w, nn.Parameter) else v - 1), (row(),), lambda: setattr(w, "__class__", nn.Parameter)


@case
def class_registered_with_an_abstract_one():
    class Local:
        pass
    held = Local()
    return (lambda v: v + 1 if isinstance(held, collections.abc.Sized) else v - 1), (row(),), \
        lambda: collections.abc.Sized.register(Local)


@case
def library_function_replaced_under_a_rule():
    before = dataclasses.fields
    return (lambda v: (v, len(dataclasses.fields(Options)), dataclasses.asdict(Options()))), (row(),), \
        lambda: patch(dataclasses, "fields", lambda *a: before(*a) * 2)


@case
def copies_keep_what_is_shared():
    import copy
    inner = [1]
    outer = [inner, inner, collections.deque([2], maxlen=1)]

    def f(v):
        made = copy.deepcopy(outer[:2])
        return v, made, made[0] is made[1], copy.copy(outer[2]), dataclasses.asdict(Options(collections.deque([1])))
    return f, (row(),), lambda: outer.__setitem__(1, [1])


@case
def init_that_returns_something():
    class Local:
        def __init__(self):
            return held[0]
    held = [None]

    def f(v):
        try:
            return v, type(Local()).__qualname__
        except TypeError:
            return v - 1
    return f, (row(),), lambda: held.__setitem__(0, 3)


@case
def class_made_after_a_break():
    def f(v):
        class Local:
            def go(self):
                return 1
        return v * Local().go(), Local.__qualname__, Local.go.__qualname__
    return f, (row(),), nothing


@case
def greatest_length_of_a_deque():
    held = [collections.deque([1, 2], maxlen=2)]

    def f(v):
        held[0].append(3)
        return v * sum(held[0])
    return f, (row(),), lambda: held.__setitem__(0, collections.deque([1, 2]))


@case
def container_of_parameters_called_after_a_break():
    held = nn.ParameterDict()

    def f(v):
        torch._dynamo.graph_break()
        try:
            return held(v)
        except RuntimeError:
            return v - 3
    return f, (row(),), nothing


@case
def setattr_of_a_dataclass():
    @dataclasses.dataclass
    class Local:
        k: int = 2

    def change():
        Local.__setattr__ = lambda self, name, value: object.__setattr__(self, name, value * 10)
    return (lambda v: v * Local(3).k), (row(),), change


# -- found by generated programs ---------------------------------------------------------------------------------------
def settings_module(**values):
    module = types.ModuleType("attack_settings")
    vars(module).update(values)
    return module


@case
def tensor_of_a_module_without_a_file():
    settings = settings_module(bias=torch.tensor([2.0]))
    def change():
        settings.bias = torch.tensor([-2.5])
    return (lambda v: v + (settings.bias if torch.is_tensor(settings.bias) else 1)), (row(),), change


@case
def number_of_a_module_without_a_file():
    settings = settings_module(rate=3)
    return (lambda v: v * settings.rate), (row(),), lambda: setattr(settings, "rate", 4)


@case
def module_made_inside_and_kept():
    class Scaled(nn.Module):
        def __init__(self, by):
            super().__init__()
            self.by = by

        def forward(self, v):
            return v * self.by
    bag = {}
    def f(v):
        bag["made"] = Scaled(3.0)
        return v + 1
    return f, (row(),), lambda: bag["made"](row())


@case
def dictionary_of_an_object_made_inside():
    class Local:
        def __init__(self, **named):
            self.__dict__.update(named)
            held = self.__dict__
            self.late = len(held)
            held["more"] = held["late"] + 1
    def f(v):
        made = Local(k=2)
        own = made.__dict__
        made.k += 1
        return v * own["k"] + made.more, made, own is made.__dict__
    return f, (row(),), nothing


@case
def membership_in_an_enum():
    held = [Planet.EARTH]
    return (lambda v: v + (1 if held[0] in Planet else 2)), (row(),), lambda: held.__setitem__(0, "EARTH")


@case
def membership_of_a_tensor_in_an_enum():
    held = [Planet.EARTH]
    return (lambda v: v + (1 if held[0] in Planet else 2)), (row(),), lambda: held.__setitem__(0, row())


@case
def numpy_number_compared_with_itself():
    held = [numpy.int64(3)]
    return (lambda v: (v, held[0] == held[0])), (row(),), lambda: held.__setitem__(0, numpy.float32("nan"))


@case
def value_of_an_enum_member_changed():
    class Speed(enum.Enum):
        SLOW = 2
    def change():
        Speed.SLOW._value_ = 2.5
    return (lambda v: v * Speed.SLOW.value + len(Speed.SLOW.name)), (row(),), change


@case
def value_of_an_enum_defined_again():
    class Speed(enum.Enum):
        SLOW = 2

        @property
        def value(self):
            return 7
    def change():
        Speed.value = property(lambda self: 8)
    return (lambda v: v * Speed.SLOW.value), (row(),), change


# -- named and not looked at -------------------------------------------------------------------------------------------
@case
def global_named_only():
    globals()["SPARE"] = 3
    def f(v):
        SPARE  # noqa: B018, F821
        return v + 1
    return f, (row(),), lambda: globals().pop("SPARE")


@case
def attribute_named_only():
    box = Box()
    def f(v):
        unused = box.k  # noqa: F841
        return v + 1
    return f, (row(),), lambda: delattr(box, "k")


@case
def attribute_of_a_module_named_only():
    settings = settings_module(rate=3)
    def f(v):
        unused = [settings.rate]  # noqa: F841
        return v + 1
    return f, (row(),), lambda: delattr(settings, "rate")


@case
def closure_variable_named_only():
    spare = 3
    def f(v):
        spare  # noqa: B018
        return v + 1
    def change():
        nonlocal spare
        del spare
    return f, (row(),), change


@case
def attribute_of_a_class_named_only():
    class Local:
        rate = 3
    def f(v):
        Local.rate  # noqa: B018
        return v + 1
    return f, (row(),), lambda: delattr(Local, "rate")


@case
def name_before_a_step_that_raises():
    globals()["LAST"] = helper
    def f(v, order):
        v = v + 1
        try:
            v = LAST(sorted([2, 1], key=order)[0]) + v  # noqa: F821
        except TypeError:
            v = v - 1
        return v
    return f, (row(), torch.add), lambda: globals().pop("LAST")


@case
def keyword_default_gone_that_nobody_reads():
    def inner(v, *, spare=3):
        return v + 1
    return (lambda v: inner(v)), (row(),), lambda: setattr(inner, "__kwdefaults__", None)


@case
def locals_of_a_function_that_is_not_compiled():
    def f(v, bag):
        v = v / 2
        return v + len(locals()), sorted(locals())
    return f, (row(), {}), nothing


@case
def builtin_called_with_what_it_does_not_take():
    held = [abs]
    return (lambda v: held[0](v, by=2)), (row(),), lambda: held.__setitem__(0, pow)


@case
def power_with_a_modulus_by_name():
    held = [5]
    return (lambda v: v * pow(2, 3, mod=held[0])), (row(),), lambda: held.__setitem__(0, 7)


@case
def builtin_class_registered_later():
    class Odd(collections.abc.Sequence):
        def __len__(self):
            return 0

        def __getitem__(self, i):
            raise IndexError
    held = [{1: 2}]
    return (lambda v: v + (1 if isinstance(held[0], Odd) else 2)), (row(),), lambda: Odd.register(dict)


@case
def attribute_that_a_range_does_not_have():
    held = [range(3)]
    def f(v):
        try:
            return v + held[0].real
        except AttributeError:
            return v - 1
    return f, (row(),), lambda: held.__setitem__(0, 4)


@case
def attribute_that_a_float_does_not_have():
    held = [2]
    def f(v):
        try:
            return v + held[0].numerator
        except AttributeError:
            return v - 1
    return f, (row(),), lambda: held.__setitem__(0, 2.5)


@case
def enum_whose_hash_is_a_property():
    class Speed(enum.Enum):
        SLOW = 2
    return (lambda v: v + (1 if Speed.SLOW is Speed.SLOW else 2)), (row(),), lambda: setattr(
        Speed, "__hash__", property(lambda self: 9))


# -- an object and its own dictionary ----------------------------------------------------------------------------------
@case
def dictionary_read_after_the_attribute_is_stored():
    def f(v, o):
        held = o.__dict__
        before = held["k"]
        o.k = 5
        return v * held["k"] + before, len(held)
    return f, (row(), Box()), nothing


@case
def attribute_read_after_the_dictionary_is_stored_to():
    def f(v, o, held):
        held["k"] = 6
        v = v * o.k
        del held["k"]
        return v * getattr(o, "k", 100)
    box = Box()
    return f, (row(), box, vars(box)), lambda: setattr(box, "k", 1)


@case
def dictionary_of_another_object_becomes_its_own():
    box, other = Box(), Box()
    pair = [vars(other)]
    def f(v, o):
        o.k = 5
        return v * pair[0]["k"]
    return f, (row(), box), lambda: pair.__setitem__(0, vars(box))


# -- metaclasses -------------------------------------------------------------------------------------------------------
class Meta(type):
    level = 3
    size = property(lambda cls: len(cls.__name__))


@case
def attribute_of_a_metaclass():
    class Local(metaclass=Meta):
        pass
    def change():
        before = Meta.level
        UNDO.append(lambda: setattr(Meta, "level", before))
        Meta.level = 4
    return (lambda v: v * Local.level + getattr(Local, "size", 9) + getattr(Local, "none", 1)), (row(),), change


@case
def property_of_a_metaclass_appears_over_a_class_attribute():
    class Other(type):
        pass
    class Local(metaclass=Other):
        rate = 3
    return (lambda v: v * Local.rate), (row(),), lambda: setattr(Other, "rate", property(lambda cls: 8))


@case
def getattr_of_a_metaclass():
    class Other(type):
        pass
    class Local(metaclass=Other):
        pass
    return (lambda v: v * getattr(Local, "rate", 3)), (row(),), lambda: setattr(Other, "__getattr__", lambda cls, name: 7)


# -- gradients ---------------------------------------------------------------------------------------------------------
@case
def leaf_that_requires_gradients_written_in_place():
    held = [row()]
    def f(v):
        held[0].mul_(2)
        return v + held[0]
    return f, (row(),), lambda: held[0].requires_grad_()


@case
def result_that_requires_gradients_written_in_place():
    held = [row()]
    def f(v):
        held[0].fill_(2)
        return v + held[0]
    return f, (row(),), lambda: held.__setitem__(0, row().requires_grad_() * 2)


# -- counters ----------------------------------------------------------------------------------------------------------
@case
def counters_add_what_they_are_updated_with():
    def f(v, c):
        c.update({"a": 5})
        c.update(a=1)
        return v + c["a"], c
    return f, (row(), collections.Counter("aab")), nothing


@case
def union_of_counters():
    def f(v, c):
        d = c | collections.Counter("ab")
        c |= collections.Counter("bbb")
        return v + d["a"], d, c
    return f, (row(), collections.Counter("aab")), nothing


@case
def size_given_as_a_deque():
    held = [collections.deque([2])]
    return (lambda v: v.sum() + torch.zeros(held[0])), (row(),), lambda: held.__setitem__(0, (2,))


@case
def description_of_parameters():
    held = nn.ParameterList([nn.Parameter(torch.ones(3))])
    return (lambda v: (v + 1, repr(held))), (row(),), nothing


@case
def ordered_dicts_are_equal_in_order():
    pair = [collections.OrderedDict(a=1, b=2), collections.OrderedDict(a=1, b=2)]
    return (lambda v: v + (1 if pair[0] == pair[1] else 2)), (row(),), lambda: pair[1].move_to_end("a")


@case
def counters_are_equal_without_their_zeros():
    pair = [collections.Counter("ab"), collections.Counter("ab")]
    return (lambda v: v + (1 if pair[0] == pair[1] else 2)), (row(),), lambda: pair[1].update(z=0)


@case
def members_of_a_changed_set_keep_their_places():
    held = {8, 0, 16, 24}
    held.discard(0)
    held.add(0)                                  # behind the others in its table
    def f(v):
        held.add(8)
        held.add(32)
        held.discard(16)
        return v + len(held), list(held)
    return f, (row(),), lambda: held.add(40)


# -- Python's own functions replaced -----------------------------------------------------------------------------------
def in_place_of(name, new):
    """Python's function of this name is another one until the case is over."""
    before = vars(builtins)[name]
    setattr(builtins, name, new)
    UNDO.append(lambda: setattr(builtins, name, before))


@case
def a_replaced_pow_is_called_once():
    before = pow
    def twice(*args):
        return before(*args) * 2
    return (lambda v, n: v + pow(n, 2, 5)), (row(), 3), lambda: in_place_of("pow", twice)


@case
def a_replaced_round_is_called_once():
    before = round
    def twice(*args):
        return before(*args) * 2
    return (lambda v, n: v + round(n) + round(n, 1) + round(v.shape[0], -1)), (row(), 3.26), lambda: in_place_of("round", twice)


# -- looking at the frame inside blocks that a break left open ---------------------------------------------------------
@case
def looks_at_its_frame_in_with():
    def f(v):
        out = []
        with contextlib.nullcontext():
            print(1)
            out.append(globals()["RATE"])
            for i in range(2):
                with contextlib.suppress(KeyError):
                    print(i)
                    out.append((eval("i + 1"), sorted(locals())))
                    out.append(globals()["no such name"])
        try:
            print(2)
            globals()["no such name"]
        except KeyError as e:
            with contextlib.nullcontext():
                print(3)
                out.append((str(e), sorted(locals())))
        return v, out
    return f, (row(),), lambda: globals().__setitem__("RATE", 12)


# -- what a changed object may run -------------------------------------------------------------------------------------
class OnlySet:
    def __set__(self, obj, value):
        obj.__dict__["s"] = value * 2


class OnlyGet:
    def __get__(self, obj, owner=None):
        return 7


class OnlyDelete:
    def __delete__(self, obj):
        obj.__dict__["d"] = "deleted"


class Full(OnlySet, OnlyGet, OnlyDelete):
    """A descriptor for everything."""


def uses_descriptors():
    class Uses:
        s, g, d, f = OnlySet(), OnlyGet(), OnlyDelete(), Full()
        plain = 3

        @property
        def p(self):
            return self.__dict__.get("pp", 1)

        @p.setter
        def p(self, value):
            self.__dict__["pp"] = value

        @p.deleter
        def p(self):
            self.__dict__["gone"] = True

        @property
        def q(self):
            return 1

    def change(u, name, out, value=None):
        try:
            delattr(u, name) if value is None else setattr(u, name, value)
        except (AttributeError, TypeError) as problem:
            out.append(type(problem).__name__ + str(problem))

    def f(v, u):
        out = []
        new = Uses()
        for o in (u, new):
            change(o, "s", out, 3)
            change(o, "s", out)
            change(o, "d", out, 4)
            change(o, "d", out)
            change(o, "g", out, 5)
            change(o, "f", out, 6)
            change(o, "f", out)
            change(o, "p", out, 8)
            change(o, "p", out)
            change(o, "q", out, 9)
            change(o, "q", out)
            change(o, "plain", out)
            out.append((o.g, o.f, o.p))
        return v + len(out), out, dict(vars(u)), dict(vars(new))
    return f, (row(), Uses())


def change_descriptor(cls, name, value):
    """A case that changes a descriptor's class after the first call."""
    def build():
        before = vars(cls).get(name)
        UNDO.append(lambda: delattr(cls, name) if before is None else setattr(cls, name, before))
        return *uses_descriptors(), lambda: setattr(cls, name, value)
    return build


def put(self, obj, value):
    obj.__dict__["put"] = value


CASES["descriptor_set_is_replaced"] = change_descriptor(OnlySet, "__set__", put)
CASES["descriptor_set_takes_other_arguments"] = change_descriptor(OnlySet, "__set__", torch.relu)
CASES["descriptor_gains_set"] = change_descriptor(OnlyGet, "__set__", put)
CASES["descriptor_gains_delete"] = change_descriptor(OnlyGet, "__delete__", lambda self, obj: None)
CASES["descriptor_gains_get"] = change_descriptor(OnlySet, "__get__", lambda self, obj, owner=None: 5)


@case
def constructor_reaches_a_replaced_descriptor():
    class Made:
        s = OnlySet()

        def __init__(self):
            self.s = 3
    held = types.SimpleNamespace(made=None)
    def f(v):
        held.made = Made()
        return v
    before = OnlySet.__set__
    UNDO.append(lambda: setattr(OnlySet, "__set__", before))
    return f, (row(),), lambda: setattr(OnlySet, "__set__", put)


@case
def explaining_a_miss_compares_nothing_with_the_scripts_eq():
    @dataclasses.dataclass
    class Options:
        width: int = 2
    def f(v, o):
        p = dataclasses.replace(o, width=o.width + 1)
        if p == o:
            v = v + 100
        return v * p.width
    def change():
        Options.__eq__ = Options.__init__
    return f, (row(), Options()), change


@case
def explaining_a_miss_calls_no_repr_of_the_script():
    class Counted:
        shown = 0

        def __repr__(self):
            Counted.shown += 1
            return "counted"
    held = [Counted(), (1, [Counted()])]
    def change():
        held[:] = [Counted(), {"a": Counted()}]
    def f(v):
        return v + len(held[1]), Counted.shown, isinstance(held[0], Counted), held[0] is held[1]
    return f, (row(),), change


# -- identity of numbers and texts, before and after a break ------------------------------------------------------------
@case
def numbers_and_texts_are_the_objects_they_were():
    held = types.SimpleNamespace(f=2.5, s="".join(["ab", " c"]), i=10**9, b=b"x y", r=range(3), t=(1, 2))
    def f(v):
        a, b, c, d = held.f, held.s, held.i, held.b
        same = id(held.f) == id(held.f)
        print("a break")
        return v, same, a is held.f, b is held.s, c is held.i, d is held.b, held.r is held.r, held.t is held.t, \
            held.r is range(3), (a, b, c, d)[v.shape[0] % 2] is held.f
    return f, (row(),), lambda: vars(held).update(f=3.5, s="".join(["d", " e"]), r=range(3))


# -- views of dicts are sets -------------------------------------------------------------------------------------------
@case
def views_of_dicts_are_sets():
    class Own(collections.OrderedDict):
        pass
    dicts = [{"a": 1, "b": 2}, collections.OrderedDict(k=1, a=2), Own(a=1), collections.Counter("ab")]
    def f(v):
        out = []
        for d in dicts:
            out += [d.keys() & {"a"}, d.keys() | ["z"], d.keys() - {"a"}, d.keys() ^ {"a", "q"}, {"a"} & d.keys(),
                    {"a", "b"} - d.keys(), ["a"] - d.keys(), d.keys() <= {"a", "b", "k"}, {"a"} < d.keys(),
                    d.keys() == {"a", "b"}, {"a", "b"} == d.keys(), d.keys() != {"a"}, d.items() & {("a", 1)},
                    d.items() >= {("a", 1)},
                    d.keys() == dicts[0].keys(), d.values() == d.values(), d.keys().isdisjoint(["a"]),
                    frozenset("a") | d.keys()]
        held = set("ab")
        held |= {"a": 1, "c": 2}.keys()
        try:
            out.append(dicts[0].values() & {1})
        except TypeError as problem:
            out.append(str(problem))
        return v + len(out), [sorted(x) if isinstance(x, (set, frozenset)) else x for x in out], sorted(held), \
            collections.deque([1]) == [1], collections.deque([1]) == collections.deque([1])
    return f, (row(),), lambda: dicts[0].update(q=3)


@case
def attributes_that_have_no_place():
    class Bare:
        __slots__ = ("a",)
        fixed = 1
    held = types.SimpleNamespace(path=pathlib.PurePath("a/b"), bare=Bare())
    def f(v):
        out = []
        for o in (held.path, held.bare, Bare()):
            for name in ("rate", "fixed", "a"):
                try:
                    setattr(o, name, 3)
                    out.append(getattr(o, name))
                except AttributeError as problem:
                    out.append(str(problem))
        try:
            held.path.rate = 3
        except AttributeError:
            v = v + (2 + 1j).numerator
        return v, out
    return f, (row(),), nothing


@case
def functions_named_like_keywords():
    def del_(a):
        del a[0]
        return a
    def assert_(a):
        assert a, a
        return 1
    max_, float_ = row(), row()
    def f(v, a):
        out = []
        for g in (del_, assert_):
            try:
                out.append(g(a))
            except (TypeError, AssertionError) as problem:
                out.append(type(problem).__name__)
        print("a break")
        return v + max_ + float_, out, max(v.shape[0], 2), float("inf")
    return f, (row(), [0, 2]), nothing


@case
def what_is_asked_is_no_class():
    held = [Box, int]
    def f(v):
        out = []
        for ask in (lambda: isinstance(v, held[0]), lambda: issubclass(held[1], held[0]),
                    lambda: issubclass((int, str), object), lambda: isinstance(3, (int, None)),
                    lambda: isinstance("", (int, None))):
            try:
                out.append(ask())
            except TypeError as problem:
                out.append(str(problem))
        return v, out
    return f, (row(),), lambda: held.__setitem__(0, None)


@case
def a_module_whose_own_text_fails_is_told_by_its_class():
    class Odd(nn.Module):
        def extra_repr(self):
            raise KeyError(self.nothing)
    held = [Odd(), nn.Linear(2, 2)]
    def change():
        held[:] = [Odd(), nn.Linear(2, 2)]
        del held[1].in_features
    def f(v):
        return v + len(list(held[0].parameters())) + len(list(held[1].parameters()))
    return f, (row(),), change


@case
def explaining_a_miss_makes_no_entry_in_a_defaultdict():
    def f(v, dd):
        dd["n"] += 1
        return v * dd["m"], list(dd)
    dd = collections.defaultdict(int, m=2)
    return f, (row(), dd), dd.clear


def tried(*actions):
    """What each gave, or the class of what it raised."""
    out = []
    for action in actions:
        try:
            out.append(action())
        except Exception as problem:
            out.append(type(problem).__name__)
    return out


@case
def operators_of_lists_ask_the_other_side_first():
    class Radd:
        def __radd__(self, other):
            return "radd", len(other)
        def __rmul__(self, other):
            return "rmul", len(other)
        def __iter__(self):
            return iter((5, 6))
    class Iterated:
        def __iter__(self):
            return iter((5, 6))
        def __index__(self):
            return 2
    def f(v, a, d):
        c, e, g = list(a), d.copy(), list(a)
        c += Radd()
        e *= Radd()
        g += Iterated()
        h = list(a)
        h *= Iterated()
        return v + 1, c, e, g, h, tried(lambda: operator.imul(list(a), 2.5), lambda: operator.imul(d.copy(), "a"),
                                        lambda: operator.iadd(list(a), torch.Size([2])), lambda: torch.Size([2]) + [1])
    return f, (row(), [1, 2], collections.deque([1, 2])), nothing


@case
def a_deque_keeps_its_greatest_length():
    def f(v, d):
        e = d.copy()
        return v + 1, tried(lambda: d.insert(0, 7), lambda: e.append(8)), d, e, e.maxlen
    return f, (row(), collections.deque([1], maxlen=1)), nothing


@case
def operators_of_classes_in_c_meet_objects():
    class Own(list):
        def __radd__(self, other):
            return "radd"
    class Items:
        def __radd__(self, other):
            return "radd"
    def f(v, counter, data, own):
        return v, tried(lambda: operator.iadd(counter, Items()), lambda: operator.iadd(b"ab", data),
                        lambda: data + data, lambda: Items() * 2, lambda: b"ab" + own)
    return f, (row(), collections.Counter("aab"), array.array("b", [1, 2]), Own([1])), nothing


@case
def members_that_are_numbers_are_indices_and_bounds():
    class Number(enum.IntEnum):
        TWO = 2
    class Many:
        def __index__(self):
            return 3
    def f(v, member, items):
        return v, list(range(member)), items[member], items[:member], tried(lambda: Many() * member), list(range(Many()))
    return f, (row(), Number.TWO, [1, 2, 3]), nothing


@case
def methods_of_a_base_class_asked_for_by_name():
    def f(v, a):
        return v, object.__str__(a), object.__repr__("a")[:6], int.__str__("b"), tried(lambda: {}.update("a", "b"))
    return f, (row(), "ab"), nothing


@case
def leaves_are_refused_before_dtypes_are_looked_at():
    def f(p):
        return tried(lambda: operator.iand(p, 1), lambda: operator.iadd(p, torch.ones(3)))
    return f, (nn.Parameter(torch.ones(2)),), nothing


@case
def a_graph_that_wrote_into_arguments_raises_inside_try():
    def divided(a, b):
        a += 1
        a //= b
        return a
    def f(v, a, b, index):
        out = []
        try:
            out.append(divided(a, b) + 1)
        except RuntimeError as problem:
            out.append(str(problem))
        try:
            v.mul_(2)
            out.append(v[index])
        except IndexError as problem:
            out.append(str(problem))
        finally:
            v.add_(1)
        with contextlib.suppress(IndexError):
            out.append(v[index])
            v.add_(5)
        try:
            out.append(v[index])
        except IndexError:
            out.append("again")
        v.sub_(3)
        return a, v, out
    b, index = torch.tensor([2, 3]), torch.tensor([0, 1])
    def change():
        b[1] = 0
        index[1] = 9
    return f, (row(), torch.tensor([4, 5]), b, index), change


@case
def bounds_that_are_no_numbers():
    def f(v, d):
        return v, tried(lambda: d.index(1, "a"), lambda: collections.deque(d, "a"), lambda: collections.deque(d, -1),
                        lambda: collections.deque(d, maxlen=2), lambda: operator.iadd({1}, {2}), lambda: [1].index(1, None))
    return f, (row(), collections.deque([1, 2, 3])), nothing


@case
def special_methods_that_are_none():
    class Closed:
        __iter__ = __contains__ = __reversed__ = __add__ = __radd__ = __eq__ = __len__ = None
        def __getitem__(self, i):
            return [5, 6][i]
    def f(v, c):
        return v, tried(lambda: list(c), lambda: 5 in c, lambda: list(reversed(c)), lambda: c + 1, lambda: 1 + c,
                        lambda: c == 1, lambda: len(c), lambda: c[1], lambda: bool(c),
                        lambda: list(reversed(collections.UserDict(a=1))))
    return f, (row(), Closed()), nothing


@case
def super_of_what_is_no_instance():
    class Base:
        def name(self):
            return "base"
    class Other(Base):
        def name(self):
            return "other " + super().name()
    class Foreign:
        name = Other.name
    class Bare:
        def name():
            return super()
        def gone(self):
            del self
            return super()
    class Meta(type):
        def __call__(cls, *args):
            return "made", super().__call__(*args).name()
    class Made(Base, metaclass=Meta):
        pass
    def f(v, ask):
        return v, tried(lambda: super(Other, ask()).name(), lambda: Foreign().name(), lambda: Bare.name(),
                        lambda: Bare().gone(), lambda: Other().name(), lambda: Made(), lambda: super(3, ask()).name())
    held = [Other]
    return f, (row(), lambda: held[0]()), lambda: held.__setitem__(0, Base)


@case
def powers_with_a_modulus_are_of_integers():
    held = [-2, 2.5]
    def f(v, n, m):
        return v * 2, tried(lambda: pow(held[0], n, m), lambda: pow(held[1], 2, 5), lambda: pow(n, 2, held[1]),
                            lambda: pow(n, -1, m), lambda: pow(n, 2, 0), lambda: pow(held[1], n))
    return f, (row(), 3, 7), lambda: held.reverse()


@case
def a_negative_number_keeps_its_parentheses_in_a_native_step():
    class Half:
        def __rpow__(self, other):
            return other ** self.exponent()
        def exponent(self):
            torch._dynamo.graph_break()
            return 0.5
    def f(v, q, d):
        n, i = -2, -2j
        return v * 2, n ** q, n ** Half(), (v.shape[0] * -1) ** q, d["k"] ** q, d["k"] ** Half().exponent(), i ** q, [n][0] ** q
    d = {"k": -3.0}
    return f, (row(), fractions.Fraction(1, 2), d), lambda: d.update(k=-4.0)


@case
def a_module_whose_file_is_no_text():
    settings = types.ModuleType("settings")
    settings.rate, settings.__file__ = 2, 3
    def f(v):
        settings.rate += 1
        return v * settings.rate
    return f, (row(),), lambda: setattr(settings, "__file__", None)


@case
def comparisons_ask_subclasses_first():
    class Base:
        def __init__(self, name):
            self.name = name
        def __eq__(self, other):
            return f"{self.name} == {other.name}"
        def __lt__(self, other):
            return f"{self.name} < {other.name}"
        def __gt__(self, other):
            return f"{self.name} > {other.name}"
    class Derived(Base):
        pass
    class Own(list):
        def __eq__(self, other):
            return "own"
        __gt__ = __eq__
    def f(v, a, b, own, number, member):
        return v, a == b, b == a, a != b, a < b, b < a, a > b, own == [1], own == [1], own > [1], member == own, \
            tried(lambda: (number > own).tolist(), lambda: (number == own).tolist(), lambda: own == 5, lambda: own == number)
    return f, (row(), Base("base"), Derived("derived"), Own([1, 2]), numpy.float32(1.5), next(iter(Planet))), nothing


@case
def defaults_of_a_named_tuple_are_those_of_new():
    def f(v):
        pair = Pair(2)
        return v * pair.k, pair
    def change():
        Pair.__new__.__defaults__ = (8,)
        del Pair._field_defaults
        Pair._fields = ("a", "b")
    Pair = collections.namedtuple("Pair", "k m", defaults=[7])
    return f, (row(),), change


@case
def ranges_and_bound_methods_of_all_kinds():
    class Two:
        def __eq__(self, other):
            return other == 2
        def run(self):
            return 1
    def f(v, r, number, two, run, same, *others):
        return v, number in r, two in r, tried(lambda: v[0] in r), [] in r, 2.0 in r, run is same, two.run is run, \
            run == same, len is same, [a is b for a in others for b in others], [a == b for a in others for b in others]
    two = Two()
    run = two.run
    others = (functools.partial(len, ()), slice(1), range(2), {}.keys(), iter([]))
    return f, (row(), range(1, 3), numpy.int64(2), two, run, run, *others, *others), nothing


@case
def a_module_that_was_not_initialised():
    class Half(nn.Module):
        def __init__(self, whole):
            if whole:
                super().__init__()
            self.__dict__["k"] = 2
        def forward(self, v):
            return v * self.k
    held = [Half(True)]
    def f(v):
        return v + held[0](v).sum()
    return f, (row(),), lambda: held.__setitem__(0, Half(False))


@case
def comprehensions_that_look_at_their_variables():
    def f(v, items):
        v = v * 2
        texts = [sorted(locals()) for i in items]
        more = {i: len(vars()) for i in items}
        found = [eval("i + 1") for i in items]
        def inside():
            return len(items), sorted(locals())
        return v + 1, texts, more, found, [dir() for i in items], inside()
    return f, (row(), [1, 2]), nothing


@case
def keys_that_look_alike():
    @dataclasses.dataclass(frozen=True)
    class Key:
        n: int
    def f(v, s):
        d = {Key(1): "key", frozenset([1, 2]): "set", (Key, 1): "pair"}
        outer = {frozenset([1, 2]), frozenset()}
        outer.discard({1, 2})
        return v, d[Key(1)], d[Key, 1], (frozenset, frozenset([1, 2])) in d, {1} in outer, set() in outer, \
            list(map(len, outer)), tried(lambda: s in d, lambda: outer.add(s), lambda: outer.remove(s),
                                               lambda: s in s, lambda: [1] in s)
    return f, (row(), {1, 2}), nothing


@case
def context_managers_whose_methods_are_none():
    def manager(**given):
        methods = {"__enter__": lambda self: 3, "__exit__": lambda self, *e: None}
        return type("Manager", (), {**methods, **given})
    def entered(make, body):
        with make() as value:
            body.append(value)
        return value
    def f(v, makers):
        body = []
        return v * 2, tried(*(lambda m=m: entered(m, body) for m in makers)), body
    makers = [manager(), manager(__enter__=None), manager(__exit__=None), type("Bare", (), {})]
    return f, (row(), makers), makers.reverse


@case
def generators_have_the_name_of_their_function():
    def numbers(n):
        for i in range(n):
            torch._dynamo.graph_break()
            yield i
    class Two:
        def __index__(self):
            return 2
    def f(v, two):
        made = numbers(3)
        names = made.__name__, made.__qualname__, repr(made)[:30]
        return v, names, list(made), "abc"[two], b"abc"[two], range(5)[two], "abc"[:two], tried(lambda: "abc"[v.shape])
    return f, (row(), Two()), nothing


@case
def what_a_class_has_from_type():
    class Plain:
        k = 1
    def f(v, c):
        return v, "rate" in int.__dict__, "__add__" in int.__dict__, int.__base__, c.__base__, c.__flags__ > 0, \
            "k" in c.__dict__, sorted(n for n in c.__dict__ if n[0] != "_"), c.__basicsize__ > 0, bool.__mro__, c.mro()[-1]
    return f, (row(), Plain), lambda: setattr(Plain, "rate", 2)


@case
def the_compiler_copies_with_python_s_own_copy():
    def show(x):
        torch._dynamo.graph_break()
        return x
    def f(v, items):
        out = [show(i) + 1 for i in items]
        for i in items:
            v = v * show(i)
        return v + len(out), copy.copy(3), copy.deepcopy(4)
    def change():
        for name in ("copy", "deepcopy"):
            patch(copy, name, lambda *a: 7)
    return f, (row(), [1, 2]), change


@case
def attributes_that_are_set_and_deleted_again():
    class Plain:
        k = 1
    def f(v, a):
        a.q = 3
        before = a.q, hasattr(a, "q")
        del a.q
        v = v + 1
        torch._dynamo.graph_break()
        return v, before, dict(vars(a)), hasattr(a, "q"), tried(lambda: delattr(a, "q"))
    a = Plain()
    return f, (row(), a), lambda: setattr(a, "q", 5)


@case
def functions_in_c_find_builtins_in_a_native_step():
    def f(v, date):
        return v + 1, f"{date:%Y>5}", format(date, ".2f"), date.strftime("%Y")
    return f, (row(), datetime.date(2020, 1, 2)), nothing


@case
def copies_and_numbers_of_all_kinds():
    Point = collections.namedtuple("Point", "x y")
    class Short(int):
        pass
    def f(v, point, many, text, short):
        return v, copy.copy(point) is point, copy.copy(many) is many, copy.copy((1, 2)), copy.copy(v.shape) is v.shape, \
            copy.copy(short) is short, type(copy.copy(short)), copy.copy(point), tried(
                lambda: int(text, 16), lambda: int([1], 16), lambda: list(itertools.product(3, 4)),
                lambda: list(itertools.permutations([1, 2], "a")))
    return f, (row(), Point(1, 2), frozenset([1]), collections.UserString("ab"), Short(3)), nothing


@case
def lengths_of_all_kinds_and_classes_that_cannot_be_caught():
    class Sized:
        def __init__(self, answer):
            self.answer = answer
        def __len__(self):
            return self.answer
        def __index__(self):
            return 4
    class Number(enum.IntEnum):
        TWO = 2
    def caught(classes):
        try:
            [][1]
        except classes:
            return "caught"
    def f(v, answers, sets):
        lengths = tried(*(lambda a=a: len(Sized(a)) for a in answers), *(lambda a=a: bool(Sized(a)) for a in answers))
        return v, lengths, tried(*(lambda c=c: caught(c) for c in sets))
    answers = [Sized(1), Number.TWO, True, 3, -1, 2.5, "a", None, torch.tensor(3), numpy.int64(2)]
    sets = [IndexError, (KeyError, IndexError), (IndexError, 3), (3, IndexError), int, (), (IndexError, (KeyError,))]
    return f, (row(), answers, sets), answers.reverse


@case
def members_with_texts_of_their_own():
    words = ["a"]
    class Level(enum.Enum):
        LOW = 1
        def __str__(self):
            return words[0] + self.name
        def __format__(self, spec):
            return spec + words[0]
    class Tone(enum.Enum):
        SOFT = 1
        def __repr__(self):
            return words[0]
    class Wrong(enum.Enum):
        NO = 1
        def __str__(self):
            return 3
    def f(v, *members):
        return v, tried(*(lambda m=m: str(m) for m in members), *(lambda m=m: repr(m) for m in members),
                        *(lambda m=m: f"{m:>4}" for m in members), *(lambda m=m: f"{m} {m!r}" for m in members))
    return f, (row(), Level.LOW, Tone.SOFT, Wrong.NO, 3), lambda: words.__setitem__(0, "b")


@case
def the_same_code_over_other_names():
    def part(v):
        global LAST_SEEN
        early, a = GAIN, v * 2
        torch._dynamo.graph_break()
        b = a + GAIN
        LAST_SEEN = early
        return b, early, lambda q: q * GAIN, [GAIN * i for i in range(2)], (GAIN + i for i in range(2))
    def f(v):
        torch._dynamo.graph_break()
        b, early, scaled, more, lazy = part(v)
        return b, early, scaled(2), more, list(lazy), part.__globals__["LAST_SEEN"]
    other = types.FunctionType(part.__code__, {**globals(), "GAIN": 50})
    def change():
        nonlocal part
        part = other
    return f, (row(),), change


@case
def a_native_step_over_other_names():
    def part(v):
        early = GAIN
        word = repr(object)[:2] + str(sorted(str(GAIN)))
        v = v + len(word)
        class Inner:
            gain = GAIN
        return v, word, Inner.gain, early
    def f(v):
        torch._dynamo.graph_break()
        return part(v)
    other = types.FunctionType(part.__code__, {**globals(), "GAIN": 50})
    def change():
        nonlocal part
        part = other
    return f, (row(),), change


@case
def an_error_with_an_argument_whose_text_is_code():
    said = []
    class Key:
        def __repr__(self):
            said.append("asked")
            raise TypeError("no text")
    class Wrong(Exception):
        def __str__(self):
            said.append("asked")
            return "wrong"
    class Level(enum.Enum):
        LOW = 1
        def __str__(self):
            return False
    def f(v, key, level):
        if said:
            return v, len(said)
        if level.name == "LOW" and key is not None:
            raise KeyError(key)
        raise Wrong(v.shape[0], level.value)
    arguments = [row(), Key(), Level.LOW]
    def g(v, key, level):
        seen = []
        for k in (key, None):
            try:
                f(v, k, level)
            except KeyError as e:
                seen.append((type(e.__context__).__name__, e.args[0] is key))
            except Exception as e:
                seen.append((type(e).__name__, e.args))
        return seen, len(said)
    return g, arguments, lambda: None


@case
def an_error_that_leaves_with_an_argument_whose_text_is_code():
    said = []
    class Key:
        def __hash__(self):
            return 3
        def __repr__(self):
            said.append("asked")
            return "key"
    def f(v, table, key):
        v = v + len(said)
        return v * table[key]
    return f, (row(), {}, Key()), lambda: None


@case
def methods_of_tensors_taken_from_their_class():
    x = torch.arange(6.0).reshape(2, 3)[:, 1:]
    before, taken = torch.Tensor.storage_offset, torch.Tensor.is_set_to
    def f(v):
        return v * 2 + before(v), torch.Tensor.storage_offset(v) * 3, taken(v, v), v.storage_offset()
    def change():
        torch.Tensor.storage_offset = lambda self: before(self) + 5
        UNDO.append(lambda: setattr(torch.Tensor, "storage_offset", before))
    return f, (x,), change


@case
def number_that_is_too_large_to_fill_with():
    def f(v, n):
        torch.full((2,), n)
        return v * 2
    arguments = [row(), 3]
    def change():
        arguments[1] = 2**65
    return f, arguments, change


@case
def named_tuple_whose_make_is_replaced():
    class Pair(typing.NamedTuple):
        left: int
        right: float = 0.5
    def f(v):
        p = Pair(2)._replace(left=7)
        return v * p[0], p
    def change():
        Pair._make = classmethod(lambda cls, items: cls(1, 2))
    return f, (row(),), change


@case
def named_tuple_whose_replace_is_replaced():
    class Pair(typing.NamedTuple):
        left: int
        right: float = 0.5
    Pair._replace = lambda self, **changes: Pair(len(changes), 9)
    def f(v):
        return v * Pair(2)._replace(left=7).left, Pair(3)._asdict()
    def change():
        del Pair._replace
        Pair._replace = lambda self, left: Pair(left * 2)
    return f, (row(),), change


@case
def number_that_is_infinite_and_not_needed():
    def f(v, r):
        math.floor(r), round(r), int(r), math.sin(r)
        return v * 2
    arguments = [row(), 1.5]
    def change():
        arguments[1] = float("inf")
    return f, arguments, change


@case
def methods_of_plain_numbers_with_numbers_that_vary():
    def f(v, n):
        return v * (2).__add__(n), (1.5).__mul__(n), (3).__lt__(n), (7).__divmod__(n), int.__sub__(9, n), "ab".center(n)
    arguments = [row(), 3]
    def change():
        arguments[1] = 5
    return f, arguments, change


@case
def dictionaries_that_change_while_they_are_walked():
    def walk(table, change):
        seen = []
        try:
            for k in table:
                seen.append(k)
                change(table, k)
                if len(seen) > 6:
                    break
        except RuntimeError as e:
            seen.append(str(e))
        return seen
    def popped(table, k):
        if table:
            table.popitem()
    def exchanged(table, k):
        if "q" not in table:
            table.popitem()
            table["q"] = 1
    def grown(table, k):
        table[k + "x"] = 1
    def kept(table, k):
        table[k] = 2
    def f(v, kinds, sizes):
        return v * 2, [walk(kind((k, 1) for k in "abc"[:n]), change)
                       for kind in kinds for n in sizes for change in (popped, grown, kept, exchanged)]
    arguments = [row(), [dict, collections.OrderedDict], [1, 2, 3]]
    def change():
        arguments[2] = [3, 1]
    return f, arguments, change


def named_tuple_text(alter, word=str):
    class Pair(typing.NamedTuple):
        left: int
        right: float = 0.5
    p = Pair(2)
    def f(v):
        return v * len(word(p)), f"{p}", repr(p), str(Pair).split('.')[-1]
    return f, (row(),), lambda: alter(Pair)


CASES["text_of_a_named_tuple_by_its_name"] = lambda: named_tuple_text(lambda cls: setattr(cls, "__name__", "Longer"))
CASES["text_of_a_named_tuple_by_its_qualname"] = lambda: named_tuple_text(lambda cls: setattr(cls, "__qualname__", "Longer"))
CASES["text_of_a_named_tuple_by_its_repr"] = lambda: named_tuple_text(lambda cls: setattr(cls, "__repr__", lambda p: "x"))
CASES["text_of_a_named_tuple_by_its_str"] = lambda: named_tuple_text(lambda cls: setattr(cls, "__str__", lambda p: "xyz"))


@case
def arity_of_a_renamed_function():
    def inner(v):
        return v
    def f(v):
        words = []
        for arguments, named in (((v, v), {}), ((), {}), ((v,), {"v": v}), ((), {"w": 1})):
            try:
                inner(*arguments, **named)
            except TypeError as problem:
                words.append(str(problem))
        return v * 2, words
    return f, (row(),), lambda: setattr(inner, "__qualname__", "renamed")


@case
def library_functions_of_tensors_in_containers():
    def f(v, scale):
        found = []
        for ask in (lambda: math.prod((v[:1], 2)), lambda: math.prod([v]), lambda: float(math.prod([v])),
                    lambda: math.fsum([v[0], 1]), lambda: math.dist((v[0], 1), (0, 1)), lambda: math.hypot(v[0], 1),
                    lambda: bytes([v[2].int()]), lambda: " ".join([v]), lambda: (1).__add__([v]),
                    lambda: [v[:1]].__eq__([v[:1]])):
            try:
                found.append(ask())
            except Exception as problem:
                found.append(type(problem).__name__)
        return found, v * scale
    arguments = [row(), 2.0]
    def change():
        arguments[1] = 3.0
    return f, arguments, change


@case
def truth_of_a_number_of_numpy_after_other_breaks():
    class Words(list):
        """No list of Python's own: what is taken out of it breaks the graph."""
    base = torch.arange(8.0)
    pair = [base[:4], torch.ones(4)]
    def f(i):
        view = pair[0].view(2, 2)
        view[0] += i
        pair[1].copy_(pair[0] * 2)
        view.t_() if i < 0 else view
        return view.sum() + pair[1], base * 1
    def change():
        nonlocal pair
        pair = Words(pair)
    return f, (numpy.int64(3),), change


@case
def lengths_beyond_what_python_counts():
    class Sized:
        def __init__(self, n):
            self.n = n
        def __len__(self):
            return self.n
    def f(v, s):
        found = []
        for ask in (len, bool, lambda s: 1 if s else 2, lambda s: s or 4):
            try:
                found.append(ask(s) is s or ask(s))
            except Exception as problem:
                found.append(repr(problem))
        return v * 2, found
    s = Sized(3)
    return f, (row(), s), lambda: setattr(s, "n", 2 ** 65)


@case
def numbers_of_methods_of_the_wrong_kind():
    class Number:
        def __init__(self, v):
            self.v = v
        def __float__(self):
            return self.v
        def __int__(self):
            return self.v
        def __complex__(self):
            return self.v
    def f(v, *objects):
        found = []
        for kind in (float, int, complex):
            for x in objects:
                try:
                    found.append(kind(x))
                except TypeError as problem:
                    found.append(str(problem))
        return v * 2, found
    objects = [Number(v) for v in (3, 2.5, "a", None, 1j)]
    return f, (row(), *objects), lambda: [setattr(x, "v", 2) for x in objects]


@case
def member_of_flags_whose_value_is_changed():
    class Bits(enum.Flag):
        A = 1
        B = 2
    both = Bits.A | Bits.B
    def f(v, s):
        return v * 2, Bits.A in s
    return f, (row(), both), lambda: setattr(both, "_value_", 2.5)


@case
def exceptions_made_by_a_new_of_their_own():
    class Failure(Exception):
        pass
    def f(v, k):
        try:
            raise Failure(k)
        except Exception as problem:
            return v * k, type(problem).__name__, problem.args, str(problem)
    return f, (row(), 3), lambda: setattr(Failure, "__new__", lambda cls, *a: KeyError("other"))
