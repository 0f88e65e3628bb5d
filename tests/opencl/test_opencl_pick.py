"""The choice between the CPU's two devices, and its memory on disk."""
import json

import numpy as np
import pytest


@pytest.fixture
def pick(graphs, monkeypatch, tmp_path):
    from guardscope.core.opencl import pick
    from guardscope.core.opencl.devices import choose
    from guardscope.core.opencl.templates import trial

    monkeypatch.setenv("GUARDSCOPE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("GUARDSCOPE_TRIALS", "1")
    monkeypatch.setattr(pick, "cores", lambda: 2)
    trial.forget()
    if choose("cpu").small is choose("cpu").large:
        pytest.skip("there is one CPU device only")
    yield pick
    trial.forget()


def test_sizes_without_doubt_are_not_measured(pick, monkeypatch, tmp_path):
    from guardscope.core.opencl.devices import choose

    target = choose("cpu")
    monkeypatch.setattr(pick.trial, "choice", None)                  # calling it would fail
    assert pick.device_for(target, 4096) is target.small
    assert pick.device_for(target, 1 << 28) is target.large
    monkeypatch.setattr(pick, "cores", lambda: 1)
    assert pick.device_for(target, 1 << 28) is target.small


def test_a_trial_is_made_once_and_remembered(pick, monkeypatch, tmp_path):
    from guardscope.core.opencl.devices import choose
    from guardscope.core.opencl.templates import trial

    target = choose("cpu")
    chosen = pick.device_for(target, 1 << 20)
    (file,) = tmp_path.rglob("choices.json")
    answers = json.loads(file.read_text())["answers"]
    (question,) = [q for q in answers if "1048576 bytes" in q]
    assert (answers[question] == "large") == (chosen is target.large)
    monkeypatch.setattr(pick, "_copies", None)                         # a second trial would fail
    assert pick.device_for(target, 1_000_000) is chosen
    trial.forget()                                                   # as a new process does
    assert pick.device_for(target, 1 << 20) is chosen


def test_a_trial_builds_nothing(pick, monkeypatch):
    from guardscope.core.opencl import known
    from guardscope.core.opencl.devices import choose

    monkeypatch.setattr(known, "build", None)                        # a program for the device not taken would fail
    target = choose("cpu")
    assert pick.device_for(target, 1 << 20) in (target.small, target.large)


@pytest.mark.parametrize("which", ["small", "large"])
def test_what_is_timed_moves_the_bytes_on_the_device_asked_for(pick, monkeypatch, which):
    from guardscope.core.opencl.devices import choose, pyopencl

    device = getattr(choose("cpu"), which)
    moved = []
    real = pyopencl().enqueue_copy
    monkeypatch.setattr(pyopencl(), "enqueue_copy", lambda queue, to, source, byte_count:
                        (moved.append((queue.device, byte_count)), real(queue, to, source, byte_count=byte_count))[1])
    pick._copies(device, 1 << 18)()
    assert {d for d, _ in moved} == {device.handle} and len(moved) == (1 if device.alone else min(2, device.info.units))
    assert abs(sum(n for _, n in moved) - pick.AS_LONG * (1 << 18)) <= len(moved)


def test_a_device_without_room_is_out_of_the_question(pick, monkeypatch):
    from guardscope.core.opencl.devices import choose, pyopencl

    def full(*_, **__):
        raise pyopencl().MemoryError("no memory")

    monkeypatch.setattr(pyopencl(), "Buffer", full)
    target = choose("cpu")
    assert pick.device_for(target, 1 << 21) is target.large          # the usual answers
    assert pick.device_for(target, 1 << 19) is target.small


def test_both_devices_give_the_same(graphs, pick):
    a = np.random.default_rng(0).standard_normal((512, 600)).astype(np.float32)
    assert np.array_equal(graphs.run(lambda x: x * 2 + 1, a), a * 2 + 1)
