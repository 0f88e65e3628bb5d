"""Losses of torch.nn.functional, written in operators of the table, so that capture and eager see the same steps."""

from __future__ import annotations

import warnings
from typing import Any

from ...tensor.meta import Size
from .. import toplevel as T
from ..naming import present


def asked_reduction(size_average: Any, reduce: Any, reduction: str) -> str:
    """The reduction that the older arguments `size_average` and `reduce` stand for, with PyTorch's warning; `reduction` if
    neither is given."""
    if size_average is None and reduce is None:
        return reduction
    averaged, at_all = size_average is None or size_average, reduce is None or reduce
    reduction = "none" if not at_all else "mean" if averaged else "sum"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
                  stacklevel=3)
    return reduction


def reduced(value: Any, reduction: str) -> Any:
    """none, mean or sum of all elements; raises ValueError for another word."""
    if reduction == "mean":
        return value.mean()
    if reduction == "sum":
        return value.sum()
    if reduction == "none":
        return value
    raise ValueError(f"{reduction} is not a valid value for reduction")


def _same_size(name: str, input: Any, target: Any) -> None:
    """PyTorch's warning when a loss broadcasts its two arguments."""
    a, b = input.shape, target.shape
    if len(a) != len(b) or any(m != n for m, n in zip(a, b)):
        warnings.warn(f"Using a target size ({Size(b)}) that is different to the input size ({Size(a)}). This will "
                      "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
                      stacklevel=3)


def _weighted(loss: Any, weight: Any) -> Any:
    return loss if weight is None else loss * weight


def mse_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
             weight: Any = None) -> Any:
    """(input - target)**2"""
    reduction = asked_reduction(size_average, reduce, reduction)
    _same_size("mse_loss", input, target)
    d = input - target
    return reduced(_weighted(d * d, weight), reduction)


def l1_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
            weight: Any = None) -> Any:
    """|input - target|"""
    reduction = asked_reduction(size_average, reduce, reduction)
    _same_size("l1_loss", input, target)
    return reduced(_weighted((input - target).abs(), weight), reduction)


def smooth_l1_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
                   beta: float = 1.0) -> Any:
    """0.5 d*d / beta where |d| < beta, else |d| - 0.5 beta"""
    reduction = asked_reduction(size_average, reduce, reduction)
    _same_size("smooth_l1_loss", input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    d = (input - target).abs()
    return reduced(d if beta == 0 else T.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta), reduction)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None) -> Any:
    """0.5 d*d where |d| < delta, else delta * (|d| - 0.5 delta)"""
    _same_size("huber_loss", input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    d = (input - target).abs()
    return reduced(_weighted(T.where(d < delta, 0.5 * d * d, delta * (d - 0.5 * delta)), weight), reduction)


def binary_cross_entropy(input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
                         reduction: str = "mean") -> Any:
    """-(t log x + (1 - t) log(1 - x)); logarithms are limited to -100 from below, as PyTorch does."""
    reduction = asked_reduction(size_average, reduce, reduction)
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(f"Using a target size ({Size(target.shape)}) that is different to the input size "
                         f"({Size(input.shape)}) is deprecated. Please ensure they have the same size.")
    loss = (target - 1) * (-input).log1p().clamp(min=-100) - target * input.log().clamp(min=-100)
    return reduced(_weighted(loss, weight), reduction)


def binary_cross_entropy_with_logits(input: Any, target: Any, weight: Any = None, size_average: Any = None,
                                     reduce: Any = None, reduction: str = "mean", pos_weight: Any = None) -> Any:
    """binary_cross_entropy(sigmoid(input), target), from the logits: (1 - t) x - log sigmoid(x)"""
    reduction = asked_reduction(size_average, reduce, reduction)
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(f"Target size ({Size(target.shape)}) must be the same as input size ({Size(input.shape)})")
    log_sigmoid = input.clamp(max=0) - (-input.abs()).exp().log1p()
    if pos_weight is not None:
        log_sigmoid = log_sigmoid * ((pos_weight - 1) * target + 1)
    return reduced(_weighted((1 - target) * input - log_sigmoid, weight), reduction)


def kl_div(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
           log_target: bool = False) -> Any:
    """t (log t - x) for log probabilities x; "batchmean" divides the sum by dimension 0."""
    reduction = asked_reduction(size_average, reduce, reduction)
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = T.where(target > 0, target * (target.log() - input), T.zeros_like(target))
    if reduction == "batchmean":
        return loss.sum() / input.shape[0] if input.dim() else loss.sum()
    if reduction == "mean":
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the support size."
                      "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
                      "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                      stacklevel=2)
    return reduced(loss, reduction)


def nll_loss(input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100,
             reduce: Any = None, reduction: str = "mean") -> Any:
    """-input[n, target[n]] for log probabilities [N, C, ...] or [C]; `mean` divides by the weights that took part."""
    reduction = asked_reduction(size_average, reduce, reduction)
    if input.dim() == 1:
        picked = nll_loss(input.unsqueeze(0), target.unsqueeze(0), weight, ignore_index=ignore_index,
                          reduction=reduction)
        return picked.squeeze(0) if reduction == "none" else picked
    kept = target != ignore_index
    index = T.where(kept, target, T.zeros_like(target))
    loss = -input.gather(1, index.unsqueeze(1)).squeeze(1)
    if weight is None:
        scale = kept.to(input.dtype)
    else:
        scale = T.where(kept, weight[index], T.zeros((), dtype=weight.dtype))
    loss = T.where(kept, loss * scale, T.zeros((), dtype=loss.dtype))
    if reduction == "mean":
        return loss.sum() / scale.sum()
    return reduced(loss, reduction)


def cross_entropy(input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100,
                  reduce: Any = None, reduction: str = "mean", label_smoothing: float = 0.0) -> Any:
    """nll_loss(log_softmax(input[N, C, ...]), target), for class indices or class probabilities."""
    reduction = asked_reduction(size_average, reduce, reduction)
    classes = 0 if input.dim() == 1 else 1
    logs = input.log_softmax(classes)
    count = input.shape[classes]
    if target.dtype.is_floating_point:
        if label_smoothing > 0.0:
            target = target * (1 - label_smoothing) + label_smoothing / count
        loss = -(logs * target * _per_class(weight, logs, classes)).sum(classes)
        if reduction == "mean":
            return loss.sum() / (loss.numel() if loss.dim() else 1)
        return reduced(loss, reduction)
    plain = nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing == 0.0:
        return plain
    kept = target != ignore_index
    smooth = T.where(kept, -(logs * _per_class(weight, logs, classes)).sum(classes), T.zeros((), dtype=logs.dtype))
    if reduction == "mean":
        scale = kept.to(logs.dtype) if weight is None else \
            T.where(kept, weight[T.where(kept, target, T.zeros_like(target))], T.zeros((), dtype=weight.dtype))
        smooth = smooth.sum() / scale.sum()
    elif reduction == "sum":
        smooth = smooth.sum()
    return plain * (1 - label_smoothing) + smooth * (label_smoothing / count)


def _per_class(weight: Any, logs: Any, dim: int) -> Any:
    """Class weights shaped to multiply `logs`; 1 without weights."""
    if weight is None:
        return 1
    return weight.reshape([-1 if d == dim else 1 for d in range(logs.dim())])


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`"""
    n1 = (x1 * x1).sum(dim, keepdim=True).sqrt().clamp(min=eps)
    n2 = (x2 * x2).sum(dim, keepdim=True).sqrt().clamp(min=eps)
    return ((x1 / n1) * (x2 / n2)).sum(dim)


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The p-norm of x1 - x2 + eps along the last dimension"""
    d = (x1 - x2 + eps).abs()
    return d.sum(-1, keepdim=keepdim) if p == 1 else (d ** p).sum(-1, keepdim=keepdim) ** (1.0 / p)


def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2,
                        eps: float = 1e-6, swap: bool = False, size_average: Any = None, reduce: Any = None,
                        reduction: str = "mean") -> Any:
    """max(d(anchor, positive) - d(anchor, negative) + margin, 0)"""
    reduction = asked_reduction(size_average, reduce, reduction)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = T.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced((pairwise_distance(anchor, positive, p, eps) - far + margin).clamp(min=0), reduction)


present(globals())
