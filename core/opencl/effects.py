"""Operators that write in place, told apart: most must keep their place among everything that might see their memory. But
where a value has memory of its own that no view was taken of, whoever reads it after the write may as well read the result
of the write. y.add_(1) then is y + 1; what has no such form, scatter_add_ for example, is a write to a value that nothing
else reads, if nothing had read it before.
"""

from __future__ import annotations

from ..graph.node import Graph, Node, map_nodes, walk_nodes
from ..ops.op import Op, Pointwise, Reduction, Template
from ..ops.promotion import is_tensor_like
from .expand import Expanded, equal_specs
from .sizes import plain


def functional(before: Expanded) -> Expanded:
    """The graph in which readers of fresh values that are written to read the results of the writes; `before` itself if
    there are none."""
    graph = before.graph
    if not any(_writes_first(n) for n in graph.nodes):
        return before
    new = Graph(graph.name)
    place: dict[int, Node] = {}
    origin: dict[int, Node] = {}
    read: set[int] = set()                            # ids of new nodes that something has read,
    seen: set[int] = set()                            # that something may have taken a view of
    results = {id(n) for o in graph.outputs for n in walk_nodes(o)}
    for node in graph.nodes:
        made = Node(node.index, node.kind, node.name, map_nodes(node.args, lambda n: place[id(n)]), node.op, node.spec,
                    node.span, node.origin, node.value, node.module)
        given = {id(n) for n in walk_nodes(made.args)}
        both = id(node) in results and bool(node.args) and id(node.args[0]) in results        # which must stay one object
        if _writes_first(made) and _is_fresh(made.args[0]) and id(made.args[0]) not in seen and not both:
            base, plain = made.args[0], _plain_form(made)
            if plain is not None or (id(base) not in read and sum(n is base for n in walk_nodes(made.args)) == 1):
                made.op = plain or made.op
                place.update({k: made for k, v in place.items() if v is base})
        if made.op is None or not isinstance(made.op.lower, Pointwise | Reduction | Template):
            seen |= given
        read |= given
        place[id(node)] = made
        origin[id(made)] = before.origin[id(node)]
        new.nodes.append(made)
    new.outputs = [map_nodes(o, lambda n: place[id(n)]) for o in graph.outputs]
    new.symbols = {k: (kind, place[id(n)], *rest) for k, (kind, n, *rest) in graph.symbols.items()}
    return Expanded(new, origin)


def _writes_first(node: Node) -> bool:
    """Whether a node writes to its first argument, returns it, and does nothing else."""
    return node.op is not None and node.op.mutates == (0,) and not node.op.random and isinstance(node.args[0], Node)


def _plain_form(node: Node) -> Op | None:
    """The operator that gives what an operator in place leaves, without writing."""
    assert node.op is not None
    form = node.op.functional
    if form is None or form.mutates:
        return None
    try:
        spec = form.infer(*map_nodes(tuple(node.args), lambda n: n.spec))
    except Exception:
        return None
    # every stride, also those of single elements: what NumPy computes has the strides of the form that is called
    same = is_tensor_like(spec) and equal_specs(spec, node.spec) and \
        tuple(map(plain, spec.strides)) == tuple(map(plain, node.spec.strides))
    return form if same else None


def _is_fresh(node: Node) -> bool:
    """Whether a value has memory of its own: computed element by element, or what such a write has left."""
    return node.op is not None and (_writes_first(node) or (isinstance(node.op.lower, Pointwise) and not node.op.mutates))


def visible_writes(graph: Graph) -> set[int]:
    """Ids of the nodes that write to memory that something else may see."""
    writing = {id(n): n for n in graph.nodes if n.op is not None and n.op.mutates}
    if not writing:
        return set()
    readers: dict[int, int] = {}
    for args in [*(n.args for n in graph.nodes), *graph.outputs]:
        for used in walk_nodes(args):
            readers[id(used)] = readers.get(id(used), 0) + 1
    hidden: set[int] = set()
    for key, node in writing.items():
        base = node.args[0]
        if _writes_first(node) and _is_fresh(base) and readers[id(base)] == 1 \
                and (id(base) in hidden or not _writes_first(base)):
            hidden.add(key)
    return writing.keys() - hidden
