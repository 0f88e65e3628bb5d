"""Discrete distributions: Categorical, Bernoulli, OneHotCategorical, Poisson, Geometric, Multinomial."""

from __future__ import annotations

from typing import Any

from .. import toplevel as T
from ..naming import present
from . import constraints
from .distribution import Distribution, broadcast_all, lazy_property


def clamp_probs(probs: Any) -> Any:
    eps = T.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """Log odds of binary probabilities; logarithms of others."""
    kept = clamp_probs(probs)
    return T.log(kept) - T.log1p(-kept) if is_binary else T.log(kept)


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    return T.sigmoid(logits) if is_binary else logits.softmax(-1)


def _one(probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class Categorical(Distribution):
    """Index i with probability probs[..., i] (normalised), or softmax(logits)[..., i]."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        _one(probs, logits)
        given = probs if probs is not None else logits
        if given.dim() < 1:
            raise ValueError(f"`{'probs' if probs is not None else 'logits'}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = logits - logits.logsumexp(-1, keepdim=True)
        self._param = self.probs if probs is not None else self.logits
        self._num_events = self._param.shape[-1]
        super().__init__(self._param.shape[:-1], validate_args=validate_args)

    @lazy_property
    def logits(self) -> Any:
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Any:
        return logits_to_probs(self.logits)

    @property
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def param_shape(self) -> Any:
        return self._param.size()

    @property
    def mean(self) -> Any:
        return T.full(tuple(self._batch_shape), float("nan"), dtype=self.probs.dtype)

    @property
    def mode(self) -> Any:
        return self.probs.argmax(-1)

    @property
    def variance(self) -> Any:
        return T.full(tuple(self._batch_shape), float("nan"), dtype=self.probs.dtype)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Categorical, _instance)
        shape = (*batch_shape, self._num_events)
        for name in ("probs", "logits"):
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(shape))
        new._param = new.__dict__["probs"] if "probs" in new.__dict__ else new.__dict__["logits"]
        new._num_events = self._num_events
        return self._expanded(new, batch_shape)

    def sample(self, sample_shape: Any = ()) -> Any:
        with T.no_grad():
            count = 1
            for n in sample_shape:
                count *= n
            drawn = T.multinomial(self.probs.reshape(-1, self._num_events), count, True).T
            return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        value = value.long().unsqueeze(-1)
        value, logs = T.broadcast_tensors(value, self.logits)
        return logs.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        logs = self.logits.clamp(min=T.finfo(self.logits.dtype).min)
        return -(logs * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        values = T.arange(self._num_events).reshape(-1, *[1] * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values


class _Binary(Distribution):
    """One probability, given as such or as log odds."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        _one(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)
        self._param = self.probs if probs is not None else self.logits
        super().__init__(self._param.size(), validate_args=validate_args)

    @lazy_property
    def logits(self) -> Any:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Any:
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Any:
        return self._param.size()

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(type(self), _instance)
        for name in ("probs", "logits"):
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(batch_shape))
        new._param = new.__dict__["probs"] if "probs" in new.__dict__ else new.__dict__["logits"]
        return self._expanded(new, batch_shape)


def _cross_entropy(logits: Any, value: Any) -> Any:
    from ..nn.functional import binary_cross_entropy_with_logits

    return binary_cross_entropy_with_logits(logits, value, reduction="none")


class Bernoulli(_Binary):
    """1 with probability `probs`, else 0."""

    support = constraints.boolean
    has_enumerate_support = True

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = float("nan")
        return mode

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        with T.no_grad():
            return T.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        return -_cross_entropy(logits, value)

    def entropy(self) -> Any:
        return _cross_entropy(self.logits, self.probs)

    def enumerate_support(self, expand: bool = True) -> Any:
        values = T.arange(2, dtype=self._param.dtype).reshape(-1, *[1] * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values


class Geometric(_Binary):
    """How often an event with probability `probs` fails before it happens."""

    support = constraints.nonnegative_integer

    @property
    def mean(self) -> Any:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Any:
        return T.zeros_like(self.probs)

    @property
    def variance(self) -> Any:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Any:
        with T.no_grad():
            u = self.probs.new_empty(self._extended_shape(sample_shape)).uniform_(T.finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        value, probs = broadcast_all(value, self.probs)
        rest = T.where((probs == 1) & (value == 0), T.zeros_like(probs), -probs)
        return value * rest.log1p() + self.probs.log()

    def entropy(self) -> Any:
        return _cross_entropy(self.logits, self.probs) / self.probs


class OneHotCategorical(Distribution):
    """Categorical with one-hot vectors instead of indices."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @property
    def probs(self) -> Any:
        return self._categorical.probs

    @property
    def logits(self) -> Any:
        return self._categorical.logits

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        return T.zeros_like(self.probs).scatter(-1, self.probs.argmax(-1).unsqueeze(-1), 1.0)

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(type(self), _instance)
        new._categorical = self._categorical.expand(batch_shape)
        return self._expanded(new, batch_shape, self.event_shape)

    def sample(self, sample_shape: Any = ()) -> Any:
        index = self._categorical.sample(sample_shape)
        from ..nn.functional import one_hot

        return one_hot(index, self._categorical._num_events).to(self.probs)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self) -> Any:
        return self._categorical.entropy()


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose rsample adds probs - probs.detach()."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


class Poisson(Distribution):
    """Counts with mean `rate`."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.rate

    @property
    def mode(self) -> Any:
        return self.rate.floor()

    @property
    def variance(self) -> Any:
        return self.rate

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Poisson, _instance)
        new.rate = self.rate.expand(batch_shape)
        return self._expanded(new, batch_shape)

    def sample(self, sample_shape: Any = ()) -> Any:
        with T.no_grad():
            return T.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        rate, value = broadcast_all(self.rate, value)
        return T.xlogy(value, rate) - rate - (value + 1).lgamma()


class Multinomial(Distribution):
    """Counts of `total_count` draws from a Categorical."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(self, total_count: int = 1, probs: Any = None, logits: Any = None,
                 validate_args: bool | None = None) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @property
    def probs(self) -> Any:
        return self._categorical.probs

    @property
    def logits(self) -> Any:
        return self._categorical.logits

    @property
    def mean(self) -> Any:
        return self.probs * self.total_count

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Multinomial, _instance)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        return self._expanded(new, batch_shape, self.event_shape)

    def sample(self, sample_shape: Any = ()) -> Any:
        index = self._categorical.sample((self.total_count, *sample_shape))
        order = [*range(1, index.dim()), 0]
        index = index.permute(order)
        counts = index.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add(-1, index, T.ones_like(index)).type_as(self.probs)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        logits = T.where((value == 0) & (logits == -float("inf")), T.zeros_like(logits), logits)
        return T.lgamma(value.sum(-1) + 1) - T.lgamma(value + 1).sum(-1) + (logits * value).sum(-1)


present(globals())
