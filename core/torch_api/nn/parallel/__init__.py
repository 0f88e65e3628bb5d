"""torch.nn.parallel: DataParallel and DistributedDataParallel of one process hand the call to their module."""

from __future__ import annotations

from typing import Any

from ...naming import module_getattr, present
from ..modules.module import Module
from ..modules.unsupported import DataParallel


class DistributedDataParallel(Module):
    """The module itself: there is one process."""

    def __init__(self, module: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.module = module

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


__all__ = ["DataParallel", "DistributedDataParallel"]
present(globals())
__getattr__ = module_getattr(globals())
