"""The graph of captured tensor computation: nodes in execution order, inputs, outputs. Plain data.

Arguments of a node are Node references, Python scalars, symbolic scalars (SymInt, SymFloat), dtypes, devices, None,
slices, and tuples/lists/dicts of those. The order of `nodes` is the order in which the script computes; operators that
write in place or draw random numbers keep that order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..ops.op import Op


class Span(NamedTuple):
    """A piece of source: 1-based lines, 0-based columns, end exclusive, as `ast` counts."""

    file: str
    line: int
    col: int = 0
    end_line: int = 0
    end_col: int = 0


@dataclass(slots=True, eq=False)
class Node:
    """kind "input": a tensor or scalar that comes from outside (`origin` tells where from; `spec` is a Spec for a tensor,
    a SymInt/SymFloat for a scalar). kind "op": `op(*args)`. kind "item": result number `args[1]` of the multi-result
    node `args[0]`. kind "constant": a tensor known at capture time (`value`). kind "scalar": the element of the tensor
    `args[0]` as a Python number, read at this point."""

    index: int
    kind: str
    name: str
    args: tuple = ()
    op: Op | None = None
    spec: Any = None
    span: Span | None = None
    origin: Any = None
    value: Any = None
    module: str = ""          # dotted path of the nn.Module being run, "" outside any

    def __repr__(self) -> str:
        return f"%{self.name}"


@dataclass(slots=True, eq=False)
class Graph:
    """`outputs` holds Nodes and symbolic scalars; `symbols` maps a symbol's name to where its value is found:
    ("size", input Node, dim), ("stride", input Node, dim) or ("value", input or scalar Node)."""

    name: str
    nodes: list[Node] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    symbols: dict[str, tuple] = field(default_factory=dict)
    _given: dict[str, int] = field(default_factory=dict, repr=False)     # names of nodes, and the last number used for each

    @property
    def inputs(self) -> list[Node]:
        return [n for n in self.nodes if n.kind == "input"]

    @property
    def operations(self) -> list[Node]:
        return [n for n in self.nodes if n.kind == "op"]

    @property
    def computes(self) -> bool:
        """Whether there is anything to run: operators, or numbers read out of tensors."""
        return any(n.kind in ("op", "scalar") for n in self.nodes)

    def add(self, kind: str, name: str, **fields: Any) -> Node:
        node = Node(len(self.nodes), kind, self.unique(name), **fields)
        self.nodes.append(node)
        return node

    def unique(self, name: str) -> str:
        """`name`, or `name_1`, `name_2`, ... if a node has it already; the answer counts as given."""
        count = self._given.get(name)
        if count is None:
            self._given[name] = 0
            return name
        while True:
            count += 1
            made = f"{name}_{count}"
            if made not in self._given:
                self._given[name] = count
                self._given[made] = 0
                return made


def walk_nodes(value: Any) -> Iterator[Node]:
    """Every Node in an argument structure, in order."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple | list):
        for v in value:
            yield from walk_nodes(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from walk_nodes(v)
    elif isinstance(value, slice):
        yield from walk_nodes((value.start, value.stop, value.step))


def root_of(node: Node) -> Node:
    """The node whose memory a view looks at."""
    while node.kind == "item" or node.op is not None and node.op.returns_view:
        node = next(walk_nodes(node.args))
    return node


def map_nodes(value: Any, f: Callable[[Node], Any]) -> Any:
    """The structure with every Node replaced by f(node)."""
    if isinstance(value, Node):
        return f(value)
    if isinstance(value, tuple):
        items = [map_nodes(v, f) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, list):
        return [map_nodes(v, f) for v in value]
    if isinstance(value, dict):
        return {k: map_nodes(v, f) for k, v in value.items()}
    if isinstance(value, slice):
        return slice(map_nodes(value.start, f), map_nodes(value.stop, f), map_nodes(value.step, f))
    return value
