"""torch._C: the few names of PyTorch's own extension that model code asks."""

from __future__ import annotations

from typing import Any

from ..ops.linalg import LinAlgError as _LinAlgError
from ..tensor.generator import Generator
from ..tensor.tensor import Tensor
from .import_only import absent_class
from .naming import module_getattr, present

_OURS = "use the public names of torch"
Value = absent_class("Value", _OURS, "torch._C")
Graph = absent_class("Graph", _OURS, "torch._C")
Node = absent_class("Node", _OURS, "torch._C")
ScriptObject = absent_class("ScriptObject", _OURS, "torch._C")
ScriptModule = absent_class("ScriptModule", _OURS, "torch._C")
TensorBase = Tensor
_TensorBase = Tensor


def _get_tracing_state() -> None:
    """Nothing is traced by torch.jit."""


def _log_api_usage_once(event: str) -> None:
    """Nothing is logged."""


def _set_graph_executor_optimize(enabled: bool) -> None:
    """Accepted and without effect."""


def _jit_set_profiling_executor(enabled: bool) -> bool:
    """Accepted and without effect."""
    return False


def _jit_set_profiling_mode(enabled: bool) -> bool:
    """Accepted and without effect."""
    return False


def _is_tracing() -> bool:
    return False


def _has_torch_function(values: Any) -> bool:
    return False


__all__ = ["Generator", "_LinAlgError"]
present(globals())
__getattr__ = module_getattr(globals())
