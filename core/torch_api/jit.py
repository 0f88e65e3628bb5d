"""torch.jit: only what model files use at import. Decorators hand the function back; nothing is scripted."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Final

from .futures import Future as _Future
from .naming import module_getattr, not_yet, present
from .nn.modules.module import Module

__all__ = ["Final", "ScriptModule", "fork", "wait"]


def is_scripting() -> bool:
    return False


def is_tracing() -> bool:
    return False


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """A decorator, with or without arguments."""
    return drop if callable(drop) else lambda fn: fn


def export(fn: Any) -> Any:
    return fn


def unused(fn: Any) -> Any:
    return fn


def script(obj: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns `obj` unchanged: it runs as Python, or compiled by torch.compile."""
    return obj


def script_method(fn: Any) -> Any:
    return fn


def script_if_tracing(fn: Any) -> Any:
    return fn


def interface(cls: Any) -> Any:
    return cls


def annotate(the_type: Any, the_value: Any) -> Any:
    return the_value



class ScriptModule(Module):
    """The class of scripted modules. Nothing is scripted here, so only a script's own subclasses are of it."""


class RecursiveScriptModule(ScriptModule):
    """As ScriptModule."""


class ScriptFunction:
    """The class of scripted functions: there are none."""


class Future(_Future):
    """The result of fork()."""


def fork(func: Any, *args: Any, **kwargs: Any) -> Future:
    """Runs `func` at once; the result is there when wait() asks."""
    out = Future()
    out.set_result(func(*args, **kwargs))
    return out


def wait(future: Any) -> Any:
    """The result of fork()."""
    return future.wait()


def _overload(fn: Any) -> Any:
    return fn


def _overload_method(fn: Any) -> Any:
    return fn


def _script_if_tracing(fn: Any) -> Any:
    return fn


def _unwrap_optional(x: Any) -> Any:
    """The value itself. AssertionError for None."""
    if x is None:
        raise AssertionError("Unwrapping null optional")
    return x


def isinstance_(obj: Any, target_type: Any) -> bool:
    """isinstance under the name that TorchScript uses."""
    return isinstance(obj, target_type)


def Attribute(value: Any, type: Any) -> Any:
    """The value itself."""
    return value


def set_fusion_strategy(strategy: Any) -> Any:
    """Accepted and without effect."""
    return strategy


def enable_onednn_fusion(enabled: bool) -> None:
    """Accepted and without effect."""


def optimized_execution(should_optimize: bool) -> Any:
    """A context manager without effect."""
    return nullcontext()


def fuser(name: str) -> Any:
    """As optimized_execution."""
    return nullcontext()


trace = not_yet("torch.jit.trace", "use torch.compile, which captures the same computation with guards")
trace_module = not_yet("torch.jit.trace_module", "use torch.compile")
load = not_yet("torch.jit.load", "build the model in Python and load its state_dict")
save = not_yet("torch.jit.save", "keep the model's state_dict")
freeze = not_yet("torch.jit.freeze", "use torch.compile on model.eval()")

present(globals())
__getattr__ = module_getattr(globals())
