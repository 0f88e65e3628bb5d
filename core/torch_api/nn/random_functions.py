"""Functions of torch.nn.functional that draw random numbers: gumbel_softmax, alpha dropout, rrelu."""

from __future__ import annotations

import math
import warnings
from typing import Any

from .. import toplevel as T
from ..naming import present


def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Any:
    """softmax((logits + Gumbel noise) / tau); with `hard` one-hot at its largest element (Jang et al. 2017)."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    noise = -T.empty_like(logits).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one = T.zeros_like(logits).scatter_(dim, index, 1.0)
    return one - soft.detach() + soft


_ALPHA = 1.7580993408473766


def _alpha(input: Any, p: float, training: bool, shape: Any) -> Any:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0 or input.numel() == 0:
        return input
    if p == 1.0:
        return input * 0.0
    keep = T.empty(shape, dtype=input.dtype).bernoulli_(1 - p)
    a = 1.0 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    shift = (keep - 1) * (_ALPHA * a) + _ALPHA * a * p
    return input * (keep * a) + shift


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Dropout that keeps mean and variance of SELU's outputs (Klambauer et al. 2017)."""
    out = _alpha(input, p, training, tuple(input.shape))
    return input.copy_(out) if inplace else out


def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """alpha_dropout of whole channels."""
    out = _alpha(input, p, training, (*input.shape[:2], *[1] * (input.dim() - 2)))
    return input.copy_(out) if inplace else out


def rrelu(input: Any, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False) -> Any:
    """Leaky ReLU whose slope is drawn from [lower, upper] while training, else their mean (Xu et al. 2015)."""
    if training:
        slope: Any = T.empty_like(input).uniform_(lower, upper)
    else:
        slope = (lower + upper) / 2
    out = T.where(input >= 0, input, input * slope)
    return input.copy_(out) if inplace else out


def rrelu_(input: Any, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Any:
    """rrelu in place."""
    return rrelu(input, lower, upper, training, True)


present(globals())
