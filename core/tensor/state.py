"""The global modes a script can switch (grad mode, default dtype, ...), as one interned object.

A guard on all of them is one identity test: `STATE.mode is M`. `EPOCH` changes whenever the structure of any nn.Module
(parameters, buffers, submodules) or the metadata of an existing tensor changes, so that an artifact that bound
module parameters can check all of them with one identity test.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from . import devices, dtypes


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


STATE = State()
