"""What a user's backend gets: a callable graph that can be printed, walked and run, as people write backends for."""

from __future__ import annotations

from typing import Any

from .interpret import Interpreter
from .node import Graph
from .printer import graph_text


class GraphModule:
    """A captured graph as a callable. `graph` is the data, `code` the Python text; calling runs it on NumPy."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._run = Interpreter(graph)

    @property
    def code(self) -> str:
        return graph_text(self.graph)

    def print_readable(self, print_output: bool = True) -> str:
        """The graph as Python, printed unless told otherwise."""
        if print_output:
            print(self.code)
        return self.code

    def __call__(self, *inputs: Any) -> tuple:
        return self._run(*inputs)

    forward = __call__

    def __repr__(self) -> str:
        return f"GraphModule({self.graph.name}: {len(self.graph.operations)} operations)"
