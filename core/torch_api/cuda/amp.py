"""torch.cuda.amp: the older spelling of torch.amp."""

from __future__ import annotations

from typing import Any

from .. import amp
from ..naming import module_getattr, present


class autocast(amp.autocast):
    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    def __init__(self, init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5,
                 growth_interval: int = 2000, enabled: bool = True) -> None:
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


present(globals())
__getattr__ = module_getattr(globals())
