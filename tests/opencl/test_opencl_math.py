"""Accuracy of the prelude's functions in units of the last place of float32, against Python's and NumPy's float64."""
import math

import numpy as np
import pytest

LIMITS = {"exp": 1.5, "log": 1.5, "tanh": 2, "expm1": 2, "log1p": 3, "sqrt": 0.5, "rsqrt": 2, "erf": 3, "sin": 2.5, "cos": 2.5,
          "tan": 4, "exp2": 2, "log2": 2, "log10": 2, "atan": 2, "asin": 3, "sinh": 3, "cosh": 3, "erfc": 4, "sigmoid": 3}
EXACT = {"erf": np.vectorize(math.erf), "erfc": np.vectorize(math.erfc), "rsqrt": lambda x: 1 / np.sqrt(x),
         "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "atan": np.arctan, "asin": np.arcsin}


def samples():
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 2**32, 60_000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    special = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 88.7, 88.73, -87.4, -103.9, -104.1,
                        3e38, 1e-30, np.pi, 1e6, 1.1e6, 0.5, 4.0, 3.95, -132.3, -132.5, -176, -176.1, -1e30], np.float32)
    return np.concatenate([special, bits, np.linspace(-90, 90, 20_001, dtype=np.float32),
                           np.linspace(-1.2, 1.2, 20_001, dtype=np.float32)])


@pytest.mark.parametrize("name", LIMITS)
def test_accuracy(graphs, name):
    x = samples()
    if name == "sigmoid":
        x = x[~(x < -87)]                                # below, exp(-x) overflows as it does in eager mode
    compiled = graphs.compile(lambda t: getattr(t, name)(), x)
    (got,) = [t._array for t in compiled(graphs.wrap(x))]
    with np.errstate(all="ignore"):
        exact = EXACT.get(name, getattr(np, name, None))(x.astype(np.float64))
        want = exact.astype(np.float32)
        finite = np.isfinite(want) & np.isfinite(got)
        error = np.abs(got.astype(np.float64) - exact)[finite] / np.spacing(np.abs(want[finite]))
    assert np.array_equal(np.isnan(got), np.isnan(want))
    edge = np.isinf(got) != np.isinf(want)               # one rounding apart at the end of the range
    assert (np.abs(exact[edge]) > 3.4e38).all()
    assert error.max() <= LIMITS[name], x[finite][error.argmax()]


def test_one_plus_erf_and_gelu(graphs):
    torch = graphs.torch
    x = samples()
    compiled = graphs.compile(lambda t: (1 + torch.erf(t), torch.nn.functional.gelu(t), torch.erf(t) + 1.0), x)
    assert "erf_(" not in compiled.kernels[0].source
    assert compiled.kernels[0].source.count("= x_v * normal_cdf(x_v)") == 2             # with the loop over the rest
    whole, gelu, again = graphs.call(compiled, x)
    exact = np.array([math.erfc(-float(v)) for v in x])
    fine = np.isfinite(x)
    assert np.abs(whole - exact)[fine].max() <= 2 * 2.0**-23
    assert (whole[x <= -13] == 0).all() and (whole[x >= 4.2] == 2).all()
    assert np.array_equal(np.isnan(whole), np.isnan(x)) and np.array_equal(whole, again, equal_nan=True)
    with np.errstate(all="ignore"):
        want = 0.5 * x.astype(np.float64) * np.array([math.erfc(-float(v) * math.sqrt(0.5)) for v in x])
        assert np.array_equal(np.isnan(gelu), np.isnan(want))
        assert (np.abs(gelu - want)[fine] <= 2.0**-23 * np.abs(x[fine]) + 1e-38).all()
        above = fine & (x > 1e-37)
        assert (np.abs(gelu - want)[above] <= 2.2 * np.spacing(want[above].astype(np.float32))).all()
    assert gelu[x == -np.inf].size and gelu[x == np.inf].tolist() == [np.inf]


def test_gelu_as_scripts_write_it(graphs):
    torch = graphs.torch
    x = samples()
    x = x[np.isfinite(x) & (np.abs(x) < 1e30)]
    compiled = graphs.compile(lambda t: (0.5 * t * (1.0 + torch.erf(t / math.sqrt(2.0))),
                                         t * 0.5 * (torch.erf(t * 0.7) + 1)), x)
    assert "erf_(" not in compiled.kernels[0].source
    for got, scale in zip(graphs.call(compiled, x), (math.sqrt(0.5), 0.7), strict=True):
        want = 0.5 * x.astype(np.float64) * np.array([math.erfc(-float(v) * scale) for v in x])
        assert (np.abs(got - want) <= 1.25 * 2.0**-23 * np.abs(x) + 1e-38).all()


def test_exponentials_that_are_zero(graphs):
    """Softmax of rows with numbers far below the largest, and with hidden ones."""
    torch = graphs.torch
    x = np.repeat(np.linspace(0, -400, 801, dtype=np.float32)[None], 3, 0)
    x[1, 5:700] = -np.inf
    x[2, 400:] = -3e38
    got, plain = graphs.call(graphs.compile(lambda t: (torch.softmax(t, -1), torch.exp(t)), x), x)
    with np.errstate(all="ignore"):
        e = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(plain, e, rtol=3e-7, atol=1e-45)
    np.testing.assert_allclose(got, e / e.sum(-1, keepdims=True), rtol=1e-6, atol=2e-45)
    assert (got[e < 1e-46] == 0).all() and (plain[e < 1e-46] == 0).all()


def test_rows_with_nan(graphs):
    """Softmax sees NaN in its sum, not in its maximum; a maximum that is seen itself must look for it."""
    torch = graphs.torch
    x = np.random.default_rng(3).standard_normal((6, 150)).astype(np.float32)
    x[1, 0], x[2, 149], x[3, 70], x[4], x[5, 3] = np.nan, np.nan, np.inf, -np.inf, np.nan

    def shown(t):
        top = t.amax(-1, keepdim=True)
        return torch.exp(t - top), torch.exp(t - top).sum(-1) + top.squeeze(-1)

    for model, greatest in ((lambda t: (torch.softmax(t, -1),), True), (lambda t: (torch.softmax(t, 0),), True),
                            (shown, False), (lambda t: (torch.log_softmax(t, -1),), False)):
        compiled = graphs.compile(model, x)
        assert any("greatest_(" in k.source for k in compiled.kernels) is greatest
        got = [t._array for t in compiled(graphs.wrap(x))]
        with np.errstate(all="ignore"):
            want = [t._array for t in model(graphs.wrap(x))]
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-6, atol=1e-7)
            assert np.isnan(b).sum() >= 4


def test_rounding_to_float16_is_exact(graphs):
    half = np.arange(65536, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        between = half.astype(np.float64) * (1 + 2.0**-11)
    x = np.concatenate([half.astype(np.float32), between.astype(np.float32), samples()])
    got = graphs.run(lambda t: t.half() * 1, x)
    with np.errstate(all="ignore"):
        assert np.array_equal(got, x.astype(np.float16), equal_nan=True)
