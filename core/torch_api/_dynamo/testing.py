"""torch._dynamo.testing: the counting backend that people use to count compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class CompileCounter:
    """A backend that runs graphs on NumPy and counts them: `frame_count` graphs with `op_count` operations in all."""

    def __init__(self) -> None:
        self.clear()

    def __call__(self, gm: Any, example_inputs: list) -> Callable[..., Any]:
        self.frame_count += 1
        self.op_count += len(gm.graph.operations)
        return gm.forward

    def clear(self) -> None:
        self.frame_count = 0
        self.op_count = 0


class CompileCounterWithBackend(CompileCounter):
    """As CompileCounter; keeps the graphs too. The named backend is accepted for its name."""

    def __init__(self, backend: str) -> None:
        super().__init__()
        self.backend = backend
        self.graphs: list[Any] = []

    def __call__(self, gm: Any, example_inputs: list) -> Callable[..., Any]:
        self.graphs.append(gm)
        return super().__call__(gm, example_inputs)
