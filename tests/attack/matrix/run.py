"""Runs of the matrix: what each operation gave, compiled and plain."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from guardscope.core.capture.capture import FAULTS
from guardscope.core.torch_api.importing import install
from guardscope.tests.attack.matrix.programs import programs

install()
ADDRESS = re.compile(r"0x[0-9a-f]+")
# What Python itself does not promise, or what is known to differ: (start of the function's name, start of the operation).
KNOWN = {("methods_empty_dict", "pop(")}                      # an empty dict does not ask the key for its hash
POWERS = "two_0"                                              # the program that has **


@dataclass
class Wrong:
    """An operation that gave something else when compiled. `words`: only the text of the exception differs."""

    run: tuple[str, ...]
    operation: str
    plain: str
    compiled: str
    words: bool

    def __str__(self) -> str:
        return f"{'(words) ' if self.words else ''}{self.run} {self.operation}: plain {self.plain[:150]}, compiled " \
               f"{self.compiled[:150]}"


def load(folder: Path) -> tuple[ModuleType, list[tuple[str, ...]]]:
    """The module of all programs, written into `folder`, and its runs."""
    from guardscope.tests.attack.matrix.material import values

    text, runs = programs(values())
    path = folder / "matrix_programs.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("matrix_programs", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, [r for r in runs if not endless(r)]


def endless(run: tuple[str, ...]) -> bool:
    """What Python itself does not finish: a deque is repeated until memory is full, powers are computed to the last digit."""
    return {"deque", "big"} <= set(run) or run[0] == POWERS and run[2] == "big"


def shown(x: Any) -> Any:
    """A result as something that compares by value, in all depths."""
    import torch

    if isinstance(x, torch.Tensor):
        return "tensor", str(x.dtype), tuple(x.shape), str(x.tolist())
    if isinstance(x, list | tuple):
        return type(x).__name__, [shown(v) for v in x]
    if isinstance(x, dict):
        return type(x).__name__, [(shown(k), shown(v)) for k, v in x.items()]
    if isinstance(x, set | frozenset):
        return type(x).__name__, sorted(str(shown(v)) for v in x)
    if isinstance(x, np.ndarray):
        return "ndarray", str(x.dtype), x.tolist()
    try:
        return type(x).__name__, ADDRESS.sub("", repr(x))
    except Exception:
        return type(x).__name__


def outcomes(call: Any, names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """What each operation of one program gave, and its arguments as they are then."""
    import torch
    from guardscope.tests.attack.matrix.material import values

    torch._dynamo.reset()
    made = values()
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = call(torch.ones(2), *[made[n] for n in names])[1]
        except Exception as problem:                              # the program catches what its operations raise
            return [("the whole program", type(problem).__name__, str(problem))]
    return [(name, *rest) if len(rest) == 2 else (name, shown(rest[0])) for name, *rest in found] \
        + [("its arguments", shown([made[n] for n in names]))]


def differences(module: ModuleType, run: tuple[str, ...]) -> list[Wrong]:
    """Operations of one run that differ."""
    import torch

    function = getattr(module, run[0])
    plain = outcomes(function, run[1:])
    compiled = outcomes(torch.compile(function, backend="eager"), run[1:])
    out = [Wrong(run, "tracing", "no fault", f"{type(fault).__name__}: {fault}", False) for _, fault in FAULTS]
    FAULTS.clear()
    for i, expected in enumerate(plain):
        got = compiled[i] if i < len(compiled) else ("nothing",)
        if str(got) != str(expected) and not any(run[0].startswith(k) and expected[0].startswith(o) for k, o in KNOWN):
            words = len(got) == len(expected) == 3 and got[:2] == expected[:2]
            out.append(Wrong(run, expected[0], str(expected[1:]), str(got[1:]), words))
            if len(compiled) == 1:
                out[-1].compiled = str(compiled[0])
                break
    return out
