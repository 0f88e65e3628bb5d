"""Values that are the same in every call, computed once when the graph is compiled: arange(64), a mask made of constants.

Only where nobody can get hold of the array: what is returned, viewed by something returned, or handed to NumPy stays as it
is, because it must be new in every call.
"""

from __future__ import annotations

from ..graph.node import Graph, Node, map_nodes, walk_nodes
from ..ops.eager import run_eager
from ..ops.op import Extern, Pointwise, Reduction, Template, View
from ..ops.promotion import is_tensor_like
from .effects import visible_writes
from .expand import Expanded

LARGEST = 1 << 20            # bytes of a value that is kept


def fold(before: Expanded) -> Expanded:
    """The graph with constant nodes in place of what can be computed now; `before` itself if there is nothing."""
    graph = before.graph
    if visible_writes(graph):
        return before
    exposed = _exposed(graph)
    known: dict[int, Node] = {}
    for node in graph.nodes:
        if node.kind == "op" and id(node) not in exposed and _is_constant(node, known):
            assert node.op is not None
            try:
                value = run_eager(node.op, map_nodes(tuple(node.args), lambda n: known[id(n)].value))
            except Exception:                     # it raises in every call, then
                continue
            known[id(node)] = Node(node.index, "constant", node.name, (), None, node.spec, node.span, node.origin, value,
                                   node.module)
    plain = {id(n) for n in graph.nodes if n.op is not None and n.op.name in ("full", "full_like")}
    if not known.keys() - plain:                  # a number that kernels repeat needs no memory
        return before
    new = Graph(graph.name)
    place: dict[int, Node] = {}
    origin: dict[int, Node] = {}
    for node in graph.nodes:
        found = known.get(id(node)) if id(node) not in plain else None
        made = found or Node(node.index, node.kind, node.name, map_nodes(node.args, lambda n: place[id(n)]), node.op,
                             node.spec, node.span, node.origin, node.value, node.module)
        place[id(node)] = made
        origin[id(made)] = before.origin[id(node)]
        new.nodes.append(made)
    new.outputs = [map_nodes(o, lambda n: place[id(n)]) for o in graph.outputs]
    new.symbols = {k: (kind, place[id(n)], *rest) for k, (kind, n, *rest) in graph.symbols.items()}
    used = {id(n) for node in new.nodes for n in walk_nodes(node.args)} | {id(n) for o in new.outputs for n in walk_nodes(o)}
    made_here = {id(n) for n in known.values()}
    new.nodes = [n for n in new.nodes if id(n) in used or id(n) not in made_here]
    return Expanded(new, origin)


def _exposed(graph: Graph) -> set[int]:
    """Values whose arrays something outside the kernels can see."""
    found = {id(n) for o in graph.outputs for n in walk_nodes(o)}
    for node in reversed(graph.nodes):
        if node.op is None:
            if node.kind == "item":
                found |= {id(n) for n in walk_nodes(node.args)}
            continue
        kernels = isinstance(node.op.lower, Pointwise | Reduction | Template) and not node.op.random
        if not kernels and not (isinstance(node.op.lower, View) and id(node) not in found):
            found |= {id(n) for n in walk_nodes(node.args)}
    return found


def _is_constant(node: Node, known: dict[int, Node]) -> bool:
    """Whether everything a value depends on is known, and it is of moderate size."""
    op, spec = node.op, node.spec
    assert op is not None
    if op.random or op.mutates or not is_tensor_like(spec) or spec.device.type != "cpu" or spec.requires_grad:
        return False
    if isinstance(op.lower, Extern) and op.name not in ("arange", "linspace", "logspace", "eye", "tril_indices"):
        return False
    if not all(isinstance(n, int) for n in (*spec.shape, *spec.strides)) or _symbolic(node.args):
        return False
    if any(id(n) not in known for n in walk_nodes(node.args)):
        return False
    count = 1
    for n in spec.shape:
        count *= n
    return count > 1 and count * spec.dtype.itemsize <= LARGEST


def _symbolic(value: object) -> bool:
    """Whether an argument holds a number that is not known yet."""
    if isinstance(value, tuple | list):
        return any(map(_symbolic, value))
    if isinstance(value, slice):
        return _symbolic((value.start, value.stop, value.step))
    return hasattr(value, "expr") and hasattr(value, "env")
