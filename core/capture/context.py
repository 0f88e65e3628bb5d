"""What the engine tells the evaluator (CaptureContext), and what the evaluator hands back (Captured)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..graph.node import Graph
from ..guards.guard import Guard
from ..guards.origin import Origin
from ..symbolic.shape_env import ShapeEnv
from .breaks import BreakInfo


class SizePolicy(Protocol):
    """Which sizes and numbers become symbols. `duck`: equal sizes share one (dynamic=True)."""

    @property
    def duck(self) -> bool: ...

    def size_is_dynamic(self, origin: Origin, dim: int, size: int, tensor: Any) -> bool: ...

    def int_is_dynamic(self, origin: Origin, value: int) -> bool: ...

    def float_is_dynamic(self, origin: Origin, value: float) -> bool: ...


@dataclass
class CaptureContext:
    """One capture's rules. `rt` is bound to `__rt` in generated code: `rt.call(f, *args)` routes a call of natively run
    code, `rt.resume(unit, fn)` makes a continuation callable. `max_depth` bounds nested inlining."""

    policy: SizePolicy
    rt: Any
    fullgraph: bool = False
    should_inline: Callable[[Any], bool] = lambda function: True
    is_disabled: Callable[[Any], bool] = lambda function: False
    max_depth: int = 60
    scalar_outputs: bool = False        # numbers read out of tensors stay in the graph
    strict: bool = False        # raise faults of the evaluator itself instead of running the frame natively


@dataclass
class Captured:
    """The outcome of one capture.

    globals_slots: name in generated code -> object (the globals dicts `__G`, `__G_1`, ... and pinned objects).
    reads: (origin text, "checked" | "input" | "constant: why"). tensors: origin of each tensor input -> the tensor.
    kinds: parameter -> "plain" (a number, text or None), "tensor", or its type's name. continuations: the functions that the
    entry goes on with after a break, as text.
    """

    graph: Graph
    guards: list[Guard]
    env: ShapeEnv
    globals_slots: dict[str, Any]
    entry_source: str
    make_entry: Callable[..., Callable[..., Any]]        # (graph's callable or None, GuardProgram.covers): entry_source
    break_: BreakInfo | None = None
    reads: list[tuple[str, str]] = field(default_factory=list)
    tensors: dict[Origin, Any] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    examples: tuple = ()
    continuations: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The artifact as Python: its entry, and the continuations that the entry goes on with."""
        return "\n\n".join([self.entry_source, *self.continuations])

    @property
    def ops(self) -> int:
        """Number of operators in the graph."""
        return len(self.graph.operations)

    def example_inputs(self, fn: Any, args: tuple) -> tuple:
        """The real inputs of the graph for the call that was captured, in the order of `graph.inputs`."""
        return self.examples
