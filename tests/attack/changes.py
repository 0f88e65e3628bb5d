"""Every reading of every kind of object, with every change of the object between two calls: compiled against plain Python.

The random attack meets a kind, a reading and a change together by chance only; here each triple is tried. One program per
kind and reading is compiled once and called after every change, in one world compiled, in the other plain.
Run: python -m tests.attack.changes [--part 0/8] [--only OrderedDict]
"""

# ruff: noqa: E501 - tables of texts
from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import main  # noqa: E402

main.make_importable()
from guardscope.tests.attack.random import grammar  # noqa: E402
from guardscope.tests.attack.random.compare import Difference, Pairing, same_outcome  # noqa: E402
from guardscope.tests.attack.random.world import Shared, World, forget_text, show  # noqa: E402

# Objects that the grammar of the random attack does not make: of the library, and of classes derived from Python's own.
MORE = [
    "functools.cached_property(add_one)", "staticmethod(add_one)", "classmethod(add_one)", "Base.__dict__['scaled']", "functools.lru_cache(add_one)",
    "functools.singledispatch(add_one)", "functools.partialmethod(add_one)", "types.ModuleType('m')", "types.SimpleNamespace()", "threading.local()",
    "threading.Event()", "collections.UserString('a')", "ValueError('a')", "KeyError(3)", "weakref.WeakValueDictionary()", "weakref.WeakKeyDictionary()",
    "type('MyList', (list,), {})([1, 2])", "type('MyDict', (dict,), {})(k=1)", "type('MyTuple', (tuple,), {})((1, 2))", "type('MyInt', (int,), {})(3)",
    "type('MyFloat', (float,), {})(2.5)", "type('MyText', (str,), {})('add')", "type('MySet', (set,), {})({1})", "type('MyFrozen', (frozenset,), {})({1})",
    "type('MyBytes', (bytes,), {})(b'a')", "type('MyDeque', (collections.deque,), {})([1])", "type('MyPair', (Pair,), {})(3)",
    "type('MyDefaults', (collections.defaultdict,), {})(int)", "type('MyOrder', (collections.OrderedDict,), {})(k=2)", "type('MyError', (ValueError,), {})('a')",
    "type('MyPartial', (functools.partial,), {})(add_one, 2)", "type('MyTensor', (torch.Tensor,), {})", "torch.Generator()",
    "torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.5)", "torch.optim.lr_scheduler.StepLR(torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.5), 1)",
    "torch.utils.data.TensorDataset(ramp(3))", "torch.distributions.Normal(torch.zeros(2), torch.ones(2))", "torch.finfo(torch.float32)", "torch.no_grad()",
    "nn.ParameterDict({'k': nn.Parameter(torch.ones(3))})", "nn.BatchNorm1d(3)", "nn.Dropout(0.0)", "nn.Linear(3, 3)", "nn.Parameter(ramp(3)).data",
    "argparse.Namespace(k=1)", "logging.Logger('x')", "string.Template('$k')", "io.StringIO('ab')", "re.compile('a')", "re.match('(a)', 'ab')",
    "decimal.Decimal('1.5')", "uuid.UUID(int=3)", "inspect.signature(add_one)", "ast.Name('k')", "contextlib.ExitStack()", "contextlib.nullcontext(3)",
    "collections.deque([1, 2])", "collections.defaultdict(list)", "copy.copy(Base(3))", "object()", "types.MappingProxyType({'k': 1})", "memoryview(b'ab')",
    "(n for n in (1, 2))", "enumerate([1, 2])", "zip((1,), (2,))", "map(abs, [1])", "reversed([1, 2])", "{'k': 1}.items()", "{'k': 1}.keys()", "{'k': 1}.values()",
]
READS = ["hasattr(q, 'zz')", "getattr(q, 'zz', 0)", "'zz' in vars(q)", "len(vars(q))", "list(vars(q))", "sorted(vars(q), key=str)", "q.__dict__.get('k', 4)",
         "str(q).count('k')", "len(repr(q))", "f'{q}'.count('k')", "q", "[q, q]", "q.k", "q.keys()", "list(q)", "q.copy()", "q.items()", "q.append", "q.func", "q.maxlen",
         "q.param_groups[0]['lr']", "len(q.param_groups)", "len(q.state)", "q.defaults['lr']", "q.get_last_lr()", "q.last_epoch", "q.initial_seed()", "q.device", "q.tensors[0].sum()",
         "q.mean.sum()", "q.loc.sum()", "q.eps", "q.training", "q(v)", "q.args", "q.args[0]", "q.pattern", "q.getvalue()", "q.name", "q.level", "q.template", "q.cells",
         "type(q).__name__", "q.__class__", "type(q).zz", "dir(q)", "q.__doc__", "q.__module__", "bool(q)", "len(q)", "q == q", "hash(q) == hash(q)", "copy.copy(q)", "[n for n in q]",
         "isinstance(q, collections.abc.Mapping)", "isinstance(q, collections.abc.Callable)", "q.default_factory", "q.is_set()", "q.group(1)", "getattr(q, '__wrapped__', 3)",
         "q[0]", "q['k']", "q.get('k')", "next(iter(q))", "max(q)", "{**q}", "[*q]", "(lambda *a: len(a))(*q)", "dict(q)", "list(q.values())", "q + q", "q * 2", "-q", "q < 3", "q.zz.sum()"]
OF_THE_OBJECT = [
    "q.zz = 2", "q.zz = 3", "q.zz = ramp(3)", "del q.zz", "q.k = 7", "q.k = 'a'", "q.rate = abs", "q.extra = 4", "q.__dict__['k'] = 3", "q.__dict__['keys'] = list",
    "q.__dict__['append'] = 3", "q.__dict__['apply'] = abs", "q.__dict__['forward'] = abs", "q.__dict__['items'] = list", "q.__dict__['func'] = abs",
    "q.__dict__['__len__'] = lambda: 9", "q.__class__ = Cousin", "q.__class__ = type('Other', (type(q),), {'zz': 9, '__len__': lambda self: 4, '__module__': __name__})",
    "q.append(5)", "q.append('a')", "q.insert(0, 4)", "q[0] = 9", "q[0] = 'a'", "q[1] = 2.5", "q['k'] = 9", "q['k'] = 'b'", "q['n'] = 1", "q.move_to_end('k')", "q.update(k=8)",
    "q.setdefault('w', 3)", "q.add(5)", "q.discard(1)", "q.reverse()", "q.rotate(1)", "q.sort(key=str)", "q.extend([1])", "q.pop()", "q.popitem()", "q.default_factory = list", "q.clear()",
    "q.items = (4,)", "q.items.append(3)", "q.args = (5, 6)", "q.__cause__ = ValueError()", "q.set()", "q.setLevel(3)", "q.name = 'longer'", "q.write('more')", "q.template = 'k'",
    "q.__defaults__ = (3,)", "q.__kwdefaults__ = {'shift': 5}", "q.__code__ = (lambda v, *a, **k: v * 9).__code__", "q.__name__ = 'other'", "q.__doc__ = 'abc'", "q.__wrapped__ = double",
    "q.param_groups[0]['lr'] = 0.25", "q.param_groups.append({'lr': 1})", "q.state['k'] = 3", "q.defaults['lr'] = 3.0", "q.last_epoch = 4", "q.manual_seed(5)", "q.loc = torch.ones(2)",
    "q.tensors = (ramp(2),)", "q.eval()", "q.train()", "q.add_module('k', nn.ReLU())", "q.register_buffer('zz', torch.ones(3))", "q.by = 4.0", "q[0] = nn.Tanh()", "q.eps = 0.5",
    "q.register_forward_hook(lambda m, a, o: o * 2)", "q.weight = nn.Parameter(torch.ones(3, 3))", "q.weight.requires_grad_(False)", "q.bias = None", "q.p = 1.0",
    "q.add_(1)", "q.data = torch.ones(5)", "q.requires_grad_()", "q.t_()", "q.tag = 3", "q._value_ = 7", "q._name_ = 'LONGER'", "q.fill(3)", "q.resize(5, refcheck=False)",
    "q.registry", "q.register(int, double)", "q.callback(print)", "next(q)", "q.send(None)", "q.seed(4)", "q.link = q", "del q.k", "q.__dict__.clear()",
]
OF_ITS_CLASS = [
    "zz = 4", "zz = property(lambda self: 5)", "k = 4", "k = property(lambda self: 5)", "rate = 9", "__len__ = lambda self: 3", "__eq__ = lambda self, o: True",
    "__bool__ = lambda self: False", "__getattr__ = lambda self, n: 6", "__contains__ = lambda self, i: True", "__iter__ = lambda self: iter([1, 2])", "__getitem__ = lambda self, i: [8, 9][i]",
    "__call__ = lambda self, *a, **k: 4", "__str__ = lambda self: 'xkz'", "__repr__ = lambda self: 'akk'", "__hash__ = lambda self: 4", "__add__ = lambda self, o: 5", "__lt__ = lambda self, o: True",
    "__neg__ = lambda self: 7", "keys = lambda self: ['m']", "values = lambda self: [6]", "append = 3", "copy = lambda self: 5", "get = lambda self, *a: 4", "apply = lambda self, v: v * 5",
    "__missing__ = lambda self, k: 5", "__format__ = lambda self, s: 'aaa'", "__int__ = lambda self: 2", "__index__ = lambda self: 1", "__getattribute__ = lambda self, n: 3",
]
MANY = 4                         # readings that are told for one change: they have one cause, most often


def kinds() -> list[str]:
    """Texts that make an object each, which no other program has."""
    made = [text for kind in grammar.MAKERS.values() for text in kind] + MORE
    return [text for text in made if text not in ("torch.relu", "torch.add", "torch.float64")]


def reads() -> list[str]:
    """Texts that read something of an object q."""
    texts = [*grammar.ANY, *(text for kind in grammar.READERS.values() for text in kind)]
    return list(dict.fromkeys([*READS, *(text.format(x="q", y="y") for text in texts)]))


def text_of(kind: str, readings: list[str]) -> str:
    """A program like those of the random attack; its functions are put into FUNCTIONS."""
    functions = "".join(f"    def f{n}(v, q, y):\n        return {text}\n" for n, text in enumerate(readings))
    names = ", ".join(f"f{n}" for n in range(len(readings)))
    return ("import argparse, ast, copy, decimal, inspect, io, logging, re, string, uuid, contextlib\n\n@program\ndef generated():\n"
            f"    base = Base(2)\n{functions}    FUNCTIONS[:] = [{names}]\n    return f0, (ramp(3), {kind}, 3), {{}}\n\nFUNCTIONS = []\n")


class Both:
    """The two worlds of one kind of object."""

    def __init__(self, number: int, kind: str, readings: list[str]) -> None:
        self.kind, self.readings = kind, readings
        self.program = f"generated changes {number}"
        show(str(Path(__file__).resolve().parent / "random" / self.program), text_of(kind, readings))
        self.mine, self.plain = World("compiled", self.program), World("plain", self.program)

    def start(self) -> None:
        """New objects, and functions that were never compiled."""
        import torch

        torch._dynamo.reset()
        for world in (self.mine, self.plain):
            torch.manual_seed(0)
            world.target, args, _ = world.build()
            world.args[:] = args
        self.look()
        self.compiled = [torch.compile(f, backend="eager") for f in self.mine.module.FUNCTIONS]

    def change(self, text: str) -> bool:
        """Whether something was done to both objects."""
        done = []
        for world in (self.mine, self.plain):
            q = world.args[1]
            names = {**vars(world.module), "q": q}
            try:
                if text.split(" = ")[0].isidentifier():
                    cls = q if isinstance(q, type) else type(q)
                    if not str(cls.__module__).startswith("attack_"):
                        return False
                    name, value = text.split(" = ", 1)
                    setattr(cls, name, eval(value, names))
                else:
                    exec(text, names)
                done.append("")
            except Exception as problem:
                done.append(type(problem).__name__)
        self.look()
        return done == ["", ""]

    def look(self) -> None:
        """Whether the arguments can be compared: some kinds of objects cannot."""
        try:
            Pairing().same(self.mine.args, self.plain.args, "args")
            self.alike = True
        except Exception:
            self.alike = False

    def compare(self, n: int) -> str | None:
        """Call reading n in both worlds; what is different, or None."""
        self.mine.target, self.mine.compiled = self.mine.module.FUNCTIONS[n], self.compiled[n]
        self.plain.target = self.plain.module.FUNCTIONS[n]
        try:
            mine, plain = self.mine.call(), self.plain.call()
            pairing = Pairing()
            same_outcome(mine, plain, pairing)
            if self.alike:
                pairing.same(self.mine.args, self.plain.args, "args")
        except Difference as found:
            return str(found)
        except Exception:                                # a class was changed so that nothing can be seen of its instances
            return None
        return None


def differences(number: int, kind: str, readings: list[str], changes: list[str]) -> Iterator[str]:
    """All that differs for one kind of object."""
    import torch

    shared = Shared()
    config = torch._dynamo.config
    limits = config.recompile_limit, config.accumulated_recompile_limit
    config.recompile_limit = config.accumulated_recompile_limit = 10_000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both = Both(number, kind, readings)
        try:
            wrong: set[int] = set()
            said: dict[str, int] = {}
            for some in (OF_THE_OBJECT, OF_ITS_CLASS):
                both.start()
                last = "nothing"
                for change in ("", "", *some):
                    if change and (change not in changes or not both.change(change)):
                        continue
                    last = change or last
                    for n, reading in enumerate(readings):
                        found = both.compare(n) if n not in wrong else None
                        if found is not None:
                            wrong.add(n)
                            said[last] = said.get(last, 0) + 1
                            if said[last] <= MANY:
                                yield f"{kind}: {reading} after {last}: {found}"
        finally:
            config.recompile_limit, config.accumulated_recompile_limit = limits
            shared.undo()
            forget_text(both.program)


def run(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack.changes", description=__doc__)
    parser.add_argument("--part", default="0/1", help="every n-th kind of object, from the k-th: k/n")
    parser.add_argument("--only", default="", help="only kinds whose text holds this")
    options = parser.parse_args(argv)
    first, step = map(int, options.part.split("/"))
    wrong = 0
    chosen = [(n, k) for n, k in enumerate(kinds()) if options.only in k][first::step]
    for number, kind in chosen:
        for found in differences(number, kind, reads(), OF_THE_OBJECT + OF_ITS_CLASS):
            wrong += 1
            print(found, flush=True)
    print(f"{len(chosen)} kinds, {wrong} readings differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
