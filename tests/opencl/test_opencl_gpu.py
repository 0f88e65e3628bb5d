"""The GPU schedule within the limits of devices that are not there."""
import numpy as np
import pytest


def exact(a):
    d = a.astype(np.float64)
    e = np.exp(d - d.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True), d.sum(), d.argmax(1), d.sum(0), np.maximum(d, 0), d.std(1, ddof=1)


@pytest.mark.parametrize("dynamic", [(), (0, 1)])
@pytest.mark.parametrize("group, local_memory", [(1, 1 << 14), (8, 1 << 14), (48, 1 << 14), (64, 100), (256, 1 << 20)])
def test_groups_fit_the_device(graphs, monkeypatch, group, local_memory, dynamic):
    from guardscope.core.opencl.devices import Device
    from guardscope.core.opencl.schedule import Limits

    monkeypatch.setattr(Device, "limits", property(lambda self: Limits(group, local_memory)))
    a = np.random.default_rng(1).standard_normal((9, 300)).astype(np.float32)
    compiled = graphs.compile(lambda x: (x.softmax(1), x.sum(), x.argmax(1), x.sum(0), x.relu(), x.std(1)), a,
                              schedule="gpu", dynamic=dynamic)
    assert all(k.local <= group for k in compiled._launched)
    for got, want in zip(graphs.call(compiled, a), exact(a)):
        assert np.allclose(got, want, rtol=1e-4, atol=1e-5)


def test_limits_are_powers_of_two_within_the_device():
    from guardscope.core.opencl.schedule import Limits

    assert Limits(256, 1 << 15).size(0) == 256
    assert Limits(100, 1 << 15).size(0) == 64
    assert Limits(256, 1 << 10).size(16) == 64
    assert Limits(1, 0).size(8) == 1


def test_short_rows_get_small_groups(graphs, monkeypatch):
    from guardscope.core.opencl.devices import Device
    from guardscope.core.opencl.schedule import Limits

    monkeypatch.setattr(Device, "limits", property(lambda self: Limits(256, 1 << 15)))
    a = np.ones((5, 40), np.float32)
    (kernel,) = graphs.compile(lambda x: x.sum(1), a, schedule="gpu")._launched
    assert kernel.local == 32


def test_templates_that_ask_for_too_much_are_left_to_numpy(graphs, monkeypatch):
    from guardscope.core.opencl import steps as module

    a = np.random.default_rng(2).integers(-5, 5, (20, 20))
    honest = module.TEMPLATES["matmul"]

    def greedy(*args):
        made = honest(*args)
        for k in made or []:
            k.local = 1 << 20
        return made

    monkeypatch.setitem(module.TEMPLATES, "matmul", greedy)
    compiled = graphs.compile(lambda x: (x @ x) + 1, a, schedule="gpu")
    assert "on the host" in compiled.text
    assert np.array_equal(graphs.call(compiled, a), a @ a + 1)
