"""What goes wrong on a device never costs a result: drivers that reject, run out of memory, fail at launch or crash."""
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

X = np.random.default_rng(1).standard_normal((5, 33)).astype(np.float32)


@pytest.fixture
def events(monkeypatch):
    """Texts of the events of kind "fallback"."""
    from guardscope.core.opencl import compile as module

    seen = []
    monkeypatch.setattr(module.RECORDER, "event",
                        lambda kind, text, data=None: seen.append(text) if kind == "fallback" else None)
    return seen


def patched_text(monkeypatch, change):
    """Kernels with something changed in their text."""
    from guardscope.core.opencl import compile as module

    honest = module.program_text
    monkeypatch.setattr(module, "program_text", lambda kernels: change(honest(kernels)))


def call_twice(graphs, compiled, *inputs):
    first = graphs.call(compiled, *inputs)
    second = graphs.call(compiled, *inputs)
    assert np.array_equal(first, second)
    return first


def test_a_kernel_that_does_not_build(graphs, monkeypatch, events):
    from guardscope.core.artifacts.backends import build

    patched_text(monkeypatch, lambda text: text.replace("{", "{ this is no C;", 1))
    graph = graphs.trace(lambda x: x * 3 - 1, X)
    built = build(graph, "opencl", (), "f")
    assert np.array_equal(built.call(graphs.wrap(X))[0]._array, X * 3 - 1)
    assert len(events) == 1
    assert "could not build" in events[0]


def test_a_program_that_fails_for_other_sizes_only(graphs, monkeypatch, events):
    """The build for the other device happens at a call, long after the graph was compiled."""
    from guardscope.core.opencl import compile as module
    from guardscope.core.opencl.program import BuildFailed

    compiled = graphs.compile(lambda x: x * 3 - 1, X, dynamic=(0,))
    graphs.call(compiled, X)

    def broken(*args):
        raise BuildFailed("the driver said no")

    monkeypatch.setattr(module, "build_kernels", broken)
    other = np.ones((70000, 33), np.float32)
    assert np.array_equal(call_twice(graphs, compiled, other), other * 3 - 1)
    assert len(events) == 1
    assert "the driver said no" in events[0]


def test_a_rejected_program_is_not_tried_again(graphs, monkeypatch):
    from guardscope.core.opencl import program
    from guardscope.core.opencl.devices import choose

    tries = []
    honest = program._from_source
    monkeypatch.setattr(program, "_from_source", lambda *args: tries.append(1) or honest(*args))
    for _ in range(3):
        with pytest.raises(program.BuildFailed, match="could not build"):
            program.build("__kernel void broken( {", [], choose("cpu").small)
    assert len(tries) == 1


@pytest.mark.parametrize("problem", ["memory", "device memory"])
def test_no_memory(graphs, monkeypatch, events, problem):
    from guardscope.core.opencl import memory
    from guardscope.core.opencl.devices import pyopencl

    def full(*args):
        raise MemoryError("no memory") if problem == "memory" else pyopencl().MemoryError("take", -4, "no memory")

    compiled = graphs.compile(lambda x: (x * 2).softmax(1) @ x.t(), X)
    want = graphs.call(compiled, X)
    compiled = graphs.compile(lambda x: (x * 2).softmax(1) @ x.t(), X)
    monkeypatch.setattr(memory.Pool, "take", full)
    np.testing.assert_allclose(call_twice(graphs, compiled, X), want, rtol=1e-5, atol=1e-6)
    assert len(events) == 1
    assert "memory" in events[0]


def test_a_launch_that_really_fails(graphs, monkeypatch, events):
    patched_text(monkeypatch, lambda text: text.replace("reqd_work_group_size(1, 1, 1)", "reqd_work_group_size(2, 1, 1)"))
    compiled = graphs.compile(lambda x: x * 5 + 1, X)
    assert np.array_equal(call_twice(graphs, compiled, X), X * 5 + 1)
    assert len(events) == 1
    assert "WORK_GROUP_SIZE" in events[0]


def failing_second_launch(monkeypatch, compiled):
    """The second kernel of the graph cannot be launched."""
    from guardscope.core.opencl import frames
    from guardscope.core.opencl.devices import pyopencl

    honest, count = frames.pyopencl().enqueue_nd_range_kernel, []

    def launch(*args):
        count.append(1)
        if len(count) == 2:
            raise pyopencl().RuntimeError("enqueue", -5, "out of resources")
        return honest(*args)

    monkeypatch.setattr(frames.pyopencl(), "enqueue_nd_range_kernel", launch)


def test_nothing_is_written_twice(graphs, monkeypatch, events):
    """An operator that writes in place was through when a launch failed: NumPy cannot start again from the beginning."""
    from guardscope.core.opencl.program import BuildFailed

    def model(x):
        y = x * 2
        x.add_(1)
        return y, x * 3

    compiled = graphs.compile(model, X)
    failing_second_launch(monkeypatch, compiled)
    x = graphs.wrap(X.copy())
    with pytest.raises(BuildFailed, match="failed: enqueue"):
        compiled(x)
    assert np.array_equal(x._array, X + 1)
    assert not events


def test_what_comes_before_may_be_done_again(graphs, monkeypatch, events):
    def model(x):
        y = (x * 2).cumsum(1)
        return y * 3

    compiled = graphs.compile(model, X)
    failing_second_launch(monkeypatch, compiled)
    np.testing.assert_allclose(graphs.call(compiled, X), (X * 2).cumsum(1, dtype=np.float32) * 3, rtol=1e-5, atol=1e-5)
    assert len(events) <= 1


CRASH = """
import importlib.util, sys
from pathlib import Path
import numpy as np

def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module

root = Path({root!r})
load("_guardscope_main", root / "main.py")
graphs = load("_graphs", root / "tests" / "opencl" / "conftest.py").Graphs()
from guardscope.core.artifacts.backends import build
from guardscope.core.opencl import compile as module
honest = module.program_text
module.program_text = lambda kernels: honest(kernels).replace(
    "_ * per;", "_ * per; *(volatile __global int *)(16) = 1;", 1)
module.RECORDER.event = lambda kind, text, data=None: print(kind, text)
x = np.arange(5, dtype=np.float32)
print(build(graphs.trace(lambda x: x * 3 - 1, x), "opencl", (), "f").call(graphs.wrap(x))[0]._array.tolist())
"""


@pytest.mark.skipif(os.name != "posix", reason="asks for a process by its number")
def test_a_driver_that_ends_the_process(graphs, tmp_path):
    """A kernel that really takes the process along: twice, then NumPy runs the graph."""
    root = Path(__file__).resolve().parent.parent.parent
    environment = {**os.environ, "GUARDSCOPE_CACHE_DIR": str(tmp_path)}

    def run():
        return subprocess.run([sys.executable, "-W", "ignore", "-c", CRASH.format(root=str(root))], capture_output=True,
                              text=True, timeout=100, env=environment)

    for _ in range(2):
        assert run().returncode == -signal.SIGSEGV
    (mark,) = tmp_path.rglob("*.trying")
    third = run()
    assert third.returncode == 0, third.stderr
    assert "fallback f runs on NumPy: the driver of" in third.stdout
    assert str(mark) in third.stdout
    assert "[-1.0, 2.0, 5.0, 8.0, 11.0]" in third.stdout


def test_no_mark_is_left_by_programs_that_run(graphs, tmp_path, monkeypatch):
    from guardscope.core.opencl import program

    monkeypatch.setenv("GUARDSCOPE_CACHE_DIR", str(tmp_path))
    program.forget()
    compiled = graphs.compile(lambda x: x * 7 - 3, X)
    assert len(list(tmp_path.rglob("*.trying"))) == 1
    graphs.call(compiled, X)
    assert not list(tmp_path.rglob("*.trying"))
    assert len(list(tmp_path.rglob("*.bin"))) == 1
