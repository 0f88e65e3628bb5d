"""torch._dynamo.explain: capture a call without keeping it, and say how many graphs it makes and where it breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...graph.printer import graph_text
from ..compile_entry import compile


@dataclass
class ExplainOutput:
    """graphs: the captured graphs in order; break_reasons: one sentence per break; ops_per_graph: operator names."""

    graphs: list[Any] = field(default_factory=list)
    break_reasons: list[str] = field(default_factory=list)
    ops_per_graph: list[list[str]] = field(default_factory=list)

    @property
    def graph_count(self) -> int:
        return len(self.graphs)

    @property
    def graph_break_count(self) -> int:
        return max(0, len(self.graphs) - 1)

    @property
    def op_count(self) -> int:
        return sum(map(len, self.ops_per_graph))

    def __str__(self) -> str:
        lines = [f"Graph Count: {self.graph_count}", f"Graph Break Count: {self.graph_break_count}",
                 f"Op Count: {self.op_count}"]
        lines += [f"Graph {i}:\n{graph_text(g.graph)}" for i, g in enumerate(self.graphs)]
        return "\n".join(lines)


def explain(f: Callable[..., Any], *extra_args: Any, **extra_kwargs: Any) -> Any:
    """`explain(f)(*args)` runs `f` once, compiled with a backend that only collects, and returns an ExplainOutput."""

    def run(*args: Any, **kwargs: Any) -> ExplainOutput:
        found = ExplainOutput()

        def collect(gm: Any, example_inputs: list) -> Callable[..., Any]:
            found.graphs.append(gm)
            found.ops_per_graph.append([n.op.name for n in gm.graph.operations])
            return gm.forward

        compile(f, backend=collect, isolate_recompiles=True)(*args, **kwargs)
        return found

    return run(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else run
