"""Functions in which the graph breaks; LOG collects what happens outside it."""
import functools
import random

import torch

LOG = []


def note(*args):
    LOG.append(args)
    return len(LOG)


note = torch.compiler.disable(note)


def statement(x):
    y = x + 1
    note("a")
    return y * 2


def value(x):
    return torch.relu(x) + note("v") * x.sum()


def item(x):
    s = x.max().item()
    return x / s


def several(x):
    x = x + 1
    note("one")
    x = x * 2
    note("two")
    return x - 3


def branch(x):
    y = x * 2
    if y.sum() > 10:
        y = y - 1
    else:
        y = y + 1
    return y.mean()


def boolean(x):
    return x if x.sum() > 3 and x.max() < 100 else -x


def loop_on_data(x):
    steps = 0
    while x.abs().max() > 1:
        x = x / 2
        steps += 1
    return x, steps


def operands(x):
    return [x + 1, note("in list"), x * 2], {"a": x, "b": note("in dict")}


def arguments(x):
    def combine(a, b, c, *, d):
        return a * b + c - d
    return combine(x, note("first"), x * 2, d=x.max().item())


def method_operand(x):
    out = []
    out.append(float(x[0]))
    out.append(x + 1)
    return out


def attribute_store(x, box):
    box.total = x.sum().item()
    box.total += note("s")
    return x * box.total


def locals_across(x, n):
    k = n * 2
    names = ["a"]
    table = {"gain": 3}
    scale = lambda v: v * k  # noqa: E731
    rows = x.shape[0]
    note("middle")
    names.append("end")
    table["gain"] += 1
    k = k + 1
    return scale(x) * table["gain"] + rows, names


def in_try(x):
    y = x + 1
    try:
        z = y * 2
        note("try")
        z = z + 1
    except ValueError:
        z = y
    finally:
        note("finally")
    return z


def raising(what):
    raise ValueError(what)


raising = torch.compiler.disable(raising)


def break_raises(x):
    y = x * 3
    try:
        raising("outside")
    except ValueError as e:
        y = y + len(str(e))
    return y


def in_no_grad(x, w):
    y = x * w
    with torch.no_grad():
        m = y.mean()
        note("inside")
        s = m * 2
    return y + s


def in_loop(x):
    for i in range(3):
        x = x + i
        note(i)
    return x * 2


def in_comprehension(x):
    parts = [x * note(i) for i in range(3)]
    return sum(parts)


def inner(v):
    v = v * 2
    note("inner")
    return v + 1


def outer(v):
    return inner(v - 1) * 3


def nested(x):
    a = torch.tanh(x)
    return outer(a) + a


class Counter:
    def __init__(self):
        self.n = 0
        self.__hidden = 5

    def step(self, x):
        self.n += 1
        y = x * self.n
        note("method")
        return y + self.n + self.__hidden


class Child(Counter):
    def step(self, x):
        y = super().step(x)
        note("child")
        return y + 1


def methods(x):
    c = Child()
    return c.step(x) + c.step(x), c.n


def shared_cell(x):
    n = 1

    def read():
        return n

    def write(v):
        nonlocal n
        n = v

    write(2)
    note("cells")
    write(read() + 5)
    return x * n, read()


def partial_across(x):
    f = functools.partial(torch.add, x)
    note("partial")
    return f(1)


def random_number(x):
    random.seed(3)
    return x * random.random()


def explicit(x, extra):
    x = x + 1
    torch._dynamo.graph_break()
    if extra:
        x = x - 3
    return x


def formatted(x):
    y = x + 1
    text = f"{y.sum()} of {len(y)}"
    return y * 2, text


def import_inside(x):
    import colorsys
    y = x + 1
    return y * colorsys.rgb_to_hsv(0.0, 0.0, 1.0)[2]


def aug_assign(x):
    y = x + 1
    y += note("aug")
    return y


def unpack_result(x):
    a, b = divmod(int(x.sum()), 3)
    return x * a + b


def deleted(x):
    y = x + 1
    z = y * 2
    del y
    note("deleted")
    return z


def masked(x):
    y = x * 1
    y[y > 1] += 10.0
    return y + 1


class Odd:
    def __setattr__(self, name, value):
        LOG.append((name, type(value).__name__))
        object.__setattr__(self, name, value)


def odd_store(x):
    o = Odd()
    o.a = x.sum().item()
    o.a += 2
    return x + o.a


def unpack_opaque(x):
    y = x + 1
    a, b = map(note, "ab") if False else iter([note("p"), note("q")])
    return y * a + b
