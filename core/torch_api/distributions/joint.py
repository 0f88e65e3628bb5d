"""Distributions of several variables: Independent, MultivariateNormal, Dirichlet, MixtureSameFamily."""

from __future__ import annotations

import math
from typing import Any

from ...tensor.meta import Size
from .. import toplevel as T
from ..linalg import cholesky, solve_triangular
from ..naming import present
from . import constraints
from .continuous import _standard_gamma
from .discrete import Categorical
from .distribution import Distribution, lazy_property, sum_rightmost


class Independent(Distribution):
    """Another distribution whose last batch dimensions count as one event: log_prob sums over them."""

    arg_constraints: dict[str, Any] = {}

    def __init__(self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None) -> None:
        batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                             f"{reinterpreted_batch_ndims} vs {len(batch)}")
        shape = (*batch, *base_distribution.event_shape)
        event = reinterpreted_batch_ndims + len(base_distribution.event_shape)
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(Size(shape[:len(shape) - event]), Size(shape[len(shape) - event:]), validate_args=validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    @property
    def support(self) -> Any:
        found = self.base_dist.support
        return constraints.independent(found, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims else found

    @property
    def mean(self) -> Any:
        return self.base_dist.mean

    @property
    def mode(self) -> Any:
        return self.base_dist.mode

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Independent, _instance)
        batch = (*batch_shape, *self.event_shape[:self.reinterpreted_batch_ndims])
        new.base_dist = self.base_dist.expand(batch)
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        return self._expanded(new, batch_shape, self.event_shape)

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class MultivariateNormal(Distribution):
    """Mean `loc` [..., n] and a covariance, a precision, or a lower triangular root of the covariance [..., n, n]."""

    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
                 validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        if sum(m is not None for m in (covariance_matrix, precision_matrix, scale_tril)) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        if scale_tril is not None:
            root = scale_tril
        elif covariance_matrix is not None:
            root = cholesky(covariance_matrix)
        else:
            root = cholesky(T.inverse(precision_matrix))
        batch = T.broadcast_shapes(tuple(root.shape[:-2]), tuple(loc.shape[:-1]))
        n = loc.shape[-1]
        self.loc = loc.expand((*batch, n))
        self._unbroadcasted_scale_tril = root
        for name, given in (("covariance_matrix", covariance_matrix), ("precision_matrix", precision_matrix),
                            ("scale_tril", scale_tril)):
            if given is not None:
                setattr(self, name, given.expand((*batch, n, n)))
        super().__init__(Size(batch), Size((n,)), validate_args=validate_args)

    @lazy_property
    def scale_tril(self) -> Any:
        n = self._event_shape[0]
        return self._unbroadcasted_scale_tril.expand((*self._batch_shape, n, n))

    @lazy_property
    def covariance_matrix(self) -> Any:
        return self.scale_tril @ self.scale_tril.mT

    @lazy_property
    def precision_matrix(self) -> Any:
        return T.inverse(self.covariance_matrix)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(MultivariateNormal, _instance)
        n = self._event_shape[0]
        new.loc = self.loc.expand((*batch_shape, n))
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        for name in ("covariance_matrix", "precision_matrix", "scale_tril"):
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand((*batch_shape, n, n)))
        return self._expanded(new, batch_shape, self.event_shape)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return self.scale_tril.pow(2).sum(-1)

    def rsample(self, sample_shape: Any = ()) -> Any:
        eps = T.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).normal_()
        return self.loc + (self._unbroadcasted_scale_tril @ eps.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        d = (value - self.loc).unsqueeze(-1)
        root = self.scale_tril
        lead = T.broadcast_shapes(tuple(d.shape[:-2]), tuple(root.shape[:-2]))
        n = self._event_shape[0]
        scaled = solve_triangular(root.expand((*lead, n, n)), d.expand((*lead, n, 1)), upper=False)
        half = T.diagonal(root, 0, -2, -1).log().sum(-1)
        return -0.5 * (n * math.log(2 * math.pi) + scaled.squeeze(-1).pow(2).sum(-1)) - half

    def entropy(self) -> Any:
        half = T.diagonal(self.scale_tril, 0, -2, -1).log().sum(-1)
        return 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half


class Dirichlet(Distribution):
    """Points of the simplex. Draws are not PyTorch's sequence of numbers."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def variance(self) -> Any:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = _standard_gamma(self.concentration.expand(self._extended_shape(sample_shape)))
        return drawn / drawn.sum(-1, True)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        a = self.concentration
        return T.xlogy(a - 1.0, value).sum(-1) + T.lgamma(a.sum(-1)) - T.lgamma(a).sum(-1)


class MixtureSameFamily(Distribution):
    """A Categorical over the last batch dimension of the components."""

    arg_constraints: dict[str, Any] = {}

    def __init__(self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        batch = component_distribution.batch_shape[:-1]
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        count = self._component_distribution.batch_shape[-1]
        new._component_distribution = self._component_distribution.expand((*batch_shape, count))
        return self._expanded(new, batch_shape, self.event_shape)

    def cdf(self, value: Any) -> Any:
        inner = self._component_distribution.cdf(value.unsqueeze(-1 - len(self._event_shape)))
        return (inner * self._mixture_distribution.probs).sum(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"

    @property
    def mixture_distribution(self) -> Any:
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        return self._component_distribution

    def _probs(self) -> Any:
        p = self._mixture_distribution.probs
        return p.reshape(*p.shape, *[1] * len(self._event_shape))

    @property
    def mean(self) -> Any:
        return (self._probs() * self._component_distribution.mean).sum(-1 - len(self._event_shape))

    @property
    def variance(self) -> Any:
        at = -1 - len(self._event_shape)
        inner = (self._probs() * self._component_distribution.variance).sum(at)
        spread = self._component_distribution.mean - self.mean.unsqueeze(at)
        return inner + (self._probs() * spread.pow(2)).sum(at)

    def sample(self, sample_shape: Any = ()) -> Any:
        with T.no_grad():
            lead, events = len(sample_shape) + len(self._batch_shape), len(self._event_shape)
            chosen = self._mixture_distribution.sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            index = chosen.reshape(*chosen.shape, *[1] * (events + 1))
            index = index.expand(*chosen.shape, 1, *self._event_shape)
            return drawn.gather(lead, index).squeeze(lead)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        inner = self._component_distribution.log_prob(value.unsqueeze(-1 - len(self._event_shape)))
        return T.logsumexp(inner + T.log_softmax(self._mixture_distribution.logits, -1), -1)


present(globals())
