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
    monkeypatch.setattr(pick, "_work", None)                         # a second trial would fail
    assert pick.device_for(target, 1_000_000) is chosen
    trial.forget()                                                   # as a new process does
    assert pick.device_for(target, 1 << 20) is chosen


def test_both_devices_give_the_same(graphs, pick):
    a = np.random.default_rng(0).standard_normal((512, 600)).astype(np.float32)
    assert np.array_equal(graphs.run(lambda x: x * 2 + 1, a), a * 2 + 1)
