"""Broadcasting of shapes by PyTorch's rule, on plain and on symbolic sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def same(a: Any, b: Any) -> bool:
    """Equal for sure, decided without recording a guard: the same object, equal plain ints, or one symbolic expression."""
    if a is b:
        return True
    if isinstance(a, int):
        return isinstance(b, int) and a == b
    return not isinstance(b, int) and getattr(a, "expr", None) is getattr(b, "expr", a)


def is_one(n: Any) -> bool:
    """Whether a size is 1. A symbolic size may have to decide this, which becomes a guard."""
    return n == 1 if isinstance(n, int) else bool(n == 1)


def broadcast_two(a: Sequence, b: Sequence) -> tuple:
    """The broadcast of two shapes. Raises RuntimeError with PyTorch's sentence if they do not fit."""
    if a is b:
        return tuple(a)
    if len(a) < len(b):
        pad, long, short = len(b) - len(a), b, a
    else:
        pad, long, short = len(a) - len(b), a, b
    out = list(long[:pad])
    for i, (m, n) in enumerate(zip(long[pad:], short), pad):
        if same(m, n) or (isinstance(n, int) and n == 1):
            out.append(m)
        elif isinstance(m, int) and m == 1:
            out.append(n)
        elif m == n:
            out.append(m if isinstance(m, int) else n)
        elif is_one(n):
            out.append(m)
        elif is_one(m):
            out.append(n)
        else:
            first, second = (m, n) if long is a else (n, m)
            raise RuntimeError(f"The size of tensor a ({first}) must match the size of tensor b ({second}) "
                               f"at non-singleton dimension {i}")
    return tuple(out)


def broadcast_shapes(*shapes: Sequence) -> tuple:
    """The broadcast of any number of shapes (torch.broadcast_shapes)."""
    out: tuple = ()
    for i, shape in enumerate(shapes):
        out = tuple(shape) if i == 0 else broadcast_two(out, shape)
    return out


def broadcast_strides(shape: Sequence, strides: Sequence, to: Sequence) -> tuple:
    """Strides of a tensor of `shape` seen as `to`: 0 in every dimension that is repeated."""
    pad = len(to) - len(shape)
    out: list[Any] = [0] * pad
    for n, s, m in zip(shape, strides, to[pad:]):
        if isinstance(n, int) and n == 1 and not (isinstance(m, int) and m == 1):
            out.append(0)
        else:
            out.append(s)
    return tuple(out)
