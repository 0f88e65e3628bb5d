"""conv1d, conv2d and conv3d by the kernels that shift rows, against sums over the window in float64 NumPy."""
import numpy as np
import pytest

RNG = np.random.default_rng(7)
LIMIT = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-14}


def exact(x, w, bias, stride, padding, dilation, groups):
    x, w = x.astype(np.float64), w.astype(np.float64)
    n = w.ndim - 2
    x = np.pad(x, ((0, 0), (0, 0), *[(p, p) for p in padding]))
    space = [(x.shape[2 + i] - dilation[i] * (w.shape[2 + i] - 1) - 1) // stride[i] + 1 for i in range(n)]
    out = np.zeros((len(x), len(w), *space))
    per, each = len(w) // groups, w.shape[1]
    for at in np.ndindex(*w.shape[2:]):
        where = tuple(slice(at[i] * dilation[i], at[i] * dilation[i] + (space[i] - 1) * stride[i] + 1, stride[i])
                      for i in range(n))
        for g in range(groups):
            part = x[(slice(None), slice(g * each, (g + 1) * each), *where)]
            out[:, g * per:(g + 1) * per] += np.einsum("bc...,oc->bo...", part, w[g * per:(g + 1) * per][(..., *at)])
    return out if bias is None else out + bias.astype(np.float64).reshape(-1, *[1] * n)


def convolve(graphs, x, w, bias=None, stride=1, padding=0, dilation=1, groups=1, **options):
    n = w.ndim - 2
    spread = lambda v: (v,) * n if isinstance(v, int) else v
    conv = getattr(graphs.torch.nn.functional, f"conv{n}d")
    arrays = [x, w] + ([] if bias is None else [bias])
    compiled = graphs.compile(lambda x, w, *b: conv(x, w, *(b or (None,)), stride, padding, dilation, groups), *arrays,
                              **options)
    got = graphs.call(compiled, *arrays)
    x = x._array if hasattr(x, "_array") else x
    want = exact(x, w, bias, spread(stride), spread(padding), spread(dilation), groups)
    assert got.shape == want.shape
    assert np.abs(got - want).max() <= LIMIT[str(got.dtype)] * max(np.abs(want).max(), 1)
    return compiled


def normal(*shape, d="float32"):
    return RNG.standard_normal(shape).astype(d)


@pytest.mark.parametrize("x, w, options", [
    ((2, 3, 9, 11), (5, 3, 3, 3), {}),
    ((2, 4, 9, 40), (16, 4, 3, 3), {"padding": 1}),
    ((2, 4, 19, 40), (16, 4, 3, 5), {"padding": (1, 2), "stride": 2}),
    ((2, 4, 19, 40), (16, 4, 3, 3), {"padding": 2, "dilation": 2, "stride": (1, 3)}),
    ((2, 8, 19, 20), (8, 1, 3, 3), {"padding": 1, "groups": 8}),
    ((2, 8, 19, 20), (16, 4, 3, 3), {"padding": 1, "groups": 2}),
    ((1, 3, 33, 35), (9, 3, 7, 7), {"padding": 3, "stride": 2}),
    ((3, 5, 8, 8), (7, 5, 1, 1), {}),
    ((3, 5, 8, 8), (7, 5, 1, 1), {"stride": 2}),
    ((1, 2, 2, 2), (3, 2, 3, 3), {"padding": 5}),
    ((1, 1, 3, 3), (1, 1, 3, 3), {}),
    ((1, 1, 9, 9), (1, 1, 2, 2), {"stride": 7}),
    ((1, 2, 5, 70), (20, 2, 1, 40), {}),
    ((2, 4, 50), (6, 4, 5), {"padding": 2}),
    ((2, 4, 50), (6, 4, 5), {"padding": 4, "stride": 3, "dilation": 2}),
    ((2, 3, 5, 6, 20), (5, 3, 3, 3, 3), {}),
    ((2, 3, 5, 6, 20), (8, 3, 3, 3, 3), {"padding": 1}),
    ((1, 4, 9, 8, 30), (16, 2, 3, 2, 5), {"padding": (2, 0, 1), "stride": (2, 1, 3), "groups": 2}),
    ((2, 4, 8, 9, 10), (4, 1, 3, 3, 3), {"padding": (3, 1, 2), "dilation": (2, 1, 2), "groups": 4}),
    ((1, 2, 7, 5, 5), (9, 2, 2, 1, 3), {"stride": (3, 2, 1), "dilation": (3, 1, 1)}),
    ((3, 2, 1, 1, 1), (3, 2, 3, 3, 3), {"padding": 2}),
])
def test_windows(graphs, x, w, options):
    compiled = convolve(graphs, normal(*x), normal(*w), normal(w[0]) if w[0] % 2 else None, **options)
    assert len([p for k in compiled.kernels for p in k.parts]) == 2


@pytest.mark.parametrize("x, w, by_rows, options", [
    ((2, 3, 20, 63), (9, 3, 3, 3), 1, {"padding": 1}),
    ((1, 5, 9, 30), (16, 5, 3, 3), 1, {"padding": 1}),
    ((2, 3, 11, 128), (8, 3, 3, 5), 1, {"padding": (1, 2), "stride": (1, 2)}),
    ((2, 4, 7, 5, 64), (8, 2, 2, 3, 3), 1, {"padding": 1, "groups": 2}),
    ((2, 3, 20, 56), (9, 3, 3, 3), 0, {"padding": 1}),
])
def test_rows_that_have_tiles_of_their_own(graphs, x, w, by_rows, options):
    compiled = convolve(graphs, normal(*x), normal(*w), normal(w[0]), **options)
    assert f"#define BY_ROWS {by_rows}" in compiled.program


@pytest.mark.parametrize("d", LIMIT)
def test_dtypes(graphs, d):
    convolve(graphs, normal(2, 4, 9, 40, d=d), normal(9, 4, 3, 3, d=d), normal(9, d=d), padding=1)


def test_strided_input(graphs):
    convolve(graphs, graphs.wrap(normal(2, 9, 4, 40)).transpose(1, 2), normal(9, 4, 3, 3), padding=1)


def test_strided_weight_and_bias(graphs):
    """A bias that is a column of something, a weight that is turned around: what is read is what they hold."""
    conv = graphs.torch.nn.functional.conv2d
    x, wide, columns = normal(2, 4, 9, 9), normal(4, 6, 3, 3), normal(6, 2)
    w, bias = wide.transpose(1, 0, 2, 3), columns[:, 1]
    got = graphs.run(lambda x, w, b: conv(x, w, b, padding=1), x, graphs.wrap(wide).transpose(0, 1), graphs.wrap(columns)[:, 1])
    assert np.abs(got - exact(x, w, bias, (1, 1), (1, 1), (1, 1), 1)).max() < 2e-5


def test_on_all_cores(graphs):
    convolve(graphs, normal(2, 32, 40, 40), normal(32, 32, 3, 3), padding=1, always="large")


def test_padding_by_name(graphs):
    x, w = normal(1, 2, 9, 9), normal(3, 2, 3, 3)
    got = graphs.run(lambda x, w: graphs.torch.nn.functional.conv2d(x, w, padding="same", dilation=2), x, w)
    want = exact(x, w, None, (1, 1), (2, 2), (2, 2), 1)
    assert np.abs(got - want).max() < 1e-5


def test_sizes_may_change(graphs):
    conv = graphs.torch.nn.functional.conv2d
    w = graphs.wrap(normal(5, 3, 3, 3))
    first = normal(2, 3, 16, 18)
    compiled = graphs.compile(lambda x, w: conv(x, w, stride=2, padding=1), first, w, dynamic=(0, 2, 3))
    for shape in ((2, 3, 16, 18), (5, 3, 9, 40), (1, 3, 41, 3)):
        x = normal(*shape)
        got = graphs.call(compiled, x, w)
        want = exact(x, w._array, None, (2, 2), (1, 1), (1, 1), 1)
        assert got.shape == want.shape
        assert np.abs(got - want).max() < 2e-5


def test_channels_may_change(graphs):
    conv = graphs.torch.nn.functional.conv2d
    compiled = graphs.compile(lambda x, w: conv(x, w), normal(2, 3, 6, 7), normal(5, 3, 2, 2), dynamic=(0, 1))
    for shape, channels in (((2, 3, 6, 7), 5), ((4, 8, 6, 7), 2)):
        x, w = normal(*shape), normal(channels, shape[1], 2, 2)
        assert np.abs(graphs.call(compiled, x, w) - exact(x, w, None, (1, 1), (0, 0), (1, 1), 1)).max() < 2e-5


@pytest.mark.parametrize("options", [{"schedule": "gpu"}, {"zero_copy": False}])
def test_other_devices(graphs, options):
    convolve(graphs, normal(2, 3, 9, 9), normal(4, 3, 3, 3), **options)


def test_sizes_of_three_dimensions_may_change(graphs):
    conv = graphs.torch.nn.functional.conv3d
    w = graphs.wrap(normal(5, 3, 3, 3, 3))
    compiled = graphs.compile(lambda x, w: conv(x, w, stride=(1, 2, 1), padding=1), normal(2, 3, 4, 6, 18), w,
                              dynamic=(0, 2, 3, 4))
    for shape in ((2, 3, 4, 6, 18), (5, 3, 9, 4, 20), (1, 3, 2, 21, 3)):
        x = normal(*shape)
        got = graphs.call(compiled, x, w)
        want = exact(x, w._array, None, (1, 2, 1), (1,) * 3, (1,) * 3, 1)
        assert got.shape == want.shape
        assert np.abs(got - want).max() < 2e-5


def test_integers_are_numpys(graphs):
    x, w = RNG.integers(-5, 5, (1, 2, 6, 6)), RNG.integers(-5, 5, (2, 2, 3, 3))
    got = graphs.run(lambda x, w: graphs.torch.nn.functional.conv2d(x, w), x, w)
    assert np.array_equal(got, exact(x, w, None, (1, 1), (0, 0), (1, 1), 1))


@pytest.mark.parametrize("x, w, options", [
    ((2, 3, 7), (3, 5, 4), {"stride": 2, "padding": 1}),
    ((2, 3, 40), (3, 5, 3), {"padding": 2}),
    ((2, 3, 5, 20), (3, 4, 3, 3), {}),
    ((2, 4, 5, 20), (4, 3, 4, 4), {"stride": 2, "padding": 1}),
    ((1, 4, 6, 7), (4, 2, 3, 2), {"stride": (3, 1), "padding": (1, 0), "output_padding": (2, 0), "groups": 2}),
    ((2, 3, 5, 6), (3, 2, 2, 3), {"dilation": (3, 2), "stride": 2, "output_padding": 1}),
    ((1, 2, 3, 3), (2, 2, 1, 1), {"stride": 4}),
    ((1, 2, 2, 2), (2, 3, 5, 5), {"padding": 2}),
    ((2, 3, 3, 4, 5), (3, 2, 2, 3, 2), {"stride": (1, 2, 2), "padding": 1, "output_padding": (0, 1, 1)}),
])
@pytest.mark.parametrize("d", ["float32", "float64"])
def test_transposed(graphs, x, w, options, d):
    n, groups = len(w) - 2, options.get("groups", 1)
    conv = getattr(graphs.torch.nn.functional, f"conv_transpose{n}d")
    x, w, bias = normal(*x, d=d), normal(*w, d=d), normal(w[1] * groups, d=d)
    compiled = graphs.compile(lambda x, w, b: (conv(x, w, **options), conv(x, w, b, **options)), x, w, bias)
    assert "run_eager" not in compiled.launch_text                # NumPy has at most the product
    assert any("LOW_X" in k.source for k in compiled.kernels)
    plain, biased = graphs.call(compiled, x, w, bias)
    want = conv(graphs.wrap(x), graphs.wrap(w), **options)._array
    assert plain.shape == want.shape and plain.dtype == want.dtype
    limit = LIMIT[d] * max(np.abs(want).max(), 1)
    assert np.abs(plain - want).max() <= limit
    assert np.abs(biased - want - bias.reshape(-1, *[1] * n)).max() <= 2 * limit


def test_transposed_sizes_may_change(graphs):
    conv = graphs.torch.nn.functional.conv_transpose2d
    w = graphs.wrap(normal(3, 5, 4, 3))
    compiled = graphs.compile(lambda x, w: conv(x, w, stride=2, padding=1), normal(2, 3, 6, 8), w, dynamic=(0, 2, 3))
    for shape in ((2, 3, 6, 8), (5, 3, 9, 4), (1, 3, 2, 21)):
        x = normal(*shape)
        want = conv(graphs.wrap(x), w, stride=2, padding=1)._array
        got = graphs.call(compiled, x, w)
        assert got.shape == want.shape
        assert np.abs(got - want).max() < 2e-5


def test_transposed_halves_and_integers_are_numpys(graphs):
    conv = graphs.torch.nn.functional.conv_transpose2d
    for d in ("float16", "int64"):
        x, w = (normal(*s) * 4 for s in ((2, 3, 5, 6), (3, 2, 3, 3)))
        x, w = x.astype(d), w.astype(d)
        got = graphs.run(lambda x, w: conv(x, w, stride=2), x, w)
        assert np.array_equal(got, conv(graphs.wrap(x), graphs.wrap(w), stride=2)._array)
