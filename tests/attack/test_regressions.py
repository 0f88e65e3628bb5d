"""Every wrong reuse that was found once: call, change what was read, call again; compiled must be equal to plain Python."""

from __future__ import annotations

import sys
import types
import warnings
from pathlib import Path
from typing import Any

import pytest
from guardscope.core.tensor.state import STATE
from guardscope.core.torch_api.importing import install
from guardscope.tests.attack.random.compare import Pairing, same_outcome

PATH = Path(__file__).resolve().parent / "regression_programs.py"
TEXT = PATH.read_text(encoding="utf-8")


def world(name: str) -> types.ModuleType:
    """One execution of the file of cases."""
    install()
    module = types.ModuleType(f"attack_{name}")
    module.__file__ = str(PATH)
    sys.modules[module.__name__] = module
    exec(compile(TEXT, str(PATH), "exec"), vars(module))
    return module


NAMES = list(world("plain").CASES)


def outcomes(name: str, case: str, options: dict[str, Any] | None) -> list[tuple[str, Any]]:
    """What three calls gave, with the change after the first, and the arguments as they are then."""
    import torch

    module, mode = world(name), STATE.mode
    torch.manual_seed(0)
    found = []
    try:
        function, arguments, change = module.CASES[case]()
        run = torch.compile(function, **options) if options is not None else function
        for number in range(3):
            try:
                found.append(("result", run(*arguments)))
            except Exception as problem:
                found.append(("error", problem))
            if number == 0:
                change()
    finally:
        for back in reversed(module.UNDO):
            back()
        STATE.mode = mode
    return [*found, ("result", arguments)]


@pytest.mark.parametrize("dynamic", [None, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("case", NAMES)
def test_equal_to_plain_python(case: str, dynamic: bool | None) -> None:
    import torch

    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = outcomes("plain", case, None)
        compiled = outcomes("compiled", case, {"backend": "eager", "dynamic": dynamic})
    pairing = Pairing()
    for mine, theirs in zip(compiled, plain):
        same_outcome(mine, theirs, pairing)
