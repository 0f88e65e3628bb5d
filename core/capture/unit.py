"""What is compiled as one: a function, a lambda, or the continuation of a function after a graph break."""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..source.locate import Located, NoSource, locate
from .private_names import mangled


@dataclass(slots=True, eq=False)
class Unit:
    """One compilable piece of Python.

    node: a FunctionDef (a lambda becomes one with a single Return; private names are written out; positions
    kept). params: the code's variables for its parameters, in order (positional, keyword-only, *args, **kwargs). code: the
    key of its artifacts. freevars: names of the closure's cells, in order. words: parameters of a continuation that no
    script wrote -> the expression whose value they hold.
    """

    name: str
    qualname: str
    kind: str                        # "function", "lambda", "resume"
    node: Any
    params: tuple[str, ...]
    code: types.CodeType
    freevars: tuple[str, ...]
    file: str
    first_line: int
    class_name: str | None
    located: Located
    resume_of: Unit | None = None
    resume_line: int | None = None
    words: dict[str, str] = field(default_factory=dict)
    varying: str = ""                # the parameter that holds an item of a loop: another number in every pass

    @property
    def is_generator(self) -> bool:
        return bool(self.code.co_flags & 0x20)

    @property
    def original(self) -> Unit:
        """The function this is a continuation of, or itself."""
        here = self
        while here.resume_of is not None:
            here = here.resume_of
        return here


LONGEST = 60


def expression_words(node: ast.AST, words: Mapping[str, str]) -> str:
    """An expression as the script has it, or where it stands when that is long. words: what names stand for that an earlier
    break gave to expressions."""
    try:
        text = ast.unparse(node) if isinstance(node, ast.expr) else ""
    except Exception:
        text = ""
    for name, said in words.items():
        said = said if " " not in said or text == name else f"({said})"
        text = said.join(re.split(rf"\b{name}\b", text))
    return text if 0 < len(text) <= LONGEST else f"the value from line {getattr(node, 'lineno', '?')}"


_units: dict[int, tuple[types.CodeType, Unit]] = {}


def parameter_count(code: types.CodeType) -> int:
    """How many of the code's variables are parameters, *args and **kwargs included."""
    return code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)


def register(unit: Unit) -> Unit:
    """Make a generated unit known, so that `unit_of` finds it for its functions."""
    return _units.setdefault(id(unit.code), (unit.code, unit))[1]       # one unit, whichever thread comes first


def unit_of(function: types.FunctionType) -> Unit | NoSource:
    """The unit of a Python function; the same object for every function made from one code object."""
    code = function.__code__
    known = _units.get(id(code))
    if known is not None and known[0] is code:
        return known[1]
    located = locate(function)
    if isinstance(located, NoSource):
        return located
    node = located.node
    if isinstance(node, ast.Lambda):
        result = ast.copy_location(ast.Return(node.body), node.body)
        made = ast.FunctionDef("<lambda>", node.args, [result], [], None)
        if "type_params" in ast.FunctionDef._fields:
            made.type_params = []  # type: ignore[attr-defined]
        node = ast.copy_location(made, node)
    node = mangled(node, located.class_name)
    return register(Unit(
        name=code.co_name, qualname=code.co_qualname, kind="lambda" if code.co_name == "<lambda>" else "function", node=node,
        params=code.co_varnames[:parameter_count(code)], code=code, freevars=code.co_freevars, file=located.file,
        first_line=located.first_line, class_name=located.class_name, located=located))
