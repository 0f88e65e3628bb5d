"""Text of a launch function: names, and lines at three levels.

ONCE: known when sizes and device are (memory of values in between, kernel arguments that never change); HELD: follows
from the memory of parameters, which are the same call after call; EACH: new in every call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.node import Graph, Node
from ..symbolic.expr import Expr
from ..tensor.dtypes import dtype
from .build_loops import identifier
from .lower import is_scalar_node
from .sizes import Size, shape_of, strides_of

ONCE, HELD, EACH = 0, 1, 2


def symbols_of(n: Any) -> set[str]:
    """Names of the symbols in a size, a symbolic scalar, or a structure of them."""
    if isinstance(n, Expr):
        return {n.args[0]} if n.op == "sym" else set().union(*[symbols_of(a) for a in n.args])
    if hasattr(n, "expr") and hasattr(n, "env"):
        return symbols_of(n.expr)
    if isinstance(n, tuple | list):
        return set().union(*map(symbols_of, n)) if n else set()
    if isinstance(n, slice):
        return symbols_of((n.start, n.stop, n.step))
    return set()


class Text:
    """Names are unique over the whole text."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.globals: dict[str, Any] = {"np": np, "empty": np.empty}
        self.names: set[str] = set()
        self.lines: tuple[list[str], list[str], list[str]] = ([], [], [])
        self.symbols: dict[str, str] = {}        # symbol -> variable
        self.level: dict[str, int] = {}          # variable -> level
        self.key: list[str] = []                 # symbols that a frame is made for
        self.tensors: dict[int, str] = {}        # id(node) -> variable of its Tensor (or of a scalar input)

    def find_key(self) -> None:
        """The symbols that sizes and strides depend on; other symbolic numbers are read in every call."""
        used: set[str] = set()
        for node in self.graph.nodes:
            specs = node.spec if isinstance(node.spec, tuple) else (node.spec,)
            for spec in specs:
                if hasattr(spec, "shape"):
                    used |= symbols_of(shape_of(spec)) | symbols_of(strides_of(spec))
        self.key = [s for s, (kind, *_) in self.graph.symbols.items() if kind != "value" or s in used]

    # -- names and lines ---------------------------------------------------------------------------------------------
    def name(self, wanted: str, level: int = EACH) -> str:
        base = found = identifier(wanted)
        k = 2
        while found in self.names:
            found, k = f"{base}_{k}", k + 1
        self.names.add(found)
        self.level[found] = level
        return found

    def const(self, wanted: str, value: Any) -> str:
        """The name of an object of the program."""
        found = self.name(wanted, ONCE)
        self.globals[found] = value
        return found

    def line(self, text: str, level: int = EACH) -> None:
        self.lines[level].append(text)

    def define(self, wanted: str, text: str, level: int) -> str:
        """A variable with the value of an expression."""
        found = self.name(wanted, level)
        self.line(f"{found} = {text}", level)
        return found

    # -- numbers -----------------------------------------------------------------------------------------------------
    def level_of(self, n: Any) -> int:
        """The level of a size or symbolic number."""
        return ONCE if symbols_of(n) <= set(self.key) else EACH

    def size(self, n: Size) -> str:
        if isinstance(n, int):
            return str(n)
        text = n.python(self.symbols)
        return text if text.isidentifier() else f"({text})"

    def shape(self, sizes: Any) -> str:
        inner = ", ".join(map(self.size, sizes))
        return f"({inner},)" if len(sizes) == 1 else f"({inner})"

    def value(self, v: Any) -> str:
        """Python text of an argument."""
        if isinstance(v, Node):
            return self.tensors[id(v)] if is_scalar_node(v) else self.tensor(v)
        if hasattr(v, "expr") and hasattr(v, "env"):
            return f"({v.expr.python(self.symbols)})"
        if type(v) in (int, bool, str) or v is None:
            return repr(v)
        if isinstance(v, slice):
            return f"slice({self.value(v.start)}, {self.value(v.stop)}, {self.value(v.step)})"
        if type(v) is tuple:
            return f"({''.join(self.value(x) + ', ' for x in v)})"
        if type(v) is list:
            return f"[{', '.join(map(self.value, v))}]"
        if isinstance(v, tuple) and not hasattr(v, "_fields"):
            return self.value(tuple(v))
        return self.const("value", v)

    def tensor(self, node: Node) -> str:
        raise NotImplementedError

    def dtype(self, d: dtype) -> str:
        found = f"np_{d.name}"
        self.globals[found] = d.numpy
        self.names.add(found)
        return found


def level_of_args(text: Text, args: Any) -> int:
    """The level of an operator's arguments that are no tensors."""
    level = ONCE
    for a in args if isinstance(args, tuple | list) else (args,):
        if isinstance(a, Node):
            level = max(level, EACH)
        elif isinstance(a, tuple | list):
            level = max(level, level_of_args(text, a))
        else:
            level = max(level, text.level_of(a))
    return level
