"""torch.nn.functional: the names from the table of operators, and compositions of them."""

from __future__ import annotations

from ...ops.autocast import FLOAT32_FUNCTIONS, in_float32
from ..functions import functional_names
from ..naming import adopt, module_getattr, public
from . import loss_functions, other_functions, resize_functions

FUNCTIONS = {name: value for home in (loss_functions, other_functions, resize_functions) for name, value in vars(home).items()
             if getattr(value, "__module__", None) == public(home.__name__) and not name.startswith("_")
             and name != "reduced"}
FUNCTIONS.update({name: in_float32(FUNCTIONS[name]) for name in FLOAT32_FUNCTIONS if name in FUNCTIONS})
FUNCTIONS.update(functional_names())  # where the table has an operator of the name, that one is it
for _value in FUNCTIONS.values():
    if _value.__module__.startswith("torch.nn."):
        _value.__module__ = "torch.nn.functional"
adopt(FUNCTIONS.values(), "torch.nn.functional")
globals().update(FUNCTIONS)

__all__ = list(FUNCTIONS)
__getattr__ = module_getattr(globals())
