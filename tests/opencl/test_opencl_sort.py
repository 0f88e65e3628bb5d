"""sort, argsort, topk, kthvalue and median by kernels: values and indices are exactly those of the eager operators."""
import numpy as np
import pytest

DTYPES = ["float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8", "bool"]
SPECIAL = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0, 1.0, 2.0]


def values(d, shape, seed=0):
    """Elements of which many are equal, with all that order treats apart: NaN, infinities, both zeros, extremes."""
    rng, d = np.random.default_rng(seed), np.dtype(d)
    if d.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    few = rng.random(shape) < 0.5
    if d.kind == "f":
        some = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(d)
        return np.where(few, np.array(SPECIAL, d)[rng.integers(0, len(SPECIAL), shape)], some)
    ends = np.iinfo(d)
    return np.where(few, rng.integers(0, 5, shape).astype(d), rng.integers(ends.min, ends.max, shape, d, endpoint=True))


def check(graphs, fn, *inputs, dynamic=(), other=None, **options):
    """Compiled against eager, bit for bit (any NaN counts as any other), on the inputs and then on `other`."""
    from guardscope.core.graph.interpret import Interpreter

    graph = graphs.trace(fn, *inputs, dynamic=dynamic)
    compiled = graphs.compile_graph(graph, graphs.Options(**options))
    for given in [inputs, *([other] if other is not None else [])]:
        got = graphs.call(compiled, *given)
        wanted = [t._array for t in Interpreter(graph)(*graphs.tensors(given))]
        assert not compiled._told
        for g, w in zip(got if len(wanted) > 1 else [got], wanted):
            assert g.dtype == w.dtype and np.array_equal(g, w, equal_nan=g.dtype.kind == "f")
            if g.dtype.kind == "f":
                assert np.array_equal(np.signbit(g)[g == 0], np.signbit(w)[w == 0])
    return compiled


def orders(d, n, dim):
    """Everything that sorts along `dim`, which has `n` elements."""
    def fn(x):
        out = [*x.sort(dim), *x.sort(stable=True, dim=dim, descending=True), x.argsort(dim)]
        if d != "bool":
            k = n // 7 + 1
            out += [*x.topk(k, dim), *x.topk(n, dim, largest=False), *x.kthvalue(k, dim), *x.median(dim, True),
                    *x.nanmedian(dim)]
        return tuple(out)

    return fn


@pytest.mark.parametrize("d, shape, dim", [*[(d, (4, 90, 5), 1) for d in DTYPES],
                                           *[(d, (n,), 0) for d in ("float16", "int64") for n in (1, 64, 700)]])
def test_all_that_sorts(graphs, d, shape, dim):
    compiled = check(graphs, orders(d, shape[dim], dim), values(d, shape))
    assert "on the host" not in compiled.text


@pytest.mark.parametrize("d", ["float32", "int64", "uint8"])
def test_sizes_may_change(graphs, d):
    fn = lambda x: (*x.sort(1), *x.sort(0, True), *x.topk(3, 1), *x.median(0), *x.kthvalue(2, 1))
    compiled = check(graphs, fn, values(d, (9, 70)), dynamic=(0, 1), other=[values(d, (300, 5), 1)])
    assert "on the host" not in compiled.text


def test_a_number_of_largest_that_changes(graphs):
    x = values("float32", (9, 70))
    compiled = check(graphs, lambda x, k: (*x.topk(k, 1), *x.topk(k, 0)), x, 3, other=[x, 8])
    assert "on the host" not in compiled.text


def test_elements_in_order_and_backwards(graphs):
    x = np.arange(500, dtype=np.float32)
    for given in (x, -x, x * 0, x.astype(np.int64) // 3):
        check(graphs, lambda x: (*x.sort(0), *x.sort(0, True), *x.topk(9, 0)), given)


@pytest.mark.parametrize("d", ["float32", "int16"])
def test_other_layouts(graphs, d):
    """A result is laid out in memory as its input."""
    x = values(d, (6, 7, 80))
    for given in (x.transpose(1, 2, 0), x.T, x[:, ::2], x[1:, :, ::3], np.broadcast_to(x[:1], (4, 7, 80))):
        compiled = check(graphs, lambda x: (*x.sort(1), *x.sort(0), *x.topk(2, 0), *x.median(2), *x.kthvalue(2, 0)), given)
        assert "on the host" not in compiled.text


@pytest.mark.parametrize("shape, dim", [((0,), 0), ((3, 0), 1), ((3, 0), 0), ((0, 3), 1)])
def test_nothing(graphs, shape, dim):
    check(graphs, lambda x: (*x.sort(dim), x.argsort(dim)), np.zeros(shape, np.float32))
    check(graphs, lambda x: (*x.topk(0, 0), *(x + 1).topk(0, 0)), np.ones((3, 4), np.float32))


def test_no_dimension(graphs):
    check(graphs, lambda x: (*x.sort(), *x.topk(1), *x.kthvalue(1, 0), *x.median(0), x.argsort()), np.array(3, np.float32))


def test_what_nobody_reads_is_not_computed(graphs):
    x = values("float32", (9, 70))
    assert "gather" not in check(graphs, lambda x: (x.argsort(1) * 2,), x).text
    assert "gather" in check(graphs, lambda x: (x.sort(1)[0] * 2,), x).text


def test_an_order_used_elsewhere_is_still_looked_at(graphs):
    """Only the array itself surely has as many elements as its order names."""
    x, y = values("float32", (90,)), values("float32", (50,))
    compiled = graphs.compile(lambda x, y: y.gather(0, x.argsort()), x, y)
    with pytest.raises(RuntimeError, match="out of bounds"):
        compiled(*graphs.tensors([x, y]))
    check(graphs, lambda x, y: (x.gather(0, y.argsort()), x.index_select(0, x.argsort()), x[x.argsort()]), x, y)


def test_every_way_to_run(graphs, way):
    check(graphs, lambda x: (*x.sort(1), *x.sort(0, True), *x.topk(9, 0), *x.median(1), x[0].index_select(0, x[0].argsort())),
          values("float32", (150, 90)), **way)


def test_on_gpus_short_lines_are_counted(graphs):
    short = values("float32", (2, 300))
    assert "on the host" not in check(graphs, lambda x: x.sort(1), short, schedule="gpu").text
    check(graphs, lambda x: (*x.topk(3, 1), *x.sort(0)), short, schedule="gpu", dynamic=(0, 1),
          other=[values("float32", (7, 90))])


@pytest.mark.parametrize("length", [1025, 2048, 2049, 5000, 8193, 20000])
@pytest.mark.parametrize("d", ["float32", "int64"])
def test_on_gpus_long_lines_are_merged(graphs, length, d):
    """Lengths at and beside those that fill all runs, with many equal elements; of lines beside one another, too."""
    x = values(d, (2, length))
    x[0] = np.round(x[0] * 3) / 3 if d == "float32" else x[0] % 7
    compiled = check(graphs, lambda x: (*x.sort(1), *x.sort(1, True), *x.topk(5, 1), x.t().contiguous().argsort(0)), x,
                     schedule="gpu")
    assert "on the host" not in compiled.text


@pytest.mark.parametrize("d", ["float64", "float16", "int32", "int8", "uint8", "bool"])
def test_on_gpus_long_lines_of_other_types(graphs, d):
    x = values(d, (2, 3000))
    assert "on the host" not in check(graphs, lambda x: (*x.sort(1), *x.sort(1, True)), x, schedule="gpu").text


def test_on_gpus_a_line_may_grow(graphs):
    x = values("float32", (2, 1500))
    check(graphs, lambda x: (*x.sort(1), *x.kthvalue(700, 1)), x, schedule="gpu", dynamic=(1,),
          other=[values("float32", (2, 9000))])
    check(graphs, lambda x: (*x.sort(1), *x.kthvalue(700, 1)), x, schedule="gpu", dynamic=(0, 1), zero_copy=False,
          other=[values("float32", (3, 800))])


def test_positions_of_64_bits(graphs, monkeypatch):
    from guardscope.core.opencl import compile as module

    monkeypatch.setattr(module, "NARROW", 0)
    check(graphs, lambda x: (*x.sort(1), *x.topk(9, 0), x.argsort(0)), values("float64", (70, 90)))
    check(graphs, lambda x: (*x.sort(1), *x.topk(9, 0)), values("int16", (70, 90)), schedule="gpu")
