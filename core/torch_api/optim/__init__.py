"""torch.optim: SGD, Adam and AdamW. `step()` uses gradients that are set; nothing computes gradients yet."""

from __future__ import annotations

from ..naming import module_getattr
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
__getattr__ = module_getattr(globals())
