"""torch.autograd: switches of gradient tracking. Gradients themselves do not exist yet."""

from __future__ import annotations

from typing import Any

from ...errors import NotYetSupported
from ...tensor.tensor import Tensor
from ..functions import grad
from ..grad_modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from ..naming import module_getattr, present

backward = grad


class Function:
    """Base of functions with their own backward pass."""

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        raise NotYetSupported(f"torch.autograd.Function ({cls.__name__}.apply) does not exist in Guardscope yet: call "
                              "an ordinary function with the forward computation.")


def Variable(data: Tensor, requires_grad: bool = False) -> Tensor:
    """A tensor over the same memory: variables and tensors are one thing."""
    out = data.detach()
    return out.requires_grad_(True) if requires_grad else out


__all__ = ["Function", "Variable", "backward", "enable_grad", "grad", "inference_mode", "no_grad", "set_grad_enabled"]
present(globals())
__getattr__ = module_getattr(globals())
