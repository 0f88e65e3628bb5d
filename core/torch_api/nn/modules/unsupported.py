"""Layers that can be named and subclassed, and say that they do not exist when they are made; DataParallel of one device."""

from __future__ import annotations

from typing import Any

from ....errors import NotYetSupported
from ...naming import present
from .module import Module


class _NotYet(Module):
    _instead = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotYetSupported(f"torch.nn.{type(self).__name__} does not exist in Guardscope yet: {self._instead}.")


class FractionalMaxPool2d(_NotYet):
    """Not there yet."""

    _instead = "use nn.MaxPool2d or nn.AdaptiveMaxPool2d"


class FractionalMaxPool3d(_NotYet):
    """Not there yet."""

    _instead = "use nn.MaxPool3d or nn.AdaptiveMaxPool3d"


class AdaptiveLogSoftmaxWithLoss(_NotYet):
    """Not there yet."""

    _instead = "use nn.Linear and nn.LogSoftmax"


class LinearCrossEntropyLoss(_NotYet):
    """Not there yet."""

    _instead = "use nn.Linear and nn.CrossEntropyLoss"


class DataParallel(Module):
    """The module itself: there is one device."""

    def __init__(self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids = device_ids if device_ids is not None else []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


present(globals())
