"""Evaluates a Pointwise expression on NumPy arrays: what the text means, independent of an operator's `eager` form.

Grammar: parameter names, int, float and bool literals, `+ - * /`, `& | ^ ~`, comparisons, unary minus, and calls of
the intrinsics. Literals take the dtype of the other operand. `+` and `*` on bool mean or and and.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from .intrinsics import INTRINSICS

_ALLOWED = (ast.Expression, ast.Name, ast.Load, ast.Constant, ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Add,
            ast.Sub, ast.Mult, ast.Div, ast.BitAnd, ast.BitOr, ast.BitXor, ast.Invert, ast.USub, ast.Lt, ast.LtE,
            ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


@functools.cache
def parse_expr(text: str) -> ast.Expression:
    """The syntax tree of a Pointwise expression. ValueError names what is not in the grammar."""
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise ValueError(f"{type(node).__name__} is not allowed in the expression {text!r}")
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id not in INTRINSICS:
                raise ValueError(f"{ast.unparse(node.func)} is not an intrinsic (in {text!r})")
            if len(node.args) != INTRINSICS[node.func.id][0] or node.keywords:
                raise ValueError(f"{node.func.id} takes {INTRINSICS[node.func.id][0]} arguments (in {text!r})")
        if isinstance(node, ast.Compare) and len(node.ops) != 1:
            raise ValueError(f"chained comparisons are not allowed (in {text!r})")
    return tree


@functools.cache
def names_in(text: str) -> frozenset[str]:
    """The parameter names an expression reads."""
    tree = parse_expr(text)
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    return frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in called)


_BINARY = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
           ast.Div: lambda a, b: a / b, ast.BitAnd: lambda a, b: a & b, ast.BitOr: lambda a, b: a | b,
           ast.BitXor: lambda a, b: a ^ b}
_COMPARE = {ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Eq: np.equal,
            ast.NotEq: np.not_equal}


def evaluate_expr(text: str, values: Mapping[str, Any]) -> Any:
    """The value of the expression; `values` maps parameter names to arrays already in the compute dtype."""

    def run(node: ast.AST) -> Any:
        if isinstance(node, ast.Name):
            return np.asarray(values[node.id])
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            args = [run(a) for a in node.args]
            arrays = [a for a in args if not isinstance(a, (bool, int, float))]
            d = np.result_type(*arrays) if arrays else np.dtype(float)
            if node.func.id == "where":
                sides = [a for a in args[1:] if not isinstance(a, (bool, int, float))]
                d = sides[0].dtype if sides else d
            args = [np.asarray(a, d) if isinstance(a, (bool, int, float)) else a for a in args]
            return INTRINSICS[node.func.id][1](*args)
        if isinstance(node, ast.BinOp):
            return _BINARY[type(node.op)](run(node.left), run(node.right))
        if isinstance(node, ast.UnaryOp):
            value = run(node.operand)
            return -value if isinstance(node.op, ast.USub) else ~value
        assert isinstance(node, ast.Compare)
        return _COMPARE[type(node.ops[0])](run(node.left), run(node.comparators[0]))

    with np.errstate(all="ignore"):
        return run(parse_expr(text).body)
