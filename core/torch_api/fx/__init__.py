"""torch.fx: what backends and decorators name. Graphs are captured by torch.compile; nothing is traced symbolically here."""

from __future__ import annotations

from typing import Any

from ...graph.module import GraphModule
from ...graph.node import Graph, Node
from ..import_only import absent_class
from ..naming import module_getattr, not_yet, present

_COMPILE = "use torch.compile, whose backends get a GraphModule"
Tracer = absent_class("Tracer", _COMPILE, "torch.fx")
Proxy = absent_class("Proxy", _COMPILE, "torch.fx")
Interpreter = absent_class("Interpreter", "call the GraphModule", "torch.fx")
Transformer = absent_class("Transformer", "change the script", "torch.fx")
symbolic_trace = not_yet("torch.fx.symbolic_trace", _COMPILE)
replace_pattern = not_yet("torch.fx.replace_pattern", "change the script")


def wrap(fn_or_name: Any) -> Any:
    """A decorator for functions that a symbolic trace must not enter: hands the function back."""
    return fn_or_name


def has_side_effect(fn: Any) -> Any:
    """As wrap."""
    return fn


__all__ = [
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "Tracer",
    "Transformer",
    "has_side_effect",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]
present(globals())
__getattr__ = module_getattr(globals())
