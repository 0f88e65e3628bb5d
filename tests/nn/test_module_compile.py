"""module.compile(): the class's forward is compiled, with hooks around it and a recompile limit for each class."""

from __future__ import annotations

import copy
from typing import Any

import guardscope.core.torch_api as torch
from guardscope.core.torch_api import nn


class One(nn.Module):
    def forward(self, x: Any) -> Any:
        return torch.relu(x) + 1


class Two(nn.Module):
    def forward(self, x: Any) -> Any:
        return torch.relu(x) + 2


class Kept(nn.Module):
    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = k

    def forward(self, x: Any) -> Any:
        return x + self.k


class OwnCall(nn.Module):
    def __call__(self, x: Any) -> Any:
        return x * 7


def compiled(module: nn.Module) -> nn.Module:
    module.compile(backend="eager")
    return module


X = torch.ones(2)


def test_instances_share_and_classes_do_not(recwarn: Any) -> None:
    torch._dynamo.reset()
    counters = torch._dynamo.utils.counters
    counters.clear()
    for module, wanted in [(One(), 2.0), (Two(), 3.0), (One(), 2.0), (Two(), 3.0)]:
        assert compiled(module)(X).tolist() == [wanted] * 2
    assert counters["stats"]["unique_graphs"] == 2
    for k in range(10):                                  # reaches its class's limit, not that of the others
        assert compiled(Kept(k))(X).tolist() == [1.0 + k] * 2
    assert "Kept.forward" in str(recwarn.pop().message)
    again = counters["stats"]["unique_graphs"]
    torch.relu(compiled(One())(torch.ones(2, dtype=torch.float64)))
    assert counters["stats"]["unique_graphs"] == again + 1


def test_hooks_run_around_it() -> None:
    module = compiled(One())
    handle = module.register_forward_hook(lambda m, args, out: out * 10)
    assert module(X).tolist() == [20.0, 20.0]
    handle.remove()
    assert module(X).tolist() == [2.0, 2.0]


def test_what_it_is_seen_as() -> None:
    module = compiled(One())
    assert list(module.children()) == [] and len(list(module.modules())) == 1 and module.state_dict() == {}
    copied = copy.deepcopy(module)
    assert copied._compiled_call_impl is None and copied(X).tolist() == [2.0, 2.0]
    both = nn.Sequential(One(), Two())
    for layer in both:
        compiled(layer)
    assert both(X).tolist() == torch.compile(both, backend="eager")(X).tolist() == [4.0, 4.0]


def test_replaced_and_own_calls() -> None:
    module = compiled(One())
    module(X)
    module.forward = lambda x: x * 9
    assert module(X).tolist() == [9.0, 9.0]
    assert compiled(OwnCall())(X).tolist() == [7.0, 7.0]
    plain = One()
    plain.compile(disable=True)
    assert plain(X).tolist() == [2.0, 2.0]
