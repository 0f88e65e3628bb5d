"""torch.func: functional_call; transformations that need derivatives or batching rules say that they do not exist yet."""

from __future__ import annotations

from .naming import module_getattr, not_yet, present
from .nn.utils.stateless import functional_call

_GRADIENTS = "gradients do not exist here yet"
grad = not_yet("torch.func.grad", _GRADIENTS)
grad_and_value = not_yet("torch.func.grad_and_value", _GRADIENTS)
vjp = not_yet("torch.func.vjp", _GRADIENTS)
jvp = not_yet("torch.func.jvp", _GRADIENTS)
jacrev = not_yet("torch.func.jacrev", _GRADIENTS)
jacfwd = not_yet("torch.func.jacfwd", _GRADIENTS)
hessian = not_yet("torch.func.hessian", _GRADIENTS)
vmap = not_yet("torch.func.vmap", "write the batch dimension out")
functionalize = not_yet("torch.func.functionalize", "call the function itself")

__all__ = ["functional_call"]
present(globals())
__getattr__ = module_getattr(globals())
