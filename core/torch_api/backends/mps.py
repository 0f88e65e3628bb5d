"""torch.backends.mps: Metal does not take part here."""

from __future__ import annotations

from ..naming import module_getattr, present


def is_available() -> bool:
    """Whether PyTorch's Metal backend exists: never."""
    return False


def is_built() -> bool:
    return False


present(globals())
__getattr__ = module_getattr(globals())
