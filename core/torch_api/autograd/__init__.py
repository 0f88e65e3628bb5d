"""torch.autograd: switches of gradient tracking. Gradients themselves do not exist yet."""

from __future__ import annotations

from typing import Any

from ...tensor.state import STATE
from ...tensor.tensor import Tensor
from ..functions import grad
from ..grad_modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from ..naming import module_getattr, present

backward = grad


class FunctionCtx:
    """What a Function's forward gets as `ctx`: a place for what its backward would need."""

    def __init__(self) -> None:
        self.saved_tensors: tuple = ()
        self.needs_input_grad: tuple = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors as ctx.saved_tensors."""
        self.saved_tensors = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Kept for gradients, which do not exist yet."""

    def mark_non_differentiable(self, *args: Any) -> None:
        """As mark_dirty."""

    def set_materialize_grads(self, value: bool) -> None:
        """As mark_dirty."""


class Function:
    """Base of functions with their own backward pass. `apply` runs the forward part; gradients do not exist yet."""

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        _no_capture(f"{cls.__name__}.apply", args)
        forward = getattr(cls, "forward", None)
        if forward is None:
            raise NotImplementedError(f"{cls.__name__} has no forward: define a static method forward(ctx, ...)")
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        if hasattr(cls, "setup_context"):
            result = forward(*args, **kwargs)
            cls.setup_context(ctx, args, result)
        else:
            result = forward(ctx, *args, **kwargs)
        return result


def _no_capture(what: str, args: tuple) -> None:
    """A script's own class is no operator: under capture it runs natively, after a graph break."""
    for a in args:
        if isinstance(a, Tensor) and a._array is None and STATE.tracer is not None:
            from ...graph.fake import NeedsData

            raise NeedsData(what, a)


def Variable(data: Tensor, requires_grad: bool = False) -> Tensor:
    """A tensor over the same memory: variables and tensors are one thing."""
    out = data.detach()
    return out.requires_grad_(True) if requires_grad else out


__all__ = ["Function", "Variable", "backward", "enable_grad", "grad", "inference_mode", "no_grad", "set_grad_enabled"]
present(globals())
__getattr__ = module_getattr(globals())
