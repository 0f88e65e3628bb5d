"""From a list of statements to a real function on given cells, in the user's file and lines."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Mapping
from typing import Any

from ..private_names import Mangle


def empty_arguments(names: Iterable[str] = ()) -> ast.arguments:
    return ast.arguments([], [ast.arg(n, None) for n in names], None, [], [], None, [])


def function_node(name: str, args: ast.arguments, body: list[ast.stmt], like: ast.AST) -> ast.FunctionDef:
    """A FunctionDef at the position of `like`; works on every supported Python."""
    node = ast.FunctionDef(name, args, body or [ast.Pass()], [], None)
    if "type_params" in ast.FunctionDef._fields:
        node.type_params = []  # type: ignore[attr-defined]
    return ast.copy_location(node, like)


def code_in_factory(node: ast.FunctionDef, free: Iterable[str], file: str, qualname: str | None = None) -> types.CodeType:
    """The code object of `node` compiled inside a function whose parameters are the names `free`, so that those become
    free variables of the code. `qualname`: of the script's function that it is a part of; functions defined inside get
    the qualified names they have in the script."""
    inner = function_node("__gs_code", node.args, node.body, node)        # its own name must not hide a global one
    factory = function_node("__gs_make", empty_arguments(free), [inner, ast.Return(ast.Name(inner.name, ast.Load()))], node)
    module = ast.Module([factory], [])
    ast.fix_missing_locations(module)
    outer = next(c for c in compile(module, file, "exec", dont_inherit=True).co_consts if isinstance(c, types.CodeType))
    code = next(c for c in outer.co_consts if isinstance(c, types.CodeType))
    wanted = qualname or node.name
    return renamed(code, code.co_qualname, wanted).replace(co_name=wanted.rpartition(".")[2])


def renamed(code: types.CodeType, prefix: str, wanted: str) -> types.CodeType:
    """The code with `prefix` of its qualified name, and of all those inside it, replaced. The body of a class has its
    qualified name among its constants."""
    name = wanted + code.co_qualname[len(prefix):]
    inner = tuple(renamed(c, prefix, wanted) if isinstance(c, types.CodeType) else name if c == code.co_qualname else c
                  for c in code.co_consts)
    return code.replace(co_consts=inner, co_qualname=name)


def function_on_cells(code: types.CodeType, globals: dict[str, Any], name: str,
                      cells: Mapping[str, Any]) -> types.FunctionType:
    """A function of `code` whose free variables are the given cells (an absent one is empty)."""
    closure = tuple(cells[v] if v in cells else types.CellType() for v in code.co_freevars)
    return types.FunctionType(code, globals, name, None, closure)


__all__ = ["Mangle", "code_in_factory", "empty_arguments", "function_node", "function_on_cells"]
