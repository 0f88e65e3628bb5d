"""Numbers that a script fetches from somewhere (`self.calls`, a global): another version of the same function has another
one in their place. They become arguments of kernels, so that all versions share one text, and one build.

What stands in the script's own line stays in the kernel's text, which then reads like the line; so do 0 and 1, what an
operator takes by default, what the definition of a composite holds, and numbers that kernels compute better with when they
are known: exponents that are products or roots, divisors of integers.
"""

from __future__ import annotations

import ast
import linecache
import math
import re
from typing import Any

from ..graph.node import Node, Span
from ..ops.evaluate_expr import parse_expr
from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype

NUMBER = re.compile(r"(?<![\w.])(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
DIVISION = "input / other"               # multiplying by the inverse takes its place for powers of two
KNOWN_BETTER = frozenset(("floordiv", "remainder", "truncdiv", "fmod"))
EXPONENTS = frozenset((2, 3, 0.5, -0.5))


class Given:
    """Tells which numbers are arguments. `origin`: id of a node -> the node of the captured graph that it comes from."""

    def __init__(self, origin: dict[int, Node]) -> None:
        self.origin = origin
        self.written: dict[Span, set[float]] = {}

    def __call__(self, node: Node, value: Any, expr: str, compute: dtype) -> bool:
        """Whether `value`, a number among the operands of `node`, which computes `expr`, is one."""
        source = self.origin.get(id(node))
        if type(value) not in (int, float) or abs(value) in (0, 1) or compute.category == 0 or compute is dt.float16 \
                or source is None or source.op is None or source.span is None:
            return False
        if not abs(value) < 3e38 or not _holds(source.args, value) or any(p.default == value for p in source.op.params):
            return False
        return _is_plain(expr, value) and abs(value) not in self._written(source.span)

    def _written(self, span: Span) -> set[float]:
        """The numbers in the lines of a piece of source."""
        if span not in self.written:
            lines = [linecache.getline(span.file, k) for k in range(span.line, max(span.end_line, span.line) + 1)]
            self.written[span] = {float(x.replace("_", "")) for line in lines for x in NUMBER.findall(line)}
        return self.written[span]


def _holds(value: Any, number: float) -> bool:
    if isinstance(value, tuple | list):
        return any(_holds(v, number) for v in value)
    return type(value) in (int, float) and value == number


def is_power_of_two(value: float) -> bool:
    """Whether multiplying by the inverse is the same as dividing by it."""
    return abs(math.frexp(value)[0]) == 0.5 and 2.0 ** -120 < abs(value) < 2.0 ** 120


def _is_plain(expr: str, value: float) -> bool:
    """Whether a kernel computes with an unknown `value` as fast as with a known one."""
    for n in ast.walk(parse_expr(expr)):
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) and is_power_of_two(value) and expr != DIVISION:
            return False
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and (
                n.func.id in KNOWN_BETTER or (n.func.id == "pow" and value in EXPONENTS)):
            return False
    return True
