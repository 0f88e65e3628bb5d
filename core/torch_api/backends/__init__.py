"""torch.backends: switches of PyTorch's libraries that scripts set; here they only keep their values."""

from __future__ import annotations

from ..naming import module_getattr
from . import cpu, cuda, cudnn, mkldnn, mps, openmp

__all__ = ["cpu", "cuda", "cudnn", "mkldnn", "mps", "openmp"]
__getattr__ = module_getattr(globals())
