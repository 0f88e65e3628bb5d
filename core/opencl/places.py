"""Places: at which index of each of its dimensions a value is read, as expressions over the axes of a kernel.

An index has one entry per dimension: an axis (its number), None (position 0), or a place, which is a polynomial over the
axes (symbols i0, i1, ...), sizes and floor divisions by sizes. x[1:, ::2] is read at (i0 + 1, 2*i1); what was reshaped
from (h, d) to (h*d,) at (i0 // d, i0 - d*(i0 // d)). Remainders are written out like that, so that the position in memory,
a polynomial over places and strides, loses them by itself wherever a layout allows: here it is i0 again.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from ..symbolic import expr as symbolic
from ..symbolic.expr import ZERO, Expr
from .sizes import Size, is_one, plain, same

Entry = int | Expr | None
Index = tuple[Entry, ...]


@functools.cache
def axis(number: int) -> Expr:
    """The position along an axis. Symbols of sizes have other letters."""
    return symbolic.sym(f"i{number}")


def axis_number(e: Expr) -> int | None:
    """The number of the axis that an expression is, if it is one."""
    return int(e.args[0][1:]) if e.op == "sym" and e.args[0][0] == "i" else None


def axes_in(e: Expr) -> list[int]:
    return sorted(int(n[1:]) for n in e.free if n[0] == "i")


def number(n: Size) -> Expr:
    return symbolic.const(n) if isinstance(n, int) else n


def place(entry: Entry) -> Expr:
    """An entry as an expression."""
    return ZERO if entry is None else axis(entry) if isinstance(entry, int) else entry


def entry(e: Expr) -> Entry:
    """An expression as an entry: the plainest form."""
    found = axis_number(e)
    return None if e is ZERO else found if found is not None else e


def moved(index: Entry, by: Size, times: int = 1) -> Entry:
    """times * index + by."""
    if times == 1 and isinstance(by, int) and by == 0:
        return index
    return entry(symbolic.add(symbolic.scale(place(index), times), number(by)))


def replaced(e: Expr, by: Mapping[int, Expr], size: Mapping[int, Size]) -> Expr:
    """The expression with axes replaced; `size` tells how long the new axes are."""
    return simplified(e.subs({f"i{k}": v for k, v in by.items()}), size)


def through(dims: Index, index: Index, size: Mapping[int, Size]) -> Index:
    """The index of a value whose dimensions lie at `dims`, told in dimensions of another value that is read at `index`."""
    found: list[Entry] = []
    for d in dims:
        if d is None or isinstance(d, int):
            found.append(None if d is None else index[d])
        elif not d.free:
            found.append(d)
        else:
            found.append(entry(replaced(d, {k: place(index[k]) for k in axes_in(d)}, size)))
    return tuple(found)


# -- arithmetic ------------------------------------------------------------------------------------------------------
def simplified(e: Expr, size: Mapping[int, Size]) -> Expr:
    """The expression without floor divisions whose result the lengths of the axes tell."""
    if e.op not in ("add", "mul", "floordiv") or not axes_in(e):
        return e
    args = [simplified(a, size) for a in e.args]
    if e.op != "floordiv":
        return symbolic.rebuild(e.op, args)
    return divided(args[0], args[1], size)


def divided(e: Expr, by: Expr, size: Mapping[int, Size]) -> Expr:
    """e // by for e >= 0."""
    out = symbolic.ZERO
    for monomial, c in symbolic.terms(symbolic.floordiv(e, by)).items():
        part = symbolic.from_terms({monomial: c})
        if c == 1 and len(monomial) == 1 and monomial[0].op == "floordiv":
            part = _quotient(monomial[0].args[0], monomial[0].args[1], size)
        out = symbolic.add(out, part)
    return out


def _quotient(e: Expr, by: Expr, size: Mapping[int, Size]) -> Expr:
    """e // by, where `by` divides no part of e: (6*i0 + i1) // 12 is i0 // 2 if i1 stays below 6."""
    if _below(e, by, size):
        return symbolic.ZERO
    for unit in linear(e)[0].values():
        whole = symbolic.exact_quotient(by, number(unit))
        if whole is None or (isinstance(unit, int) and unit <= 1):
            continue
        high = low = symbolic.ZERO
        for monomial, c in symbolic.terms(e).items():
            part = symbolic.from_terms({monomial: c})
            times = symbolic.exact_quotient(part, number(unit))
            high, low = (high, symbolic.add(low, part)) if times is None else (symbolic.add(high, times), low)
        if _below(low, number(unit), size):
            return divided(high, whole, size)
    return symbolic.make("floordiv", (e, by), "int")


def _below(e: Expr, limit: Expr, size: Mapping[int, Size]) -> bool:
    """Whether 0 <= e < limit for sure."""
    most = least = symbolic.ZERO
    for monomial, c in symbolic.terms(e).items():
        axes = [a for a in monomial if axes_in(a)]
        if not axes:
            most, least = [symbolic.add(x, symbolic.from_terms({monomial: c})) for x in (most, least)]
            continue
        if len(axes) > 1 or (found := axis_number(axes[0])) is None or found not in size:
            return False
        others = [a for a in monomial if a is not axes[0]]
        top = symbolic.mul(symbolic.sub(number(size[found]), symbolic.ONE), *others, symbolic.const(c))
        most, least = (symbolic.add(most, top), least) if c > 0 else (most, symbolic.add(least, top))
    room = symbolic.sub(symbolic.sub(limit, most), symbolic.ONE)
    return room.is_const and room.args[0] >= 0 and least.is_const and least.args[0] >= 0


def linear(e: Expr) -> tuple[dict[int, Size], Size, Expr]:
    """(coefficient per axis, what depends on no axis, the rest) of a polynomial."""
    along: dict[int, Expr] = {}
    fixed = extra = symbolic.ZERO
    for monomial, c in symbolic.terms(e).items():
        axes = [a for a in monomial if axes_in(a)]
        if not axes:
            fixed = symbolic.add(fixed, symbolic.from_terms({monomial: c}))
        elif len(axes) == 1 and (found := axis_number(axes[0])) is not None:
            others = symbolic.mul(*[a for a in monomial if a is not axes[0]], symbolic.const(c))
            along[found] = symbolic.add(along.get(found, symbolic.ZERO), others)
        else:
            extra = symbolic.add(extra, symbolic.from_terms({monomial: c}))
    return {k: plain(v) for k, v in along.items() if v is not ZERO}, plain(fixed), extra


def divisions(e: Expr) -> list[tuple[Expr, Expr]]:
    """The floor divisions (what, by what) in an expression that axes are in."""
    found = [x for a in e.args if isinstance(a, Expr) for x in divisions(a)]
    if e.op == "floordiv" and axes_in(e):
        found.append((e.args[0], e.args[1]))
    return found


# -- reshaping -------------------------------------------------------------------------------------------------------
def reshaped(old: tuple[Size, ...], new: tuple[Size, ...]) -> Index | None:
    """Where the elements of a value with sizes `old` are, told in the dimensions of `new`, which count the same elements.
    None where that takes more than cutting single dimensions: (6, 4) -> (8, 3)."""
    left = [d for d, n in enumerate(old) if not is_one(n)]
    right = [d for d, n in enumerate(new) if not is_one(n)]
    size = dict(enumerate(new))
    found: list[Entry] = [None] * len(old)
    while left or right:
        block = _block(left, right, old, new)
        if block is None:
            return None
        mine, others = block
        del left[:len(mine)], right[:len(others)]
        at, step = symbolic.ZERO, symbolic.ONE
        for d in reversed(others):
            at = symbolic.add(at, symbolic.mul(axis(d), step))
            step = symbolic.mul(step, number(new[d]))
        step = symbolic.ONE
        for d in reversed(mine):
            above = symbolic.mul(step, number(old[d]))
            part = divided(at, step, size)
            if d != mine[0]:
                part = symbolic.sub(part, symbolic.mul(divided(at, above, size), number(old[d])))
            found[d] = entry(part)
            step = above
    for e in found:
        for what, by in divisions(e) if isinstance(e, Expr) else ():
            cut = axis_number(what)
            if cut is None or symbolic.exact_quotient(number(new[cut]), by) is None:
                return None
    return tuple(found)


def _block(left: list[int], right: list[int], old: tuple[Size, ...], new: tuple[Size, ...]) \
        -> tuple[list[int], list[int]] | None:
    """The first dimensions on both sides that count the same elements."""
    if not left or not right:
        return None
    i = j = 1
    a, b = number(old[left[0]]), number(new[right[0]])
    while not same(plain(a), plain(b)):
        smaller = a.args[0] < b.args[0] if a.is_const and b.is_const else symbolic.exact_quotient(b, a) is not None
        if smaller or j == len(right):
            if i == len(left):
                return None
            a, i = symbolic.mul(a, number(old[left[i]])), i + 1
        else:
            b, j = symbolic.mul(b, number(new[right[j]])), j + 1
    return left[:i], right[:j]


def sizes_in(e: Expr) -> list[Expr]:
    """The parts of a place that depend on sizes alone: symbols, and what is computed of them."""
    found: list[Expr] = []
    for monomial in symbolic.terms(e):
        for a in monomial:
            if not axes_in(a):
                found.append(a)
            elif a.op == "floordiv":
                found += sizes_in(a.args[0]) + sizes_in(a.args[1])
    return found


def text(e: Expr, names: Mapping[Expr, str]) -> str:
    """C text of a place. `names`: of every axis in it, and of everything that sizes_in finds."""
    parts: list[str] = []
    for monomial, c in symbolic.terms(e).items():
        factors = [names[a] if a in names else f"quotient({text(a.args[0], names)}, {text(a.args[1], names)})"
                   for a in monomial]
        if abs(c) != 1 or not factors:
            factors.insert(0, str(abs(c)))
        sign = ("- " if c < 0 else "+ ") if parts else ("-" if c < 0 else "")
        parts.append(sign + " * ".join(factors))
    return " ".join(parts) or "0"
