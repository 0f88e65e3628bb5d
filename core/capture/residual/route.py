"""A function that runs natively, with its calls routed: `f(a)` becomes `__gs_call(f, a)`, so that the functions it calls are
still compiled on their own."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from copy import deepcopy  # Python's own, whatever the script puts in their places
from typing import Any

from ..unit import Unit
from .build import code_in_factory, function_node

FRAME_READERS = frozenset({"super", "locals", "globals", "vars", "dir", "eval", "exec", "breakpoint", "print", "range", "len",
                           "isinstance", "type", "int", "float", "str", "bool", "list", "tuple", "dict", "set", "enumerate",
                           "zip", "getattr", "setattr", "hasattr", "repr", "format", "id", "abs"})
_codes: dict[int, types.CodeType] = {}


def routed(unit: Unit) -> Callable[[types.FunctionType, Any], types.FunctionType]:
    """`routed(unit)(function, runtime)` is `function` with its calls going through `runtime.call`.

    NotImplementedError for a function that lists its own variables, itself or in a function inside it: the routed one has a
    variable more."""
    if lists_variables(unit.code):
        raise NotImplementedError
    code = _codes.get(id(unit.code))
    if code is None:
        code = _codes[id(unit.code)] = _compile(unit)

    def make(function: types.FunctionType, runtime: Any) -> types.FunctionType:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        cells["__gs_call"] = types.CellType(runtime.call)
        closure = tuple(cells[name] for name in code.co_freevars)
        made = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
        made.__kwdefaults__ = function.__kwdefaults__
        made.__qualname__ = function.__qualname__
        return made

    return make


def lists_variables(code: types.CodeType) -> bool:
    return any(name in code.co_names for name in ("locals", "dir", "vars", "eval", "exec")) \
        or any(lists_variables(inner) for inner in code.co_consts if isinstance(inner, types.CodeType))


def _compile(unit: Unit) -> types.CodeType:
    name = unit.name if unit.name.isidentifier() else "function"
    args = deepcopy(unit.node.args)
    args.defaults = [ast.Constant(None) for _ in args.defaults]
    args.kw_defaults = [None if d is None else ast.Constant(None) for d in args.kw_defaults]
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if arg is not None:
            arg.annotation = None
    body = [_Route().visit(deepcopy(s)) for s in unit.node.body]
    node = function_node(name, args, body, unit.node)
    return code_in_factory(node, [*unit.freevars, "__gs_call"], unit.file, unit.original.qualname)


class _Route(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in FRAME_READERS:
            return node
        target = ast.copy_location(ast.Name("__gs_call", ast.Load()), node.func)
        return ast.copy_location(ast.Call(target, [node.func, *node.args], node.keywords), node)

    def _keep(self, node: ast.AST) -> ast.AST:
        return node

    visit_ClassDef = _keep
