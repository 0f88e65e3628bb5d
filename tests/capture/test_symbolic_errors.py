# Errors of symbolic numbers never reach the script; object.__getattribute__ does not ask __getattr__.
import guardscope.core.torch_api as torch
import pytest


class Answers:
    def __getattr__(self, name):
        return 5


def least(v, a, b):
    try:
        return v + max(min(id(a) == id(b), 50), -50)
    except TypeError:
        return v * 100


def shifted(v, n):
    try:
        return v + ((n == 3) << 2) + divmod(n == 3, 2)[1] + (-(n == 3)) + round(n == 3) + (n == 3) ** 2 + ((n != 3) > 1)
    except TypeError:
        return v * 100


def counted(v, n):
    try:
        return v + (n & 6) + (n << 1) + (n ^ 5) + (~n) + divmod(n, 4)[1] + round(n, -1) + n.bit_length() + pow(n, 2, 5)
    except (TypeError, AttributeError):
        return v * 100


def divided(v, n):
    try:
        return v / (7 // (n - 3))
    except ZeroDivisionError as problem:
        return v, str(problem)


def own(v, q):
    try:
        return v + object.__getattribute__(q, "k")
    except AttributeError as problem:
        return v, str(problem)


def plain(x):
    return [plain(y) for y in x] if isinstance(x, tuple) else x.tolist() if hasattr(x, "tolist") else x


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("f, calls", [
    (least, [(Answers(), Answers()), (1, 2)]), (shifted, [(3,), (4,), (9,)]), (counted, [(6,), (7,), (12,)]),
    (divided, [(5,), (3,), (4,)]), (own, [(Answers(),)])])
def test_results_are_those_of_plain_python(f, calls, dynamic):
    fast = torch.compile(f, backend="eager", dynamic=dynamic)
    v = torch.ones(2)
    for arguments in calls:
        assert plain(fast(v, *arguments)) == plain(f(v, *arguments))
