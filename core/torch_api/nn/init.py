"""torch.nn.init: filling parameters in place. Formulas: Glorot & Bengio 2010 (xavier), He et al. 2015 (kaiming).

All functions run without gradient tracking and return the tensor they filled. Random ones draw from the default
generator (torch.manual_seed), through the in-place operators uniform_ and normal_.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ...tensor.state import STATE
from ...tensor.tensor import wrap
from ..naming import present

_GAINS = {"linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "conv_transpose1d": 1.0,
          "conv_transpose2d": 1.0, "conv_transpose3d": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0),
          "selu": 0.75}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which a nonlinearity shrinks the standard deviation. Raises ValueError for an unknown name."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope ** 2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


class _NoGrad:
    """Gradient tracking off while parameters are filled."""

    def __enter__(self) -> None:
        self.before = STATE.set(grad_enabled=False)

    def __exit__(self, *exc: Any) -> None:
        STATE.mode = self.before


def _fans(tensor: Any) -> tuple[int, int]:
    """(fan in, fan out) of a weight [out, in, *kernel]."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


_calculate_fan_in_and_fan_out = _fans


def _correct_fan(tensor: Any, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _fans(tensor)[0 if mode == "fan_in" else 1]


_calculate_correct_fan = _correct_fan


def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Fill from the uniform distribution on [a, b)."""
    with _NoGrad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Fill from the normal distribution."""
    with _NoGrad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
                  generator: Any = None) -> Any:
    """Fill from the normal distribution cut off at a and b, by rejection.

    Where [a, b] holds more than 0.3 of the distribution, normal numbers outside are drawn again; else uniform numbers
    on [a, b] are kept with the probability that the density at them has to its peak. Whole tensors are drawn each
    round, in PyTorch's order, so that a seed gives the same numbers.
    """
    if tensor.is_meta:
        return tensor

    def below(x: float) -> float:
        return (1.0 + math.erf((x - mean) / std / math.sqrt(2.0))) / 2.0

    with _NoGrad():
        if below(b) - below(a) > 0.3:
            tensor.normal_(mean, std, generator=generator)
            values = tensor._array
            low, high = values.dtype.type(a), values.dtype.type(b)
            outside = (values < low) | (values > high)
            while outside.any():
                np.copyto(values, tensor.new_empty(tensor.shape).normal_(mean, std, generator=generator)._array,
                          where=outside)
                outside = (values < low) | (values > high)
            return tensor
        peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
        values = tensor._array
        pending = np.ones(values.shape, bool)
        while pending.any():
            proposal = tensor.new_empty(tensor.shape).uniform_(a, b, generator=generator)._array
            np.copyto(values, proposal, where=pending)
            with np.errstate(divide="ignore"):
                chance = np.log(tensor.new_empty(tensor.shape).uniform_(generator=generator)._array)
            pending &= chance > -0.5 * ((proposal - mean) / std) ** 2 - peak
    return tensor


def constant_(tensor: Any, val: float) -> Any:
    """Fill with one value."""
    with _NoGrad():
        return tensor.fill_(val)


def ones_(tensor: Any) -> Any:
    """Fill with 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Any) -> Any:
    """Fill with 0."""
    return constant_(tensor, 0.0)


def _put(tensor: Any, values: np.ndarray) -> Any:
    with _NoGrad():
        return tensor.copy_(wrap(np.ascontiguousarray(values)))


def eye_(tensor: Any) -> Any:
    """Fill a matrix with the identity. Raises ValueError if it is no matrix."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _put(tensor, np.eye(*tensor.shape, dtype=tensor.dtype.numpy))


def dirac_(tensor: Any, groups: int = 1) -> Any:
    """Fill a convolution's weight so that it passes as many channels through as it can."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    values = np.zeros(tensor.shape, tensor.dtype.numpy)
    per_group = tensor.shape[0] // groups
    middle = tuple(n // 2 for n in tensor.shape[2:])
    for g in range(groups):
        for d in range(min(per_group, tensor.shape[1])):
            values[(g * per_group + d, d, *middle)] = 1
    return _put(tensor, values)


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Uniform on [-a, a], a = gain * sqrt(6 / (fan_in + fan_out))."""
    bound = gain * math.sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Normal with std = gain * sqrt(2 / (fan_in + fan_out))."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))), generator)


def kaiming_uniform_(tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                     generator: Any = None) -> Any:
    """Uniform on [-b, b], b = gain * sqrt(3 / fan)."""
    if 0 in tensor.shape:
        return tensor
    bound = math.sqrt(3.0) * calculate_gain(nonlinearity, a) / math.sqrt(_correct_fan(tensor, mode))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                    generator: Any = None) -> Any:
    """Normal with std = gain / sqrt(fan)."""
    if 0 in tensor.shape:
        return tensor
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_correct_fan(tensor, mode)), generator)


def orthogonal_(tensor: Any, gain: float = 1, generator: Any = None) -> Any:
    """Fill with a (semi-)orthogonal matrix: Q of a QR decomposition of normal numbers (Saxe et al. 2013)."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    normal_(tensor, generator=generator)
    flat = np.asarray(tensor._array, np.float64).reshape(tensor.shape[0], -1)
    tall = flat if flat.shape[0] >= flat.shape[1] else flat.T
    q, r = np.linalg.qr(tall)
    q = q * np.sign(np.diag(r))
    q = q if flat.shape[0] >= flat.shape[1] else q.T
    return _put(tensor, (gain * q).reshape(tensor.shape).astype(tensor.dtype.numpy))


def sparse_(tensor: Any, sparsity: float, std: float = 0.01, generator: Any = None) -> Any:
    """Normal numbers, with a share `sparsity` of every column set to zero (Martens 2010). ValueError if it is no matrix."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = int(math.ceil(sparsity * rows))
    from .. import toplevel

    randperm: Any = toplevel.randperm
    with _NoGrad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            chosen = randperm(rows)[:zeros]
            tensor[chosen, column] = 0
    return tensor


def _older(fn: Any) -> Any:
    """The spelling without underscore: the same, with PyTorch's warning."""
    name = fn.__name__[:-1]

    def older(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", FutureWarning, stacklevel=2)
        return fn(*args, **kwargs)

    older.__name__ = older.__qualname__ = name
    return older


uniform, normal, constant, eye, dirac = (_older(f) for f in (uniform_, normal_, constant_, eye_, dirac_))
xavier_uniform, xavier_normal = _older(xavier_uniform_), _older(xavier_normal_)
kaiming_uniform, kaiming_normal = _older(kaiming_uniform_), _older(kaiming_normal_)
orthogonal, sparse = _older(orthogonal_), _older(sparse_)

present(globals())
