"""Padding layers: one call of F.pad each."""

from __future__ import annotations

from typing import Any

from ...naming import present
from .. import functional as F
from .conv import ntuple
from .module import Module


class _Pad(Module):
    """`padding` is one int for all sides, or (left, right[, top, bottom[, front, back]])."""

    __constants__ = ["padding"]
    _nd = 1
    _mode = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = ntuple(padding, 2 * self._nd)

    def forward(self, input: Any) -> Any:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    __constants__ = ["padding", "value"]

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Any) -> Any:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """`value` around the last dimension."""


class ConstantPad2d(_ConstantPad):
    """`value` around the last two dimensions."""

    _nd = 2


class ConstantPad3d(_ConstantPad):
    """`value` around the last three dimensions."""

    _nd = 3


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad):
    """Zeros around the last dimension."""


class ZeroPad2d(_ZeroPad):
    """Zeros around the last two dimensions."""

    _nd = 2


class ReflectionPad1d(_Pad):
    """The edge of the last dimension mirrored."""

    _mode = "reflect"


class ReflectionPad2d(_Pad):
    """The edges of the last two dimensions mirrored."""

    _nd = 2
    _mode = "reflect"


class ReplicationPad1d(_Pad):
    """The edge element of the last dimension repeated."""

    _mode = "replicate"


class ReplicationPad2d(_Pad):
    """The edge elements of the last two dimensions repeated."""

    _nd = 2
    _mode = "replicate"


class CircularPad1d(_Pad):
    """The last dimension continued from its other end."""

    _mode = "circular"


class CircularPad2d(_Pad):
    """The last two dimensions continued from their other ends."""

    _nd = 2
    _mode = "circular"


class ZeroPad3d(_ZeroPad):
    """Zeros around the last three dimensions."""

    _nd = 3


class ReflectionPad3d(_Pad):
    """The edges of the last three dimensions mirrored."""

    _nd = 3
    _mode = "reflect"


class ReplicationPad3d(_Pad):
    """The edge elements of the last three dimensions repeated."""

    _nd = 3
    _mode = "replicate"


class CircularPad3d(_Pad):
    """The last three dimensions continued from their other ends."""

    _nd = 3
    _mode = "circular"


present(globals())
