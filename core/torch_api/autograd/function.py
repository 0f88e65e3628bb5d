"""torch.autograd.Function: the forward part of functions with their own backward pass."""

from __future__ import annotations

from typing import Any

from ...tensor.tensor import Tensor
from ..naming import module_getattr, present


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


class NestedIOFunction(Function):
    """A Function under its older name for nested arguments."""


def once_differentiable(fn: Any) -> Any:
    """Hands `fn` back: gradients do not exist yet."""
    return fn


__all__ = ["Function", "FunctionCtx", "NestedIOFunction", "once_differentiable"]
present(globals())
__getattr__ = module_getattr(globals())
