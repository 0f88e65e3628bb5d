"""What an artifact says it relied on: every read is checked, an input, or constant for a reason; there is no fourth kind."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from guardscope.core.artifacts.cache import CodeState
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402
from torch import nn  # noqa: E402

SCALE, TABLE, SPARE = 2.5, {"a": 1}, [1]


class Settings:
    rate = 3

    def __init__(self) -> None:
        self.k = 2

    def apply(self, v: Any) -> Any:
        return v * self.k + self.rate


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def reads_of(function: Any, *args: Any) -> dict[str, str]:
    """Origin -> protection, of the one artifact that a call makes."""
    torch.compile(function, backend="eager")(*args)
    [artifact] = [a for state in CodeState._all.values() for a in state.artifacts]
    return dict(artifact.captured.reads)


def test_every_kind_of_place_is_accounted_for() -> None:
    low = 1

    def f(v: Any, o: Any, n: int = 3) -> Any:
        v = o.apply(v) * SCALE + TABLE["a"] + low
        if len(SPARE) == 1:
            v = v * math.sqrt(4.0)
        return torch.relu(v) + n, SPARE, TABLE

    reads = reads_of(f, torch.ones(2), Settings())
    assert reads["v"] == "input"
    for origin in ("o", "o.k", "Settings.apply", "SCALE", "TABLE", "TABLE['a']", "low", "SPARE", "math.sqrt", "torch.relu", "n",
                   "grad mode, inference mode, default dtype and device, deterministic algorithms, autocast"):
        assert reads[origin] == "checked", (origin, reads)
    assert "unprotected" not in reads.values()


def test_what_is_handed_on_unread_is_fetched_anew() -> None:
    def f(v: Any, o: Any) -> Any:
        return v + 1, o.k

    assert reads_of(f, torch.ones(2), Settings())["o.k"] == "checked"          # that it is there; its value is not built in
    one, two = Settings(), Settings()
    two.k = 9
    run = torch.compile(f, backend="eager")
    assert (run(torch.ones(2), one)[1], run(torch.ones(2), two)[1]) == (2, 9)


def test_parameters_and_symbols_are_inputs() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin = nn.Linear(2, 2)

        def forward(self, v: Any, n: int) -> Any:
            return self.lin(v) * n

    net = Net()
    run = torch.compile(net, backend="eager", dynamic=True)
    run(torch.ones(3, 2), 7)
    [artifact] = [a for state in CodeState._all.values() for a in state.artifacts]
    reads = dict(artifact.captured.reads)
    assert [reads[o] for o in ("v", "n", "self.lin.weight", "self.lin.bias")] == ["input"] * 4
    assert reads["self.lin"] == "checked"


def test_a_read_without_protection_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test double of the evaluator that forgets a guard: the list of reads says so."""
    from guardscope.core.capture.evaluator import Evaluator

    right = Evaluator.guard

    def forgetful(self: Any, kind: str, origin: Any, *rest: Any) -> None:
        if origin is None or origin.text != "SCALE":
            right(self, kind, origin, *rest)

    monkeypatch.setattr(Evaluator, "guard", forgetful)

    def f(v: Any) -> Any:
        return v * SCALE

    assert reads_of(f, torch.ones(2))["SCALE"] == "unprotected"
