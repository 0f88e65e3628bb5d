"""Batch normalisation in eval mode folded into the convolution or linear layer before it."""

from __future__ import annotations

import copy
from typing import Any

from ... import toplevel as T
from ...naming import present
from ..parameter import Parameter


def _scale(rv: Any, eps: float, gamma: Any) -> Any:
    root = (rv + eps).rsqrt()
    return root if gamma is None else gamma * root


def fuse_conv_bn_weights(conv_w: Any, conv_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any,
                         transpose: bool = False) -> tuple[Any, Any]:
    """(weight, bias) of the convolution that does both."""
    bias = T.zeros_like(bn_rm) if conv_b is None else conv_b
    scale = _scale(bn_rv, bn_eps, bn_w)
    shape = [1, -1] if transpose else [-1, 1]
    weight = conv_w * scale.reshape(shape + [1] * (conv_w.dim() - 2))
    bias = (bias - bn_rm) * scale + (0 if bn_b is None else bn_b)
    return Parameter(weight.detach(), conv_w.requires_grad), Parameter(bias.detach(), True)


def fuse_linear_bn_weights(linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any,
                           bn_b: Any) -> tuple[Any, Any]:
    """(weight, bias) of the linear layer that does both."""
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def _check(layer: Any, bn: Any) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A copy of `conv` that computes bn(conv(x)). AssertionError if either is in training mode."""
    _check(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps,
                                                    bn.weight, bn.bias, transpose)
    return fused


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A copy of `linear` that computes bn(linear(x)). AssertionError if either is in training mode."""
    _check(linear, bn)
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps,
                                                      bn.weight, bn.bias)
    return fused


present(globals())
