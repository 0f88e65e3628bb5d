# Random programs (generate.py), compiled and as plain Python, with graph breaks at some gb() of each. A failing seed is
# reproduced with generate.program(seed); what was found that way is kept below as a program of its own.
import ast
import random
import warnings

import generate
import pytest
import residual_support as support
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

OPAQUE = torch._dynamo.disable(support.opaque)
CALLS = [(2, [1.0, -2.0, 3.0]), (2, [1.0, -2.0, 3.0]), (-1, [0.5, -4.0, -3.0]), (2, [1.0, -2.0, 3.0])]
FOUND = {
    # the stored value was equal to the one in the list when captured, and the store was left out
    "store of an equal item": """
def program(x, u):
    a = x + 1
    l = [x, 2, 3]
    u = u * 0.5
    l[opaque_gb(-1)] = a
    return a, l, u
""",
}


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def outcomes(function, namespace):
    return [repr(support.outcome(function, namespace, (x, torch.tensor(u)))) for x, u in CALLS]


def check(text, name):
    namespace = support.build(text, name, {"gb": support.traced, "opaque_gb": OPAQUE, "torch": torch})
    function = namespace["program"]
    wanted = outcomes(function, namespace)
    assert outcomes(torch.compile(function, backend="eager"), namespace) == wanted, text


@pytest.mark.parametrize("seed", range(60))
def test_generated(seed):
    node = ast.parse(generate.program(seed)).body[0]
    assert isinstance(node, ast.FunctionDef)
    count = support.breaks_in(node)
    for k in [*random.Random(seed).sample(range(1, count + 1), min(count, 2)), None]:
        torch._dynamo.reset()
        check(support.text_of(node, k), f"generated_{seed}_{k}")


@pytest.mark.parametrize("name", FOUND)
def test_found(name):
    check(FOUND[name].lstrip(), f"found_{name.replace(' ', '_')}")
