"""Continuous distributions of one variable: Normal, Uniform, Laplace, Exponential, Gumbel, Gamma, Beta and others."""

from __future__ import annotations

import math
from typing import Any

from .. import toplevel as T
from ..naming import present
from . import constraints
from .distribution import Distribution, broadcast_all


class _LocScale(Distribution):
    """Two parameters, the place and the width."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(type(self), _instance)
        new.loc, new.scale = self.loc.expand(batch_shape), self.scale.expand(batch_shape)
        return self._expanded(new, batch_shape)


class Normal(_LocScale):
    """Mean `loc`, standard deviation `scale`."""

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def stddev(self) -> Any:
        return self.scale

    @property
    def variance(self) -> Any:
        return self.stddev.pow(2)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with T.no_grad():
            return T.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        eps = T.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device).normal_()
        return self.loc + eps * self.scale

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return -((value - self.loc) ** 2) / (2 * self.scale ** 2) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        self._check_value(value)
        return 0.5 * (1 + T.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * T.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + T.log(self.scale)


class Laplace(_LocScale):
    """Density exp(-|x - loc| / scale) / (2 scale)."""

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Any:
        return 2 ** 0.5 * self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        eps = T.finfo(self.loc.dtype).eps
        u = T.empty(shape, dtype=self.loc.dtype).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * T.log1p(-u.abs())

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return -T.log(2 * self.scale) - T.abs(value - self.loc) / self.scale

    def cdf(self, value: Any) -> Any:
        d = value - self.loc
        return 0.5 - 0.5 * d.sign() * T.expm1(-d.abs() / self.scale)

    def icdf(self, value: Any) -> Any:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * T.log1p(-2 * term.abs())

    def entropy(self) -> Any:
        return 1 + T.log(2 * self.scale)


class Gumbel(_LocScale):
    """The distribution of maxima."""

    @property
    def mean(self) -> Any:
        return self.loc + self.scale * 0.57721566490153286060

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def stddev(self) -> Any:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Any:
        return self.stddev.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        limits = T.finfo(self.loc.dtype)
        u = T.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).uniform_(limits.tiny, 1 - limits.eps)
        return self.loc - self.scale * (-u.log()).log()

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def cdf(self, value: Any) -> Any:
        return (-(-(value - self.loc) / self.scale).exp()).exp()

    def icdf(self, value: Any) -> Any:
        return self.loc - self.scale * (-value.log()).log()

    def entropy(self) -> Any:
        return self.scale.log() + (1 + 0.57721566490153286060)


class Cauchy(_LocScale):
    """The ratio of two normal variables, moved and scaled."""

    @property
    def mode(self) -> Any:
        return self.loc

    def rsample(self, sample_shape: Any = ()) -> Any:
        eps = self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + eps * self.scale

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    @property
    def mean(self) -> Any:
        return T.full_like(self.loc, float("nan"))

    @property
    def variance(self) -> Any:
        return T.full_like(self.loc, float("inf"))

    def cdf(self, value: Any) -> Any:
        return T.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Any) -> Any:
        return T.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Any:
        return math.log(4 * math.pi) + self.scale.log()


class Uniform(Distribution):
    """Between `low` and `high`."""

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.size(), validate_args=validate_args)

    @property
    def arg_constraints(self) -> dict[str, Any]:  # type: ignore[override]
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @property
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Any:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Any:
        return self.high * float("nan")

    @property
    def stddev(self) -> Any:
        return (self.high - self.low) / 12 ** 0.5

    @property
    def variance(self) -> Any:
        return (self.high - self.low).pow(2) / 12

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Uniform, _instance)
        new.low, new.high = self.low.expand(batch_shape), self.high.expand(batch_shape)
        return self._expanded(new, batch_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        u = T.rand(self._extended_shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return T.log(inside) - T.log(self.high - self.low)

    def cdf(self, value: Any) -> Any:
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Any) -> Any:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Any:
        return T.log(self.high - self.low)


class Exponential(Distribution):
    """Waiting times with `rate` events per unit."""

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Any:
        return T.zeros_like(self.rate)

    @property
    def variance(self) -> Any:
        return self.rate.pow(-2)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Exponential, _instance)
        new.rate = self.rate.expand(batch_shape)
        return self._expanded(new, batch_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Any) -> Any:
        return 1 - T.exp(-self.rate * value)

    def icdf(self, value: Any) -> Any:
        return -T.log1p(-value) / self.rate

    def entropy(self) -> Any:
        return 1.0 - T.log(self.rate)


class Gamma(Distribution):
    """Shape `concentration`, inverse scale `rate`. Draws: Marsaglia & Tsang 2000, not PyTorch's sequence of numbers."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.rate

    @property
    def mode(self) -> Any:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Any:
        return self.concentration / self.rate.pow(2)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(type(self), _instance)
        new.concentration, new.rate = self.concentration.expand(batch_shape), self.rate.expand(batch_shape)
        return self._expanded(new, batch_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        drawn = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        return drawn.clamp(min=T.finfo(drawn.dtype).tiny)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        value = T.as_tensor(value, dtype=self.rate.dtype)
        return T.xlogy(self.concentration, self.rate) + T.xlogy(self.concentration - 1, value) - self.rate * value \
            - T.lgamma(self.concentration)

    def entropy(self) -> Any:
        return self.concentration - T.log(self.rate) + T.lgamma(self.concentration) \
            + (1.0 - self.concentration) * T.digamma(self.concentration)


def _standard_gamma(shape: Any) -> Any:
    """Draws with rate 1, by rejection from a transformed normal; shapes below 1 are raised by 1 and scaled back."""
    boosted = T.where(shape < 1, shape + 1, shape)
    d = boosted - 1.0 / 3
    c = 1 / (9 * d).sqrt()
    out, done = T.zeros_like(shape), T.zeros_like(shape, dtype=T.bool)
    while not bool(done.all()):
        x = T.empty_like(shape).normal_()
        v = (1 + c * x) ** 3
        u = T.empty_like(shape).uniform_()
        fits = (v > 0) & (u.log() < 0.5 * x * x + d - d * v + d * v.clamp(min=1e-30).log())
        out = T.where(fits & ~done, d * v, out)
        done = done | fits
    scale = T.empty_like(shape).uniform_() ** (1 / shape)
    return T.where(shape < 1, out * scale, out)


class Chi2(Gamma):
    """The sum of `df` squared normal variables."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Any:
        return self.concentration * 2


class Beta(Distribution):
    """Between 0 and 1, density x**(a-1) (1-x)**(b-1). Draws are not PyTorch's sequence of numbers."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        super().__init__(self.concentration1.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Any:
        return (self.concentration1 - 1) / (self.concentration1 + self.concentration0 - 2)

    @property
    def variance(self) -> Any:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Beta, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return self._expanded(new, batch_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        a, b = _standard_gamma(self.concentration1.expand(shape)), _standard_gamma(self.concentration0.expand(shape))
        return a / (a + b)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        a, b = self.concentration1, self.concentration0
        return T.xlogy(a - 1, value) + T.xlogy(b - 1, 1 - value) + T.lgamma(a + b) - T.lgamma(a) - T.lgamma(b)

    def entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        return T.lgamma(a) + T.lgamma(b) - T.lgamma(a + b) - (a - 1) * T.digamma(a) - (b - 1) * T.digamma(b) \
            + (a + b - 2) * T.digamma(a + b)


present(globals())
