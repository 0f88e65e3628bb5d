"""Relations between expressions (==, !=, <, <=) and their combinations, in normal form.

A relation between integers is brought to one shape: positive terms on the left, negative terms and the constant on the
right, common factors divided out. `a > b` is `b < a`; `not (a < b)` is `b <= a`. Where a float takes part the relation
stays as written, since NaN makes both `a < b` and `b <= a` false.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .expr import FALSE, TRUE, Expr, Terms, const, from_terms, make, neg, sub, terms


def _bool(value: Any) -> Expr:
    return TRUE if value else FALSE


def difference(a: Expr, b: Expr) -> tuple[Expr, int, int]:
    """(p, k, g): a - b == g*p - k with p free of a constant, its coefficients without common factor, g > 0."""
    parts = terms(sub(a, b))
    k = -parts.pop((), 0)
    g = 0
    for c in parts.values():
        g = math.gcd(g, c)
    g = g or 1
    return from_terms({m: c // g for m, c in parts.items()}), k, g


def _sides(p: Expr, k: int) -> tuple[Expr, Expr]:
    """`p ? k` as two sides without minus signs where that is possible."""
    left: Terms = {}
    right: Terms = {}
    for m, c in terms(p).items():
        (left if c > 0 else right)[m] = abs(c)
    if not left:
        return const(-k), from_terms(right)
    right[()] = k
    return from_terms(left), from_terms(right)


def _mixed(op: str, a: Expr, b: Expr) -> Expr | None:
    """A comparison of an integer expression with a float constant as one between integers; None if it is not such."""
    if a.kind != "float" and b.kind == "float" and b.is_const:
        v = b.args[0]
        if math.isnan(v):
            return _bool(op == "ne")
        if math.isinf(v):
            return _bool(op == "ne" or (op in ("lt", "le") and v > 0))
        if v.is_integer():
            return BUILD[op](a, const(int(v)))
        return FALSE if op == "eq" else TRUE if op == "ne" else le(a, const(math.floor(v)))
    if b.kind != "float" and a.kind == "float" and a.is_const:
        v = a.args[0]
        if op in ("eq", "ne"):
            return _mixed(op, b, a)
        if math.isnan(v):
            return FALSE
        if math.isinf(v):
            return _bool(v < 0)
        return BUILD[op](const(int(v)), b) if v.is_integer() else le(const(math.ceil(v)), b)
    return None


def _raw(op: str, a: Expr, b: Expr) -> Expr:
    """A comparison in which a float takes part."""
    mixed = _mixed(op, a, b)
    if mixed is not None:
        return mixed
    if a.is_const and b.is_const:
        x, y = a.args[0], b.args[0]
        return _bool({"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y}[op])
    if op in ("eq", "ne") and a.is_const:
        a, b = b, a
    return make(op, (a, b), "bool")


def eq(a: Expr, b: Expr) -> Expr:
    if a.kind == "float" or b.kind == "float":
        return _raw("eq", a, b)
    p, k, g = difference(a, b)
    if p.is_const:
        return _bool(k == 0)
    if k % g:
        return FALSE
    k //= g
    lead = p.args[0] if p.op == "add" else p
    if lead.op == "mul" and lead.args[0].op == "const" and lead.args[0].args[0] < 0:
        p, k = neg(p), -k
    return make("eq", _sides(p, k), "bool")


def ne(a: Expr, b: Expr) -> Expr:
    if a.kind == "float" or b.kind == "float":
        return _raw("ne", a, b)
    same = eq(a, b)
    return make("ne", same.args, "bool") if same.op == "eq" else _bool(same is FALSE)


def lt(a: Expr, b: Expr) -> Expr:
    if a.kind == "float" or b.kind == "float":
        return _raw("lt", a, b)
    p, k, g = difference(a, b)
    if p.is_const:
        return _bool(k > 0)
    return make("lt", _sides(p, -(-k // g)), "bool")      # p < k/g  <=>  p < ceil(k/g)


def le(a: Expr, b: Expr) -> Expr:
    if a.kind == "float" or b.kind == "float":
        return _raw("le", a, b)
    p, k, g = difference(a, b)
    if p.is_const:
        return _bool(k >= 0)
    return make("le", _sides(p, k // g), "bool")          # p <= k/g  <=>  p <= floor(k/g)


def not_(e: Expr) -> Expr:
    if e.is_const:
        return _bool(not e.args[0])
    a = e.args
    floats = any(x.kind == "float" for x in a)
    if e.op == "eq":
        return ne(*a)
    if e.op == "ne":
        return eq(*a)
    if e.op == "lt" and not floats:
        return le(a[1], a[0])
    if e.op == "le" and not floats:
        return lt(a[1], a[0])
    if e.op == "not":
        return a[0]
    if e.op == "and":
        return or_(*map(not_, a))
    if e.op == "or":
        return and_(*map(not_, a))
    return make("not", (e,), "bool")


def _junction(op: str, absorbing: Expr, neutral: Expr, items: tuple[Expr, ...]) -> Expr:
    flat: list[Expr] = []
    for e in items:
        for x in e.args if e.op == op else (e,):
            if x is absorbing:
                return absorbing
            if x is not neutral and x not in flat:
                flat.append(x)
    if any(not_(x) in flat for x in flat if x.op in ("eq", "ne", "not")):
        return absorbing
    if not flat:
        return neutral
    return flat[0] if len(flat) == 1 else make(op, tuple(flat), "bool")


def and_(*items: Expr) -> Expr:
    return _junction("and", FALSE, TRUE, items)


def or_(*items: Expr) -> Expr:
    return _junction("or", TRUE, FALSE, items)


def bound(relation: Expr) -> tuple[Expr, int]:
    """An integer `lt` or `le` as (p, k): p <= k, with p free of a constant and of common factors."""
    p, k, g = difference(*relation.args)
    return p, (k // g if relation.op == "le" else -(-k // g) - 1)


BUILD: dict[str, Callable[..., Expr]] = {"eq": eq, "ne": ne, "lt": lt, "le": le, "not": not_, "and": and_, "or": or_}
