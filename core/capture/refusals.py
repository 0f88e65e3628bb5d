"""Operators that may refuse the elements they are given: an index out of range, integers divided by zero, a matrix without an
inverse. Everything else that an operator refuses (dtypes, sizes) is found while tracing."""

from __future__ import annotations

from ..graph.node import Node, walk_nodes
from ..ops.op import Op, Pointwise, Reduction, Template, View

DIVISIONS = ("floordiv(", "remainder(", "truncdiv(", "fmod(")             # intrinsics that raise for integers divided by 0
NEVER = frozenset({"matmul", "scan", "convolution", "pool", "attention", "sort"})      # templates that take all elements
ALWAYS = ("linalg", "matrix_functions", "statistics")                     # modules of operators that examine their elements


def may_refuse(node: Node) -> bool:
    """Whether it depends on elements that the operator raises."""
    op = node.op
    if op is None or isinstance(op.lower, View | Reduction):
        return False
    operands = list(walk_nodes(node.args))
    if op.random:                                      # probabilities; what sizes and numbers allow is known while tracing
        return bool(operands) and not op.mutates and op.name != "dropout"
    if isinstance(op.lower, Pointwise):
        divides = any(word in op.lower.expr for word in DIVISIONS)
        divisor = node.args[1] if divides and len(node.args) > 1 else None
        return divides and all(is_whole(n) for n in operands) and (isinstance(divisor, Node) or divisor == 0)
    if isinstance(op.lower, Template) and op.lower.name in NEVER:
        return False
    return any(map(is_whole, operands)) or examines_all(op)


def examines_all(op: Op) -> bool:
    """Whether elements of any dtype may be refused."""
    return getattr(op.eager, "__module__", "").rpartition(".")[2] in ALWAYS


def is_whole(node: Node) -> bool:
    """Integers or booleans: what indices, classes and masks are made of."""
    dtype = getattr(node.spec, "dtype", None)
    return dtype is not None and dtype.category < 2
