"""torch.compiler: what a script can ask of the compiler and tell it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..artifacts.artifact import Options
from ..artifacts.backends import list_backends, resolve
from ..artifacts.cache import CodeState
from ..artifacts.stance import STANCE
from ..artifacts.stance import set_stance as _switch
from ..events.recorder import RECORDER
from ..tensor.state import STATE
from .compile_entry import OptimizedModule, compile
from .nn import Module

__all__ = ["allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
           "is_dynamo_compiling", "is_exporting", "list_backends", "reset", "set_stance"]


def reset() -> None:
    """Forget every artifact, every remembered size and every skip; compiled callables stay usable."""
    CodeState.reset_all()
    RECORDER.event("reset", "torch.compiler.reset forgot every artifact", {})


def is_compiling() -> bool:
    """True while a function is being captured, False in plain Python."""
    return STATE.tracer is not None


def is_dynamo_compiling() -> bool:
    return STATE.tracer is not None


def is_exporting() -> bool:
    return False


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Never capture `fn`: calling it from compiled code is a graph break. With recursive=False the functions that it calls
    there are compiled on their own. Also a decorator, with or without arguments.

    Of a class the constructor and `__call__` are disabled, and the class is returned; of a module comes a module that holds
    it and runs it as plain Python. torch.compile of what this returns compiles the original.
    After https://docs.pytorch.org/docs/stable/generated/torch.compiler.disable.html.
    Raises TypeError when `fn` is not callable.
    """
    if fn is None or isinstance(fn, bool):
        return lambda target: disable(target, recursive, reason=reason)
    if not callable(fn):
        raise TypeError(f"torch.compiler.disable got {type(fn).__name__}, expected something that can be called")
    why = reason or ("recursive" if recursive else "not recursive")
    if isinstance(fn, type):
        for name in ("__init__", "__call__"):
            own = getattr(fn, name, None)
            if isinstance(own, FunctionType):
                setattr(fn, name, disable(own, recursive, reason=reason))
        return fn
    if isinstance(fn, Module):
        return DisabledModule(fn._orig_mod if isinstance(fn, OptimizedModule) else fn, why)
    inner = getattr(fn, "_guardscope_compiled", fn)

    @functools.wraps(inner)
    def disabled(*args: Any, **kwargs: Any) -> Any:
        return inner(*args, **kwargs)

    disabled._guardscope_disable = why                         # type: ignore[attr-defined]
    disabled._guardscope_routed = not recursive                # type: ignore[attr-defined]
    disabled._torchdynamo_orig_callable = inner                # type: ignore[attr-defined]
    disabled._torchdynamo_disable = True                       # type: ignore[attr-defined]
    return disabled


class DisabledModule(OptimizedModule):
    """A module that runs as plain Python also where it is called from compiled code."""

    _torchdynamo_disable = True

    def __init__(self, module: Module, why: str) -> None:
        super().__init__(module, Options(backend="eager"))
        self.__dict__["_why"] = why

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._modules["_orig_mod"](*args, **kwargs)

    __call__._guardscope_disable = "a module"                  # type: ignore[attr-defined]


def allow_in_graph(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Trace through `fn`. Here every function whose source is known is traced already, so it is returned as it is."""
    return fn


def assume_constant_result(fn: Callable[..., Any]) -> Callable[..., Any]:
    """PyTorch bakes the result in without a guard, which can go stale; here the call is captured like any other."""
    return fn


def cudagraph_mark_step_begin() -> None:
    """Nothing to mark: there are no CUDA graphs."""


class set_stance(contextlib.ContextDecorator):
    """What compiled callables do: "default", "force_eager" (run as plain Python), "eager_on_recompile" (reuse, else plain
    Python), "fail_on_recompile" (reuse, else RuntimeError), "eager_then_compile" and "aot_eager_then_compile" (a first call
    as plain Python, whose arguments count as seen, so that the second compiles dynamically where they differ).

    force_backend: compile with this backend whatever torch.compile was given (with the default stance only).
    skip_guard_eval_unsafe is accepted: guards are checked all the same, since a wrong reuse is worse than a slow call.
    Takes effect when called; as a context manager or decorator it is undone at the end.
    After https://docs.pytorch.org/docs/stable/generated/torch.compiler.set_stance.html.
    Raises RuntimeError for an unknown stance, or force_backend with another one than the default.
    """

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None) -> None:
        if callable(stance):
            raise RuntimeError("set_stance got a function; as a decorator it takes a stance: @set_stance('force_eager')")
        if force_backend is not None:
            resolve(force_backend)
        self.stance, self.backend = stance, force_backend
        self.before = _switch(stance, force_backend)

    def __enter__(self) -> set_stance:
        _switch(self.stance, self.backend)
        return self

    def __exit__(self, *exc: object) -> None:
        _switch(self.before.name, self.before.backend)

    def __call__(self, func: Any) -> Any:
        _switch(self.before.name, self.before.backend)
        return super().__call__(func)


def get_stance() -> str:
    return STANCE.name
