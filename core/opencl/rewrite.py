"""Rewrites of loop nests that need to know where values come from.

softmax: exp(x - max(x)) has an argument that is 0 at most, so the cheap form of exp does; and the sum of such values is
between 1 and their number, so that multiplying by its reciprocal is as good as dividing by it, and many times faster.
Both hold for NaN and infinities as well: a row with any of them comes to NaN either way. That a row has a NaN shows in the
sum, so the maximum need not look for it ("greatest") where nothing but such exponentials and quotients comes of it.

gelu: 1 + erf(x) needs erf to within the rounding of that sum, which is less than erf itself is worth near 0; it is twice
the normal distribution's Phi(x * sqrt(2)), and gelu as a whole is x * Phi(x).
"""

from __future__ import annotations

import math

from ..tensor import dtypes as dt
from .loop_ir import Apply, Const, Expr, Let, Loops, Reduce, Ref, Statement, Store, walk


def rewrite(loops: Loops) -> None:
    """Change `loops` in place."""
    known: dict[str, Statement] = {s.name: s for s in loops.statements if isinstance(s, Let | Reduce)}
    bounded: set[str] = set()                          # sums of exp(x - max(x))
    below: set[str] = set()                            # values exp(x - max(x))
    out: list[Statement] = []
    inverse: dict[str, Ref] = {}
    for s in loops.statements:
        if isinstance(s, Let) and s.dtype is dt.float32:
            s.value = _by_normal_cdf(s.value, known)
            if _is(s.value, "exp") and _is_below_max(s.value.args[0], known):     # type: ignore[union-attr]
                below.add(s.name)
                s.value = Apply("exp_below", s.value.args, s.dtype)               # type: ignore[union-attr]
            elif _is(s.value, "/") and isinstance(s.value.args[1], Ref) and s.value.args[1].name in bounded:  # type: ignore
                total = s.value.args[1]                                           # type: ignore[union-attr]
                if total.name not in inverse:
                    name = f"{total.name}_inverse"
                    out.append(Let(name, Apply("/", (Const(1.0, s.dtype), total), s.dtype), s.dtype, None))
                    inverse[total.name] = Ref(name, s.dtype)
                s.value = Apply("*", (s.value.args[0], inverse[total.name]), s.dtype)     # type: ignore[union-attr]
        elif isinstance(s, Reduce) and s.combine == "sum" and isinstance(s.value, Ref) and s.value.name in below:
            bounded.add(s.name)
        out.append(s)
    loops.statements = out
    _look_for_nan_once(out, below, bounded, {r.name for r in inverse.values()})


def _look_for_nan_once(statements: list[Statement], below: set[str], bounded: set[str], inverse: set[str]) -> None:
    """Maxima that pass over NaN, where all that comes of them is exp(x - max), its sum and its quotients by the sum: the sum,
    and with it the rest, is NaN then."""
    users: dict[str, list[Statement]] = {}
    for s in statements:
        for name in {e.name for e in walk(s.value) if isinstance(e, Ref)}:
            users.setdefault(name, []).append(s)

    def is_quotient(s: Statement) -> bool:
        return isinstance(s, Let) and isinstance(s.value, Apply) and s.value.fn == "*" and isinstance(s.value.args[1], Ref) \
            and s.value.args[1].name in inverse

    def is_sum(s: Statement) -> bool:
        return isinstance(s, Reduce) and s.name in bounded

    for r in statements:
        if not isinstance(r, Reduce) or r.combine != "max" or r.dtype is not dt.float32:
            continue
        differences = users.get(r.name, [])
        exponentials = _users(differences, users)
        of_these = _users(exponentials, users)
        if all(isinstance(s, Let) and _is(s.value, "-") for s in differences) \
                and all(isinstance(s, Let) and s.name in below for s in exponentials) \
                and all(is_sum(s) or is_quotient(s) for s in of_these) and any(map(is_sum, of_these)):
            r.combine = "greatest"


def _users(statements: list[Statement], users: dict[str, list[Statement]]) -> list[Statement]:
    """What reads the values of statements."""
    return [u for s in statements if not isinstance(s, Store) for u in users.get(s.name, [])]


def _by_normal_cdf(e: Expr, known: dict[str, Statement]) -> Expr:
    """The expression with 1 + erf(x), and all of gelu, by way of Phi."""
    if not isinstance(e, Apply):
        return e
    if e.fn == "*" and e.dtype is dt.float32 and (x := _halved(e.args[0])) is not None \
            and (z := _one_plus_erf(e.args[1], known)) is not None and _is(z, "*") \
            and z.args == (x, Const(math.sqrt(0.5), e.dtype)):                        # type: ignore[union-attr]
        return Apply("*", (x, Apply("normal_cdf", (x,), e.dtype)), e.dtype)
    z = _one_plus_erf(e, known)
    if z is None:
        return Apply(e.fn, tuple([_by_normal_cdf(a, known) for a in e.args]), e.dtype)
    whole = Apply("*", (_by_normal_cdf(z, known), Const(math.sqrt(2), e.dtype)), e.dtype)
    return Apply("*", (Const(2.0, e.dtype), Apply("normal_cdf", (whole,), e.dtype)), e.dtype)


def _halved(e: Expr) -> Expr | None:
    """The value x that an expression is half of, as x * 0.5."""
    return e.args[0] if isinstance(e, Apply) and e.fn == "*" and e.args[1] == Const(0.5, e.dtype) else None


def _one_plus_erf(e: Expr, known: dict[str, Statement]) -> Expr | None:
    """The argument x of 1 + erf(x), in float32."""
    if isinstance(e, Apply) and e.fn == "+" and e.dtype is dt.float32:
        for one, other in (e.args, e.args[::-1]):
            if isinstance(other, Ref) and isinstance(found := known.get(other.name), Let):
                other = found.value
            if isinstance(one, Const) and one.value == 1 and isinstance(other, Apply) and other.fn == "erf":
                return other.args[0]
    return None


def _is(e: Expr, fn: str) -> bool:
    return isinstance(e, Apply) and e.fn == fn


def _is_below_max(e: Expr, known: dict[str, Statement]) -> bool:
    """Whether e is x - (the maximum of x over the inner axes)."""
    if isinstance(e, Ref):
        found = known.get(e.name)
        e = found.value if isinstance(found, Let) else e
    if not isinstance(e, Apply) or e.fn != "-" or not all(isinstance(a, Ref) for a in e.args):
        return False
    x, most = e.args
    assert isinstance(x, Ref) and isinstance(most, Ref)
    top = known.get(most.name)
    return isinstance(top, Reduce) and top.combine == "max" and top.dtype is dt.float32 and isinstance(top.value, Ref) \
        and top.value.name == x.name
