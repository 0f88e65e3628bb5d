"""scaled_dot_product_attention by the tiled kernel against a float64 computation in NumPy."""
import numpy as np
import pytest

RNG = np.random.default_rng(5)
LIMIT = {"float16": 3e-3, "float32": 3e-6, "float64": 1e-14}


def exact(q, k, v, causal, mask, scale):
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ np.swapaxes(k, -1, -2) * scale
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    top = scores.max(-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = e.sum(-1, keepdims=True)
    return np.where(total == 0, 0, e / np.where(total == 0, 1, total)) @ v


def attend(graphs, q, k, v, causal=False, mask=None, scale=None, **options):
    sdpa = graphs.torch.nn.functional.scaled_dot_product_attention
    arrays = [q, k, v] + ([] if mask is None else [mask])
    compiled = graphs.compile(lambda q, k, v, *m: sdpa(q, k, v, *m, is_causal=causal, scale=scale), *arrays, **options)
    got = graphs.call(compiled, *arrays)
    want = exact(*[x._array if hasattr(x, "_array") else x for x in (q, k, v)], causal, mask,
                 scale or 1 / np.sqrt(k.shape[-1]))
    assert np.abs(got - want).max() < LIMIT[str(got.dtype)]
    return compiled


def normal(*shape, d="float32"):
    return RNG.standard_normal(shape).astype(d)


@pytest.mark.parametrize("queries, keys, causal", [(37, 50, False), (8, 1, False), (40, 300, True), (300, 40, True),
                                                   (513, 513, True)])
def test_lengths(graphs, queries, keys, causal):
    compiled = attend(graphs, normal(2, 3, queries, 20), normal(2, 3, keys, 20), normal(2, 3, keys, 20), causal)
    assert [p for k in compiled.kernels for p in k.parts][-1] == "k_scaled_dot_product_attention"


@pytest.mark.parametrize("mask", [RNG.random((33, 17)) > 0.5, RNG.random((2, 1, 33, 17)) > 0.5, normal(33, 17),
                                  normal(1, 3, 1, 17), np.zeros((33, 17), bool), RNG.random((3, 33, 1)) > 0.5])
def test_masks(graphs, mask):
    attend(graphs, normal(2, 3, 33, 16), normal(2, 3, 17, 16), normal(2, 3, 17, 16), mask=mask)


@pytest.mark.parametrize("d", LIMIT)
@pytest.mark.parametrize("head", [1, 7, 16, 33, 128])
def test_dtypes_and_heads(graphs, d, head):
    attend(graphs, normal(3, 19, 12, d=d), normal(3, 21, 12, d=d), normal(3, 21, head, d=d), scale=0.3)


@pytest.mark.parametrize("shape", [(11, 8), (4, 11, 8), (2, 2, 11, 8), (2, 3, 2, 11, 8)])
def test_batches(graphs, shape):
    attend(graphs, *[normal(*shape) for _ in range(3)])


def test_strided_operands(graphs):
    q, k, v = [graphs.wrap(normal(2, 40, 3, 16)).transpose(1, 2) for _ in range(3)]
    attend(graphs, q, k, v, causal=True)


def test_on_all_cores(graphs):
    attend(graphs, *[normal(1, 8, 256, 32) for _ in range(3)], always="large")


def test_large_scores_do_not_overflow(graphs):
    attend(graphs, normal(1, 16, 8) * 100, normal(1, 600, 8) * 100, normal(1, 600, 8))


def test_what_is_no_number_spoils_its_row_only(graphs):
    q, k, v = [normal(1, 16, 8) for _ in range(3)]
    q[0, 3, 2] = np.nan
    sdpa = graphs.torch.nn.functional.scaled_dot_product_attention
    got = graphs.run(lambda q, k, v: sdpa(q, k, v), q, k, v)
    assert np.isnan(got[0, 3]).all()
    assert np.isfinite(np.delete(got[0], 3, 0)).all()


def test_sizes_may_change(graphs):
    sdpa = graphs.torch.nn.functional.scaled_dot_product_attention
    first = [normal(2, 3, 40, 16) for _ in range(3)]
    compiled = graphs.compile(lambda q, k, v: sdpa(q, k, v, is_causal=True), *first, dynamic=(0, 2))
    for batch, length in ((2, 40), (3, 7), (5, 290)):
        q, k, v = [normal(batch, 3, length, 16) for _ in range(3)]
        got = graphs.call(compiled, q, k, v)
        assert np.abs(got - exact(q, k, v, True, None, 0.25)).max() < 3e-6


@pytest.mark.parametrize("causal", [False, True])
def test_all_sizes_may_change(graphs, causal):
    """Also that of a head: values with more elements than a work-item keeps take several turns."""
    sdpa = graphs.torch.nn.functional.scaled_dot_product_attention
    first = [normal(2, 3, 40, 16), normal(2, 3, 50, 16), normal(2, 3, 50, 24)]
    compiled = graphs.compile(lambda q, k, v: sdpa(q, k, v, is_causal=causal), *first, dynamic=(0, 2, 3))
    assert "k_scaled_dot_product_attention" in compiled.program and "k_softmax" not in compiled.program
    for batch, rows, lines, depth, head in ((2, 40, 50, 16, 24), (3, 9, 5, 7, 300), (1, 20, 300, 33, 520), (2, 8, 8, 1, 256)):
        q, k, v = normal(batch, 3, rows, depth), normal(batch, 3, lines, depth), normal(batch, 3, lines, head)
        got = graphs.call(compiled, q, k, v)
        assert np.abs(got - exact(q, k, v, causal, None, depth ** -0.5)).max() < 3e-6


@pytest.mark.parametrize("options", [{"schedule": "gpu"}, {"schedule": "gpu", "zero_copy": False}])
def test_devices_without_the_kernel(graphs, options):
    compiled = attend(graphs, *[normal(2, 3, 20, 16) for _ in range(3)], causal=True, **options)
    assert "k_softmax" in [k.name for k in compiled.kernels]


def test_few_queries(graphs):
    attend(graphs, normal(2, 3, 1, 16), normal(2, 3, 50, 16), normal(2, 3, 50, 16))
