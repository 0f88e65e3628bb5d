"""The rest of a function after a statement: following statements, level by level outwards, each level wrapped as it must be.

    level                        wrapper
    if, match                    none: the path taken is known
    try body                     the same handlers, else and finally
    try else                     the same finally
    except clause                the exception is being handled (nodes.Again, nodes.Settle); the same finally
    finally block                what waits for its end: nothing, an exception, a return, a break or continue
    with block                   `with` over managers that are entered already
    loop body                    the passes that are left
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .nodes import CannotResume, Once, Passes, Unbind, again, load, rest_of_pass, settle, store


@dataclass(frozen=True, slots=True)
class Managers:
    """Variables that hold the context managers entered at a with statement, outermost first."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Handling:
    """An except clause of statement `owner`: the variable that holds the exception."""

    owner: ast.Try
    name: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a finally block is followed by: "raise" or "return" of a variable, "break", "continue"."""

    kind: str
    name: str = ""

    def statement(self, like: ast.AST) -> ast.stmt:
        if self.kind == "raise":
            return again(self.name, like)
        made: ast.stmt = ast.Return(load(self.name, like)) if self.kind == "return" else \
            ast.Break() if self.kind == "break" else ast.Continue()
        return ast.copy_location(made, like)


Around = Managers | Handling | Waiting | None


@dataclass(frozen=True, slots=True)
class Level:
    """Statement `index` of the list `field` of `owner`; `around` is what entering this level again takes."""

    owner: Any
    field: str
    index: int
    around: Around = None


def suffix(path: Sequence[Level], rest: list[ast.stmt]) -> list[ast.stmt]:
    """`rest` (of the statement that `path` ends at) followed by everything the function would still run."""
    body = list(rest)
    for level in reversed(path):
        if level.field not in ("items", "handlers", "cases"):              # of which one is under way
            body += getattr(level.owner, level.field)[level.index + 1:]
        body = wrap(level, body)
    return body


def wrap(level: Level, body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of one level, made whole."""
    owner, field, around = level.owner, level.field, level.around
    if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef | ast.If | ast.match_case | ast.Match) or \
            field == "orelse" and isinstance(owner, ast.For | ast.While):
        return body
    if isinstance(owner, ast.With) and isinstance(around, Managers):
        return entered(around.names, body, owner)
    if isinstance(owner, Once) and field == "body":
        return rest_of_pass(body, owner.orelse[0])
    if isinstance(owner, Passes | ast.While) and field == "body":
        return rest_of_pass(body, owner)
    if isinstance(owner, ast.ExceptHandler) and isinstance(around, Handling):
        return [handler(owner, around, body)]
    if isinstance(owner, ast.Try) and field == "finalbody":
        if not isinstance(around, Waiting):
            return body                                    # entered by the normal way: nothing waits for its end
        first = [settle(around.name, owner)] if around.kind == "raise" else []
        return [try_([around.statement(owner)], [], [], [*first, *body] or [ast.Pass()], owner)]
    if isinstance(owner, ast.Try) and field == "body":
        return [try_(body, owner.handlers, owner.orelse, owner.finalbody, owner)]
    if isinstance(owner, ast.Try) and field in ("orelse", "handlers"):
        return [try_(body, [], [], owner.finalbody, owner)] if owner.finalbody else body
    raise CannotResume(f"the graph breaks inside {describe(owner, field)}")


def try_(body: list[ast.stmt], handlers: list[ast.ExceptHandler], orelse: list[ast.stmt], final: list[ast.stmt],
         like: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Try(body or [ast.copy_location(ast.Pass(), like)], handlers, orelse, final), like)


def entered(names: Sequence[str], body: list[ast.stmt], like: ast.AST) -> list[ast.stmt]:
    """The body of a with statement whose managers are entered already."""
    if not names:
        return body
    items = [ast.withitem(load(n, like), None) for n in names]
    return [ast.copy_location(ast.With(items, body or [ast.copy_location(ast.Pass(), like)]), like)]


def handler(clause: ast.ExceptHandler, around: Handling, body: list[ast.stmt]) -> ast.stmt:
    """The rest of an except clause, which unbinds its variable at the end."""
    inner = list(body)
    if clause.name is not None:
        unbind: list[ast.stmt] = [
            ast.copy_location(ast.Assign([store(clause.name, clause)], ast.copy_location(ast.Constant(None), clause)), clause),
            ast.copy_location(Unbind([ast.copy_location(ast.Name(clause.name, ast.Del()), clause)]), clause)]
        inner = [try_(inner, [], [], unbind, clause)]
    caught = ast.copy_location(ast.ExceptHandler(None, None, [settle(around.name, clause), *inner]), clause)
    return try_([again(around.name, clause)], [caught], [], around.owner.finalbody, around.owner)


def describe(owner: Any, field: str) -> str:
    """The level in words."""
    words = {ast.For: "a for loop", ast.While: "a while loop", ast.With: "a with block", ast.ExceptHandler: "an except clause"}
    if isinstance(owner, ast.Try):
        return "a finally block" if field == "finalbody" else "a try block"
    return words.get(type(owner), f"a {type(owner).__name__.lower()}")
