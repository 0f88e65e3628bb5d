"""torch.utils.data.dataloader: the loader under the name that PyTorch's own module has."""

from __future__ import annotations

from .loader import DataLoader, default_collate

__all__ = ["DataLoader", "default_collate"]
