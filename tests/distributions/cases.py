"""Every distribution: how it prints, its shapes, draws under a seed, densities and moments, as PyTorch gives them.

`PYTHON_WITH_TORCH tests/distributions/cases.py` records them in facts.json beside this file; the tests compare with that.
"""

import json
from pathlib import Path

FACTS = Path(__file__).with_name("facts.json")
CASES = {
    "normal": "D.Normal(torch.randn(3), torch.rand(3) + 0.1)",
    "categorical": "D.Categorical(logits=torch.randn(2, 4))",
    "categorical probs": "D.Categorical(torch.rand(3))",
    "bernoulli": "D.Bernoulli(logits=torch.randn(3))",
    "uniform": "D.Uniform(torch.zeros(2), torch.ones(2) * 3)",
    "laplace": "D.Laplace(0.5, torch.ones(3))",
    "gumbel": "D.Gumbel(torch.zeros(3), 1.0)",
    "exponential": "D.Exponential(torch.rand(3) + 0.5)",
    "cauchy": "D.Cauchy(0.0, torch.ones(2))",
    "independent": "D.Independent(D.Normal(torch.randn(2, 3), torch.ones(2, 3)), 1)",
    "one hot": "D.OneHotCategorical(logits=torch.randn(2, 3))",
    "multivariate": "D.MultivariateNormal(torch.randn(3), torch.eye(3) * 2 + 0.1)",
    "multivariate root": "D.MultivariateNormal(torch.randn(2, 3), scale_tril=torch.eye(3))",
    "poisson": "D.Poisson(torch.rand(3) * 4)",
    "geometric": "D.Geometric(torch.rand(3))",
    "log normal": "D.LogNormal(torch.zeros(2), torch.ones(2))",
    "transformed": "D.TransformedDistribution(D.Normal(torch.zeros(2), 1.0), [D.AffineTransform(1.0, 2.0), "
                   "D.TanhTransform(cache_size=1)])",
    "mixture": "D.MixtureSameFamily(D.Categorical(torch.rand(3)), D.Normal(torch.randn(3), torch.rand(3) + 0.2))",
    "multinomial": "D.Multinomial(5, torch.rand(4))",
}
DENSITIES = {          # draws are not PyTorch's, densities are
    "beta": "D.Beta(torch.rand(3) + 1, torch.rand(3) + 1)",
    "gamma": "D.Gamma(torch.rand(3) + 1, torch.rand(3) + 1)",
    "chi2": "D.Chi2(torch.rand(3) + 1)",
    "dirichlet": "D.Dirichlet(torch.rand(3) + 1)",
}
DIVERGENCES = {
    "normal": "D.Normal(0.0, 1.0)", "categorical": "D.Categorical(logits=torch.zeros(2, 4))",
    "bernoulli": "D.Bernoulli(torch.full((3,), 0.3))", "exponential": "D.Exponential(1.0)",
    "independent": "D.Independent(D.Normal(torch.zeros(2, 3), 1.0), 1)", "uniform": "D.Uniform(-1.0, 4.0)",
    "multivariate": "D.MultivariateNormal(torch.zeros(3), torch.eye(3))", "laplace": "D.Laplace(0.0, 2.0)",
    "poisson": "D.Poisson(2.0)", "one hot": "D.OneHotCategorical(logits=torch.zeros(2, 3))",
}
ERRORS = ["D.Normal(torch.zeros(2), -torch.ones(2))", "D.Categorical(torch.tensor([-1.0, 2.0]))", "D.Categorical()",
          "D.Bernoulli(torch.ones(3)).log_prob(torch.full((3,), 2.0))", "D.Uniform(torch.ones(2), torch.zeros(2))",
          "D.Categorical(torch.ones(2, 4)).log_prob(torch.tensor([0, 9]))",
          "D.Normal(torch.zeros(2), 1.0).log_prob(torch.ones(3))"]


def outcome(name, torch):
    D = torch.distributions
    torch.manual_seed(5)
    found = {}
    if name in DENSITIES:
        d = eval(DENSITIES[name])
        value = torch.tensor([0.2, 0.3, 0.5])
        found.update(log_prob=d.log_prob(value), mean=d.mean, variance=d.variance, drawn=list(d.sample((4,)).shape))
    elif name in CASES:
        d = eval(CASES[name])
        drawn = d.sample((2,))
        found.update(prints=repr(d), shapes=[list(d.batch_shape), list(d.event_shape)], drawn=drawn,
                     log_prob=d.log_prob(drawn), again=d.sample())
        if d.has_rsample:
            found["rsample"] = d.rsample((3,))
        for optional, ask in {"entropy": d.entropy, "cdf": lambda: d.cdf(drawn), "mean": lambda: d.mean,
                              "variance": lambda: d.variance}.items():
            try:
                found[optional] = ask()
            except (NotImplementedError, ValueError):
                pass
        wider = d.expand((2, *d.batch_shape))
        found["expanded"] = list(wider.log_prob(wider.sample()).shape)
        if name in DIVERGENCES:
            found["kl"] = D.kl_divergence(d, eval(DIVERGENCES[name]))
    else:
        try:
            eval(name)
        except Exception as problem:
            found["error"] = [type(problem).__name__, str(problem)]
    return {k: v.tolist() if isinstance(v, torch.Tensor) else v for k, v in found.items()}


if __name__ == "__main__":
    import torch

    assert hasattr(torch, "_C"), "run this with a Python that has PyTorch"
    FACTS.write_text(json.dumps({n: outcome(n, torch) for n in [*CASES, *DENSITIES, *ERRORS]}, indent=0), encoding="utf-8")
