"""A graph that reads numbers out of tensors, cut where it reads: each piece is a graph of its own, which a compiler of
whole graphs can take. Between two pieces the number is read and handed to the next as an input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .interpret import evaluate_scalars
from .node import Graph, Node, map_nodes, walk_nodes

Runner = Callable[..., tuple]


@dataclass(slots=True)
class Stage:
    """`graph` takes what `takes` names (nodes of the whole graph) and gives the values of `gives`; then `scalar` is read."""

    graph: Graph
    takes: list[Node] = field(default_factory=list)
    gives: list[Node] = field(default_factory=list)
    scalar: Node | None = None


def reads_scalars(graph: Graph) -> bool:
    return any(n.kind == "scalar" for n in graph.nodes)


def cut(graph: Graph, symbols_in: Callable[[Any], set[str]]) -> list[Stage]:
    """The pieces in order. `symbols_in` gives the names of the symbols in an argument structure or shape."""
    pieces: list[list[Node]] = [[]]
    scalars: list[Node | None] = []
    for node in graph.nodes:
        if node.kind == "scalar":
            scalars.append(node)
            pieces.append([])
        elif node.kind != "input":
            pieces[-1].append(node)
    wanted_later = [set[int]() for _ in pieces]
    wanted = {id(n) for out in graph.outputs for n in walk_nodes(out)}
    for i in range(len(pieces) - 1, -1, -1):
        if i < len(scalars) and scalars[i] is not None:
            wanted |= {id(n) for n in walk_nodes(scalars[i].args)}               # type: ignore[union-attr]
        wanted_later[i] = set(wanted)
        wanted |= {id(n) for node in pieces[i] for n in walk_nodes(node.args)}
    return [_stage(graph, i, nodes, wanted_later[i], scalars[i] if i < len(scalars) else None, symbols_in)
            for i, nodes in enumerate(pieces)]


def _stage(graph: Graph, number: int, nodes: list[Node], wanted: set[int], scalar: Node | None,
           symbols_in: Callable[[Any], set[str]]) -> Stage:
    stage = Stage(Graph(f"{graph.name}_part{number}"), gives=[n for n in nodes if id(n) in wanted and n.kind != "constant"],
                  scalar=scalar)
    own = {id(n) for n in nodes}
    outside = {id(n): n for node in nodes for n in walk_nodes(node.args) if id(n) not in own}
    shown = [*nodes, *outside.values()]
    names: set[str] = set()
    for node in shown:
        names |= symbols_in(node.args) | symbols_in(node.spec if node.spec is not None else ())
    outside |= {id(graph.symbols[name][1]): graph.symbols[name][1] for name in names}
    place: dict[int, Node] = {}
    for node in graph.nodes:
        if id(node) in outside and node.kind != "constant":
            stage.takes.append(node)
            place[id(node)] = stage.graph.add("input", node.name, spec=node.spec, span=node.span, origin=node.origin)
        elif id(node) in own or id(node) in outside:
            made = stage.graph.add(node.kind, node.name, args=map_nodes(node.args, lambda n: place[id(n)]), op=node.op,
                                   spec=node.spec, span=node.span, value=node.value, module=node.module)
            place[id(node)] = made
    stage.graph.symbols = {name: (graph.symbols[name][0], place[id(graph.symbols[name][1])], *graph.symbols[name][2:])
                           for name in sorted(names)}
    stage.graph.outputs = [place[id(n)] for n in stage.gives]
    return stage


def run_in_stages(graph: Graph, stages: list[Stage], runners: list[Runner | None]) -> Runner:
    """The whole graph as a callable; a stage with nothing to run has no runner."""
    steps = list(zip(stages, runners))
    inputs = graph.inputs
    constants = {id(n): n.value for n in graph.nodes if n.kind == "constant"}
    symbols = {name: place[1] for name, place in graph.symbols.items() if place[1].kind == "scalar"}

    def run(*given: Any) -> tuple:
        values: dict[int, Any] = {**constants, **{id(n): v for n, v in zip(inputs, given)}}
        for stage, runner in steps:
            if runner is not None:
                made = runner(*[values[id(n)] for n in stage.takes])
                values.update(zip([id(n) for n in stage.gives], made))
            if stage.scalar is not None:
                values[id(stage.scalar)] = values[id(stage.scalar.args[0])].item()
        numbers = {name: values[id(node)] for name, node in symbols.items()}
        return tuple(evaluate_scalars(map_nodes(out, lambda n: values[id(n)]), numbers) for out in graph.outputs)

    return run
