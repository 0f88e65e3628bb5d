"""torch.amp: autocast as a context manager and decorator, and GradScaler for scripts that pass `enabled=False`.

autocast("cpu", dtype) really runs products and convolutions in the lower precision (core/ops/autocast.py). For "cuda" it
does nothing but warn, as in PyTorch on a machine without a GPU.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

from ..errors import NotYetSupported
from ..ops.autocast import CHOICES, cast_nested
from ..tensor import dtypes as dt
from ..tensor.state import STATE
from .naming import module_getattr, present

_DEFAULTS: dict[str, Any] = {"cpu": dt.bfloat16 or dt.float16, "cuda": dt.float16}
_CACHE = {"enabled": True}


class autocast:
    """`with torch.autocast("cpu", dtype=torch.bfloat16):`. Also a decorator. Contexts nest; `enabled=False` inside
    switches off. A dtype that the CPU cannot use, or a device without tensors, warns and switches off."""

    def __init__(self, device_type: str, dtype: Any = None, enabled: bool = True,
                 cache_enabled: bool | None = None) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type not in _DEFAULTS and device_type not in ("mps", "xpu", "hpu", "mtia", "opencl"):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device = device_type
        self.fast_dtype = _DEFAULTS.get(device_type, dt.float16) if dtype is None else dtype
        self._enabled = bool(enabled)
        self._cache_enabled = _CACHE["enabled"] if cache_enabled is None else cache_enabled
        self._before: list[Any] = []
        if self._enabled and device_type != "cpu":
            warnings.warn(f"User provided device_type of '{device_type}', but {device_type.upper()} is not available. "
                          f"Disabling",
                          UserWarning, stacklevel=2)
            self._enabled = False
        if self._enabled and self.fast_dtype not in CHOICES:
            warnings.warn(f"In CPU autocast, but the target dtype {self.fast_dtype} is not supported: it must be "
                          f"torch.bfloat16 "
                          "or torch.float16. Disabling autocast.", UserWarning, stacklevel=2)
            self._enabled = False

    def __enter__(self) -> autocast:
        before = STATE.mode.autocast
        self._before.append(before)
        if self.device == "cpu":
            STATE.set(autocast=("cpu", self.fast_dtype) if self._enabled else None)
        return self

    def __exit__(self, *exc: Any) -> None:
        STATE.set(autocast=self._before.pop())

    def __call__(self, fn: Any) -> Any:
        @functools.wraps(fn)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return fn(*args, **kwargs)

        return inside


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast does anything for tensors of this device."""
    return device_type == "cpu"


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether autocast is active for tensors of this device."""
    return device_type == "cpu" and STATE.mode.autocast is not None


def is_autocast_cpu_enabled() -> bool:
    """Whether autocast is active for CPU tensors."""
    return STATE.mode.autocast is not None


def get_autocast_dtype(device_type: str) -> Any:
    """The lower precision that autocast uses now, or would use by default."""
    if device_type == "cpu" and STATE.mode.autocast is not None:
        return STATE.mode.autocast[1]
    return _DEFAULTS.get(device_type, dt.float16)


def get_autocast_cpu_dtype() -> Any:
    """get_autocast_dtype("cpu")."""
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> Any:
    """get_autocast_dtype("cuda")."""
    return get_autocast_dtype("cuda")


def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    """Switch autocast for a device on or off until told otherwise."""
    if enabled is None:
        device_type, enabled = "cuda", device_type
    if device_type == "cpu":
        STATE.set(autocast=("cpu", get_autocast_dtype("cpu")) if enabled else None)


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """The lower precision to use from now on."""
    _DEFAULTS[device_type] = dtype
    if device_type == "cpu" and STATE.mode.autocast is not None:
        STATE.set(autocast=("cpu", dtype))


def is_autocast_cache_enabled() -> bool:
    """Whether casts of weights would be kept (accepted and without effect)."""
    return _CACHE["enabled"]


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Accepted and without effect."""
    _CACHE["enabled"] = bool(enabled)


def clear_autocast_cache() -> None:
    """Nothing is kept."""


def custom_fwd(fwd: Any = None, *, device_type: str = "cuda", cast_inputs: Any = None) -> Any:
    """A decorator for autograd.Function.forward: hands the function back."""
    return fwd if fwd is not None else lambda fn: fn


def custom_bwd(bwd: Any = None, *, device_type: str = "cuda") -> Any:
    """A decorator for autograd.Function.backward: hands the function back."""
    return bwd if bwd is not None else lambda fn: fn


def _cast(value: Any, device_type: str, dtype: Any) -> Any:
    """`value` with the floating tensors in it as `dtype` (float64 stays)."""
    return cast_nested(value, dtype)


class GradScaler:
    """Scales losses for float16 training. Disabled, it passes everything through."""

    def __init__(self, device: str = "cuda", init_scale: float = 65536.0, growth_factor: float = 2.0,
                 backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True) -> None:
        self._enabled = enabled and device == "cpu"
        if self._enabled:
            raise NotYetSupported("torch.amp.GradScaler on the CPU does not exist in Guardscope yet: pass "
                                  "enabled=False.")

    def scale(self, outputs: Any) -> Any:
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Nothing is scaled."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Nothing is scaled."""

    def get_scale(self) -> float:
        """1: nothing is scaled."""
        return 1.0

    def state_dict(self) -> dict[str, Any]:
        """Empty, as a disabled scaler's is."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Nothing is kept."""

    def is_enabled(self) -> bool:
        return self._enabled


present(globals())
__getattr__ = module_getattr(globals())
