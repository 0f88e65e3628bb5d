"""torch._dynamo: marks on dimensions, reset, explain, configuration, under the names scripts use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...artifacts.backends import list_backends, register_backend
from ...artifacts.config import CONFIG as config
from ...tensor.meta import Marks
from ...tensor.state import STATE
from ...tensor.tensor import Tensor
from ..compile_entry import OptimizedModule
from ..compile_entry import compile as _compile
from ..compiler import allow_in_graph, disable, is_compiling, reset, set_stance
from . import eval_frame, exc, testing, utils
from .explain import explain

__all__ = ["OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "eval_frame", "exc", "explain",
           "forbid_in_graph", "graph_break", "is_compiling", "list_backends", "mark_dynamic", "mark_static",
           "mark_static_address", "mark_unbacked", "maybe_mark_dynamic", "optimize", "register_backend", "reset",
           "reset_code_caches", "set_stance", "testing", "utils"]


def _dims(tensor: Any, index: Any) -> frozenset:
    """The dimensions named by `index` (an int, or a list or tuple of ints). Raises IndexError beyond the rank."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"a mark goes on a Tensor, got {type(tensor).__name__}")
    wanted = index if isinstance(index, tuple | list | set | frozenset) else [index]
    for dim in wanted:
        if not -tensor.ndim <= dim < tensor.ndim:
            raise IndexError(f"cannot mark dimension {dim} of a tensor with {tensor.ndim} dimensions; expected "
                             f"{-tensor.ndim} to {tensor.ndim - 1}")
    return frozenset(d % tensor.ndim for d in wanted)


def _remark(tensor: Any, **sets: frozenset) -> None:
    marks = tensor._meta.marks
    fields = {name: getattr(marks, name) | sets.get(name, frozenset()) for name in ("dynamic", "maybe", "static")}
    tensor._meta = tensor._meta.replace(marks=Marks(**fields))
    STATE.bump_epoch()


def mark_dynamic(t: Any, index: Any, *, min: int | None = None, max: int | None = None, **_: Any) -> None:
    """Dimension `index` of `t` is symbolic from the first compile on; an error if the script allows one value only."""
    _remark(t, dynamic=_dims(t, index))


def maybe_mark_dynamic(t: Any, index: Any) -> None:
    """As mark_dynamic, but the compiler may specialise the dimension without an error."""
    _remark(t, maybe=_dims(t, index))


def mark_unbacked(t: Any, index: Any, **_: Any) -> None:
    """As maybe_mark_dynamic: sizes here always have a value to decide by."""
    _remark(t, maybe=_dims(t, index))


def mark_static(t: Any, index: Any = None) -> None:
    """Dimension `index` of `t` (all when None) is never symbolic. For an nn.Module class or instance: accepted, no effect."""
    if not isinstance(t, Tensor):
        return
    _remark(t, static=_dims(t, list(range(t.ndim)) if index is None else index))


def mark_static_address(t: Any, guard: bool = True) -> None:
    """For CUDA graphs in PyTorch; there are none here."""


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
