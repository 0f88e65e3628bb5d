"""Run a graph node by node with the eager NumPy operators: the backend "eager", the fallback, and the oracle.

Symbolic scalars in arguments are evaluated from the sizes and numbers of this call's inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ops.eager import run_recorded
from ..tensor.tensor import Tensor
from .node import Graph, Node, map_nodes


def bind_symbols(graph: Graph, inputs: tuple) -> dict[str, Any]:
    """The value of every symbol of `graph` that the inputs of one call give, in the order of `graph.inputs`."""
    place = {id(node): i for i, node in enumerate(graph.inputs)}
    values: dict[str, Any] = {}
    for name, (kind, node, *dim) in graph.symbols.items():
        if node.kind == "scalar":
            continue                                   # known when the graph gets there
        given = inputs[place[id(node)]]
        if kind == "value":
            values[name] = given
        elif kind == "size":
            values[name] = given._meta.shape[dim[0]]
        else:
            values[name] = given._meta.strides[dim[0]]
    return values


def is_symbolic(value: Any) -> bool:
    """Whether `value` is a SymInt, SymFloat or SymBool (a scalar known only at run time)."""
    return hasattr(value, "expr") and hasattr(value, "env")


def evaluate_scalars(value: Any, symbols: dict[str, Any]) -> Any:
    """The argument structure with every symbolic scalar replaced by its number."""
    if is_symbolic(value):
        return value.expr.evaluate(symbols)
    if isinstance(value, tuple):
        items = [evaluate_scalars(v, symbols) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, list):
        return [evaluate_scalars(v, symbols) for v in value]
    if isinstance(value, dict):
        return {k: evaluate_scalars(v, symbols) for k, v in value.items()}
    if isinstance(value, slice):
        return slice(*(evaluate_scalars(v, symbols) for v in (value.start, value.stop, value.step)))
    return value


class Interpreter:
    """Callable over a graph: tensors, ints and floats in (order of `graph.inputs`), results out (order of `outputs`)."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.last_use = _last_uses(graph)
        self.scalar_names = {id(place[1]): name for name, place in graph.symbols.items() if place[1].kind == "scalar"}

    def __call__(self, *inputs: Any) -> tuple:
        graph = self.graph
        symbols, scalar_names = bind_symbols(graph, inputs), self.scalar_names
        values: dict[int, Any] = {id(n): v for n, v in zip(graph.inputs, inputs)}

        def value_of(node: Node) -> Any:
            return values[id(node)]

        for node in graph.nodes:
            if node.kind == "op":
                assert node.op is not None
                result = run_recorded(node.op, evaluate_scalars(map_nodes(node.args, value_of), symbols))
                values[id(node)] = _as_traced(result, node) if isinstance(result, Tensor) and not node.op.mutates else result
            elif node.kind == "item":
                values[id(node)] = _as_traced(values[id(node.args[0])][node.args[1]], node)
            elif node.kind == "constant":
                values[id(node)] = node.value
            elif node.kind == "scalar":
                values[id(node)] = symbols[scalar_names[id(node)]] = values[id(node.args[0])].item()
            for dead in self.last_use.get(node.index, ()):
                values.pop(dead, None)
        return tuple(evaluate_scalars(map_nodes(out, value_of), symbols) for out in graph.outputs)


def _as_traced(result: Any, node: Node) -> Any:
    """Gradients are wanted where they were when the node was traced, which may have been under no_grad()."""
    wanted = node.spec.requires_grad if node.spec is not None else result._meta.requires_grad
    if result._meta.requires_grad is not wanted:
        result._meta = result._meta.replace(requires_grad=wanted)
    return result


def _last_uses(graph: Graph) -> dict[int, list[int]]:
    """Node index -> ids of the nodes whose values are not needed after it, so that memory is freed as eager code does."""
    from .node import walk_nodes

    last: dict[int, int] = {}
    for node in graph.nodes:
        for used in walk_nodes(node.args):
            last[id(used)] = node.index
    kept = {id(n) for out in graph.outputs for n in walk_nodes(out)}
    by_index: dict[int, list[int]] = {}
    for ident, index in last.items():
        if ident not in kept:
            by_index.setdefault(index, []).append(ident)
    return by_index


def interpreter(graph: Graph) -> Callable[..., tuple]:
    return Interpreter(graph)
