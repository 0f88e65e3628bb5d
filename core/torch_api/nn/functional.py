"""torch.nn.functional: the names from the table of operators, and compositions of them."""

from __future__ import annotations

from ...ops.autocast import FLOAT32_FUNCTIONS, in_float32
from ..functions import functional_names
from ..naming import adopt, module_getattr, public
from . import (
    attention_functions,
    bag_functions,
    loss_functions,
    margin_losses,
    other_functions,
    random_functions,
    resize_functions,
    sampling_functions,
)

_HOMES = (attention_functions, bag_functions, loss_functions, margin_losses, other_functions, random_functions,
          resize_functions, sampling_functions)

FUNCTIONS = {name: value for home in _HOMES for name, value in vars(home).items()
             if getattr(value, "__module__", None) == public(home.__name__) and not name.startswith("_")
             and name not in ("reduced", "additive")}
FUNCTIONS.update({name: in_float32(FUNCTIONS[name]) for name in FLOAT32_FUNCTIONS if name in FUNCTIONS})
FUNCTIONS.update(functional_names())  # where the table has an operator of the name, that one is it
for _value in FUNCTIONS.values():
    if _value.__module__.startswith("torch.nn."):
        _value.__module__ = "torch.nn.functional"
adopt(FUNCTIONS.values(), "torch.nn.functional")
globals().update(FUNCTIONS)
GRID_SAMPLE_INTERPOLATION_MODES = sampling_functions.GRID_SAMPLE_INTERPOLATION_MODES
GRID_SAMPLE_PADDING_MODES = sampling_functions.GRID_SAMPLE_PADDING_MODES

__all__ = list(FUNCTIONS)
__getattr__ = module_getattr(globals())
