"""The rest of a function after a statement: following statements, level by level outwards, each level wrapped as it must be.

A branch of `if` or `match` needs no wrapper, because the path taken is known. The body of a `try` keeps its handlers. A
level that a continuation cannot enter in the middle (a loop, a with block, a handler) raises CannotResume.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from .rest import CannotResume

Level = tuple[ast.AST, str, int]       # the owner of a block, the name of its list of statements, the index in it


def suffix(path: Sequence[Level], rest: list[ast.stmt],
           managers: Mapping[int, Sequence[str]] | None = None) -> list[ast.stmt]:
    """`rest` (of the statement that `path` ends at) followed by everything the function would still run. `managers`: for
    a with statement (by id), variables that hold context managers to enter again; for a try statement whose finally block
    was reached by the normal way, nothing."""
    body = list(rest)
    for depth in range(len(path) - 1, -1, -1):
        owner, field, index = path[depth]
        body += getattr(owner, field)[index + 1:]
        body = wrap(owner, field, body, (managers or {}).get(id(owner)))
    return body


def wrap(owner: Any, field: str, body: list[ast.stmt], managers: Sequence[str] | None = None) -> list[ast.stmt]:
    if isinstance(owner, ast.With) and field == "body" and managers is not None:
        items = [ast.withitem(ast.copy_location(ast.Name(n, ast.Load()), owner), None) for n in managers]
        return [ast.copy_location(ast.With(items, body or [ast.Pass()]), owner)]
    if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef | ast.If | ast.match_case):
        return body
    if isinstance(owner, ast.Try) and field == "finalbody" and managers is not None:
        return body                                            # entered by the normal way: nothing waits for its end
    if isinstance(owner, ast.Try) and field == "body":
        return [ast.copy_location(ast.Try(body or [ast.Pass()], owner.handlers, owner.orelse, owner.finalbody), owner)]
    if isinstance(owner, ast.Try) and field == "orelse":
        if not owner.finalbody:
            return body
        return [ast.copy_location(ast.Try(body or [ast.Pass()], [], [], owner.finalbody), owner)]
    raise CannotResume(f"the graph breaks inside {describe(owner, field)}")


def describe(owner: Any, field: str) -> str:
    """The level in words."""
    words = {ast.For: "a for loop", ast.While: "a while loop", ast.With: "a with block", ast.ExceptHandler: "an except clause"}
    if isinstance(owner, ast.Try):
        return "a finally block" if field == "finalbody" else "a try block"
    return words.get(type(owner), f"a {type(owner).__name__.lower()}")
