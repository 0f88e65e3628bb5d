"""torch.profiler: labels of code pass; profiles are what a recorded session is."""

from __future__ import annotations

import enum
from contextlib import ContextDecorator
from typing import Any

from .naming import module_getattr, not_yet, present

_RECORD = "record a session (main.py run) and read times in the window"


class ProfilerActivity(enum.Enum):
    """What a profile could watch."""

    CPU = 0
    CUDA = 2
    XPU = 1


class record_function(ContextDecorator):
    """`with record_function("name"):` and @record_function: a label without effect."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *exc: Any) -> None:
        """Nothing was started."""


profile = not_yet("torch.profiler.profile", _RECORD)
schedule = not_yet("torch.profiler.schedule", _RECORD)
tensorboard_trace_handler = not_yet("torch.profiler.tensorboard_trace_handler", _RECORD)
present(globals())
__getattr__ = module_getattr(globals())
