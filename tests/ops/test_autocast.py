"""autocast: which operators run in the lower precision, nesting, switching off, and compiled calls under it."""

from __future__ import annotations

import pytest
from guardscope.core.torch_api import importing

torch = importing.install()


def test_products_run_in_the_lower_precision_and_the_rest_does_not() -> None:
    x, w = torch.ones(2, 3), torch.ones(3, 3)
    with torch.autocast("cpu"):
        assert (x @ w).dtype is torch.bfloat16
        assert torch.nn.functional.linear(x, w).dtype is torch.bfloat16
        assert (x + w[0]).dtype is torch.float32
        assert torch.softmax(x @ w, -1).dtype is torch.bfloat16
        assert (x.double() @ w.double()).dtype is torch.float64
        assert torch.cat([x @ w, x]).dtype is torch.float32
        assert torch.nn.functional.mse_loss(x @ w, x @ w).dtype is torch.float32
    assert (x @ w).dtype is torch.float32


def test_nesting_and_questions() -> None:
    x = torch.ones(2, 2)
    assert not torch.is_autocast_enabled("cpu")
    with torch.autocast("cpu", dtype=torch.float16):
        assert torch.is_autocast_enabled("cpu") and not torch.is_autocast_enabled()
        assert torch.get_autocast_dtype("cpu") is torch.float16
        with torch.autocast("cpu", enabled=False):
            assert (x @ x).dtype is torch.float32
            assert not torch.is_autocast_cpu_enabled()
        assert (x @ x).dtype is torch.float16
    assert not torch.is_autocast_enabled("cpu")


def test_a_dtype_that_cannot_be_used_warns_and_switches_off() -> None:
    with pytest.warns(UserWarning, match="not supported"), torch.autocast("cpu", dtype=torch.float64):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is torch.float32
    with pytest.warns(UserWarning, match="CUDA is not available"), torch.autocast("cuda"):
        assert not torch.is_autocast_enabled("cuda")


def test_compiled_calls_follow_the_mode() -> None:
    def f(x):
        return (x @ x).relu() + 1

    fast = torch.compile(f)
    x = torch.arange(16.0).reshape(4, 4) / 7
    for mode in (False, True, False, True):
        with torch.autocast("cpu", enabled=mode):
            want, got = f(x), fast(x)
        assert got.dtype is want.dtype is (torch.bfloat16 if mode else torch.float32)
        assert torch.equal(want, got)


def test_autocast_inside_a_compiled_function() -> None:
    @torch.compile(fullgraph=True)
    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ x
        return y, x @ x

    low, high = f(torch.full((3, 3), 1 / 3))
    assert low.dtype is torch.bfloat16 and high.dtype is torch.float32


def test_as_a_decorator() -> None:
    @torch.autocast("cpu")
    def f(x):
        return x @ x

    assert f(torch.ones(2, 2)).dtype is torch.bfloat16
