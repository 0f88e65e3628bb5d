"""Composite operators written out: a graph whose operators are all primitive, made by running each composite's
definition on fake tensors. Every new node remembers the node of the captured graph that it comes from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph.fake import FakeTensor, Tracer, fake, fakes_to
from ..graph.node import Graph, Node, map_nodes, root_of, walk_nodes
from ..ops.op import Composite, Pointwise, Reduction, Template
from ..tensor.state import STATE
from .sizes import plain, same_shape

DEPTH = 16          # composites within composites


class Expanded:
    """`graph` without composites; `origin[id(node)]` is the node of the captured graph that a node of it stands for."""

    def __init__(self, graph: Graph, origin: dict[int, Node]) -> None:
        self.graph = graph
        self.origin = origin


def expand(graph: Graph, keep: Callable[[Node], bool] = lambda node: False) -> Expanded:
    """Write out composites until none is left. A composite that cannot be traced stays one node (computed by NumPy).
    `keep` tells which nodes with hand-written kernels stay whole."""
    out = Expanded(graph, {id(n): n for n in graph.nodes})
    stuck: set[str] = set()
    for _ in range(DEPTH):
        views = _views_that_count(out.graph)
        todo = {id(n) for n in out.graph.nodes if definition(n) is not None and n.name not in stuck and not keep(n)
                and id(n) not in views}
        if not todo:
            break
        out = _expand_once(out, todo, stuck)
    _drop_unused(out)
    return out


def _views_that_count(graph: Graph) -> set[int]:
    """The nodes that must be views of memory, not copies: what is returned, and everything where something is written."""
    if any(n.op is not None and n.op.mutates for n in graph.nodes):
        return {id(n) for n in graph.nodes if n.op is not None and n.op.returns_view}
    found = set()
    for result in graph.outputs:
        for node in walk_nodes(result):
            while node.kind == "item" or node.op is not None and node.op.returns_view:
                found.add(id(node))
                node = next(walk_nodes(node.args))
    return found


def _drop_unused(out: Expanded) -> None:
    """Leave out what definitions compute for results that nobody reads. What the script itself calls stays: it may raise."""
    used = {id(n) for o in out.graph.outputs for n in walk_nodes(o)}
    kept = []
    for node in reversed(out.graph.nodes):
        if id(node) in used or node.op is None or node.op is out.origin[id(node)].op or node.op.mutates or node.op.random:
            kept.append(node)
            used |= {id(n) for n in walk_nodes(node.args)}
    out.graph.nodes = kept[::-1]


def definition(node: Node) -> Callable[..., Any] | None:
    """The operator in terms of others, if its declaration has one. Not for dtypes without kernels: one rounding at the
    end is what NumPy's form does."""
    if node.kind != "op" or node.op is None or node.op.mutates \
            or not all(n.spec.dtype.opencl for n in (node, *walk_nodes(node.args)) if hasattr(n.spec, "dtype")):
        return None
    lower = node.op.lower
    return lower.fn if isinstance(lower, Composite) else lower.otherwise if isinstance(lower, Template) else None


def _expand_once(before: Expanded, todo: set[int], stuck: set[str]) -> Expanded:
    new = Graph(before.graph.name)
    place: dict[int, Any] = {}                     # id(old node) -> new Node, or a tuple of them
    origin: dict[int, Node] = {}
    tracer = Tracer(new)

    def moved(node: Node) -> Any:
        return place[id(node)]

    for node in before.graph.nodes:
        start = len(new.nodes)
        if node.kind == "item" and isinstance(place[id(node.args[0])], tuple):
            place[id(node)] = place[id(node.args[0])][node.args[1]]
            continue
        result = None
        if id(node) in todo:                       # names repeat after a composite is written out
            result = _trace(tracer, node, moved)
            if result is None:
                del new.nodes[start:]
                stuck.add(node.name)
        if result is None:
            result = Node(len(new.nodes), node.kind, node.name, map_nodes(node.args, moved), node.op, node.spec,
                          node.span, node.origin, node.value, node.module)
            new.nodes.append(result)
        elif isinstance(result, Node) and result.index >= start:
            result.name = node.name if all(n.name != node.name for n in new.nodes if n is not result) else result.name
        place[id(node)] = result
        for n in new.nodes[start:]:
            origin[id(n)] = before.origin[id(node)]
    new.outputs = [map_nodes(o, moved) for o in before.graph.outputs]
    new.symbols = {k: (kind, moved(n), *rest) for k, (kind, n, *rest) in before.graph.symbols.items()}
    return Expanded(new, origin)


def _trace(tracer: Tracer, node: Node, moved: Any) -> Any:
    """The new node(s) that compute the composite `node`, or None if it cannot be written out with the same result."""
    fn = definition(node)
    assert fn is not None

    def as_fake(old: Node) -> Any:
        new = moved(old)
        return fake(new, new.spec) if isinstance(new, Node) else tuple([fake(n, n.spec) for n in new])

    tracer.span, tracer.module = node.span, node.module
    start = len(tracer.graph.nodes)
    mode = STATE.set(autocast=None)                # the captured graph says what is cast
    try:
        with tracer:
            got = fn(*map_nodes(node.args, as_fake))
            results = got if isinstance(got, tuple) else (got,)
            if node.op is not None and not node.op.returns_view:          # padding of no width, too, has memory of its own
                results = tuple([r.clone() if isinstance(r, FakeTensor) and root_of(r._node).index < start else r
                                 for r in results])
            specs = node.spec if isinstance(node.spec, tuple) else (node.spec,)
            results = tuple([_in_order(r, s) for r, s in zip(results, specs, strict=True)])
    except Exception:
        return None
    finally:
        STATE.set(autocast=mode.autocast)
    if not all(isinstance(r, FakeTensor) and equal_specs(r._meta, s) for r, s in zip(results, specs, strict=True)):
        return None
    nodes = fakes_to(tuple(results), lambda t: t._node)
    return tuple(nodes) if isinstance(node.spec, tuple) else nodes[0]


def _in_order(r: Any, wanted: Any) -> Any:
    """A result of a definition, contiguous if it is not in the order in memory that the operator gives it: softmax of a
    transposed tensor is contiguous, the quotient that defines it is not."""
    return r.contiguous() if isinstance(r, FakeTensor) and not equal_specs(r._meta, wanted) else r


def share(graph: Graph) -> None:
    """Let equal element-wise values and reductions be computed once. Only where no array of its own is needed: a value
    that is returned, or that a view or NumPy sees, stays separate, so that no two results share memory."""
    from .effects import visible_writes

    if visible_writes(graph):
        return
    written = {id(n.args[0]) for n in graph.nodes if n.op is not None and n.op.mutates}
    private = {id(n) for n in graph.nodes if n.kind == "op" and _pure(n)}
    private -= {id(n) for o in graph.outputs for n in walk_nodes(o)}
    for node in graph.nodes:
        if node.kind == "item" or (node.kind == "op" and not _pure(node)):
            private -= {id(n) for n in walk_nodes(node.args)}
    first: dict[tuple, Node] = {}
    instead: dict[int, Node] = {}
    for node in graph.nodes:
        if any(id(n) in instead for n in walk_nodes(node.args)):
            node.args = map_nodes(node.args, lambda n: instead.get(id(n), n))
        if node.kind != "op" or not _pure(node) or id(node) in written:
            continue
        key = (id(node.op), _key(node.args), node.spec.dtype)
        found = first.setdefault(key, node)
        if found is not node and id(node) in private:
            instead[id(node)] = found
    graph.nodes = [n for n in graph.nodes if id(n) not in instead]


def _pure(node: Node) -> bool:
    return node.op is not None and isinstance(node.op.lower, Pointwise | Reduction) and not node.op.random \
        and not isinstance(node.spec, tuple)


def _key(value: Any) -> Any:
    """Hashable, equal exactly for arguments that mean the same (1, 1.0 and True differ; symbols by expression)."""
    if isinstance(value, Node):
        return ("node", id(value))
    if isinstance(value, tuple | list):
        return tuple([_key(v) for v in value])
    if hasattr(value, "expr") and hasattr(value, "env"):
        return ("symbolic", id(value.expr))
    if isinstance(value, float):
        return (float, value.hex())
    return (type(value), value) if isinstance(value, bool | int | str) or value is None else ("object", id(value))


def equal_specs(got: Any, wanted: Any) -> bool:
    """Whether two values have the same dtype, sizes and strides."""
    shape = tuple(map(plain, got.shape))
    return got.dtype is wanted.dtype and same_shape(shape, tuple(map(plain, wanted.shape))) and all(
        (isinstance(n, int) and n == 1) or s is w or (isinstance(s, int) and s == w)
        for n, s, w in zip(shape, map(plain, got.strides), map(plain, wanted.strides)))


__all__ = ["Expanded", "definition", "expand", "share"]
