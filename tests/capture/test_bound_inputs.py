"""Parameters that a call need not read again, and every way in which they may have changed since the last call."""
import gc
import weakref

import guardscope.core.torch_api as torch
import numpy as np
import pytest

nn = torch.nn


class Scaled(nn.Module):
    """Enough parameters below one module that reading them again is spared."""

    def __init__(self, *values):
        super().__init__()
        self.a = nn.Parameter(torch.tensor([values[0]] * 4))
        self.inner = nn.ParameterList([nn.Parameter(torch.tensor([v] * 4)) for v in values[1:3]])
        self.register_buffer("b", torch.tensor([values[3]] * 4))

    def forward(self, x):
        return x * self.a + self.inner[0] - self.inner[1] * self.b


X = torch.arange(4.0)


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    with torch.no_grad():
        yield
    torch._dynamo.reset()


@pytest.fixture(params=["opencl", "eager"])
def backend(request):
    return request.param


def pair(backend, *values):
    """A module, and its compiled form after three calls."""
    model = Scaled(*(values or (2.0, 3.0, 5.0, 7.0)))
    fast = torch.compile(model, backend=backend, dynamic=False)
    for _ in range(3):
        assert torch.equal(fast(X), model(X))
    return model, fast


def entry_of(model):
    from guardscope.core.artifacts.cache import CodeState
    from guardscope.core.capture.unit import unit_of

    (artifact,) = CodeState.of(unit_of(type(model).forward), globals()).artifacts
    return artifact.captured.entry_source


def test_the_entry_does_not_read_what_did_not_change():
    from guardscope.core.opencl.devices import choose

    model, _ = pair("opencl")
    assert ("__bound(" in entry_of(model)) == choose().zero_copy
    torch._dynamo.reset()
    model, _ = pair("eager")
    assert "__bound(" not in entry_of(model)


def in_place(model):
    model.a.add_(1)


def data(model):
    model.a.data = torch.tensor([9.0, 8.0, 7.0, 6.0])


def set_memory(model):
    model.inner[0].set_(torch.tensor([1.0, -1.0, 1.0, -1.0]))


def another_parameter(model):
    model.a = nn.Parameter(torch.tensor([-2.0] * 4))


def another_buffer(model):
    model.b = torch.tensor([0.5] * 4)


def through_the_dictionary(model):
    model._parameters["a"] = nn.Parameter(torch.tensor([11.0] * 4))


def another_dictionary(model):
    model.__dict__["_parameters"] = type(model._parameters)(a=nn.Parameter(torch.tensor([12.0] * 4)))


def another_dictionary_inside(model):
    inner = model.inner
    inner.__dict__["_parameters"] = type(inner._parameters)(
        {k: nn.Parameter(torch.tensor([13.0] * 4)) for k in inner._parameters})


def another_module_inside(model):
    model.inner = nn.ParameterList([nn.Parameter(torch.tensor([v] * 4)) for v in (17.0, 19.0)])


def item_inside(model):
    model.inner[1] = nn.Parameter(torch.tensor([23.0] * 4))


def load(model):
    model.load_state_dict({k: v * 3 for k, v in model.state_dict().items()})


def load_assigned(model):
    model.load_state_dict({k: v * 3 for k, v in model.state_dict().items()}, assign=True)


def another_dtype(model):
    model.double()


def applied(model):
    model._apply(lambda t: t * 2)


def swapped(model):
    model.a.data, model.inner[0].data = model.inner[0].data, model.a.data


def numpy_memory(model):
    model.b.numpy()[:] = 31


def resized(model):
    model.a.resize_(2, 4)
    model.a.resize_(4)
    model.a.fill_(2.5)


CHANGES = [in_place, data, set_memory, another_parameter, another_buffer, through_the_dictionary, another_dictionary,
           another_dictionary_inside, another_module_inside, item_inside, load, load_assigned, another_dtype, applied, swapped,
           numpy_memory, resized]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_seen(backend, change):
    model, fast = pair(backend)
    before = fast(X)
    change(model)
    for _ in range(3):
        got, want = fast(X), model(X)
        assert got.dtype is want.dtype
        assert torch.equal(got, want)
    assert got.dtype is not before.dtype or not torch.equal(got, before)


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_between_calls_of_other_modules_is_seen(change):
    model, fast = pair("opencl")
    other = Scaled(1.0, 4.0, 9.0, 16.0)
    fast_other = torch.compile(other, dynamic=False)
    for _ in range(3):
        assert torch.equal(fast(X), model(X))
        assert torch.equal(fast_other(X), other(X))
    change(model)
    for _ in range(3):
        assert torch.equal(fast_other(X), other(X))
        assert torch.equal(fast(X), model(X))


def test_many_modules_by_turns(backend):
    models = [Scaled(*(float(k + i) for i in range(4))) for k in range(6)]
    compiled = [torch.compile(m, backend=backend, dynamic=False) for m in models]
    for k in range(40):
        i = k * 5 % 6
        if k % 7 == 3:
            models[i].a.data = models[i].a.data + 1
        assert torch.equal(compiled[i](X), models[i](X))


def test_a_module_that_is_gone_leaves_no_memory_behind(backend):
    pair(backend)                                           # the artifact keeps the tensors that it was made with
    model, fast = pair(backend, 1.0, 1.0, 1.0, 1.0)
    memory = [weakref.ref(p) for p in (*model.parameters(), *model.buffers())]
    del model, fast
    gc.collect()
    assert [m() for m in memory] == [None] * 4


def test_a_new_module_in_the_place_of_another(backend):
    for k in range(12):
        model, fast = pair(backend, float(k), 1.0, 2.0, 3.0)
        assert torch.equal(fast(X), X * k + 1 - 6)
        del model, fast


def test_recorded_and_not_recorded_calls_by_turns(tmp_path):
    from guardscope.core.events.recorder import RECORDER

    model, fast = pair("opencl")
    RECORDER.open(tmp_path / "s.guardscope")
    try:
        for k in range(6):
            RECORDER.profiling = k % 2 == 0
            model.a.data = torch.tensor([float(k)] * 4)
            for _ in range(2):
                assert torch.equal(fast(X), model(X))
    finally:
        RECORDER.close()


def test_a_launch_that_fails_has_its_parameters(monkeypatch):
    from guardscope.core.opencl import compile as module
    from guardscope.core.opencl.devices import pyopencl

    model, fast = pair("opencl")

    def refuse(*args):
        raise pyopencl().RuntimeError("enqueue", -5, "out of resources")

    monkeypatch.setattr(pyopencl(), "enqueue_nd_range_kernel", refuse)
    monkeypatch.setattr(module.Frames, "call", module.Frames.first)
    assert torch.equal(fast(X), model(X))                   # by a frame made before
    model.a = nn.Parameter(torch.tensor([4.0] * 4))
    assert np.array_equal(fast(X).numpy(), model(X).numpy())


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0], [1, 3, 2, 0]])
@pytest.mark.parametrize("products", [False, True])
def test_kernels_may_use_parameters_in_another_order_than_the_script_reads_them(order, products, backend):
    class Ordered(nn.Module):
        def __init__(self):
            super().__init__()
            self.p = nn.ParameterList([nn.Parameter(torch.ones(4, 4) * 10.0 ** n) for n in range(4)])

        def forward(self, x):
            a, b, c, d = self.p[0], self.p[1], self.p[2], self.p[3]           # read in this order
            p = [a, b, c, d]
            if products:
                return x @ p[order[0]] + torch.tanh(x @ p[order[1]]) @ p[order[2]] + p[order[3]] + a * 0 + b * 0 + c * 0
            return torch.tanh((x * p[order[0]]).sum(0)) * p[order[1]] + p[order[2]].sum(0) - p[order[3]] * (a + b + c + d)

    model = Ordered()
    fast = torch.compile(model, backend=backend)
    x = torch.arange(16.0).reshape(4, 4) / 16
    for _ in range(3):
        assert torch.allclose(fast(x), model(x), rtol=1e-4)
    with torch.no_grad():
        model.p[order[1]] = nn.Parameter(torch.ones(4, 4) * 3)
    for _ in range(3):
        assert torch.allclose(fast(x), model(x), rtol=1e-4)


def test_a_recurrent_cell_gives_what_it_gives_uncompiled(backend):
    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.wx, self.wh = nn.Parameter(torch.ones(3, 4)), nn.Parameter(torch.ones(4, 4) * 10)
            self.b = nn.Parameter(torch.ones(4) * 1000)

        def forward(self, x, h):
            return x @ self.wx + h @ self.wh + self.b

    model = Cell()
    fast = torch.compile(model, backend=backend)
    h = torch.ones(2, 4)
    for _ in range(3):
        assert fast(torch.ones(2, 3), h).tolist() == [[1043.0] * 4] * 2
