"""Numbers that a script fetches are arguments of kernels: versions that differ in them share a program."""
import numpy as np
import pytest

X = np.linspace(-3, 3, 300, dtype=np.float32).reshape(20, 15)


@pytest.fixture
def script(graphs, tmp_path):
    """Compiles a line of a script that reads `value`, which stands elsewhere."""
    def compiled(line, value, *inputs, **options):
        path = tmp_path / "model.py"
        path.write_text(line + "\n")
        scope = {"torch": graphs.torch, "F": graphs.torch.nn.functional, "value": value}

        def model(x):
            names = {**scope, "x": x}
            exec(compile(line, str(path), "exec"), names)
            return names["y"]

        return graphs.compile(model, *inputs, span=graphs.Span(str(path), 1), **options)

    return compiled


def sources(compiled):
    return [k.source for k in compiled.kernels]


@pytest.mark.parametrize("line, values", [
    ("y = (x * value).sum(1) + value", (0.3, 5, -7.25, 1e-7, 1e30)),
    ("y = x / value", (3, 5, -0.7)),
    ("y = x / value", (4, 0.5, -2.0, 2.0 ** 100)),                        # the inverses of these are exact
    ("y = value / x", (4, 3, 0.5)),
    ("y = x ** value", (4, 2.5, -3)),
    ("y = torch.where(x > value, x, value - x)", (0.25, -2)),
    ("y = x.clamp(min=value) - x", (0.25, -2)),
    ("y = F.leaky_relu(x, value) * 0.5", (0.25, 2)),
    ("y = x @ x.t() * value", (0.25, -2)),
])
def test_one_text_for_all(graphs, script, line, values):
    with np.errstate(all="ignore"):
        made = [script(line, v, X) for v in values]
        assert all(sources(c) == sources(made[0]) for c in made)
        assert all(c.kernels[0].where == "memory" for c in made[1:])
        for c, v in zip(made, values):
            names = {"torch": graphs.torch, "F": graphs.torch.nn.functional, "x": graphs.wrap(X), "value": v}
            exec(line, names)
            np.testing.assert_allclose(graphs.call(c, X), names["y"]._array, rtol=2e-6, atol=1e-30)


@pytest.mark.parametrize("line, value, text", [
    ("y = x * 0.3", None, "0.3f"), ("y = x + value", 1, "1.0f"), ("y = x * value - 7", 7, "7.0f"),
    ("y = x ** value", 3, "x_v * x_v"), ("y = F.layer_norm(x, (15,))", None, "1e-05f"),
    ("y = F.gelu(x)", None, "= x_v * normal_cdf(x_v)"),
    ("y = x + value", float("inf"), "INFINITY")])
def test_what_the_line_says_is_in_the_text(script, line, value, text):
    """So are 0 and 1, what is taken by default, what a definition holds, and what is better known."""
    assert text in sources(script(line, value, X))[0]


@pytest.mark.parametrize("d", ["int64", "int32", "int16", "uint8", "float64"])
@pytest.mark.parametrize("options", [{}, {"schedule": "gpu"}, {"zero_copy": False, "schedule": "gpu"}, {"dynamic": (0, 1)}])
def test_all_kinds_of_numbers(graphs, script, d, options):
    x = (np.arange(60) - 30 * (d[0] != "u")).astype(d).reshape(6, 10)
    for value in (3, 100):
        got = graphs.call(script("y = (x * value + x, x > value, value - x)", value, x, **options), x)
        n = np.array(value, x.dtype)
        for g, w in zip(got, (x * n + x, x > n, n - x)):
            assert np.array_equal(g, w)


def test_integers_that_divide_stay_known(graphs, script):
    x = np.arange(-30, 30)
    for value in (3, -7, 8):
        compiled = script("y = (x // value, x % value)", value, x)
        assert "div_other" not in compiled.program and "on the host" not in compiled.text
        got = graphs.call(compiled, x)
        assert np.array_equal(got[0], x // value) and np.array_equal(got[1], x % value)


def test_several_in_one_launch(graphs, script):
    """Each kernel of a launch has its own numbers, also where two kernels are one text."""
    line = "y = ((x * value[0]).sum(0) * value[1], (x * value[2]).sum(1) * value[3], (x * value[4]).softmax(1))"
    a = np.abs(X) + 1
    for value in ((2.5, 3.5, 4.5, 5.5, 0.5), (6.5, 0.25, 9.5, 3.25, 0.75)):
        got = graphs.call(script(line, value, a), a)
        d = a.astype(np.float64)
        e = np.exp(d * value[4])
        for g, w in zip(got, ((d * value[0]).sum(0) * value[1], (d * value[2]).sum(1) * value[3],
                              e / e.sum(1, keepdims=True))):
            np.testing.assert_allclose(g, w, rtol=1e-5)


def test_a_line_that_was_moved_is_no_other_program(graphs):
    from guardscope.core.opencl.devices import choose
    from guardscope.core.opencl.program import build

    text = "__kernel void f(__global int *a)\n{{\n    // {}\n    a[0] = 7;  // {}\n}}\n"
    device = choose().small
    first, second = (build(text.format(x, x), [], device) for x in ("a.py:1  x = 7", "a.py:22  x = 7"))
    assert first.program is second.program
