"""Neighbouring axes of a loop nest that all accesses walk as one are made one."""

from __future__ import annotations

from collections.abc import Callable

from .loop_ir import Axis, Before, Expr, Load, Loops, Store, changed, conditions, walk
from .places import axes_in
from .sizes import Size, same, times


def accesses(loops: Loops) -> list[tuple[tuple[int, Size], ...]]:
    found = []
    for s in loops.statements:
        if isinstance(s, Store):
            found.append(s.strides)
        else:
            found += [e.strides for e in walk(s.value) if isinstance(e, Load)]
    return found


def collapse(loops: Loops, apart: int | None = None) -> None:
    """Make axis pairs one where every access has outer stride = inner stride * inner size (or does not move at all).
    `apart`: an axis to leave as it is."""
    gone: dict[int, int] = {}
    fixed = _fixed(loops)
    limits = {c.axis for s in loops.statements if not isinstance(s, Store) for c in conditions(s.value)}
    for axes in (loops.rows, loops.inner):
        k = len(axes) - 2
        while k >= 0:
            outer, inner = axes[k], axes[k + 1]
            if inner.id not in limits and inner.id != apart and not fixed & {outer.id, inner.id} \
                    and all(_walk_as_one(dict(_moved(a, gone)), outer, inner) for a in accesses(loops)):
                axes[k: k + 2] = [Axis(inner.id, times(outer.size, inner.size))]
                gone[outer.id] = -1
                if outer.id in limits:                     # i < limit as a condition on both axes together
                    _rewrite(loops, lambda c, a=outer.id, b=inner: Before(b.id, times(c.limit, b.size))  # type: ignore[misc]
                             if c.axis == a else c)
                    limits = limits - {outer.id} | {inner.id}
            k -= 1
    if gone:
        for s in loops.statements:
            if isinstance(s, Store):
                s.strides = _moved(s.strides, gone)
            else:
                s.value = changed(s.value, lambda e: Load(e.array, _moved(e.strides, gone), e.dtype, e.offset, e.extra, e.guard)
                                  if isinstance(e, Load) else e)


def _fixed(loops: Loops) -> set[int]:
    """Axes that something depends on which is no multiple of them."""
    found: set[int] = set()
    for s in loops.statements:
        if isinstance(s, Store):
            continue
        for e in walk(s.value):
            if isinstance(e, Load):
                found |= set(axes_in(e.extra))
            elif not isinstance(e, Before) and hasattr(e, "place"):
                found |= set(axes_in(e.place))
        for c in conditions(s.value):
            found |= set(axes_in(c.place))
    return found


def _rewrite(loops: Loops, condition: Callable[[Before], Before]) -> None:
    """Replace every condition on positions."""
    def leaf(e: Expr) -> Expr:
        if isinstance(e, Before):
            return condition(e)
        if isinstance(e, Load) and e.guard:
            return Load(e.array, e.strides, e.dtype, e.offset, e.extra, tuple([(condition(c), w) for c, w in e.guard]))
        return e

    for s in loops.statements:
        if not isinstance(s, Store):
            s.value = changed(s.value, leaf)


def _moved(strides: tuple[tuple[int, Size], ...], gone: dict[int, int]) -> tuple[tuple[int, Size], ...]:
    return tuple([(a, n) for a, n in strides if a not in gone])


def _walk_as_one(strides: dict[int, Size], outer: Axis, inner: Axis) -> bool:
    a, b = strides.get(outer.id, 0), strides.get(inner.id, 0)
    if isinstance(a, int) and isinstance(b, int) and a == 0 and b == 0:
        return True
    return same(a, times(b, inner.size))
