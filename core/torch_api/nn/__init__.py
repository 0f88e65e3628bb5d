"""torch.nn: modules, layers, their functions (functional) and initial values (init)."""

from __future__ import annotations

from ..naming import module_getattr
from . import functional, init, modules, parameter, utils
from .modules import LAYERS, Module
from .parameter import Buffer, Parameter

globals().update(LAYERS)

__all__ = ["Buffer", "Module", "Parameter", "functional", "init", "modules", "parameter", "utils", *LAYERS]


__getattr__ = module_getattr(globals())
