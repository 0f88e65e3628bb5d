"""Reductions and what is fused around them: rows, columns, everything; softmax and layer_norm as one kernel each."""
import numpy as np
import pytest

RNG = np.random.default_rng(11)
SHAPES = [(5, 7), (33, 130), (2, 3, 40), (4, 300, 3), (1, 50), (50, 1)]


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dynamic", [(), (0, 1, 2)])
def test_every_dimension(graphs, way, shape, dynamic):
    a = normal(*shape)
    dims = [*range(len(shape)), tuple(range(len(shape))), (0, len(shape) - 1)]
    got = graphs.run(lambda x: tuple(f(d) for d in dims for f in (
        x.sum, x.mean, x.amax, lambda d: x.amin(d, keepdim=True))), a, dynamic=dynamic, **way)
    d = a.astype(np.float64)
    want = [w for k in dims for w in (d.sum(k), d.mean(k), d.max(k), d.min(k, keepdims=True))]
    for g, w in zip(got, want):
        assert g.shape == w.shape
        assert np.allclose(g, w, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("layout", ["transposed", "sliced", "expanded"])
def test_layouts(graphs, way, layout):
    a = {"transposed": np.ascontiguousarray(normal(40, 30)).T, "sliced": normal(60, 80)[::2, 1::2],
         "expanded": np.broadcast_to(normal(1, 40), (30, 40))}[layout]
    got = graphs.run(lambda x: (x.sum(0), x.sum(1), x.sum(), x.softmax(1), x.softmax(0)), a, **way)
    d = a.astype(np.float64)
    e, f = np.exp(d - d.max(1, keepdims=True)), np.exp(d - d.max(0))
    for g, w in zip(got, [d.sum(0), d.sum(1), d.sum(), e / e.sum(1, keepdims=True), f / f.sum(0)]):
        assert np.allclose(g, w, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int32", "int64", "float16", "float64"])
def test_dtypes(graphs, way, dtype):
    a = RNG.integers(0, 2 if dtype == "bool" else 9, (9, 37)).astype(dtype)
    got = graphs.run(lambda x: (x.sum(), x.sum(1), x.amax(1), x.amin(0), x.any(1), x.all(0),
                                x.argmax(1) if dtype != "bool" else x.sum(1),
                                (x - x if dtype != "bool" else x).prod(0)), a, **way)
    wide = a.astype(np.float64)
    want = [wide.sum(), wide.sum(1), a.max(1), a.min(0), a.any(1), a.all(0),
            a.argmax(1) if dtype != "bool" else a.sum(1), (a * 0 if dtype != "bool" else a).prod(0)]
    for g, w in zip(got, want):
        assert np.array_equal(g, w)
    assert got[0].dtype == (np.int64 if a.dtype.kind != "f" else a.dtype)


@pytest.mark.parametrize("size", [100, 40_000, 3_000_001])
def test_large_sums_are_accurate(graphs, size):
    a = RNG.random(size, dtype=np.float32)
    for always in ("small", "large"):
        got = graphs.run(lambda x: (x.sum(), x.mean(), (x * x).sum()), a, always=always)
        d = a.astype(np.float64)
        for g, w in zip(got, [d.sum(), d.mean(), (d * d).sum()]):
            assert abs(g - w) <= 1e-6 * abs(w)


def test_large_sums_along_columns_are_accurate(graphs):
    a = RNG.random((200_000, 3), dtype=np.float32)
    assert np.allclose(graphs.run(lambda x: x.sum(0), a), a.astype(np.float64).sum(0), rtol=1e-6)


def test_symbolic_length_of_a_full_reduction(graphs, way):
    compiled = graphs.compile(lambda x: (x.sum(), x.amax() * 2), normal(100_000), dynamic=(0,), **way)
    for n in (2, 17, 5000, 300_000):
        a = normal(n)
        total, top = graphs.call(compiled, a)
        assert np.isclose(total, a.astype(np.float64).sum(), rtol=1e-5, atol=1e-3)
        assert top == a.max() * 2


def test_nan_and_infinity(graphs, way):
    a = normal(6, 40)
    a[0, 3] = np.nan
    a[1, 39] = np.inf
    a[2, :] = -np.inf
    a[3, 17] = -np.inf
    got = graphs.run(lambda x: (x.amax(1), x.amin(1), x.sum(1), x.softmax(1), x.argmax(1), x.argmin(1)), a, **way)
    with np.errstate(all="ignore"):
        d = a.astype(np.float64)
        e = np.exp(d - d.max(1, keepdims=True))
        want = [a.max(1), a.min(1), d.sum(1), e / e.sum(1, keepdims=True), a.argmax(1), a.argmin(1)]
    for g, w in zip(got, want):
        assert np.allclose(g, w, rtol=1e-5, atol=1e-5, equal_nan=True)


def test_argmax_takes_the_first_of_equals(graphs, way):
    a = RNG.integers(0, 3, (50, 200)).astype(np.float32)
    got = graphs.run(lambda x: (x.argmax(1), x.argmin(0), x.argmax()), a, **way)
    for g, w in zip(got, [a.argmax(1), a.argmin(0), a.argmax()]):
        assert np.array_equal(g, w)


@pytest.mark.parametrize("shape", [(0, 4), (4, 0)])
def test_empty(graphs, way, shape):
    a = np.zeros(shape, np.float32)
    got = graphs.run(lambda x: (x.sum(0), x.sum(1), x.sum(), x.prod(1), (x > 0).all(0)), a, **way)
    for g, w in zip(got, [a.sum(0), a.sum(1), a.sum(), a.prod(1), (a > 0).all(0)]):
        assert np.array_equal(g, w)


@pytest.mark.parametrize("dynamic", [(), (0,), (0, 1)])
@pytest.mark.parametrize("shape", [(8, 16), (37, 53), (3, 1000)])
def test_softmax_is_one_kernel(graphs, way, shape, dynamic):
    a = normal(*shape) * 30
    compiled = graphs.compile(lambda x: ((x * 2).softmax(1) + 1, x.log_softmax(1)), a, dynamic=dynamic, **way)
    assert len(compiled.kernels) == 1
    d = a.astype(np.float64)
    e = np.exp(2 * d - 2 * d.max(1, keepdims=True))
    s = d - d.max(1, keepdims=True)
    got = graphs.call(compiled, a)
    assert np.allclose(got[0], e / e.sum(1, keepdims=True) + 1, rtol=1e-6)
    assert np.allclose(got[1], s - np.log(np.exp(s).sum(1, keepdims=True)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dynamic", [(), (0, 1)])
def test_layer_norm_is_one_kernel(graphs, way, dynamic):
    a, w, b = normal(20, 77) * 3 + 5, normal(77), normal(77)
    norm = graphs.torch.nn.functional.layer_norm
    compiled = graphs.compile(lambda x, w, b: norm(x, (77,), w, b).relu() if not dynamic else
                              norm(x, (x.shape[1],), w, b).relu(), a, w, b, dynamic=dynamic, **way)
    assert len(compiled.kernels) == 1
    d = a.astype(np.float64)
    n = (d - d.mean(1, keepdims=True)) / np.sqrt(d.var(1, keepdims=True) + 1e-5) * w + b
    assert np.allclose(graphs.call(compiled, a, w, b), np.maximum(n, 0), rtol=1e-4, atol=1e-5)


def test_statistics(graphs, way):
    a = normal(30, 41)
    got = graphs.run(lambda x: (x.var(1), x.std(0), x.var(), (x - x.mean()) / x.std(), x.logsumexp(1)), a, **way)
    d = a.astype(np.float64)
    want = [d.var(1, ddof=1), d.std(0, ddof=1), d.var(ddof=1), (d - d.mean()) / d.std(ddof=1), np.log(np.exp(d).sum(1))]
    for g, w in zip(got, want):
        assert np.allclose(g, w, rtol=1e-4, atol=1e-5)


def test_rows_and_elements_leave_one_kernel_together(graphs):
    a = normal(12, 64)
    compiled = graphs.compile(lambda x: (x * 2, (x * 2).sum(1), x.amax(1) + 1), a)
    assert len(compiled.kernels) == 1
    got = graphs.call(compiled, a)
    assert np.array_equal(got[0], a * 2)
    assert np.allclose(got[1], (a.astype(np.float64) * 2).sum(1), rtol=1e-5, atol=1e-5)
    assert np.array_equal(got[2], a.max(1) + 1)


def test_a_reduction_read_along_the_other_dimension_is_not_fused_wrongly(graphs, way):
    a = normal(24, 24)
    got = graphs.run(lambda x: x - x.sum(1), a, **way)             # (24,) broadcasts over rows, not columns
    d = a.astype(np.float64)
    assert np.allclose(got, d - d.sum(1), rtol=1e-5, atol=1e-5)


def test_symmetric_reads_of_one_value(graphs, way):
    a = normal(20, 20)
    got = graphs.run(lambda x: ((x * 2) + (x * 2).t(), x.exp() + x.exp().t()), a, **way)
    assert np.allclose(got[0], a * 2 + a.T * 2)
    assert np.allclose(got[1], np.exp(a) + np.exp(a).T, rtol=1e-6)


@pytest.mark.parametrize("dynamic", [(), (0, 1, 2)])
@pytest.mark.parametrize("size", [9, 130, 700])
@pytest.mark.parametrize("dtype", ["int64", "int8", "float32", "bool"])
def test_whole_numbers_over_rows_that_lie_apart(graphs, way, dtype, size, dynamic):
    """Two axes that are no single one: the four partial results live as long as the loop over the rows."""
    a = (RNG.integers(-5, 9, (4, 3, 2 * size)) > 0 if dtype == "bool" else RNG.integers(-5, 9, (4, 3, 2 * size))).astype(dtype)
    rows, planes = np.ascontiguousarray(a[:, 0]), a[:, :, :size]
    both = planes[:, ::2]
    got = graphs.run(lambda x, y: (x.amax(), x.amin(), x.sum(), y.amax((0, 2)), y.sum((0, 2)), (y > 1).sum(), y.amin()),
                     rows[:, 1:size], both, dynamic=dynamic, **way)
    x, y = (v if dtype == "float32" else v.astype(np.int64) for v in (rows[:, 1:size], both))
    want = [x.max(), x.min(), x.sum(), y.max((0, 2)), y.sum((0, 2)), (y > 1).sum(), y.min()]
    for g, w in zip(got, want):
        assert np.array_equal(np.asarray(g, w.dtype), w)


@pytest.mark.parametrize("dynamic", [(), (0,)])
def test_a_value_beside_a_reduction_that_nobody_needs(graphs, way, dynamic):
    """The reduction is not made; the value without elements is computed and stored all the same."""
    x, y, rows = np.array(-2), np.array([1, 2, 0], np.uint8), normal(3, 70)

    def scalar(x, y):
        kept = 3 ** x
        (kept.lerp(graphs.torch.count_nonzero(y, 0), 0.3)).neg()
        return kept

    def row(x, r):
        kept = x * 2 + 1
        kept + r.sum(1)
        return kept

    def both(x, y):
        kept = x - 1
        lost = kept + y.sum()
        lost.exp()
        return kept, kept * 2

    assert graphs.run(scalar, x, y, **way) == 0
    assert np.array_equal(graphs.run(row, rows[:, 0].copy(), rows, dynamic=dynamic, **way), rows[:, 0] * 2 + 1)
    assert [int(v) for v in graphs.run(both, x, y, dynamic=dynamic, **way)] == [-3, -6]
