"""Generated programs: state of every kind, kept in every kind of place, read, written and handed on in many ways.

`source(seed)` gives the text of a program that is executed after programs.py, in the same namespace: it uses the classes and
functions of that file. Equal seeds give equal texts.
"""

# ruff: noqa: E501 - tables of texts
from __future__ import annotations

import random
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

# How a value of each kind is made, as text.
MAKERS: dict[str, list[str]] = {
    "int": ["3", "1", "0", "-2", "5", "7"],
    "float": ["0.5", "2.0", "-1.5", "0.0", "-0.0"],
    "flag": ["True", "False", "None"],
    "text": ["'add'", "'k'", "MODE", "''", "'rate'"],
    "list": ["[1, 2, 3]", "[2.5]", "[]", "[1, 'a', 2]", "[Base(2), Base(5)]", "[add_one, double]", "[ramp(3), ramp(3)]", "[[1], [2, 3]]"],
    "tuple": ["(1, 2)", "(3, 'a')", "Pair(2)", "(ramp(3), 1)", "()", "(Base(), [1])"],
    "dict": ["{'a': 1, 'k': 2.0}", "{}", "{'k': 3, 'rate': 4}", "{1: 2, 'a': 'b'}", "{'k': [1, 2]}", "collections.OrderedDict(k=1, z=2)",
             "collections.defaultdict(int, k=3)", "collections.Counter('aabk')", "WordDict(k=2)", "types.MappingProxyType(TABLE)",
             "collections.ChainMap({'k': 1}, TABLE)"],
    "set": ["{1, 2}", "{'a', 'k'}", "frozenset({1, 'add'})", "set()"],
    "object": ["Base()", "Child(2)", "Cousin(4)", "Sized(2)", "Money(3)", "Slotted(2)", "Options(3)", "Falls(Base())", "UsesDescribed()",
               "WithMeta()", "UsesOnlyGet()", "types.SimpleNamespace(k=2, rate=3)", "Lazy()", "Counts()", "Indexed()", "Node(2, Node(3))"],
    "enum": ["Colour.RED", "Colour.BLUE", "Level.LOW", "Tone.SOFT", "Bits.A | Bits.B"],
    "function": ["add_one", "double", "scaled", "with_helper", "functools.partial(scaled, by=4)", "Base(3).apply", "Money(2)", "torch.relu",
                 "torch.add", "lambda v, *a: v + 2", "cached", "Base.made", "operator.neg", "abs", "noted", "nested_defaults()",
                 "functools.partial(functools.partial(scaled, by=2), shift=1)", "operator.methodcaller('__abs__')"],
    "class": ["Base", "Child", "Money", "Options", "int", "Pair", "WithMeta"],
    "net": ["Scaled(3.0)", "nn.Sequential(Scaled(2.0), nn.ReLU())", "nn.Identity()", "Net().eval()", "nn.ModuleList([Scaled(2.0), nn.Tanh()])",
            "nn.ModuleDict({'k': Scaled(0.5)})", "nn.ParameterList([nn.Parameter(torch.ones(3))])", "nn.LayerNorm(3)"],
    "tensor": ["ramp(3)", "ramp(2, 3)", "ramp(3).double()", "ramp(1)", "torch.tensor(2)", "ramp(3).requires_grad_()", "ramp(6)[::2]",
               "nn.Parameter(ramp(3))", "ramp(3, 3).t()", "ramp(3) > 0", "ramp(1).expand(3)", "ramp(3).long()", "torch.zeros(0)", "ramp(6)[3:]"],
    "array": ["np.ones(3, np.float32)", "np.arange(3)", "np.float32(2.0)", "np.int64(3)"],
    "other": ["range(3)", "slice(0, 2)", "b'ab'", "bytearray(b'xy')", "collections.deque([1, 2], maxlen=3)", "weakref.ref(DRAFT)", "Ellipsis",
              "array.array('i', [1, 2])", "fractions.Fraction(1, 2)", "2 + 1j", "itertools.islice(itertools.count(2), 60)", "iter([1, 2, 3, 4])", "LEVEL",
              "torch.float64", "torch.device('cpu')", "torch.Size([2, 3])", "collections.UserDict(k=2)", "collections.UserList([1, 2])",
              "operator.attrgetter('k')", "pathlib.PurePath('a/b')", "datetime.timedelta(seconds=3)", "random.Random(3)", "CONFIG"],
}

# Ways to read a value: expressions over {x} (the value), {y} (another value of any kind) and v (a tensor of three rows).
ANY = ["({x} is {y})", "({x} == {y})", "(not {x})", "isinstance({x}, Base)", "isinstance({x}, (int, list))", "(type({x}) is type({y}))",
       "len(type({x}).__name__)", "callable({x})", "hasattr({x}, 'k')", "getattr({x}, 'k', 3)", "({x} is None)", "({x} in ({y}, 1))",
       "[{x}, {y}].index({x})", "len([{x}, {y}])", "(1 if {x} else 2)", "torch.is_tensor({x})", "({x} != {y})", "({x} or 4)", "({x} and 5)",
       "isinstance({x}, collections.abc.Iterable)", "len(str(type({x}) is int))", "bool({x})", "(lambda q: 1 if q is {x} else 2)({y})",
       "issubclass(type({x}), Base)", "len(type({x}).__mro__)", "hasattr({x}, '__len__')", "first_of({x}, {y})", "kind_of({x})",
       "(id({x}) == id({y}))", "dispatched({x})", "hasattr(type({x}), 'rate')"]
READERS: dict[str, list[str]] = {
    "int": ["{x}", "({x} + 1)", "abs({x})", "min({x}, 3)", "({x} % 3)", "sum(range(min({x}, 6)))", "{x}.bit_length()", "({x} > 2)",
            "[1, 2, 3][{x} % 3]", "f'{{{x}:03d}}'.count('0')", "divmod({x}, 2)[1]", "int({x} / 2)", "v[:{x}].sum()", "max({x}, 0) ** 2",
            "pow({x}, 2, 5)", "torch.full((2,), {x}).sum()", "round({x} / 3, 1)", "v.sum({x} % 1)", "math.gcd({x}, 4)"],
    "float": ["{x}", "({x} * 2)", "round({x})", "int({x})", "({x} > 1)", "math.floor({x})", "math.copysign(1.0, {x})", "torch.tensor({x})",
              "abs({x})", "max({x}, 0.25)", "math.isnan({x})", "len(f'{{{x}:.2f}}')", "v.clamp(max={x}).sum()", "{x}.is_integer()", "{x} ** 2",
              "torch.full((2,), {x}).sum()", "len(repr({x}))", "(v + {x}).mean()"],
    "flag": ["({x} is True)", "({x} is None)", "int({x} or 0)", "(2 if {x} else 3)", "({x} == 1)", "len(str({x}))", "v.sum(0, keepdim=bool({x}))[..., None][0]"],
    "text": ["len({x})", "({x} == MODE)", "({x} is MODE)", "len({x}.upper())", "TABLE.get({x}, 3)", "getattr(base, {x}, 2)", "ord(({x} + 'z')[0])",
             "len(f'{{{x}}}-{{v.shape[0]}}')", "({x} in CHOICES)", "len({x} * 2)", "{x}.startswith('a')", "len({x}.split('a'))", "('d' in {x})",
             "{{'add': 3, 'k': 4}}.get({x}, 5)", "len(sorted({x}))", "hasattr(base, {x})", "len('%s' % {x})", "{x}.find('d')"],
    "list": ["len({x})", "{x}[0]", "{x}[-1]", "sum({x})", "(2 in {x})", "len({x}[1:])", "total({x})", "sorted({x})[0]", "list(reversed({x}))[0]",
             "[i for i in {x}][0]", "max({x})", "any({x})", "all({x})", "({x} == [1, 2, 3])", "len([*{x}, *{x}])", "next(iter({x}), 4)",
             "list(enumerate({x}))[-1][0]", "list(zip({x}, {x}))[0][1]", "tuple({x})[0]", "{x}.count(1)", "{x}.index(2)", "len(str({x}))",
             "len({x} + [1])", "({x} is {y})", "dict.fromkeys({x}, 1).get(1, 2)", "functools.reduce(first_of, {x}, 1)", "min({x}, key=size_of)",
             "{x}[0].k", "{x}[1](v).sum()", "{x}[0].sum()", "{x}[1][0]", "len(list(itertools.chain({x}, {x})))", "{x}[::2][0]",
             "len({x}.copy())", "torch.stack({x}).sum()", "len(list(filter(None, {x})))", "sum(map(size_of, {x}))"],
    "tuple": ["len({x})", "{x}[0]", "total({x})", "(1 in {x})", "{x}[-1]", "({x} == (1, 2))", "len({x} * 2)", "{x}.count(1)", "getattr({x}, 'left', 2)",
              "first_of(*{x})", "len({x} + (1,))", "{x}[1:][0]", "{x}[0].sum()", "{x}[0].k", "len(str({x}))", "hash({x}) == hash({x})",
              "{x}._replace(left=7)[0]", "len(getattr({x}, '_fields', ()))", "min({x})"],
    "dict": ["{x}['k']", "{x}.get('k', 5)", "len({x})", "('a' in {x})", "total({x}.values())", "len(list({x})[0])", "list({x}.values())[-1]",
             "sum(len(str(n)) for n in {x})", "next(iter({x}.values()), 2)", "len({{**{x}, 'n': 1}})", "len(str({x}))", "({x} == {{'a': 1, 'k': 2.0}})",
             "len(sorted({x}, key=str))", "list({x}.items())[0][1]", "{x}['missing']", "len([n for n in {x} if n != 'k'])", "len({x}.keys() & {{'a'}})",
             "len(list(reversed(list({x}))))", "{x}.get(1, {x}.get('a', 3))", "{x}['k'][0]", "max({x}.values())", "{{n: 1 for n in {x}}}.get('a', 4)",
             "(dict({x}) is {x})", "len({x}.copy())", "ordered({x})", "len(dict({x}))", "keyed(**{x})"],
    "set": ["len({x})", "(1 in {x})", "('a' in {x})", "len({x} | {{9}})", "len({x} & {{1, 'k'}})", "({x} == {{1, 2}})", "({x} <= {{1, 2, 3}})",
            "len(sorted({x}, key=str))", "sum(1 for _ in {x})", "len({x} - {{1}})", "{x}.isdisjoint({{2}})", "total({x})"],
    "object": ["{x}.k", "{x}.rate", "getattr({x}, 'rate', 4)", "hasattr({x}, 'extra')", "isinstance({x}, Base)", "(type({x}) is Child)", "type({x}).rate",
               "len({x}.__class__.__name__)", "{x}.__dict__.get('k', 6)", "len(vars({x}))", "total({x}.__dict__.values())", "{x}.apply(v).sum()",
               "({x} == {y})", "{x}.items[0]", "len({x}.items)", "type({x}).apply({x}, v).sum()", "{x}.scaled", "{x}.fixed(2)", "{x}.made(3)",
               "{x}.width", "{x}.n", "{x}(2)", "len({x})", "{x}[1]", "list({x})[0]", "({x} + {x}).cents", "{x}.size", "{x}.cents", "(3 in {x})",
               "copy.copy({x}).k", "operator.attrgetter('k')({x})", "total({x})", "{x}.lazy", "{x}.hits", "int({x})", "float({x})", "[4, 5, 6][{x}]",
               "{x}.next.k", "{x}.next.next", "len(f'{{{x}:>3}}')", "dataclasses.replace({x}, width=4).width", "{x}.__class__.rate", "{x}.table['bias']",
               "len(str({x}))", "({x} < {y})", "-{x}", "{x}.counted", "next(iter({x}), 3)", "getattr({x}, MODE, 9)",
               "{x}.__getattribute__('k')", "object.__getattribute__({x}, 'k')", "super(Child, {x}).apply(v).sum()", "copy.deepcopy({x}).k"],
    "enum": ["({x} is Colour.RED)", "{x}.value", "len({x}.name)", "({x} == 1)", "{x}.weight", "({x} in Colour)", "isinstance({x}, int)", "len(str({x}))",
             "{{Colour.RED: 3}}.get({x}, 4)", "({x} == Level.LOW)", "type({x})(1).value", "len(list(type({x})))", "(Bits.A in {x})", "{x} + 1"],
    "function": ["{x}(v).sum()", "{x}(2)", "len({x}.__name__)", "({x} is add_one)", "({x}.__defaults__ or (1,))[0]", "{x}(v, 2)", "apply_to({x}, v)",
                 "list(map({x}, [1, 2]))[0]", "getattr({x}, 'note', 2)", "({x}.__kwdefaults__ or {{}}).get('shift', 3)", "({x} == {y})",
                 "len({x}.__doc__ or '')", "{x}.__code__.co_argcount", "functools.partial({x}, v)().sum()", "(lambda: {x})()(3)", "{x}(v, by=2).sum()",
                 "{{add_one: 2}}.get({x}, 3)", "{x}.func(2)", "{x}.keywords.get('by', 1)", "{x}.__self__.k", "{x}.__func__ is Base.apply",
                 "len({x}.__qualname__)", "{x}.__wrapped__(2)", "noted.level", "({x}.__closure__ or [2])[0]", "sorted([2, 1], key={x})[0]"],
    "class": ["{x}(2).k", "getattr({x}, 'rate', 2)", "({x} is Base)", "issubclass({x}, Base)", "len({x}.__name__)", "isinstance(base, {x})", "{x}.apply(base, v).sum()",
              "len({x}.__mro__)", "{x}.made(2)", "hasattr({x}, 'extra')", "{x}(3)", "len({x}.__bases__)", "('rate' in {x}.__dict__)", "{x}.fixed(3)",
              "vars({x}).get('rate', 5)", "{x}.__dict__['rate']", "len([n for n in vars({x}) if n[0] != '_'])", "getattr({x}, 'level', 2)"],
    "net": ["{x}(v).sum()", "{x}.by", "{x}.training", "len(list({x}.parameters()))", "len({x}._modules)", "hasattr({x}, 'by')", "{x}.forward(v).sum()",
            "type({x}).forward({x}, v).sum()", "sum(p.numel() for p in {x}.parameters())", "len([n for n, _ in {x}.named_children()])", "{x}[0](v).sum()",
            "len({x}._forward_hooks)", "len({x}.state_dict())", "next({x}.parameters(), torch.ones(1)).sum()", "isinstance({x}, Scaled)", "{x}['k'](v).sum()",
            "[m.training for m in {x}.modules()][-1]", "len({x})", "{x}[0].sum()", "F.relu({x}(v)).sum()", "{x}.eval()(v).sum()", "{x}.weight.sum()",
            "len(list({x}.buffers()))", "[n for n, p in {x}.named_parameters()][-1].count('w')", "getattr({x}, 'bias', None) is None", "{x}.weight.requires_grad",
            "through({x}, v).sum()", "len(repr({x}))", "{x}.get_submodule('0')(v).sum()", "('k' in {x})"],
    "tensor": ["{x}.sum()", "{x}.shape[0]", "{x}.dim()", "{x}.numel()", "({x}.dtype is torch.float32)", "{x}.is_contiguous()", "{x}.stride()[0]",
               "{x}.storage_offset()", "{x}.requires_grad", "{x}.is_leaf", "len({x})", "({x} is {y})", "isinstance({x}, nn.Parameter)", "hasattr({x}, 'tag')",
               "{x}.mean()", "(v + {x}).sum()", "(v * {x}).sum()", "{x}[0]", "{x}.T.sum()", "float({x}.sum())", "int({x}.numel() / 2)", "{x}.t().is_contiguous()",
               "{x}.ndim", "{x}.element_size()", "{x}.device.type == 'cpu'", "{x}.dtype.is_floating_point", "{x}.view(-1)[0]", "{x}.reshape(-1).shape[0]",
               "torch.cat([{x}, {x}]).shape[0]", "{x}.size(-1)", "tuple({x}.shape)[0]", "{x}.tolist()", "({x} > 0).any()", "{x}.grad is None", "{x}.max()",
               "{x}.float().std()", "{x}.numpy().sum()", "torch.result_type({x}, v) is torch.float32", "{x}.to(torch.float64).sum().dtype is torch.float64",
               "({x}.data_ptr() == {x}.view(-1).data_ptr())", "{x}._version", "{x}.detach().sum()", "torch.equal({x}, v)", "{x}.nbytes", "{x}.new_ones(2).sum()",
               "torch.zeros_like({x}).sum()", "{x}.clone().add_(1).sum()", "{x}.unsqueeze(0).shape[-1]", "({x} @ {x})", "({x}.untyped_storage().nbytes())"],
    "array": ["{x}.sum()", "float({x}.sum())", "torch.as_tensor({x}).sum()", "{x}.dtype == np.float32", "({x} * 2).sum()", "{x}.shape", "float({x}.max())",
              "(v * torch.as_tensor({x})).sum()", "len({x})", "{x}[0]", "int({x}.ndim)", "torch.from_numpy({x}).sum()", "np.asarray({x}).size"],
    "other": ["len({x})", "{x}[0]", "list({x})[0]", "next({x})", "{x}()", "sum({x})", "{x}.get()", "v[{x}].sum()", "{x}.numerator", "{x}.real", "{x}(base)",
              "len({x}.parts)", "{x}.seconds", "{x}.random()", "v.to({x}).sum()", "{x}.rate", "{x}['k']", "len(str({x}))", "{x}.maxlen", "total({x})",
              "hash({x}) == hash({x})", "{x}.get('k', 3)", "{x}.data", "torch.zeros({x}).numel()", "next({x}, 4)", "{x}.scale(v).sum()"],
}
AMBIENT = ["len(os.environ.get('GUARDSCOPE_ATTACK', 'ab'))", "LEVEL.get()", "torch.is_grad_enabled()", "(torch.get_default_dtype() is torch.float32)",
           "random.random()", "random.randint(0, 9)", "np.random.rand()", "torch.rand(1)", "torch.rand(2).sum().item()", "len(os.getcwd())", "len(sys.argv)",
           "torch.initial_seed() % 9", "torch.are_deterministic_algorithms_enabled()", "torch.is_inference_mode_enabled()", "torch.ones(2).dtype.itemsize",
           "('GUARDSCOPE_ATTACK' in os.environ)", "len(os.getenv('GUARDSCOPE_ATTACK') or 'x')", "random.choice([1, 2, 3])", "math.sqrt(4.0)", "F.relu(v).sum()",
           "GAIN", "helper(v).sum()", "globals().get('GAIN', 3)", "globals()['RATE']", "len(TABLE)", "CONFIG.rate", "CONFIG.scale(v).sum()", "CONFIG.late",
           "torch.tensor(1.5).dtype.itemsize", "torch.randn(2).sum()", "len(torch.get_rng_state()) > 0", "threading.current_thread().name.count('a')",
           "round(2.6)", "F.dropout(v, 0.5).sum()", "nn.functional.gelu(v).mean()", "torch.randperm(3)[0]", "torch.bernoulli(v * 0 + 0.5).sum()", "v.new_empty(2).dtype.itemsize",
           "torch.arange(3.0).dtype.itemsize", "sys.modules['math'].sqrt(9.0)", "LOCAL.k", "registry['add'](v).sum()", "imported(v).sum()", "len(__file__) > 0",
           "memo(2)", "torch.is_autocast_enabled()", "(v @ v)", "isinstance(3, Base)", "len(F.relu.__name__)", "getattr(torch.relu, 'note', 2)", "__import__('math').sqrt(16.0)",
           "len(Base.__bases__)", "Base.__mro__[0].rate", "torch.nn.Linear.forward.__name__.count('f')", "len(vars(Base))", "Child.__dict__['extra']",
           "math.pi > 3", "hasattr(torch, 'relu')", "hasattr(math, 'extra')", "getattr(F, 'extra', 2)", "Base.table['bias']", "isinstance(CONFIG, type(math))",
           "F.relu is torch.relu", "callable(torch.tanh)", "random.Random is type(random)", "random.getrandbits(4)", "dir() == []", "len(locals())",
           "torch.finfo(v.dtype).eps < 1", "torch.Size([1, 2])[1]", "torch.Generator().initial_seed() > 0", "torch.tensor([1, 2]).tolist()[0]", "os.path.basename('a/b') == 'b'"]
IMPORTS = ["import math as mm; v = v + mm.sqrt(4.0)", "from math import sqrt as root; v = v + root(9.0)", "import os.path as op; out.append(op.sep)",
           "from torch.nn import functional as FF; v = FF.relu(v)", "import torch.nn.functional; v = torch.nn.functional.relu(v) - 1",
           "import random as rr; v = v * rr.random()", "from operator import add; v = add(v, 1)", "from torch import tanh; v = tanh(v)"]
TARGETS = {"list": ["{x}.append({e})", "{x}[0] = {e}", "{x}.pop()", "{x}.reverse()", "{x}.extend([1, {e}])", "del {x}[0]", "{x}.insert(0, {e})", "{x} += [2]",
                    "{x}.sort()", "{x}.clear()", "{x}[:] = [{e}, 2]", "{x}[0] += 1"],
           "dict": ["{x}['n'] = {e}", "{x}['k'] = {e}", "{x}.pop('a', None)", "{x}.update(z={e})", "{x}.setdefault('q', {e})", "del {x}['k']", "{x}.clear()",
                    "{x}['k'] += 1", "{x}.popitem()", "{x} |= {{'w': 1}}"],
           "set": ["{x}.add(7)", "{x}.discard(1)", "{x} |= {{8}}", "{x}.update({{'add'}})", "{x}.remove(2)"],
           "object": ["{x}.k = {e}", "{x}.extra = {e}", "{x}.k += 1", "del {x}.k", "setattr({x}, 'rate', {e})", "{x}.items.append({e})", "{x}.__dict__['k'] = {e}",
                      "{x} += {x}", "{x}.note = v", "type({x}).rate = {e}", "{x}.__class__ = Cousin", "vars({x}).update(k={e})", "{x}.size = {e}", "{x}.n = 1"],
           "tensor": ["{x}.add_(1)", "{x}[0] = 2", "{x}.mul_(2)", "{x}.zero_()", "{x}.copy_({x} * 2)", "{x}.tag = {e}", "{x} += 1", "{x}.requires_grad_(False)",
                      "{x}.data = v", "{x}.unsqueeze_(0)", "{x}.fill_(3)"],
           "net": ["{x}.by = {e}", "{x}.train()", "{x}.eval()", "{x}.extra = nn.Tanh()", "{x}.calls = {e}", "{x}.requires_grad_(False)", "{x}.register_buffer('late', v)"],
           "function": ["{x}.note = {e}", "{x}.__defaults__ = (4,)"],
           "array": ["{x}[0] = 5", "{x} *= 2"],
           "other": ["{x}.append({e})", "{x}['k'] = {e}", "{x}[0] = 1", "{x}.set({e})", "{x}.rate = {e}", "next({x})", "{x}.seed(3)"],
           "class": ["{x}.rate = {e}", "{x}.extra = {e}"]}
PLACES = ["global", "cell", "argument", "default", "keyword", "namespace", "class", "item", "attribute", "argument item", "module", "tuple item", "instance"]


@dataclass
class Slot:
    """One piece of state: what kind, how it is made, and how the program writes down its place."""

    kind: str
    maker: str
    text: str
    place: str
    name: str


class Generator:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.slots: list[Slot] = []
        self.globals: list[str] = []
        self.cells: list[str] = []
        self.depth = 0
        self.temporaries = 0

    def pick(self, items: list[str]) -> str:
        return self.rng.choice(items)

    # -- state ----
    def make_slots(self) -> None:
        kinds = list(MAKERS)
        for i in range(self.rng.choice([2, 3, 3, 4, 5])):
            kind, place = self.pick(kinds), self.pick(PLACES)
            name = f"s{i}"
            text = {"global": f"G_{name}", "namespace": f"SPACE.{name}", "class": f"Settings.{name}", "item": f"BOX['{name}']",
                    "attribute": f"holder.{name}", "argument item": f"bag['{name}']", "module": f"CONFIG.{name}",
                    "tuple item": f"PACK_{name}[1]", "instance": f"SPACE.inner.{name}"}.get(place, name)
            self.slots.append(Slot(kind, self.pick(MAKERS[kind]), text, place, name))

    # -- expressions ----
    def other(self) -> str:
        dice = self.rng.random()
        if dice < 0.75:
            return self.rng.choice(self.slots).text
        return self.pick(["add_one", "MODE", "None", "DRAFT", "3", "'add'", "v", "Colour.RED", "torch.relu", "base"])

    def read(self) -> str:
        """An expression of any type."""
        if self.rng.random() < 0.15:
            return self.pick(AMBIENT)
        s = self.rng.choice(self.slots)
        pool = ANY if self.rng.random() < 0.25 else READERS[s.kind]
        return self.pick(pool).format(x=s.text, y=self.other())

    def number(self) -> str:
        """An expression that gives something to add to a tensor."""
        return f"num({self.read()})" if self.rng.random() < 0.8 else self.read()

    # -- statements ----
    def block(self, count: int) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement()
        return lines or ["pass"]

    def statement(self) -> list[str]:
        dice = self.rng.random()
        simple = self.depth >= 2 or dice < 0.55
        if simple:
            return self.simple()
        self.depth += 1
        try:
            return self.compound()
        finally:
            self.depth -= 1

    def simple(self) -> list[str]:
        s = self.rng.choice(self.slots)
        rules = [lambda: [f"v = v * {self.number()}"], lambda: [f"v = v + {self.number()}"], lambda: [f"v = v + {self.number()}"],
                 lambda: [f"out.append({self.read()})"], lambda: [f"out.append({self.read()})"],
                 lambda: [f"v = torch.where(v > {self.number()}, v, v * 2)"],
                 lambda: [self.pick(TARGETS[s.kind]).format(x=s.text, e=self.read())] if s.kind in TARGETS else ["v = v - 1"],
                 lambda: [f"{s.text} = {self.pick(MAKERS[s.kind])}"] if "PACK" not in s.text and self.rng.random() < 0.5 else ["v = v / 2"],
                 lambda: ["torch._dynamo.graph_break()"] if self.rng.random() < 0.4 else [f"v = {self.pick(['add_one', 'double', 'with_helper'])}(v)"],
                 lambda: [self.pick(IMPORTS)],
                 lambda: [f"print({self.read()})"] if self.rng.random() < 0.4 else [f"out.append({s.text})"]]
        return self.rng.choice(rules)()

    def compound(self) -> list[str]:
        self.temporaries += 1
        t = f"t{self.temporaries}"
        s = self.rng.choice(self.slots)
        inner = textwrap.indent("\n".join(self.block(self.rng.choice([1, 1, 2]))), "    ").split("\n")
        again = textwrap.indent("\n".join(self.block(1)), "    ").split("\n")
        rules = [
            lambda: [f"if {self.read()}:", *inner, "else:", *again],
            lambda: [f"if {self.read()}:", *inner],
            lambda: ["try:", *inner, "except Exception as e:", f"    out.append(type(e).__name__); v = v - {self.number()}"],
            lambda: ["try:", *inner, "except (KeyError, TypeError, AttributeError):", *again, "finally:", "    v = v * 2"],
            lambda: [f"for {t} in some({s.text}):", f"    v = v + num({t})", *inner],
            lambda: [f"for {t} in range({self.pick(['2', '3', 'num(' + s.text + ') % 3 if isinstance(' + s.text + ', int) else 1'])}):", *inner],
            lambda: [f"def {t}(q, w={self.read()}):", f"    return q * num({self.read()}) + num(w)", f"v = {t}(v)"],
            lambda: [f"{t} = lambda q: (q, {self.read()})", f"out.append({t}(v)[1])"],
            lambda: [f"out.append([num({t}) for {t} in some({s.text}) if num({t}) != 2])"],
            lambda: [f"out.append({{str(num({t})): {self.read()} for {t} in some({s.text})}})"],
            lambda: [f"with torch.no_grad() if {self.read()} else contextlib.nullcontext():", *inner],
            lambda: [f"with Manager(out) as {t}:", *inner],
            lambda: [f"match {s.text}:", "    case {'k': k}:", "        v = v + num(k)", "    case [a, *_]:", "        v = v * 2 + num(a)",
                     "    case Base(k=k) | Slotted(k=k):", "        v = v - num(k)", "    case int() | float() | str():", "        v = v * 3", "    case _:", *again],
            lambda: [f"{t} = 0", f"while {t} < 2 and {self.read()} is not False:", f"    {t} += 1", *inner],
            lambda: [f"{t} = {s.text}", f"out.append({t} is {self.other()})", f"v = v + num({t})"],
            lambda: [f"def {t}(q):", "    for i in range(2):", f"        yield q + i + num({self.read()})", f"v = v + sum({t}(1))"],
        ]
        return self.rng.choice(rules)()

    # -- the whole ----
    def text(self) -> str:
        self.make_slots()
        of = lambda *places: [s for s in self.slots if s.place in places]  # noqa: E731
        body = self.block(self.rng.choice([2, 3, 3, 4, 5]))
        top = [f"G_{s.name} = {s.maker}" for s in of("global")]
        top += [f"PACK_{s.name} = (0, {s.maker})" for s in of("tuple item")]
        top += ["class Settings:", "    rate = 1", *(f"    {s.name} = {s.maker}" for s in of("class"))]
        top += [f"SPACE = types.SimpleNamespace({', '.join(f'{s.name}={s.maker}' for s in of('namespace'))})", "SPACE.inner = Base()"]
        top += [f"SPACE.inner.{s.name} = {s.maker}" for s in of("instance")]
        top += [f"BOX = {{{', '.join(f'{s.name!r}: {s.maker}' for s in of('item'))}}}"]
        top += [f"CONFIG.{s.name} = {s.maker}" for s in of("module")]
        head = ["base = Base(2)", "holder = Slots()", *(f"{s.name} = {s.maker}" for s in of("cell")),
                *(f"holder.{s.name} = {s.maker}" for s in of("attribute"))]
        params = ["v", *(s.name for s in of("argument"))]
        given = ["ramp(3)", *(s.maker for s in of("argument"))]
        if of("argument item"):
            params.append("bag")
            given.append("{" + ", ".join(f"{s.name!r}: {s.maker}" for s in of("argument item")) + "}")
        params += [f"{s.name}={s.maker}" for s in of("default")]
        keywords = of("keyword")
        if keywords:
            params += ["*", *(f"{s.name}={s.maker}" for s in keywords)]
        scope = []
        stored = [s for s in of("global", "cell") if any(line.strip().startswith((s.text + " =", s.text + " +=", s.text + " |=", s.text + " *="))
                                                        for line in body)]
        for s in stored:
            scope.append(f"{'global' if s.place == 'global' else 'nonlocal'} {s.text}")
        function = [f"def f({', '.join(params)}):", *(f"    {line}" for line in [*scope, "out = []", *body, "return v, out"])]
        build = [*head, *function]
        extra = self.rng.random()
        target = "f"
        if extra < 0.1:
            build += ["def g(*args, **kwargs):", "    a = f(*args, **kwargs)", "    return a[0] * 2, a[1]"]
            target = "g"
        elif extra < 0.2:
            build += ["class Owner(Base):", "    def run(self, v, *args, **kwargs):",
                      "        return f(v * self.k, *args, **kwargs)", "owner = Owner(2)"]
            target = "owner.run"
        elif extra < 0.28:
            build += ["class Model(nn.Module):", "    def forward(self, v, *args, **kwargs):",
                      "        return f(v, *args, **kwargs)", "owner = Model()"]
            target = "owner"
        passed = ", ".join(f"'{s.name}': {s.maker}" for s in keywords if self.rng.random() < 0.6)
        build += [f"return {target}, ({', '.join(given)},), {{{passed}}}"]
        return "\n".join([*top, "@program", "def generated():", *(f"    {line}" for line in build)]) + "\n"


SHORTER: dict[int, str] = {}         # texts that shrinking has put in the place of generated ones


def source(seed: int) -> str:
    """The text of program number `seed`: always valid Python."""
    number = seed
    while number not in SHORTER:
        text = Generator(seed).text()
        try:
            compile(text, "generated", "exec")
        except SyntaxError:
            seed += 10**9
            continue
        return text
    return SHORTER[number]


def listing(program: str) -> str:
    """The text of a generated program, indented; nothing for a written one."""
    if not program.startswith("generated "):
        return ""
    return textwrap.indent(source(int(program.split()[1])), "    | ")


def shorter(text: str) -> Iterator[str]:
    """Every text with one line of the function less (and what is nested below it), or with a block in place of its head."""
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if line.strip() == "out = []") + 1
    last = next(i for i, line in enumerate(lines) if line.strip() == "return v, out")
    for i in range(first, last):
        depth = indent(lines[i])
        end = next(j for j in range(i + 1, last + 1) if indent(lines[j]) <= depth)
        inner = [line[4:] for line in lines[i + 1:end]]
        for rest in ([], inner) if inner else ([],):
            fewer = "\n".join([*lines[:i], *rest, *lines[end:]])
            try:
                compile(fewer, "generated", "exec")
            except SyntaxError:
                continue
            yield fewer


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())
