"""torch.backends.cudnn: settings of a library that does not take part here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..naming import module_getattr, present

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True
fp32_precision = "none"


def is_available() -> bool:
    """Whether cuDNN exists: never."""
    return False


def version() -> None:
    return None


@contextmanager
def flags(enabled: bool = False, benchmark: bool = False, benchmark_limit: int = 10, deterministic: bool = False,
          allow_tf32: bool = True, fp32_precision: str = "none") -> Iterator[None]:
    """Settings inside a block, without effect."""
    yield


def is_acceptable(tensor: Any) -> bool:
    """Whether cuDNN could take the tensor: never."""
    return False


present(globals())
__getattr__ = module_getattr(globals())
