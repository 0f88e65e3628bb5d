"""torch._dynamo: marks on dimensions, reset, explain, configuration, under the names scripts use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...artifacts.backends import list_backends, register_backend
from ...artifacts.config import CONFIG as config
from ..compile_entry import OptimizedModule
from ..compile_entry import compile as _compile
from ..compiler import allow_in_graph, disable, is_compiling, reset, set_stance
from . import decorators, eval_frame, exc, testing, utils
from .decorators import mark_dynamic, mark_static, mark_static_address, mark_unbacked, maybe_mark_dynamic
from .explain import explain

__all__ = ["OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "decorators", "disable", "eval_frame",
           "exc", "explain", "forbid_in_graph", "graph_break", "is_compiling", "list_backends", "mark_dynamic",
           "mark_static", "mark_static_address", "mark_unbacked", "maybe_mark_dynamic", "optimize",
           "register_backend", "reset", "reset_code_caches", "set_stance", "testing", "utils"]


def graph_break(msg: str = "") -> None:
    """End the graph here. In plain Python: nothing."""


graph_break._guardscope_break = True  # type: ignore[attr-defined]


def reset_code_caches() -> None:
    reset()


def forbid_in_graph(fn: Callable[..., Any]) -> Callable[..., Any]:
    return disable(fn)


def assume_constant_result(fn: Callable[..., Any]) -> Callable[..., Any]:
    return fn


def optimize(backend: Any = "inductor", *, nopython: bool = False, dynamic: bool | None = None, **_: Any) -> Callable[..., Any]:
    """The old spelling of torch.compile: `torch._dynamo.optimize("eager")(fn)`."""
    return lambda fn: _compile(fn, backend=backend, fullgraph=nopython, dynamic=dynamic)
