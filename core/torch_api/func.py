"""torch.func: functional_call; transformations that need derivatives or batching rules say that they do not exist yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import NotYetSupported
from ..graph.fake import NeedsData
from ..tensor.state import STATE
from ..tensor.tensor import Tensor
from . import toplevel as T
from .naming import module_getattr, not_yet, present
from .nn.utils.stateless import functional_call
from .utils import _pytree as pytree

_GRADIENTS = "gradients do not exist here yet"
grad = not_yet("torch.func.grad", _GRADIENTS)
grad_and_value = not_yet("torch.func.grad_and_value", _GRADIENTS)
vjp = not_yet("torch.func.vjp", _GRADIENTS)
jvp = not_yet("torch.func.jvp", _GRADIENTS)
jacrev = not_yet("torch.func.jacrev", _GRADIENTS)
jacfwd = not_yet("torch.func.jacfwd", _GRADIENTS)
hessian = not_yet("torch.func.hessian", _GRADIENTS)
functionalize = not_yet("torch.func.functionalize", "call the function itself")



def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *,
         chunk_size: int | None = None) -> Callable[..., Any]:
    """`func` applied to each slice of its arguments, results stacked: a loop, not one batched computation. Each slice draws
    its own random numbers (randomness="different", also where "error" would have them refused)."""
    if randomness not in ("error", "same", "different"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if randomness == "same":
        raise NotYetSupported('torch.vmap(randomness="same") does not exist yet: draw the numbers before the call.')

    def run(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = pytree.tree_flatten(args)
        for t in leaves:
            if isinstance(t, Tensor) and t._array is None and STATE.tracer is not None:
                raise NeedsData("torch.vmap", t)
        dims = _spread(in_dims, args)
        sizes = {t.shape[d] for t, d in zip(leaves, dims) if d is not None}
        if len(sizes) != 1:
            raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                             f"{sorted(sizes)}"
                             if sizes else "vmap: at least one argument must be mapped: in_dims names no dimension")
        rows = []
        for i in range(sizes.pop()):
            here = [t if d is None else t.select(d, i) for t, d in zip(leaves, dims)]
            rows.append(pytree.tree_flatten(func(*pytree.tree_unflatten(here, spec), **kwargs)))
        shape = rows[0][1]
        outs = [out_dims] * len(rows[0][0]) if isinstance(out_dims, int) else list(out_dims)
        stacked = [T.stack([r[0][k] for r in rows], outs[k]) for k in range(len(rows[0][0]))]
        return pytree.tree_unflatten(stacked, shape)

    run.__name__ = getattr(func, "__name__", "vmapped")
    return run


def _spread(in_dims: Any, args: tuple) -> list[Any]:
    """in_dims per leaf of the arguments; None for what is not mapped (and for what is no tensor)."""
    per_argument = in_dims if isinstance(in_dims, (tuple, list)) else [in_dims] * len(args)
    if len(per_argument) != len(args):
        raise ValueError(f"vmap: in_dims has {len(per_argument)} entries for {len(args)} arguments")
    out: list[Any] = []
    for a, d in zip(args, per_argument):
        leaves = pytree.tree_flatten(a)[0]
        many = pytree.tree_flatten(d)[0] if isinstance(d, (tuple, list, dict)) else [d] * len(leaves)
        out += [k if isinstance(t, Tensor) else None for t, k in zip(leaves, many)]
    return out


__all__ = ["functional_call", "vmap"]
present(globals())
__getattr__ = module_getattr(globals())
