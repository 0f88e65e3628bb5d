"""Convolution layers. Weights begin as Linear's do: uniform on +-1/sqrt(fan_in), bias alike."""

from __future__ import annotations

import math
from typing import Any

from ... import toplevel as T
from ...naming import present
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module


def ntuple(value: Any, n: int) -> tuple:
    """`value` n times, or the n values given."""
    return tuple(value) if isinstance(value, tuple | list) else (value,) * n


class _ConvNd(Module):
    __constants__ = ["stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels",
                     "out_channels", "kernel_size"]
    _nd = 0
    _transposed = False

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
                 output_padding: Any, groups: int, bias: bool, padding_mode: str, device: Any, dtype: Any) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        n = self._nd
        self.stride = ntuple(stride, n)
        self.kernel_size = ntuple(kernel_size, n)
        self.dilation = ntuple(dilation, n)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
            if padding == "same" and any(s != 1 for s in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
            self.padding: Any = padding
        else:
            self.padding = ntuple(padding, n)
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError("padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got "
                             f"padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.output_padding = ntuple(output_padding, n)
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._edges()
        shape = (in_channels, out_channels // groups) if self._transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(T.empty((*shape, *self.kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(T.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _edges(self) -> list[int]:
        """Padding before and after each dimension, last dimension first, as F.pad takes it."""
        if isinstance(self.padding, str):
            pairs = [(0, 0)] * self._nd
            if self.padding == "same":
                totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size)]
                pairs = [(t // 2, t - t // 2) for t in totals]
        else:
            pairs = [(p, p) for p in self.padding]
        return [p for pair in reversed(pairs) for p in pair]

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * len(self.kernel_size):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.kernel_size):
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.kernel_size):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Conv(_ConvNd):
    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias,
                         padding_mode, device, dtype)


class Conv1d(_Conv):
    """input[N, C, L] -> [N, out_channels, L']: cross-correlation with weight[out, C/groups, k]."""

    _nd = 1

    def forward(self, input: Any) -> Any:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv1d(padded, self.weight, self.bias, self.stride, (0,), self.dilation, self.groups)
        return F.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv2d(_Conv):
    """input[N, C, H, W] -> [N, out_channels, H', W']: cross-correlation with weight[out, C/groups, kh, kw]."""

    _nd = 2

    def forward(self, input: Any) -> Any:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv2d(padded, self.weight, self.bias, self.stride, (0, 0), self.dilation, self.groups)
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv3d(_Conv):
    """input[N, C, D, H, W] -> [N, out_channels, D', H', W']."""

    _nd = 3

    def forward(self, input: Any) -> Any:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv3d(padded, self.weight, self.bias, self.stride, (0, 0, 0), self.dilation, self.groups)
        return F.conv3d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class _ConvTransposeNd(_ConvNd):
    _transposed = True

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups,
                         bias, padding_mode, device, dtype)

    def _output_padding(self, input: Any, output_size: Any) -> Any:
        """The padding of the output that gives `output_size`; ValueError for a size that cannot be reached."""
        if output_size is None:
            return self.output_padding
        wanted = list(output_size)
        if len(wanted) == self._nd + 2:
            wanted = wanted[2:]
        if len(wanted) != self._nd:
            raise ValueError(f"ConvTranspose{self._nd}D: for {input.dim()}D input, output_size must have {self._nd} or "
                             f"{self._nd + 2} elements (got {len(output_size)})")
        least = [(input.shape[d + input.dim() - self._nd] - 1) * self.stride[d] - 2 * self.padding[d]
                 + self.dilation[d] * (self.kernel_size[d] - 1) + 1 for d in range(self._nd)]
        most = [n + self.stride[d] - 1 for d, n in enumerate(least)]
        if any(w < lo or w > hi for w, lo, hi in zip(wanted, least, most)):
            raise ValueError(f"requested an output size of {output_size}, but valid sizes range from {least} to {most} (for an "
                             f"input of {list(input.shape[2:])})")
        return tuple(w - lo for w, lo in zip(wanted, least))


class ConvTranspose1d(_ConvTransposeNd):
    """The gradient of Conv1d with respect to its input, as a layer of its own; weight[C, out/groups, k]."""

    _nd = 1

    def forward(self, input: Any, output_size: Any = None) -> Any:
        return F.conv_transpose1d(input, self.weight, self.bias, self.stride, self.padding,
                                  self._output_padding(input, output_size), self.groups, self.dilation)


class ConvTranspose2d(_ConvTransposeNd):
    """The gradient of Conv2d with respect to its input, as a layer of its own; weight[C, out/groups, kh, kw]."""

    _nd = 2

    def forward(self, input: Any, output_size: Any = None) -> Any:
        return F.conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding,
                                  self._output_padding(input, output_size), self.groups, self.dilation)


class ConvTranspose3d(_ConvTransposeNd):
    """The gradient of Conv3d with respect to its input, as a layer of its own; weight[C, out/groups, kd, kh, kw]."""

    _nd = 3

    def forward(self, input: Any, output_size: Any = None) -> Any:
        return F.conv_transpose3d(input, self.weight, self.bias, self.stride, self.padding,
                                  self._output_padding(input, output_size), self.groups, self.dilation)


present(globals())
