"""Operators that may refuse the elements they are given (an index out of range, integers divided by zero) inside a `try`.

Where a graph raises, the unit runs again as plain Python (entry.run_graph), which is only right as long as the graph has
written into no tensor of the caller's. So where a handler of the script's could see the difference, a graph has one or the
other: writes to the caller's tensors, or operators that may refuse.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..graph.node import Node, walk_nodes
from ..ops.op import Pointwise, Reduction, Template, View
from .closing import root_of
from .signals import Break

DIVISIONS = ("floordiv(", "remainder(", "truncdiv(", "fmod(")             # intrinsics that raise for integers divided by 0
NEVER = frozenset({"matmul", "scan", "convolution", "pool", "attention", "sort"})      # templates that take all elements
ALWAYS = ("linalg", "matrix_functions", "random", "statistics")           # modules of operators that examine their elements


def keep_apart(ev: Any, since: int) -> None:
    """Break before an operator (the nodes from number `since` on) that must not be in one graph with earlier ones. A write
    comes too late as well, wherever it is, once an operator in a `try` may refuse."""
    if ev.context.fullgraph:
        return
    new = ev.graph.nodes[since:]
    writes, refusing = any(map(writes_input, new)), next(filter(may_refuse, new), None)
    if refusing is not None and ev.handlers:
        ev.refusing = refusing
    elif not writes:
        return
    if ev.refusing is not None and (writes or any(map(writes_input, ev.graph.nodes[:since]))):
        raise Break("refusal", what=ev.refusing.op.name.rstrip("_"))


@contextlib.contextmanager
def handled(ev: Any, is_so: bool = True) -> Iterator[None]:
    """What runs in here may raise into code of the script's: a handler, a `finally`, an `__exit__`."""
    ev.handlers += is_so
    try:
        yield
    finally:
        ev.handlers -= is_so


def writes_input(node: Node) -> bool:
    """Whether it changes a tensor that exists outside the graph."""
    return node.op is not None and any(root_of(target).kind == "input" for index in node.op.mutates
                                       for target in walk_nodes(node.args[index]))


def may_refuse(node: Node) -> bool:
    """Whether it depends on elements that the operator raises."""
    op = node.op
    if op is None or isinstance(op.lower, View | Reduction):
        return False
    operands = list(walk_nodes(node.args))
    if isinstance(op.lower, Pointwise):
        divides = any(word in op.lower.expr for word in DIVISIONS)
        divisor = node.args[1] if divides and len(node.args) > 1 else None
        return divides and all(is_whole(n) for n in operands) and (isinstance(divisor, Node) or divisor == 0)
    if isinstance(op.lower, Template) and op.lower.name in NEVER:
        return False
    return any(map(is_whole, operands)) or getattr(op.eager, "__module__", "").rpartition(".")[2] in ALWAYS


def is_whole(node: Node) -> bool:
    """Integers or booleans: what indices, classes and masks are made of."""
    dtype = getattr(node.spec, "dtype", None)
    return dtype is not None and dtype.category < 2
