"""torch.nn.utils: parameters as one vector; clipping of gradients needs backward() and says so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ... import toplevel as T
from ...naming import module_getattr, not_yet, present
from . import parametrizations, parametrize, rnn, stateless
from .fusion import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval, fuse_linear_bn_weights
from .spectral_norm import remove_spectral_norm, spectral_norm
from .weight_norm import remove_weight_norm, weight_norm


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


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module whose parameters are allocated but not initialised."""
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)


_CLIP = "gradients do not exist here yet, because backward() does not"
clip_grad_norm_ = not_yet("torch.nn.utils.clip_grad_norm_", _CLIP)
clip_grad_value_ = not_yet("torch.nn.utils.clip_grad_value_", _CLIP)
clip_grad_norm = clip_grad_norm_
get_total_norm = not_yet("torch.nn.utils.get_total_norm", _CLIP)

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "fuse_conv_bn_eval", "fuse_conv_bn_weights",
           "fuse_linear_bn_eval", "fuse_linear_bn_weights", "get_total_norm", "parameters_to_vector", "parametrizations",
           "parametrize", "remove_spectral_norm", "remove_weight_norm", "rnn", "skip_init", "spectral_norm", "stateless",
           "vector_to_parameters", "weight_norm"]
present(globals())
__getattr__ = module_getattr(globals())
