"""torch._dynamo.explain: capture a call without keeping it, and say how many graphs it makes and where it breaks."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...artifacts.logs import OBSERVERS, Observer
from ...graph.printer import graph_text
from ..compile_entry import compile


@dataclass
class BreakReason:
    """One graph break. reason: a sentence; user_stack: where, innermost last."""

    reason: str
    user_stack: list[traceback.FrameSummary]
    graph_break: bool = True


@dataclass
class ExplainOutput:
    """graphs: the captured graphs in order; break_reasons: one per break that was found; ops_per_graph: operator names;
    out_guards: the conditions of all versions as text."""

    graphs: list[Any] = field(default_factory=list)
    break_reasons: list[BreakReason] = field(default_factory=list)
    ops_per_graph: list[list[str]] = field(default_factory=list)
    out_guards: list[str] = field(default_factory=list)

    @property
    def graph_count(self) -> int:
        return len(self.graphs)

    @property
    def graph_break_count(self) -> int:
        return len(self.break_reasons)

    @property
    def op_count(self) -> int:
        return sum(map(len, self.ops_per_graph))

    def __str__(self) -> str:
        lines = [f"Graph Count: {self.graph_count}", f"Graph Break Count: {self.graph_break_count}",
                 f"Op Count: {self.op_count}"]
        lines += ["Break Reasons:"] if self.break_reasons else []
        for i, broken in enumerate(self.break_reasons, 1):
            lines += [f"  {i}. {broken.reason}", *(f"     {f.filename}:{f.lineno}: {f.line}" for f in broken.user_stack)]
        lines += [f"Graph {i}:\n{graph_text(g.graph)}" for i, g in enumerate(self.graphs)]
        lines += ["Guards:", *(f"  {guard}" for guard in self.out_guards)] if self.out_guards else []
        return "\n".join(lines)


def explain(f: Callable[..., Any], *extra_args: Any, **extra_kwargs: Any) -> Any:
    """`explain(f)(*args)` runs `f` once, compiled with a backend that only collects, and returns an ExplainOutput.

    `explain(f, *args)`, the older form, does so at once. Versions that exist are neither used nor dropped.
    After https://docs.pytorch.org/docs/stable/torch.compiler_faq.html.
    """

    def run(*args: Any, **kwargs: Any) -> ExplainOutput:
        found = ExplainOutput()

        def collect(gm: Any, example_inputs: list) -> Callable[..., Any]:
            found.graphs.append(gm)
            found.ops_per_graph.append([n.op.name for n in gm.graph.operations])
            return gm.forward

        observer = Observer()
        OBSERVERS.append(observer)
        try:
            compile(f, backend=collect, isolate_recompiles=True)(*args, **kwargs)
        finally:
            OBSERVERS.remove(observer)
        found.out_guards = observer.guards
        found.break_reasons = [
            BreakReason(f"{b.sentence}; {b.hint}", [traceback.FrameSummary(b.span.file, b.span.line, "")])
            for b in observer.breaks]
        return found

    return run(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else run
