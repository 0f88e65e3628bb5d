"""Statements that only continuations contain: plain Python to read and to run, known to the evaluator by their class.

    for __once in (None,):          Once: the rest of one pass of a loop ...
        rest of the pass
    else:
        for x in __it:              Passes: ... and the passes that are left, of an iterator under way
            body

    try:
        __error.again()             Again: an exception that was raised before is raised ...
    except:
        __error.settle()            Settle: ... and being handled, as before
        rest of the handler
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any


class CannotResume(Exception):
    """No continuation can be made for a break at this place; the whole frame has to run natively."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def load(name: str, like: ast.AST) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Load()), like)


def store(name: str, like: ast.AST) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Store()), like)


def contains(tree: Any, node: ast.AST) -> bool:
    if tree is None:
        return False
    if isinstance(tree, list):
        return any(contains(t, node) for t in tree)
    return any(n is node for n in ast.walk(tree))


def leaves_loop(body: Sequence[ast.AST]) -> bool:
    """Whether a `break` or `continue` in these statements belongs to the loop around them."""
    for s in body:
        if isinstance(s, ast.Break | ast.Continue):
            return True
        if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            continue
        fields = ("orelse",) if isinstance(s, ast.For | ast.AsyncFor | ast.While) else \
            ("body", "orelse", "finalbody", "handlers", "cases")
        if any(leaves_loop(getattr(s, field, ())) for field in fields):
            return True
    return False


class Once(ast.For):
    """One pass: `continue` ends it, `break` leaves the loop that follows in `orelse` as well."""


class Passes(ast.For):
    """The passes that are left of a `for` loop; `iter` is the name of the iterator."""


class Again(ast.Expr):
    """Raises a stored exception."""


class Settle(ast.Expr):
    """First in a handler: raising again changed neither the exception's context nor its traceback."""


class Unbind(ast.Delete):
    """At the end of an except clause: the variable has a value, so that this never fails."""


for _made, _base in ((Unbind, ast.Delete), (Once, ast.For), (Passes, ast.For), (Again, ast.Expr), (Settle, ast.Expr)):
    _made.__name__ = _base.__name__            # by which ast.unparse and node visitors find how to treat it


def iterator_name(loop: ast.stmt, taken: Sequence[str] = ()) -> str:
    """The variable that holds a loop's iterator: one per place in the script (a comprehension has several on a line)."""
    return reserved(f"__it{loop.lineno}_{loop.col_offset}", taken)


def manager_name(item: ast.withitem) -> str:
    """The variable that holds an entered context manager: one per place in the script."""
    place = item.context_expr
    return place.id if is_entered(item) else f"__with{place.lineno}_{place.col_offset}"      # type: ignore[attr-defined]


def is_entered(item: ast.withitem) -> bool:
    """Whether a continuation's `with` names a manager that was entered before: entering it again would be no step ahead."""
    place = item.context_expr
    return isinstance(place, ast.Name) and place.id.startswith("__with")


def reserved(name: str, taken: Sequence[str]) -> str:
    """`name`, or a longer one where the script uses it."""
    while name in taken:
        name += "_"
    return name


def passes(loop: ast.For, iterator: str) -> Passes:
    """The loop over an iterator that is under way."""
    return ast.copy_location(Passes(loop.target, load(iterator, loop.iter), loop.body, loop.orelse), loop)


def rest_of_pass(rest: list[ast.stmt], loop: ast.stmt) -> list[ast.stmt]:
    """What is left of one pass, then the loop."""
    if not leaves_loop(rest):
        return [*rest, loop]
    nothing = ast.copy_location(ast.Tuple([ast.copy_location(ast.Constant(None), loop)], ast.Load()), loop)
    return [ast.copy_location(Once(store("__once", loop), nothing, rest or [ast.Pass()], [loop]), loop)]


def method(kind: type[ast.Expr], name: str, what: str, like: ast.AST) -> ast.Expr:
    """`name.what()` as a statement of class `kind`."""
    function = ast.copy_location(ast.Attribute(load(name, like), what, ast.Load()), like)
    return ast.copy_location(kind(ast.copy_location(ast.Call(function, [], []), like)), like)


def again(name: str, like: ast.AST) -> ast.Expr:
    return method(Again, name, "again", like)


def settle(name: str, like: ast.AST) -> ast.Expr:
    return method(Settle, name, "settle", like)


def stored_exception(statement: ast.Expr) -> str:
    """The variable of an Again or Settle."""
    return str(statement.value.func.value.id)  # type: ignore[attr-defined]
