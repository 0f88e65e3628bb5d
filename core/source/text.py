"""The text of a source file and its syntax tree, parsed once per content.

Text comes from linecache, which honours a module's `__loader__.get_source`, IPython cells and the REPL of newer Pythons,
and which also knows our own generated functions.
"""

from __future__ import annotations

import ast
import linecache
import symtable
import types
from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class SourceFile:
    """One file: its text, its tree, and the code objects that compiling the text gives (made when first asked for)."""

    name: str
    text: str
    tree: ast.Module
    _codes: list[types.CodeType] | None = field(default=None, repr=False)
    _functions: list[tuple[ast.AST, str]] | None = field(default=None, repr=False)

    def codes(self) -> list[types.CodeType]:
        """Every code object of the file, outermost first, as the import system would compile it."""
        if self._codes is None:
            self._codes = list(_walk_code(compile(self.text, self.name, "exec", dont_inherit=True)))
        return self._codes

    def functions(self) -> list[tuple[ast.AST, str]]:
        """Every function and lambda with its qualified name."""
        if self._functions is None:
            self._functions = list(_walk_functions(self.tree, ""))
        return self._functions

    def symbols(self) -> symtable.SymbolTable:
        return symtable.symtable(self.text, self.name, "exec")


_files: dict[tuple[str, str], SourceFile | None] = {}


def source_file(name: str, module_globals: dict[str, Any] | None = None) -> SourceFile | None:
    """The parsed file, or None when there is no text or it does not parse."""
    linecache.checkcache(name)
    lines = linecache.getlines(name, module_globals)
    if not lines:
        return None
    text = "".join(lines)
    key = (name, text)
    if key not in _files:
        try:
            _files[key] = SourceFile(name, text, ast.parse(text, name))
        except (SyntaxError, ValueError, RecursionError):
            _files[key] = None
    return _files[key]


def _walk_code(code: types.CodeType) -> Any:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _walk_code(constant)


def _walk_functions(node: ast.AST, prefix: str) -> Any:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            name = prefix + child.name
            yield child, name
            outside = [*child.decorator_list, *child.args.defaults, *(d for d in child.args.kw_defaults if d is not None)]
            for part in outside:
                yield from _walk_functions_in(part, prefix)
            for statement in child.body:
                yield from _walk_functions_in(statement, f"{name}.<locals>.")
        elif isinstance(child, ast.ClassDef):
            yield from _walk_functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.Lambda):
            yield child, f"{prefix}<lambda>"
            yield from _walk_functions(child, f"{prefix}<lambda>.<locals>.")
        else:
            yield from _walk_functions(child, prefix)


def _walk_functions_in(node: ast.AST, prefix: str) -> Any:
    """As _walk_functions, but `node` itself may be the function."""
    holder = ast.Module([node], [])  # type: ignore[list-item]
    yield from _walk_functions(holder, prefix)
