"""torch.xpu: Intel GPUs as tensor devices do not exist here."""

from __future__ import annotations

from .naming import module_getattr, present


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


present(globals())
__getattr__ = module_getattr(globals())
