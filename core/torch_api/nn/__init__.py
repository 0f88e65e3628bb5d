"""torch.nn: modules, layers, their functions (functional) and initial values (init)."""

from __future__ import annotations

from ..naming import module_getattr
from . import functional, init, modules, parameter, utils
from .modules import LAYERS, Module
from .modules.lazy import UninitializedParameter
from .parameter import Buffer, Parameter

globals().update(LAYERS)
Container = Module

__all__ = ["Buffer", "Module", "Parameter", "UninitializedParameter", "functional", "init", "modules",
           "parameter", "utils", *LAYERS]


__getattr__ = module_getattr(globals())
