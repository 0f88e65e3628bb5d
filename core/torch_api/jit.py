"""torch.jit: only what model files use at import. Decorators hand the function back; nothing is scripted."""

from __future__ import annotations

from typing import Any, Final

from .naming import module_getattr, not_yet, present

__all__ = ["Final"]


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



trace = not_yet("torch.jit.trace", "use torch.compile, which captures the same computation with guards")
trace_module = not_yet("torch.jit.trace_module", "use torch.compile")
load = not_yet("torch.jit.load", "build the model in Python and load its state_dict")
save = not_yet("torch.jit.save", "keep the model's state_dict")
freeze = not_yet("torch.jit.freeze", "use torch.compile on model.eval()")

present(globals())
__getattr__ = module_getattr(globals())
