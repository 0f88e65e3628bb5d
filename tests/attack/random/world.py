"""Two worlds made from one file of programs: in one the program is compiled, in the other it is plain Python.

The file is executed anew for every world, so classes, globals and functions are separate; what the worlds share (libraries,
modes, the environment) is put back by `Shared`.
"""

from __future__ import annotations

import os
import sys
import types
from pathlib import Path
from typing import Any

from guardscope.core.tensor.state import STATE
from guardscope.core.torch_api.importing import install

install()

PATH = Path(__file__).resolve().parent / "programs.py"
TEXT = PATH.read_text(encoding="utf-8")
CODES: dict[str, types.CodeType] = {}


class World:
    """One execution of the file, with the state of one program. `args` is a list, so that an argument can be replaced."""

    def __init__(self, name: str, program: str) -> None:
        self.name = name
        code = CODES.get(name)
        if code is None:
            code = CODES[name] = compile(TEXT, str(PATH), "exec")
        self.module = types.ModuleType(f"attack_{name}")
        self.module.__file__ = str(PATH)
        sys.modules[self.module.__name__] = self.module
        exec(code, vars(self.module))
        self.build = self.module.PROGRAMS[program]
        self.target: Any
        self.target, *rest = self.build()
        self.compiled: Any = None
        self.args: list[Any] = list(rest[0]) if rest else []
        self.kwargs: dict[str, Any] = dict(rest[1]) if len(rest) > 1 else {}

    def refresh(self) -> None:
        """New, equal arguments."""
        _, *rest = self.build()
        self.args[:] = list(rest[0]) if rest else []

    def call(self) -> tuple[str, Any]:
        """("result", value) or ("error", exception)."""
        import torch

        torch.manual_seed(0)
        run = self.target if self.compiled is None else self.compiled
        try:
            return "result", run(*self.args, **self.kwargs)
        except RecursionError:
            return "error", RecursionError()
        except Exception as problem:
            return "error", problem


class Shared:
    """What both worlds see: modes, environment, names of libraries. `undo` puts everything back."""

    def __init__(self) -> None:
        self.mode = STATE.mode
        self.environment = dict(os.environ)
        self.undo_list: list[Any] = []

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Set an attribute of a library module or class until the end of the trial."""
        before = vars(owner)[name]
        self.undo_list.append(lambda: setattr(owner, name, before))
        setattr(owner, name, value)

    def undo(self) -> None:
        for back in reversed(self.undo_list):
            back()
        self.undo_list.clear()
        STATE.mode = self.mode
        for name in set(os.environ) - set(self.environment):
            del os.environ[name]
        os.environ.update(self.environment)
