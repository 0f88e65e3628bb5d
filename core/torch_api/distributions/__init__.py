"""torch.distributions: probability distributions with sample, log_prob, entropy, and divergences between them."""

from __future__ import annotations

from ..naming import module_getattr
from . import constraints, kl, transforms
from .continuous import Beta, Cauchy, Chi2, Exponential, Gamma, Gumbel, Laplace, Normal, Uniform
from .discrete import (
    Bernoulli,
    Categorical,
    Geometric,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    Poisson,
)
from .distribution import Distribution
from .joint import Dirichlet, Independent, MixtureSameFamily, MultivariateNormal
from .kl import kl_divergence, register_kl
from .lognormal import LogNormal
from .transforms import (
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    Transform,
    TransformedDistribution,
    identity_transform,
)

__all__ = ["AffineTransform", "Bernoulli", "Beta", "Categorical", "Cauchy", "Chi2", "ComposeTransform", "Dirichlet",
           "Distribution", "ExpTransform", "Exponential", "Gamma", "Geometric", "Gumbel", "Independent", "Laplace", "LogNormal",
           "MixtureSameFamily", "Multinomial", "MultivariateNormal", "Normal", "OneHotCategorical",
           "OneHotCategoricalStraightThrough", "Poisson", "SigmoidTransform", "SoftplusTransform", "TanhTransform", "Transform",
           "TransformedDistribution", "Uniform", "constraints", "identity_transform", "kl", "kl_divergence", "register_kl",
           "transforms"]
__getattr__ = module_getattr(globals())
