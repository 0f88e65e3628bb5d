"""torch.linalg: the operators of the table that PyTorch keeps under this name."""

from __future__ import annotations

from ..ops.linalg import LinAlgError
from .functions import submodules
from .naming import module_getattr

_found = {k: v for k, v in vars(submodules()["linalg"]).items() if not k.startswith("_")}
globals().update(_found)

__all__ = [*_found, "LinAlgError"]
__getattr__ = module_getattr(globals())
