"""torch.utils.data.distributed: DistributedSampler exists as a name; there is one process."""

from __future__ import annotations

from . import DistributedSampler

__all__ = ["DistributedSampler"]
