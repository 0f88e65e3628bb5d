"""torch.backends.cpu: what the processor can do, in PyTorch's words."""

from __future__ import annotations

from ..naming import module_getattr, present


def get_cpu_capability() -> str:
    """Guardscope chooses its kernels by OpenCL device, so no instruction set is singled out."""
    return "DEFAULT"


present(globals())
__getattr__ = module_getattr(globals())
