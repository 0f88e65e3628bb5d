"""Values that are known when a graph is compiled."""
import numpy as np


def normal(*shape):
    return np.random.default_rng(5).standard_normal(shape).astype(np.float32)


def test_masks_of_constants_are_computed_once(graphs, way):
    torch = graphs.torch
    a = normal(40, 40)

    def f(x):
        row = torch.arange(40)
        return x.masked_fill(row[:, None] < row, -1.0), x + row, (x * torch.arange(39, -1, -1)).sum(1)

    compiled = graphs.compile(f, a, **way)
    assert not [line for line in compiled.text.splitlines() if "arange" in line and "on the host" in line]
    row = np.arange(40)
    for _ in range(2):
        got = graphs.call(compiled, a)
        assert np.array_equal(got[0], np.where(row[:, None] < row, np.float32(-1), a))
        assert np.array_equal(got[1], a + row.astype(np.float32))
        assert np.allclose(got[2], (a.astype(np.float64) * row[::-1]).sum(1), rtol=1e-4, atol=1e-3)


def test_the_captured_graph_stays_as_it_is(graphs):
    torch = graphs.torch
    graph = graphs.trace(lambda x: x + torch.arange(6), normal(6))
    before = [(n.kind, n.name) for n in graph.nodes]
    graphs.compile_graph(graph, graphs.Options())
    assert [(n.kind, n.name) for n in graph.nodes] == before


def test_returned_constants_are_new_in_every_call(graphs):
    torch = graphs.torch
    x = graphs.wrap(normal(6))
    compiled = graphs.compile(lambda x: (torch.arange(6), torch.arange(6).view(2, 3), x * torch.arange(6)), x)
    first, second = compiled(x), compiled(x)
    for a, b in zip(first, second):
        assert not np.shares_memory(a._array, b._array)
    first[0]._array[:] = 9
    first[1]._array[:] = 9
    assert np.array_equal(compiled(x)[0]._array, np.arange(6))
    assert np.array_equal(compiled(x)[1]._array, np.arange(6).reshape(2, 3))
    assert np.array_equal(compiled(x)[2]._array, x._array * np.arange(6, dtype=np.float32))


def test_constants_that_are_written_stay_values_of_the_call(graphs):
    torch = graphs.torch

    def f(x):
        counts = torch.arange(6)
        counts.add_(1)
        return x * counts

    a = normal(6)
    compiled = graphs.compile(f, a)
    for _ in range(3):
        assert np.array_equal(graphs.call(compiled, a), a * np.arange(1, 7, dtype=np.float32))


def test_symbolic_ranges_follow_the_size(graphs):
    torch = graphs.torch
    compiled = graphs.compile(lambda x: x + torch.arange(x.shape[0]), normal(6), dynamic=(0,))
    for n in (3, 6, 11):
        a = normal(n)
        assert np.array_equal(graphs.call(compiled, a), a + np.arange(n, dtype=np.float32))
