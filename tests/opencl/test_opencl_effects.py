"""Writes in place that nobody can see are none: y.add_(1) fuses like y + 1, scatter and index_add are kernels; whatever could
be seen, through a view, an input or an earlier reader, keeps its order."""
import numpy as np
import pytest

RNG = np.random.default_rng(31)


def data(*shape, dtype="float32"):
    return RNG.normal(0, 3, shape).astype(dtype)


def agree(graphs, fn, *inputs, **options):
    from guardscope.core.graph.interpret import Interpreter

    dynamic = options.pop("dynamic", ())
    graph = graphs.trace(fn, *inputs, dynamic=dynamic)
    compiled = graphs.compile_graph(graph, graphs.Options(**options))
    for _ in range(2):
        mine, theirs = (graphs.tensors([a.copy() if isinstance(a, np.ndarray) else a for a in inputs]) for _ in "ab")
        for got, want in zip(compiled(*mine), Interpreter(graph)(*theirs), strict=True):
            assert got._array.dtype == want._array.dtype
            assert np.allclose(got._array, want._array, rtol=2e-6, atol=1e-6, equal_nan=True)
        for a, b in zip(mine, theirs):
            assert not isinstance(a, graphs.Tensor) or np.array_equal(a._array, b._array, equal_nan=True)
    return compiled


def test_in_place_arithmetic_fuses(graphs, way):
    def model(x):
        y = x * 2
        z = y.relu()
        y.add_(1).mul_(z)
        y.clamp_(-2, 5)
        return y, z, y.t(), y.sum(1)

    compiled = agree(graphs, model, data(10, 40), **way)
    assert "on the host" not in compiled.text
    assert "_eager" not in compiled.launch_text


def test_what_a_view_or_an_input_would_show_keeps_its_order(graphs, way):
    def through_view(x):
        y = x * 2
        v = y[1:]
        y.add_(1)
        return v * 3, y

    def written_view(x):
        y = x * 2
        y[0].mul_(5)
        return y + 1

    def written_input(x):
        before = x + 1
        x.mul_(2)
        return before, x + 1, x.flip(0) * 2

    def copy_before(x):
        y = x * 2
        z = y + 0
        y.exp_()
        w = y - z
        y.zero_()
        return w, y, z

    def promoted(x):
        y = (x > 0).long()
        y.add_(3)
        h = x.half()
        h.add_(x)
        return y, h

    def itself(x):
        y = x * 1
        y.add_(y).mul_(y.t())
        return y

    for model in (through_view, written_view, written_input, copy_before, promoted):
        agree(graphs, model, data(6, 20), **way)
    agree(graphs, itself, data(20, 20), **way)


def test_a_result_and_what_was_written_to_share_their_memory(graphs):
    def model(x):
        y = x * 2
        return y, y.add_(1)

    compiled = graphs.compile(model, data(5))
    first, second = compiled(*graphs.tensors([data(5)]))
    assert np.shares_memory(first._array, second._array) and np.array_equal(first._array, second._array)


def stored(base, index, value):
    """base[index] = value, in what base was computed to."""
    base[index] = value
    return base * 2


SCATTERS = {
    "rows": lambda torch, x, i, s, at: stored(x * 1, i, s),
    "rows from the end": lambda torch, x, i, s, at: stored(x.clone(), i - 10, s),
    "one row": lambda torch, x, i, s, at: stored(x.clone(), i, s[0]),
    "a number": lambda torch, x, i, s, at: stored(x.clone(), i, 3),
    "columns": lambda torch, x, i, s, at: stored(x.t().contiguous() + 1, (slice(None), i), s.t().contiguous()),
    "many numbers": lambda torch, x, i, s, at: stored(x.clone(), torch.stack((i, 9 - i), 1), torch.stack((s, s * 2), 1)),
    "put": lambda torch, x, i, s, at: x.index_put((i,), s) + 1,
    "put and add": lambda torch, x, i, s, at: x.index_put((i,), s, accumulate=True) + 1,
    "one row added": lambda torch, x, i, s, at: x.index_put((i - 10,), s[0], accumulate=True) + 1,
    "index_add": lambda torch, x, i, s, at: (x * 2).index_add(0, i, s).relu(),
    "index_add of columns": lambda torch, x, i, s, at: x.t().contiguous().index_add(1, i, s.t().contiguous()) * 2,
    "index_copy": lambda torch, x, i, s, at: torch.zeros(x.shape[0], 40, dtype=x.dtype).index_copy(0, i, s * 2) - x,
    "scatter": lambda torch, x, i, s, at: x.scatter(0, at, s) * 2,
    "scatter_add": lambda torch, x, i, s, at: x.scatter_add(0, at, s) + x.flip(0),
    "scatter_add twice": lambda torch, x, i, s, at: (x * 1).scatter_add_(0, at, s).scatter_add_(0, at, s * 2) * 2,
    "histogram": lambda torch, x, i, s, at: torch.zeros(10, dtype=x.dtype).scatter_add(0, at.flatten(), s.flatten()),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8"])
@pytest.mark.parametrize("name", SCATTERS)
def test_scatters_are_kernels(graphs, name, dtype):
    x, s = (np.abs(data(*shape)).astype(dtype) for shape in ((10, 40), (70, 40)))
    i, at = RNG.integers(0, 10, 70), RNG.integers(0, 10, (70, 40))
    for always in ("small", "large"):
        compiled = agree(graphs, lambda x, i, s, at: SCATTERS[name](graphs.torch, x, i, s, at), x, i, s, at, always=always,
                         schedule="cpu")
        assert "_eager" not in compiled.launch_text


@pytest.mark.parametrize("name", SCATTERS)
def test_scatters_in_other_ways(graphs, way, name):
    x, s, i, at = data(10, 40), data(7, 40), RNG.integers(0, 10, 7), RNG.integers(0, 10, (7, 40))
    agree(graphs, lambda x, i, s, at: SCATTERS[name](graphs.torch, x, i, s, at), x, i, s, at, **way)


@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (1, 17), (33, 16), (0, 5), (5, 0)])
def test_sizes(graphs, shape):
    rows, columns = shape
    i = RNG.integers(0, max(rows, 1), rows)
    agree(graphs, lambda x, i, s: (x.index_add(0, i, s) * 2, x.index_copy(0, i, s)), data(*shape), i, data(*shape))


def test_a_number_that_is_out_of_range_raises_before_anything_is_written(graphs):
    x, s = data(10, 40), data(3, 40)
    compiled = graphs.compile(lambda x, i, s: x.index_add(0, i, s) * 2, x, np.array([0, 1, 2]), s)
    graphs.call(compiled, x, np.array([9, 0, 0]), s)
    for bad in (10, -1):
        with pytest.raises(RuntimeError, match="out of bounds"):
            graphs.call(compiled, x, np.array([0, bad, 0]), s)
    assert np.allclose(graphs.call(compiled, x, np.array([9, 9, 9]), s)[9], (x[9] + s[0] + s[1] + s[2]) * 2, rtol=1e-5)


def test_numbers_in_brackets_may_count_from_the_end_but_no_further(graphs):
    x, s = data(10, 40), data(3, 40)
    compiled = graphs.compile(lambda x, i, s: stored(x.clone(), i, s), x, np.array([0, 1, 2]), s)
    graphs.call(compiled, x, np.array([9, -10, 0]), s)
    for bad in (10, -11):
        with pytest.raises(IndexError, match=f"index {bad} is out of bounds for dimension 0 with size 10"):
            graphs.call(compiled, x, np.array([0, bad, 0]), s)


@pytest.mark.parametrize("dtype", ["float16", "bool"])
def test_other_elements_are_stored_by_number(graphs, dtype):
    x, s, i = data(10, 40).astype(dtype), data(3, 40).astype(dtype), np.array([1, 9, 1])
    compiled = agree(graphs, lambda x, i, s: (stored(x.clone(), i, s), stored(x.clone(), i, s[0]), stored(x.clone(), i, 1)),
                     x, i, s, schedule="cpu")
    assert "_eager" not in compiled.launch_text
    agree(graphs, lambda x, i, s: x.index_put((i,), s, accumulate=True) * 1, x, i, s)


SEVERAL = {                          # of an array of 4 x 5 x 6 x 7; i, j of 9 numbers
    "two": lambda i, j: (i, j),
    "the last two": lambda i, j: (slice(None), slice(None), i, j),
    "the middle": lambda i, j: (slice(None), i, j),
    "three": lambda i, j: (i, j, i),
    "all": lambda i, j: (i, j, i, j),
    "from the end": lambda i, j: (i - 4, j - 5),
    "a column and a row": lambda i, j: (i[:, None], j[None, :]),
    "a column and numbers": lambda i, j: (i[:, None], j),
    "a row and numbers": lambda i, j: (i[None], j),
    "one and many": lambda i, j: (i[:1], j),
    "one and one": lambda i, j: (i[:1], j[:1, None]),
    "a box": lambda i, j: (i[:, None, None], j[:, None], i[:2]),
    "parts of a box": lambda i, j: (i.reshape(3, 1, 3), j[:4, None], i[:3] + 1),
    "integers of 32 bits": lambda i, j: (i.int(), j),
}
VALUES = {
    "all": lambda s: s, "a number": lambda s: s.sum(), "a row": lambda s: s[(0,) * (s.ndim - 1)],
    "a column": lambda s: s[..., :1] * 1, "once": lambda s: s[:1] * 1, "for later dimensions": lambda s: s[0] * 1,
}


@pytest.mark.parametrize("dynamic", [(), (0,), (0, 1, 2, 3)])
@pytest.mark.parametrize("name", SEVERAL)
def test_elements_by_several_numbers(graphs, name, dynamic):
    x, i, j = data(4, 5, 6, 7), RNG.integers(0, 4, 9), RNG.integers(0, 5, 9)
    compiled = agree(graphs, lambda x, i, j: x[SEVERAL[name](i, j)] * 2, x, i, j, dynamic=dynamic, schedule="cpu")
    assert "_eager" not in compiled.launch_text


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("name", SEVERAL)
def test_stores_by_several_numbers(graphs, name, values):
    """What meets at one place comes in the order of the numbers, stored or added."""
    x, i, j = data(4, 5, 6, 7), RNG.integers(0, 4, 9), RNG.integers(0, 5, 9)

    def store(x, i, j):
        at = SEVERAL[name](i, j)
        s = VALUES[values](x[at] * 3 + i.sum())
        if any(isinstance(n, slice) for n in at):
            return stored(x.clone(), at, s)
        return x.index_put(at, s) * 2, x.index_put(at, s, accumulate=True) + 1

    compiled = agree(graphs, store, x, i, j, schedule="cpu")
    whole = values in ("all", "a number") or (name in ("two", "three") and values == "for later dimensions") \
        or (name == "three" and values in ("a row", "once"))
    assert not whole or "_eager" not in compiled.launch_text


@pytest.mark.parametrize("dtype", ["float64", "int32", "int64", "uint8", "int8", "float16", "bool"])
def test_several_numbers_in_other_types(graphs, dtype):
    x, i, j = data(10, 12).astype(dtype), np.repeat(RNG.integers(0, 10, 20), 3), np.repeat(RNG.integers(0, 12, 20), 3)
    s = (np.arange(60) % 17).astype(dtype)
    compiled = agree(graphs, lambda x, i, j, s: (x[i, j], stored(x.clone(), (i, j), s)), x, i, j, s, schedule="cpu")
    assert "_eager" not in compiled.launch_text
    agree(graphs, lambda x, i, j, s: x.index_put((i, j), s, accumulate=True), x, i, j, s)


def test_several_numbers_out_of_range_raise_before_anything_is_written(graphs):
    """Also one that would name an element of the next row."""
    x, i, j = data(10, 12), np.array([0, 9, -10]), np.array([0, 11, -12])
    read = graphs.compile(lambda x, i, j: x[i, j] * 2, x, i, j)
    write = graphs.compile(lambda x, i, j: stored(x.clone(), (i, j), 3), x, i, j)
    for compiled in (read, write):
        graphs.call(compiled, x, i, j)
        for k, (bad, n) in enumerate(((10, 10), (12, 12))):
            for number in (bad, -bad - 1):
                given = [i, j]
                given[k] = np.array([0, number, 0])
                with pytest.raises(IndexError, match=f"index {number} is out of bounds for dimension {k} with size {n}"):
                    graphs.call(compiled, x, *given)


def test_other_stores_in_brackets_are_numpys(graphs):
    x, i, j, s = data(10, 40), RNG.integers(0, 10, 7), RNG.integers(0, 40, 7), data(7)
    cube = data(4, 5, 6)
    agree(graphs, lambda x, i, j, s: (stored(x.clone(), (i, j), s), stored(x.clone(), i, s[:, None]),
                                      stored(x.clone(), x > 0, 2), stored(x.t() * 1, i, s[0])), x, i, j, s)
    agree(graphs, lambda x, i: (x[i, :, i], stored(x.clone(), (i, slice(None), i), 2), x[i][:, i], x.transpose(0, 1)[i, i]),
          cube, RNG.integers(0, 4, 7))


def test_indices_of_other_sizes_and_numbers_are_numpys(graphs):
    at = RNG.integers(0, 10, (4, 20))
    agree(graphs, lambda x, at, s: (x.scatter(0, at, s) * 2, x.scatter(0, at, 1.5) * 2, x.scatter_reduce(0, at, s, "amax") + 1),
          data(10, 40), at, data(7, 40))


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_strides_of_single_elements_stay(graphs, dtype):
    """What NumPy computes out of place would have other strides than what was written to."""
    torch = graphs.torch

    def model(x):
        y = x.clone()
        y.acos_()
        return y

    x = torch.empty_strided((3, 1), (1, 3), dtype=getattr(torch, dtype)).fill_(0.5)
    (got,) = graphs.compile(model, x)(x)
    assert got.stride() == model(x).stride() == (1, 3)
