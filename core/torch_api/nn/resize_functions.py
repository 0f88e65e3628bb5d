"""torch.nn.functional.interpolate: images and sequences resized by nearest, linear or area sampling.

Output position i of n reads source position (i + 0.5) * scale - 0.5, or i * (m - 1) / (n - 1) with align_corners;
nearest reads floor(i * scale). scale is m / n, or 1 / scale_factor where a factor was given (PyTorch's rule).
"""

from __future__ import annotations

import math
from typing import Any

from ...ops.conversion import in_format_of
from ...ops.op import call
from ...ops.resampling import RESIZE
from ...tensor.dtypes import float32, float64, int64
from .. import toplevel as T
from ..naming import present

_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}


def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
                align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
                antialias: bool = False) -> Any:
    """input[N, C, ...] resized to `size` or by `scale_factor` (one number, or one per dimension)."""
    dims = input.dim() - 2
    if mode in _LINEAR:
        if dims != _LINEAR[mode]:
            raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs {_LINEAR[mode] + 2}D input")
    elif mode == "bicubic":
        if dims != 2:
            raise NotImplementedError(f"Got {input.dim()}D input, but bicubic mode needs 4D input")
    elif mode not in ("nearest", "nearest-exact", "area") or dims not in (1, 2, 3):
        raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the "
                                  f"modes: "
                                  "nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact "
                                  f"(got {mode})")
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input")
    if align_corners is not None and mode not in _LINEAR and mode != "bicubic":
        raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | "
                         "bicubic | trilinear")
    sizes, factors = _target(input, size, scale_factor, dims, recompute_scale_factor)
    if mode == "bicubic" or antialias:
        _check_sizes(input, sizes)
        scales = tuple([None if f is None else 1.0 / f for f in factors])
        return call(
            RESIZE, (input, tuple(sizes), "cubic" if mode == "bicubic" else "linear", bool(align_corners), scales, antialias)
        )
    if mode == "area":
        from .functional import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[dims - 1](input, sizes)
    _check_sizes(input, sizes)
    out = input
    for d in range(dims):
        have, want, factor = input.shape[d + 2], sizes[d], factors[d]
        if mode in _LINEAR:
            out = _linear(out, d + 2, have, want, factor, bool(align_corners))
        else:
            out = _nearest(out, d + 2, have, want, factor, 0.5 if mode == "nearest-exact" else 0.0)
    return in_format_of(out, input)


def _check_sizes(input: Any, sizes: list) -> None:
    """RuntimeError where nothing is asked for, or there is nothing to take it from (an empty batch is no error)."""
    have = list(input.shape[2:])
    if any(n <= 0 for n in (*have, *sizes)):
        axes = "DHW"[3 - len(have):]
        sides = [", ".join(f"{axis}: {n}" for axis, n in zip(axes, side)) for side in (have, sizes)]
        both = " and" if len(have) == 1 else ""
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({sides[0]}){both} output "
                           f"({sides[1]})")
    if input.shape[1] == 0:
        raise RuntimeError(f"Non-empty {input.dim()}D data tensor expected but got a tensor with sizes {list(input.shape)}")


def _target(input: Any, size: Any, scale_factor: Any, dims: int, recompute: bool | None) -> tuple[list, list]:
    """(wanted sizes, factor per dimension or None where the ratio of sizes counts)."""
    if (size is None) == (scale_factor is None):
        raise ValueError("only one of size or scale_factor should be defined" if size is not None
                         else "either size or scale_factor should be defined")
    if size is not None:
        wanted = list(size) if isinstance(size, tuple | list) else [size] * dims
        if len(wanted) != dims:
            raise ValueError("Input and output must have the same number of spatial dimensions, but got input with "
                             f"spatial dimensions of {list(input.shape[2:])} and output size of {size}.")
        return wanted, [None] * dims
    factors = [float(f) for f in scale_factor] if isinstance(scale_factor, tuple | list) else [float(scale_factor)] * dims
    wanted = [math.floor(n * f) for n, f in zip(input.shape[2:], factors)]
    return wanted, [None] * dims if recompute else factors


def _positions(want: Any, scale: float, shift: float, precise: bool = False) -> Any:
    return T.arange(want, dtype=float64 if precise else float32) * scale + shift


def _nearest(x: Any, dim: int, have: Any, want: Any, factor: float | None, half: float) -> Any:
    scale = 1.0 / factor if factor else have / want
    at = _positions(want, scale, half * scale).floor().to(int64).clamp(max=have - 1)
    return x.index_select(dim, at)


def _linear(x: Any, dim: int, have: Any, want: Any, factor: float | None, align_corners: bool) -> Any:
    if align_corners:
        at = _positions(want, (have - 1) / (want - 1) if want > 1 else 0.0, 0.0, x.dtype is float64)
    else:
        scale = 1.0 / factor if factor else have / want
        at = _positions(want, scale, 0.5 * scale - 0.5, x.dtype is float64).clamp(min=0)
    low = at.floor().to(int64).clamp(max=have - 1)
    high = (low + 1).clamp(max=have - 1)
    share = (at - low).to(x.dtype).reshape([-1 if d == dim else 1 for d in range(x.dim())])
    return x.index_select(dim, low) * (1 - share) + x.index_select(dim, high) * share


present(globals())
