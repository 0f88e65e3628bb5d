"""A function being evaluated: its variables, where it stands in its source, and which operands are finished."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ..graph.node import Span
from .scopes import ScopeNames, names_of
from .signals import Break
from .values import Value, Variable

if TYPE_CHECKING:
    from .function_values import FunctionValue


class Globals:
    """One module's global names: the dict, the name it has in generated code, and what the trace stored in it."""

    __slots__ = ("slot", "real", "name", "stored")

    def __init__(self, slot: str, real: dict[str, Any], name: str) -> None:
        self.slot, self.real, self.name = slot, real, name
        self.stored: dict[str, Value | None] = {}      # None: deleted


class Operand:
    """One expression (or statement) under way with its finished parts, in order of evaluation."""

    __slots__ = ("node", "done")

    def __init__(self, node: ast.AST) -> None:
        self.node = node
        self.done: list[tuple[ast.AST, Value]] = []


class Step:
    """One level of the way from the function down to the statement under way: statement `index` of list `field` of
    `owner`. `extra` is what the level holds besides: exits of entered contexts, the caught exception, the completion that
    waits for a `finally`."""

    __slots__ = ("owner", "field", "index", "extra")

    def __init__(self, owner: ast.AST, field: str, index: int, extra: Any = None) -> None:
        self.owner, self.field, self.index, self.extra = owner, field, index, extra


class Frame:
    """`track`: this is the function being compiled, whose operands are kept so that a break can resume in the middle."""

    def __init__(self, unit: Any, node: ast.AST, globals: Globals, lexical: Frame | None, caller: Frame | None,
                 function: FunctionValue | None = None, track: bool = False) -> None:
        self.unit, self.node, self.globals = unit, node, globals
        self.names: ScopeNames = names_of(node)
        self.lexical, self.caller, self.function, self.track = lexical, caller, function, track
        self.variables: dict[str, Variable] = {}
        self.free: dict[str, Variable] = {}
        self.here: ast.AST = node
        self.point: tuple[ast.AST, str] | None = None
        self.stack: list[Operand] = []
        self.path: list[Step] = []
        self.module_path: str = caller.module_path if caller is not None else ""
        self.class_name: str | None = lexical.class_name if lexical is not None else \
            unit.class_name if unit.kind != "resume" else None      # a continuation is mangled already
        self.depth: int = caller.depth + 1 if caller is not None else 0
        self.is_user = True
        self.generator: Any = None
        self.broken: frozenset[tuple[int, str]] = frozenset()
        for name in self.names.local:
            self.variables[name] = Variable(name)

    def lookup(self, name: str) -> Variable | None:
        """The variable that `name` means here, or None for a global name."""
        frame: Frame | None = self
        while frame is not None:
            found = frame.variables.get(name)
            if found is not None:
                return found
            if name in frame.names.declared_global:
                return None
            found = frame.free.get(name)
            if found is not None:
                return found
            frame = frame.lexical
        return None

    def at(self, node: ast.AST, role: str = "op") -> None:
        """The operands of `node` are finished and its operation comes now. Breaks here if that was decided before."""
        self.here = node
        if self.track:
            self.point = (node, role)
            if (id(node), role) in self.broken:
                raise Break("decided")

    def span(self, node: ast.AST | None = None) -> Span:
        """A node's place in the file (by default where the frame stands)."""
        place: Any = node if node is not None and hasattr(node, "lineno") else self.here
        if not hasattr(place, "lineno"):
            return Span(self.unit.file, self.unit.first_line)
        return Span(self.unit.file, place.lineno, place.col_offset, place.end_lineno or place.lineno,
                    place.end_col_offset or place.col_offset)


