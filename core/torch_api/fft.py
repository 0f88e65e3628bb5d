"""torch.fft: the operators of the table that PyTorch keeps under this name."""

from __future__ import annotations

import types

from .functions import submodules
from .naming import module_getattr

_module = submodules().get("fft", types.ModuleType("fft"))
_found = {k: v for k, v in vars(_module).items() if not k.startswith("_")}
globals().update(_found)

__all__ = list(_found)
__getattr__ = module_getattr(globals())
