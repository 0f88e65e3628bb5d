"""max_pool and avg_pool kernels against windows taken one by one in NumPy."""
import itertools

import numpy as np
import pytest

RNG = np.random.default_rng(4)


def exact(x, kind, kernel, stride, padding, dilation, ceil, count_border=True, divisor=None):
    n = len(kernel)
    sizes = x.shape[2:]
    out = []
    for i in range(n):
        span = sizes[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1
        m = (-(-span // stride[i]) if ceil else span // stride[i]) + 1
        out.append(m - 1 if ceil and (m - 1) * stride[i] >= sizes[i] + padding[i] else m)
    result = np.empty((*x.shape[:2], *out))
    for at in itertools.product(*map(range, out)):
        starts = [a * s - p for a, s, p in zip(at, stride, padding)]
        places = [[b + k * d for k in range(w) if 0 <= b + k * d < size]
                  for b, w, d, size in zip(starts, kernel, dilation, sizes)]
        seen = x[np.ix_(range(x.shape[0]), range(x.shape[1]), *places)].reshape(*x.shape[:2], -1).astype(np.float64)
        if kind == "max":
            result[(..., *at)] = seen.max(-1)
            continue
        count = seen.shape[-1]
        if count_border:
            count = np.prod([min(b + w, size + p) - b for b, w, size, p in zip(starts, kernel, sizes, padding)])
        result[(..., *at)] = seen.sum(-1) / (divisor or count)
    return result


def pool(graphs, x, kind, kernel, stride=None, padding=0, dilation=1, ceil=False, count_border=True, divisor=None, **options):
    n = x.ndim - 2
    F = graphs.torch.nn.functional
    spread = lambda v: (v,) * n if isinstance(v, int) else v
    stride = kernel if stride is None else stride
    if kind == "max":
        fn = lambda x: getattr(F, f"max_pool{n}d")(x, kernel, stride, padding, dilation, ceil)
    elif n == 1:
        fn = lambda x: F.avg_pool1d(x, kernel, stride, padding, ceil, count_border)
    else:
        fn = lambda x: F.avg_pool2d(x, kernel, stride, padding, ceil, count_border, divisor)
    compiled = graphs.compile(fn, x, **options)
    got = graphs.call(compiled, x)
    want = exact(x, kind, *map(spread, (kernel, stride, padding, dilation)), ceil, count_border, divisor)
    assert got.shape == want.shape
    limit = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-14}[str(got.dtype)]
    assert np.array_equal(got, want) if kind == "max" else np.abs(got - want).max() <= limit
    return compiled


def normal(*shape, d="float32"):
    return RNG.standard_normal(shape).astype(d)


@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize("shape, options", [
    ((2, 3, 9, 41), {"kernel": 3, "stride": 1, "padding": 1}),
    ((2, 3, 18, 70), {"kernel": 2}),
    ((2, 3, 19, 71), {"kernel": 3, "stride": 2, "padding": 1}),
    ((1, 2, 20, 90), {"kernel": (2, 5), "stride": (3, 4), "padding": (0, 2)}),
    ((2, 3, 10, 10), {"kernel": 3, "stride": 2, "ceil": True}),
    ((2, 3, 11, 40), {"kernel": 4, "stride": 3, "padding": 2, "ceil": True}),
    ((1, 1, 3, 3), {"kernel": 3}),
    ((2, 4, 50), {"kernel": 3, "stride": 2, "padding": 1}),
])
def test_windows(graphs, kind, shape, options):
    assert len(pool(graphs, normal(*shape), kind, **options).kernels) == 1


def test_dilation(graphs):
    pool(graphs, normal(2, 3, 15, 60), "max", (3, 2), 1, 1, (2, 3))


@pytest.mark.parametrize("options", [{"count_border": False}, {"divisor": 5}, {"count_border": False, "ceil": True}])
def test_what_means_divide_by(graphs, options):
    pool(graphs, normal(2, 3, 19, 43), "avg", 3, 2, 1, **options)


@pytest.mark.parametrize("d", ["float16", "float64"])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_dtypes(graphs, d, kind):
    pool(graphs, normal(1, 2, 9, 40, d=d), kind, 3, 2, 1)


def test_infinities_and_what_is_no_number(graphs):
    x = normal(1, 1, 8, 40)
    x[0, 0, 2, 3], x[0, 0, 5, 20], x[0, 0, 6, 30] = np.nan, -np.inf, np.inf
    got = graphs.run(lambda x: graphs.torch.nn.functional.max_pool2d(x, 2), x)
    want = x.reshape(1, 1, 4, 2, 20, 2).max((3, 5))
    assert np.array_equal(got, want, equal_nan=True)
    assert np.isneginf(graphs.run(lambda x: graphs.torch.nn.functional.max_pool2d(x, 3, 1, 1), np.full_like(x, -np.inf))).all()


def test_sizes_may_change(graphs):
    F = graphs.torch.nn.functional
    compiled = graphs.compile(lambda x: F.avg_pool2d(F.max_pool2d(x, 3, 2, 1), 2), normal(2, 3, 16, 40), dynamic=(0, 2, 3))
    for shape in ((2, 3, 16, 40), (5, 3, 33, 9), (1, 3, 7, 100)):
        x = normal(*shape)
        inner = exact(x, "max", (3, 3), (2, 2), (1, 1), (1, 1), False)
        want = exact(inner, "avg", (2, 2), (2, 2), (0, 0), (1, 1), False)
        assert np.abs(graphs.call(compiled, x) - want).max() < 1e-6


@pytest.mark.parametrize("options", [{"schedule": "gpu"}, {"zero_copy": False}, {"always": "large"}])
def test_other_devices(graphs, options):
    pool(graphs, normal(3, 9, 30, 40), "max", 3, 2, 1, **options)


def test_integers_are_numpys(graphs):
    x = RNG.integers(-9, 9, (1, 2, 8, 8))
    got = graphs.run(lambda x: graphs.torch.nn.functional.max_pool2d(x, 2), x)
    assert np.array_equal(got, x.reshape(1, 2, 4, 2, 4, 2).max((3, 5)))
