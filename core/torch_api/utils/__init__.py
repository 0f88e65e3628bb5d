"""torch.utils: data loading, pytrees, hooks, checkpointing."""

from __future__ import annotations

from ..naming import module_getattr
from . import hooks

__all__ = ["hooks"]
__getattr__ = module_getattr(globals())
