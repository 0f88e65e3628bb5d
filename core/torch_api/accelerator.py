"""torch.accelerator: there is none to put tensors on yet, so scripts choose the CPU by themselves."""

from __future__ import annotations

from typing import Any

from ..errors import NotYetSupported
from .naming import module_getattr, present


def is_available() -> bool:
    return False


def current_accelerator(check_available: bool = False) -> None:
    return None


def device_count() -> int:
    return 0


def synchronize(device: Any = None) -> None:
    raise NotYetSupported("torch.accelerator has no device in Guardscope yet: test torch.accelerator.is_available().")


present(globals())
__getattr__ = module_getattr(globals())
