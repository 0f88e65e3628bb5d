"""Invertible maps for TransformedDistribution: Affine, Exp, Sigmoid, Tanh, Softplus, Power, Compose."""

from __future__ import annotations

import math
from typing import Any

from .. import toplevel as T
from ..naming import present
from . import constraints
from .distribution import Distribution, sum_rightmost


def softplus(x: Any) -> Any:
    from ..nn.functional import softplus as function

    return function(x)


class Transform:
    """`t(x)` and `t.inv(y)`; log_abs_det_jacobian(x, y) is log |dy/dx|. cache_size=1 keeps the last pair."""

    bijective = False
    domain: Any = constraints.real
    codomain: Any = constraints.real
    sign: Any = 1
    event_dim = 0

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._cached_x_y: tuple[Any, Any] = (None, None)

    @property
    def inv(self) -> Any:
        return _Inverse(self)

    def __call__(self, x: Any) -> Any:
        old_x, old_y = self._cached_x_y
        if self._cache_size and x is old_x:
            return old_y
        y = self._call(x)
        if self._cache_size:
            self._cached_x_y = x, y
        return y

    def _inv_call(self, y: Any) -> Any:
        old_x, old_y = self._cached_x_y
        if self._cache_size and y is old_y:
            return old_x
        x = self._inverse(y)
        if self._cache_size:
            self._cached_x_y = x, y
        return x

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        raise NotImplementedError

    def forward_shape(self, shape: Any) -> Any:
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        return shape

    def __repr__(self) -> str:
        return type(self).__name__ + "()"


class _Inverse(Transform):
    def __init__(self, transform: Any) -> None:
        super().__init__()
        self._inv = transform
        self.bijective, self.event_dim = transform.bijective, transform.event_dim
        self.domain, self.codomain = transform.codomain, transform.domain

    @property
    def inv(self) -> Any:
        return self._inv

    def __call__(self, x: Any) -> Any:
        return self._inv._inv_call(x)

    def _inv_call(self, y: Any) -> Any:
        return self._inv(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self._inv.log_abs_det_jacobian(y, x)


class AffineTransform(Transform):
    """loc + scale * x"""

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self.event_dim = loc, scale, event_dim

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, int | float):
            return (self.scale > 0) - (self.scale < 0)
        return self.scale.sign()

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if isinstance(self.scale, int | float):
            result = T.full_like(x, math.log(abs(self.scale)))
        else:
            result = self.scale.abs().log().expand(x.shape)
        return sum_rightmost(result, self.event_dim)


class ExpTransform(Transform):
    """exp(x)"""

    bijective = True
    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class SigmoidTransform(Transform):
    """1 / (1 + exp(-x))"""

    bijective = True
    codomain = constraints.unit_interval

    def _call(self, x: Any) -> Any:
        limits = T.finfo(x.dtype)
        return T.clamp(T.sigmoid(x), min=limits.tiny, max=1.0 - limits.eps)

    def _inverse(self, y: Any) -> Any:
        limits = T.finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x) - softplus(x)


class TanhTransform(Transform):
    """tanh(x)"""

    bijective = True
    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return T.atanh(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class SoftplusTransform(Transform):
    """log(1 + exp(x))"""

    bijective = True
    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return softplus(x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x)


class PowerTransform(Transform):
    """x ** exponent"""

    bijective = True
    domain = constraints.positive
    codomain = constraints.positive

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = exponent

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()


class AbsTransform(Transform):
    """|x|"""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


class ComposeTransform(Transform):
    """Several transforms, the first one first."""

    def __init__(self, parts: list[Any], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = parts

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(p.bijective for p in self.parts)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return max((p.event_dim for p in self.parts), default=0)

    @property
    def inv(self) -> Any:
        return ComposeTransform([p.inv for p in reversed(self.parts)])

    def __call__(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def _inv_call(self, y: Any) -> Any:
        for part in reversed(self.parts):
            y = part.inv(y)
        return y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if not self.parts:
            return T.zeros_like(x)
        total, event_dim = 0, self.event_dim
        for part in self.parts:
            z = part(x)
            total = total + sum_rightmost(part.log_abs_det_jacobian(x, z), event_dim - part.event_dim)
            x = z
        return total


identity_transform = ComposeTransform([])


class TransformedDistribution(Distribution):
    """The distribution of transforms(x) for x from `base_distribution`."""

    arg_constraints: dict[str, Any] = {}

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        if not all(isinstance(t, Transform) for t in self.transforms):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        self.base_dist = base_distribution
        super().__init__(base_distribution.batch_shape, base_distribution.event_shape, validate_args=validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    @property
    def support(self) -> Any:
        return self.transforms[-1].codomain if self.transforms else self.base_dist.support

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(TransformedDistribution, _instance)
        new.base_dist = self.base_dist.expand(batch_shape)
        new.transforms = self.transforms
        return self._expanded(new, batch_shape, self.event_shape)

    def cdf(self, value: Any) -> Any:
        sign: Any = 1
        for transform in reversed(self.transforms):
            value = transform.inv(value)
            sign = sign * transform.sign
        value = self.base_dist.cdf(value)
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def _through(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Any = ()) -> Any:
        with T.no_grad():
            return self._through(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._through(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        event_dim = len(self.event_shape)
        total: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            total = total - sum_rightmost(transform.log_abs_det_jacobian(x, y), event_dim - transform.event_dim)
            y = x
        return total + sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))


present(globals())
