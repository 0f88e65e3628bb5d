"""Sizes and strides as kernels see them: a static int, or a symbolic expression. Comparing them never records a guard."""

from __future__ import annotations

from typing import Any

from ..symbolic import expr as symbolic
from ..symbolic.expr import Expr

Size = int | Expr


def plain(n: Any) -> Size:
    """An int or Expr from an int or SymInt."""
    if isinstance(n, int):
        return n
    e = n if isinstance(n, Expr) else n.expr
    return e.args[0] if e.is_const else e


def same(a: Size, b: Size) -> bool:
    """Equal for every value of the symbols, as far as normal forms tell."""
    return a is b or (isinstance(a, int) and isinstance(b, int) and a == b)


def times(a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if isinstance(a, int) and a == 1:
        return b
    if isinstance(b, int) and b == 1:
        return a
    return plain(symbolic.mul(*[symbolic.const(n) if isinstance(n, int) else n for n in (a, b)]))


def plus(a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return plain(symbolic.add(*[symbolic.const(n) if isinstance(n, int) else n for n in (a, b)]))


def ceil_div(n: Size, by: int) -> Size:
    """n / by, rounded up."""
    return -(-n // by) if isinstance(n, int) else plain(symbolic.floordiv(symbolic.add(n, symbolic.const(by - 1)),
                                                                          symbolic.const(by)))


def product(sizes: Any) -> Size:
    total: Size = 1
    for n in sizes:
        total = times(total, n)
    return total


def shape_of(spec: Any) -> tuple[Size, ...]:
    return tuple([plain(n) for n in spec.shape])


def strides_of(spec: Any) -> tuple[Size, ...]:
    return tuple([plain(n) for n in spec.strides])


def same_shape(a: tuple[Size, ...], b: tuple[Size, ...]) -> bool:
    return len(a) == len(b) and all(same(m, n) for m, n in zip(a, b))


def is_one(n: Size) -> bool:
    return isinstance(n, int) and n == 1


def is_zero(n: Size) -> bool:
    return isinstance(n, int) and n == 0


def is_minus_one(n: Size) -> bool:
    return isinstance(n, int) and n == -1


def row_major(shape: tuple[Size, ...], strides: tuple[Size, ...]) -> bool:
    """Contiguous for sure; strides of dimensions of size 1 are immaterial, and a size of 0 may count as 1 in them."""
    steps: tuple[Size, ...] = (1,)
    for n, s in zip(reversed(shape), reversed(strides)):
        if is_one(n):
            continue
        if not any(same(s, step) for step in steps):
            return False
        steps = times(s, n), times(s, max(n, 1) if isinstance(n, int) else symbolic.maximum(n, symbolic.ONE))
    return True


def dense_order(shape: tuple[Size, ...], strides: tuple[Size, ...]) -> tuple[int, ...] | None:
    """Dimensions from slowest to fastest of a layout without gaps; None if it is not surely one."""
    left = [d for d in range(len(shape)) if not is_one(shape[d])]
    order: list[int] = []
    step: Size = 1
    while left:
        d = next((d for d in reversed(left) if same(strides[d], step)), None)
        if d is None:
            return None
        order.append(d)
        left.remove(d)
        step = times(step, shape[d])
    return tuple([d for d in range(len(shape)) if is_one(shape[d])] + order[::-1])


def evaluate(n: Size, symbols: dict[str, Any]) -> int:
    return n if isinstance(n, int) else n.evaluate(symbols)


def text(n: Size) -> str:
    """Python text over the symbols' names."""
    return str(n) if isinstance(n, int) else n.python()
