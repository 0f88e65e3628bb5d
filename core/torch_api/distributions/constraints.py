"""torch.distributions.constraints: sets of values, with `check(value)` giving a bool per value."""

from __future__ import annotations

from typing import Any

from .. import toplevel as T
from ..naming import present


class Constraint:
    """Base. is_discrete: the set is countable; event_dim: how many dimensions one value has."""

    is_discrete = False
    event_dim = 0

    def check(self, value: Any) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        return type(self).__name__.lstrip("_") + "()"


class _Dependent(Constraint):
    """A set that depends on other parameters."""

    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def check(self, x: Any) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property):
    """A property that gives a constraint; on the class it stands for a dependent one."""

    def __init__(self, fn: Any = None, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        super().__init__(fn)
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, fn: Any) -> Any:
        return _DependentProperty(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class _Real(Constraint):
    def check(self, value: Any) -> Any:
        return value == value


class _Compared(Constraint):
    """Bounded from one side by `bound`."""

    name = "bound"

    def __init__(self, bound: Any) -> None:
        self.bound = bound
        setattr(self, self.name, bound)

    def __repr__(self) -> str:
        return f"{type(self).__name__.lstrip('_')}({self.name}={self.bound})"


class _GreaterThan(_Compared):
    """value > lower_bound"""

    name = "lower_bound"

    def check(self, value: Any) -> Any:
        return value > self.bound


class _GreaterThanEq(_Compared):
    """value >= lower_bound"""

    name = "lower_bound"

    def check(self, value: Any) -> Any:
        return value >= self.bound


class _LessThan(_Compared):
    """value < upper_bound"""

    name = "upper_bound"

    def check(self, value: Any) -> Any:
        return value < self.bound


class _Interval(Constraint):
    """lower_bound <= value <= upper_bound"""

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def check(self, value: Any) -> Any:
        return (value >= self.lower_bound) & (value <= self.upper_bound)

    def __repr__(self) -> str:
        return f"{type(self).__name__.lstrip('_')}(lower_bound={self.lower_bound}, upper_bound={self.upper_bound})"


class _HalfOpenInterval(_Interval):
    """lower_bound <= value < upper_bound"""

    def check(self, value: Any) -> Any:
        return (value >= self.lower_bound) & (value < self.upper_bound)


class _IntegerInterval(_Interval):
    """Whole numbers in an interval."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value >= self.lower_bound) & (value <= self.upper_bound)


class _NonnegativeInteger(Constraint):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value >= 0)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _RealVector(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value == value).all(-1)


class _LowerCholesky(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        lower = value.tril() == value
        return lower.all(-1).all(-1) & (T.diagonal(value, 0, -2, -1) > 0).all(-1)


class _PositiveDefinite(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        symmetric = ((value - value.mT).abs() < 1e-6).all(-1).all(-1)
        return symmetric & (T.linalg.eigvalsh(value) > 0).all(-1) if hasattr(T, "linalg") else symmetric


class _IndependentConstraint(Constraint):
    """Another constraint whose last dimensions count as one value."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Any) -> Any:
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            return self.base_constraint.check(value)
        for _ in range(self.reinterpreted_batch_ndims):
            result = result.all(-1)
        return result


def is_dependent(constraint: Any) -> bool:
    return isinstance(constraint, _Dependent | _DependentProperty)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval, integer_interval = _Interval, _HalfOpenInterval, _IntegerInterval
boolean = _Boolean()
real = _Real()
real_vector = _RealVector()
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
positive_integer = integer_interval(1, float("inf"))
nonnegative_integer = _NonnegativeInteger()
unit_interval = interval(0.0, 1.0)
simplex = _Simplex()
one_hot = _OneHot()
lower_cholesky = _LowerCholesky()
positive_definite = _PositiveDefinite()

present(globals())
