"""torch.distributions.Distribution: shapes, validation of arguments, and what every distribution offers."""

from __future__ import annotations

from typing import Any

from ...tensor.meta import Size
from ...tensor.tensor import Tensor
from .. import toplevel as T
from ..compiler import is_compiling
from ..naming import present
from . import constraints


class lazy_property:
    """Computed at the first access, then an attribute."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def broadcast_all(*values: Any) -> tuple[Any, ...]:
    """Numbers and tensors as tensors of one shape. ValueError for anything else."""
    if not all(isinstance(v, Tensor | int | float) for v in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                         "__torch_function__.")
    first = [v for v in values if isinstance(v, Tensor)]
    dtype = first[0].dtype if first else T.get_default_dtype()
    return tuple(T.broadcast_tensors(*[v if isinstance(v, Tensor) else T.tensor(v, dtype=dtype) for v in values]))


def sum_rightmost(value: Any, dim: int) -> Any:
    """The sum over the last `dim` dimensions."""
    return value if dim == 0 else value.sum(list(range(-dim, 0)))


class Distribution:
    """batch_shape: independent distributions at once; event_shape: the shape of one draw from one of them.

    Arguments are checked against `arg_constraints` (ValueError), except where they are traced by torch.compile.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__
    arg_constraints: dict[str, Any] = {}

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = Size(()), event_shape: Any = Size(()),  # noqa: B008  an empty, immutable shape
                 validate_args: bool | None = None) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args and not is_compiling():
            for name, constraint in self.arg_constraints.items():
                if constraints.is_dependent(constraint):
                    continue
                if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                    continue
                value = getattr(self, name)
                if not constraint.check(value).all():
                    raise ValueError(
                        f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                        f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}")

    @property
    def batch_shape(self) -> Any:
        return self._batch_shape

    @property
    def event_shape(self) -> Any:
        return self._event_shape

    @property
    def support(self) -> Any:
        raise NotImplementedError

    @property
    def mean(self) -> Any:
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Any:
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        return self.variance.sqrt()

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        raise NotImplementedError

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draws of shape sample_shape + batch_shape + event_shape."""
        with T.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        raise NotImplementedError

    def sample_n(self, n: int) -> Any:
        return self.sample((n,))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density at `value`."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        raise NotImplementedError

    def entropy(self) -> Any:
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Any:
        raise NotImplementedError

    def perplexity(self) -> Any:
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = ()) -> tuple:
        return (*sample_shape, *self._batch_shape, *self._event_shape)

    def _check_value(self, value: Any) -> None:
        """ValueError unless `value` has the right shape and lies in the support."""
        if not self._validate_args or is_compiling():
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = len(value.shape) - len(self._event_shape)
        if tuple(value.shape[max(start, 0):]) != tuple(self._event_shape):
            raise ValueError("The right-most size of value must match event_shape: "
                             f"{value.size()} vs {self._event_shape}.")
        for i, j in zip(reversed(tuple(value.shape)), reversed(self._extended_shape())):
            if i != 1 and j != 1 and i != j:
                raise ValueError("Value is not broadcastable with batch_shape+event_shape: "
                                 f"{value.size()} vs {Size(self._extended_shape())}.")
        try:
            support = self.support
        except NotImplementedError:
            return
        if not support.check(value).all():
            raise ValueError(f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                             f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}")

    _validate_sample = _check_value

    def _expanded(self, new: Any, batch_shape: Any, event_shape: Any = ()) -> Any:
        """The end of expand(): shapes, without checking arguments again."""
        Distribution.__init__(new, Size(batch_shape), Size(event_shape), validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        return type(self).__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        names = [n for n in self.arg_constraints if n in self.__dict__]
        shown = [f"{n}: {self.__dict__[n] if self.__dict__[n].numel() == 1 else self.__dict__[n].size()}" for n in names]
        return type(self).__name__ + "(" + ", ".join(shown) + ")"


present(globals())
