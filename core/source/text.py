"""The text of a source file, its syntax tree, and the code objects that compiling it gives: once per content.

Text comes from linecache, which honours a module's `__loader__.get_source`, IPython cells and the REPL of newer Pythons,
and which also knows our own generated functions. Tree, code objects and indexes are made when first asked for.
"""

from __future__ import annotations

import ast
import linecache
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Place = tuple[str, int]                 # the name of a function's code and its first line (of the first decorator)


class FoundFunction(NamedTuple):
    """A function or lambda of a file. `class_name`: the innermost class around it (for private names), or None."""

    node: FunctionNode
    qualname: str
    class_name: str | None


@dataclass(eq=False, slots=True)
class SourceFile:
    """One file with one content."""

    name: str
    lines: list[str] = field(repr=False)
    text: str = field(repr=False)
    tree: ast.Module = field(repr=False)
    _codes: dict[int, dict[Place, list[types.CodeType]]] = field(default_factory=dict, repr=False)
    _functions: dict[Place, list[FoundFunction]] | None = field(default=None, repr=False)

    def codes_at(self, place: Place, flags: int = 0) -> list[types.CodeType]:
        """The code objects at a place, as the import system would compile them; `flags` are `__future__` features that
        the code got from outside the text (an interactive session)."""
        found = self._codes.get(flags)
        if found is None:
            found = self._codes[flags] = {}
            with warnings.catch_warnings():                 # Python has told them when the file was imported
                warnings.simplefilter("ignore")
                module = compile(self.text, self.name, "exec", flags=flags, dont_inherit=True)
            for code in _inner_codes(module):
                found.setdefault((code.co_name, code.co_firstlineno), []).append(code)
        return found.get(place, [])

    def functions(self) -> list[FoundFunction]:
        """Every function and lambda, in the order of the text."""
        return list(_functions_below(self.tree, "", None))

    def functions_at(self, place: Place) -> list[FoundFunction]:
        """The functions whose code has this name and first line."""
        if self._functions is None:
            self._functions = {}
            for found in self.functions():
                name = "<lambda>" if isinstance(found.node, ast.Lambda) else found.node.name
                self._functions.setdefault((name, first_line(found.node)), []).append(found)
        return self._functions.get(place, [])


_files: dict[str, SourceFile] = {}


def source_file(name: str, module_globals: dict[str, Any] | None = None, again: bool = False) -> SourceFile | None:
    """The parsed file, or None when there is no text or it is not Python. `again`: look whether the file was changed
    since it was read; None when it was not."""
    if again:
        linecache.checkcache(name)
    lines = linecache.getlines(name, module_globals)
    known = _files.get(name)
    if known is not None and (known.lines is lines or known.lines == lines):
        known.lines = lines
        return None if again else known
    if not lines:
        return None
    text = "".join(lines)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = SourceFile(name, lines, text, ast.parse(text, name))
    except (SyntaxError, ValueError, RecursionError):
        return None
    _files[name] = found
    return found


def first_line(node: FunctionNode) -> int:
    """The first line that CPython gives the code of a function: that of its first decorator."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])


def _inner_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _inner_codes(constant)


def _functions_below(node: ast.AST, prefix: str, class_name: str | None) -> Iterator[FoundFunction]:
    """The functions in the parts of `node`; `prefix` is what their qualified names start with."""
    for child in ast.iter_child_nodes(node):
        yield from _functions_in(child, prefix, class_name)


def _functions_in(node: ast.AST, prefix: str, class_name: str | None) -> Iterator[FoundFunction]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        qualname = prefix + ("<lambda>" if isinstance(node, ast.Lambda) else node.name)
        yield FoundFunction(node, qualname, class_name)
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        inside = {id(part) for part in body}
        for child in ast.iter_child_nodes(node):            # decorators, defaults and annotations belong to the outside
            yield from _functions_in(child, f"{qualname}.<locals>." if id(child) in inside else prefix, class_name)
    elif isinstance(node, ast.ClassDef):
        inside = {id(part) for part in node.body}
        for child in ast.iter_child_nodes(node):
            here = id(child) in inside
            yield from _functions_in(child, f"{prefix}{node.name}." if here else prefix, node.name if here else class_name)
    else:
        yield from _functions_below(node, prefix, class_name)
