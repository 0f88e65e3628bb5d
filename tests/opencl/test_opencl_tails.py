"""What follows a product (bias, activation, residual): inside the product's kernels, or in place on its result."""
import numpy as np
import pytest

RNG = np.random.default_rng(21)


def data(*shape, dtype="float32"):
    return RNG.normal(0, 1, shape).astype(dtype)


@pytest.fixture
def own(monkeypatch):
    """Products by kernels, not by BLAS."""
    from guardscope.core.opencl.templates import matmul

    token = matmul._FORCED.set(True)
    yield
    matmul._FORCED.reset(token)


def agree(graphs, fn, *inputs, tolerance=2e-5, **options):
    from guardscope.core.graph.interpret import Interpreter

    dynamic = options.pop("dynamic", ())
    graph = graphs.trace(fn, *inputs, dynamic=dynamic)
    compiled = graphs.compile_graph(graph, graphs.Options(**options))
    tensors = graphs.tensors(inputs)
    for _ in range(2):
        for got, want in zip(compiled(*tensors), Interpreter(graph)(*tensors), strict=True):
            assert got._meta is want._meta
            scale = max(1.0, float(np.abs(want._array).max(initial=0)))
            assert np.allclose(got._array, want._array, rtol=tolerance, atol=tolerance * scale, equal_nan=True)
    return compiled


def launches(compiled):
    return compiled.launch_text.count("enqueue(queue,")


def results(compiled):
    """How many arrays the call makes."""
    return compiled.launch_text.count("on.result(") + compiled.launch_text.count("= empty(")


def tails(torch):
    F = torch.nn.functional
    return {
        "bias": lambda p, c, d: p + c,
        "gelu": lambda p, c, d: F.gelu(p + c),
        "residual": lambda p, c, d: p * 0.5 + d,
        "all": lambda p, c, d: (F.silu(p + c) * 2 + d).clamp(-3, 3),
        "row scale": lambda p, c, d: p * d[..., :1] - c.mean(),
        "where": lambda p, c, d: torch.where(d > 0, p, c),
    }


@pytest.mark.parametrize("way", [{"schedule": "cpu"}, {"schedule": "gpu"}, {"schedule": "gpu", "zero_copy": False},
                                 {"schedule": "cpu", "zero_copy": False}], ids=str)
@pytest.mark.parametrize("which", ["bias", "gelu", "residual", "all", "row scale", "where"])
def test_a_tail_is_inside_the_kernels_of_the_product(graphs, own, which, way):
    tail = tails(graphs.torch)[which]
    for rows, depth, columns in [(17, 19, 37), (64, 32, 64), (3, 4, 5)]:
        a, b, c, d = data(rows, depth), data(columns, depth), data(columns), data(rows, columns)
        compiled = agree(graphs, lambda a, b, c, d: tail(a @ b.t(), c, d), a, b, c, d, **way)
        text = "".join(k.source for k in compiled.kernels)
        assert text.count("_tail(const") >= 1
        assert launches(compiled) <= (3 if which == "row scale" else 2)          # an operand in panels, c.mean()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@pytest.mark.parametrize("dynamic", [(), (0,)])
def test_every_dtype_and_layout(graphs, own, dtype, dynamic, turned):
    shapes = (40, 20) if turned else (24, 20)
    a, b, c = (np.rint(data(*s) * 3).astype(dtype) for s in (shapes, (16, 20), (16,)))
    agree(graphs, lambda a, b, c: (a @ b.t() + c) * 2, a, b, c, dynamic=dynamic, tolerance=2e-2 if dtype == "float16" else 2e-5)


def test_batches_and_residuals(graphs, own):
    x, w, r, s = data(3, 10, 20), data(33, 20), data(3, 10, 33), data(10, 33)
    compiled = agree(graphs, lambda x, w, r: (x @ w.t()).relu() + r, x, w, r)
    assert "_tail(const" in compiled.kernels[-1].source
    agree(graphs, lambda x, w, s: (x @ w.t()).relu() + s, x, w, s)           # the residual is the same for all batches
    y = data(3, 20, 33)
    assert "_tail(const" in agree(graphs, lambda x, y, r: (x @ y) * r - 1, x, y, r).kernels[-1].source


def test_layers_that_differ_in_names_share_their_kernels(graphs, own):
    F = graphs.torch.nn.functional

    def model(x, y, z, w):
        first = F.gelu(x @ y + z)
        second = F.gelu(first @ y + w)
        return F.gelu(second @ y + z)

    compiled = agree(graphs, model, data(24, 24), data(24, 24), data(24), data(24))
    assert launches(compiled) == 6
    assert len(compiled.kernels) == 2


def test_a_tail_works_in_place_on_what_blas_computed(graphs, monkeypatch):
    from guardscope.core.opencl.templates import matmul

    token = matmul._FORCED.set(False)
    try:
        F = graphs.torch.nn.functional
        compiled = agree(graphs, lambda x, w, b: F.gelu(x @ w + b), data(20, 30), data(30, 40), data(40))
        assert launches(compiled) == 1
        assert results(compiled) == 1
        assert "matmul" not in "".join(k.source for k in compiled.kernels)
        # In between as well: the second product reads what the first one's tail left.
        compiled = agree(graphs, lambda x, w, b: ((x @ w + b).relu() @ w).tanh(), data(20, 30), data(30, 30), data(30))
        assert "arena" in compiled.launch_text and results(compiled) == 1
    finally:
        matmul._FORCED.reset(token)


@pytest.mark.parametrize("force", [False, True])
def test_a_product_that_others_read_stays(graphs, force):
    from guardscope.core.opencl.templates import matmul

    torch = graphs.torch
    token = matmul._FORCED.set(force)
    try:
        a, b = data(24, 24), data(24, 24)
        agree(graphs, lambda x, y: (p := x @ y, p.relu()), a, b)
        agree(graphs, lambda x, y: ((p := x @ y).relu(), p.t() @ y), a, b)
        agree(graphs, lambda x, y: (x @ y).relu() + (x @ y).t(), a, b)
        agree(graphs, lambda x, y: (p := x @ y) + p.sum(1, keepdim=True), a, b)
        agree(graphs, lambda x, y: (p := x @ y).relu() - p.flip(0), a, b)
        agree(graphs, lambda x, y: ((x @ y) + (y @ x)).exp(), a, b)
        agree(graphs, lambda x, y: torch.cat((x @ y, y), 1) * 2, a, b)
        agree(graphs, lambda x, y: ((x @ y).relu(), (x @ y + 1) > 0), a, b)
        agree(graphs, lambda x, y: (x @ y).softmax(1), a, b)
        agree(graphs, lambda x, y: ((p := (x @ y)) * 2 + 1, p[0] * 2), a, b)
        agree(graphs, lambda x, y: (x @ y).t() * 2, a, b)
        agree(graphs, lambda x, y: (p := (x @ y).exp(), (p.t() * 2).sum(0)), a, b)
    finally:
        matmul._FORCED.reset(token)


@pytest.mark.parametrize("force", [False, True])
def test_a_result_that_takes_the_products_place_is_stored_last(graphs, force):
    from guardscope.core.opencl.templates import matmul

    token = matmul._FORCED.set(force)
    try:
        for schedule in ("cpu", "gpu"):
            agree(graphs, lambda x, y: (z := x * 2 + 1, (x @ y + z).relu(), (x @ y) * 3), data(24, 24), data(24, 24),
                  schedule=schedule)
            agree(graphs, lambda x, y: (z := y.exp(), (p := x @ y) * z, p - 1, z * 2), data(24, 24), data(24, 24),
                  schedule=schedule)
    finally:
        matmul._FORCED.reset(token)


def test_in_place_writes_keep_their_order(graphs, own):
    def model(x, y):
        p = x @ y
        z = x * 1
        z.add_(1)
        return (p + z).relu(), z

    agree(graphs, model, data(24, 24), data(24, 24))


@pytest.mark.parametrize("shape", [(0, 5, 7), (5, 0, 7), (5, 7, 0), (1, 9, 1), (1, 20, 40), (40, 20, 1)])
def test_sizes(graphs, own, shape):
    rows, depth, columns = shape
    for schedule in ("cpu", "gpu"):
        agree(graphs, lambda x, y, z: (x @ y + z).relu() * 2, data(rows, depth), data(depth, columns), data(columns),
              schedule=schedule)


def test_other_templates_are_followed_in_place(graphs, way):
    F = graphs.torch.nn.functional
    x, w = data(2, 3, 9, 20), data(5, 3, 3, 3)
    compiled = agree(graphs, lambda x, w: F.conv2d(x, w).relu() * 2, x, w, **way)
    if way["schedule"] == "cpu":
        assert results(compiled) == 1
    q = data(2, 40, 16)
    agree(graphs, lambda q: F.scaled_dot_product_attention(q, q, q) * 0.5 + q, q, **way)
    agree(graphs, lambda x: F.max_pool2d(x, 3).exp() + x.cumsum(3).relu()[..., :3, :6], x, **way)
