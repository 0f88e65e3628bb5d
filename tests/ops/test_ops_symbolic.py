"""Shape rules on symbolic sizes: the sizes they state, and that they record only the guards that matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from guardscope.core.graph.fake import NeedsData, Tracer, fake
from guardscope.core.graph.node import Graph
from guardscope.core.guards.origin import ArgOrigin
from guardscope.core.symbolic.shape_env import ShapeEnv
from guardscope.core.tensor import dtypes as dt
from guardscope.core.tensor.meta import Spec
from guardscope.tests.ops.support import F, torch


def trace(fn: Callable[..., Any], *shapes: tuple[int, ...]) -> tuple[list[str], list[str], Graph]:
    """(results as "s0,3/3,1", recorded relations beside `s >= 2`, graph); sizes above 4 are symbols s0, s1, ..."""
    env = ShapeEnv(duck=False)
    graph = Graph("test")
    tracer = Tracer(graph)
    inputs = []
    for k, shape in enumerate(shapes):
        dims = [env.new_symbol(ArgOrigin(f"x{k}_{d}"), n) if n > 4 else n for d, n in enumerate(shape)]
        spec = Spec(dt.float32, dims)
        inputs.append(fake(graph.add("input", f"x{k}", spec=spec), spec))
    with tracer:
        out = fn(*inputs)
    results = [f"{','.join(map(str, o.shape))}/{','.join(map(str, o.stride()))}"
               for o in (out if isinstance(out, tuple | list) else [out])]
    return results, [str(g.relation) for g in env.guards() if not str(g.relation).endswith(">= 2")], graph


CASES: list[tuple[str, Callable[..., Any], list[tuple[int, ...]], list[str], list[str]]] = [
    ("add a number", lambda x: x + 1, [(10, 16)], ["s0,s1/s1,1"], []),
    ("add", lambda x, y: x + y, [(10, 16), (16,)], ["s0,s1/s1,1"], ["s1 == s2"]),
    ("broadcast 1", lambda x, y: x * y, [(10, 16), (10, 1)], ["s0,s1/s1,1"], ["s0 == s2"]),
    ("transposed", lambda x: x.t() + 1, [(10, 16)], ["s1,s0/1,s1"], []),
    ("sum", lambda x: x.sum(1), [(10, 16)], ["s0/1"], []),
    ("softmax", lambda x: torch.softmax(x, -1), [(10, 16)], ["s0,s1/s1,1"], []),
    ("view", lambda x: x.view(-1, 4), [(10, 4)], ["s0,4/4,1"], []),
    ("view with -1", lambda x: x.view(-1, 4), [(10, 16)], ["s0*s1//4,4/4,1"], ["s0*s1 % 4 == 0"]),
    ("flatten", lambda x: x.flatten(), [(10, 16)], ["s0*s1/1"], []),
    ("reshape copies", lambda x: x.t().reshape(-1), [(10, 16)], ["s0*s1/1"], []),
    ("heads", lambda x: x.view(x.shape[0], x.shape[1], 2, 2).transpose(1, 2), [(10, 16, 4)], ["s0,2,s1,2/4*s1,2,4,1"], []),
    ("matmul", lambda x, y: x @ y, [(10, 16), (16, 3)], ["s0,3/3,1"], ["s1 == s2"]),
    ("linear", lambda x, w: F.linear(x, w), [(10, 4), (3, 4)], ["s0,3/3,1"], []),
    ("cat", lambda x, y: torch.cat([x, y]), [(10, 3), (8, 3)], ["s0 + s1,3/3,1"], []),
    ("slice", lambda x: x[:3], [(10, 2)], ["3,2/2,1"], ["s0 >= 3"]),
    ("negative slice", lambda x: x[1:-1], [(10, 2)], ["s0 - 2,2/2,1"], []),
    ("select", lambda x: x[0] + x[-1], [(10, 16)], ["s1/1"], []),
    ("split", lambda x: x.split(2, -1), [(10, 4)], ["s0,2/4,1", "s0,2/4,1"], []),
    ("squeeze", lambda x: x.squeeze(), [(10, 1, 16)], ["s0,s1/s1,1"], []),
    ("expand", lambda x: x[:, None].expand(-1, 3), [(10,)], ["s0,3/1,0"], []),
    ("repeat", lambda x: x.repeat(2, 1), [(10, 3)], ["2*s0,3/3,1"], []),
    ("arange", lambda x: torch.arange(x.shape[0]), [(10,)], ["s0/1"], []),
    ("tril", lambda x: torch.tril(torch.ones(x.shape[0], x.shape[0])), [(10,)], ["s0,s0/s0,1"], []),
    ("layer_norm", lambda x: F.layer_norm(x, (4,)), [(10, 4)], ["s0,4/4,1"], []),
    ("conv", lambda x, w: F.conv2d(x, w, padding=1), [(1, 1, 8, 8), (4, 1, 3, 3)], ["1,4,s0,s1/4*s0*s1,s0*s1,s1,1"], []),
    ("pool", lambda x: F.max_pool2d(x, 2), [(1, 4, 8, 3)], ["1,4,s0//2,1/4*(s0//2),s0//2,1,1"], []),
    ("attention", lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True), [(2, 2, 9, 4)],
     ["2,2,s0,4/8*s0,4*s0,4,1"], []),
    ("max", lambda x: x.max(1), [(10, 16)], ["s0/1", "s0/1"], []),
    ("in place", lambda x: x.add_(1), [(10, 4)], ["s0,4/4,1"], []),
    ("permuted pair", lambda x: x.permute(2, 0, 1) + x.permute(2, 0, 1), [(10, 4, 16)], ["s1,s0,4/1,4*s1,s1"], []),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_shape_rules(case: tuple) -> None:
    _, fn, shapes, results, guards = case
    assert trace(fn, *shapes)[:2] == (results, guards)


@pytest.mark.parametrize("what", ["item", "tolist", "numpy", "nonzero", "__bool__", "__int__", "__float__"])
def test_elements_of_a_fake_tensor_are_not_there(what: str) -> None:
    with pytest.raises(NeedsData):
        trace(lambda x: getattr(x.sum(), what)(), (10,))


def test_a_mask_needs_data_but_filling_under_it_does_not() -> None:
    with pytest.raises(NeedsData):
        trace(lambda x: x[x > 0], (10,))

    def fill(x: Any) -> Any:
        x[x > 0] = 0.0
        return x

    _, _, graph = trace(fill, (10,))
    assert [n.op.name for n in graph.operations] == ["gt", "masked_fill_"]


def test_nodes_of_overloads_are_plain_operators() -> None:
    _, _, graph = trace(lambda x: torch.max(x.clamp(min=0), 1).values.view(-1)[1:], (10, 16))
    assert [n.op.name for n in graph.operations] == ["clamp_min", "max_dim", "view", "getitem"]


def test_data_given_while_tracing_is_made_anew_in_the_graph() -> None:
    _, _, graph = trace(lambda x: x + torch.tensor([1.0, 2.0]), (2,))
    assert [n.op.name for n in graph.operations] == ["tensor", "add"]
