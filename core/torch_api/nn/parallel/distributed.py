"""torch.nn.parallel.distributed: DistributedDataParallel under the name that PyTorch's own module has."""

from __future__ import annotations

from . import DistributedDataParallel

__all__ = ["DistributedDataParallel"]
