"""Images read at other positions: bicubic and antialiased resizing.

Resizing is one weighted sum per dimension: a small matrix of weights (output size x input size) for each, applied in
turn. Positions and weights follow PyTorch's documentation of interpolate (align_corners, antialias).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .declare import Spec, operator, type_name
from .op import Extern
from .strides import channels_last_strides, is_channels_last, is_contiguous

_HALF_WIDTH = {"linear": 1.0, "cubic": 2.0}


# -- resizing --------------------------------------------------------------------------------------------------------
def _cubic(x: np.ndarray, a: float) -> np.ndarray:
    """Keys' cubic convolution kernel (IEEE ASSP 1981) with parameter a."""
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


def resize_weights(n: int, m: int, kind: str, align: bool, scale: float | None, antialias: bool) -> np.ndarray:
    """The matrix that makes m samples of n. `scale` is input per output where a scale factor was given."""
    if align:
        step = (n - 1) / (m - 1) if m > 1 else 0.0
    else:
        step = n / m if scale is None else scale
    out = np.zeros((m, n))
    at = np.arange(m)
    if antialias:
        widen = max(step, 1.0)
        support = _HALF_WIDTH[kind] * widen
        for i in range(m):
            centre = step * (i + 0.5)
            low = max(int(centre - support + 0.5), 0)
            high = min(int(centre + support + 0.5), n)
            offsets = (np.arange(low, high) - centre + 0.5) / widen
            weights = _cubic(offsets, -0.5) if kind == "cubic" else np.maximum(1 - np.abs(offsets), 0)
            out[i, low:high] = weights / weights.sum()
        return out
    where = at * step if align else (at + 0.5) * step - 0.5
    if kind == "linear":
        where = np.maximum(where, 0)
    first = np.floor(where).astype(int)
    part = where - first
    for shift in (range(-1, 3) if kind == "cubic" else range(2)):
        weight = _cubic(part - shift, -0.75) if kind == "cubic" else np.maximum(1 - np.abs(part - shift), 0)
        np.add.at(out, (at, np.clip(first + shift, 0, n - 1)), weight)
    return out


def _resize(a: np.ndarray, size: tuple, kind: str, align: bool, scales: tuple, antialias: bool) -> np.ndarray:
    wide = np.float32 if a.dtype in (np.float16, np.uint8) else a.dtype
    x = a.astype(wide, copy=False)
    for d in reversed(range(len(size))):
        weights = resize_weights(a.shape[2 + d], size[d], kind, align, scales[d], antialias).astype(wide)
        x = np.moveaxis(np.tensordot(x, weights, ([2 + d], [1])), -1, 2 + d)
    return np.clip(np.rint(x), 0, 255) if a.dtype == np.uint8 else x


def _resize_rule(m: Any, size: tuple, *rest: Any) -> Spec:
    if len(m.shape) != len(size) + 2:
        raise ValueError(f"Input and output must have the same number of spatial dimensions, but got input with spatial "
                         f"dimensions of {list(m.shape[2:])} and output size of {size}.")
    if any(n <= 0 for n in (*m.shape[1:], *size)):
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({list(m.shape[2:])}) output "
                           f"({list(size)})")
    if m.dtype.category != 2 and m.dtype.name != "uint8":
        raise NotImplementedError(f"\"upsample_cpu\" not implemented for '{type_name(m.dtype)}'")
    shape = (*m.shape[:2], *size)
    last = is_channels_last(m.shape, m.strides) and not is_contiguous(m.shape, m.strides)
    return Spec(m.dtype, shape, channels_last_strides(shape) if last else None)


RESIZE = operator(
    "resize", "input, size:ints, kind:str, align:bool, scales:any, antialias:bool", Extern(), _resize, _resize_rule
)
