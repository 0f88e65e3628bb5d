"""kl_divergence(p, q) by the classes of both; register_kl adds pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import toplevel as T
from ..naming import present
from .continuous import Exponential, Gamma, Laplace, Normal, Uniform
from .discrete import Bernoulli, Categorical, OneHotCategorical, Poisson
from .distribution import sum_rightmost
from .joint import Independent, MultivariateNormal

_TABLE: dict[tuple[type, type], Callable[[Any, Any], Any]] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Any], Any]:
    """A decorator for a function of (p, q)."""
    def keep(fn: Any) -> Any:
        _TABLE[type_p, type_q] = fn
        return fn

    return keep


def kl_divergence(p: Any, q: Any) -> Any:
    """The integral of p log(p / q). NotImplementedError for a pair that has no formula here."""
    best = None
    for a in type(p).__mro__:
        for b in type(q).__mro__:
            if best is None and (a, b) in _TABLE:
                best = _TABLE[a, b]
    if best is None:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}")
    return best(p, q)


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio, d = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + d / q.scale + ratio * T.exp(-d / p.scale) - 1


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Any:
    t = p.probs * (p.logits - q.logits)
    t = T.where((q.probs == 0).expand(t.shape), T.full_like(t, float("inf")), t)
    return T.where((p.probs == 0).expand(t.shape), T.zeros_like(t), t).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: Any, q: Any) -> Any:
    return _categorical(p._categorical, q._categorical)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    from ..nn.functional import softplus

    first = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    first = T.where(q.probs == 0, T.full_like(first, float("inf")), first)
    first = T.where(p.probs == 0, T.zeros_like(first), first)
    second = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    second = T.where(q.probs == 1, T.full_like(second, float("inf")), second)
    return first + T.where(p.probs == 1, T.zeros_like(second), second)


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return T.where((q.low > p.low) | (q.high < p.high), T.full_like(result, float("inf")), result)


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Any:
    return q.concentration * (p.rate / q.rate).log() + T.lgamma(q.concentration) - T.lgamma(p.concentration) \
        + (p.concentration - q.concentration) * T.digamma(p.concentration) + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate(p: Any, q: Any) -> Any:
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two Multivariate Normals with different event shapes cannot be computed")
    half = T.diagonal(q.scale_tril, 0, -2, -1).log().sum(-1) - T.diagonal(p.scale_tril, 0, -2, -1).log().sum(-1)
    precision = T.inverse(q.covariance_matrix)
    trace = (precision @ p.covariance_matrix).diagonal(0, -2, -1).sum(-1)
    d = (q.loc - p.loc).unsqueeze(-1)
    mahalanobis = (d.mT @ precision @ d).squeeze(-1).squeeze(-1)
    return half + 0.5 * (trace + mahalanobis - p.event_shape[0])


present(globals())
