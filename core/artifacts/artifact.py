"""One cache entry: the guards under which it holds, the generated Python that runs it, and what people want to know."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Options:
    """What torch.compile was given. Wrappers with equal `key()` share the artifacts of a code object; `fullgraph` does
    not count, because a graph captured whole is the same graph."""

    dynamic: bool | None = None
    fullgraph: bool = False
    backend: Any = "opencl"
    mode: str | None = None
    options: tuple = ()
    recompile_limit: int | None = None
    isolate: object = None

    def key(self) -> tuple:
        backend = self.backend                   # the object itself: an id could be another's by now
        if not isinstance(backend, Hashable):
            backend = (id(backend), type(backend))
        return (self.dynamic, backend, self.mode, self.options, self.isolate)


@dataclass(slots=True, eq=False)
class Artifact:
    """`entry(__fn, *params)` runs the graph, replays effects and returns; `check` is None when every guard holds.

    `rest` checks what a hit on the tensors' metadata does not already prove (None: nothing is left to check).
    """

    id: int                       # number in the session, or a process-wide counter when nothing is recorded
    version: int                  # 0, 1, 2, ... within its code object
    options_key: tuple
    guards: Any                   # GuardProgram
    check: Callable[..., int | None]
    entry: Callable[..., Any]
    graph: Any = None             # Graph, or None when there was nothing for the backend
    ends_in_break: bool = False
    native: bool = False          # nothing to compile: the entry is plain Python, and no place of the limit is used
    captured: Any = None
    kernels: list = field(default_factory=list)
    isolate: object = None        # the torch.compile call it belongs to, if that asked for isolate_recompiles
    because: tuple[str, ...] = ()  # what differed from the nearest version when this one was compiled
    stamp: int = 0                # larger = used more recently
    hits: int = 0

    @property
    def has_graph(self) -> bool:
        return self.graph is not None
