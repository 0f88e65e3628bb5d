"""Images read at other positions: bicubic and antialiased resizing, grid_sample, affine_grid.

Resizing is one weighted sum per dimension: a small matrix of weights (output size x input size) for each, applied in
turn. Positions and weights follow PyTorch's documentation of interpolate (align_corners, antialias) and grid_sample.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .declare import Spec, operator, spelled, type_name
from .op import Extern, call
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


RESIZE = operator("resize", "input, size:ints, kind:str, align:bool, scales:any, antialias:bool", Extern(), _resize, _resize_rule)


# -- reading at given positions --------------------------------------------------------------------------------------
def _reflect(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """Positions folded back and forth into [low, high]."""
    if low == high:
        return np.zeros_like(x)
    span = high - low
    away = np.abs(x - low)
    times = np.floor(away / span)
    rest = away - times * span
    return np.where(times % 2 == 0, rest + low, span - rest + low)


def _positions(g: np.ndarray, n: int, padding: str, align: bool) -> np.ndarray:
    """Grid coordinates in [-1, 1] as indices into n elements, taken inside as the padding says."""
    x = (g + 1) / 2 * (n - 1) if align else ((g + 1) * n - 1) / 2
    if padding == "border":
        x = np.clip(x, 0, n - 1)
    elif padding == "reflection":
        x = np.clip(_reflect(x, 0, n - 1) if align else _reflect(x, -0.5, n - 0.5), 0, n - 1)
    return np.where(np.isfinite(x), x, -100.0)


def _read(a: np.ndarray, index: list[np.ndarray]) -> np.ndarray:
    """Elements a[n, :, index...] with zeros outside; result [n, c, positions...]."""
    inside = np.ones(index[0].shape, bool)
    safe = []
    for i, n in zip(index, a.shape[2:]):
        inside &= (i >= 0) & (i < n)
        safe.append(np.clip(i, 0, n - 1).astype(np.int64))
    batch = np.arange(a.shape[0]).reshape(-1, *[1] * (index[0].ndim - 1))
    found = np.moveaxis(a[(batch, slice(None), *safe)], -1, 1)
    return found * inside[:, None]


def _grid_sample(a: np.ndarray, grid: np.ndarray, mode: str, padding: str, align: bool) -> np.ndarray:
    wide = np.float32 if a.dtype == np.float16 else a.dtype
    a, g = a.astype(wide, copy=False), grid.astype(wide, copy=False)
    n = a.ndim - 2
    coordinates = [g[..., n - 1 - d] for d in range(n)]         # the last dimension of the grid is x, y(, z)
    if mode == "bicubic":
        return _bicubic(a, coordinates, padding, align).astype(wide)
    where = [_positions(c, size, padding, align) for c, size in zip(coordinates, a.shape[2:])]
    if mode == "nearest":
        return _read(a, [np.rint(w) for w in where])
    first = [np.floor(w) for w in where]
    total: Any = 0
    for corner in np.ndindex(*[2] * n):
        weight: Any = 1
        for w, f, c in zip(where, first, corner):
            weight = weight * ((w - f) if c else (f + 1 - w))
        total = total + _read(a, [f + c for f, c in zip(first, corner)]) * weight[:, None].astype(wide)
    return total


def _bicubic(a: np.ndarray, coordinates: list, padding: str, align: bool) -> np.ndarray:
    sizes = a.shape[2:]
    raw = [(c + 1) / 2 * (n - 1) if align else ((c + 1) * n - 1) / 2 for c, n in zip(coordinates, sizes)]
    first = [np.floor(r) for r in raw]
    total: Any = 0
    for dy in range(-1, 3):
        for dx in range(-1, 3):
            weight = _cubic(raw[0] - first[0] - dy, -0.75) * _cubic(raw[1] - first[1] - dx, -0.75)
            index = [first[0] + dy, first[1] + dx]
            if padding == "border":
                index = [np.clip(i, 0, n - 1) for i, n in zip(index, sizes)]
            elif padding == "reflection":
                index = [np.clip(_reflect(i, 0, n - 1) if align else _reflect(i, -0.5, n - 0.5), 0, n - 1)
                         for i, n in zip(index, sizes)]
            total = total + _read(a, [np.trunc(i) for i in index]) * weight[:, None]
    return total


def _grid_rule(m: Any, grid: Any, mode: str, padding: str, align: bool) -> Spec:
    n = len(m.shape) - 2
    if m.dtype is not grid.dtype:
        raise RuntimeError(f"grid_sampler(): expected input and grid to have same dtype, but input has {m.dtype} and grid has "
                           f"{grid.dtype}")
    if n not in (2, 3) or len(grid.shape) != n + 2:
        raise RuntimeError(f"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with "
                           f"sizes {list(m.shape)} and grid with sizes {list(grid.shape)}")
    if m.shape[0] != grid.shape[0]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
                           f"{list(m.shape)} and grid with sizes {list(grid.shape)}")
    if grid.shape[-1] != n:
        raise RuntimeError(f"grid_sampler(): expected grid to have size {n} in last dimension, but got grid with sizes "
                           f"{list(grid.shape)}")
    if mode == "bicubic" and n == 3:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if any(isinstance(k, int) and k == 0 for k in m.shape[2:]):
        raise RuntimeError(f"grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                           f"{list(m.shape)}")
    return Spec(m.dtype, (*m.shape[:2], *grid.shape[1:-1]))


GRID_SAMPLE = operator("grid_sample", "input, grid:tensor, mode:str, padding_mode:str, align_corners:bool", Extern(), _grid_sample,
                       _grid_rule)


@spelled("F.grid_sample", "", GRID_SAMPLE)
def grid_sample(input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros",
                align_corners: bool | None = None) -> Any:
    """input[N, C, H, W] (or [N, C, D, H, W]) read at the positions grid[N, h, w, 2], which count from -1 to 1."""
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(f"nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
                         f"'{padding_mode}'")
    if align_corners is None:
        _warn_default("grid_sample")
    return call(GRID_SAMPLE, (input, grid, mode, padding_mode, bool(align_corners)))


def _warn_default(name: str) -> None:
    import warnings

    warnings.warn(f"Default {name} and affine_grid behavior is align_corners=False: state align_corners to be clear.",
                  UserWarning, stacklevel=3)


@spelled("F.affine_grid", "", GRID_SAMPLE)
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    """The positions that grid_sample needs for the affine maps theta[N, 2, 3] (or [N, 3, 4])."""
    from .creation import ones
    from .ranges import linspace

    if align_corners is None:
        _warn_default("grid_sample")
    if theta.dtype.category != 2:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    space = tuple(size[2:])
    n = len(space)
    if n not in (2, 3) or theta.ndim != 3 or theta.shape[1:] != (n, n + 1):
        raise ValueError(f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {tuple(size)}. Got "
                         f"{tuple(theta.shape)}.")
    axes = []
    for d, k in enumerate(space):
        line = linspace(-1, 1, k, dtype=theta.dtype) if k > 1 else ones(k, dtype=theta.dtype) * 0
        line = line if align_corners else line * (k - 1) / k
        axes.append(line.reshape([-1 if e == d else 1 for e in range(n)]).expand(space))
    from .joining import STACK

    base = call(STACK, ((*reversed(axes), ones(*space, dtype=theta.dtype)), n))
    flat = base.reshape(1, math.prod(space), n + 1) @ theta.transpose(1, 2)
    return flat.reshape((theta.shape[0], *space, n))
