"""Tensors on the meta device have no elements, also where a kernel of the same graph computed others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import guardscope.core.torch_api as torch
import pytest


@pytest.mark.parametrize("leave", [lambda t: t.tolist(), lambda t: t.numpy(), lambda t: t.sum().item(), lambda t: t.cpu()],
                         ids=["tolist", "numpy", "item", "cpu"])
def test_no_elements_leave(leave: Callable[[Any], Any]) -> None:
    def made(x: Any) -> Any:
        return torch.ones(2, device="meta") * 2, x + 1

    def left(x: Any) -> Any:
        return leave(torch.ones(2, device="meta") * 2), x + 1

    x = torch.ones(3)
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        leave(made(x)[0])
    for f in (made, left):
        compiled = torch.compile(f)
        for _ in range(2):
            with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
                value, _ = compiled(x)
                leave(value)
