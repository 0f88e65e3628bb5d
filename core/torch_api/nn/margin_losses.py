"""Losses of torch.nn.functional by margins, Gaussian and Poisson likelihoods, and CTC."""

from __future__ import annotations

import math
from typing import Any

from ...ops.promotion import number_category
from .. import toplevel as T
from ..naming import present
from .loss_functions import asked_reduction, pairwise_distance, reduced


def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0, size_average: Any = None,
                        reduce: Any = None, reduction: str = "mean") -> Any:
    """max(0, -target * (input1 - input2) + margin)"""
    reduction = asked_reduction(size_average, reduce, reduction)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
                           f"{input1.size()}, input2: {input2.size()}, target: {target.size()} ")
    return reduced((-target * (input1 - input2) + margin).clamp(min=0), reduction)


def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, size_average: Any = None, reduce: Any = None,
                         reduction: str = "mean") -> Any:
    """input where target is 1, max(0, margin - input) where it is -1"""
    reduction = asked_reduction(size_average, reduce, reduction)
    zero = T.zeros_like(input)
    far = T.where(target == 1, zero, (margin - input).clamp(min=0))
    near = T.where(target == -1, zero, input)
    return reduced(far + near, reduction)


def soft_margin_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Any:
    """log(1 + exp(-target * input))"""
    reduction = asked_reduction(size_average, reduce, reduction)
    return reduced(T.log1p((-target * input).exp()), reduction)


def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float = 0, size_average: Any = None,
                          reduce: Any = None, reduction: str = "mean") -> Any:
    """1 - cos where target is 1, max(0, cos - margin) where it is -1"""
    reduction = asked_reduction(size_average, reduce, reduction)
    eps = 1e-12
    product = (input1 * input2).sum(-1)
    cos = product / (((input1 * input1).sum(-1) + eps) * ((input2 * input2).sum(-1) + eps)).sqrt()
    zero = T.zeros_like(cos)
    near = T.where(target == 1, 1 - cos, zero)
    far = T.where(target == -1, (cos - margin).clamp(min=0), zero)
    return reduced(near + far, reduction)


def multi_margin_loss(input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, size_average: Any = None,
                      reduce: Any = None, reduction: str = "mean") -> Any:
    """The mean over classes j other than the target y of max(0, margin - input[y] + input[j]) ** p"""
    reduction = asked_reduction(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    single = input.dim() == 1
    if single:
        input, target = input.unsqueeze(0), target.reshape(1)
    index = target.unsqueeze(1)
    d = (margin - input.gather(1, index) + input).clamp(min=0)
    d = d if p == 1 else d * d
    if weight is not None:
        d = d * weight[target].unsqueeze(1)
    loss = d.scatter(1, index, 0.0).sum(1) / input.shape[1]
    return reduced(loss.squeeze(0) if single else loss, reduction)


def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
                                reduction: str = "mean") -> Any:
    """The mean over classes of the binary cross entropy with logits"""
    reduction = asked_reduction(size_average, reduce, reduction)
    from .functional import logsigmoid

    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return reduced(loss.sum(-1) / input.shape[-1], reduction)


def multilabel_margin_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None,
                           reduction: str = "mean") -> Any:
    """Hinge between every target class (the entries of `target` before its first -1) and every other class"""
    reduction = asked_reduction(size_average, reduce, reduction)
    single = input.dim() == 1
    if single:
        input, target = input.unsqueeze(0), target.unsqueeze(0)
    c = input.shape[1]
    valid = (target >= 0).to(T.int64).cumprod(1).to(T.bool)
    index = T.where(valid, target, T.zeros_like(target))
    wanted = T.zeros_like(input).scatter_add(1, index, valid.to(input.dtype)) > 0
    d = (1 - (input.gather(1, index).unsqueeze(2) - input.unsqueeze(1))).clamp(min=0)
    d = d * valid.unsqueeze(2).to(d.dtype) * (~wanted).unsqueeze(1).to(d.dtype)
    loss = d.sum((1, 2)) / c
    return reduced(loss.squeeze(0) if single else loss, reduction)


def poisson_nll_loss(input: Any, target: Any, log_input: bool = True, full: bool = False, size_average: Any = None,
                     eps: float = 1e-8, reduce: Any = None, reduction: str = "mean") -> Any:
    """exp(x) - t x for the logarithm x of the rate, or x - t log(x + eps); `full` adds Stirling's term"""
    reduction = asked_reduction(size_average, reduce, reduction)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + T.where(target > 1, stirling, T.zeros_like(stirling))
    return reduced(loss, reduction)


def gaussian_nll_loss(input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6,
                      reduction: str = "mean") -> Any:
    """0.5 (log var + (input - target)**2 / var), var limited to eps from below; `full` adds 0.5 log 2 pi"""
    if number_category(var) == 2:
        var = T.full_like(input, var)
    if tuple(var.shape) != tuple(input.shape):
        if tuple(input.shape[:-1]) == tuple(var.shape):
            var = var.unsqueeze(-1)
        elif not (tuple(input.shape[:-1]) == tuple(var.shape[:-1]) and var.shape[-1] == 1) and any(
                a != b and b != 1 for a, b in zip(input.shape, var.shape)):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.detach().clamp(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


def triplet_margin_with_distance_loss(anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None,
                                      margin: float = 1.0, swap: bool = False, reduction: str = "mean") -> Any:
    """triplet_margin_loss with any distance"""
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = T.minimum(far, distance(positive, negative))
    return reduced((margin + near - far).clamp(min=0), reduction)


def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = "mean",
             zero_infinity: bool = False) -> Any:
    """Connectionist temporal classification (Graves et al. 2006): -log of the probability of every alignment of targets.

    log_probs[T, N, C] (or [T, C]); targets[N, S], or all targets in one vector. `mean` divides by the targets' lengths.
    """
    single = log_probs.dim() == 2
    if single:
        log_probs = log_probs.unsqueeze(1)
    ins = [int(n) for n in T.as_tensor(input_lengths).reshape(-1).tolist()]
    outs = [int(n) for n in T.as_tensor(target_lengths).reshape(-1).tolist()]
    losses, start = [], 0
    for i, (frames, length) in enumerate(zip(ins, outs)):
        if targets.dim() == 1:
            labels = targets[start:start + length]
            start += length
        else:
            labels = targets[i, :length]
        losses.append(_ctc_one(log_probs[:frames, i], labels, blank))
    loss = T.stack(losses)
    if zero_infinity:
        loss = T.where(T.isinf(loss), T.zeros_like(loss), loss)
    if reduction == "mean":
        return (loss / T.tensor(outs, dtype=loss.dtype).clamp(min=1)).mean()
    return reduced(loss.squeeze(0) if single else loss, reduction)


def _ctc_one(logs: Any, labels: Any, blank: int) -> Any:
    """-log p(labels) for logs[T, C], by the forward recursion over labels with blanks in between."""
    n = labels.shape[0]
    extended = T.full((2 * n + 1,), blank, dtype=labels.dtype)
    extended[1::2] = labels
    emit = logs[:, extended]
    low = -math.inf
    skip = T.zeros(2 * n + 1, dtype=T.bool)
    skip[2:] = (extended[2:] != blank) & (extended[2:] != extended[:-2])
    alpha = T.full((2 * n + 1,), low, dtype=logs.dtype)
    alpha[:2] = emit[0, :2]
    for t in range(1, logs.shape[0]):
        one = T.cat([alpha.new_full((1,), low), alpha])[:2 * n + 1]
        two = T.cat([alpha.new_full((2,), low), alpha])[:2 * n + 1]
        two = T.where(skip, two, T.full_like(two, low))
        alpha = T.logsumexp(T.stack([alpha, one, two]), 0) + emit[t]
    return -T.logsumexp(alpha[-2:], 0)


present(globals())
