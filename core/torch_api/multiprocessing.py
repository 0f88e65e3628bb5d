"""torch.multiprocessing: Python's multiprocessing under PyTorch's name. Tensors travel by pickling, not in shared memory."""

from __future__ import annotations

import multiprocessing as _python
from multiprocessing import (  # noqa: F401
    Event,
    Lock,
    Manager,
    Pool,
    Process,
    Queue,
    SimpleQueue,
    Value,
    cpu_count,
    current_process,
    get_context,
    get_start_method,
    set_start_method,
)
from typing import Any

from .naming import module_getattr, not_yet, present

spawn = not_yet("torch.multiprocessing.spawn", "call the function itself: Guardscope runs one process")
_strategy = {"name": "file_system"}


def get_all_sharing_strategies() -> set[str]:
    return {"file_system"}


def get_sharing_strategy() -> str:
    return _strategy["name"]


def set_sharing_strategy(new_strategy: str) -> None:
    """Kept; tensors travel by pickling."""
    _strategy["name"] = new_strategy


def _missing(name: str) -> Any:
    return getattr(_python, name, NotImplemented)


present(globals())
__getattr__ = module_getattr(globals(), _missing)
