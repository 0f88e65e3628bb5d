"""torch.optim: optimizers and schedulers. `step()` uses gradients that are set; nothing computes gradients yet."""

from __future__ import annotations

from ..naming import module_getattr
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .others import ASGD, LBFGS, Adadelta, Adafactor, Adagrad, Adamax, Muon, NAdam, RAdam, RMSprop, Rprop, SparseAdam
from .sgd import SGD

__all__ = ["ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Muon", "NAdam",
           "Optimizer", "RAdam", "RMSprop", "Rprop", "SparseAdam"]
__getattr__ = module_getattr(globals())
