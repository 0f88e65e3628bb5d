"""All layers, by the names that torch.nn has them under."""

from __future__ import annotations

from ...naming import module_getattr, public
from . import (
    activation,
    attention,
    batchnorm,
    container,
    conv,
    dropout,
    flatten,
    lazy,
    linear,
    loss,
    margin_loss,
    module,
    normalization,
    padding,
    parameter_containers,
    pooling,
    resampling,
    rnn,
    sparse,
    transformer,
    unsupported,
    utils,
)
from .module import Module

_HOMES = (activation, attention, batchnorm, container, conv, dropout, flatten, lazy, linear, loss, margin_loss, normalization,
          padding, parameter_containers, pooling, resampling, rnn, sparse, transformer, unsupported)
LAYERS: dict[str, type] = {
    name: value for home in _HOMES for name, value in vars(home).items()
    if isinstance(value, type) and issubclass(value, Module) and not name.startswith("_")
    and value.__module__ == public(home.__name__)}
globals().update(LAYERS)

__all__ = ["LAYERS", "Module", "module", "utils"]
__getattr__ = module_getattr(globals())
