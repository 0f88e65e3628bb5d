"""Pooling: maxima and means of windows over space, of stated sizes or such that the result has a stated size."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from .declare import Spec, operator, spelled
from .op import Extern, Template, call
from .windows import batched, layout_like, out_size, spread, windows_of


# -- pooling ---------------------------------------------------------------------------------------------------------
def _pool_spec(m: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil: bool, d: Any) -> Spec:
    space = [out_size(m.shape[2 + i], kernel[i], stride[i], padding[i], padding[i], dilation[i], ceil)
             for i in range(len(kernel))]
    if any(k <= 0 for k in kernel) or any(s <= 0 for s in stride):
        raise RuntimeError("kernel size and stride should be greater than zero")
    for k, p in zip(kernel, padding):
        if p > k // 2:
            raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                               f"dilation=1")
    if any(s < 1 for s in space):
        raise RuntimeError(f"Given input size: ({'x'.join(map(str, m.shape[1:]))}). Calculated output size: "
                           f"({'x'.join(map(str, (m.shape[1], *space)))}). Output size is too small")
    shape = (m.shape[0], m.shape[1], *space)
    return Spec(d, shape, layout_like(m, shape))


def _padded(a: np.ndarray, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil: bool, value: Any) -> tuple:
    """(array padded so that every window fits, output sizes)."""
    out = [out_size(a.shape[2 + i], k, stride[i], padding[i], padding[i], dilation[i], ceil) for i, k in enumerate(kernel)]
    pads = []
    for i, k in enumerate(kernel):
        need = (out[i] - 1) * stride[i] + dilation[i] * (k - 1) + 1
        pads.append((padding[i], max(need - a.shape[2 + i] - padding[i], 0)))
    if any(any(p) for p in pads):
        a = np.pad(a, ((0, 0), (0, 0), *pads), constant_values=value)
    return a, tuple(out)


def _lowest(d: np.dtype) -> Any:
    return -np.inf if d.kind == "f" else np.iinfo(d).min


def _max_windows(a: np.ndarray, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil: bool) -> np.ndarray:
    x, out = _padded(a, kernel, stride, padding, dilation, ceil, _lowest(a.dtype))
    view = windows_of(x, kernel, stride, dilation)
    return view[(slice(None), slice(None), *[slice(0, n) for n in out])]


def _max_pool(a: np.ndarray, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil: bool) -> np.ndarray:
    return _over_windows(np.maximum, _max_windows(a, kernel, stride, padding, dilation, ceil), kernel)


def _over_windows(combine: Any, view: np.ndarray, kernel: tuple) -> np.ndarray:
    """All elements of each window combined: whole arrays at a time, one for each place in the window."""
    out = None
    for at in np.ndindex(*kernel):
        part = view[(..., *at)]
        out = part.copy() if out is None else combine(out, part, out=out)
    assert out is not None
    return out


def _max_pool_indices(a: np.ndarray, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil: bool) -> tuple:
    n = len(kernel)
    view = _max_windows(a, kernel, stride, padding, dilation, ceil)
    flat = view.reshape(*view.shape[:2 + n], -1)
    best = flat.argmax(axis=-1)
    inside = np.unravel_index(best, kernel)
    where = np.zeros(best.shape, np.int64)
    for i in range(n):
        along = [-1 if d == 2 + i else 1 for d in range(best.ndim)]
        start = (np.arange(best.shape[2 + i]) * stride[i] - padding[i]).reshape(along)
        where = where * a.shape[2 + i] + start + inside[i] * dilation[i]
    return np.take_along_axis(flat, best[..., None], -1)[..., 0], where


_POOL_SCHEMA = "input, kernel_size:ints, stride:ints, padding:ints, dilation:ints, ceil_mode:bool"
MAX_POOL = {n: operator(f"max_pool{n}d", _POOL_SCHEMA, Template("pool"), _max_pool,
                        lambda m, k, s, p, d, c: _pool_spec(m, k, s, p, d, c, m.dtype))
            for n in (1, 2, 3)}
MAX_POOL_INDICES = {n: operator(f"max_pool{n}d_with_indices", _POOL_SCHEMA, Extern(), _max_pool_indices,
                                lambda m, k, s, p, d, c: (_pool_spec(m, k, s, p, d, c, m.dtype),
                                                          _pool_spec(m, k, s, p, d, c, dt.int64)), )
                    for n in (1, 2, 3)}


def _max_pool_api(n: int) -> Any:
    def max_pool(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
                 ceil_mode: bool = False, return_indices: bool = False) -> Any:
        kernel = spread(kernel_size, n, "kernel_size")
        step = kernel if stride is None or stride == [] or stride == () else spread(stride, n, "stride")
        op = (MAX_POOL_INDICES if return_indices else MAX_POOL)[n]
        rest = (kernel, step, spread(padding, n), spread(dilation, n), bool(ceil_mode))
        return batched(input, n, lambda x: call(op, (x, *rest)))

    max_pool.__name__ = f"max_pool{n}d"
    max_pool.__doc__ = f"The largest element of each window of {n} dimensions."
    spelled(f"F.max_pool{n}d max_pool{n}d", "", MAX_POOL[n])(max_pool)

    def with_indices(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
                     ceil_mode: bool = False, return_indices: bool = True) -> Any:
        return max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, True)

    with_indices.__name__ = f"max_pool{n}d_with_indices"
    with_indices.__doc__ = f"max_pool{n}d and the position of each largest element in its plane."
    spelled(f"F.max_pool{n}d_with_indices", "", MAX_POOL_INDICES[n])(with_indices)


def _avg_pool(a: np.ndarray, kernel: tuple, stride: tuple, padding: tuple, ceil: bool, count_pad: bool,
              divisor: Any) -> np.ndarray:
    n = len(kernel)
    wide = a.astype(np.float32) if a.dtype == np.float16 else a
    x, out = _padded(wide, kernel, stride, padding, (1,) * n, ceil, 0)
    cut = (slice(None), slice(None), *[slice(0, m) for m in out])
    axes = tuple(range(2 + n, 2 + 2 * n))
    total = _over_windows(np.add, windows_of(x, kernel, stride, (1,) * n)[cut], kernel)
    if divisor:
        return total / wide.dtype.type(divisor)
    ones = np.ones((1, 1, *a.shape[2:]), wide.dtype)
    if count_pad:
        ones = np.pad(ones, ((0, 0), (0, 0), *[(p, p) for p in padding]), constant_values=1)
        counts, _ = _padded(ones, kernel, stride, (0,) * n, (1,) * n, False, 0)
        short = [(0, max(x.shape[2 + i] - counts.shape[2 + i], 0)) for i in range(n)]
        counts = np.pad(counts, ((0, 0), (0, 0), *short))
    else:
        counts, _ = _padded(ones, kernel, stride, padding, (1,) * n, ceil, 0)
    return total / windows_of(counts, kernel, stride, (1,) * n)[cut].sum(axis=axes)


AVG_POOL = {n: operator(f"avg_pool{n}d", "input, kernel_size:ints, stride:ints, padding:ints, ceil_mode:bool, "
                        "count_include_pad:bool, divisor_override:any", Template("pool"), _avg_pool,
                        lambda m, k, s, p, c, *rest: _pool_spec(m, k, s, p, (1,) * len(k), c, m.dtype)) for n in (1, 2, 3)}


def _avg_pool_api(n: int) -> Any:
    def avg_pool(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
                 count_include_pad: bool = True, divisor_override: Any = None) -> Any:
        kernel = spread(kernel_size, n, "kernel_size")
        step = kernel if stride is None or stride == [] or stride == () else spread(stride, n, "stride")
        return batched(input, n, lambda x: call(AVG_POOL[n], (x, kernel, step, spread(padding, n), bool(ceil_mode),
                                                               bool(count_include_pad), divisor_override)))

    avg_pool.__name__ = f"avg_pool{n}d"
    avg_pool.__doc__ = f"The mean of each window of {n} dimensions."
    spelled(f"F.avg_pool{n}d", "", AVG_POOL[n])(avg_pool)


def _adaptive(reduce: Any) -> Any:
    def run(a: np.ndarray, size: tuple) -> np.ndarray:
        out = a.astype(np.float32) if a.dtype == np.float16 else a
        for i, m in enumerate(size):
            n = out.shape[2 + i]
            before = (slice(None),) * (2 + i)
            parts = [reduce(out[(*before, slice((k * n) // m, -((-(k + 1) * n) // m)))], 2 + i) for k in range(m)]
            out = np.concatenate(parts, axis=2 + i) if parts else out[(slice(None),) * (2 + i) + (slice(0, 0),)]
        return out
    return run


def _adaptive_rule(kind: str, n: int) -> Any:
    name = f"adaptive_{kind}_pool{max(n, 2) if kind == 'avg' else n}d"

    def rule(m: Any, size: tuple) -> Spec:
        shape = (m.shape[0], m.shape[1], *size)
        if any(k < 0 for k in size):
            raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received "
                               f"{{{', '.join(map(str, size))}}}" if kind == "avg" else
                               f"Trying to create tensor with negative dimension {min(size)}: {list(shape)}")
        for d in range(2 if kind == "avg" and n < 3 else 1, n + 2):
            if m.shape[d] == 0:
                raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has "
                                   f"sizes {list(m.shape)} with dimension {d} being empty")
        return Spec(m.dtype, shape, layout_like(m, shape))
    return rule


ADAPTIVE = {(kind, n): operator(f"adaptive_{kind}_pool{n}d", "input, output_size:ints", Extern(), _adaptive(
    (lambda x, d: x.mean(axis=d, keepdims=True)) if kind == "avg" else
    (lambda x, d: x.max(axis=d, keepdims=True))), _adaptive_rule(kind, n))
    for kind in ("avg", "max") for n in (1, 2, 3)}


def _adaptive_max_with_indices(x: Any, size: tuple) -> tuple[Any, Any]:
    """Maxima of x[N, C, *spatial] and their places in the flattened spatial dimensions, window by window."""
    from .joining import STACK

    def joined(tensors: list) -> Any:
        return call(STACK, (tuple(tensors), -1))

    lead, spatial = tuple(x.shape[:2]), tuple(x.shape[2:])
    values, places = [], []
    for cell in itertools.product(*map(range, size)):
        spans = [range((k * n) // m, -((-(k + 1) * n) // m)) for k, m, n in zip(cell, size, spatial)]
        window = x[(slice(None), slice(None), *(slice(s.start, s.stop) for s in spans))]
        value, at = window.reshape(*lead, -1).max(-1)
        place, step = 0, 1
        for s, n in zip(reversed(spans), reversed(spatial)):
            place = place + (at % len(s) + s.start) * step
            at, step = at // len(s), step * n
        values.append(value)
        places.append(place)
    return joined(values).reshape(*lead, *size), joined(places).reshape(*lead, *size)


def _batched_pair(input: Any, n: int, run: Any) -> tuple[Any, Any]:
    if input.ndim == n + 2:
        return run(input)
    value, place = run(input.unsqueeze(0))
    return value.squeeze(0), place.squeeze(0)


def _adaptive_api(kind: str, n: int) -> Any:
    def pool(input: Any, output_size: Any, return_indices: bool = False) -> Any:
        wanted = spread(output_size, n, "output_size")
        size = tuple(input.shape[input.ndim - n + i] if m is None else m for i, m in enumerate(wanted))
        if return_indices and kind == "max":
            return _batched_pair(input, n, lambda x: _adaptive_max_with_indices(x, size))
        return batched(input, n, lambda x: call(ADAPTIVE[kind, n], (x, size)))

    pool.__name__ = f"adaptive_{kind}_pool{n}d"
    what = "mean" if kind == "avg" else "largest element"
    pool.__doc__ = f"The {what} over windows chosen so that the result has output_size."
    spelled(f"F.{pool.__name__} {pool.__name__}", "", ADAPTIVE[kind, n])(pool)


for _n in (1, 2, 3):
    _max_pool_api(_n)
    _avg_pool_api(_n)
    for _kind in ("avg", "max"):
        _adaptive_api(_kind, _n)
