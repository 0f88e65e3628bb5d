"""Values that are only moved (views, cat, stack, pad, flip, roll, repeat, arange, eye) cost no kernel and no copy of their own
where a kernel reads them: shapes, dtypes, symbolic sizes, every schedule. Expected values from the eager operators."""
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

RNG = np.random.default_rng(11)


def data(shape, dtype="float32"):
    d = np.dtype(dtype)
    return RNG.integers(0, 2, shape).astype(bool) if d.kind == "b" else (RNG.normal(0, 3, shape)).astype(d)


def agree(graphs, fn, *inputs, kernels=1, **options):
    """The compiled graph gives what the eager operators give, with so many kernels and nothing left to NumPy."""
    from guardscope.core.graph.interpret import Interpreter

    dynamic = options.pop("dynamic", ())
    graph = graphs.trace(fn, *inputs, dynamic=dynamic)
    compiled = graphs.compile_graph(graph, graphs.Options(**options))
    tensors = graphs.tensors(inputs)
    for got, want in zip(compiled(*tensors), Interpreter(graph)(*tensors), strict=True):
        assert got._meta is want._meta
        a, b = got._array, want._array
        assert a.dtype == b.dtype
        assert np.allclose(a, b, rtol=3e-5, atol=3e-5, equal_nan=True) if a.dtype.kind == "f" else np.array_equal(a, b)
    if kernels is not None:
        assert "on the host" not in compiled.text, compiled.text
        assert len(compiled.stages.loops) == kernels, compiled.text        # several may share a launch
    return compiled


def cases(torch):
    F = torch.nn.functional
    cat, stack = torch.cat, torch.stack
    return {
        "cat of rows": lambda x: cat((x, x * 2, x.exp())).relu(),
        "cat of columns": lambda x: cat((x, x * 2, x.exp()), 1).relu(),
        "cat in the middle": lambda x: cat((x.unsqueeze(1), x.unsqueeze(1) + 1), 1) * 2,
        "cat by itself": lambda x: cat((x[:, 3:], x), 1),
        "cat of one": lambda x: cat((x,), 1) + 1,
        "stack": lambda x: stack((x, -x), -1).abs(),
        "rotary": lambda x: x * 0.5 + cat((-x[..., 20:], x[..., :20]), -1) * x.cos(),
        "pad": lambda x: F.pad(x, (1, 2, 3, 0), value=1.5) * 2,
        "pad one side": lambda x: F.pad(x, (0, 7)).relu(),
        "pad inwards": lambda x: F.pad(x, (-1, 2, -2, 0)) + 1,
        "reflect": lambda x: F.pad(x, (5, 4), "reflect") * 2,
        "replicate": lambda x: F.pad(x, (5, 4), "replicate") * 2,
        "circular": lambda x: F.pad(x, (5, 4), "circular") * 2,
        "flip": lambda x: x.flip(1) - x,
        "flip both": lambda x: x.flip(0, 1) * 2,
        "roll": lambda x: x.roll(3, 1) + x.roll(-2, 0),
        "roll all": lambda x: x.roll(17) * 2,
        "repeat": lambda x: x.repeat(2, 3) + 1,
        "repeat_interleave": lambda x: x.repeat_interleave(3, 1) + 1,
        "arange": lambda x: x * torch.arange(x.shape[1]) + torch.arange(x.shape[0], dtype=torch.float32).unsqueeze(1),
        "ranges": lambda x: x + torch.arange(3, 3 + 2 * x.shape[1], 2) * torch.arange(x.shape[1]) / 3,
        "eye": lambda x: x.t() @ x * 0 + torch.eye(x.shape[1]) * 2,
        "triangle": lambda x: x.tril() + x.triu(2),
        "full": lambda x: x + torch.full((x.shape[0], 1), 2.5),
        "slices": lambda x: x[1:, ::3] * 2 + x[:-1, 2::3][:, :1],
        "select": lambda x: x[1] * x[:, :1] + x[2, 3],
        "diagonal": lambda x: x[:, :x.shape[0]].diagonal(1) * 2,
        "windows": lambda x: x.unfold(1, 5, 2).relu(),
        "expand": lambda x: (x[:, None, :] * 2).expand(-1, 3, -1).exp(),
        "sum of a cat": lambda x: cat((x, x.exp()), 1).sum(1),
        "columns of a cat": lambda x: cat((x, x.exp()), 1).sum(0),
        "softmax of a cat": lambda x: cat((x, x * 2), 1).softmax(1),
        "argmax of a cat": lambda x: cat((x, x * 2), 1).argmax(1),
        "mean of a flip": lambda x: (x.flip(1) * x).mean(),
        "cat of cats": lambda x: cat((cat((x, x + 1), 1), cat((x + 2, x + 3), 1)), 0) * 2,
        "slice of a cat": lambda x: cat((x, x * 2), 1)[:, 5:50] + 1,
        "slice of one piece": lambda x: cat((x, x * 2), 1)[:, :5] + 1,
    }


NAMES = ["cat of rows", "cat of columns", "cat in the middle", "cat by itself", "cat of one", "stack", "rotary", "pad",
         "pad one side", "pad inwards", "reflect", "replicate", "circular", "flip", "flip both", "roll", "roll all", "repeat",
         "repeat_interleave", "arange", "ranges", "eye", "triangle", "full", "slices", "select", "diagonal", "windows",
         "expand", "sum of a cat", "columns of a cat", "softmax of a cat", "argmax of a cat", "mean of a flip", "cat of cats",
         "slice of a cat", "slice of one piece"]
MORE_KERNELS = {"eye": None, "pad inwards": None}          # a product; negative padding of symbolic sizes is NumPy's


@pytest.mark.parametrize("schedule", ["cpu", "gpu"])
@pytest.mark.parametrize("dynamic", [(), (0, 1)], ids=["static", "symbolic"])
@pytest.mark.parametrize("name", NAMES)
def test_moved_values_need_no_kernel_of_their_own(graphs, name, dynamic, schedule):
    all_cases = cases(graphs.torch)
    assert list(all_cases) == NAMES
    agree(graphs, all_cases[name], data((7, 40)), kernels=MORE_KERNELS.get(name, 1), dynamic=dynamic, schedule=schedule)


RESHAPES = {
    "flatten": lambda x: (x * 2).flatten().relu(),
    "split": lambda x: (x * 2).view(x.shape[0], 2, -1, 4).exp(),
    "there and back": lambda x: (x.exp().reshape(-1, x.shape[1] // 4, 4) + 1).reshape(x.shape) * 2,
    "heads": lambda x: (x.view(-1, 5, 8).transpose(0, 1) * 2).transpose(0, 1).reshape(x.shape) + 1,
    "merged after a permute": lambda x: x.view(-1, 5, 8).permute(1, 0, 2).reshape(5, -1).tanh(),
    "bias through a reshape": lambda x: (x * x[0]).reshape(-1) + 1,
    "softmax of heads": lambda x: (x * 2).view(-1, 5, 8).softmax(-1),
    "mean of groups": lambda x: x.view(-1, 5, 8).mean(-1).reshape(-1) * 2,
    "interleaved": lambda x: x.view(-1, 20, 2).flip(2).reshape(x.shape) * 2,
    "pairs": lambda x: x.view(-1, 20, 2)[..., 1] * x.view(-1, 20, 2)[..., 0],
    "stacked pairs": lambda x: __import__("guardscope.core.torch_api", fromlist=["stack"]).stack((x, -x), -1).flatten(1) * 2,
    "flipped repetition": lambda x: x.repeat_interleave(2, 1).flip(1) * 2,
    "sliced flat": lambda x: (x.view(-1, 5, 8).transpose(1, 2).flatten(1) * 2)[:, 3:30] + 1,
}
TWO = {"mean of groups"}          # what follows a reduction through a reshape is a kernel of its own


@pytest.mark.parametrize("schedule", ["cpu", "gpu"])
@pytest.mark.parametrize("dynamic", [(), (0,)], ids=["static", "symbolic"])
@pytest.mark.parametrize("name", RESHAPES)
def test_a_chain_through_a_reshape_is_one_kernel(graphs, name, dynamic, schedule):
    compiled = agree(graphs, RESHAPES[name], data((6, 40)), kernels=2 if name in TWO else 1, dynamic=dynamic, schedule=schedule)
    if name not in ("sliced flat", "flipped repetition"):
        assert "quotient" not in compiled.kernels[-1].source


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"])
def test_every_dtype(graphs, dtype):
    torch = graphs.torch
    agree(graphs, lambda x: (torch.cat((x, x), 1) == x[:1, :1], torch.nn.functional.pad(x, (3, 4)), x.flip(1),
                             x.view(-1, 5, 8).transpose(1, 2).flatten(1)), data((5, 40), dtype), kernels=None)


def test_pieces_of_different_dtypes_promote(graphs, way):
    torch = graphs.torch
    agree(graphs, lambda x, y: torch.cat((x, y), 1) * 2, data((5, 40)), data((5, 9), "int64"), **way)


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, 9), (0, 4), (4, 0), (3, 16), (3, 17), (2, 3, 40), (2, 0, 3)])
def test_sizes(graphs, way, shape):
    torch = graphs.torch
    F = torch.nn.functional
    agree(graphs, lambda x: (torch.cat((x, x * 2), -1) + 1, F.pad(x, (2, 0)) * 2, x.flip(0) - x, (x * 2).reshape(-1) + 1),
          data(shape), kernels=None, **way)


def test_one_artifact_serves_all_sizes(graphs, way):
    torch = graphs.torch
    compiled = graphs.compile(lambda x, y: (torch.cat((x, y * 2), 1).relu(), torch.cat((x[:2], y[1:]), 0) + 1,
                                            torch.nn.functional.pad(x, (3, 3), "reflect") * 2, x.flatten() * 2),
                              data((4, 40)), data((4, 40)), dynamic=(0, 1), **way)
    for shape in [(2, 4), (3, 17), (64, 100)]:
        a, b = data(shape), data(shape)
        got = graphs.call(compiled, a, b)
        assert np.array_equal(got[0], np.maximum(np.concatenate((a, b * 2), 1), 0))
        assert np.array_equal(got[1], np.concatenate((a[:2], b[1:])) + 1)
        assert np.array_equal(got[2], np.pad(a, ((0, 0), (3, 3)), mode="reflect") * 2)
        assert np.array_equal(got[3], a.reshape(-1) * 2)


def test_a_value_that_is_needed_in_memory_is_not_computed_twice(graphs):
    torch = graphs.torch
    compiled = agree(graphs, lambda x: (y := x.exp(), torch.cat((y, y[:1] + 1)) * 2), data((6, 40)), kernels=2)
    assert sum("exp(" in loops for loops in compiled.stages.loops) == 1


def test_in_place_writes_between_stay_where_they_are(graphs, way):
    torch = graphs.torch

    def model(x):
        y = x * 1
        before = torch.cat((y, y), 1)
        y.add_(1)
        return before * 2, torch.cat((y, y), 1) * 2

    agree(graphs, model, data((4, 40)), kernels=None, **way)


# -- random programs -------------------------------------------------------------------------------------------------
def step(torch, draw):
    """A random step of a program: value -> value."""
    F = torch.nn.functional
    k, d = draw(st.integers(0, 3)), draw(st.integers(-3, 2))
    which = draw(st.sampled_from(["mul", "exp", "cat", "flip", "slice", "step", "reshape", "transpose", "pad", "reflect",
                                  "roll", "split", "stack", "select", "sum", "repeat", "other", "product", "in place",
                                  "scatter", "softmax"]))

    def run(x, other):
        n = x.ndim
        a = d % n if n else 0
        size = x.shape[a] if n else 1
        if which == "mul":
            return x * 2 + 1
        if which == "in place":
            y = x * 0.5
            if y.ndim and k:
                y[:1].add_(1)
            y.add_(other.reshape(-1)[0])
            return y
        if which == "exp":
            return torch.sigmoid(x)
        if not n or any(m == 0 for m in x.shape):
            return x - 1
        if which == "softmax":
            return x.softmax(a)
        if which == "product":
            return (x.reshape(-1, x.shape[-1]) @ x.reshape(-1, x.shape[-1]).t()) / 9 if x.shape[-1] < 20 else x
        if which == "scatter":
            rows = torch.arange(min(k + 1, x.shape[0])) * 0
            return x.index_add(0, rows, x[:rows.shape[0]])
        if which == "cat":
            return torch.cat((x, x.narrow(a, 0, min(k, size)), x * 3), a)
        if which == "flip":
            return x.flip(a)
        if which == "slice":
            return x.narrow(a, min(k, size - 1), size - min(k, size - 1))
        if which == "step":
            return x[(slice(None),) * a + (slice(min(k, size - 1), None, 2),)]
        if which == "reshape":
            return x.reshape(-1, size) if k % 2 else x.reshape(-1)
        if which == "transpose":
            return x.transpose(a, 0)
        if which == "pad":
            return F.pad(x, (k, 1), value=0.5)
        if which == "reflect":
            return F.pad(x, (min(k, x.shape[-1] - 1), 0), "reflect") if n in (2, 3) else x
        if which == "roll":
            return x.roll(k, a)
        if which == "split":
            half = size // 2
            return x.unflatten(a, (2, half)) if size == 2 * half and n < 4 else x
        if which == "stack":
            return torch.stack((x, -x), a) if n < 4 else x
        if which == "select":
            return x.select(a, min(k, size - 1))
        if which == "sum":
            return x.sum(a)
        if which == "repeat":
            return x.repeat_interleave(2, a)
        flat = other.reshape(-1)
        return x + flat[:x.shape[-1]] if x.shape[-1] <= flat.shape[0] else x
    return run


@settings(max_examples=60, deadline=None, derandomize=True, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_random_programs(graphs, chosen):
    torch = graphs.torch
    shape = chosen.draw(st.lists(st.sampled_from([1, 2, 3, 5, 8, 18]), min_size=1, max_size=3))
    steps = [step(torch, chosen.draw) for _ in range(chosen.draw(st.integers(2, 6)))]
    again = chosen.draw(st.integers(0, 5))
    schedule = chosen.draw(st.sampled_from(["cpu", "gpu"]))
    dynamic = chosen.draw(st.sampled_from([(), (0,)]))

    def model(x, y):
        kept = x
        value = x
        for i, s in enumerate(steps):
            value = s(value, y)
            if i == again:
                kept = value
        return (value, kept.relu()) if again < len(steps) else (value * 1,)

    agree(graphs, model, data(shape), data((4, 10)), kernels=None, schedule=schedule, dynamic=dynamic)


def test_nothing_to_turn_round(graphs, way):
    x = graphs.torch.tensor(2.0)
    (got,) = graphs.compile(lambda x: x.flip(-1), x, **way)(x)
    assert got.shape == () and got.item() == 2.0
