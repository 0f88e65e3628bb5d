"""Choices by a measured trial: what is chosen, remembered, forgotten; and that products are right whichever way they go."""
import json
import time

import numpy as np
import pytest


@pytest.fixture
def trial(graphs, monkeypatch, tmp_path):
    from guardscope.core.opencl.templates import trial as module

    monkeypatch.setenv("GUARDSCOPE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("GUARDSCOPE_TRIALS", "1")
    module.forget()
    yield module
    module.forget()


def ways(**seconds):
    """Ways that take so long, on a clock that only they move."""
    return {name: lambda t=t: (lambda: time.perf_counter.tick(t)) for name, t in seconds.items()}


@pytest.fixture
def clock(trial, monkeypatch):
    class Clock:
        now = 0.0

        def __call__(self):
            return self.now

        def tick(self, seconds):
            self.now += seconds

    found = Clock()
    monkeypatch.setattr(trial.time, "perf_counter", found)
    return found


def test_the_fastest_is_chosen_and_remembered(trial, clock, tmp_path):
    assert trial.choice("q", ways(a=3e-3, b=1e-3), "a") == "b"
    assert trial.choice("q", ways(a=1e-3, b=3e-3), "a") == "b"
    trial.forget()
    assert trial.choice("q", ways(a=1e-3, b=3e-3), "a") == "b"
    (file,) = tmp_path.rglob("choices.json")
    assert json.loads(file.read_text())["answers"] == {"q": "b"}


def test_a_small_lead_is_not_enough_to_depart_from_the_rule(trial, clock):
    assert trial.choice("q", ways(a=1.0e-3, b=0.9e-3), "a") == "a"
    assert trial.choice("r", ways(a=1.0e-3, b=0.9e-3), "b") == "b"


def test_a_way_that_fails_is_out_of_the_question(trial, clock):
    from guardscope.core.opencl.program import BuildFailed

    def broken():
        raise BuildFailed("no")

    assert trial.choice("q", {"a": broken, **ways(b=1e-3)}, "a") == "b"
    assert trial.choice("r", {"a": broken, "b": broken}, "a") == "a"


def test_no_trial_where_it_is_switched_off(trial, monkeypatch):
    monkeypatch.setenv("GUARDSCOPE_TRIALS", "0")
    assert trial.choice("q", {"a": None, "b": None}, "b") == "b"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 0, "answers": {"q": "b"}}', '{"format": 1, "answers": 3}',
                                  '{"format": 1, "answers": {"q": "gone"}}', '{"format": 1, "answers": {"q": 7}}'])
def test_a_damaged_file_counts_as_none(trial, clock, tmp_path, text):
    trial.cache_folder().joinpath("choices.json").write_text(text)
    assert trial.choice("q", ways(a=1e-3, b=3e-3), "b") == "a"


def test_size_classes(trial):
    sizes = (0, 1, 2, 3, 5, 6, 64, 90, 91, 1000, 1500)
    assert [trial.size_class(n) for n in sizes] == [0, 1, 2, 4, 4, 8, 64, 64, 128, 1024, 2048]


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_products_are_right_either_way(graphs, own, turned):
    from guardscope.core.opencl.templates import matmul

    rng = np.random.default_rng(2)
    token = matmul._FORCED.set(own)
    try:
        for rows, depth, columns in ((1, 5, 3), (8, 16, 32), (33, 47, 65), (130, 20, 40), (40, 20, 130)):
            a = rng.standard_normal((rows, depth)).astype(np.float32)
            b = rng.standard_normal((columns, depth) if turned else (depth, columns)).astype(np.float32)
            compiled = graphs.compile((lambda a, b: a @ b.t()) if turned else (lambda a, b: a @ b), a, b)
            assert bool(compiled.kernels) == own
            want = a.astype(np.float64) @ (b.T if turned else b)
            assert np.abs(graphs.call(compiled, a, b) - want).max() < 1e-5
    finally:
        matmul._FORCED.reset(token)


def test_a_product_asks(graphs, trial):
    x = np.ones((96, 96), np.float32)
    got = graphs.run(lambda x: x @ x, x)
    assert (got == 96).all()
    answers = trial._read()
    assert len(answers) == 1
    assert set(answers.values()) <= {"blas", "kernels"}


def test_a_process_that_makes_a_trial_builds_what_the_next_one_looks_for(graphs, trial, monkeypatch):
    """Kernels of a trial serve no graph: a process that finds the answer on disk has none of them."""
    from guardscope.core.opencl import known

    def fastest(ways, usual):
        for make in ways.values():
            make()()
        return "kernels" if "kernels" in ways else usual

    monkeypatch.setattr(trial, "_fastest", fastest)
    texts = []
    honest = known.build
    monkeypatch.setattr(known, "build", lambda text, *rest: (texts.append(text), honest(text, *rest))[1])
    a, b = (np.random.default_rng(k).standard_normal((160, 160)).astype(np.float32) for k in range(2))
    programs = []
    for _ in range(2):
        monkeypatch.setattr(known, "_KNOWN", {})
        graphs.compile(lambda x, y: (x @ y.t()).softmax(1), a, b)
        programs.append(texts[:])
        texts.clear()
    trials, again = programs
    assert len(trials) > 1 and again == trials[-1:]


@pytest.mark.parametrize("which", ["small", "large"])
def test_trials_of_products_need_kernels_for_the_graphs_device_only(graphs, trial, monkeypatch, which):
    """Whatever their sizes: the first program for another device takes half a second. What is faster on one device is asked
    again for the other."""
    from guardscope.core.opencl import compile as module
    from guardscope.core.opencl import pick
    from guardscope.core.opencl.devices import choose

    device = getattr(choose("cpu"), which)
    monkeypatch.setattr(pick, "device_for", lambda target, nbytes: device)
    monkeypatch.setattr(module, "device_for", lambda target, nbytes: device)
    devices = []
    build = module.build_kernels
    monkeypatch.setattr(module, "build_kernels", lambda kernels, options, device, *rest: (
        devices.append(device), build(kernels, options, device, *rest))[1])
    x, w, v = (np.ones(shape, np.float32) for shape in ((64, 256), (256, 1024), (1024, 64)))
    got = graphs.run(lambda x, w, v: (x @ w).relu() @ v, x, w, v)
    assert (got == 256 * 1024).all()
    assert set(devices) == {device} and len(trial._read()) == 2
    assert all(question.startswith(device.key + ":") for question in trial._read())
