"""The calls that random programs (generate.py) are made with, and the comparison of what they give."""

from __future__ import annotations

import functools
import itertools
import math
import warnings
from collections.abc import Iterator
from typing import Any

import residual_support as support
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

OPAQUE = torch._dynamo.disable(support.opaque)


def calls() -> Iterator[tuple]:
    """Arguments that an artifact of the first call may be wrong for: other numbers, sizes, equal values, aliases."""
    first, other = [1.0, -2.0, 3.0], [0.5, -4.0, -3.0]
    for x, y, u, v, s, q, f, z, special in [
            (2, 3, first, other, [1, 2], [4], 1.5, None, ""), (2, 3, first, other, [1, 2], [4], 1.5, None, ""),
            (-1, 3, first, other, [1, 2], [4], 0.5, 2, "keys"), (2, 2, other, other, [2, 2], [2], 1.5, 7, ""),
            (2, 3, first, other, [1, 2], [4], 1.5, None, "lists"), (2, 3, first, other, [1, 2], [4], 1.5, None, "tensors"),
            (5, 0, [*first, 2.0], [*other, 1.0], [3], [7, 8], -2.0, None, "order"),
            (7, 1, [*other, -1.0], [*other, 1.0], [0], [5, 8], 1.5, 0, "dict"),
            (2, 3, first, other, [1, 2], [4], 1.5, None, "class"), (2, 3, first, other, [1, 2], [4], 1.5, None, "")]:
        tensor = torch.tensor(u)
        d = {"k": x, "t": tensor if special == "dict" else torch.tensor(u)}
        if special == "keys":
            d["q"] = 5
        elif special == "order":
            d = dict(reversed(d.items()))
        kind = Other if special == "class" else Thing
        yield (x, y, tensor, tensor if special == "tensors" else torch.tensor(v), s,
               kind(n=x, q=s if special == "lists" else list(q)), d, f, z)


class Thing(support.Plain):
    kind = 1
    count = 3

    @property
    def double(self):
        return self.n * 2

    @double.setter
    def double(self, value):
        self.n = value // 2

    def plus(self, k, *, n=0):
        return self.n + k + n

    def first(self, *items):
        return items[0] if items else self.kind

    def bump(self, k):
        self.n += k
        self.q.append(self.n)


class Other(Thing):
    kind = 2

    def plus(self, k, *, n=0):
        return super().plus(k, n=n) + 1


EXTRA = {"torch": torch, "functools": functools, "itertools": itertools, "math": math}


def outcomes(function: Any, namespace: dict[str, Any]) -> list[str]:
    out = []
    for n, arguments in enumerate(calls()):
        namespace.update(g_n=n % 3, g_l=[n % 2])
        out.append(repr(support.outcome(function, namespace, arguments)))
    return out


def compare(text: str, name: str) -> tuple[list[str], list[str]]:
    """What `program` of this text gives compiled, and as plain Python."""
    torch._dynamo.reset()
    namespace = support.build(text, name, {"gb": support.traced, "opaque_gb": OPAQUE, **EXTRA})
    function = namespace["program"]
    wanted = outcomes(function, namespace)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return outcomes(torch.compile(function, backend="eager"), namespace), wanted
