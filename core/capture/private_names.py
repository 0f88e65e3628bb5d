"""Private names (`__x` in class C) written out as the compiler means them (`_C__x`), once per function.

Everything after that (evaluation, continuations, routed copies) works outside the class body and needs no mangling.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from copy import deepcopy  # Python's own, whatever the script puts in their places
from typing import Any

from .scopes import mangle


def is_private(name: str | None) -> bool:
    return name is not None and name.startswith("__") and not name.endswith("__")


def mangled(node: Any, class_name: str | None) -> Any:
    """The function with its private names written out; the node itself when it has none. Positions stay."""
    if class_name is None or not any(is_private(name) for part in ast.walk(node) for name in _names(part)):
        return node
    return Mangle(class_name).visit_root(deepcopy(node))


def _names(node: Any) -> Iterable[str | None]:
    for field in ("id", "attr", "arg", "name", "asname", "rest"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            yield value
    if isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names


class Mangle(ast.NodeTransformer):
    """Writes out private names of class `class_name`; bodies of classes defined inside keep theirs, which belong to those.
    `keep`: generated names that are no private names of the script's."""

    def __init__(self, class_name: str | None, keep: Iterable[str] = ()) -> None:
        self.class_name, self.keep = class_name, frozenset(keep)

    def named(self, name: str) -> str:
        return name if name in self.keep else mangle(name, self.class_name)

    def visit_root(self, node: Any) -> Any:
        """The function itself: its own name is no variable of it."""
        self.generic_visit(node)
        return node

    def generic_visit(self, node: Any) -> Any:
        for field in ("id", "attr", "arg", "asname", "rest"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                setattr(node, field, self.named(value))
        return super().generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        return self._own_name(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> Any:
        return self._own_name(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> Any:
        return self._own_name(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return self._own_name(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return self._own_name(node)

    def _own_name(self, node: Any) -> Any:
        if node.name is not None:
            node.name = self.named(node.name)
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        node.name = self.named(node.name)
        node.bases = [self.visit(b) for b in node.bases]
        node.keywords = [self.visit(k) for k in node.keywords]
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        return node

    def visit_alias(self, node: ast.alias) -> Any:
        """The compiler mangles what is imported as well as what it is bound to."""
        node.name = self.named(node.name)
        return self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> Any:
        node.names = [self.named(n) for n in node.names]
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> Any:
        node.names = [self.named(n) for n in node.names]
        return node
