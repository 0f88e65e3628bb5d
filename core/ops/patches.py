"""Sums of sliding patches (fold, the reverse of unfold) and bags of embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from .declare import Spec, operator, spelled, type_name
from .op import Extern, call


def _pair(v: Any) -> tuple[int, int]:
    return (v, v) if isinstance(v, int) else (v[0], v[1]) if len(v) > 1 else (v[0], v[0])


def _blocks(size: tuple, kernel: tuple, dilation: tuple, padding: tuple, stride: tuple) -> tuple[int, int]:
    return ((size[0] + 2 * padding[0] - dilation[0] * (kernel[0] - 1) - 1) // stride[0] + 1,
            (size[1] + 2 * padding[1] - dilation[1] * (kernel[1] - 1) - 1) // stride[1] + 1)


def _fold(a: np.ndarray, size: tuple, kernel: tuple, dilation: tuple, padding: tuple, stride: tuple) -> np.ndarray:
    rows, cols = _blocks(size, kernel, dilation, padding, stride)
    batch = a if a.ndim == 3 else a[None]
    n, c = batch.shape[0], batch.shape[1] // (kernel[0] * kernel[1])
    x = batch.reshape(n, c, kernel[0], kernel[1], rows, cols)
    out = np.zeros((n, c, size[0] + 2 * padding[0], size[1] + 2 * padding[1]), a.dtype)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            top, left = i * dilation[0], j * dilation[1]
            out[:, :, top:top + stride[0] * rows:stride[0], left:left + stride[1] * cols:stride[1]] += x[:, :, i, j]
    out = out[:, :, padding[0]:padding[0] + size[0], padding[1]:padding[1] + size[1]]
    return out if a.ndim == 3 else out[0]


def _fold_rule(m: Any, size: tuple, kernel: tuple, dilation: tuple, padding: tuple, stride: tuple) -> Spec:
    if len(m.shape) not in (2, 3):
        raise RuntimeError(f"Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions "
                           f"for input, but got: {list(m.shape)}")
    if m.dtype.category == 1:
        raise NotImplementedError(f"\"col2im_out_cpu\" not implemented for '{type_name(m.dtype)}'")
    planes, length = m.shape[-2], m.shape[-1]
    block = kernel[0] * kernel[1]
    if planes % block != 0:
        raise RuntimeError(f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
                           f"input.size(1)={planes} and kernel_size={kernel}.")
    rows, cols = _blocks(size, kernel, dilation, padding, stride)
    if length != rows * cols:
        raise RuntimeError(f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
                           f"stride={stride}, expected size of input's dimension 2 to match the calculated number of sliding "
                           f"blocks {rows} * {cols} = {rows * cols}, but got input.size(2)={length}.")
    return Spec(m.dtype, (*m.shape[:-2], planes // block, *size))


FOLD = operator("fold", "input, size:ints, kernel:ints, dilation:ints, padding:ints, stride:ints", Extern(), _fold, _fold_rule)


@spelled("F.fold", "", FOLD)
def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Patches [N, C * kernel, L] added up where they overlap: [N, C, height, width]."""
    return call(FOLD, (input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride)))


# -- bags of embeddings ----------------------------------------------------------------------------------------------
def _bag(table: np.ndarray, indices: np.ndarray, offsets: np.ndarray, weights: Any, mode: str, padding: Any) -> np.ndarray:
    wide = np.float32 if table.dtype == np.float16 else table.dtype
    out = np.zeros((len(offsets) - 1, table.shape[1]), wide)
    for b, (start, stop) in enumerate(zip(offsets[:-1], offsets[1:])):
        at = indices[start:stop]
        keep = np.ones(at.shape, bool) if padding is None else at != padding
        rows = table[at[keep]].astype(wide)
        if weights is not None:
            rows = rows * weights[start:stop][keep][:, None]
        if len(rows):
            out[b] = rows.sum(0) if mode == "sum" else rows.mean(0) if mode == "mean" else rows.max(0)
    return out


BAG = operator("embedding_bag", "weight, indices:tensor, offsets:tensor, per_sample_weights:any, mode:str, padding_idx:any", Extern(),
               _bag, lambda w, i, offsets, p, mode, padding: Spec(w.dtype, (offsets.shape[0] - 1, w.shape[1])))


@spelled("F.embedding_bag", "", BAG)
def embedding_bag(input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None, norm_type: float = 2,
                  scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, per_sample_weights: Any = None,
                  include_last_offset: bool = False, padding_idx: int | None = None) -> Any:
    """Sums, means or maxima of the rows of `weight` that each bag names: rows of `input`, or pieces that begin at `offsets`."""
    from .joining import CAT
    from .ranges import arange

    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if max_norm is not None:
        from ..errors import NotYetSupported
        raise NotYetSupported("F.embedding_bag(max_norm=...) does not exist in Guardscope yet: renormalise the weight before.")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(f"embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
                                  f"mode='sum' (got mode='{mode}').")
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                             "sequences.")
        bounds = arange(0, (input.shape[0] + 1) * input.shape[1], max(input.shape[1], 1))
        input = input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    elif input.ndim == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        bounds = offsets if include_last_offset else call(CAT, ((offsets, offsets.new_full((1,), input.shape[0])), 0))
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if padding_idx is not None and padding_idx < 0:
        padding_idx = weight.shape[0] + padding_idx
    return call(BAG, (weight, input, bounds, per_sample_weights, mode, padding_idx))


@spelled("F.gumbel_softmax", "", None)
def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Any:
    """softmax of logits with Gumbel noise at temperature tau; one-hot with hard=True."""
    from .creation import empty_like

    noise = -empty_like(logits).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    best = soft.max(dim, keepdim=True)[1]
    chosen = empty_like(logits).zero_().scatter_(dim, best, 1.0)
    return chosen - soft.detach() + soft
