"""The step that a graph breaks at, as Python that does just this step on finished operands."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from copy import copy  # Python's own, whatever the script puts in their places
from typing import Any

from .rest import CannotResume, Rest, load

FRAME_READERS = ("locals", "globals", "vars", "eval", "exec", "dir", "super")


def native(broken: Any, role: str, names: Mapping[int, str], route: str = "__rt.call") -> str:
    """Source text of an expression. Every operand must be in `names`; a call goes through `route`, so that the function
    called is compiled on its own.

    Raises CannotResume for a node that is no single step.
    """
    rest = Rest(ast.Pass(), "", names)
    if isinstance(broken, ast.Call):
        if isinstance(broken.func, ast.Name) and broken.func.id in FRAME_READERS:
            raise CannotResume(f"{broken.func.id}() looks at the frame it is called from")
        call = _operands(rest, broken)
        inside = ast.unparse(ast.Call(ast.Name("f", ast.Load()), [call.func, *call.args], call.keywords))
        return route + inside[1:]
    if isinstance(broken, ast.Compare) and role.startswith("op "):
        at = int(role.split()[1])
        left = broken.comparators[at - 1] if at else broken.left
        right = broken.comparators[at]
        return ast.unparse(ast.Compare(_operand(rest, left), [broken.ops[at]], [_operand(rest, right)]))
    if isinstance(broken, ast.FormattedValue):
        return ast.unparse(ast.JoinedStr([_operands(rest, broken)]))
    if isinstance(broken, ast.expr):
        return ast.unparse(_operands(rest, broken))
    raise CannotResume(f"a {type(broken).__name__.lower()} statement is no single step")


def _operands(rest: Rest, node: Any) -> Any:
    """The node with each child replaced by the name of its value."""
    made = copy(node)
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            setattr(made, field, _operand(rest, value))
        elif isinstance(value, list):
            setattr(made, field, [ast.keyword(v.arg, _operand(rest, v.value)) if isinstance(v, ast.keyword)
                                  else _operand(rest, v) if isinstance(v, ast.expr) else v for v in value])
    return made


def _value(text: str, node: Any) -> Any:
    """A finished operand. What is more than a name is parsed, so that it keeps its parentheses: `(-2) ** x`."""
    return load(text, node) if text.isidentifier() else ast.parse(text, mode="eval").body


def _operand(rest: Rest, node: Any) -> Any:
    if id(node) in rest.names:
        value = _value(rest.names[id(node)], node)
        if isinstance(node, ast.JoinedStr):                     # also the format of a field, which must be a text display
            return ast.JoinedStr([ast.FormattedValue(value, -1, None)])
        return ast.FormattedValue(value, -1, None) if isinstance(node, ast.FormattedValue) else value
    if isinstance(node, ast.Constant):
        return node
    if isinstance(node, ast.Starred):
        return ast.Starred(_operand(rest, node.value), ast.Load())
    if isinstance(node, ast.Slice):
        return ast.Slice(*(None if part is None else _operand(rest, part) for part in (node.lower, node.upper, node.step)))
    raise CannotResume(f"the operand {ast.unparse(node)!r} is not at hand")
