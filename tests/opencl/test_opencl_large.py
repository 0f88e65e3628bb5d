"""Sums of very many elements, positions beyond 32 bits, and arrays of nothing, against float64 or exact integers."""
import numpy as np
import pytest

RNG = np.random.default_rng(9)


def near(got, want, limit=1e-5):
    """Relative error of reductions."""
    assert np.all(np.abs(np.asarray(got, np.float64) - want) <= limit * np.abs(want)), (got, want)


@pytest.mark.parametrize("shape, dim", [((1 << 22,), 0), ((3, 1 << 20), 1), ((1 << 20, 3), 0), ((1 << 16, 40), 0),
                                        ((64, 1 << 10, 37), 1), ((1 << 11, 1 << 11), (0, 1)), ((40, 30, 1 << 11), (0, 2))])
@pytest.mark.parametrize("dynamic", [(), (0, 1)])
def test_sums_of_many(graphs, shape, dim, dynamic):
    """All of one sign: a plain running sum of float32 would be off by 1e-3 and more."""
    x = RNG.uniform(0.05, 0.2, shape).astype(np.float32)
    exact = x.astype(np.float64)
    axis = dim if isinstance(dim, tuple) else (dim,)
    total, mean, var, norm = graphs.run(lambda x: (x.sum(dim), x.mean(dim), x.var(dim), (x * x).sum(dim).sqrt()), x,
                                        dynamic=dynamic)
    near(total, exact.sum(axis))
    near(mean, exact.mean(axis))
    near(var, exact.var(axis, ddof=1))
    near(norm, np.sqrt((exact * exact).sum(axis)))


@pytest.mark.parametrize("schedule", ["cpu", "gpu"])
def test_sums_that_nearly_cancel(graphs, schedule):
    """The error stays small against the sum of magnitudes."""
    x = RNG.standard_normal(1 << 20).astype(np.float32)
    got = graphs.run(lambda x: x.sum(), x, schedule=schedule)
    assert abs(float(got) - x.astype(np.float64).sum()) <= 1e-7 * np.abs(x).astype(np.float64).sum()


def test_softmax_and_norms_of_long_rows(graphs):
    x = RNG.standard_normal((3, 1 << 17)).astype(np.float32)
    F = graphs.torch.nn.functional
    soft, logs, normed = graphs.run(lambda x: (x.softmax(1), x.log_softmax(1), F.layer_norm(x, (x.shape[1],))), x)
    exact = x.astype(np.float64)
    e = np.exp(exact - exact.max(1, keepdims=True))
    near(soft, e / e.sum(1, keepdims=True), 3e-6)
    near(logs, np.log(e / e.sum(1, keepdims=True)), 3e-6)
    centred = exact - exact.mean(1, keepdims=True)
    want = centred / np.sqrt((centred ** 2).mean(1, keepdims=True) + 1e-5)
    assert np.abs(normed - want).max() < 3e-6


def test_long_products(graphs):
    a = RNG.uniform(0.05, 0.2, (9, 1 << 16)).astype(np.float32)
    b = RNG.uniform(0.05, 0.2, (1 << 16, 40)).astype(np.float32)
    from guardscope.core.opencl.templates import matmul

    for own in (False, True):
        token = matmul._FORCED.set(own)
        try:
            near(graphs.run(lambda a, b: a @ b, a, b), a.astype(np.float64) @ b, 2e-5)
        finally:
            matmul._FORCED.reset(token)


def test_half_sums_in_float(graphs):
    x = np.full(100_000, 0.1, np.float16)
    near(graphs.run(lambda x: x.sum() / 100, x), x.astype(np.float64).sum() / 100, 1e-3)
    assert graphs.run(lambda x: x.mean(), x) == np.float16(0.1)


def test_integers_sum_exactly(graphs):
    x = RNG.integers(-2**62, 2**62, 100_003)
    with np.errstate(over="ignore"):
        assert graphs.run(lambda x: x.sum(), x) == x.sum()
    small = RNG.integers(-128, 128, (1000, 999)).astype(np.int8)
    assert np.array_equal(graphs.run(lambda x: x.sum(0), small), small.sum(0, dtype=np.int64))


# -- positions beyond 32 bits ----------------------------------------------------------------------------------------
CASES = {
    "chain": (lambda x: (x * 2 + 1).relu(), lambda x: np.maximum(x * 2 + 1, 0)),
    "rows": (lambda x: x.softmax(1).sum(1), lambda x: np.ones(len(x))),
    "columns": (lambda x: x.sum(0), lambda x: x.astype(np.float64).sum(0)),
    "everything": (lambda x: x.amax(), lambda x: x.max()),
    "positions": (lambda x: x.argmax(1), lambda x: x.argmax(1)),
    "turned": (lambda x: x.t() + 1, lambda x: x.T + 1),
    "scan": (lambda x: x.cumsum(1), lambda x: x.astype(np.float64).cumsum(1)),
    "product": (lambda x: (x * 1) @ (x * 1).t(), lambda x: x.astype(np.float64) @ x.T),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("width", ["int", "long"])
@pytest.mark.parametrize("schedule", ["cpu", "gpu"])
def test_both_widths_of_positions(graphs, monkeypatch, name, width, schedule):
    from guardscope.core.opencl import compile as module

    used = []
    honest = module.CompiledGraph._narrow
    monkeypatch.setattr(module.CompiledGraph, "_narrow", lambda self, symbols: used.append(honest(self, symbols)) or used[-1])
    monkeypatch.setattr(module, "NARROW", module.NARROW if width == "int" else 0)
    x = RNG.standard_normal((33, 70)).astype(np.float32)
    fn, exact = CASES[name]
    np.testing.assert_allclose(graphs.run(fn, x, schedule=schedule, dynamic=(0, 1)), exact(x), rtol=1e-5, atol=1e-5)
    assert set(used) == {width == "int"}


def test_more_elements_than_32_bits_count(graphs):
    """2**31 and some elements that are one in memory: counted one by one."""
    n = 2**31 + 77
    x = graphs.wrap(np.broadcast_to(np.array([1], np.uint8), (n,)))
    compiled = graphs.compile(lambda x: x.sum(), x)
    assert graphs.call(compiled, x) == n


def test_an_array_larger_than_32_bits_reach(graphs):
    """Elements on both sides of position 2**31, in memory that is mostly never touched."""
    try:
        memory = np.zeros(2**31 + 4096, np.uint8)
    except MemoryError:
        pytest.skip("no memory for 2 GB")
    memory[-3:] = 7, 8, 9
    memory[5] = 3
    x = graphs.wrap(memory)
    ends = graphs.run(lambda x: (x[-4:] + 1, x[:8] + 1), x)
    assert ends[0].tolist() == [1, 8, 9, 10]
    assert ends[1].tolist() == [1, 1, 1, 1, 1, 4, 1, 1]


# -- nothing, and one thing ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dynamic", [(), (1,)])
def test_arrays_of_nothing(graphs, way, dynamic):
    x = np.zeros((0, 3), np.float32)
    got = graphs.run(lambda x: (x + 1, x.sum(), x.sum(0), x.sum(1), x.prod(), x.mean(1), x.softmax(1), x.t() @ x, x @ x.t(),
                                (x > 0).all(), (x > 0).any()), x, dynamic=dynamic, **way)
    want = (x, np.float32(0), np.zeros(3), np.zeros(0), np.float32(1), np.zeros(0), x, np.zeros((3, 3)), np.zeros((0, 0)),
            True, False)
    for a, b in zip(got, want):
        assert a.shape == np.shape(b)
        assert np.array_equal(a, b)


def test_values_without_dimensions(graphs, way):
    x, y = np.array(3.5, np.float32), np.array(-2, np.int64)
    got = graphs.run(lambda x, y: (x * 2, y // 3, x + y, x.sum(), x.softmax(0), x.argmax(), y.bool()), x, y, **way)
    assert [g.item() for g in got] == [7, -1, 1.5, 3.5, 1, 0, True]
    assert all(g.shape == () for g in got)
