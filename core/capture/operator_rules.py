"""The functions of the operator module, by the operator they stand for."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from .comparing import compare, contains
from .operators import binary, inplace, unary
from .subscripts import delete_item, get_item, set_item
from .truth import truth
from .values import NONE, Const, Value

Rule = Callable[[Any, list[Value], dict[str, Value]], Value]


def from_operator(op: type, change: bool = False) -> Rule:
    def rule(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
        return inplace(ev, op, args[0], args[1]) if change else binary(ev, op, args[0], args[1])

    return rule


def from_compare(op: type) -> Rule:
    return lambda ev, args, kwargs: compare(ev, op, args[0], args[1])


def from_unary(op: type) -> Rule:
    return lambda ev, args, kwargs: unary(ev, op, args[0])


def o_setitem(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    set_item(ev, *args)
    return NONE


def o_delitem(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    delete_item(ev, *args)
    return NONE

OPERATOR_RULES: dict[Any, Rule] = {
    operator.add: from_operator(ast.Add), operator.sub: from_operator(ast.Sub), operator.mul: from_operator(ast.Mult),
    operator.truediv: from_operator(ast.Div), operator.floordiv: from_operator(ast.FloorDiv),
    operator.mod: from_operator(ast.Mod), operator.pow: from_operator(ast.Pow), operator.matmul: from_operator(ast.MatMult),
    operator.and_: from_operator(ast.BitAnd), operator.or_: from_operator(ast.BitOr), operator.xor: from_operator(ast.BitXor),
    operator.lshift: from_operator(ast.LShift), operator.rshift: from_operator(ast.RShift),
    operator.iadd: from_operator(ast.Add, True), operator.isub: from_operator(ast.Sub, True),
    operator.imul: from_operator(ast.Mult, True), operator.itruediv: from_operator(ast.Div, True),
    operator.lt: from_compare(ast.Lt), operator.le: from_compare(ast.LtE), operator.gt: from_compare(ast.Gt),
    operator.ge: from_compare(ast.GtE), operator.eq: from_compare(ast.Eq), operator.ne: from_compare(ast.NotEq),
    operator.is_: from_compare(ast.Is), operator.is_not: from_compare(ast.IsNot),
    operator.neg: from_unary(ast.USub), operator.pos: from_unary(ast.UAdd), operator.invert: from_unary(ast.Invert),
    operator.not_: from_unary(ast.Not), operator.getitem: lambda ev, args, kwargs: get_item(ev, *args),
    operator.contains: lambda ev, args, kwargs: Const(contains(ev, *args)),
    operator.truth: lambda ev, args, kwargs: Const(truth(ev, args[0])), operator.setitem: o_setitem,
    operator.delitem: o_delitem,
}
