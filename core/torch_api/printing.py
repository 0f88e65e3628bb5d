"""How a tensor prints: `repr(t)`, `str(t)`, `f"{t}"` and `torch.set_printoptions`, as PyTorch lays numbers out.

Rules (PyTorch's documentation of set_printoptions): 4 digits after the point; scientific notation when magnitudes
differ by more than 1000 or leave 1e-4..1e8; whole floats print as "3."; above 1000 elements only 3 at each edge of
every dimension; lines of 80 columns; dtype, device, size and requires_grad follow where they are not the default. The
parts of complex numbers are laid out each on its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph.fake import FakeTensor, NeedsData
from ..tensor.devices import CPU, META
from ..tensor.dtypes import COMPLEX_OF, bool_, int64, widened
from ..tensor.state import STATE
from ..tensor.tensor import Tensor


@dataclass(slots=True)
class PrintOptions:
    """What `torch.set_printoptions` changes. `sci_mode` None lets the values decide."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


OPTIONS = PrintOptions()
_PROFILES = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, math.inf, 3, 80)}


def set_printoptions(precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
                     linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None) -> None:
    """Change how tensors print from now on. `profile` is "default", "short" or "full"; other arguments override it.
    As in PyTorch, leaving `sci_mode` out returns it to automatic."""
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"profile is {profile!r}: it must be one of {', '.join(_PROFILES)}")
        OPTIONS.precision, OPTIONS.threshold, OPTIONS.edgeitems, OPTIONS.linewidth = _PROFILES[profile]
    if precision is not None:
        OPTIONS.precision = precision
    if threshold is not None:
        OPTIONS.threshold = threshold
    if edgeitems is not None:
        OPTIONS.edgeitems = edgeitems
    if linewidth is not None:
        OPTIONS.linewidth = linewidth
    OPTIONS.sci_mode = sci_mode


def get_printoptions() -> dict[str, float | int | bool | None]:
    """The options in force, by the names that set_printoptions takes."""
    return {name: getattr(OPTIONS, name) for name in PrintOptions.__slots__}


class NumberFormat:
    """The common width and notation of all numbers of one tensor (of those that are shown)."""

    def __init__(self, shown: np.ndarray) -> None:
        self.floating = shown.dtype.kind == "f"
        self.whole = True
        self.scientific = False
        self.width = 1
        if self.floating:
            self._choose(shown.astype(np.float64).ravel())
        elif shown.size:
            self.width = max(len(str(v)) for v in shown.ravel().tolist())

    def _choose(self, values: np.ndarray) -> None:
        values = values[np.isfinite(values) & (values != 0)]
        if not values.size:
            return
        magnitudes = np.abs(values)
        low, high = float(magnitudes.min()), float(magnitudes.max())
        self.whole = bool(np.all(values == np.ceil(values)))
        self.scientific = high / low > 1000.0 or high > 1e8 or (not self.whole and low < 1e-4)
        if OPTIONS.sci_mode is not None:
            self.scientific = OPTIONS.sci_mode
        self.width = max(len(self.text(v)) for v in values.tolist())

    def text(self, value: Any) -> str:
        """One number, not padded."""
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{OPTIONS.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{OPTIONS.precision}f}"

    def padded(self, value: Any) -> str:
        return self.text(value).rjust(self.width)


class ComplexFormat:
    """The common width and notation of complex numbers: those of their real and of their imaginary parts."""

    def __init__(self, shown: np.ndarray) -> None:
        self.real, self.imag = NumberFormat(shown.real), NumberFormat(shown.imag)
        self.width = self.real.width + self.imag.width + 1

    def padded(self, value: complex) -> str:
        imag = self.imag.padded(value.imag).lstrip()
        return self.real.padded(value.real) + ("" if imag[0] in "+-" else "+") + imag + "j"


def _edges(array: np.ndarray) -> np.ndarray:
    """The elements that a summary shows: `edgeitems` at both ends of every dimension that is longer than both."""
    edge = OPTIONS.edgeitems
    for d, n in enumerate(array.shape):
        if n > 2 * edge:
            head = [slice(None)] * d
            parts = [array[(*head, slice(0, edge))], array[(*head, slice(n - edge, n))]]
            array = np.concatenate(parts, axis=d)
    return array


def _row(array: np.ndarray, indent: int, summarize: bool, numbers: NumberFormat | ComplexFormat) -> str:
    per_line = max(1, int((OPTIONS.linewidth - indent) // (numbers.width + 2)))
    edge = OPTIONS.edgeitems
    if summarize and not edge:
        texts = ["..."]
    elif summarize and array.size > 2 * edge:
        texts = [*map(numbers.padded, array[:edge].tolist()), " ...", *map(numbers.padded, array[-edge:].tolist())]
    else:
        texts = [numbers.padded(v) for v in array.tolist()]
    lines = [", ".join(texts[i:i + per_line]) for i in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _nested(array: np.ndarray, indent: int, summarize: bool, numbers: NumberFormat | ComplexFormat) -> str:
    if array.ndim == 0:
        return numbers.padded(array.item())
    if array.ndim == 1:
        return _row(array, indent, summarize, numbers)
    edge = OPTIONS.edgeitems
    if summarize and array.shape[0] > 2 * edge:
        pieces = [_nested(a, indent + 1, summarize, numbers) for a in array[:edge]]
        pieces.append("...")
        pieces.extend(_nested(a, indent + 1, summarize, numbers) for a in array[array.shape[0] - edge:])
    else:
        pieces = [_nested(a, indent + 1, summarize, numbers) for a in array]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(pieces) + "]"


def elements_text(array: np.ndarray, indent: int = 0) -> str:
    """The bracketed elements alone, as they stand inside `tensor(...)`."""
    summarize = array.size > OPTIONS.threshold
    shown = _edges(array) if summarize else array
    numbers = ComplexFormat(shown) if array.dtype.kind == "c" else NumberFormat(shown)
    return _nested(array, indent, summarize, numbers)


def tensor_text(tensor: Any, prefix: str = "tensor(") -> str:
    """What `repr(tensor)` gives. Raises NeedsData for a tensor under capture: its elements are not known yet."""
    if isinstance(tensor, FakeTensor):
        raise NeedsData("repr()", tensor)
    meta = tensor._meta
    indent = len(prefix)
    notes: list[str] = []
    if meta.device is not CPU:
        notes.append(f"device='{meta.device}'")
    plain = STATE.mode.default_dtype
    if meta.device is META or tensor._array is None:
        body = "..."
        notes.append(f"size={tuple(meta.shape)}")
        if meta.dtype is not plain:
            notes.append(f"dtype={meta.dtype!r}")
    elif meta.numel == 0:
        body = "[]"
        if meta.ndim != 1:
            notes.append(f"size={tuple(meta.shape)}")
        if meta.dtype is not plain:
            notes.append(f"dtype={meta.dtype!r}")
    else:
        body = elements_text(widened(tensor._array), indent)
        if not OPTIONS.edgeitems and meta.numel > OPTIONS.threshold:
            notes.append(f"size={tuple(meta.shape)}")
        if meta.dtype not in (plain, COMPLEX_OF.get(plain), int64, bool_):
            notes.append(f"dtype={meta.dtype!r}")
    if meta.requires_grad:
        notes.append("requires_grad=True")
    return _with_notes(prefix + body, notes, indent)


def _with_notes(text: str, notes: list[str], indent: int) -> str:
    """Append ", note" to the last line while it fits, else on a new line under the elements."""
    column = len(text) - text.rfind("\n") + 1
    for note in notes:
        if column + len(note) + 2 > OPTIONS.linewidth:
            text += ",\n" + " " * indent + note
            column = indent + len(note)
        else:
            text += ", " + note
            column += len(note) + 2
    return text + ")"


def tensor_repr(self: Any, *, tensor_contents: Any = None) -> str:
    return tensor_text(self)


def tensor_format(self: Any, spec: str) -> str:
    """`f"{t:.3f}"`: a 0-d tensor formats its number; any other, and a Parameter, prints whole and takes no format."""
    if self.ndim == 0 and self.device is not META and type(self) in (Tensor, FakeTensor):
        return format(self.item(), spec)
    if spec:
        raise TypeError(f"unsupported format string passed to {type(self).__name__}.__format__")
    return str(self)


def install() -> None:
    """Give Tensor its printed form."""
    cls: Any = Tensor
    tensor_repr.__name__, tensor_format.__name__ = "__repr__", "__format__"
    cls.__repr__ = tensor_repr
    cls.__str__ = tensor_repr
    cls.__format__ = tensor_format
