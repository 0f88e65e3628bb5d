"""torch.amp: autocast as a context manager and decorator. Enabled autocast does not exist yet and says so."""

from __future__ import annotations

import functools
from typing import Any

from ..errors import NotYetSupported
from ..tensor.state import STATE
from .naming import module_getattr, present


class autocast:
    """`with torch.autocast("cuda", enabled=False):` works; enabling it for a device that exists raises NotYetSupported.

    For "cuda" it does nothing, as PyTorch's does (with a warning) on a machine without one.
    """

    def __init__(self, device_type: str, dtype: Any = None, enabled: bool = True,
                 cache_enabled: bool | None = None) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = device_type
        self.fast_dtype = dtype
        self._enabled = enabled and device_type == "cpu"
        self._cache_enabled = cache_enabled

    def __enter__(self) -> autocast:
        if self._enabled:
            asked = f", dtype={self.fast_dtype}" if self.fast_dtype is not None else ""
            raise NotYetSupported(f"torch.autocast('{self.device}'{asked}) does not exist in Guardscope yet: pass "
                                  "enabled=False, or convert the model with model.half() where that is wanted.")
        self._before = STATE.set(autocast=None)
        return self

    def __exit__(self, *exc: Any) -> None:
        STATE.mode = self._before

    def __call__(self, fn: Any) -> Any:
        @functools.wraps(fn)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return fn(*args, **kwargs)

        return inside


def is_autocast_available(device_type: str) -> bool:
    return False


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

    def is_enabled(self) -> bool:
        return self._enabled


present(globals())
__getattr__ = module_getattr(globals())
