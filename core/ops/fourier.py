"""Fourier transforms (torch.fft), short-time transforms and window functions.

The transforms are NumPy's; the names, defaults and the treatment of sizes follow torch.fft. float32 gives complex64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import NotYetSupported
from ..tensor import dtypes as dt
from ..tensor.state import STATE
from .declare import Spec, operator, spelled, type_name
from .dims import wrap_dim
from .op import Extern, Op, call

_NORMS = (None, "backward", "ortho", "forward")


def _complex(name: str, m: Any) -> Any:
    d = m.dtype
    if d in (dt.float16, dt.bfloat16):
        raise RuntimeError(f"Unsupported dtype {type_name(d)}")
    return d if d.category == 3 else dt.COMPLEX_OF.get(d, dt.COMPLEX_OF.get(STATE.mode.default_dtype, dt.complex64))


def _check(name: str, norm: Any) -> None:
    if norm not in _NORMS:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')


# -- one dimension ---------------------------------------------------------------------------------------------------
def _sized(m: Any, dim: int, n: Any) -> tuple:
    return (*m.shape[:dim], n, *m.shape[dim + 1:])


def _one_rule(name: str, kind: str) -> Callable[..., Spec]:
    def rule(m: Any, n: Any, dim: int, norm: Any) -> Spec:
        _check(name, norm)
        wide = _complex(name, m)
        if not m.shape:
            raise RuntimeError(f"{name}: the input needs at least one dimension")
        if kind in ("rfft", "ihfft") and m.dtype.category == 3:
            raise RuntimeError(f"{name} expects a real input tensor, but got {type_name(m.dtype)}")
        have = m.shape[dim]
        want = n if n is not None else 2 * (have - 1) if kind in ("irfft", "hfft") else have
        if want < 1:
            raise RuntimeError(f"Invalid number of data points ({want}) specified")
        out = want // 2 + 1 if kind in ("rfft", "ihfft") else want
        return Spec(dt.REAL_OF[wide] if kind in ("irfft", "hfft") else wide, _sized(m, dim, out))
    return rule


def _one(name: str) -> Op:
    f: Any = getattr(np.fft, name)
    op = operator(
        f"fft_{name}",
        "input, n:any, dim, norm:any",
        Extern(),
        lambda a, n, dim, norm: f(a, n, dim, norm or "backward"),
        _one_rule(name, name),
    )

    def transform(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Any = None) -> Any:
        from .api import into_out

        return into_out(out, call(op, (input, n, wrap_dim(dim, input.ndim), norm)))

    transform.__name__, transform.__doc__ = name, f"The one-dimensional transform numpy.fft.{name} along dim."
    spelled(f"fft.{name}", "", op)(transform)
    return op


FFT: dict[str, Op] = {name: _one(name) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")}


# -- several dimensions ----------------------------------------------------------------------------------------------
def _many_rule(name: str) -> Callable[..., Spec]:
    def rule(m: Any, s: Any, dim: tuple, norm: Any) -> Spec:
        _check(name, norm)
        wide = _complex(name, m)
        if name == "rfftn" and m.dtype.category == 3:
            raise RuntimeError(f"{name} expects a real-valued input tensor, but got {type_name(m.dtype)}")
        shape = list(m.shape)
        for k, d in enumerate(dim):
            if s is not None and s[k] != -1:
                shape[d] = s[k]
        last = dim[-1] if dim else None
        if last is not None:
            if name == "irfftn":
                shape[last] = s[-1] if s is not None and s[-1] != -1 else 2 * (m.shape[last] - 1)
            if name == "rfftn":
                shape[last] = shape[last] // 2 + 1
        if any(shape[d] < 1 for d in dim):
            raise RuntimeError(f"Invalid number of data points ({min(shape[d] for d in dim)}) specified")
        return Spec(dt.REAL_OF[wide] if name == "irfftn" else wide, shape)
    return rule


def _many(name: str) -> None:
    f: Any = getattr(np.fft, name)

    def eager(a: np.ndarray, s: Any, dim: tuple, norm: Any) -> Any:
        sizes = None if s is None else [a.shape[d] if n == -1 else n for n, d in zip(s, dim)]
        return f(a, sizes, dim, norm or "backward") if dim else a

    op = operator(f"fft_{name}", "input, s:any, dim:ints, norm:any", Extern(), eager, _many_rule(name))

    def dims(input: Any, s: Any, dim: Any) -> tuple[Any, tuple[int, ...]]:
        sizes = (s,) if isinstance(s, int) else None if s is None else tuple(s)
        if dim is None:
            found = tuple(range(input.ndim)) if sizes is None else tuple(range(input.ndim - len(sizes), input.ndim))
        else:
            found = tuple([wrap_dim(d, input.ndim) for d in ((dim,) if isinstance(dim, int) else dim)])
        if len(set(found)) != len(found):
            raise RuntimeError("FFT dims must be unique")
        if sizes is not None and len(sizes) != len(found):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        return sizes, found

    def transform(input: Any, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None) -> Any:
        from .api import into_out

        sizes, found = dims(input, s, dim)
        return into_out(out, call(op, (input, sizes, found, norm)))

    def transform2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None) -> Any:
        return transform(input, s, dim, norm, out=out)

    transform.__name__, transform.__doc__ = name, f"The transform numpy.fft.{name} over several dimensions."
    transform2.__name__, transform2.__doc__ = name[:-1] + "2", f"The transform numpy.fft.{name} over the last two dimensions."
    spelled(f"fft.{name}", "", op)(transform)
    spelled(f"fft.{name[:-1]}2", "", op)(transform2)


for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    _many(_name)


# -- helpers ---------------------------------------------------------------------------------------------------------
def _frequencies(name: str, f: Any) -> None:
    def make(n: int, d: float = 1.0, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
             requires_grad: bool = False) -> Any:
        from .creation import only_strided, result_of, tensor

        only_strided(layout)
        return result_of(out, tensor(f(n, d), dtype=dtype or STATE.mode.default_dtype, device=device), requires_grad)

    make.__name__, make.__doc__ = name, f"numpy.fft.{name}: the frequencies of a transform of n points."
    spelled(f"fft.{name}", "", None)(make)


_frequencies("fftfreq", np.fft.fftfreq)
_frequencies("rfftfreq", np.fft.rfftfreq)


def _shifter(name: str, sign: int) -> None:
    def shift(input: Any, dim: Any = None) -> Any:
        dims = tuple(range(input.ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
        half = [(input.shape[d] + (sign < 0)) // 2 for d in dims]
        return input.roll(tuple(half), dims) if dims else input.clone()

    shift.__name__, shift.__doc__ = name, f"numpy.fft.{name}: the zero frequency {'to' if sign > 0 else 'from'} the middle."
    spelled(f"fft.{name}", "", None)(shift)


_shifter("fftshift", 1)
_shifter("ifftshift", -1)


# -- windows ---------------------------------------------------------------------------------------------------------
def _window(name: str, values: Callable[..., np.ndarray], *parameters: str) -> None:
    def make(window_length: int, periodic: Any = True, *rest: Any, dtype: Any = None, layout: Any = None, device: Any = None,
             requires_grad: bool = False, pin_memory: bool = False, **named: Any) -> Any:
        from .creation import only_strided, tensor

        only_strided(layout)
        if window_length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={window_length}")
        d = dtype or STATE.mode.default_dtype
        if d.category != 2:
            raise RuntimeError(f"{name} expects floating point dtypes, got: {d}")
        for p, v in zip(parameters, rest):
            named[p] = v
        if window_length == 0:
            return tensor([], dtype=d, device=device)
        if window_length == 1:
            return tensor([1.0], dtype=d, device=device)
        n = window_length + 1 if periodic else window_length
        made = tensor(values(np.arange(n, dtype=np.float64), n - 1, **named)[:window_length], dtype=d, device=device)
        return made.requires_grad_(True) if requires_grad else made

    make.__name__, make.__doc__ = name, f"The window of {name.removesuffix('_window')} of the given length."
    spelled(name, "", None)(make)


_window("hann_window", lambda k, n: 0.5 - 0.5 * np.cos(2 * math.pi * k / n))
_window("hamming_window", lambda k, n, alpha=0.54, beta=0.46: alpha - beta * np.cos(2 * math.pi * k / n), "alpha", "beta")
_window("blackman_window", lambda k, n: 0.42 - 0.5 * np.cos(2 * math.pi * k / n) + 0.08 * np.cos(4 * math.pi * k / n))
_window("bartlett_window", lambda k, n: 1 - np.abs(2 * k / n - 1))
_window(
    "kaiser_window",
    lambda k, n, beta=12.0: np.i0(beta * np.sqrt(np.maximum(1 - (2 * k / n - 1) ** 2, 0))) / np.i0(beta),
    "beta",
)


# -- short-time transforms -------------------------------------------------------------------------------------------
def _padded_window(window: Any, win_length: int, n_fft: int, like: Any) -> Any:
    from .api import FUNCTIONS
    from .creation import ones

    made = ones(win_length, dtype=dt.REAL_OF.get(like.dtype, like.dtype)) if window is None else window
    left = (n_fft - win_length) // 2
    return made if win_length == n_fft else FUNCTIONS["torch.nn.functional.pad"](
        made, (left, n_fft - win_length - left))


@spelled("stft", "stft", FFT["fft"])
def stft(input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
         center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
         return_complex: bool | None = None, align_to_window: bool | None = None) -> Any:
    """Transforms of overlapping pieces: [..., frequencies, frames], complex or as pairs of real numbers."""
    from .api import FUNCTIONS
    from .complex_numbers import VIEW_AS_REAL

    if align_to_window is not None and center:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    if align_to_window:
        raise NotYetSupported("stft(align_to_window=True) does not exist yet: pad the window to n_fft.")
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if return_complex is None:
        if input.dtype.category != 3 and (window is None or window.dtype.category != 3):
            raise RuntimeError("stft requires the return_complex parameter be given for real inputs, and will further "
                               "require that "
                               "return_complex=True in a future PyTorch release.")
        return_complex = True
    if input.ndim not in (1, 2):
        raise RuntimeError(f"stft(): expected a 1D or 2D tensor, but got {input.ndim}D")
    signal = input if input.ndim == 2 else input.unsqueeze(0)
    if center:
        signal = FUNCTIONS["torch.nn.functional.pad"](signal.unsqueeze(0), (n_fft // 2, n_fft // 2), pad_mode)[0]
    length = signal.shape[-1]
    if not 0 < n_fft <= length:
        raise RuntimeError(f"stft(): expected 0 < n_fft < {length}, but got n_fft={n_fft}")
    if hop <= 0:
        raise RuntimeError(f"stft(): expected hop_length > 0, but got hop_length={hop}")
    if not 0 < width <= n_fft:
        raise RuntimeError(f"stft(): expected 0 < win_length <= n_fft, but got win_length={width}")
    if window is not None and (window.ndim != 1 or window.shape[0] != width):
        raise RuntimeError(f"stft(): expected a 1D window tensor of size equal to win_length={width}, but got window with size "
                           f"{list(window.shape)}")
    frames = signal.unfold(-1, n_fft, hop)
    if window is not None or width != n_fft:
        frames = frames * _padded_window(window, width, n_fft, input)
    one = input.dtype.category != 3 if onesided is None else onesided
    norm = "ortho" if normalized else None
    found = call(FFT["rfft" if one and frames.dtype.category != 3 else "fft"], (frames, None, frames.ndim - 1, norm))
    if one and found.shape[-1] != n_fft // 2 + 1:
        found = found.narrow(-1, 0, n_fft // 2 + 1)
    out = found.transpose(1, 2)
    out = out if input.ndim == 2 else out[0]
    return out if return_complex else call(VIEW_AS_REAL, (out,))


@spelled("istft", "istft", FFT["ifft"])
def istft(input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
          center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
          return_complex: bool = False) -> Any:
    """The signal whose stft is `input`, by overlapping and adding."""
    from .creation import zeros

    if input.dtype.category != 3:
        raise RuntimeError(f"istft(): input must be complex, but got {type_name(input.dtype)}")
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    spectrum = input if input.ndim == 3 else input.unsqueeze(0)
    one = spectrum.shape[1] != n_fft if onesided is None else onesided
    norm = "ortho" if normalized else None
    taper = _padded_window(window, width, n_fft, input)
    pieces = call(FFT["irfft" if one and not return_complex else "ifft"], (spectrum.transpose(1, 2), n_fft, 2, norm)) * taper
    count = pieces.shape[1]
    total = n_fft + hop * (count - 1)
    signal = zeros(pieces.shape[0], total, dtype=pieces.dtype)
    weight = zeros(total, dtype=taper.dtype)
    for k in range(count):
        signal[:, k * hop:k * hop + n_fft] += pieces[:, k]
        weight[k * hop:k * hop + n_fft] += taper * taper
    start = n_fft // 2 if center else 0
    stop = start + length if length is not None else total - (n_fft // 2 if center else 0)
    part = weight[start:min(stop, total)]
    if bool((part.abs() < 1e-11).any()):
        raise RuntimeError("window overlap add min: the window leaves samples that nothing covers")
    out = signal[:, start:min(stop, total)] / part
    if stop > total:
        out = out.new_zeros(out.shape[0], stop - start).index_copy_(1, _range(out.shape[1]), out)
    return out if input.ndim == 3 else out[0]


def _range(n: int) -> Any:
    from .ranges import arange

    return arange(n)
