"""Operators that slide a window over space: convolution, padding, unfolding (pooling is in pooling.py).

Eager forms see every window through a NumPy view and use one matrix product or reduction over it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import NotYetSupported
from .creation import FULL
from .declare import Spec, operator, spelled
from .fitting import fits
from .joining import CAT, FLIP
from .op import OPS, Composite, Extern, Op, Template, call
from .slices import NARROW
from .strides import channels_last_strides, is_channels_last, surely_contiguous


def spread(value: Any, n: int, name: str = "argument") -> tuple:
    """One number per spatial dimension. RuntimeError if the length is wrong."""
    if isinstance(value, (tuple, list)):
        if len(value) == 1:
            return tuple(value) * n
        if len(value) != n:
            raise RuntimeError(f"expected {name} to be a single integer value or a list of {n} values to match the spatial "
                               f"dimensions, but got {name}={list(value)}")
        return tuple(value)
    return (value,) * n


def layout_like(m: Any, shape: tuple) -> tuple | None:
    """Channels last stays channels last."""
    if len(shape) == 4 and not surely_contiguous(m.shape, m.strides) and is_channels_last(m.shape, m.strides):
        return channels_last_strides(shape)
    return None


def windows_of(a: np.ndarray, kernel: tuple, stride: tuple, dilation: tuple) -> np.ndarray:
    """(B, C, *out, *kernel): a view of every window of (B, C, *space)."""
    n = len(kernel)
    reach = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation))
    view = np.lib.stride_tricks.sliding_window_view(a, reach, axis=tuple(range(2, 2 + n)))
    at = tuple(slice(None, None, s) for s in stride)
    inside = tuple(slice(None, None, d) for d in dilation)
    return view[(slice(None), slice(None), *at, *inside)]


def out_size(n: Any, k: int, stride: int, low: int, high: int, dilation: int, ceil: bool = False) -> Any:
    span = n + low + high - dilation * (k - 1) - 1
    if not ceil:
        return span // stride + 1
    out = (span + stride - 1) // stride + 1
    if isinstance(out, int) and (out - 1) * stride >= n + low:
        out -= 1
    elif not isinstance(out, int) and (out - 1) * stride >= n + low:
        out = out - 1
    return out


# -- convolution -----------------------------------------------------------------------------------------------------
def _conv_rule(n: int) -> Any:
    def rule(m: Any, w: Any, b: Any, stride: tuple, padding: tuple, dilation: tuple, groups: int) -> Spec:
        if len(m.shape) != n + 2:
            raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to conv{n}d, but got input of size: "
                               f"{list(m.shape)}")
        if any(s <= 0 for s in stride):
            raise RuntimeError("non-positive stride is not supported")
        if any(p < 0 for pair in padding for p in pair):
            raise RuntimeError("negative padding is not supported")
        if b is not None and (len(b.shape) != 1 or (isinstance(b.shape[0], int) and b.shape[0] != w.shape[0])):
            raise RuntimeError(f"Given weight of size {list(w.shape)}, expected bias to be 1-dimensional with {w.shape[0]} "
                               f"elements, "
                               f"but got bias of size {list(b.shape)} instead")
        if w.dtype is not m.dtype:
            from .declare import type_name

            raise RuntimeError(f"Input type ({type_name(m.dtype)}) and weight type ({type_name(w.dtype)}) should be the same")
        if m.shape[1] != w.shape[1] * groups:
            raise RuntimeError(f"Given groups={groups}, weight of size {list(w.shape)}, expected input{list(m.shape)} to have "
                               f"{w.shape[1] * groups} channels, but got {m.shape[1]} channels instead")
        space = []
        for d in range(n):
            size = out_size(m.shape[2 + d], w.shape[2 + d], stride[d], padding[d][0], padding[d][1], dilation[d])
            if m.shape[2 + d] + sum(padding[d]) < dilation[d] * (w.shape[2 + d] - 1) + 1:
                padded = " x ".join(str(m.shape[2 + i] + sum(padding[i])) for i in range(n))
                kernel = " x ".join(str(dilation[i] * (w.shape[2 + i] - 1) + 1) for i in range(n))
                raise RuntimeError(f"Calculated padded input size per channel: ({padded}). Kernel size: ({kernel}). "
                                   f"Kernel size can't be greater than actual input size")
            space.append(size)
        shape = (m.shape[0], w.shape[0], *space)
        return Spec(m.dtype, shape, layout_like(m, shape))
    return rule


def _conv(a: np.ndarray, w: np.ndarray, b: Any, stride: tuple, padding: tuple, dilation: tuple, groups: int) -> np.ndarray:
    n = w.ndim - 2
    wide = np.dtype(np.float32) if a.dtype == np.float16 else a.dtype
    x = np.pad(a, ((0, 0), (0, 0), *padding)) if any(any(p) for p in padding) else a
    view = np.moveaxis(windows_of(x.astype(wide, copy=False), w.shape[2:], stride, dilation), range(2, 2 + n), range(-n, 0))
    space = view.shape[2 + n:]                          # view: (B, C, *kernel, *out)
    per, each = w.shape[0] // groups, w.shape[1]
    rows = np.ascontiguousarray(w, wide).reshape(groups, per, -1)
    out = np.empty((len(a), groups, per, math.prod(space)), wide)
    for k in range(len(a)):                             # one sample's windows at a time: they stay in the cache
        for g in range(groups):
            np.matmul(rows[g], view[k, g * each:(g + 1) * each].reshape(rows.shape[2], -1), out=out[k, g])
    out = out.reshape(len(a), w.shape[0], *space)
    return out if b is None else out + b.astype(wide, copy=False).reshape(-1, *(1,) * n)


_CONV_SCHEMA = "input, weight, bias=None, stride:ints, padding:ints, dilation:ints, groups:int"
CONV: dict[int, Op] = {n: operator(f"conv{n}d", _CONV_SCHEMA, Template("convolution"), _conv, _conv_rule(n)) for n in (1, 2, 3)}


def _padding(padding: Any, n: int, kernel: tuple, stride: tuple, dilation: tuple) -> tuple:
    if isinstance(padding, str):
        if padding == "valid":
            return ((0, 0),) * n
        if any(s != 1 for s in stride):
            raise RuntimeError("padding='same' is not supported for strided convolutions")
        total = [d * (k - 1) for k, d in zip(kernel, dilation)]
        return tuple((t // 2, t - t // 2) for t in total)
    return tuple((p, p) for p in spread(padding, n, "padding"))


def _conv_api(n: int) -> Any:
    def conv(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
             groups: int = 1) -> Any:
        s, d = spread(stride, n, "stride"), spread(dilation, n, "dilation")
        pads = _padding(padding, n, tuple(weight.shape[2:]), s, d)
        alone = input.ndim == n + 1
        out = call(CONV[n], (input.unsqueeze(0) if alone else input, weight, bias, s, pads, d, groups))
        return out.squeeze(0) if alone else out

    conv.__name__ = f"conv{n}d"
    conv.__doc__ = f"{n}-d convolution of (B, C, ...) with weights (O, C / groups, ...)."
    return spelled(f"F.conv{n}d conv{n}d", "", CONV[n])(conv)


conv1d, conv2d, conv3d = _conv_api(1), _conv_api(2), _conv_api(3)


def _transposed_rule(m: Any, w: Any, b: Any, stride: tuple, padding: tuple, extra: tuple, groups: int, dilation: tuple) -> Spec:
    for d in range(len(stride)):
        if extra[d] >= max(stride[d], dilation[d]):
            raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got output_padding: "
                               f"{extra}, "
                               f"stride: {stride}, dilation: {dilation}")
    if m.shape[1] != w.shape[0]:
        raise RuntimeError(f"Given transposed=1, weight of size {list(w.shape)}, expected input{list(m.shape)} to have "
                           f"{w.shape[0]} channels, but got {m.shape[1]} channels instead")
    space = [(m.shape[2 + d] - 1) * stride[d] - 2 * padding[d] + dilation[d] * (w.shape[2 + d] - 1) + extra[d] + 1
             for d in range(len(stride))]
    shape = (m.shape[0], w.shape[1] * groups, *space)
    return Spec(m.dtype, shape, layout_like(m, shape))


def _transposed(a: np.ndarray, w: np.ndarray, b: Any, stride: tuple, padding: tuple, extra: tuple, groups: int,
                dilation: tuple) -> np.ndarray:
    n = len(stride)
    wide = np.dtype(np.float32) if a.dtype == np.float16 else a.dtype
    a, w = a.astype(wide, copy=False), w.astype(wide, copy=False)
    full = [(a.shape[2 + d] - 1) * stride[d] + dilation[d] * (w.shape[2 + d] - 1) + 1 + extra[d] for d in range(n)]
    per, each = w.shape[1], w.shape[0] // groups
    out = np.zeros((a.shape[0], per * groups, *full), wide)
    for at in np.ndindex(*w.shape[2:]):
        where = tuple(slice(at[d] * dilation[d], at[d] * dilation[d] + (a.shape[2 + d] - 1) * stride[d] + 1, stride[d])
                      for d in range(n))
        for g in range(groups):
            rows = slice(g * each, (g + 1) * each)
            part = np.tensordot(a[:, rows], w[(rows, slice(None), *at)], ([1], [0]))
            out[(slice(None), slice(g * per, (g + 1) * per), *where)] += np.moveaxis(part, -1, 1)
    cut = tuple(slice(p, size - p if p else None) for p, size in zip(padding, full))
    out = out[(slice(None), slice(None), *cut)]
    return np.ascontiguousarray(out) if b is None else out + b.reshape(-1, *(1,) * n)


def _fold_rule(m: Any, output_size: tuple, stride: tuple, padding: tuple, dilation: tuple) -> Spec:
    return Spec(m.dtype, (*m.shape[:2], *output_size))


def _fold(a: np.ndarray, output_size: tuple, stride: tuple, padding: tuple, dilation: tuple) -> np.ndarray:
    n = len(stride)
    window, space = a.shape[2: 2 + n], a.shape[2 + n:]
    wide = np.dtype(np.float32) if a.dtype == np.float16 else a.dtype
    reach = [max(output_size[d] + padding[d], (space[d] - 1) * stride[d] + dilation[d] * (window[d] - 1) + 1) for d in range(n)]
    out = np.zeros((*a.shape[:2], *reach), wide)
    for at in np.ndindex(*window):
        where = tuple(slice(at[d] * dilation[d], at[d] * dilation[d] + (space[d] - 1) * stride[d] + 1, stride[d])
                      for d in range(n))
        out[(slice(None), slice(None), *where)] += a[(slice(None), slice(None), *at)]
    cut = tuple(slice(p, p + size) for p, size in zip(padding, output_size))
    return np.ascontiguousarray(out[(slice(None), slice(None), *cut)])


FOLD_WINDOWS = operator("fold_windows", "input, output_size:ints, stride:ints, padding:ints, dilation:ints", Template("fold"),
                        _fold, _fold_rule, doc="(B, C, *window, *windows): the elements of windows, put back where they came "
                                               "from and summed: (B, C, *output_size).")


def _transposed_parts(x: Any, w: Any, b: Any, stride: tuple, padding: tuple, extra: tuple, groups: int, dilation: tuple) -> Any:
    """A product that makes what every input position adds to its window, and the sum of the windows."""
    if x.dtype.category != 2 or x.dtype.itemsize < 4:
        raise NotImplementedError("the windows' elements would be rounded before they are summed")
    n = len(stride)
    batch, channels, *space = x.shape
    window = tuple(w.shape[2:])
    size = [(space[d] - 1) * stride[d] - 2 * padding[d] + dilation[d] * (window[d] - 1) + extra[d] + 1 for d in range(n)]
    columns = w.reshape(groups, channels // groups, w.shape[1] * math.prod(window)).transpose(1, 2)
    parts = columns @ x.reshape(batch, groups, channels // groups, math.prod(space))
    parts = parts.reshape(batch, groups * w.shape[1], *window, *space)
    out = call(FOLD_WINDOWS, (parts, tuple(size), stride, padding, dilation))
    return out if b is None else out + b.reshape(-1, *(1,) * n)


CONV_TRANSPOSE = {n: operator(f"conv_transpose{n}d", "input, weight, bias=None, stride:ints, padding:ints, "
                              "output_padding:ints, groups:int, dilation:ints", Composite(_transposed_parts), _transposed,
                              _transposed_rule) for n in (1, 2, 3)}


def _transpose_api(n: int) -> Any:
    def conv(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
             groups: int = 1, dilation: Any = 1) -> Any:
        alone = input.ndim == n + 1
        out = call(CONV_TRANSPOSE[n], (input.unsqueeze(0) if alone else input, weight, bias, spread(stride, n),
                                       spread(padding, n), spread(output_padding, n), groups, spread(dilation, n)))
        return out.squeeze(0) if alone else out

    conv.__name__ = f"conv_transpose{n}d"
    conv.__doc__ = f"{n}-d transposed convolution of (B, C, ...) with weights (C, O / groups, ...)."
    return spelled(f"F.conv_transpose{n}d conv_transpose{n}d", "", CONV_TRANSPOSE[n])(conv)


for _n in (1, 2, 3):
    _transpose_api(_n)


def batched(input: Any, n: int, run: Any) -> Any:
    """`run` on a batch; an input without one gets one of size 1 for the time."""
    if input.ndim == n + 2:
        return run(input)
    if input.ndim != n + 1:
        raise RuntimeError(f"Expected {n + 1}D or {n + 2}D input, but got {list(input.shape)}")
    out = run(input.unsqueeze(0))
    return tuple(t.squeeze(0) for t in out) if isinstance(out, tuple) else out.squeeze(0)


# -- padding ---------------------------------------------------------------------------------------------------------
_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def _pad_array(a: np.ndarray, pads: tuple, mode: str, value: Any) -> np.ndarray:
    for i, (low, high) in enumerate(pads):
        if low < 0 or high < 0:
            a = a[(slice(None),) * i + (slice(max(-low, 0), a.shape[i] - max(-high, 0)),)]
    grow = [(max(low, 0), max(high, 0)) for low, high in pads]
    if mode == "constant":
        return np.pad(a, grow, constant_values=value)
    return np.pad(a, grow, mode=_MODES[mode])  # type: ignore[call-overload]


def _pad_rule(m: Any, pads: tuple, mode: str, value: Any) -> Spec:
    if mode == "reflect" or mode == "circular":
        for d, (low, high) in enumerate(pads):
            limit = m.shape[d] if mode == "circular" else m.shape[d] - 1
            if (low or high) and (low > limit or high > limit):
                raise RuntimeError(f"Argument #4: Padding size should be less than the corresponding input dimension, but got: "
                                   f"padding ({low}, {high}) at dimension {d} of input {list(m.shape)}")
    shape = tuple([n + low + high if low or high else n for n, (low, high) in zip(m.shape, pads)])
    for n, (low, high), out in zip(m.shape, pads, shape):
        if low >= 0 and high >= 0:
            continue
        if mode == "constant" and n + min(low, 0) + min(high, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        if mode == "circular" and out < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        if mode in ("reflect", "replicate") and out < 1:
            raise RuntimeError(f"input (W: {n}) is too small. Calculated output W: {out}")
    return Spec(m.dtype, shape, layout_like(m, shape))


def _pad_pieces(input: Any, pads: tuple, mode: str, value: Any) -> Any:
    """Padding as pieces of the input, or of the number, put together dimension by dimension."""
    for d, (low, high) in enumerate(pads):
        n = input.shape[d]
        if not isinstance(low, int) or not isinstance(high, int) or (min(low, high) < 0 and not isinstance(n, int)):
            raise NotYetSupported("padding by symbolic numbers in a kernel")
        if low < 0 or high < 0:
            input = call(NARROW, (input, d, max(-low, 0), n + min(low, 0) + min(high, 0)))
    for d, (low, high) in enumerate(pads):
        if max(low, 0) or max(high, 0):
            sides = [_pad_side(input, d, count, mode, value, at_end) for at_end, count in enumerate((low, high))]
            input = call(CAT, ([t for t in (sides[0], input, sides[1]) if t is not None], d))
    return input


def _pad_side(input: Any, d: int, count: int, mode: str, value: Any, at_end: int) -> Any:
    """What is put on one side of a dimension; None for nothing."""
    if count <= 0:
        return None
    n = input.shape[d]
    if mode == "constant":
        shape = (*input.shape[:d], count, *input.shape[d + 1:])
        return call(FULL, (shape, value, input.dtype, input.device))
    if mode == "replicate":
        edge = call(NARROW, (input, d, n - 1 if at_end else 0, 1))
        return edge.expand((*input.shape[:d], count, *input.shape[d + 1:]))
    if mode == "circular":
        return call(NARROW, (input, d, 0 if at_end else n - count, count))
    return call(FLIP, (call(NARROW, (input, d, n - 1 - count if at_end else 1, count)), (d,)))


PAD = operator("pad", "input, pad:ints, mode:str, value", Composite(_pad_pieces), _pad_array, _pad_rule)


@spelled("F.pad", "", PAD)
def pad(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """Padding given from the last dimension backwards as (low, high) pairs; modes constant, reflect, replicate, circular."""
    if len(pad) % 2 != 0:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) // 2 > input.ndim:
        raise RuntimeError("Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
                           f"{len(pad)} while the input has {input.ndim} dimensions.")
    if mode not in _MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if mode != "constant" and value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode != "constant" and input.ndim - len(pad) // 2 not in (1, 2):
        raise NotImplementedError(f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.")
    if value is not None:
        fits(value * 1.0, input.dtype)                           # PyTorch takes it as a double
    pairs = [(pad[2 * i], pad[2 * i + 1]) for i in range(len(pad) // 2)]
    pads = tuple([(0, 0)] * (input.ndim - len(pairs)) + pairs[::-1])
    return call(PAD, (input, pads, mode, 0 if value is None else value))


# -- folding ---------------------------------------------------------------------------------------------------------
def _unfold_rule(m: Any, kernel: tuple, dilation: tuple, padding: tuple, stride: tuple) -> Spec:
    space = [out_size(m.shape[2 + i], kernel[i], stride[i], padding[i], padding[i], dilation[i]) for i in (0, 1)]
    return Spec(m.dtype, (m.shape[0], m.shape[1] * kernel[0] * kernel[1], space[0] * space[1]))


def _unfold(a: np.ndarray, kernel: tuple, dilation: tuple, padding: tuple, stride: tuple) -> np.ndarray:
    x = np.pad(a, ((0, 0), (0, 0), *[(p, p) for p in padding]))
    view = windows_of(x, kernel, stride, dilation)
    return view.transpose(0, 1, 4, 5, 2, 3).reshape(a.shape[0], a.shape[1] * math.prod(kernel), -1)


UNFOLD2D = operator("unfold2d", "input, kernel_size:ints, dilation:ints, padding:ints, stride:ints", Extern(), _unfold,
                    _unfold_rule)


@spelled("F.unfold", "", UNFOLD2D)
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The windows of (B, C, H, W) as columns: (B, C * kh * kw, windows)."""
    return batched(input, 2, lambda x: call(UNFOLD2D, (x, spread(kernel_size, 2), spread(dilation, 2), spread(padding, 2),
                                                        spread(stride, 2))))


@spelled("F.pixel_shuffle pixel_shuffle", "", None)
def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """(..., C * r * r, H, W) to (..., C, H * r, W * r)."""
    r = upscale_factor
    if r == 1:
        return call(OPS["contiguous"], (input,))                  # a copy, always
    *lead, c, h, w = input.shape
    x = input.reshape(*lead, c // (r * r), r, r, h, w)
    k = len(lead)
    return x.permute(*range(k), k, k + 3, k + 1, k + 4, k + 2).reshape(*lead, c // (r * r), h * r, w * r)


@spelled("F.pixel_unshuffle pixel_unshuffle", "", None)
def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """(..., C, H * r, W * r) to (..., C * r * r, H, W)."""
    r = downscale_factor
    if r == 1:
        return call(OPS["contiguous"], (input,))                  # a copy, always
    *lead, c, h, w = input.shape
    x = input.reshape(*lead, c, h // r, r, w // r, r)
    k = len(lead)
    return x.permute(*range(k), k, k + 2, k + 4, k + 1, k + 3).reshape(*lead, c * r * r, h // r, w // r)
