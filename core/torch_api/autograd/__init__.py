"""torch.autograd: switches of gradient tracking. Gradients themselves do not exist yet."""

from __future__ import annotations

from ...tensor.tensor import Tensor
from ..functions import grad
from ..grad_modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from ..naming import module_getattr, present
from .function import Function, FunctionCtx

backward = grad


def Variable(data: Tensor, requires_grad: bool = False) -> Tensor:
    """A tensor over the same memory: variables and tensors are one thing."""
    out = data.detach()
    return out.requires_grad_(True) if requires_grad else out


__all__ = ["Function", "FunctionCtx", "Variable", "backward", "enable_grad", "grad", "inference_mode", "no_grad",
           "set_grad_enabled"]
present(globals())
__getattr__ = module_getattr(globals())
