"""Functions without breaks: (function, argument makers) pairs for the differential tests."""
import collections
import dataclasses
import enum
import functools
import itertools
import math
import operator

import torch

SCALE = 3
TABLE = {"a": 2, "b": 5}
COUNT = 0


def arithmetic(x, y):
    return (x + y) * 2 - y / 3, -x, x ** 2, x @ y.t(), x > y


def sizes(x):
    n, m = x.shape
    if n > 2 and m != 7:
        x = x.reshape(m, n)
    return x.sum(0), n * m, len(x), x.numel(), x.ndim, (n + m) // 2


def globals_and_math(x):
    return x * SCALE + TABLE["a"] + math.sqrt(x.shape[0]) + math.pi


def loops(x, k):
    total = x
    for i in range(k):
        if i == 1:
            continue
        if i > 3:
            break
        total = total + i
    else:
        total = total - 100
    while k > 0:
        k -= 1
        total = total * 2
    return total


def comprehensions(x, ws):
    parts = [x * w for w in ws if w != 2]
    table = {f"k{i}": p.sum() for i, p in enumerate(parts)}
    pairs = [(a, b) for a in ws for b in ws if a < b]
    seen = {w % 2 for w in ws}
    return parts, table, pairs, sorted(seen), sum(w for w in ws)


def unpacking(x, items):
    first, *rest = items
    (a, b), c = (first, rest), 3
    *start, last = x.unbind(0)
    a, b = b, a
    return a, b, c, last, len(start), [*rest, *items], {**TABLE, "c": first}


def helper(x, *args, scale=2, **kwargs):
    out = x * scale
    for a in args:
        out = out + a
    for k in kwargs:
        out = out * kwargs[k]
    return out


def calls(x):
    return helper(x), helper(x, 1, 2, scale=3), helper(x, *[4, 5], **{"u": 6, "v": 7})


def closures(x):
    n = 1

    def add(v):
        return v + n

    def bump():
        nonlocal n
        n += 1
        return n

    before = add(x)
    bump()
    functions = [lambda v, i=i: v * i for i in range(3)]
    late = [lambda v: v * i for i in range(3)]
    return before, add(x), [f(x) for f in functions], [f(x) for f in late], n


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def recursion(x, n):
    return x * fibonacci(n)


class Base:
    bias = 1

    def __init__(self, k):
        self.k = k

    @property
    def doubled(self):
        return self.k * 2

    @classmethod
    def make(cls, k):
        return cls(k + cls.bias)

    @staticmethod
    def square(v):
        return v * v

    def apply(self, v):
        return v * self.k

    def __add__(self, other):
        return Base(self.k + (other.k if isinstance(other, Base) else other))

    def __radd__(self, other):
        return Base(other + self.k)

    def __eq__(self, other):
        return isinstance(other, Base) and self.k == other.k

    def __len__(self):
        return self.k

    def __getitem__(self, i):
        if i >= self.k:
            raise IndexError(i)
        return i * 10


class Derived(Base):
    def apply(self, v):
        return super().apply(v) + self.doubled

    def __call__(self, v):
        return self.square(self.apply(v))


def objects(x, k):
    d = Derived.make(k)
    b = Base(k)
    b.extra = 5
    total = b + d + 1
    joined = 2 + b
    return d(x) + b.apply(x) + b.extra, total.k, joined.k, b == Base(k), b != d, len(d), list(b), bool(b)


@dataclasses.dataclass
class Point:
    x: int
    y: int = 2
    tags: list = dataclasses.field(default_factory=list)

    def total(self):
        return self.x + self.y


Pair = collections.namedtuple("Pair", ["left", "right"])


class Color(enum.Enum):
    RED = 1
    BLUE = 2

    @property
    def double(self):
        return self.value * 2


def records(x):
    p = Point(3)
    p.tags.append("t")
    q = dataclasses.replace(p, x=10)
    pair = Pair(x + p.total(), right=x - q.total())
    swapped = pair._replace(left=pair.right)
    return p, pair, swapped.left, Color.RED.double, Color.BLUE.name, Color(2) is Color.BLUE


def exceptions(x, n):
    log = []
    try:
        log.append("try")
        if n == 0:
            raise ValueError("zero")
        if n == 1:
            {}["missing"]
        y = x / n
    except ValueError as e:
        log.append(str(e))
        y = x
    except (KeyError, TypeError):
        log.append("key")
        y = -x
    else:
        log.append("else")
    finally:
        log.append("finally")
    return y, log


def early_exit(x, n):
    for i in range(5):
        try:
            if i == n:
                return x * i
            if i == 3:
                break
        finally:
            x = x + 1
    return x


class Scope:
    depth = 0

    def __init__(self, swallow):
        self.swallow = swallow

    def __enter__(self):
        Scope.depth += 1
        return self

    def __exit__(self, kind, value, trace):
        Scope.depth -= 1
        return self.swallow


def contexts(x):
    out = []
    with Scope(True) as s, Scope(False):
        out.append(Scope.depth)
        x = x + 1
        raise KeyError("inside")
    out.append(s.swallow)
    with torch.no_grad():
        y = x * 2
    return x, y, out, Scope.depth


def generate(n):
    got = 0
    for i in range(n):
        got = yield i + (got or 0)
    return "end"


def both(n):
    result = yield from generate(n)
    yield result


def generators(x):
    g = generate(3)
    first = next(g)
    second = g.send(10)
    rest = list(both(2))
    lazy = (v * 2 for v in range(4))
    head = next(lazy)
    return x * second, first, rest, head, sum(lazy), list(zip(range(3), itertools.count(5)))


def matching(x, command):
    match command:
        case "double":
            return x * 2
        case ("scale", k) if k > 0:
            return x * k
        case Pair(left=a, right=b):
            return x * a + b
        case {"op": "add", "value": v, **rest}:
            return x + v + len(rest)
        case [1, *others]:
            return x + sum(others)
        case int() | float() as n:
            return x - n
        case None:
            return -x
        case _:
            return x


def strings(x, name):
    text = f"{name!r:>8}|{len(name):03d}|{1.5:.2f}|{'a' + 'b'}"
    old = "%s-%d" % (name, 3)
    return text, old, "{:>4}{k}".format(name, k=1), name.upper().split("B"), ",".join(str(i) for i in range(3)), x + 1


def builtins_(x, vals):
    order = sorted(vals, key=lambda v: -v)
    big = max(vals, key=lambda v: v % 3), min(vals), max(1, 2.5)
    flags = any(v > 2 for v in vals), all(v > 2 for v in vals)
    mapped = list(map(lambda a, b: a * b, vals, reversed(vals)))
    return (order, big, flags, mapped, list(filter(None, [0, 1, 2])), list(enumerate("ab", 1)), divmod(7, 3), abs(-2),
            round(2.567, 1), isinstance(x, torch.Tensor), callable(len), getattr(x, "missing", 4), hasattr(x, "shape"))


def library(x):
    add = functools.partial(operator.add, x)
    total = functools.reduce(lambda a, b: a + b, [x, add(x)], x * 0)
    return total, list(itertools.chain([1], (2, 3))), list(itertools.product([1, 2], repeat=2)), \
        list(itertools.accumulate([1, 2, 3])), collections.Counter("aab"), collections.OrderedDict(a=1)


def twice(f):
    @functools.wraps(f)
    def inner(*args):
        return f(f(*args))
    return inner


@twice
def bump(v):
    return v + 1


def decorated(x):
    @twice
    def triple(v):
        return v * 3
    return bump(x), triple(x), triple.__name__


def mutation(x, xs, table, box):
    global COUNT
    COUNT += 1
    xs.append(x)
    xs[0] = 7
    table["new"] = x * 2
    table.pop("old", None)
    box.value = x.sum()
    box.items = [box.items, xs]
    del box.gone
    return len(table), COUNT


def in_place(x, y):
    x.mul_(2)
    y[0] = 100.0
    x += 1
    return x + y


def sets(x, names):
    s = {1, 2} | {3}
    s.add(4)
    s.discard(1)
    return sorted(s), 2 in s, {"a"} <= {"a", "b"}, frozenset([1]) == {1}, [n for n in names if n not in {"b"}], x * len(s)


def dicts(x, d):
    copy = dict(d, z=1)
    copy.update(w=2)
    groups = collections.defaultdict(list)
    for k, v in d.items():
        groups[v % 2].append(k)
    return copy, dict(groups), list(d), d.get("q", 9), d.setdefault("a", 3), {v: k for k, v in d.items()}, x


def identity_and_none(x, y=None):
    if y is None:
        y = x
    same = y is x
    return (x, same) if same else (x + y, same, y is not None)


def shared(x):
    inner = [x]
    outer = [inner, inner]
    loop = []
    loop.append(loop)
    return outer, outer[0] is outer[1], loop[0] is loop


def returned_functions(x, k):
    def scaled(v):
        return v * k + x.shape[0]
    return scaled, lambda v: scaled(v) + 1


def slices(x, n):
    return x[:n], x[..., 0], x[None], x[:, 1:n], x[torch.arange(2)], x[-1], [1, 2, 3, 4][::2], (1, 2, 3)[1:], "abc"[-1]


def chained(x, n):
    return x if 0 < n <= 3 else -x, n and 5, n or 6, not n, (y := n + 1) * y


class Recorder(list):
    def note(self, v):
        self.append(v)
        return self


def subclass_of_list(x):
    r = Recorder()
    r.note(1).note(x.shape[0])
    return list(r), len(r), x


def kwonly(x, /, *, a, b=2):
    return x * a + b


def keyword_only(x):
    return kwonly(x, a=3), kwonly(x, b=5, a=1)


def asserts(x, n):
    assert n > 0, f"n is {n}"
    return x * n
