"""Which values are computed again where they are read, instead of once into memory or once per kernel.

Two kinds: cheap values that are read broadcast (a scaled bias), and values that are read at other places than their own (a
slice, a reshape, a piece of a cat), which no kernel over their own elements could hand over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..graph.node import Node, walk_nodes
from ..ops.promotion import is_tensor_like
from .lower import Alias, Host, Pieces, Point, Recipes
from .sizes import same_shape, shape_of

FREE_READS = 4            # moved elements are computed at most so often
CHEAP_READS = 2           # and cheap values
MOST = 12                 # operators that one read may bring along


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a value (None: somebody who needs it in memory), whether at other places than its own, and how many
    elements are read."""

    node: Node | None
    moved: bool
    count: int


def inlined(recipes: Recipes, kept: set[int]) -> set[int]:
    """Ids of the nodes to compute where they are read. `kept`: ids of the graph's results."""
    readers = _readers(recipes, kept)
    found: set[int] = set()
    for node in reversed(recipes.graph.nodes):
        recipe = recipes[node]
        if isinstance(recipe, Point | Pieces) and _wanted(recipes, node, recipe, readers.get(id(node), []), found):
            found.add(id(node))
    weight: dict[int, int] = {}
    for node in recipes.graph.nodes:
        recipe = recipes[node]
        if isinstance(recipe, Point | Pieces):
            weight[id(node)] = 1 + sum(weight[id(n)] for n in _read(recipes, recipe) if id(n) in found)
            if weight[id(node)] > MOST:
                found.discard(id(node))
    return found


def _wanted(recipes: Recipes, node: Node, recipe: Point | Pieces, readers: list[Reader], found: set[int]) -> bool:
    """`found`: what is inlined of the nodes that come later."""
    nodes = [r.node for r in readers if r.node is not None]
    if not readers or len(nodes) < len(readers) or any(recipes.region[id(r)] != recipes.region[id(node)] for r in nodes):
        return False
    free = isinstance(recipe, Pieces) or not any(isinstance(o.value, Node) for o in recipe.operands.values())
    if any(r.moved for r in readers):
        if len(readers) <= (FREE_READS if free else CHEAP_READS) and not recipe.costly:
            return True
        return len(readers) == 1 and readers[0].count <= _elements(node)
    shape = shape_of(node.spec)
    return not recipe.costly and len(readers) <= CHEAP_READS and all(
        isinstance(recipes[r], Point) and (id(r) in found or not same_shape(shape_of(r.spec), shape)) for r in nodes)


def _readers(recipes: Recipes, kept: set[int]) -> dict[int, list[Reader]]:
    """Per value who reads it, directly or through views."""
    found: dict[int, list[Reader]] = {}
    for node in reversed(recipes.graph.nodes):
        recipe = recipes[node]
        mine = found.get(id(node), [])
        if id(node) in kept:
            mine = found[id(node)] = [*mine, Reader(None, False, 0)]
        if isinstance(recipe, Alias):
            still = _stays(recipe)
            found.setdefault(id(recipe.base), []).extend([Reader(r.node, r.moved or not still, r.count) for r in mine])
            continue
        in_memory, pieces = isinstance(recipe, Host) or recipe is None, isinstance(recipe, Pieces)
        for used in walk_nodes(node.args):
            count = _elements(used if pieces else node) if hasattr(used.spec, "shape") and not in_memory else 0
            found.setdefault(id(used), []).append(Reader(None if in_memory else node, pieces, count))
    return found


def _stays(alias: Alias) -> bool:
    """Whether a view is a renaming of dimensions."""
    return all(d is None or isinstance(d, int) for d in alias.dims) \
        and len({d for d in alias.dims if d is not None}) == sum(
            not (isinstance(n, int) and n == 1) for n in shape_of(alias.base.spec))


def _read(recipes: Recipes, recipe: Point | Pieces) -> list[Node]:
    """What a value is computed from, seen through views."""
    found = [p.base for p in recipe.pieces] if isinstance(recipe, Pieces) else \
        [o.value for o in recipe.operands.values() if isinstance(o.value, Node) and is_tensor_like(o.value.spec)]
    return [_base(recipes, n) for n in found]


def _base(recipes: Recipes, node: Node) -> Node:
    recipe = recipes[node]
    while isinstance(recipe, Alias):
        node = recipe.base
        recipe = recipes[node]
    return node


def _elements(node: Any) -> int:
    """How many elements a value had when the graph was captured."""
    total = 1
    for n in node.spec.shape:
        total *= n if isinstance(n, int) else int(getattr(n, "hint", 1))
    return total


__all__ = ["inlined"]
