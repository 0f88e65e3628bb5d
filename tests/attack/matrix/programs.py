"""Texts of the matrix's programs: each tries a dozen operations on its arguments and returns what each gave or raised."""

from __future__ import annotations

import random
from typing import Any

HEAD = "from guardscope.tests.attack.matrix.material import *\nfrom guardscope.tests.attack.matrix.material import assert_, del_\n"
TOGETHER = 12                        # operations of one program
BINARY = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "is", "in",
          "not in"]
IN_PLACE = ["+=", "-=", "*=", "|=", "&=", "^=", "//=", "%="]
UNARY = """
-a | +a | ~a | not a | len(a) | bool(a) | hash(a) is not None | list(a) | tuple(a) | set(a) | frozenset(a) | dict(a) | sorted(a)
sum(a) | min(a) | max(a) | any(a) | all(a) | list(reversed(a)) | str(a) | repr(a) | int(a) | float(a) | complex(a) | abs(a)
round(a) | next(iter(a)) | callable(a) | list(enumerate(a)) | list(zip(a, a)) | divmod(a, 2) | type(a).__name__
isinstance(a, int) | isinstance(a, (str, list)) | isinstance(a, collections.abc.Mapping) | issubclass(a, object)
isinstance(a, collections.abc.Sequence) | isinstance(a, collections.abc.Iterable) | isinstance(a, collections.abc.Hashable)
a[0] | a[-1] | a[:1] | a['a'] | a[0:2:1] | [*a] | {*a} | {**a} | same(*a) | a() | a.a | a.k | a.__class__.__name__ | a.x
a.items() | a.keys() | f'{a}' | f'{a!r:>5}' | '%s' % (a,) | '%d' % a | a.copy() | a.count(1) | a.index(2) | chr(a) | ord(a)
bin(a) | range(a) | list(range(a)) | bytes(a) | slice(a).stop | operator.index(a) | math.sqrt(a) | math.floor(a) | math.prod(a)
itertools.chain(a) is a | list(itertools.chain(a, a)) | list(map(same, a)) | list(filter(None, a)) | hasattr(a, 'a')
functools.reduce(operator.add, a) | getattr(a, 'q', 5) | vars(a) is not None | dir(a) is not None | id(a) == id(a) | a is a
a == a | a != a | a < a | [x for x in a] | {x: 1 for x in a} | (lambda *b: len(b))(*a) | swapped(a) | a.real | a.shape | a.value
a.name | collections.Counter(a) | collections.deque(a) | collections.OrderedDict(a) | torch.tensor(a) | v + a | a + v | v * a
v[a] | v == a | torch.zeros(a) | v.reshape(a) | v.sum(a) | print(a) | iter(a) is a | 1 if a else 2 | a and 3 | a or 4 | [a] * 2
sorted(a, key=str) | sorted(a, reverse=True) | max(a, default=7) | min(a, key=str) | sum(a, 10) | list(zip(a, a, strict=True))
round(a, 1) | pow(a, 2, 5) | pow(2, a) | divmod(7, a) | a[::2] | a[::-1] | a[1:] | a[-2:] | a[5] | a[None] | a[1.5] | a[True]
first(*a) | first(a) | 1 < a < 3 | 1 < a | a <= a | f'{a:>5}' | f'{a:.2f}' | f'{a!s}' | '{}'.format(a) | '{0.k}'.format(a)
','.join(a) | type(a)(a) | type(a)() | hash(a) == hash(a) | list(enumerate(a, 5)) | dict(zip(a, a)) | dict.fromkeys(a)
functools.partial(same, a)() | operator.itemgetter(0)(a) | operator.attrgetter('k')(a) | operator.add(a, a) | operator.not_(a)
operator.getitem(a, 0) | operator.contains(a, 1) | operator.methodcaller('k')(a) | list(itertools.product(a, a)) | operator.neg(a)
list(itertools.zip_longest(a, [1])) | list(itertools.islice(a, 1)) | list(itertools.takewhile(bool, a)) | a.__class__ is type(a)
list(itertools.accumulate(a)) | list(itertools.pairwise(a)) | list(itertools.chain.from_iterable(a)) | list(itertools.repeat(a, 2))
list(itertools.compress(a, [1, 0])) | [(k, list(g)) for k, g in itertools.groupby(a)] | list(itertools.starmap(same, [a]))
collections.ChainMap(a) | collections.defaultdict(a) | copy.copy(a) | copy.deepcopy(a) | copy.copy(a) is a | iter(a) is not None
torch.stack(a) | torch.cat(a) | torch.is_tensor(a) | torch.as_tensor(a) | v.expand(a) | v.view(a) | v / a | a / v | v > a | a - v
v ** a | a ** v | v + (a if a is None else 1) | torch.full((2,), a) | v.to(a) | v.add(a) | torch.add(v, a) | torch.where(v > 0, a, v)
v.item() if a is None else 2 | v.sum(dim=a) | v[..., a] | v.clamp(a) | torch.arange(a) | v.repeat(a) | math.isnan(a) | math.gcd(a, 6)
math.exp(a) | math.ceil(a) | math.trunc(a) | math.isclose(a, 2) | math.fsum(a) | math.dist(a, a) | int(a, 16) | float(str(a)) | str(a)[:3]
isinstance(a, type(a)) | isinstance(a, (int, float)) | issubclass(type(a), dict) | issubclass(a, int) | bool(a) is (not not a)
all(x == x for x in a) | any(x for x in a if x) | next(iter(a), 3) | list(iter(lambda: 1, 1)) | [*a, *a] | {**a, 'z': 1} | (*a,)
matched(a) | walrus(a) | unpacked(a) | nested(a) | setattr(a, 'q', 3) | delattr(a, 'q') | getattr(a, 'k') | a.k if hasattr(a, 'k') else 0
(a,) + (1,) | {a: 1} | {a} | a in [a] | a in (1, 2) | a in {'a': 1} | 3 in a | assert_(a) | del_(a)
"""
UNARIES = [text.strip() for line in UNARY.strip().splitlines() for text in line.split(" | ")]
ARGUMENTS = ["", "1", "'a'", "1, 2", "[1, 2]", "None", "{'a': 1}", "-1", "'a', 'b'", "(1, 2)", "'b', 5"]
SPECIAL = ("len contains getitem setitem delitem iter reversed eq lt add radd hash str repr bool index int missing mul or ior iadd "
           "and format class call").split()
LISTED = ("items", "keys", "values", "__iter", "__rev")      # their results are told by what they give
NOT_PROMISED = {"__doc__", "__weakref__", "ctypes", "__flags__", "__array_interface__", "_array", "_meta"}
NO_METHODS = {"tensor", "scalar", "indices", "layer", "parameter", "module", "path", "date", "delta", "class", "ndarray", "device",
              "dtype", "object", "method", "builtin"}


def attempt(name: str, text: str) -> str:
    return (f"    try: out.append(({name!r}, {text}))\n"
            f"    except Exception as e: out.append(({name!r}, type(e).__name__, str(e)))\n")


def change(sign: str) -> str:
    return (f"    try:\n        c = copy.copy(a)\n        c {sign} b\n        out.append(({sign!r}, c))\n"
            f"    except Exception as e: out.append(({sign!r}, type(e).__name__, str(e)))\n")


def function(name: str, params: str, body: list[str]) -> str:
    return f"def {name}(v, {params}):\n    out = []\n{''.join(body)}    return v + 1, out\n\n\n"


def chunks(items: list[Any]) -> list[list[Any]]:
    return [items[i:i + TOGETHER] for i in range(0, len(items), TOGETHER)]


def methods_of(name: str, value: Any) -> list[tuple[str, str]]:
    """Calls of every method of a value's type, in an order that is always the same but mixes changes with questions."""
    cls = type(value)
    names = [n for n in dir(cls) if not n.startswith("_") or n.strip("_") in SPECIAL]
    calls = [f"{n}({a})" for n in names if callable(getattr(cls, n, None)) for a in ARGUMENTS]
    random.Random(name).shuffle(calls)
    return [(c, f"list(a.{c})" if c.startswith(LISTED) else f"a.{c}") for c in calls]


def attributes_of(value: Any) -> list[str]:
    """What can be read of a value that is no method. (Addresses, flags, and what is Guardscope's own are nobody's promise.)"""
    cls = type(value)
    return [f"a.{n}" for n in dir(cls) if not callable(getattr(cls, n, None)) and n not in NOT_PROMISED]


def programs(values: dict[str, Any]) -> tuple[str, list[tuple[str, ...]]]:
    """The text of the module, and its runs: (function, names of the values it is called with)."""
    text, runs = HEAD, []
    for i, part in enumerate(chunks(UNARIES)):
        text += function(f"one_{i}", "a", [attempt(t, t) for t in part])
        runs += [(f"one_{i}", name) for name in values]
    for i, part in enumerate(chunks(BINARY)):
        text += function(f"two_{i}", "a, b", [attempt(sign, f"a {sign} b") for sign in part])
        runs += [(f"two_{i}", a, b) for a in values for b in values]
    text += function("in_place", "a, b", [change(sign) for sign in IN_PLACE])
    runs += [("in_place", a, b) for a in values for b in values]
    for name in values:
        for i, part in enumerate(chunks(attributes_of(values[name]))):
            text += function(f"attributes_{name}_{i}", "a", [attempt(t, t) for t in part])
            runs.append((f"attributes_{name}_{i}", name))
    for name in values.keys() - NO_METHODS:
        for i, part in enumerate(chunks(methods_of(name, values[name]))):
            text += function(f"methods_{name}_{i}", "a", [attempt(*t) for t in part])
            runs.append((f"methods_{name}_{i}", name))
    return text, sorted(runs)
