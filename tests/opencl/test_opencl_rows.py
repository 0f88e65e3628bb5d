"""Running sums and rows by number: cumsum, cumprod, embedding, index_select, gather against NumPy in float64 or int64."""
import numpy as np
import pytest

RNG = np.random.default_rng(11)
NEAR = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-14}


def values(d, shape):
    return RNG.standard_normal(shape).astype(d) if d.startswith("float") else RNG.integers(0, 5, shape).astype(d)


@pytest.mark.parametrize("d", ["float32", "float16", "float64", "int64", "int32", "uint8", "bool"])
def test_running_sums(graphs, d):
    x = values(d, (3, 17, 35))
    results = graphs.run(lambda x: tuple([f for dim in (0, 1, 2) for f in (x.cumsum(dim), (x * 1).cumprod(dim))]), x)
    exact = x.astype(np.float64 if d.startswith("float") else np.int64)
    for dim in (0, 1, 2):
        for got, want in ((results[2 * dim], exact.cumsum(dim)), (results[2 * dim + 1], exact.cumprod(dim))):
            assert np.allclose(got, want, rtol=NEAR.get(d, 0) * 20, atol=NEAR.get(d, 0) * 20)


def test_long_rows_add_up_no_rounding_errors(graphs):
    x = np.full(1 << 21, 0.1, np.float32)
    exact = x.astype(np.float64).cumsum()
    assert np.abs(graphs.run(lambda x: x.cumsum(0), x) / exact - 1).max() < 1e-6
    assert np.abs(graphs.torch.cumsum(graphs.wrap(x), 0)._array / exact - 1).max() < 1e-6
    tall = np.ascontiguousarray(np.broadcast_to(x[:1 << 17, None], (1 << 17, 3)))
    assert np.abs(graphs.run(lambda x: x.cumsum(0), tall) / exact[:1 << 17, None] - 1).max() < 1e-6


def test_integers_wrap_around(graphs):
    x = np.array([2**62, 2**62, 2**62, -1] * 9)
    with np.errstate(over="ignore"):
        assert np.array_equal(graphs.run(lambda x: x.cumsum(0), x), x.cumsum())
        assert np.array_equal(graphs.run(lambda x: x.cumprod(0), x), x.cumprod())


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (), (1, 1)])
def test_nothing_and_one_thing(graphs, shape):
    x = values("float32", shape)
    assert np.array_equal(graphs.run(lambda x: x.cumsum(0), x), x.cumsum(0).reshape(shape) if shape else x)


@pytest.mark.parametrize("d", ["float32", "float16", "float64", "int64", "uint8", "bool"])
@pytest.mark.parametrize("of_index", ["int64", "int32"])
def test_rows(graphs, d, of_index):
    t = values(d, (50, 37))
    i, j, k = (RNG.integers(0, n, s).astype(of_index) for n, s in ((50, (4, 7)), (37, 9), (50, (9, 37))))
    F = graphs.torch.nn.functional
    model = lambda t, i, j, k: (F.embedding(i, t), t.index_select(1, j), t.gather(0, k))
    embedded, selected, gathered = graphs.run(model, t, i, j, k)
    assert np.array_equal(embedded, t[i])
    assert np.array_equal(selected, t[:, j])
    assert np.array_equal(gathered, np.take_along_axis(t, k.astype(np.int64), 0))


@pytest.mark.parametrize("number", [-1, 50, -50])
def test_numbers_out_of_range(graphs, number):
    t, i = values("float32", (50, 8)), np.array([1, number, 2])
    F = graphs.torch.nn.functional
    for fn, error in ((lambda t, i: F.embedding(i, t), IndexError), (lambda t, i: t.index_select(0, i), IndexError),
                      (lambda t, i: t.gather(0, i.unsqueeze(1).expand(3, 8).contiguous()), RuntimeError)):
        compiled = graphs.compile(fn, t, i)
        with pytest.raises(error, match="out of"):
            compiled(graphs.wrap(t), graphs.wrap(i))
        assert graphs.call(compiled, t, np.array([1, 0, 2])).shape == (3, 8)


def test_numbers_that_a_kernel_computed(graphs):
    t, x = values("float32", (50, 8)), RNG.integers(0, 20, (30,))
    got = graphs.run(lambda t, x: graphs.torch.nn.functional.embedding(x * 2 + 1, t) + 1, t, x)
    assert np.array_equal(got, t[x * 2 + 1] + 1)


def test_empty_index(graphs):
    t = values("float32", (50, 8))
    assert graphs.run(lambda t, i: t.index_select(0, i), t, np.zeros(0, np.int64)).shape == (0, 8)


def test_sizes_may_change(graphs):
    t, i = values("float32", (50, 8)), RNG.integers(0, 7, (4, 5))
    F = graphs.torch.nn.functional
    compiled = graphs.compile(lambda t, i: F.embedding(i, t).cumsum(1), t, i, dynamic=(0, 1))
    for rows, width, shape in ((50, 8, (4, 5)), (7, 33, (2, 9))):
        t, i = values("float32", (rows, width)), RNG.integers(0, 7, shape)
        np.testing.assert_allclose(graphs.call(compiled, t, i), t[i].cumsum(1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("options", [{"schedule": "gpu"}, {"zero_copy": False}, {"always": "large"}])
def test_other_devices(graphs, options):
    t, i = values("float32", (50, 80)), RNG.integers(0, 50, 700)
    got = graphs.run(lambda t, i: (t.cumsum(0), graphs.torch.nn.functional.embedding(i, t)), t, i, **options)
    np.testing.assert_allclose(got[0], t.cumsum(0), rtol=1e-4, atol=1e-5)
    assert np.array_equal(got[1], t[i])


@pytest.mark.parametrize("d", ["float32", "float16", "int64", "bool"])
def test_numbers_in_brackets(graphs, d):
    x, i = values(d, (9, 5, 37)), RNG.integers(-9, 9, (4, 6))
    j = RNG.integers(-5, 5, 11)
    compiled = graphs.compile(lambda x, i, j: (x[i], x[:, j], x[j], x[..., j] == x[..., j]), x, i, j)
    assert "on the host" not in compiled.text
    got = graphs.call(compiled, x, i, j)
    for g, w in zip(got, (x[i], x[:, j], x[j], x[..., j] == x[..., j])):
        assert np.array_equal(g, w)
    for bad in (9, -10):
        i[1, 2] = bad
        with pytest.raises(IndexError, match=f"index {bad} is out of bounds for dimension 0 with size 9"):
            graphs.call(compiled, x, i, j)


def test_several_numbers_in_brackets_are_numpys(graphs):
    x, i, j = values("float32", (9, 7)), RNG.integers(-9, 9, 20), RNG.integers(-7, 7, 20)
    got = graphs.run(lambda x, i, j: (x[i, j] * 2, x[i.int()] + 1), x, i, j)
    assert np.array_equal(got[0], x[i, j] * 2) and np.array_equal(got[1], x[i] + 1)
