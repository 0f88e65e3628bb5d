"""torch.backends.cudnn: settings of a library that does not take part here."""

from __future__ import annotations

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


present(globals())
__getattr__ = module_getattr(globals())
