"""Numbers that a dtype cannot hold: which operators refuse them, in words and limits that PyTorch 2.13 showed (written down
here), and that a compiled function decides it anew for every number."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest
from guardscope.core.torch_api.importing import install
from guardscope.tests.ops.support import F, torch

install()

REFUSED = "value cannot be converted to type {} without overflow"
CHECKED: dict[str, Callable[[Any, Any], Any]] = {
    "masked_fill": lambda x, n: x.masked_fill(x > -9, n),
    "clamp": lambda x, n: x.clamp(min=n),
    "index_fill": lambda x, n: x.index_fill(0, torch.tensor([0]), n),
    "scatter": lambda x, n: x.scatter(0, torch.tensor([0]), n),
    "threshold": lambda x, n: F.threshold(x, 2, n),
    "pad": lambda x, n: F.pad(x, (1, 0), value=n),
}
STORED: dict[str, Callable[[Any, Any], Any]] = {
    "full": lambda x, n: torch.full((2,), n, dtype=x.dtype),
    "full_like": lambda x, n: torch.full_like(x, n),
    "new_full": lambda x, n: x.new_full((2,), n),
    "fill_": lambda x, n: x.clone().fill_(n),
    "scalar_tensor": lambda x, n: torch.scalar_tensor(n, dtype=x.dtype),
    "setitem": lambda x, n: put(x.clone(), 0, n),
    "setitem by mask": lambda x, n: put(x.clone(), x > -9, n),
    "where": lambda x, n: torch.where(x > -9, n, x),
}


def put(x: Any, index: Any, value: Any) -> Any:
    x[index] = value
    return x


@pytest.mark.parametrize("n, kind, name", [
    (300, "int8", "int8_t"), (-129, "int8", "int8_t"), (127.9, "int8", "int8_t"), (float("nan"), "int16", "int16_t"),
    (256, "uint8", "uint8_t"), (-256, "uint8", "uint8_t"), (-0.5, "uint8", "uint8_t"), (float("inf"), "int64", "int64_t"),
    (2**64 - 1, "int64", "int64_t"), (3.5e38, "float32", "float")])
def test_what_does_not_fit_is_refused(n: float, kind: str, name: str) -> None:
    x = torch.ones(2, dtype=getattr(torch, kind))
    for what, make in {**CHECKED, **STORED}.items():
        if what in ("clamp", "where") and isinstance(n, float) and kind != "float32":
            continue                                       # their result is floating then
        with pytest.raises(RuntimeError) as told:
            make(x, n)
        assert str(told.value) == REFUSED.format(name), what


@pytest.mark.parametrize("what", CHECKED)
def test_a_half_refuses_what_it_cannot_hold(what: str) -> None:
    x = torch.ones(2, dtype=torch.float16)
    with pytest.raises(RuntimeError, match=REFUSED.format("c10::Half")):
        CHECKED[what](x, -1e9)
    CHECKED[what](x, -65504.0)
    CHECKED[what](x, float("-inf"))


@pytest.mark.parametrize("what", STORED)
def test_a_half_stores_what_it_cannot_hold_as_infinite(what: str) -> None:
    assert STORED[what](torch.ones(2, dtype=torch.float16), -1e9).reshape(-1)[0] == float("-inf")


def test_limits() -> None:
    assert torch.full((1,), -255, dtype=torch.uint8).item() == 1               # as C converts it
    assert torch.full((1,), 255, dtype=torch.uint8).item() == 255
    assert torch.ones(1, dtype=torch.int8).masked_fill(torch.tensor([True]), -128).item() == -128
    assert (torch.ones(1, dtype=torch.int8) + 300).item() == 45                # arithmetic wraps
    assert torch.full((1,), 300, dtype=torch.bool).item() is True
    for n, words in ((2**64, "int too big to convert"), (-2**63 - 1, "can't convert negative int to unsigned")):
        with pytest.raises(OverflowError, match=words):
            torch.full((1,), n, dtype=torch.float64)
    with pytest.raises(RuntimeError, match=REFUSED.format("int8_t")):
        torch.add(torch.ones(1, dtype=torch.int8), torch.ones(1, dtype=torch.int8), alpha=128)


@pytest.mark.parametrize("backend", ["eager", "opencl"])
@pytest.mark.parametrize("what", [*CHECKED, *STORED, "pow"])
def test_a_compiled_function_decides_it_for_every_number(what: str, backend: str) -> None:
    make = {**CHECKED, **STORED, "pow": lambda x, n: x ** n}[what]
    x = torch.ones(2, dtype=torch.int8) * 3
    compiled = importlib.import_module("torch").compile(lambda n: make(x, n), dynamic=True, backend=backend)
    for n in (5, 7, 300, 11, -3, -129, 2**65, 2, 0):
        outcomes = []
        for run in (compiled, lambda n: make(x, n)):
            try:
                outcomes.append(run(n).tolist())
            except (RuntimeError, OverflowError) as refused:
                outcomes.append(str(refused))
        assert outcomes[0] == outcomes[1], n
