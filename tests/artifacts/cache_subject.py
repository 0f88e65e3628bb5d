"""Functions for tests/artifacts: in a module that pytest does not rewrite."""

import torch

FACTOR = 2.0
CALLS = []


def scaled(x, factor=2, *, shift=0):
    return x * factor + shift


def signature(a, b=1, /, c=2, *rest, d, e=5, **more):
    total = a + b + c + d + e
    for r in rest:
        total = total + r
    for k in sorted(more):
        total = total * more[k]
    return total


def varargs(*xs, **named):
    return xs[0] + len(xs), sorted(named)


def add_size(x):
    return x + x.shape[0]


def two_sizes(x, y):
    return x.sum() + y.sum() * x.shape[0]


def times(x, n):
    return x * n


def reads_global(x):
    return x * FACTOR


def breaks(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2


def specialises(x):
    if x.shape[0] == 4:
        return x * 2
    return x


def branches_on_size(x):
    if x.shape[0] == 4:
        return x * 2
    return x + 1


def divides(x, n):
    y = x + 1
    return y / (1 // n)


def looks_up(x, table, key):
    return x * table[key]


def raises_after_break(x):
    y = x + 1
    torch._dynamo.graph_break()
    raise KeyError("after the break", y.shape[0])


def raises_deep(x):
    return helper(x, 3) + 1


def helper(x, depth):
    if depth == 0:
        raise LookupError("deep down")
    return helper(x + 1, depth - 1)


def wrong_shapes(x, y):
    z = x * 2
    return z @ y


def reads_written(x):
    s = x.sum()
    s.add_(1)
    first = s.item()
    s.add_(1)
    return x * first, s.item(), first


def reads_in_loop(x):
    for _ in range(3):
        x = x * x.max().item() / 4
    return x


def reads_int(x):
    n = int(x.max())
    y = x.to(torch.int64) * float(x.sum())
    return y * n + (n << 1), [n, {"k": n + 1}]


def reads_nothing_else(x):
    return x[-1].item()


def decides_by_element(x):
    if x.max().item() > 2:
        return x * 2
    return x


def added(x, y):
    return (x + y).sum()


def says_what_failed(x, y):
    try:
        return x + y
    except RuntimeError as problem:
        return x * 2, str(problem)


def calls_other(x):
    return inner_compiled(x) + 1


inner_compiled = None


def returns_tuple(x):
    return x, x + 1, {"k": [x * 2]}, None, 3


def changes_input(x, box):
    box.append(x * 2)
    x.add_(1)
    return len(box)


class Scaler:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return x * self.by

    def method(self, x, extra=0):
        return x * self.by + extra

    @staticmethod
    def static(x):
        return x + 100

    @classmethod
    def klass(cls, x):
        return x + len(cls.__name__)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.k = 2

    def forward(self, x, flip=False):
        if flip:
            return x - self.weight
        return x * self.weight * self.k


def make(n):
    def closure(x):
        return x * n

    return closure


class Holder(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x + 1) * 2


def calls_it(x, it):
    return it(x + 1) * 2


doubled = lambda x: x * 2  # noqa: E731


def recursive(x, n):
    if n == 0:
        return x
    return recursive(x + 1, n - 1)


def generator(x):
    yield x
    yield x + 1


def no_tensors(a, b):
    return a + b


def default_tensor(x, scale=torch.ones(1) * 3):  # noqa: B008
    return x * scale


def layouts_of_size(x, n):
    made, turned = torch.zeros(3, n), torch.ones(n, 3).t()
    return made + 1, made.stride(), turned.is_contiguous(), turned.contiguous() * 2, torch.ones(n, 3, 2).permute(2, 0, 1) * x[0]
