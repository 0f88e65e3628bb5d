"""Continuations: the rest of a function after one program point, as a unit of its own.

There is one continuation per text that is left to run and variables that it takes, in terms of the *original* function:
paths that converge share it, so that the passes of a loop do.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping, Sequence
from copy import deepcopy  # Python's own, whatever the script puts in their places
from dataclasses import dataclass
from typing import Any

from ..scopes import names_of
from ..unit import Unit, parameter_count, register
from .build import code_in_factory, empty_arguments, function_node, function_on_cells
from .liveness import live_names, stored_names
from .nodes import CannotResume, Unbind
from .suffix import Level, suffix


@dataclass(slots=True, eq=False)
class ResumeSite:
    """One continuation. `temporaries`: operands it takes, in order; `locals`: the live variables it takes by value;
    `takes_result`: whether the native step's result is its last parameter. Parameters come in that order."""

    unit: Unit
    temporaries: tuple[str, ...]
    locals: tuple[str, ...]
    takes_result: bool
    text: str

    def function(self, globals: dict[str, Any], cells: Mapping[str, Any]) -> types.FunctionType:
        """The continuation on a call's own cells."""
        return function_on_cells(self.unit.code, globals, self.unit.name, cells)


_sites: dict[tuple, ResumeSite] = {}


def fresh_names(unit: Unit, count: int, stem: str = "__t") -> list[str]:
    """Names for temporaries that do not clash with the unit's own variables."""
    taken = names_in(unit)
    names: list[str] = []
    k = 0
    while len(names) < count:
        if f"{stem}{k}" not in taken:
            names.append(f"{stem}{k}")
        k += 1
    return names


def names_in(unit: Unit) -> set[str]:
    """Every variable of a unit's code."""
    return set(unit.code.co_varnames) | set(unit.code.co_freevars) | set(unit.code.co_cellvars)


def make_resume(unit: Unit, path: Sequence[Level], rest: list[ast.stmt], line: int, temporaries: Sequence[str], result: str,
                bound: Sequence[str], cells: Sequence[str], tag: str = "") -> ResumeSite:
    """The continuation that begins with `rest`, what is left of the statement under way, at `line`.

    path: from the function's body down to that statement. temporaries: names that hold finished operands and what the levels
    of the path hold. result: the name of what the native step gives. bound: local variables that have a value now. cells:
    variables that travel as cells (free variables of the function, locals shared with functions made before). tag: added to
    the continuation's name, where one break has several.

    Raises CannotResume when the place has none.
    """
    body = [deepcopy(s) for s in suffix(path, rest)]
    first = unit.original.params[0] if unit.original.params else None
    body = [_ExplicitSuper(first).visit(_Undeclared().visit(s)) for s in body]
    live = live_names(body)
    stored = stored_names(body)
    before = tuple(dict.fromkeys(name for name in temporaries if name in live))
    cell_names = tuple(sorted(c for c in cells if c in live or c in stored))     # sorted: paths that converge must agree
    by_value = tuple(sorted(n for n in bound if n in live and n not in cells and n not in before and n != result))
    scope = names_of(unit.original.node)
    refuse_unbound_cells(body, [c for c in cell_names if c in scope.local], live, bound)
    given = {*before, *by_value, *cells, *((result,) if result in live else ())}
    unbound = tuple(sorted((live & scope.local) - given - stored))
    key = (id(unit.original.code), tag, before, by_value, cell_names, unbound, result if result in live else "",
           tuple(ast.dump(s, include_attributes=True) for s in body))
    known = _sites.get(key)
    if known is None:
        known = _sites[key] = _make(unit, body, line, before, by_value, result if result in live else None, cell_names,
                                    unbound, tag)
    return known


def _make(unit: Unit, body: list[ast.stmt], line: int, temporaries: tuple[str, ...], by_value: tuple[str, ...],
          result: str | None, cells: tuple[str, ...], unbound: tuple[str, ...], tag: str) -> ResumeSite:
    original, place = unit.original, body[0] if body else unit.original.node
    scope, stored = names_of(original.node), stored_names(body)
    params = [*temporaries, *by_value, *([result] if result is not None else [])]
    shared = [c for c in cells if c in stored]
    head: list[ast.stmt] = [ast.Nonlocal(shared)] if shared else []
    for name in unbound:                                       # stays local, so that reading it raises UnboundLocalError
        head += [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)), ast.Delete([ast.Name(name, ast.Del())])]
    declared = scope.declared_global & (live_names(body) | stored)
    if declared:
        head.insert(0, ast.Global(sorted(declared)))
    name = f"resume_in_{original.name.strip('<>')}_at_{line}{tag}"
    node = function_node(name, empty_arguments(params), [*(ast.copy_location(h, place) for h in head), *body], place)
    if original.is_generator and not names_of(node).is_generator:
        never = ast.copy_location(ast.Expr(ast.Yield(None)), place)
        node.body.append(ast.copy_location(ast.If(ast.Constant(False), [never], []), place))
    ast.fix_missing_locations(node)
    free = [*cells, *(["__class__"] if "__class__" in original.freevars and "__class__" not in cells else [])]
    code = code_in_factory(node, free, unit.file, original.qualname)
    made = Unit(name=name, qualname=f"{original.qualname} (after line {line})", kind="resume", node=node,
                params=code.co_varnames[:parameter_count(code)], code=code, freevars=code.co_freevars, file=unit.file,
                first_line=line, class_name=original.class_name, located=unit.located, resume_of=original, resume_line=line,
                varying=result if tag == "_pass" and result is not None else "")
    register(made)
    text = f"# the rest of {original.qualname} after line {line}\n{ast.unparse(node)}\n"
    return ResumeSite(made, temporaries, by_value, result is not None, text)


def refuse_unbound_cells(body: Sequence[ast.stmt], own: Sequence[str], live: set[str], bound: Sequence[str]) -> None:
    """A variable of the function's own that functions made before share is a free variable of the continuation; reading it
    without a value raises another error there. Raises CannotResume where that can happen."""
    deleted = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)}
    deleted |= {n.name for s in body for n in ast.walk(s) if isinstance(n, ast.ExceptHandler) and n.name is not None}
    direct = read_directly(body)
    for name in own:
        if name in direct and (name in deleted or name in live and name not in bound):
            raise CannotResume(f"{name}, a closure variable of functions made before, may have no value later")


def read_directly(body: Sequence[ast.stmt]) -> set[str]:
    """Names that the statements themselves read; in functions made inside them the variable is a free one anyway."""
    found: set[str] = set()
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, Unbind):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            todo += [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None),
                     *getattr(node, "decorator_list", ())]
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        todo += ast.iter_child_nodes(node)
    return found


class _Undeclared(ast.NodeTransformer):
    """Drops `global` and `nonlocal`: a continuation says so once, at its top."""

    def visit_Global(self, node: ast.Global) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)

    def _keep(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _keep


class _ExplicitSuper(ast.NodeTransformer):
    """`super()` finds its arguments in the frame it is called from; in a continuation they are written out."""

    def __init__(self, first: str | None) -> None:
        self.first = first

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and self.first is not None:
            node.args = [ast.copy_location(ast.Name("__class__", ast.Load()), node),
                         ast.copy_location(ast.Name(self.first, ast.Load()), node)]
        return node


__all__ = ["CannotResume", "ResumeSite", "fresh_names", "make_resume"]
