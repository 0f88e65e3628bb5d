"""torch.nn.utils: parameters as one vector; clipping of gradients needs backward() and says so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ... import toplevel as T
from ...naming import module_getattr, not_yet, present
from . import rnn


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All parameters flattened and joined into one tensor [total number of elements]."""
    return T.cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Copy consecutive pieces of `vec` into the parameters' data."""
    start = 0
    for p in parameters:
        n = p.numel()
        p.data = vec[start:start + n].view_as(p).data
        start += n


_CLIP = "gradients do not exist here yet, because backward() does not"
clip_grad_norm_ = not_yet("torch.nn.utils.clip_grad_norm_", _CLIP)
clip_grad_value_ = not_yet("torch.nn.utils.clip_grad_value_", _CLIP)
_NORM = "leave the reparametrisation out: it changes training, not what a trained layer computes"
weight_norm = not_yet("torch.nn.utils.weight_norm", _NORM)
remove_weight_norm = not_yet("torch.nn.utils.remove_weight_norm", _NORM)
spectral_norm = not_yet("torch.nn.utils.spectral_norm", _NORM)

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "rnn", "vector_to_parameters"]
present(globals())
__getattr__ = module_getattr(globals())
