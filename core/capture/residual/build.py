"""From a list of statements to a real function on given cells, in the user's file and lines."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Mapping
from typing import Any

from ..scopes import mangle


def empty_arguments(names: Iterable[str] = ()) -> ast.arguments:
    return ast.arguments([], [ast.arg(n, None) for n in names], None, [], [], None, [])


def function_node(name: str, args: ast.arguments, body: list[ast.stmt], like: ast.AST) -> ast.FunctionDef:
    """A FunctionDef at the position of `like`; works on every supported Python."""
    node = ast.FunctionDef(name, args, body or [ast.Pass()], [], None)
    if "type_params" in ast.FunctionDef._fields:
        node.type_params = []  # type: ignore[attr-defined]
    return ast.copy_location(node, like)


def code_in_factory(node: ast.FunctionDef, free: Iterable[str], file: str) -> types.CodeType:
    """The code object of `node` compiled inside a function whose parameters are the names `free`, so that those become
    free variables of the code."""
    factory = function_node("make", empty_arguments(free), [node, ast.Return(ast.Name(node.name, ast.Load()))], node)
    module = ast.Module([factory], [])
    ast.fix_missing_locations(module)
    outer = next(c for c in compile(module, file, "exec", dont_inherit=True).co_consts if isinstance(c, types.CodeType))
    return next(c for c in outer.co_consts if isinstance(c, types.CodeType) and c.co_name == node.name)


def function_on_cells(code: types.CodeType, globals: dict[str, Any], name: str,
                      cells: Mapping[str, Any]) -> types.FunctionType:
    """A function of `code` whose free variables are the given cells (an absent one is empty)."""
    closure = tuple(cells[v] if v in cells else types.CellType() for v in code.co_freevars)
    return types.FunctionType(code, globals, name, None, closure)


class Mangle(ast.NodeTransformer):
    """Writes private names (`__x` in class C) as the compiler would inside the class body, where this code no longer is.
    `keep`: generated names that are no private names of the script's."""

    def __init__(self, class_name: str | None, keep: Iterable[str] = ()) -> None:
        self.class_name, self.keep = class_name, frozenset(keep)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.keep:
            node.id = mangle(node.id, self.class_name)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = mangle(node.attr, self.class_name)
        return node
