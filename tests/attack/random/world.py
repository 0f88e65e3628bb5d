"""Two worlds made from one file of programs: in one the program is compiled, in the other it is plain Python.

The file is executed anew for every world, so classes, globals and functions are separate; what the worlds share (libraries,
modes, the environment) is put back by `Shared`. A program called "generated N" is number N of grammar.py.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import random
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from guardscope.core.tensor.state import STATE
from guardscope.core.torch_api.importing import install

from . import grammar

install()

HERE = Path(__file__).resolve().parent
PATH, MATERIAL = HERE / "programs.py", HERE / "material.py"
GENERATED = str(HERE / "generated ")             # files that exist only for linecache
CODES: dict[tuple[str, str], types.CodeType] = {}


def is_program(file: str) -> bool:
    """Whether code of this file belongs to a program."""
    return file in (str(PATH), str(MATERIAL)) or file.startswith(GENERATED)


def files_of(program: str) -> list[str]:
    """The files that are executed for a program, in order."""
    if not program.startswith("generated "):
        return [str(PATH)]
    file = GENERATED + program.removeprefix("generated ")
    if file not in linecache.cache:
        for name, *_ in [k for k in CODES if k[1].startswith(GENERATED)]:
            forget(name)
        show(file, grammar.source(int(program.removeprefix("generated "))))
    return [str(PATH), str(MATERIAL), file]


def show(file: str, text: str) -> None:
    """Make the text of a generated program known to whoever asks for its lines."""
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)


def forget(name: str) -> None:
    """Drop the generated programs that were compiled in one world."""
    for key in [k for k in CODES if k[0] == name and k[1].startswith(GENERATED)]:
        del CODES[key]


def forget_text(program: str) -> None:
    """The text of a generated program is another one now."""
    file = GENERATED + program.removeprefix("generated ")
    linecache.cache.pop(file, None)
    for key in [k for k in CODES if k[1] == file]:
        del CODES[key]


def code_of(world: str, file: str) -> types.CodeType:
    """The compiled text of a file, in each world another code object."""
    code = CODES.get((world, file))
    if code is None:
        text = "".join(linecache.getlines(file))
        code = CODES[world, file] = compile(text, file, "exec")
    return code


def library_functions() -> list[Any]:
    """Functions of the library that a program may hold like one of its own, and give attributes."""
    import torch

    return [torch.relu, torch.tanh]


def carry(functions: list[Any], attributes: list[dict[str, Any]]) -> None:
    """Give the functions these attributes and no others."""
    for f, held in zip(functions, attributes):
        if [(n, id(v)) for n, v in vars(f).items()] != [(n, id(v)) for n, v in held.items()]:
            vars(f).clear()
            vars(f).update(held)


class World:
    """One execution of the file, with the state of one program. `args` is a list, so that an argument can be replaced."""

    def __init__(self, name: str, program: str) -> None:
        self.name = name
        self.seed = 0                                     # of all generators of random numbers, before every call
        self.module = types.ModuleType(f"attack_{name:_<8}")              # names of one length
        self.module.__file__ = str(PATH)
        sys.modules[self.module.__name__] = self.module
        for file in files_of(program):
            exec(code_of(name, file), vars(self.module))
        self.build = self.module.PROGRAMS["generated" if program.startswith("generated ") else program]
        self.target: Any
        self.target, *rest = self.build()
        self.compiled: Any = None
        self.printed = io.StringIO()
        self.args: list[Any] = list(rest[0]) if rest else []
        self.kwargs: dict[str, Any] = dict(rest[1]) if len(rest) > 1 else {}
        self.carried: list[dict[str, Any]] = [dict(vars(f)) for f in library_functions()]

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """While something runs in this world, the library's functions carry the attributes that this world gave them."""
        functions = library_functions()
        before = [dict(vars(f)) for f in functions]
        carry(functions, self.carried)
        try:
            yield
        finally:
            self.carried = [dict(vars(f)) for f in functions]
            carry(functions, before)

    def refresh(self) -> None:
        """New, equal arguments."""
        _, *rest = self.build()
        self.args[:] = list(rest[0]) if rest else []

    def call(self) -> tuple[str, Any]:
        """("result", value) or ("error", exception)."""
        import torch

        torch.manual_seed(self.seed)
        random.seed(self.seed)
        np.random.seed(self.seed)
        run = self.target if self.compiled is None else self.compiled
        self.printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(self.printed), self.inside():
                return "result", run(*self.args, **self.kwargs)
        except RecursionError:
            return "error", RecursionError()
        except Exception as problem:
            return "error", problem

    def after(self) -> tuple[Any, ...]:
        """What a call leaves behind outside the program: what it printed, where the generators of random numbers stand."""
        import torch

        return (self.printed.getvalue(), random.random(), float(np.random.rand()), torch.rand(1).item())


class Shared:
    """What both worlds see: modes, environment, names of libraries. `undo` puts everything back."""

    def __init__(self) -> None:
        self.mode = STATE.mode
        self.environment = dict(os.environ)
        self.place, self.argv = os.getcwd(), list(sys.argv)
        self.undo_list: list[Any] = []

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Set an attribute of a library module or class until the end of the trial."""
        before = vars(owner)[name]
        setattr(owner, name, value)
        self.undo_list.append(lambda: setattr(owner, name, before))

    def add(self, owner: Any, name: str, value: Any) -> None:
        """Give a library's class an attribute that it does not have itself."""
        setattr(owner, name, value)
        self.undo_list.append(lambda: delattr(owner, name))

    def exchange(self, mapping: dict, key: str, value: Any) -> None:
        """Another value in a dictionary of the process."""
        before = mapping[key]
        self.undo_list.append(lambda: mapping.__setitem__(key, before))
        mapping[key] = value

    def undo(self) -> None:
        for back in reversed(self.undo_list):
            back()
        self.undo_list.clear()
        STATE.mode = self.mode
        for name in set(os.environ) - set(self.environment):
            del os.environ[name]
        os.environ.update(self.environment)
        os.chdir(self.place)
        sys.argv[:] = self.argv
