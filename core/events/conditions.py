"""Conditions on sizes and numbers, as sessions hold them ("x.shape[0] >= 2"), evaluated for given values.

The text comes from a file, so it is never handed to `eval`: it is parsed, and only arithmetic, comparisons and a few
functions are carried out, on numbers of bounded size.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

Lookup = Callable[[str], Any]
BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge}
FUNCTIONS: dict[str, Callable[..., Any]] = {"max": max, "min": min, "abs": abs, "int": int, "float": float, "round": round,
                                            "bool": bool}
MATH = ("sqrt", "floor", "ceil", "trunc", "log", "log2", "log10", "exp", "sin", "cos", "tan", "tanh", "sinh", "cosh", "asin",
        "acos", "atan", "atan2", "isqrt", "fabs", "copysign", "isnan", "isinf", "isfinite", "hypot", "fmod", "gcd")
BITS = 4096                  # a number with more bits is not computed
LONGEST = 20_000


class NotKnown(Exception):
    """A value that the condition needs is not known, or the condition is not of this kind. `place`: what is missing."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


@lru_cache(10_000)
def normal(place: str) -> str:
    """One spelling of a place (quotes, spaces)."""
    try:
        return ast.unparse(ast.parse(place.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return place.strip()


def evaluate(text: str, lookup: Lookup) -> tuple[bool, dict[str, Any]]:
    """(whether the condition holds, the values by place it was asked about). `lookup(place)` gives a number or raises
    KeyError. NotKnown when that is not enough; an arithmetic error counts as not holding."""
    used: dict[str, Any] = {}
    tree = _parsed(text)
    try:
        return bool(_value(tree, lookup, used)), used
    except (ArithmeticError, ValueError):
        return False, used
    except (TypeError, RecursionError):
        raise NotKnown(text[:60]) from None


@lru_cache(10_000)
def _parsed(text: str) -> ast.expr:
    """A condition as a tree; NotKnown if it is none."""
    try:
        if len(text) > LONGEST:
            raise NotKnown(text[:40])
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotKnown(text[:60]) from None


def _value(node: ast.expr, lookup: Lookup, used: dict[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        if type(node.value) in (int, float, bool, str):
            return node.value
        raise NotKnown(ast.unparse(node))
    if isinstance(node, ast.BoolOp):
        values = (_value(v, lookup, used) for v in node.values)
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.Compare):
        left = _value(node.left, lookup, used)
        for op, right_node in zip(node.ops, node.comparators):
            right = _value(right_node, lookup, used)
            if type(op) not in COMPARE:
                raise NotKnown(ast.unparse(node))
            if not COMPARE[type(op)](left, right):
                return False
            left = right
        return True
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, lookup, used)
        if isinstance(node.op, ast.Not):
            return not value
        return -value if isinstance(node.op, ast.USub) else +value if isinstance(node.op, ast.UAdd) else ~value
    if isinstance(node, ast.BinOp):
        return _binary(node, lookup, used)
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, lookup, used) else node.orelse, lookup, used)
    if isinstance(node, ast.Call) and not node.keywords:
        function = _function(node.func)
        if function is not None:
            return function(*[_value(a, lookup, used) for a in node.args])
    place = ast.unparse(node)
    try:
        used[place] = lookup(place)
    except KeyError:
        raise NotKnown(place) from None
    return used[place]


def _function(node: ast.expr) -> Callable[..., Any] | None:
    if isinstance(node, ast.Name):
        return FUNCTIONS.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "math" and node.attr in MATH:
        return getattr(math, node.attr)
    return None


def _binary(node: ast.BinOp, lookup: Lookup, used: dict[str, Any]) -> Any:
    left, right = _value(node.left, lookup, used), _value(node.right, lookup, used)
    if type(left) not in (int, float, bool) or type(right) not in (int, float, bool):
        raise NotKnown(ast.unparse(node))
    if isinstance(node.op, ast.Pow):
        if isinstance(left, int) and isinstance(right, int) and left.bit_length() * abs(right) > BITS:
            raise NotKnown(ast.unparse(node))
        return left ** right
    if type(node.op) not in BINARY:
        raise NotKnown(ast.unparse(node))
    value = BINARY[type(node.op)](left, right)
    if isinstance(value, int) and value.bit_length() > BITS:
        raise NotKnown(ast.unparse(node))
    return value
