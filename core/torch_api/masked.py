"""torch.masked: reductions over the elements that a mask names, composed of ordinary ones."""

from __future__ import annotations

import math
from typing import Any

from ..tensor.state import STATE
from . import toplevel as T
from .naming import module_getattr, not_yet, present


def _where(input: Any, mask: Any) -> Any:
    return T.ones_like(input, dtype=T.bool) if mask is None else mask.to(T.bool).expand_as(input)


def _dims(input: Any, dim: Any) -> tuple[int, ...]:
    if dim is None:
        return tuple(range(input.ndim))
    many = (dim,) if isinstance(dim, int) else tuple(dim)
    return tuple([d % max(input.ndim, 1) for d in many]) or tuple(range(input.ndim))


def _floating(name: str, input: Any, dtype: Any) -> Any:
    x = input if dtype is None else input.to(dtype)
    if not x.is_floating_point() and not x.is_complex():
        raise ValueError(f"{name}(): Could not infer output dtype. Input dtype must be either a floating point or complex "
                         f"dtype. "
                         f"Got: {input.dtype}")
    return x


def sum(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The sum of the masked elements; 0 where there are none."""
    return input.masked_fill(~_where(input, mask), 0).sum(_dims(input, dim), keepdim, dtype=dtype)


def prod(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The product of the masked elements; 1 where there are none."""
    out = input.masked_fill(~_where(input, mask), 1)
    for d in sorted(_dims(input, dim), reverse=True):
        out = out.prod(d, keepdim, dtype=dtype)
    return out


def mean(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The mean of the masked elements; NaN where there are none."""
    x = _floating("mean", input, dtype)
    return sum(x, dim, keepdim=keepdim, mask=mask) / _where(x, mask).sum(_dims(x, dim), keepdim)


def var(input: Any, dim: Any = None, unbiased: bool | None = None, *, correction: Any = None, keepdim: bool = False,
        dtype: Any = None, mask: Any = None) -> Any:
    """The variance of the masked elements."""
    x = _floating("var", input, dtype)
    less = correction if correction is not None else 1 if unbiased is None or unbiased else 0
    keep, dims = _where(x, mask), _dims(x, dim)
    count = keep.sum(dims, keepdim)
    centred = (x - mean(x, dims, keepdim=True, mask=mask)).masked_fill(~keep, 0)
    return (centred * centred).sum(dims, keepdim) / (count - less).clamp_min(0)


def std(input: Any, dim: Any = None, unbiased: bool | None = None, *, correction: Any = None, keepdim: bool = False,
        dtype: Any = None, mask: Any = None) -> Any:
    """The standard deviation of the masked elements."""
    return var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask).sqrt()


def _limit(dtype: Any, high: bool) -> Any:
    if dtype.is_floating_point:
        return math.inf if high else -math.inf
    return T.iinfo(dtype).max if high else T.iinfo(dtype).min


def amax(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The largest of the masked elements."""
    x = input if dtype is None else input.to(dtype)
    return x.masked_fill(~_where(x, mask), _limit(x.dtype, False)).amax(_dims(x, dim), keepdim)


def amin(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The smallest of the masked elements."""
    x = input if dtype is None else input.to(dtype)
    return x.masked_fill(~_where(x, mask), _limit(x.dtype, True)).amin(_dims(x, dim), keepdim)


def softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """softmax over the masked elements; the others count as -inf."""
    x = input if dtype is None else input.to(dtype)
    return x.masked_fill(~_where(x, mask), -math.inf).softmax(dim)


def log_softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """log_softmax over the masked elements."""
    x = input if dtype is None else input.to(dtype)
    return x.masked_fill(~_where(x, mask), -math.inf).log_softmax(dim)


def logsumexp(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """logsumexp over the masked elements."""
    x = (input if dtype is None else input.to(dtype))
    x = x if x.is_floating_point() else x.to(STATE.mode.default_dtype)
    return x.masked_fill(~_where(x, mask), -math.inf).logsumexp(_dims(x, dim), keepdim)


def argmax(input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Where the largest of the masked elements is."""
    return input.masked_fill(~_where(input, mask), _limit(input.dtype, False)).argmax(dim, keepdim)


def argmin(input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Where the smallest of the masked elements is."""
    return input.masked_fill(~_where(input, mask), _limit(input.dtype, True)).argmin(dim, keepdim)


MaskedTensor = not_yet("torch.masked.MaskedTensor", "pass a mask to the functions of torch.masked")
masked_tensor = not_yet("torch.masked.masked_tensor", "pass a mask to the functions of torch.masked")
present(globals())
__getattr__ = module_getattr(globals())
