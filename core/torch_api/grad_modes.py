"""Switches of the global modes: no_grad, enable_grad, inference_mode, default dtype, ... as PyTorch spells them.

All of them change `STATE.mode`; the context managers also work as decorators.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

from ..tensor.devices import CPU, device
from ..tensor.dtypes import dtype
from ..tensor.state import STATE


class _ModeSwitch:
    """Switches modes while inside; a decorator too. Subclasses say what to switch in `changes`."""

    changes: dict[str, Any] = {}

    def __init__(self) -> None:
        self._before: list[Any] = []

    def __enter__(self) -> _ModeSwitch:
        self._before.append(STATE.set(**self.changes))
        return self

    def __exit__(self, *exc: object) -> None:
        before = self._before.pop()
        STATE.set(**{k: getattr(before, k) for k in self.changes})

    def clone(self) -> _ModeSwitch:
        """A fresh switch with the same arguments, one per call of a decorated function."""
        return type(self)()

    def __call__(self, fn: Any) -> Any:
        if inspect.isclass(fn):
            setattr(fn, "__init__", self(fn.__init__))  # noqa: B010
            return fn
        if inspect.isgeneratorfunction(fn):
            @functools.wraps(fn)
            def generate(*args: Any, **kwargs: Any) -> Any:
                inner = fn(*args, **kwargs)
                sent: Any = None
                while True:
                    with self.clone():
                        try:
                            item = inner.send(sent)
                        except StopIteration as stop:
                            return stop.value
                    sent = yield item
            return generate

        @functools.wraps(fn)
        def switched(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return fn(*args, **kwargs)
        return switched


class _Bare(_ModeSwitch):
    """`@torch.no_grad` without parentheses decorates too."""

    def __new__(cls, fn: Any = None) -> Any:
        made = object.__new__(cls)
        if fn is not None:
            _ModeSwitch.__init__(made)
            return made(fn)
        return made

    def __init__(self, fn: Any = None) -> None:
        super().__init__()


class no_grad(_Bare):
    """No result requires grad inside."""

    __module__ = "torch"
    changes = {"grad_enabled": False}


class enable_grad(_Bare):
    """Results may require grad inside."""

    __module__ = "torch"
    changes = {"grad_enabled": True}


class set_grad_enabled(_ModeSwitch):
    """Switches at once; as a context manager it switches back at the end."""

    __module__ = "torch"

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode = bool(mode)
        self.changes = {"grad_enabled": self.mode}
        self._outside = STATE.set(grad_enabled=self.mode)

    def __enter__(self) -> set_grad_enabled:
        self._before.append(self._outside)
        STATE.set(**self.changes)
        return self

    def __call__(self, fn: Any) -> Any:
        STATE.set(grad_enabled=self._outside.grad_enabled)
        return super().__call__(fn)

    def clone(self) -> set_grad_enabled:
        return set_grad_enabled(self.mode)


class inference_mode(_ModeSwitch):
    """no_grad, and more checks in PyTorch; `inference_mode(False)` switches back to the usual mode inside."""

    __module__ = "torch"

    def __new__(cls, mode: Any = True) -> Any:
        made = object.__new__(cls)
        if callable(mode):
            _ModeSwitch.__init__(made)
            made._set(True)
            return made(mode)
        return made

    def __init__(self, mode: Any = True) -> None:
        super().__init__()
        self._set(bool(mode))

    def _set(self, mode: bool) -> None:
        self.mode = mode
        self.changes = {"inference": mode, "grad_enabled": not mode}

    def clone(self) -> inference_mode:
        return inference_mode(self.mode)


def is_grad_enabled() -> bool:
    """Whether results may require grad now."""
    return STATE.mode.grad_enabled


def is_inference_mode_enabled() -> bool:
    """Whether inference_mode is active."""
    return STATE.mode.inference


def get_default_dtype() -> dtype:
    """The floating dtype of new tensors."""
    return STATE.mode.default_dtype


def set_default_dtype(d: dtype) -> None:
    """Change the floating dtype of new tensors. TypeError if `d` is not a floating dtype."""
    if not isinstance(d, dtype) or d.category != 2:
        raise TypeError(f"only floating-point types are supported as the default type, but got {d}")
    STATE.set(default_dtype=d)


def get_default_device() -> device:
    """The device of new tensors."""
    return STATE.mode.default_device


def set_default_device(where: Any) -> None:
    """Change the device of new tensors."""
    STATE.set(default_device=CPU if where is None else device(where))


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Record that deterministic algorithms are wanted (all of ours are)."""
    STATE.set(deterministic=bool(mode))


def are_deterministic_algorithms_enabled() -> bool:
    """What use_deterministic_algorithms recorded."""
    return STATE.mode.deterministic


def set_float32_matmul_precision(precision: str) -> None:
    """Accepted and without effect: products of float32 are computed in float32."""
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(f"{precision!r} is not one of 'highest', 'high', 'medium'")


def get_float32_matmul_precision() -> str:
    """Always "highest"."""
    return "highest"


NAMES: dict[str, Any] = {f.__name__: f for f in (
    no_grad, enable_grad, set_grad_enabled, inference_mode, is_grad_enabled, is_inference_mode_enabled, get_default_dtype,
    set_default_dtype, get_default_device, set_default_device, use_deterministic_algorithms,
    are_deterministic_algorithms_enabled, set_float32_matmul_precision, get_float32_matmul_precision)}
