"""The global modes a script can switch (grad mode, default dtype, ...), as one interned object.

A guard on all of them is one identity test: `STATE.mode is M`. `EPOCH` changes whenever the structure of any nn.Module
(parameters, buffers, submodules) or the metadata of an existing tensor changes, so that an artifact that bound
module parameters can check all of them with one identity test.

As in PyTorch, modes belong to a thread, but the default dtype and deterministic algorithms to the process. While the script
has one thread, the modes are plain attributes; then `State` becomes `StateInThreads`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from . import devices, dtypes
from .threads import THREADS


class Mode(NamedTuple):
    """One combination of global modes. Always taken from `intern`, so that equal modes are the same object."""

    grad_enabled: bool = True
    inference: bool = False
    default_dtype: dtypes.dtype = dtypes.float32
    default_device: devices.device = devices.CPU
    deterministic: bool = False
    autocast: tuple[str, dtypes.dtype] | None = None


_MODES: dict[Mode, Mode] = {}


def intern(mode: Mode) -> Mode:
    return _MODES.setdefault(mode, mode)


class State:
    """The process's current mode and module epoch. `tracer` is set while torch functions run on fake tensors."""

    __slots__ = ("mode", "epoch", "tracer")

    def __init__(self) -> None:
        self.mode: Mode = intern(Mode())
        self.epoch: object = object()
        self.tracer: Any = None

    def set(self, **changes: Any) -> Mode:
        """Switch modes; returns the previous mode so that a context manager can restore it."""
        before = self.mode
        self.mode = intern(before._replace(**changes))
        return before

    def bump_epoch(self) -> None:
        self.epoch = object()

    def share(self) -> Callable[[], None]:
        """For a helper thread that takes turns with this one: what it calls first, to see and set this thread's modes."""
        return lambda: None


class Own:
    """The modes of one thread. `common`: the process-wide part that `mode` was last brought up to."""

    __slots__ = ("mode", "tracer", "common")

    def __init__(self, mode: Mode, tracer: Any, common: tuple) -> None:
        self.mode, self.tracer, self.common = mode, tracer, common


class _Here(threading.local):
    own: Own | None = None


_HERE = _Here()
_COMMON: list[tuple] = [()]           # (default dtype, deterministic) of the process, a new tuple per change


def own_modes() -> Own:
    """The running thread's modes; a new thread starts with the defaults."""
    own, common = _HERE.own, _COMMON[0]
    if own is None:
        own = _HERE.own = Own(intern(Mode()), None, ())
    if own.common is not common:
        own.mode = intern(own.mode._replace(default_dtype=common[0], deterministic=common[1]))
        own.common = common
    return own


class StateInThreads(State):
    """State once the script has several threads."""

    __slots__ = ()

    @property
    def mode(self) -> Mode:
        return own_modes().mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        own, common = own_modes(), (mode.default_dtype, mode.deterministic)
        own.mode = mode
        if common != own.common:
            own.common = _COMMON[0] = common

    @property
    def tracer(self) -> Any:
        return own_modes().tracer

    @tracer.setter
    def tracer(self, tracer: Any) -> None:
        own_modes().tracer = tracer

    def share(self) -> Callable[[], None]:
        own = own_modes()
        return lambda: setattr(_HERE, "own", own)


STATE = State()


def _split() -> None:
    """Give every thread modes of its own; the running thread keeps those of the process."""
    mode, tracer = STATE.mode, STATE.tracer
    _COMMON[0] = (mode.default_dtype, mode.deterministic)
    _HERE.own = Own(mode, tracer, _COMMON[0])
    STATE.__class__ = StateInThreads


THREADS.when_several(_split)
