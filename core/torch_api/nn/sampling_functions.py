"""torch.nn.functional.grid_sample, affine_grid, fold and channel_shuffle: compositions about pixels and patches.

grid_sample reads the input at positions given in [-1, 1]: with align_corners those are the centres of the border pixels,
else the borders' outer edges. Positions outside read zeros, the border, or the mirrored image.
"""

from __future__ import annotations

import math
from typing import Any

from ...tensor.dtypes import int64
from .. import toplevel as T
from ..naming import present

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    """Positions for grid_sample: theta[N, 2, 3] and size (N, C, H, W) -> [N, H, W, 2]; theta[N, 3, 4] for volumes."""
    space = len(size) - 2
    if space not in (1, 2, 3):
        raise NotImplementedError("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
                                  f"Got size {size}.")
    if tuple(theta.shape[1:]) != (space, space + 1):
        raise ValueError(f"Expected a batch of {space}D affine matrices of shape Nx{space}x{space + 1} for size {size}. Got "
                         f"{theta.shape}.")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    axes = []
    for n in size[2:]:
        line = T.linspace(-1, 1, n, dtype=theta.dtype) if n > 1 else T.zeros(1, dtype=theta.dtype)
        axes.append(line if align_corners else line * ((n - 1) / n))
    points = [axes[-1 - i].reshape([-1 if d == space - 1 - i else 1 for d in range(space)]).expand(tuple(size[2:]))
              for i in range(space)]
    base = T.stack([*points, T.ones(tuple(size[2:]), dtype=theta.dtype)], -1).reshape(-1, space + 1)
    return T.matmul(base, theta.transpose(1, 2)).reshape(size[0], *size[2:], space)


def _unnormalized(at: Any, n: Any, align_corners: bool) -> Any:
    return (at + 1) / 2 * (n - 1) if align_corners else ((at + 1) * n - 1) / 2


def _reflected(at: Any, low2: Any, high2: Any) -> Any:
    """Mirror at low2 / 2 and high2 / 2 until inside."""
    if low2 == high2:
        return T.zeros_like(at)
    least, span = low2 / 2, (high2 - low2) / 2
    away = (at - least).abs()
    extra = away % span
    return T.where((away / span).floor() % 2 == 0, extra + least, span - extra + least)


def _bounded(at: Any, n: Any, padding: str, align_corners: bool) -> Any:
    if padding == "border":
        return at.clamp(0, n - 1)
    if padding == "reflection":
        mirrored = _reflected(at, 0, 2 * (n - 1)) if align_corners else _reflected(at, -1, 2 * n - 1)
        return mirrored.clamp(0, n - 1)
    return at


def _taken(input: Any, places: list[Any]) -> Any:
    """input[N, C, *sizes] at integer places, each [N, *out]; zero outside."""
    sizes = input.shape[2:]
    flat, inside = None, None
    for at, n in zip(places, sizes):
        within = (at >= 0) & (at <= n - 1)
        index = at.clamp(0, n - 1).to(int64)
        flat = index if flat is None else flat * n + index
        inside = within if inside is None else inside & within
    n, c = input.shape[0], input.shape[1]
    out_shape = places[0].shape
    assert flat is not None and inside is not None
    index = flat.reshape(n, 1, -1).expand(n, c, flat[0].numel())
    found = input.reshape(n, c, -1).gather(2, index).reshape(n, c, *out_shape[1:])
    return found * inside.unsqueeze(1).to(input.dtype)


def grid_sample(input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros",
                align_corners: bool | None = None) -> Any:
    """input[N, C, H, W] at grid[N, H', W', 2] (x, y in [-1, 1]) -> [N, C, H', W']; also volumes with grid[..., 3].

    ValueError for an unknown mode; RuntimeError where shapes do not agree.
    """
    if mode not in GRID_SAMPLE_INTERPOLATION_MODES:
        raise ValueError(f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
                         f"'{mode}'")
    if padding_mode not in GRID_SAMPLE_PADDING_MODES:
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but "
                         "got: "
                         f"'{padding_mode}'")
    align = bool(align_corners)
    space = input.dim() - 2
    if space not in (2, 3) or grid.dim() != input.dim():
        raise RuntimeError("grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input "
                           "with "
                           f"sizes {list(input.shape)} and grid with sizes {list(grid.shape)}")
    if grid.shape[-1] != space:
        raise RuntimeError(f"grid_sampler(): expected grid to have size {space} in last dimension, but got grid with sizes "
                           f"{list(grid.shape)}")
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError("grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
                           f"{list(input.shape)} and grid with sizes {list(grid.shape)}")
    sizes = input.shape[2:]
    ats = [_unnormalized(grid[..., space - 1 - i], sizes[i], align) for i in range(space)]
    if mode == "bicubic":
        if space != 2:
            raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
        return _bicubic(input, ats, padding_mode, align)
    ats = [_bounded(at, n, padding_mode, align) for at, n in zip(ats, sizes)]
    if mode == "nearest":
        return _taken(input, [at.round() for at in ats])
    lows = [at.floor() for at in ats]
    shares = [at - low for at, low in zip(ats, lows)]
    total = None
    for corner in range(1 << space):
        up = [(corner >> i) & 1 for i in range(space)]
        weight = None
        for share, high in zip(shares, up):
            part = share if high else 1 - share
            weight = part if weight is None else weight * part
        assert weight is not None
        term = _taken(input, [low + high for low, high in zip(lows, up)]) * weight.unsqueeze(1)
        total = term if total is None else total + term
    return total


def _cubic(t: Any, a: float = -0.75) -> list[Any]:
    """Weights of the four neighbours at distances 1 + t, t, 1 - t, 2 - t (Keys 1981)."""
    def near(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _bicubic(input: Any, ats: list[Any], padding: str, align: bool) -> Any:
    lows = [at.floor() for at in ats]
    weights = [_cubic(at - low) for at, low in zip(ats, lows)]
    total: Any = None
    for i in range(4):
        row = _bounded(lows[0] + (i - 1), input.shape[2], padding, align)
        for j in range(4):
            column = _bounded(lows[1] + (j - 1), input.shape[3], padding, align)
            term = _taken(input, [row, column]) * (weights[0][i] * weights[1][j]).unsqueeze(1)
            total = term if total is None else total + term
    return total


def _pair(value: Any) -> tuple[int, int]:
    return tuple(value) if isinstance(value, tuple | list) else (value, value)


def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The sum of patches input[N, C * kh * kw, L] put back where unfold took them: [N, C, H, W].

    RuntimeError where L is not the number of patches.
    """
    if input.dim() == 2:
        return fold(input.unsqueeze(0), output_size, kernel_size, dilation, padding, stride).squeeze(0)
    (h, w), (kh, kw), (dh, dw) = _pair(output_size), _pair(kernel_size), _pair(dilation)
    (ph, pw), (sh, sw) = _pair(padding), _pair(stride)
    nh = (h + 2 * ph - dh * (kh - 1) - 1) // sh + 1
    nw = (w + 2 * pw - dw * (kw - 1) - 1) // sw + 1
    if input.shape[1] % (kh * kw):
        raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
                           f"input.size(1)={input.shape[1]} and kernel_size=({kh}, {kw}).")
    if input.shape[2] != nh * nw:
        raise RuntimeError(f"Given output_size=({h}, {w}), kernel_size=({kh}, {kw}), dilation=({dh}, {dw}), padding=({ph}, "
                           f"{pw})"
                           f", stride=({sh}, {sw}), expected size of input's dimension 2 to match the calculated number of "
                           f"sliding blocks {nh} * {nw} = {nh * nw}, but got input.size(2)={input.shape[2]}.")
    n, c = input.shape[0], input.shape[1] // (kh * kw)
    patches = input.reshape(n, c, kh, kw, nh, nw)
    out = input.new_zeros((n, c, h + 2 * ph, w + 2 * pw))
    for i in range(kh):
        for j in range(kw):
            rows = slice(i * dh, i * dh + sh * (nh - 1) + 1, sh)
            columns = slice(j * dw, j * dw + sw * (nw - 1) + 1, sw)
            out[:, :, rows, columns] += patches[:, :, i, j]
    return out[:, :, ph:ph + h, pw:pw + w].contiguous()


def channel_shuffle(input: Any, groups: int) -> Any:
    """Channels [N, groups * k, ...] dealt out in turn: channel j of group i goes to place j * groups + i."""
    n, c = input.shape[0], input.shape[1]
    if c % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups.")
    rest = tuple(input.shape[2:])
    dealt = input.reshape(n, groups, c // groups, *rest).transpose(1, 2).reshape(n, c, *rest)
    view = groups in (1, c)                                            # nothing moves
    return dealt.clone(memory_format=T.contiguous_format) if view else dealt.contiguous()


native_channel_shuffle = channel_shuffle


def pdist(input: Any, p: float = 2.0) -> Any:
    """Distances between all pairs of rows, i < j, as one vector."""
    n = input.shape[0]
    rows, columns = T.triu_indices(n, n, 1)
    d = (input[rows] - input[columns]).abs()
    if p == 0:
        return (d != 0).to(d.dtype).sum(-1)
    if p == math.inf:
        return d.amax(-1)
    return (d ** p).sum(-1) ** (1.0 / p)


present(globals())
