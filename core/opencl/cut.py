"""Axes cut in two, so that what was reshaped is read without divisions: where an axis i occurs as i // n and n divides its
length, i becomes n * i0 + i1. A kernel over (b, s, h*d) that reads a value over (b, h, s, d) so gets loops over h and d.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..symbolic import expr as symbolic
from ..symbolic.expr import Expr as Place
from .loop_ir import Apply, Axis, Before, Cast, Expr, Load, Loops, Position, Store, before, changed, conditions, load, walk
from .places import axis, axis_number, divisions, number, replaced
from .sizes import Size, plain, times


def cut_axes(loops: Loops) -> None:
    """Change `loops` in place. What no cut makes plain stays a division."""
    while (found := _next_cut(loops)) is not None:
        _cut(loops, *found)


def _places(loops: Loops) -> Iterator[Place]:
    for s in loops.statements:
        if isinstance(s, Store):
            continue
        for e in walk(s.value):
            if isinstance(e, Load):
                yield e.extra
            elif isinstance(e, Position):
                yield e.place
        for c in conditions(s.value):
            yield c.place


def _next_cut(loops: Loops) -> tuple[int, Size] | None:
    """The next axis to cut and the length of the inner part: of several the one that is a multiple of the others."""
    sizes = {a.id: a.size for a in (*loops.rows, *loops.inner)}
    found: dict[int, list[Place]] = {}
    for p in dict.fromkeys(_places(loops)):
        for what, by in divisions(p):
            a = axis_number(what)
            if a in sizes and symbolic.exact_quotient(number(sizes[a]), by) is not None:
                found.setdefault(a, []).append(by)
    for a, many in found.items():
        largest = many[0]
        for by in many[1:]:
            if symbolic.exact_quotient(by, largest) is not None:
                largest = by
        return a, plain(largest)
    return None


def _cut(loops: Loops, cut: int, n: Size) -> None:
    """Make axis `cut` two, the inner one of length n. The axes behind it move up by one, so that they stay in order."""
    sizes: dict[int, Size] = {}
    instead: dict[int, Place] = {}
    for axes in (loops.rows, loops.inner):
        new: list[Axis] = []
        for a in axes:
            if a.id == cut:
                whole = symbolic.exact_quotient(number(a.size), number(n))
                assert whole is not None
                new += [Axis(cut, plain(whole)), Axis(cut + 1, n)]
                instead[cut] = symbolic.add(symbolic.mul(axis(cut), number(n)), axis(cut + 1))
            else:
                new.append(Axis(a.id + (a.id > cut), a.size))
                instead[a.id] = axis(new[-1].id)
        axes[:] = new
        sizes |= {a.id: a.size for a in new}

    def at(p: Place) -> Place:
        return replaced(p, instead, sizes)

    def condition(c: Before, wanted: bool) -> tuple[Before, bool]:
        if c.axis is None:
            found, same = before(at(c.place), 0)
        elif c.axis == cut and (whole := symbolic.exact_quotient(number(c.limit), number(n))) is not None:
            found, same = Before(cut, plain(whole)), True
        else:
            found, same = before(instead[c.axis], c.limit)
        return found, wanted if same else not wanted

    def leaf(e: Expr) -> Expr:
        if isinstance(e, Load):
            return load(e.array, at(e.place()), e.dtype, tuple([condition(c, w) for c, w in e.guard]))
        if isinstance(e, Position):
            return Position(at(e.place), e.dtype)
        return e

    for s in loops.statements:
        if isinstance(s, Store):
            strides: list[tuple[int, Size]] = []
            for k, step in s.strides:
                strides += [(cut, times(step, n)), (cut + 1, step)] if k == cut else [(k + (k > cut), step)]
            s.strides = tuple(strides)
        else:
            s.value = _conditions(changed(s.value, leaf), condition)


def _conditions(e: Expr, condition: Callable[[Before, bool], tuple[Before, bool]]) -> Expr:
    """Selections by conditions with the conditions told in the new axes."""
    if isinstance(e, Cast):
        return Cast(_conditions(e.arg, condition), e.dtype)
    if not isinstance(e, Apply):
        return e
    args = [_conditions(a, condition) for a in e.args]
    if e.fn == "where" and isinstance(args[0], Before):
        c, wanted = condition(args[0], True)
        args = [c, args[1], args[2]] if wanted else [c, args[2], args[1]]
    return Apply(e.fn, tuple(args), e.dtype)
