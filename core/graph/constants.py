"""Elements of tensors under capture that are known: made of constants only, such as `torch.tensor([3, 4])[0]`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.eager import run_recorded
from ..tensor.state import STATE
from ..tensor.tensor import Tensor
from .fake import FakeTensor
from .node import Node, map_nodes, walk_nodes

MOST_NODES, MOST_ELEMENTS = 32, 4096


def known_elements(tensor: Any, graph: Any = None) -> np.ndarray | None:
    """The array of a tensor that depends on no input, no size and no random number; None if it does, or if something that it
    is made of was written in place. `graph`: the one being traced, where no tracer is active."""
    tracer = STATE.tracer
    graph = graph if graph is not None or tracer is None else tracer.graph
    if not isinstance(tensor, FakeTensor) or graph is None or tensor._meta.device.type == "meta":
        return None
    order: list[Node] = []
    if not _gather(tensor._node, order, set()) or _written(graph, order):
        return None
    values: dict[int, Any] = {}
    STATE.tracer = None
    try:
        for node in order:
            if node.kind == "constant":
                values[id(node)] = node.value
            elif node.kind == "item":
                values[id(node)] = values[id(node.args[0])][node.args[1]]
            else:
                assert node.op is not None
                values[id(node)] = run_recorded(node.op, map_nodes(node.args, lambda n: values[id(n)]))
    except Exception:
        return None                                    # whatever it raises, it raises when the graph runs
    finally:
        STATE.tracer = tracer
    found = values[id(tensor._node)]
    return found._array.copy() if isinstance(found, Tensor) and found._array is not None else None


def _gather(node: Node, order: list[Node], seen: set[int]) -> bool:
    """Everything that `node` is made of, in order; False if that is not only constants."""
    if id(node) in seen:
        return True
    seen.add(id(node))
    if len(seen) > MOST_NODES:
        return False
    if node.kind == "constant":
        small = isinstance(node.value, Tensor) and node.value._array is not None and node.value._array.size <= MOST_ELEMENTS
        if small:
            order.append(node)
        return small
    if node.kind == "op":
        if node.op is None or node.op.mutates or node.op.random or node.spec is None or _symbolic(node):
            return False
    elif node.kind != "item":
        return False
    if not all(_gather(n, order, seen) for n in walk_nodes(node.args)):
        return False
    order.append(node)
    return True


def _symbolic(node: Node) -> bool:
    specs = node.spec if isinstance(node.spec, tuple) else (node.spec,)
    sizes = [n for s in specs if hasattr(s, "shape") for n in s.shape]
    if not all(isinstance(n, int) for n in sizes) or sizes and np.prod(sizes) > MOST_ELEMENTS:
        return True
    return _has_symbol(node.args)


def _has_symbol(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(_has_symbol(v) for v in value)
    if isinstance(value, dict):
        return _has_symbol(tuple(value.values()))
    if isinstance(value, slice):
        return _has_symbol((value.start, value.stop, value.step))
    return hasattr(value, "expr") and hasattr(value, "env")


def _written(graph: Any, parts: list[Node]) -> bool:
    """Whether an operator of the graph writes into one of these tensors, or into a view of one."""
    known = {id(n) for n in parts}
    for node in graph.nodes:
        if node.kind == "op" and node.op is not None and node.op.mutates:
            for index in node.op.mutates:
                for target in walk_nodes(node.args[index]):
                    here: Node | None = target
                    while here is not None:
                        if id(here) in known:
                            return True
                        views = here.kind == "item" or here.op is not None and here.op.returns_view
                        here = next(iter(walk_nodes(here.args)), None) if views else None
    return False
