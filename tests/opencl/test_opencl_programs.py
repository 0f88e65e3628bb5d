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


def test_the_cpu_is_two_devices_of_one_context(graphs):
    from guardscope.core.opencl.devices import choose, describe

    if not any(d.name.startswith("basic") for d in describe()):
        pytest.skip("PoCL's basic device is not there")
    cpu = choose("cpu")
    assert cpu.small.info.name.startswith("basic")
    assert cpu.small.context is cpu.large.context


@pytest.mark.parametrize("f", [lambda x: (x * 2 + 1).softmax(1), lambda x: (x.sum(0), x.relu().sum(1)),
                               lambda x: x.t() + x.t().exp()])
def test_another_static_size_needs_no_driver(graphs, f):
    first = graphs.compile(f, normal(30, 70))
    second = graphs.compile(f, normal(31, 90))
    assert [k.source for k in first.kernels] == [k.source for k in second.kernels]
    assert all(k.where == "memory" and k.build_ns == 0 for k in second.kernels)


def test_binaries_are_found_on_disk(graphs, tmp_path, monkeypatch):
    from guardscope.core.opencl import program

    monkeypatch.setenv("GUARDSCOPE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(program, "_PROGRAMS", {})
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
    assert "max over inner" in compiled.stages.loops[0]
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
