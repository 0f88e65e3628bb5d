"""Run a model compiled and plain over the same calls; count the graphs that each call compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import guardscope.core.torch_api as torch
import numpy as np


class Counting:
    """A backend that runs graphs as they are and counts what it was given."""

    def __init__(self) -> None:
        self.graphs: list[Any] = []

    def __call__(self, module: Any, inputs: Any) -> Any:
        self.graphs.append(module)
        return module.forward


def tensors(value: Any) -> list[Any]:
    """All tensors in a structure, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for v in value.values() for t in tensors(v)]
    if isinstance(value, tuple | list):
        return [t for v in value for t in tensors(v)]
    return []


def arrays(value: Any) -> list[np.ndarray]:
    return [t.detach().numpy().copy() for t in tensors(value)]


def assert_equal(found: list[np.ndarray], expected: list[np.ndarray], where: str) -> None:
    assert [a.shape for a in found] == [a.shape for a in expected], where
    for a, b in zip(found, expected):
        assert a.dtype == b.dtype, where
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6, err_msg=where)


def run(make: Callable[[], Any], script: Callable[[Any, Any], Iterable[Any]], dynamic: bool | None = None) -> list[int]:
    """Graphs compiled per call. `make()` builds the callable (seeded here); `script(f, owner)` yields the result of each call
    of f; owner is the object that was built, for scripts that change it between calls. Plain and compiled runs must agree."""
    torch._dynamo.reset()

    def outcome(wrap: Callable[[Any], Any]) -> Iterable[Any]:
        torch.manual_seed(0)
        owner = make()
        torch.manual_seed(1)
        with torch.no_grad():
            yield from script(wrap(owner), owner)

    plain = [arrays(r) for r in outcome(lambda target: target)]
    counting = Counting()
    counts, before = [], 0
    for i, result in enumerate(outcome(lambda target: torch.compile(target, backend=counting, dynamic=dynamic))):
        assert_equal(arrays(result), plain[i], f"call {i}")
        counts.append(len(counting.graphs) - before)
        before = len(counting.graphs)
    assert len(counts) == len(plain)
    return counts
