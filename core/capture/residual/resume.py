"""Continuations: the rest of a function after one program point, as a unit of its own.

There is one continuation per program point (broken node, finished operands, bound names), in terms of the *original*
function: paths that converge share it, and breaking again inside a continuation does not nest names or keys.
"""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..scopes import names_of
from ..unit import Unit, parameter_count, register
from .build import code_in_factory, empty_arguments, function_node, function_on_cells
from .liveness import live_names, stored_names
from .rest import CannotResume, Rest, leaves_loop
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
    taken = set(unit.code.co_varnames) | set(unit.code.co_freevars) | set(unit.code.co_cellvars)
    names: list[str] = []
    k = 0
    while len(names) < count:
        if f"{stem}{k}" not in taken:
            names.append(f"{stem}{k}")
        k += 1
    return names


def place(node: Any) -> tuple:
    """A node's position: what identifies it across copies made for continuations."""
    return (type(node).__name__, getattr(node, "lineno", 0), getattr(node, "col_offset", 0),
            getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0))


def make_resume(unit: Unit, path: Sequence[Level], broken: ast.AST, role: str, finished: Sequence[tuple[ast.AST, str]],
                result: str, bound: Sequence[str], cells: Sequence[str], branch: bool | None = None,
                managers: Mapping[int, Sequence[str]] | None = None) -> ResumeSite:
    """The continuation after `broken`.

    path: from the function's body down to the statement under way. role: "op", "truth" (the truth of `broken`), or
    "done" (the whole statement was finished natively). finished: operands at hand and their names. bound: local variables
    that have a value now. cells: variables that travel as cells (free variables of the function, locals shared with
    functions made before). branch: for the truth of an `if` test, the side taken; None makes one continuation for both.
    managers: id of a with statement on the path -> variables that hold the context managers which the continuation enters
    again (they count as temporaries).

    Raises CannotResume when the place has none.
    """
    levels = tuple((field, None if managers is None or id(owner) not in managers else tuple(managers[id(owner)]))
                   for owner, field, _ in path)
    key = (id(unit.original.code), place(broken), role, branch, tuple((place(n), name) for n, name in finished),
           tuple(sorted(bound)), tuple(cells), levels)
    known = _sites.get(key)
    if known is None:
        known = _sites[key] = _make(unit, path, broken, role, finished, result, bound, cells, branch, managers or {})
    return known


def _make(unit: Unit, path: Sequence[Level], broken: Any, role: str, finished: Sequence[tuple[ast.AST, str]], result: str,
          bound: Sequence[str], cells: Sequence[str], branch: bool | None,
          managers: Mapping[int, Sequence[str]]) -> ResumeSite:
    owner, field, index = path[-1]
    statement = getattr(owner, field)[index]
    if role == "done":
        rest: list[ast.stmt] = []
    elif role == "raise":
        rest = [ast.copy_location(ast.Raise(ast.copy_location(ast.Name(result, ast.Load()), statement), None), statement)]
    elif branch is not None and isinstance(statement, ast.If):
        rest = list(statement.body if branch else statement.orelse)
    elif branch is not None and isinstance(statement, ast.While):
        if leaves_loop(statement.body):
            raise CannotResume("the graph breaks in the condition of a loop with break or continue")
        rest = [*statement.body, statement] if branch else list(statement.orelse)
    else:
        rest = Rest(broken, result, {id(n): name for n, name in finished}, role).statement(statement)
    body = [copy.deepcopy(s) for s in suffix(path, rest, managers)]
    first = unit.original.params[0] if unit.original.params else None
    body = [_ExplicitSuper(first).visit(_Undeclared().visit(s)) for s in body]
    entered = [name for names in managers.values() for name in names]
    live = live_names(body)
    temporaries = tuple(name for name in [*(name for _, name in finished), *entered] if name in live)
    cell_names = [c for c in cells if c in live or c in stored_names(body)]
    by_value = tuple(n for n in bound if n in live and n not in cells and n not in temporaries and n != result)
    takes_result = result in live
    params = [*temporaries, *by_value, *([result] if takes_result else [])]
    stored = stored_names(body)
    shared = [c for c in cell_names if c in stored]
    scope = names_of(unit.original.node)
    refuse_unbound_cells(body, [c for c in cell_names if c in scope.local], live, bound)
    unbound = sorted((live & scope.local) - set(params) - set(cells) - stored)
    line = getattr(broken, "lineno", unit.first_line)
    head: list[ast.stmt] = [ast.Nonlocal(shared)] if shared else []
    for name in unbound:                                       # stays local, so that reading it raises UnboundLocalError
        head += [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)), ast.Delete([ast.Name(name, ast.Del())])]
    name = f"resume_in_{unit.original.name.strip('<>')}_at_{line}"
    if branch is not None:
        name += "_true" if branch else "_false"
    node = function_node(name, empty_arguments(params), [*(ast.copy_location(h, broken) for h in head), *body], broken)
    declared = scope.declared_global & (live | stored)
    if declared:
        node.body.insert(0, ast.copy_location(ast.Global(sorted(declared)), broken))
    ast.fix_missing_locations(node)
    free = [*cell_names, *(["__class__"] if "__class__" in unit.original.freevars and "__class__" not in cell_names else [])]
    code = code_in_factory(node, free, unit.file, unit.original.qualname)
    made = Unit(name=name, qualname=f"{unit.original.qualname} (after line {line})", kind="resume", node=node,
                params=code.co_varnames[:parameter_count(code)], code=code, freevars=code.co_freevars, file=unit.file,
                first_line=line, class_name=unit.original.class_name, located=unit.located, resume_of=unit.original,
                resume_line=line)
    register(made)
    text = f"# the rest of {unit.original.qualname} after line {line}\n{ast.unparse(node)}\n"
    return ResumeSite(made, temporaries, by_value, takes_result, text)


def refuse_unbound_cells(body: Sequence[ast.stmt], own: Sequence[str], live: set[str], bound: Sequence[str]) -> None:
    """A variable of the function's own that functions made before share is a free variable of the continuation; reading it
    without a value raises another error there. Raises CannotResume where that can happen."""
    deleted = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)}
    deleted |= {n.name for s in body for n in ast.walk(s) if isinstance(n, ast.ExceptHandler) and n.name is not None}
    for name in own:
        if name in deleted or name in live and name not in bound:
            raise CannotResume(f"{name}, a closure variable of functions made before, may have no value later")


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
