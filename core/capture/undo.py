"""What a graph may have changed before it raised, kept so that it can be taken back: plain Python then begins again as if
the graph had never run (entry.run_graph).

A graph changes tensors of the caller's that it writes in place, and the generators that it draws from. Most graphs need
nothing kept: none of their operators refuses elements, or each that does comes before all changes on any schedule, because
what is written depends on it (an embedding at the beginning of a model with a cache of keys and values).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.node import Graph, Node, root_of, walk_nodes
from ..tensor.generator import Generator, default_generator
from ..tensor.tensor import Tensor
from .refusals import examines_all, is_whole, may_refuse


class Before:
    """Tensors and generators as they were."""

    __slots__ = ("draws", "tensors")

    def __init__(self, tensors: list[tuple], draws: list[tuple]) -> None:
        self.tensors, self.draws = tensors, draws

    def back(self) -> None:
        """Make them so again."""
        for tensor, meta, names, elements in self.tensors:
            if elements is not None:
                np.copyto(tensor._array, elements)
            tensor._meta = meta
            tensor.__dict__.clear()
            tensor.__dict__.update(names)
        for generator, mark in self.draws:
            generator.rewind(mark)


class Changes:
    """`changes(x, y)`, called by the entry before its graph: the tensors and `generators` as they are now."""

    def __init__(self, generators: list[Generator]) -> None:
        self.generators = generators

    def __call__(self, *tensors: Tensor) -> Before:
        kept = [(t, t._meta, dict(t.__dict__), None if t._array is None else t._array.copy()) for t in tensors]
        return Before(kept, [(g, g.mark()) for g in self.generators])


def written(node: Node) -> list[Node]:
    """The inputs of the graph that the node changes."""
    if node.op is None or not node.op.mutates:
        return []
    roots = (root_of(target) for index in node.op.mutates for target in walk_nodes(node.args[index]))
    return [root for root in roots if root.kind == "input"]


def drawn_from(node: Node) -> list[Generator]:
    """The generators that the node draws from."""
    if node.op is None or not node.op.random:
        return []
    return [a for a in node.args if isinstance(a, Generator)] or [default_generator]


def to_keep(graph: Graph) -> tuple[list[Node], list[Generator]] | None:
    """Inputs and generators that may be changed already when an operator refuses; None if no operator refuses elements in a
    graph that changes anything. A change is safe if for every refusal one like it (the same numbers for a dimension of the same
    size) is the changing operator's own, which looks at its arguments first, or comes before it on any schedule."""
    if not any(map(may_refuse, graph.nodes)):
        return None
    before: dict[int, int] = {}              # node -> what it depends on, itself included, a bit for each node
    last: dict[int, Node] = {}               # root of a tensor -> the node that wrote into it last
    refusals: dict[tuple, int] = {}          # kind of refusal -> the nodes that refuse so
    changing: list[Node] = []
    for number, node in enumerate(graph.nodes):
        needed = 1 << number
        for n in walk_nodes(node.args):
            needed |= before.get(id(n), 0)
            writer = last.get(id(root_of(n)))
            needed |= before[id(writer)] if writer is not None else 0
        before[id(node)] = needed
        if may_refuse(node):
            for kind in refusals_of(node, last):
                refusals[kind] = refusals.get(kind, 0) | 1 << number
        if written(node) or drawn_from(node):
            changing.append(node)
        if node.op is not None:
            last.update((id(root_of(n)), node) for index in node.op.mutates for n in walk_nodes(node.args[index]))
    if not changing:
        return None
    for kind, nodes in refusals.items():               # what looks for numbers from 0 on refuses all that the others refuse
        if kind[0] == "from the end too":
            refusals[kind] = nodes | refusals.get(("from 0", *kind[1:]), 0)
    unsafe = [n for n in changing if not all(before[id(n)] & like for like in refusals.values())]
    inputs = {id(root): root for n in unsafe for root in written(n)}
    generators = {id(g): g for n in unsafe for g in drawn_from(n)}
    return list(inputs.values()), list(generators.values())


BY_DIMENSION = frozenset({"index_copy_", "index_add_", "index_fill_", "index_select", "gather", "scatter_", "scatter_add_",
                          "index_copy", "index_add", "index_fill", "scatter", "scatter_add"})       # (input, dim, index, ...)


def refusals_of(node: Node, last: dict[int, Node]) -> list[tuple]:
    """What decides whether the node refuses: nodes that have one of these in common refuse alike in it."""
    assert node.op is not None
    name, args = node.op.name, node.args

    def seen(n: Node) -> tuple[int, int]:
        return id(n), id(last.get(id(root_of(n))))                     # the same elements, and nothing written in between

    def in_range(rule: str, of: Node, dim: int, index: Node) -> tuple:
        return (rule, str(of.spec.shape[dim]), *seen(index))

    if name in ("index", "index_put_") and not any(is_mask(i) for i in args[1]):
        return [in_range("from the end too", args[0], dim, i) for dim, i in enumerate(args[1]) if isinstance(i, Node)]
    if name in BY_DIMENSION and len(args[0].spec.shape):
        return [in_range("from 0", args[0], args[1], args[2])]
    if name == "embedding":
        return [in_range("from 0", args[0], 0, args[1])]

    def told(value: Any) -> Any:
        if isinstance(value, Node):
            whole = is_whole(value) or node.op is not None and examines_all(node.op)
            return seen(value) if whole else str(getattr(value.spec, "shape", None))
        if isinstance(value, tuple | list):
            return tuple(map(told, value))
        return repr(value)

    return [(name, *map(told, args))]


def is_mask(index: Any) -> bool:
    return isinstance(index, Node) and index.spec.dtype.name in ("bool", "uint8")


__all__ = ["Changes", "to_keep"]
