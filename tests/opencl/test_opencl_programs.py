"""Devices, the program cache, and that kernels do not depend on static sizes."""
import numpy as np
import pytest


def normal(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def test_devices_are_described_and_chosen(graphs):
    from guardscope.core.errors import EnvironmentProblem
    from guardscope.core.opencl.devices import choose, describe

    found = describe()
    assert found
    for d in found:
        assert d.name and d.driver and d.units >= 1 and d.max_work_group >= 1 and d.kind in ("cpu", "gpu", "other")
    assert choose("auto").large.info.units == max(d.units for d in found if d.kind == choose("auto").large.info.kind)
    assert choose(found[0].name).large.info.name == found[0].name
    with pytest.raises(EnvironmentProblem, match="'abacus'"):
        choose("abacus")


def test_the_cpu_is_two_devices(graphs):
    from guardscope.core.opencl.devices import choose, describe

    if not any(d.name.startswith("basic") for d in describe()):
        pytest.skip("PoCL's basic device is not there")
    cpu = choose("cpu")
    assert cpu.small.info.name.startswith("basic")
    assert cpu.large.info.units == max(d.units for d in describe() if d.kind == "cpu")
    assert choose("pthread").large.context is cpu.small.context


@pytest.mark.parametrize("f", [lambda x: (x * 2 + 1).softmax(1), lambda x: (x.sum(0), x.relu().sum(1)),
                               lambda x: x.t() + x.t().exp()])
def test_another_static_size_needs_no_driver(graphs, f):
    first = graphs.compile(f, normal(30, 70))
    second = graphs.compile(f, normal(31, 90))
    assert [k.source for k in first.kernels] == [k.source for k in second.kernels]
    assert all(k.where == "memory" and k.build_ns == 0 for k in second.kernels)


def test_binaries_are_found_on_disk(graphs, tmp_path, monkeypatch):
    from guardscope.core.opencl import devices, program

    monkeypatch.setenv("GUARDSCOPE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(program, "_PROGRAMS", {})
    for device in devices.devices():
        monkeypatch.setattr(device, "keeps_binaries", False)
    a = normal(5)
    assert graphs.compile(lambda x: x * 1.2345, a).kernels[0].where == "driver"
    (binary,) = (tmp_path / "kernels").glob("*.bin")
    program.forget()
    found = graphs.compile(lambda x: x * 1.2345, a)
    assert found.kernels[0].where == "disk"
    assert np.array_equal(graphs.call(found, a), a * np.float32(1.2345))
    program.forget()
    binary.write_bytes(b"not a program")
    again = graphs.compile(lambda x: x * 1.2345, a)
    assert again.kernels[0].where == "driver"
    assert np.array_equal(graphs.call(again, a), a * np.float32(1.2345))


def test_a_driver_that_keeps_its_binaries_is_asked_once(graphs, tmp_path, monkeypatch):
    from guardscope.core.opencl import devices, program

    monkeypatch.setenv("GUARDSCOPE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(program, "_PROGRAMS", {})
    for device in devices.devices():
        monkeypatch.setattr(device, "keeps_binaries", True)
    a = normal(5)
    assert graphs.compile(lambda x: x * 5.4321, a).kernels[0].where == "driver"
    program.forget()
    again = graphs.compile(lambda x: x * 5.4321, a)
    assert again.kernels[0].where == "disk"
    assert np.array_equal(graphs.call(again, a), a * np.float32(5.4321))


def test_a_graph_with_kernels_of_another_needs_no_driver(graphs, monkeypatch):
    from guardscope.core.opencl import program

    a = normal(80, 200)                     # small ones would run in one launch
    both = graphs.compile(lambda x: ((x * 2 + 1.25).sum(1), x.t().exp() * 0.75), a)
    monkeypatch.setattr(program, "_from_source", None)               # calling it would fail
    one = graphs.compile(lambda other: other.t().exp() * 0.75, a)
    assert one.kernels[0].where == "memory" and len(both.kernels) == 2
    assert np.allclose(graphs.call(one, a), np.exp(a.T) * 0.75, rtol=1e-6)
    assert np.allclose(graphs.call(both, a)[0], (a * 2 + 1.25).sum(1), rtol=1e-5)


def test_equal_layers_need_the_kernels_of_one(graphs):
    a, weights = normal(9, 40), [normal(40, 40) for _ in range(3)]

    def f(x, p, q, r):
        for w in (p, q, r):
            x = ((x @ w).softmax(-1) + x).relu()
        return x

    compiled = graphs.compile(f, a, *weights)
    launches = [line for line in compiled.text.splitlines() if line.startswith("# kernel")]
    assert len(launches) >= 3 > len([k for k in compiled.kernels if "softmax" in k.source or "relu" in k.name])
    want = a.astype(np.float64)
    for w in weights:
        d = want @ w
        e = np.exp(d - d.max(-1, keepdims=True))
        want = np.maximum(e / e.sum(-1, keepdims=True) + want, 0)
    assert np.allclose(graphs.call(compiled, a, *weights), want, rtol=1e-4)


def test_several_kernels_are_one_for_the_driver(graphs):
    """More of them than it gets as one, some of them as a part of a sequence, and used again in another order."""
    from guardscope.core.opencl import kernels
    from guardscope.core.opencl.devices import choose

    if not choose().by_address:
        pytest.skip("this driver takes buffers")
    a = np.abs(normal(120, 130)) + 0.5
    names = ["exp", "sqrt", "log", "sin", "cos", "tanh", "square", "sigmoid", "relu"]
    assert len(names) > kernels.TOGETHER

    def model(x, order):                                     # of different sizes, so that they are kernels of their own
        return tuple([getattr(x[k:], names[k])() * 1.125 for k in order])

    backwards = range(len(names) - 1, -1, -2)
    first = graphs.compile(lambda x: model(x, range(len(names))), a)
    assert 1 < first.program.count("__kernel void") < len(first.kernels)
    second = graphs.compile(lambda x: model(x, backwards), a)
    assert {k.where for k in second.kernels} == {"memory"}
    torch = graphs.torch
    want = [getattr(torch, names[k])(graphs.wrap(a[k:]))._array * np.float32(1.125) for k in range(len(names))]
    for found, wanted in ((first, want), (second, [want[k] for k in backwards])):
        for _ in range(2):
            for x, y in zip(graphs.call(found, a), wanted, strict=True):
                np.testing.assert_allclose(x, y, rtol=1e-5)


@pytest.mark.parametrize("dynamic", [(), (0, 1)])
def test_results_that_are_not_in_the_order_of_their_definition(graphs, dynamic):
    """Softmax and norms of transposed tensors are contiguous."""
    F, torch = graphs.torch.nn.functional, graphs.torch
    a = normal(6, 150)

    def model(x):
        y = x.t()
        return torch.softmax(y, 0), torch.softmax(y, 1) * 2, torch.log_softmax(y, -1), F.layer_norm(y, (x.shape[0],))

    compiled = graphs.compile(model, a, dynamic=dynamic)
    assert compiled.kernels and "on the host" not in compiled.text
    for x in (a, normal(7, 33) if dynamic else normal(6, 150)):
        for got, want in zip(compiled(graphs.wrap(x)), model(graphs.wrap(x)), strict=True):
            assert got.stride() == want.stride() and got.shape == want.shape
            np.testing.assert_allclose(got._array, want._array, rtol=2e-5, atol=1e-6)


def test_what_the_driver_compiles_several_times_is_short(graphs):
    """Kernels ask for the work-item's number, which makes PoCL compile everything in them three times; functions do not."""
    from guardscope.core.opencl.devices import choose

    if not choose().by_address:
        pytest.skip("this driver takes buffers")
    a = normal(64, 64)
    compiled = graphs.compile(lambda x: ((x @ x.t()).relu().cumsum(1), x.softmax(0).sum(1)), a)
    functions, *kernels = compiled.program.split("__kernel void")
    assert "get_global_id" not in functions and functions.count("noinline") >= len(compiled.kernels)
    for kernel in kernels:
        head, *lines = kernel.splitlines()
        assert head.endswith("(const ulong at)")
        starts = ("{", "}", "case", "switch", "__global const ROW", "__attribute__")
        assert all(x.strip().startswith(starts) for x in lines if x)


def test_an_unwritable_cache_costs_only_speed(graphs, tmp_path, monkeypatch):
    from guardscope.core.opencl import program

    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("GUARDSCOPE_CACHE_DIR", str(blocked))
    monkeypatch.setattr(program, "_PROGRAMS", {})
    a = normal(5)
    assert np.array_equal(graphs.run(lambda x: x * 2.5, a), a * np.float32(2.5))


def test_no_opencl_is_a_problem_of_the_environment(graphs, monkeypatch):
    import sys

    from guardscope.core.errors import EnvironmentProblem
    from guardscope.core.opencl import devices

    monkeypatch.setitem(sys.modules, "pyopencl", None)
    with pytest.raises(EnvironmentProblem, match="pip install pyopencl"):
        devices.pyopencl.__wrapped__()


def test_stages_can_be_printed(graphs):
    compiled = graphs.compile(lambda x: x.softmax(1), normal(4, 5))
    assert "torch.amax" in compiled.stages.expanded
    assert "greatest over inner" in compiled.stages.loops[0]
    assert "def graph(x):" in compiled.text and "enqueue" in compiled.text


def test_profiled_launches_reach_the_recorder(graphs, monkeypatch):
    import time

    from guardscope.core.events.recorder import RECORDER

    rows = []
    monkeypatch.setattr(RECORDER, "profiling", True)
    monkeypatch.setattr(RECORDER, "launches", rows.extend)
    a = normal(300, 300)
    compiled = graphs.compile(lambda x: (x * 2).softmax(1) @ x, a)
    compiled.kernel_ids = {k.name: 40 + i for i, k in enumerate(compiled.kernels)}
    before = time.perf_counter_ns()
    graphs.call(compiled, a)
    after = time.perf_counter_ns()
    assert [r[0] for r in rows] == list(range(40, 40 + len(compiled.kernels)))
    for _, start, end, device in rows:
        assert start <= end <= after and end > before and device


def test_positions_of_32_bits_where_they_fit(graphs, monkeypatch):
    from guardscope.core.opencl import compile as module

    a, b = normal(40, 30), normal(70, 30)
    f = lambda x: ((x * 2 + 1).softmax(1), x.sum(0), x.t() * 3)
    compiled = graphs.compile(f, a, dynamic=(0,))
    seen = []
    honest = module.build_kernels
    monkeypatch.setattr(module, "build_kernels", lambda kernels, options, *rest: seen.append(options) or honest(
        kernels, options, *rest))
    narrow = [np.array(x) for x in graphs.call(compiled, a)]
    monkeypatch.setattr(module, "NARROW", 2000)               # as if 70 * 30 elements were too many
    wide = graphs.call(compiled, b)
    again = graphs.call(graphs.compile(f, b), b)
    assert seen[0] == ["-DIDX=int"] and seen[-1] == ["-DIDX=long"] and ["-DIDX=long"] in seen[1:]
    for x, got in ((a, narrow), (b, wide), (b, again)):
        d = x.astype(np.float64) * 2 + 1
        e = np.exp(d - d.max(1, keepdims=True))
        for g, w in zip(got, (e / e.sum(1, keepdims=True), x.astype(np.float64).sum(0), x.T * np.float32(3))):
            assert np.allclose(g, w, rtol=1e-5, atol=1e-5)


def test_frames_are_forgotten_with_the_parameters_they_hold(graphs):
    import gc
    import weakref

    from guardscope.core.guards.origin import ArgOrigin, AttrOrigin

    graph = graphs.trace(lambda x, w: (x @ w.t()) + w.sum(0), normal(3, 4), normal(4, 4))
    graph.inputs[1].origin = AttrOrigin(ArgOrigin("self"), "weight")
    compiled = graphs.compile_graph(graph, graphs.Options())
    x = graphs.wrap(normal(3, 4))

    def want(w):
        return x._array.astype(np.float64) @ w.T + w.sum(0)

    parameter = graphs.wrap(normal(4, 4))
    for _ in range(2):
        assert np.allclose(compiled(x, parameter)[0]._array, want(parameter._array), rtol=1e-5)
    parameter._array[:] *= 3                                   # in place: nothing is bound anew
    assert np.allclose(compiled(x, parameter)[0]._array, want(parameter._array), rtol=1e-5)
    parameter._array = normal(4, 4) + 1                        # another array, as `p.data = ...` gives
    assert np.allclose(compiled(x, parameter)[0]._array, want(parameter._array), rtol=1e-5)
    other = graphs.wrap(normal(4, 4) - 2)
    assert np.allclose(compiled(x, other)[0]._array, want(other._array), rtol=1e-5)
    memory = weakref.ref(other._array)
    del other
    gc.collect()
    assert memory() is None
    assert np.allclose(compiled(x, parameter)[0]._array, want(parameter._array), rtol=1e-5)


@pytest.mark.parametrize("values", [((100, 0, 1), (5000, 1, 2), (100, 2, 3), (9000, 3, 4), (1, 4, 4)),
                                    tuple((1000 * (k % 5 + 1), k, k + k % 3) for k in range(40))])
def test_values_that_are_needed_together_do_not_share_memory(values):
    from guardscope.core.opencl.frames import place

    offsets, total = place(values)
    for k, (n, first, last) in enumerate(values):
        assert offsets[k] + n <= total
        for m, (p, start, end) in enumerate(values[:k]):
            if start <= last and first <= end:
                assert offsets[k] + n <= offsets[m] or offsets[m] + p <= offsets[k]
    assert total < sum(max(n, 4096) for n, _, _ in values)


def test_first_launches_are_counted_and_a_phase_of_the_compilation(graphs, monkeypatch):
    import random

    from guardscope.core.events.recorder import RECORDER

    steps, phases = [], []
    monkeypatch.setattr(RECORDER, "profiling", True)
    monkeypatch.setattr(RECORDER, "step", lambda text, at_once=False: steps.append(text))
    monkeypatch.setattr(RECORDER, "phase", lambda *row: phases.append(row))
    a, new = normal(30, 30), random.random()                 # a constant that no kernel on disk has
    compiled = graphs.compile(lambda x: ((x * new).softmax(1) @ x).softmax(1) + new, a)
    compiled.recorded_as = (7, 3)
    graphs.call(compiled, a)
    count = len(compiled.kernels)
    if compiled.target.by_address:                           # they are one kernel for the driver
        assert steps[-1] == f"building kernels 1 to {count} of {count}" and not any("building" in s for s in steps[:-1])
    else:
        assert steps[-count:] == [f"building kernel {n} of {count}" for n in range(1, count + 1)]
    [(artifact, code, name, start, end)] = phases
    assert (artifact, code, name) == (7, 3, "first launch")
    assert 0 < start < end
    steps.clear()
    graphs.call(compiled, a)
    assert steps == [] and len(phases) == 1
