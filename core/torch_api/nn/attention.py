"""torch.nn.attention: choosing a kernel for scaled_dot_product_attention. There is one way here, so choices are kept
and change nothing."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..naming import module_getattr, present


class SDPBackend(enum.Enum):
    """PyTorch's names of attention kernels."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """Accepts one backend or a list of them."""
    for b in backends if isinstance(backends, list | tuple) else [backends]:
        if not isinstance(b, SDPBackend):
            raise AssertionError(f"Backend must be an instance of SDPBackend, got {type(b).__name__}")
    yield


present(globals())
__getattr__ = module_getattr(globals())
