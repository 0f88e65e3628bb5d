"""torch.nn.functional.embedding_bag: sums, means or maxima of looked-up rows; upsample and lp_pool, older spellings."""

from __future__ import annotations

from typing import Any

from ...errors import NotYetSupported
from .. import toplevel as T
from ..naming import present
from .resize_functions import interpolate


def embedding_bag(input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None, norm_type: float = 2,
                  scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, per_sample_weights: Any = None,
                  include_last_offset: bool = False, padding_idx: int | None = None) -> Any:
    """Rows of `weight` for each bag of indices, reduced: input[B, N], or all bags in one vector that start at `offsets`.

    ValueError for inconsistent arguments, as in PyTorch; an empty bag gives zeros.
    """
    if max_norm is not None:
        raise NotYetSupported("embedding_bag(max_norm=...) does not exist yet: renormalise the weight before the call.")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
                                  f"mode='sum' (got mode='{mode}'). Please open a feature request on GitHub.")
    if per_sample_weights is not None and tuple(input.shape) != tuple(per_sample_weights.shape):
        raise ValueError(f"embedding_bag: If per_sample_weights ({list(per_sample_weights.shape)}) is not None, then it must "
                         f"have the same shape as the input ({list(input.shape)})")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                             f"sequences. However, found offsets of type {type(offsets)}")
        bags, length = input.shape
        bag_of = T.arange(bags).reshape(-1, 1).expand(bags, length).reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
        starts = offsets[:-1] if include_last_offset else offsets
        bags = starts.shape[0]
        bag_of = T.searchsorted(starts, T.arange(input.shape[0], dtype=starts.dtype), right=True) - 1
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    index = input.reshape(-1)
    rows = weight[index]
    kept = T.ones(index.shape, dtype=weight.dtype)
    if padding_idx is not None:
        place = padding_idx if padding_idx >= 0 else padding_idx + weight.shape[0]
        kept = (index != place).to(weight.dtype)
    if mode == "max":
        rows = T.where(kept.unsqueeze(1) > 0, rows, T.full_like(rows, -float("inf")))
        out = T.full((bags, weight.shape[1]), -float("inf"), dtype=weight.dtype)
        out = out.scatter_reduce(0, bag_of.unsqueeze(1).expand(-1, weight.shape[1]), rows, "amax")
        return T.where(T.isinf(out), T.zeros_like(out), out)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    out = T.zeros((bags, weight.shape[1]), dtype=weight.dtype).index_add(0, bag_of, rows * kept.unsqueeze(1))
    if mode == "mean":
        out = out / T.zeros((bags,), dtype=weight.dtype).index_add(0, bag_of, kept).clamp(min=1).unsqueeze(1)
    return out


def upsample(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
             align_corners: bool | None = None) -> Any:
    """interpolate under its older name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """interpolate(mode="nearest")."""
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """interpolate(mode="bilinear", align_corners=True)."""
    return interpolate(input, size, scale_factor, "bilinear", True)


def _lp(input: Any, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool, dims: int) -> Any:
    from .functional import avg_pool1d, avg_pool2d, avg_pool3d

    pool = (avg_pool1d, avg_pool2d, avg_pool3d)[dims - 1]
    sizes = kernel_size if isinstance(kernel_size, tuple | list) else (kernel_size,) * dims
    count = 1
    for k in sizes:
        count *= k
    mean = pool(input ** norm_type, kernel_size, stride, 0, ceil_mode)
    return (mean.sign() * mean.abs().relu() * count) ** (1.0 / norm_type)


def lp_pool1d(input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """(sum of x ** p) ** (1 / p) over windows"""
    return _lp(input, norm_type, kernel_size, stride, ceil_mode, 1)


def lp_pool2d(input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """(sum of x ** p) ** (1 / p) over windows"""
    return _lp(input, norm_type, kernel_size, stride, ceil_mode, 2)


def lp_pool3d(input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """(sum of x ** p) ** (1 / p) over windows"""
    return _lp(input, norm_type, kernel_size, stride, ceil_mode, 3)


def _unpool(input: Any, indices: Any, kernel_size: Any, stride: Any, padding: Any, output_size: Any, dims: int) -> Any:
    def each(v: Any) -> tuple:
        return tuple(v) if isinstance(v, tuple | list) else (v,) * dims

    kernel, pads = each(kernel_size), each(padding)
    steps = each(stride if stride is not None else kernel_size)
    lead, inner = tuple(input.shape[:-dims]), tuple(input.shape[-dims:])
    sizes = tuple((n - 1) * s - 2 * p + k for n, k, s, p in zip(inner, kernel, steps, pads))
    if output_size is not None:
        sizes = tuple(output_size)[-dims:]
    count = 1
    for n in sizes:
        count *= n
    flat = input.new_zeros((*lead, count))
    flat = flat.scatter(-1, indices.reshape(*lead, -1), input.reshape(*lead, -1))
    return flat.reshape(*lead, *sizes)


def max_unpool1d(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
                 output_size: Any = None) -> Any:
    """Maxima back at the places that max_pool1d(return_indices=True) found; zeros elsewhere."""
    return _unpool(input, indices, kernel_size, stride, padding, output_size, 1)


def max_unpool2d(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
                 output_size: Any = None) -> Any:
    """Maxima back at the places that max_pool2d(return_indices=True) found; zeros elsewhere."""
    return _unpool(input, indices, kernel_size, stride, padding, output_size, 2)


def max_unpool3d(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
                 output_size: Any = None) -> Any:
    """Maxima back at the places that max_pool3d(return_indices=True) found; zeros elsewhere."""
    return _unpool(input, indices, kernel_size, stride, padding, output_size, 3)


present(globals())
