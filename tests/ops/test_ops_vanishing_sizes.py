"""Sizes computed from a symbolic number, which may become 0, 1 or negative: what an operator decides by them (an error, a
special case, a stride) is decided anew. Compiled calls against plain ones, whichever number comes first."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from guardscope.core.torch_api.importing import install

install()
torch = importlib.import_module("torch")
F = torch.nn.functional
NUMBERS = (6, 8, 3, 4, 5, 2, 9, 10, 1, 0, 12)
PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "chunk": lambda x, n: torch.zeros(n - 3, 2).chunk(2),
    "sum": lambda x, n: torch.zeros(n - 3, 2).sum(0),
    "amax": lambda x, n: torch.zeros(n - 3, 2).amax(0),
    "mean": lambda x, n: torch.zeros(n - 3).mean(),
    "max": lambda x, n: torch.zeros(n - 3).max(),
    "min along": lambda x, n: torch.zeros(2, n - 3).min(1),
    "argmax": lambda x, n: x[:n - 3].argmax(),
    "std": lambda x, n: x[:n - 3].std(),
    "median": lambda x, n: x[:n - 3].median(),
    "mode": lambda x, n: x[:n - 3].mode(),
    "kthvalue": lambda x, n: x[:n - 3].kthvalue(1),
    "quantile": lambda x, n: x[:n - 3].quantile(0.5),
    "prod": lambda x, n: x[:n - 3].prod(),
    "norm": lambda x, n: x[:n - 3].norm(),
    "any": lambda x, n: (x[:n - 3] > 0).any(),
    "softmax": lambda x, n: (x[:n - 3] * 0).softmax(0),
    "cumsum": lambda x, n: x[:n - 3].cumsum(0),
    "sort": lambda x, n: x[:n - 3].sort(),
    "topk": lambda x, n: x.topk(n - 3),
    "strides": lambda x, n: torch.zeros(2, n - 3, 4).stride(),
    "strides turned": lambda x, n: (torch.zeros(2, n - 3, 4).transpose(0, 1) + 1).stride(),
    "reshape": lambda x, n: torch.zeros(n - 3, 4).reshape(4, -1),
    "reshape to": lambda x, n: torch.zeros(2, n - 3).reshape(n - 3, -1),
    "squeeze": lambda x, n: torch.zeros(n - 3, 4).squeeze(0),
    "unflatten": lambda x, n: torch.zeros(2 * (n - 3)).unflatten(0, (2, -1)),
    "cat": lambda x, n: torch.cat([torch.zeros(n - 3), x]),
    "broadcast": lambda x, n: torch.zeros(n - 3, 4) + torch.ones(1, 4),
    "broadcast to x": lambda x, n: torch.zeros(n - 3) + x,
    "slice first": lambda x, n: x[n - 3:][0],
    "slice amax": lambda x, n: x[n - 3:].amax(0),
    "slices": lambda x, n: x[:n - 3] * x[1:n - 2],
    "matmul": lambda x, n: torch.zeros(2, n - 3) @ torch.zeros(n - 3, 2),
    "bmm": lambda x, n: torch.bmm(torch.zeros(n - 3, 2, 2), torch.zeros(n - 3, 2, 2)),
    "layer_norm": lambda x, n: F.layer_norm(torch.zeros(2, n - 3), (n - 3,)),
    "group_norm": lambda x, n: F.group_norm(torch.zeros(2, 4, n - 3), 2),
    "conv1d": lambda x, n: F.conv1d(torch.zeros(1, 1, n), torch.ones(1, 1, 3)),
    "max_pool1d": lambda x, n: F.max_pool1d(torch.zeros(1, 1, n), 3),
    "interpolate": lambda x, n: F.interpolate(torch.ones(1, 1, 4), size=n - 3),
    "unfold": lambda x, n: torch.zeros(n).unfold(0, 3, 1),
    "pad": lambda x, n: F.pad(x, (-(n - 3), 0)),
    "split": lambda x, n: x.split(n - 3),
    "repeat": lambda x, n: x.repeat(n - 3),
    "repeat_interleave": lambda x, n: x.repeat_interleave(n - 3),
    "roll": lambda x, n: x[:n - 3].roll(1),
    "diff": lambda x, n: x[:n - 3].diff(),
    "by index": lambda x, n: x[torch.arange(n - 3)],
    "one_hot": lambda x, n: F.one_hot(torch.zeros(n - 3, dtype=torch.long), 3),
    "one_hot of": lambda x, n: F.one_hot(torch.zeros(0, dtype=torch.long), n - 3),
    "diagonal": lambda x, n: torch.zeros(n - 3, 4).diagonal(),
    "attention": lambda x, n: F.scaled_dot_product_attention(*[torch.zeros(1, 1, n - 3, 4)] * 3),
    "unbind": lambda x, n: x[:n - 3].unbind(),
    "items": lambda x, n: len(list(x[:n - 3])),
    "truth": lambda x, n: 1 if x[:n - 3].numel() else 0,
}


def said(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return str(value.dtype), tuple(value.shape), value.stride(), value.tolist()
    return tuple(map(said, value)) if isinstance(value, tuple | list) else value


def outcome(function: Callable[..., Any], *args: Any) -> str:
    try:
        return repr(said(function(*args)))
    except (RuntimeError, IndexError, ValueError) as refused:
        return f"{type(refused).__name__}: {refused}"


@pytest.mark.parametrize("backend", ["eager", "opencl"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_depends_on_a_size_is_decided_for_every_size(name: str, backend: str) -> None:
    program, x = PROGRAMS[name], torch.arange(6.0)
    torch._dynamo.reset()
    compiled = torch.compile(program, dynamic=True, backend=backend, recompile_limit=32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in NUMBERS:
            assert outcome(compiled, x, n) == outcome(program, x, n), n
