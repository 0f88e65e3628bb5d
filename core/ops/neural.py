"""Operators of neural networks that are no windows over space: embedding, normalisation, attention, one_hot, glu."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import NotYetSupported
from ..tensor import dtypes as dt
from .broadcast import broadcast_two, same
from .conversion import elements, in_format_of
from .declare import Spec, operator, spelled, type_name
from .dims import is_int, sizes, wrap_dim
from .matmul import MATMUL
from .op import Composite, Extern, Template, call
from .promotion import opmath, result_type
from .random import dropout
from .ranges import arange
from .reduction import MEAN, mean_over
from .scatter import check_index_dtype
from .softmax import SOFTMAX


# -- embedding -------------------------------------------------------------------------------------------------------
def _embedding(weight: np.ndarray, index: np.ndarray) -> np.ndarray:
    if index.size and (index.min() < 0 or index.max() >= weight.shape[0]):
        raise IndexError("index out of range in self")
    return weight[index]


def _embedding_rule(weight: Any, index: Any) -> Spec:
    check_index_dtype("embedding", index)
    if len(weight.shape) != 2:
        raise RuntimeError("'weight' must be 2-D")
    return Spec(weight.dtype, (*index.shape, weight.shape[1]))


EMBEDDING = operator("embedding", "weight, index", Template("rows"), _embedding, _embedding_rule, functions="embedding")


@spelled("F.embedding", "", EMBEDDING)
def embedding(input: Any, weight: Any, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0,
              scale_grad_by_freq: bool = False, sparse: bool = False) -> Any:
    """Rows of `weight` by index."""
    if max_norm is not None:
        raise NotYetSupported("embedding(max_norm=...) does not exist yet: renormalise the weight before the call.")
    return call(EMBEDDING, (weight, input))


def _one_hot(a: np.ndarray, n: int) -> np.ndarray:
    if a.size and a.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if a.size and a.max() >= n:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (a[..., None] == np.arange(n)).astype(np.int64)


def _one_hot_rule(m: Any, n: Any) -> Spec:
    if m.dtype is not dt.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    return Spec(dt.int64, (*m.shape, n))


ONE_HOT = operator("one_hot", "input, num_classes:int", Extern(), _one_hot, _one_hot_rule, differentiable=False)


@spelled("F.one_hot", "", ONE_HOT)
def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """A new last dimension with 1 at the class and 0 elsewhere."""
    if num_classes == -1:
        num_classes = int(elements(tensor, "one_hot() without num_classes").max(initial=-1)) + 1
        if num_classes == 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
    elif is_int(num_classes) and num_classes < 1 and tensor.numel() == 0:
        raise RuntimeError("num_classes should be positive")
    return call(ONE_HOT, (tensor, num_classes))


# -- normalisation ---------------------------------------------------------------------------------------------------
def floating_only(name: str, m: Any) -> None:
    """NotImplementedError for a tensor of integers or bool."""
    if m.dtype.category < 2:
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(m.dtype)}'")


def _trailing(m: Any, shape: tuple, name: str) -> None:
    k = len(shape)
    if k < 1:
        raise RuntimeError(f"Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
                           f"but "
                           f"got normalized_shape = {list(shape)}")
    if len(m.shape) < k or any(not same(a, b) and a != b for a, b in zip(tuple(m.shape)[len(m.shape) - k:], shape)):
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape [*, "
                           f"{', '.join(map(str, shape))}], but got input of size{list(m.shape)}")


def _norm_rule(name: str) -> Any:
    def rule(m: Any, shape: tuple, *rest: Any) -> Spec:
        _trailing(m, shape, name)
        floating_only("LayerNormKernelImpl" if name == "layer_norm" else name, m)
        for w in rest[:-1]:
            if w is not None and any(not same(a, b) and a != b for a, b in zip(w.shape, shape)):
                raise RuntimeError(f"Expected weight to be of same shape as normalized_shape, but got weight of shape "
                                   f"{list(w.shape)} and normalized_shape = {list(shape)}")
        return Spec(m.dtype, m.shape)
    return rule


def _layer_norm(a: np.ndarray, shape: tuple, w: Any, b: Any, eps: float) -> Any:
    axes = tuple(range(a.ndim - len(shape), a.ndim))
    x = a.astype(np.float32) if a.dtype == np.float16 else a
    centred = x - mean_over(x, axes)
    out = centred / np.sqrt(mean_over(np.square(centred), axes) + x.dtype.type(eps))
    out = out if w is None else out * w
    return out if b is None else out + b


def _layer_norm_composite(input: Any, shape: tuple, weight: Any, bias: Any, eps: float) -> Any:
    dims = tuple(range(input.ndim - len(shape), input.ndim))
    x = input.to(opmath(input.dtype))
    centred = x - call(MEAN, (x, dims, True, None))
    out = centred * (call(MEAN, (centred * centred, dims, True, None)) + eps).rsqrt()
    out = out if weight is None else out * weight
    return (out if bias is None else out + bias).to(input.dtype)


LAYER_NORM = operator("layer_norm", "input, normalized_shape:ints, weight=None, bias=None, eps=1e-05",
                      Composite(_layer_norm_composite), _layer_norm, _norm_rule("layer_norm"),
                      functions="F.layer_norm layer_norm",
                      normalize=lambda a, shape, w=None, b=None, eps=1e-5: (a, sizes(shape), w, b, eps))


def _default_eps(d: Any) -> float:
    return float(np.finfo(opmath(d).numpy).eps) if d.category == 2 else 0.0


def _rms_norm(a: np.ndarray, shape: tuple, w: Any, eps: Any) -> Any:
    axes = tuple(range(a.ndim - len(shape), a.ndim))
    x = a.astype(np.float32) if a.dtype == np.float16 else a
    out = x / np.sqrt(mean_over(np.square(x), axes) + x.dtype.type(eps))
    return out if w is None else out * w


def _rms_norm_composite(input: Any, shape: tuple, weight: Any, eps: Any) -> Any:
    dims = tuple(range(input.ndim - len(shape), input.ndim))
    x = input.to(opmath(input.dtype))
    out = x * (call(MEAN, (x * x, dims, True, None)) + eps).rsqrt()
    return (out if weight is None else out * weight).to(input.dtype)


RMS_NORM = operator("rms_norm", "input, normalized_shape:ints, weight=None, eps=None", Composite(_rms_norm_composite),
                    _rms_norm,
                    _norm_rule("rms_norm"), functions="F.rms_norm rms_norm",
                    normalize=lambda a, shape, w=None, eps=None: (a, sizes(shape), w, _default_eps(a.dtype)
                                                                    if eps is None else eps))


def _per_channel(v: Any, ndim: int) -> Any:
    return None if v is None else v.reshape([-1 if d == 1 else 1 for d in range(ndim)])


@spelled("batch_norm", "", MEAN)
def top_batch_norm(input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, momentum: float,
                   eps: float, cudnn_enabled: bool) -> Any:
    """torch.batch_norm: F.batch_norm with its arguments in another order."""
    return batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


@spelled("instance_norm", "", MEAN)
def top_instance_norm(input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, use_input_stats: bool,
                      momentum: float, eps: float, cudnn_enabled: bool) -> Any:
    """torch.instance_norm: F.instance_norm with its arguments in another order."""
    return instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


@spelled("F.batch_norm", "", MEAN)
def batch_norm(input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
               training: bool = False, momentum: float = 0.1, eps: float = 1e-05, *unused: Any) -> Any:
    """(x - mean) / sqrt(var + eps) per channel (dimension 1); while training with the batch's own statistics, which
    then move the running ones."""
    floating_only("batch_norm", input)
    ndim = input.ndim
    dims = tuple(d for d in range(ndim) if d != 1)
    if training or running_mean is None:
        n: Any = 1
        for d in dims:
            n = n * input.shape[d]
        if n == 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
        mean = call(MEAN, (input, dims, False, None))
        centred = input - _per_channel(mean, ndim)
        var = call(MEAN, (centred * centred, dims, False, None))
        if training and running_mean is not None:
            running_mean.copy_(running_mean * (1 - momentum) + mean.detach() * momentum)
            running_var.copy_(running_var * (1 - momentum) + var.detach() * (momentum * n / (n - 1)))
    else:
        mean, var = running_mean, running_var
        centred = input - _per_channel(mean, ndim)
    out = centred * _per_channel((var + eps).rsqrt(), ndim)
    if weight is not None:
        out = out * _per_channel(weight, ndim)
    if bias is not None:
        out = out + _per_channel(bias, ndim)
    return in_format_of(out.to(input.dtype), input)


@spelled("F.group_norm group_norm", "", MEAN)
def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-05, *unused: Any) -> Any:
    """Normalisation over groups of channels and all positions."""
    floating_only("GroupNormKernelImpl", input)
    b, c = input.shape[0], input.shape[1]
    if c % num_groups != 0:
        raise RuntimeError(f"Expected number of channels in input to be divisible by num_groups, but got input of shape "
                           f"{list(input.shape)} and num_groups={num_groups}")
    x = input.to(opmath(input.dtype)).reshape(b, num_groups, -1)
    centred = x - call(MEAN, (x, (2,), True, None))
    out = (centred * (call(MEAN, (centred * centred, (2,), True, None)) + eps).rsqrt()).reshape(tuple(input.shape))
    out = out if weight is None else out * _per_channel(weight, input.ndim)
    return in_format_of((out if bias is None else out + _per_channel(bias, input.ndim)).to(input.dtype), input)


@spelled("F.instance_norm", "", MEAN)
def instance_norm(input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
                  use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-05, *unused: Any) -> Any:
    """batch_norm for each sample on its own."""
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if running_mean is not None:
        samples = input.detach().reshape(input.shape[0], input.shape[1], -1)
        running_mean.copy_(running_mean * (1 - momentum) + samples.mean(-1).mean(0) * momentum)
        running_var.copy_(running_var * (1 - momentum) + samples.var(-1).mean(0) * momentum)
    return group_norm(input, input.shape[1], weight, bias, eps).contiguous()


# -- attention -------------------------------------------------------------------------------------------------------
def _attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: Any, is_causal: bool, scale: float) -> Any:
    wide = np.float32 if q.dtype == np.float16 else q.dtype
    q, k, v = (x.astype(wide, copy=False) for x in (q, k, v))
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * wide.type(scale) if isinstance(wide, np.dtype) else \
        np.matmul(q, np.swapaxes(k, -1, -2)) * wide(scale)
    if is_causal:
        keep = np.tril(np.ones((q.shape[-2], k.shape[-2]), bool))
        scores = np.where(keep, scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask.astype(wide)
    peak = scores.max(axis=-1, keepdims=True) if scores.size else np.zeros(1, wide)
    e = np.exp(scores - np.where(np.isfinite(peak), peak, 0))
    total = e.sum(axis=-1, keepdims=True)
    weights = np.where(total == 0, 0, e / np.where(total == 0, 1, total)).astype(wide)
    return np.matmul(weights, v)


def _attention_rule(q: Any, k: Any, v: Any, mask: Any, is_causal: bool, scale: float) -> Spec:
    if q.dtype is not k.dtype or q.dtype is not v.dtype:
        raise RuntimeError(f"Expected query, key, and value to have the same dtype, but got query.dtype: {q.dtype} key.dtype: "
                           f"{k.dtype} and value.dtype: {v.dtype} instead.")
    batch = broadcast_two(broadcast_two(tuple(q.shape[:-2]), tuple(k.shape[:-2])), tuple(v.shape[:-2]))
    return Spec(q.dtype, (*batch, q.shape[-2], v.shape[-1]))


def _attention_composite(q: Any, k: Any, v: Any, mask: Any, is_causal: bool, scale: float) -> Any:
    weights = _attention_weights(q, k, mask, is_causal, scale)
    return call(MATMUL, (weights, v))


def _attention_weights(q: Any, k: Any, mask: Any, is_causal: bool, scale: float) -> Any:
    scores = call(MATMUL, (q, k.transpose(-2, -1))) * scale
    if is_causal:
        rows = arange(q.shape[-2], device=q.device).unsqueeze(-1)
        scores = scores.masked_fill(arange(k.shape[-2], device=q.device) > rows, -math.inf)
    if mask is None:
        return call(SOFTMAX, (scores, -1, None))
    scores = scores.masked_fill(~mask, -math.inf) if mask.dtype is dt.bool_ else scores + mask
    weights = call(SOFTMAX, (scores, -1, None))
    return weights.masked_fill(weights.isnan(), 0)          # a row that is masked everywhere gives 0


ATTENTION = operator(
    "scaled_dot_product_attention",
    "query:tensor, key:tensor, value:tensor, mask:tensor=None, is_causal:bool=False, scale=1.0",
    Template("attention", _attention_composite),
    _attention,
    _attention_rule,
)


@spelled("F.scaled_dot_product_attention", "", ATTENTION)
def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
                                 is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False) -> Any:
    """softmax(query @ key.T * scale + mask) @ value; a bool mask says which keys take part."""
    if scale is None:
        d = query.shape[-1]
        scale = 1.0 / math.sqrt(d) if isinstance(d, int) else 1.0 / d ** 0.5
    if enable_gqa:
        from .joining import repeat_interleave

        times = query.shape[-3] // key.shape[-3]
        key, value = repeat_interleave(key, times, -3), repeat_interleave(value, times, -3)
    if dropout_p > 0.0:
        weights = _attention_weights(query, key, attn_mask, is_causal, scale)
        return call(MATMUL, (dropout(weights, dropout_p, True), value))
    return call(ATTENTION, (query, key, value, attn_mask, bool(is_causal), scale))


# -- gates and distances ---------------------------------------------------------------------------------------------
@spelled("F.glu", "", None)
def glu(input: Any, dim: int = -1) -> Any:
    """First half times sigmoid of the second half along dim."""
    if not input.ndim:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    d = wrap_dim(dim, input.ndim)
    if input.shape[d] % 2 != 0:
        raise RuntimeError(f"Halving dimension must be even, but dimension {d} is size {input.shape[d]}")
    a, b = input.chunk(2, d)
    return a * b.sigmoid()


@spelled("F.cosine_similarity cosine_similarity", "", None)
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along dim."""
    from .norms import vector_norm

    common = result_type(x1, x2)
    if common.category != 2:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {type_name(common)}")
    x1, x2 = x1.to(common), x2.to(common)
    a = vector_norm(x1, 2, dim, True).clamp_min(eps)
    b = vector_norm(x2, 2, dim, True).clamp_min(eps)
    return ((x1 / a) * (x2 / b)).sum(dim)


@spelled("F.pairwise_distance pairwise_distance", "", None)
def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The p-norm of x1 - x2 + eps along the last dimension."""
    from .norms import vector_norm

    return vector_norm(x1 - x2 + eps, p, -1, keepdim)


@spelled("cdist", "", None)
def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str | None = None) -> Any:
    """Distances between all rows of x1 and all rows of x2."""
    from .norms import vector_norm

    modes = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    if compute_mode not in (None, *modes):
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")

    return vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


