"""Names for the numbers that a kernel takes: sizes, strides, and what positions are shifted by, compared with, divided by.

No number is baked into a text, so that kernels for other static sizes have the same one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..symbolic.expr import Expr as Place
from .loop_ir import Load, Position, Store, conditions, walk
from .places import sizes_in
from .sizes import Size, is_minus_one, is_zero, same, times

if TYPE_CHECKING:
    from .schedule import Schedule


def name_sizes(out: Schedule, prefix: str) -> None:
    """Names for sizes, and for every stride along an axis that an array is read with (x + x.t() has two) its text: products
    of size arguments where the array is surely contiguous in the axes it has, else an argument of its own. No number is
    baked in, so that kernels for other static sizes have the same text."""
    axes = out.rows + out.inner
    out.names = {a.id: f"{prefix}{k}" for k, a in enumerate(axes)}
    size = {a.id: a.size for a in axes}
    order = [a.id for a in axes]
    memory = sorted(order) if out.reduces else order          # axes are numbered by dimension
    for array, strides in all_accesses(out):
        have = dict(strides)
        step: Size = 1
        text: list[str] = []
        for axis in reversed(memory):
            if axis not in have:
                continue
            key = array, axis, have[axis]
            if same(have[axis], step):
                out.strides[key] = " * ".join(text) or "1"
            elif is_minus_one(have[axis]):
                out.strides[key] = "-1"
            elif key not in out.strides:
                name = f"{array}_s{order.index(axis)}"
                k = 2
                while name in out.stride_arguments:
                    name, k = f"{array}_s{order.index(axis)}_{k}", k + 1
                out.stride_arguments[name] = magnitude(have[axis])
                out.strides[key] = signed(name, have[axis])
            step = times(step, size[axis])
            text.insert(0, out.names[axis])
    _name_places(out)


def magnitude(n: Size) -> Size:
    """What is passed for a number: negative ones have another meaning (loop_ir.Array)."""
    return abs(n) if isinstance(n, int) else n


def signed(name: str, n: Size) -> str:
    return f"-{name}" if isinstance(n, int) and n < 0 else name


def _name_places(out: Schedule) -> None:
    """Arguments for what positions are shifted by, are compared with and are divided by."""
    def argument(name: str, n: Size) -> str:
        base, k = name, 2
        while name in out.stride_arguments:
            name, k = f"{base}_{k}", k + 1
        out.stride_arguments[name] = magnitude(n)
        return signed(name, n)

    for s in out.statements():
        if isinstance(s, Store):
            continue
        sizes: list[Place] = []
        for e in walk(s.value):
            if isinstance(e, Load):
                if not is_zero(e.offset) and (e.array, e.offset) not in out.offsets:
                    out.offsets[e.array, e.offset] = argument(f"{e.array}_from", e.offset)
                sizes += sizes_in(e.extra)
            elif isinstance(e, Position):
                sizes += sizes_in(e.place)
        for c in conditions(s.value):
            if c.axis is not None and c.limit not in out.limits:
                out.limits[c.limit] = argument(f"edge{len(out.limits)}", c.limit)
            sizes += sizes_in(c.place)
        for n in sizes:
            if n not in out.symbols:
                out.symbols[n] = argument(f"size{len(out.symbols)}", n)


def all_accesses(out: Schedule) -> list[tuple[str, tuple[tuple[int, Size], ...]]]:
    found = []
    for s in out.statements():
        if isinstance(s, Store):
            found.append((s.array, s.strides))
        else:
            found += [(e.array, e.strides) for e in walk(s.value) if isinstance(e, Load)]
    return found
