"""Around the kernels: views, in-place and random operators, NumPy steps, matrix products, outputs, threads, errors."""
import threading

import numpy as np
import pytest

RNG = np.random.default_rng(3)


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def host_steps(compiled):
    return [line for line in compiled.text.splitlines() if "on the host" in line]


def test_views_of_inputs_share_their_memory(graphs):
    x = graphs.wrap(normal(4, 6))
    out = graphs.compile(lambda x: (x.t(), x[1:, ::2], x.reshape(-1), x.unsqueeze(0)), x)(x)
    for view, want in zip(out, [x._array.T, x._array[1:, ::2], x._array.reshape(-1), x._array[None]]):
        assert np.shares_memory(view._array, x._array)
        assert np.array_equal(view._array, want)


def test_views_of_computed_values(graphs, way):
    a = normal(6, 8)
    got = graphs.run(lambda x: ((x * 2)[1:3].sum(0), (x + 1).reshape(4, 12).t() * 3, (x * 3).permute(1, 0).softmax(0),
                                (x.exp()).t()), a, **way)
    e = np.exp(3 * a.T.astype(np.float64))
    for g, w in zip(got, [(a * 2)[1:3].sum(0), (a + 1).reshape(4, 12).T * 3, e / e.sum(0), np.exp(a).T]):
        assert np.allclose(g, w, rtol=1e-5)


def test_an_input_returned_is_the_same_tensor(graphs):
    x = graphs.wrap(normal(3))
    out = graphs.compile(lambda x: (x, x + 1, x), x)(x)
    assert out[0] is x and out[2] is x


def test_two_equal_results_do_not_share_memory(graphs):
    x = graphs.wrap(normal(3, 5))
    out = graphs.compile(lambda x: (x * 2, x * 2), x)(x)
    assert not np.shares_memory(out[0]._array, out[1]._array)


def test_in_place_operators_keep_their_order(graphs, way):
    x = graphs.wrap(normal(4, 5))
    before = x._array.copy()

    def f(x):
        a = x * 2
        x.add_(1)
        b = x * 2
        x[0].mul_(3)
        return a, b, x.sum(), x + 0

    got = graphs.run(f, x, **way)
    after = before + 1
    b = after * 2
    after[0] *= 3
    assert np.array_equal(got[0], before * 2)
    assert np.array_equal(got[1], b)
    assert np.allclose(got[2], after.sum(), rtol=1e-5)
    assert np.array_equal(got[3], after)
    assert np.array_equal(x._array, after)


def test_a_computed_value_changed_through_a_view(graphs, way):
    a = normal(4, 5)

    def f(x):
        y = x * 2
        y[1].fill_(7)
        return y + 0, y.sum(1)

    want = a * 2
    want[1] = 7
    got = graphs.run(f, a, **way)
    assert np.array_equal(got[0], want)
    assert np.allclose(got[1], want.sum(1), rtol=1e-5)


def test_random_operators_draw_in_order(graphs):
    torch = graphs.torch
    x = graphs.wrap(normal(5))
    compiled = graphs.compile(lambda x: (torch.rand_like(x) + x * 0, torch.rand_like(x) * 1), x)
    torch.manual_seed(5)
    got = graphs.call(compiled, x)
    torch.manual_seed(5)
    want = torch.rand_like(x), torch.rand_like(x)
    assert np.array_equal(got[0], want[0]._array)
    assert np.array_equal(got[1], want[1]._array)


def test_operators_without_a_kernel_run_on_numpy(graphs, way):
    a = normal(3, 9)
    compiled = graphs.compile(lambda x: (x * 2).cummax(1)[0] + x.exp().cummin(1)[0], a, **way)
    assert len(host_steps(compiled)) >= 2
    d = a.astype(np.float64)
    want = np.maximum.accumulate(d * 2, 1) + np.minimum.accumulate(np.exp(d), 1)
    assert np.allclose(graphs.call(compiled, a), want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int64"])
@pytest.mark.parametrize("shapes", [((5, 7), (7, 9)), ((2, 3, 4), (2, 4, 5)), ((4, 6), (6,)), ((6,), (6,)),
                                    ((3, 1, 4, 5), (2, 5, 6)), ((1, 1), (1, 1))])
def test_matmul(graphs, way, dtype, shapes):
    a, b = (RNG.integers(-4, 5, s).astype(dtype) for s in shapes)
    got = graphs.run(lambda x, y: (x @ y) + 1, a, b, **way)
    assert np.array_equal(got, np.matmul(a.astype(np.float64), b.astype(np.float64)) + 1)
    assert got.dtype == a.dtype


def test_matmul_of_transposed_and_computed_operands(graphs, way):
    a, b = normal(20, 30), normal(20, 40)
    got = graphs.run(lambda x, y: ((x * 2).t() @ y.relu()).softmax(-1), a, b, **way)
    d = (a.astype(np.float64) * 2).T @ np.maximum(b, 0)
    e = np.exp(d - d.max(-1, keepdims=True))
    assert np.allclose(got, e / e.sum(-1, keepdims=True), rtol=1e-4, atol=1e-6)


def test_matmul_with_symbolic_sizes(graphs, way):
    compiled = graphs.compile(lambda x, y: ((x @ y).relu(), x.shape[0] * 2), normal(8, 5), normal(5, 4), dynamic=(0,), **way)
    b = normal(5, 4)
    for n in (2, 3, 33):
        a = normal(n, 5)
        got, size = graphs.call(compiled, a, b)
        assert np.allclose(got, np.maximum(a.astype(np.float64) @ b, 0), rtol=1e-4, atol=1e-5)
        assert size == 2 * n


def test_constants_of_the_graph(graphs, way):
    c = graphs.wrap(normal(6))
    a = normal(4, 6)
    assert np.array_equal(graphs.run(lambda x: x + c, a, **way), a + c._array)


def test_sizes_that_may_be_zero_at_run_time(graphs, way):
    compiled = graphs.compile(lambda x: ((x[2:] * 2), (x[2:] + 1).sum()), normal(8), dynamic=(0,), **way)
    for n in (3, 2, 10):
        a = normal(n)
        got = graphs.call(compiled, a)
        assert np.array_equal(got[0], a[2:] * 2)
        assert np.allclose(got[1], (a[2:] + 1).sum(), rtol=1e-5)


def test_results_survive_later_calls(graphs):
    x = graphs.wrap(normal(700, 700))
    compiled = graphs.compile(lambda x: x * 2, x)
    first = compiled(x)[0]
    view = first._array[10:20]
    kept = first._array.copy()
    for k in range(5):
        compiled(graphs.wrap(normal(700, 700)))
        if k == 2:
            kept = kept[10:20].copy()
            del first
    assert np.array_equal(view, kept)


def test_read_only_and_unaligned_inputs(graphs):
    a = normal(100)
    a.flags.writeable = False
    assert np.array_equal(graphs.run(lambda x: x + 1, a), a + 1)
    b = normal(101)[1:]
    assert np.array_equal(graphs.run(lambda x: x + 1, b), b + 1)


def test_threads_share_an_artifact(graphs):
    compiled = graphs.compile(lambda x: ((x * 2).softmax(-1) @ x.t()).sum(0), normal(40, 40), dynamic=(0, 1))
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(30):
            n = int(rng.integers(2, 60))
            a = rng.standard_normal((n, n)).astype(np.float32)
            d = a.astype(np.float64) * 2
            e = np.exp(d - d.max(-1, keepdims=True))
            if not np.allclose(graphs.call(compiled, a), ((e / e.sum(-1, keepdims=True)) @ a.T).sum(0), rtol=1e-3, atol=1e-4):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_an_artifact_moves_between_devices_by_size(graphs):
    compiled = graphs.compile(lambda x: x * 2, normal(10), dynamic=(0,))
    for n in (10, 1_000_000, 20):
        a = normal(n)
        assert np.array_equal(graphs.call(compiled, a), a * 2)


def test_values_in_between_are_not_results(graphs):
    a = normal(50, 50)
    compiled = graphs.compile(lambda x: (((x * 2) @ x) + 1) @ x, a)
    assert "on.arena(" in compiled.text
    for _ in range(3):
        d = a.astype(np.float64)
        assert np.allclose(graphs.call(compiled, a), ((d * 2) @ d + 1) @ d, rtol=1e-3, atol=1e-2)


def test_chunks_and_other_views_with_several_results(graphs, way):
    a = normal(4, 9)
    got = graphs.run(lambda x: tuple(t * 2 for t in (x + 1).chunk(3, 1)), a, **way)
    for g, w in zip(got, np.split(a + 1, 3, 1)):
        assert np.array_equal(g, w * 2)


def test_a_rejected_kernel_names_the_driver_and_the_reason(graphs, monkeypatch):
    from guardscope.core.opencl import compile as module
    from guardscope.core.opencl.program import BuildFailed

    monkeypatch.setattr(module, "program_text", lambda kernels: "__kernel void broken( { this is no OpenCL")
    with pytest.raises(BuildFailed, match="could not build") as caught:
        graphs.compile(lambda x: x * 0.8125 - 917.25, normal(3))         # no kernel that was built before
    assert "error" in caught.value.log


def test_kernel_comments_show_the_script(graphs, tmp_path):
    script = tmp_path / "model.py"
    script.write_text("import torch\ny = torch.relu(x - 3)\n")
    compiled = graphs.compile(lambda x: (x - 3).relu(), normal(4), span=graphs.Span(str(script), 2))
    (kernel,) = compiled.kernels
    assert "// model.py:2  y = torch.relu(x - 3)" in kernel.source
    assert kernel.node_indices == (1, 2)
    assert kernel.device and kernel.work
