"""torch.return_types: the named tuples that operators with several results return."""

from __future__ import annotations

from .functions import submodules
from .naming import module_getattr

globals().update({k: v for k, v in vars(submodules()["return_types"]).items() if not k.startswith("_")})
__getattr__ = module_getattr(globals())
