"""The vector axis cut where its elements come from different pieces: cat and pad give every piece its own loop, in which
nothing has to be chosen any more.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..symbolic import expr as symbolic
from .loop_ir import Apply, Before, Cast, Expr, Let, Load, Position, Reduce, Statement, Store, changed, conditions, walk
from .places import axes_in, linear, number
from .schedule import Pass, needed_only
from .sizes import Size

MOST = 4                   # loops; more pieces are chosen from element by element


@dataclass(slots=True)
class Segment:
    """The elements of a pass up to position `stop` of the vector axis (None: to the end)."""

    stop: Size | None
    todo: Pass


def segments(p: Pass, lane: int) -> list[Segment] | None:
    """The pass, cut along axis `lane` so that each segment can go by vectors; None if that is not possible."""
    limits: list[Size] = []
    for s in [*p.elements, *p.reductions]:
        if isinstance(s, Store):
            continue
        for e in walk(s.value):
            if lane in (axes_in(e.extra) if isinstance(e, Load) else axes_in(linear(e.place)[2]) if isinstance(e, Position)
                        else ()):
                return None
        for c in conditions(s.value):
            if c.axis == lane:
                limits.append(c.limit)
            elif lane in c.axes():
                return None
    ordered = _ordered(list(dict.fromkeys(limits)))
    if ordered is None or len(ordered) >= MOST:
        return None
    found = []
    for k, stop in enumerate([*ordered, None]):
        known = {limit: i >= k for i, limit in enumerate(ordered)}
        found.append(Segment(stop, _decided(p, lane, known) if ordered else p))
    return found


def _ordered(limits: list[Size]) -> list[Size] | None:
    """Limits in ascending order, if their order is sure."""
    out: list[Size] = []
    for n in limits:
        at = 0
        while at < len(out) and _at_most(out[at], n):
            at += 1
        if at < len(out) and not _at_most(n, out[at]):
            return None
        out.insert(at, n)
    return out


def _at_most(a: Size, b: Size) -> bool:
    """Whether a <= b for sure: sizes are not negative."""
    return all(c >= 0 for c in symbolic.terms(symbolic.sub(number(b), number(a))).values())


def _decided(p: Pass, lane: int, known: dict[Size, bool]) -> Pass:
    def decided(e: Expr) -> Expr:
        if isinstance(e, Cast):
            return Cast(decided(e.arg), e.dtype)
        if isinstance(e, Apply) and e.fn == "where" and isinstance(e.args[0], Before) and e.args[0].axis == lane:
            return decided(e.args[1] if known[e.args[0].limit] else e.args[2])
        if isinstance(e, Apply):
            return Apply(e.fn, tuple(map(decided, e.args)), e.dtype)
        return changed(e, leaf)

    def leaf(e: Expr) -> Expr:
        if isinstance(e, Load) and e.guard:
            return Load(e.array, e.strides, e.dtype, e.offset, e.extra, tuple([(c, w) for c, w in e.guard if c.axis != lane]))
        return e

    def statement(s: Statement) -> Statement:
        if isinstance(s, Let):
            return Let(s.name, decided(s.value), s.dtype, s.node)
        return Reduce(s.name, s.combine, decided(s.value), s.dtype, s.node) if isinstance(s, Reduce) else s

    out = Pass([statement(s) for s in p.elements], [statement(r) for r in p.reductions], p.after)   # type: ignore[misc]
    needed_only(out)
    return out


__all__ = ["Segment", "segments"]
