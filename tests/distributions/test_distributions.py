# torch.distributions against recorded PyTorch, and inside compiled code.
import json

import guardscope.core.torch_api as torch
import numpy as np
import pytest

from .cases import CASES, DENSITIES, ERRORS, FACTS, outcome

EXPECTED = json.loads(FACTS.read_text(encoding="utf-8"))
LEFT_OUT = {("mixture", "prints"), ("multinomial", "entropy")}       # says which parameters were asked for; not there


def compare(found, expected, where):
    if isinstance(expected, list):
        assert len(found) == len(expected), where
        for a, b in zip(found, expected):
            compare(a, b, where)
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-5, err_msg=where)


@pytest.mark.parametrize("name", [*CASES, *DENSITIES, *ERRORS])
def test_as_recorded(name):
    found = outcome(name, torch)
    for what, expected in EXPECTED[name].items():
        if (name, what) in LEFT_OUT:
            continue
        if isinstance(expected, str) or what == "error":
            assert found[what] == expected
        else:
            compare(found[what], expected, f"{name}: {what}")


@pytest.mark.parametrize("text", DENSITIES.values())
def test_draws_have_the_moments_of_the_distribution(text):
    torch.manual_seed(0)
    scope = {"D": torch.distributions, "torch": torch}
    d = eval(text, scope)
    drawn = d.sample((20000,)).numpy()
    np.testing.assert_allclose(drawn.mean(0), d.mean.numpy(), rtol=0.05)
    np.testing.assert_allclose(drawn.var(0), d.variance.numpy(), rtol=0.1)


def policy(logits, action=None):
    d = torch.distributions.Categorical(logits=logits)
    action = d.sample() if action is None else action
    return action, d.log_prob(action), d.entropy()


def reparametrised(mean, log_std):
    d = torch.distributions.Independent(torch.distributions.Normal(mean, log_std.exp()), 1)
    z = d.rsample()
    prior = torch.distributions.Independent(torch.distributions.Normal(torch.zeros_like(mean), 1.0), 1)
    return z, d.log_prob(z), torch.distributions.kl_divergence(d, prior)


@pytest.mark.parametrize("fn", [policy, reparametrised])
def test_in_compiled_code(fn):
    from ..models.compare import arrays, assert_equal

    compiled = torch.compile(fn, backend="eager")
    for n in (3, 4, 5):
        args = (torch.randn(n, 4),) if fn is policy else (torch.randn(n, 4), torch.randn(n, 4))
        torch.manual_seed(n)
        expected = arrays(fn(*args))
        torch.manual_seed(n)
        assert_equal(arrays(compiled(*args)), expected, fn.__name__)
