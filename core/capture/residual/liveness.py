"""Which names a piece of code may read before it stores them: only those travel into a continuation.

Conservative: a name that is read on some path counts. Passing a dead name would be harmless to results but would guard it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ..scopes import free_names, parameters

Names = set[str]


def live_names(body: Iterable[ast.stmt]) -> Names:
    """Names that `body` may read before storing them."""
    live: Names = set()
    _block(body, set(), live)
    return live


def stored_names(body: Iterable[ast.stmt]) -> Names:
    """Names that `body` itself (not functions inside it) stores or deletes."""
    from ..scopes import names_of

    holder = ast.FunctionDef("holder", ast.arguments([], [], None, [], [], None, []), list(body), [], None)
    names = names_of(holder)
    return set(names.local)


def _block(body: Iterable[ast.stmt], assigned: Names, live: Names) -> Names:
    """Walk statements in order; returns the names surely stored at the end."""
    for statement in body:
        assigned = _statement(statement, assigned, live)
    return assigned


def _statement(s: ast.stmt, assigned: Names, live: Names) -> Names:
    if isinstance(s, ast.If):
        _expr(s.test, assigned, live)
        return _block(s.body, set(assigned), live) & _block(s.orelse, set(assigned), live)
    if isinstance(s, ast.For | ast.AsyncFor):
        _expr(s.iter, assigned, live)
        inner = set(assigned)
        _target(s.target, inner, live)
        _block(s.body, inner, live)
        _block(s.orelse, set(assigned), live)
        return assigned
    if isinstance(s, ast.While):
        _expr(s.test, assigned, live)
        _block(s.body, set(assigned), live)
        _block(s.orelse, set(assigned), live)
        return assigned
    if isinstance(s, ast.With | ast.AsyncWith):
        inner = set(assigned)
        for item in s.items:
            _expr(item.context_expr, inner, live)
            if item.optional_vars is not None:
                _target(item.optional_vars, inner, live)
        _block(s.body, set(inner), live)
        return assigned
    if isinstance(s, ast.Try) or type(s).__name__ == "TryStar":
        _block(s.body, set(assigned), live)  # type: ignore[attr-defined]
        for handler in s.handlers:  # type: ignore[attr-defined]
            if handler.type is not None:
                _expr(handler.type, set(assigned), live)
            _block(handler.body, assigned | ({handler.name} if handler.name else set()), live)
        _block(s.orelse, set(assigned), live)  # type: ignore[attr-defined]
        return assigned | _block(s.finalbody, set(assigned), live)  # type: ignore[attr-defined]
    if isinstance(s, ast.Match):
        _expr(s.subject, assigned, live)
        for case in s.cases:
            inner = set(assigned)
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.expr):
                    _expr(part, inner, live)
            inner |= {n.name for n in ast.walk(case.pattern) if isinstance(n, ast.MatchAs | ast.MatchStar) and n.name}
            if case.guard is not None:
                _expr(case.guard, inner, live)
            _block(case.body, inner, live)
        return assigned
    if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        _definition(s, assigned, live)
        return assigned | {s.name}
    if isinstance(s, ast.Assign):
        _expr(s.value, assigned, live)
        assigned = set(assigned)
        for target in s.targets:
            _target(target, assigned, live)
        return assigned
    if isinstance(s, ast.AugAssign):
        if isinstance(s.target, ast.Name) and s.target.id not in assigned:
            live.add(s.target.id)
        _expr(s.target, assigned, live)
        _expr(s.value, assigned, live)
        return assigned | ({s.target.id} if isinstance(s.target, ast.Name) else set())
    if isinstance(s, ast.AnnAssign):
        if s.value is not None:
            _expr(s.value, assigned, live)
            assigned = set(assigned)
            _target(s.target, assigned, live)
        elif not isinstance(s.target, ast.Name):
            _expr(s.target, assigned, live)
        return assigned
    if isinstance(s, ast.Assert):
        assigned = set(assigned)
        _expr(s.test, assigned, live)
        if s.msg is not None:
            _expr(s.msg, set(assigned), live)
        return assigned
    if isinstance(s, ast.Delete):
        for target in s.targets:
            if isinstance(target, ast.Name) and target.id not in assigned:
                live.add(target.id)
            _expr(target, assigned, live)
        return assigned
    if isinstance(s, ast.Import | ast.ImportFrom):
        return assigned | {(a.asname or a.name.split(".")[0]) for a in s.names}
    assigned = set(assigned)
    for child in ast.iter_child_nodes(s):
        _expr(child, assigned, live)
    return assigned


def _definition(node: Any, assigned: Names, live: Names) -> None:
    annotated = [n for n in ast.walk(node.args) if isinstance(n, ast.arg)] if hasattr(node, "args") else []
    annotations = [*(a.annotation for a in annotated), getattr(node, "returns", None)]
    for part in [*getattr(node, "decorator_list", []), *getattr(node, "bases", []), *getattr(node, "keywords", []),
                 *(a for a in annotations if a is not None)]:
        _expr(part, assigned, live)
    if isinstance(node, ast.ClassDef):
        for statement in node.body:
            for name in ast.walk(statement):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load):
                    live |= {name.id} - assigned
                elif isinstance(name, ast.Nonlocal):
                    live |= set(name.names) - assigned
        return
    for default in [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]:
        _expr(default, assigned, live)
    live |= free_names(node) - assigned - set(parameters(node.args))


def _expr(node: ast.AST, assigned: Names, live: Names) -> None:
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in assigned:
            live.add(node.id)
        return
    if isinstance(node, ast.NamedExpr):
        _expr(node.value, assigned, live)
        assigned.add(node.target.id)
        return
    if isinstance(node, ast.Lambda):
        _definition(node, assigned, live)
        return
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        own = {n.id for clause in node.generators for n in ast.walk(clause.target) if isinstance(n, ast.Name)}
        for name in ast.walk(node):
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load) and name.id not in assigned | own:
                live.add(name.id)
        _expr(node.generators[0].iter, assigned, live)
        return
    if isinstance(node, ast.IfExp):                             # only one side is evaluated
        _expr(node.test, assigned, live)
        _expr(node.body, set(assigned), live)
        _expr(node.orelse, set(assigned), live)
        return
    if isinstance(node, ast.BoolOp):                            # what a walrus after the first operand stores may not happen
        _expr(node.values[0], assigned, live)
        inner = set(assigned)
        for value in node.values[1:]:
            _expr(value, inner, live)
        return
    if isinstance(node, ast.Compare):                           # nor one after the first link of a chain
        _expr(node.left, assigned, live)
        _expr(node.comparators[0], assigned, live)
        inner = set(assigned)
        for link in node.comparators[1:]:
            _expr(link, inner, live)
        return
    for child in ast.iter_child_nodes(node):
        _expr(child, assigned, live)


def _target(node: ast.AST, assigned: Names, live: Names) -> None:
    if isinstance(node, ast.Name):
        assigned.add(node.id)
    elif isinstance(node, ast.Tuple | ast.List):
        for element in node.elts:
            _target(element, assigned, live)
    elif isinstance(node, ast.Starred):
        _target(node.value, assigned, live)
    else:
        _expr(node, assigned, live)
