# Programs on tensors whose graphs break for every kind of reason. Imported by path; each is called as program(x, n) with x a
# float tensor of three elements and n an int.
# ruff: noqa
import math

import torch

LOG = []
SEEN = {"count": 0}


def note(*values):
    LOG.append(tuple(v.tolist() if isinstance(v, torch.Tensor) else v for v in values))


note = torch._dynamo.disable(note)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(3, 3)
        self.calls = 0
        with torch.no_grad():
            self.a.weight.copy_(torch.arange(9.0).reshape(3, 3) / 9)
            self.a.bias.fill_(0.5)

    def forward(self, x, n):
        self.calls += 1
        y = self.a(x)
        note("in forward", self.calls)
        if y.sum() > n:
            self.calls += 10
            return y - self.calls
        return y + self.calls


MODEL = Model()


def explicit(x, n):
    y = x + n
    torch._dynamo.graph_break()
    return y * 2, x


def explicit_many(x, n):
    for _ in range(1):
        x = x + 1
    torch._dynamo.graph_break()
    x = x * 2
    torch._dynamo.graph_break()
    x = x - n
    torch._dynamo.graph_break()
    return x


def printed(x, n):
    y = x * 2
    note(y, n)
    return y + n


def item(x, n):
    y = x.sum().item()
    return x * y + n, y


def item_in_the_middle(x, n):
    return x.sum() + float((x * 2).max()) + n


def branch(x, n):
    if x.sum() > n:
        y = x * 2
    else:
        y = x - 2
    return y + 1


def branch_elif(x, n):
    if x.sum() > 100:
        return x
    elif (x * n).sum() > 3:
        z = x + 1
    elif x[0] > 5:
        z = x + 2
    else:
        z = x + 3
    return z * z


def branch_nested(x, n):
    out = 0
    if x.sum() > 0:
        if x[0] > 0:
            out = 1
        else:
            out = 2
        x = x + out
    return x, out


def conditional(x, n):
    y = x + 1 if x.sum() > n else x - 1
    return y * (2 if y.sum() > 0 else 3)


def boolean(x, n):
    return (x.sum() > 0 and n > 1) or x.sum(), bool(x[0] > 0) or not x[1] > 0


def boolean_values(x, n):
    t = x.sum() > n and x.max() > 2
    return x + 1 if t else x, t


def while_loop(x, n):
    steps = 0
    while x.sum() < 40:
        x = x * 1.5 + n
        steps += 1
    return x, steps


def while_long(x, n):
    while x.sum() < 700:
        x = x + 1
    return x


def while_else(x, n):
    total = []
    while x.sum() < 20:
        x = x + n
        total.append(x.max().item())
    else:
        note(total)
    return x, total


def while_break(x, n):
    while x.sum() < 50:
        x = x + n
        if x[0] > 6:
            break
    return x


def while_nested(x, n):
    outer = inner = 0
    while x.sum() < 30:
        outer += 1
        y = x
        while y.sum() < 20:
            y = y + 2
            inner += 1
        x = x + y / 4
    return x, outer, inner


def while_closure(x, n):
    k = 0

    def more():
        nonlocal k
        k += 1
        return x + k

    while x.sum() < 30:
        x = more()
    return x, k


def while_global(x, n):
    while x.sum() < 30:
        SEEN["count"] += 1
        x = x + SEEN["count"]
    return x, SEEN["count"]


def while_in_try(x, n):
    try:
        while x.sum() < 30:
            x = x + n + 1
        raise ValueError(x.max().item())
    except ValueError as e:
        note("caught", e.args)
        return x
    finally:
        note("finally")


def for_with_break(x, n):
    out = []
    for i in range(4):
        x = x + i
        if x.sum() > 12:
            break
        note(i)
        out.append(x)
    return out, x


def for_over_rows(x, n):
    total = 0
    for row in x.reshape(3, 1):
        total = total + row.item()
    return total


def assertion(x, n):
    assert x.sum() > -1000, "too small"
    return x + n


def assertion_fails(x, n):
    assert x.sum() > 1000, f"sum is {x.sum().item()}"
    return x


def formatted(x, n):
    return f"{x.sum():.2f} of {x.max()}", f"{n:03d}"


def to_list(x, n):
    return [v * n for v in x.tolist()], len(x)


def unpack(x, n):
    a, b, c = x
    p, *q = (x * 2).tolist()
    return a + b, c, p, q


def mask(x, n):
    return x[x > n].sum(), x.nonzero()


def no_grad_block(x, n):
    with torch.no_grad():
        y = x * 2
        note(y.requires_grad)
        z = y + 1
    return z, torch.is_grad_enabled()


def no_grad_branch(x, n):
    with torch.no_grad():
        if x.sum() > n:
            y = x * 2
        else:
            y = x * 3
    return y


def inplace(x, n):
    y = x.clone()
    y += n
    note(y)
    y.mul_(2)
    x.add_(1)
    note(x)
    y[0] = x[1].item()
    return y, x


def views(x, n):
    y = x.clone()
    v = y[1:]
    note(v)
    v.add_(10)
    return y, v


def aliases(x, n):
    a = [x]
    b = (a, x)
    note(1)
    a[0].add_(1)
    a.append(b)
    return a[0] is x, b[0] is a, b[1] is x, x


def containers(x, n):
    d = {"x": x, "list": [x + 1]}
    note(n)
    d["list"].append(d["x"] * 2)
    d["n"] = n
    note(sorted(d))
    return d


def state(x, n):
    SEEN["count"] += n
    y = x + SEEN["count"]
    note(SEEN["count"])
    SEEN["last"] = n
    SEEN["count"] -= 1
    return y, dict(SEEN)


def module(x, n):
    MODEL.calls = 0
    return MODEL(x, n), MODEL.calls


def inner_function(x, n):
    def scale(v):
        note(v)
        return v * n

    return scale(x) + scale(x + 1)


def deep_inner(x, n):
    def a(v):
        return b(v) + 1

    def b(v):
        return v * 2 if v.sum() > n else v

    return a(x), a(-x)


def numbers(x, n):
    k = int(x.sum()) + n
    return x * k, math.sqrt(abs(k)), k // 2


def sizes(x, n):
    note(x.shape[0])
    return x + x.shape[0], x.shape, x.numel() * n


def raises(x, n):
    y = x + 1
    note("before")
    return y[n + 10]


def raises_type(x, n):
    y = x.sum().item()
    return "a" + y


def raises_in_branch(x, n):
    if x.sum() > -100:
        raise LookupError(n, x.tolist())
    return x


def caught(x, n):
    try:
        y = x.sum().item() / (n - n)
    except ZeroDivisionError as e:
        note(str(e))
        y = x + 1
    return y


def default_in_loop(x, n):
    fs = []
    for i in range(3):
        fs.append(lambda v, i=i: v * i + n)
    note(len(fs))
    return [f(x) for f in fs]


def returns_function(x, n):
    y = x + 1
    note(y)

    def later(k):
        return y * k + n

    return later(2), later(3)


def many_temporaries(x, n):
    return torch.stack([x + 1, x * x.sum().item(), x - n, x / (x.max().item() + 10), x.abs()])


def chained(x, n):
    return 0 < x.sum().item() < 100, n < x.max() < 50


def compare_items(x, n):
    return x[0].item() == 1.0 or x[1].item() in (2.0, 3.0), max(x.tolist()), sorted(x.tolist(), reverse=True)


def sums(x, n):
    return sum(v.item() for v in x), any(v > 2 for v in x), all(v.item() < 100 for v in x)


def augmented_item(x, n):
    t = [0.0, 1.0]
    t[0] += x.sum().item()
    t[1] *= n
    total = 0
    total += x.max().item()
    return t, total


def deleting(x, n):
    y = x + 1
    z = y * 2
    del y
    note(z)
    del x
    try:
        return x
    except UnboundLocalError as e:
        return str(e), z


def walrus(x, n):
    if (s := x.sum().item()) > n and (m := x.max()) > 0:
        return s, m
    return s


def generator_in_a_mode(x, n):
    def numbers():
        with torch.no_grad():
            for i in range(2):
                note("inside", torch.is_grad_enabled())
                yield x * i

    out = []
    for v in numbers():
        note("outside", torch.is_grad_enabled())
        out.append(v + n)
    note("after", torch.is_grad_enabled())
    return out


def python_names(x, n):
    bool = iter = next = type = n
    for Exception in range(2):
        for BaseException in range(2):
            x = x + bool + iter + next + type
            note(Exception, BaseException)
            try:
                note(x.sum() > 0)
                if BaseException:
                    continue
                x = x * 2
            finally:
                note("finally")
    return x, Exception, BaseException


def modules_in_a_loop(x, n):
    for i, layer in enumerate([MODEL.a, MODEL.a, torch.relu]):
        x = layer(x) + n
        note(i, x)
        if x.sum() < -1000:
            break
        x = torch.relu(x)
    return x


def failing_index(x, n):
    out = []
    for i in range(4):
        try:
            out.append(x[torch.tensor([i, n])])
            note(i)
        except IndexError as e:
            note(str(e))
            x = x + 1
    return out
