"""What belongs at the top level of `torch` and in torch.nn.functional, torch.linalg and torch.special.

Everything comes from the table of operators (core/ops), plus dtypes, modes, seeds and constants. The package's
`__init__` puts the names into the modules that a script imports.
"""

from __future__ import annotations

import math
import types
from typing import Any

from ..errors import NotYetSupported
from ..ops.api import FUNCTIONS
from ..ops.reduction import ReturnMax, ReturnMin
from ..tensor import dtypes as dt
from ..tensor.devices import device
from ..tensor.meta import Size
from ..tensor.tensor import Tensor
from . import dtype_info, generator, grad_modes

_PREFIX = "torch."
_FUNCTIONAL = "torch.nn.functional."


class layout:
    """torch.layout: only strided tensors exist."""

    __module__ = "torch"

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"


STRIDED, SPARSE_COO = layout("strided"), layout("sparse_coo")
setattr(Tensor, "layout", property(lambda self: STRIDED))  # noqa: B010  a plain assignment is a type error


class memory_format(layout):
    """torch.memory_format: contiguous, channels last, preserve."""

    __module__ = "torch"


class _LegacyType(type):
    """torch.FloatTensor and its kin: constructors, and types that isinstance asks about the dtype."""

    dtype: Any

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Tensor) and value.dtype is cls.dtype

    def __call__(cls, *args: Any) -> Any:
        if len(args) == 1 and not isinstance(args[0], int | Size):
            return FUNCTIONS["torch.tensor"](args[0], dtype=cls.dtype)
        return FUNCTIONS["torch.empty"](*(args or (0,)), dtype=cls.dtype)


def _legacy_types() -> dict[str, Any]:
    pairs = {"FloatTensor": dt.float32, "DoubleTensor": dt.float64, "HalfTensor": dt.float16, "LongTensor": dt.int64,
             "IntTensor": dt.int32, "ShortTensor": dt.int16, "CharTensor": dt.int8, "ByteTensor": dt.uint8,
             "BoolTensor": dt.bool_}
    return {name: _LegacyType(name, (), {"__module__": "torch", "dtype": d}) for name, d in pairs.items()}


def is_storage(obj: Any) -> bool:
    """Whether obj is a tensor's storage."""
    from ..ops.members import UntypedStorage

    return isinstance(obj, UntypedStorage)


def set_printoptions(**options: Any) -> None:
    """Replaced by the printing module where it is present."""
    raise NotYetSupported("torch.set_printoptions does not exist yet: format values with f-strings.")


def names() -> dict[str, Any]:
    """Every name for the top level of `torch` that the operators, dtypes and modes provide."""
    out: dict[str, Any] = {n[len(_PREFIX):]: f for n, f in FUNCTIONS.items() if n.count(".") == 1}
    out.update(dtype_info.NAMES)
    out.update(grad_modes.NAMES)
    out.update(generator.NAMES)
    out.update(_legacy_types())
    out.update({"Tensor": Tensor, "Size": Size, "device": device, "layout": layout, "memory_format": memory_format,
                "strided": STRIDED, "contiguous_format": memory_format("contiguous_format"),
                "legacy_contiguous_format": memory_format("contiguous_format"),
                "sparse_coo": SPARSE_COO,
                **{n: layout(n) for n in ("jagged", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")},
                "preserve_format": memory_format("preserve_format"), "channels_last": memory_format("channels_last"),
                "channels_last_3d": memory_format("channels_last_3d"), "pi": math.pi, "e": math.e, "inf": math.inf,
                "nan": math.nan, "newaxis": None, "is_storage": is_storage})
    return out


def functional_names() -> dict[str, Any]:
    """The operators of torch.nn.functional."""
    return {n[len(_FUNCTIONAL):]: f for n, f in FUNCTIONS.items() if n.startswith(_FUNCTIONAL)}


def submodules() -> dict[str, types.ModuleType]:
    """torch.linalg, torch.special, torch.random, torch.return_types, torch.autograd as modules, by their short name."""
    out: dict[str, types.ModuleType] = {}
    for full, fn in FUNCTIONS.items():
        parts = full.split(".")
        if len(parts) == 3 and not full.startswith("torch.nn."):
            module = out.setdefault(parts[1], types.ModuleType(f"torch.{parts[1]}"))
            setattr(module, parts[2], fn)
    for short in ("random", "return_types", "autograd"):
        out[short] = types.ModuleType(f"torch.{short}")
    for name in ("manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state"):
        setattr(out["random"], name, generator.NAMES[name])
    out["random"].fork_rng = generator.fork_rng  # type: ignore[attr-defined]
    out["return_types"].max, out["return_types"].min = ReturnMax, ReturnMin  # type: ignore[attr-defined]
    for name in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode"):
        setattr(out["autograd"], name, grad_modes.NAMES[name])
    out["autograd"].grad = grad  # type: ignore[attr-defined]
    out["autograd"].backward = grad  # type: ignore[attr-defined]
    return out


def grad(*args: Any, **kwargs: Any) -> Any:
    """torch.autograd.grad: raises NotYetSupported."""
    raise NotYetSupported("torch.autograd.grad does not exist yet: run the forward part, under torch.no_grad() if gradients "
                          "are "
                          "not wanted.")
