"""Never a wrong reuse: change one thing a compiled function can see between calls, and compare with plain Python."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from guardscope.core.tensor.state import STATE
from guardscope.core.torch_api import importing

importing.install()
import torch  # noqa: E402

HERE = Path(__file__).resolve().parent


def load_programs() -> Any:
    """The programs as a plain module, which pytest does not rewrite."""
    spec = importlib.util.spec_from_file_location("attack_programs", HERE / "programs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["attack_programs"] = module
    spec.loader.exec_module(module)
    return module


PROGRAMS = load_programs()


@pytest.fixture(autouse=True)
def clean() -> Any:
    mode, names = STATE.mode, dict(vars(PROGRAMS))
    torch._dynamo.reset()
    yield
    STATE.mode = mode
    for name in set(vars(PROGRAMS)) - set(names):
        del vars(PROGRAMS)[name]
    vars(PROGRAMS).update(names)


def outcome(function: Any, arguments: tuple) -> tuple:
    """What a call gives, in comparable form: an exception's type and text, or the result's facts and elements."""
    try:
        result = function(*arguments)
    except Exception as problem:
        return (type(problem).__name__, str(problem))
    array = result.detach().numpy()
    return (result.dtype, tuple(result.shape), result.stride(), result.requires_grad, array.copy())


def same(a: tuple, b: tuple) -> bool:
    if len(a) != len(b) or a[:-1] != b[:-1]:
        return False
    if isinstance(a[-1], np.ndarray):
        return bool(np.allclose(a[-1], b[-1], rtol=1e-5, atol=1e-6, equal_nan=True))
    return bool(a[-1] == b[-1])


@pytest.mark.parametrize("backend", ["eager", "inductor"])
@pytest.mark.parametrize(("name", "setup"), PROGRAMS.CASES, ids=[n for n, _ in PROGRAMS.CASES])
def test_change_is_noticed(name: str, setup: Any, backend: str) -> None:
    """Two equal set-ups, one compiled and one not, are changed and called alike."""
    def calls(compiled: bool) -> list[tuple]:
        torch.manual_seed(0)
        function, arguments, change = setup()
        run = torch.compile(function, backend=backend) if compiled else function
        got = [outcome(run, arguments), outcome(run, arguments)]
        change()
        return [*got, outcome(run, arguments), outcome(run, arguments)]

    before, mode = dict(vars(PROGRAMS)), STATE.mode
    wanted = calls(compiled=False)
    for extra in set(vars(PROGRAMS)) - set(before):
        del vars(PROGRAMS)[extra]
    vars(PROGRAMS).update(before)
    STATE.mode = mode
    got = calls(compiled=True)
    assert [same(w, g) for w, g in zip(wanted, got)] == [True] * 4, (wanted, got)
