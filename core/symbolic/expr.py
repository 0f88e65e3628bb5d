"""Integer and float expressions over symbols: immutable, and equal expressions are the same object.

Integer expressions are kept as expanded polynomials with sorted terms, so two spellings of one polynomial are one
object and `is` compares them. What is not a polynomial (floor division, modulo, max, min, a power with a symbolic
exponent) is an atom of those polynomials. Float expressions keep the order in which the script computed them, because
float addition is not associative. Divisors are taken to be non-zero: SymInt guards that when it divides.
"""

from __future__ import annotations

import math
import operator
import re
import weakref
from collections.abc import Callable, Mapping
from typing import Any

Terms = dict[tuple, int]              # monomial (sorted atoms, with repetition) -> coefficient
EXPAND_LIMIT = 256                    # products with more terms than this stay unexpanded
NO_NAMES: frozenset[str] = frozenset()


class Expr:
    """One node. `op` names it, `args` are Exprs (for "const": the number, for "sym": the name); `kind` is "int",
    "float" or "bool"; `free` holds the names of the symbols in it. Made only by the functions of this package."""

    __slots__ = ("op", "args", "kind", "free", "key", "__weakref__")
    _all: weakref.WeakValueDictionary[tuple, Expr] = weakref.WeakValueDictionary()

    op: str
    args: tuple
    kind: str
    free: frozenset[str]
    key: str                           # decides the order of terms: symbols by number, then compounds

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The value when each symbol has the given number. Raises what Python would (ZeroDivisionError, KeyError)."""
        if self.op == "const":
            return self.args[0]
        if self.op == "sym":
            return values[self.args[0]]
        return EVALUATE[self.op](*[a.evaluate(values) if isinstance(a, Expr) else a for a in self.args])

    def subs(self, values: Mapping[str, Expr]) -> Expr:
        """The expression with symbols replaced, in normal form again."""
        if self.free.isdisjoint(values):
            return self
        if self.op == "sym":
            return values[self.args[0]]
        return rebuild(self.op, [a.subs(values) if isinstance(a, Expr) else a for a in self.args])

    @property
    def is_const(self) -> bool:
        return self.op == "const"

    def python(self, names: Mapping[str, str] | None = None) -> str:
        """Python text; `names` says what to write for each symbol (its own name where it says nothing)."""
        from .text import python_text

        return python_text(self, names or {})

    def c(self, names: Mapping[str, str] | None = None, nonnegative: Callable[[Expr], bool] | None = None) -> str:
        """OpenCL C text with Python's floor semantics; `nonnegative(e)` may promise that plain `/` and `%` will do."""
        from .text import c_text

        return c_text(self, names or {}, nonnegative)

    def __str__(self) -> str:
        return self.python()

    __repr__ = __str__

    def __reduce__(self) -> Any:
        return (_restore, (self.op, self.args, self.kind))


def make(op: str, args: tuple, kind: str) -> Expr:
    """The one object for this node. The caller has brought `args` into normal form."""
    key = (op, type(args[0]), repr(args[0])) if op == "const" else (op, kind, args)
    found = Expr._all.get(key)
    if found is None:
        found = object.__new__(Expr)
        found.op, found.args, found.kind = op, args, kind
        if op == "sym":
            found.free = frozenset(args)
            found.key = re.sub(r"\d+", lambda m: m.group().zfill(6), args[0])
        elif op == "const":
            found.free, found.key = NO_NAMES, repr(args[0])
        else:
            found.free = NO_NAMES.union(*[a.free for a in args if isinstance(a, Expr)])
            found.key = f"~{op}({','.join(a.key if isinstance(a, Expr) else str(a) for a in args)})"
        Expr._all[key] = found
    return found


def _restore(op: str, args: tuple, kind: str) -> Expr:
    return make(op, args, kind)


def const(value: Any) -> Expr:
    kind = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "float"
    return make("const", (value,), kind)


def sym(name: str, kind: str = "int") -> Expr:
    return make("sym", (name,), kind)


ZERO, ONE = const(0), const(1)
TRUE, FALSE = const(True), const(False)


# -- polynomials ------------------------------------------------------------------------------------------------------
def terms(e: Expr) -> Terms:
    """An integer expression as monomial -> coefficient; the constant's monomial is ()."""
    if e.op == "const":
        return {(): int(e.args[0])} if e.args[0] else {}
    if e.op == "add":
        return dict(_term(a) for a in e.args)
    return dict([_term(e)])


def _term(e: Expr) -> tuple[tuple, int]:
    if e.op == "const":
        return (), e.args[0]
    if e.op == "mul":
        head = e.args[0]
        return (e.args[1:], head.args[0]) if head.op == "const" else (e.args, 1)
    return (e,), 1


def from_terms(parts: Terms) -> Expr:
    """The normal form of a polynomial: highest degree first, the constant last."""
    kept = sorted(((m, c) for m, c in parts.items() if c), key=lambda mc: (-len(mc[0]), [a.key for a in mc[0]]))
    if not kept:
        return ZERO
    nodes = [_monomial(m, c) for m, c in kept]
    return nodes[0] if len(nodes) == 1 else make("add", tuple(nodes), "int")


def _monomial(atoms: tuple, coefficient: int) -> Expr:
    if not atoms:
        return const(coefficient)
    if coefficient == 1:
        return atoms[0] if len(atoms) == 1 else make("mul", atoms, "int")
    return make("mul", (const(coefficient), *atoms), "int")


def _sorted(atoms: tuple) -> tuple:
    return tuple(sorted(atoms, key=lambda a: a.key))


def add(*items: Expr) -> Expr:
    """Sum of integer expressions."""
    total: Terms = {}
    for e in items:
        for m, c in terms(e).items():
            total[m] = total.get(m, 0) + c
    return from_terms(total)


def scale(e: Expr, factor: int) -> Expr:
    return from_terms({m: c * factor for m, c in terms(e).items()})


def neg(e: Expr) -> Expr:
    return scale(e, -1)


def sub(a: Expr, b: Expr) -> Expr:
    return add(a, neg(b))


def mul(*items: Expr) -> Expr:
    """Product of integer expressions, multiplied out."""
    total: Terms = {(): 1}
    for e in items:
        other = terms(e)
        if len(total) * len(other) > EXPAND_LIMIT:
            other = {(e,): 1}
            total = {(from_terms(total),): 1}
        product: Terms = {}
        for m1, c1 in total.items():
            for m2, c2 in other.items():
                m = _sorted(m1 + m2)
                product[m] = product.get(m, 0) + c1 * c2
        total = product
    return from_terms(total)


def _without(atoms: tuple, gone: tuple) -> tuple | None:
    """`atoms` with the multiset `gone` taken out; None when it is not contained."""
    left = list(atoms)
    for a in gone:
        if a not in left:
            return None
        left.remove(a)
    return tuple(left)


def exact_quotient(a: Expr, b: Expr) -> Expr | None:
    """The polynomial q with a == b*q, or None. Long division by the leading term of b."""
    divisor = terms(b)
    lead = min(divisor, key=lambda m: (-len(m), [x.key for x in m]))
    rest = terms(a)
    quotient: Terms = {}
    for _ in range(EXPAND_LIMIT):
        if not rest:
            return from_terms(quotient)
        top = min(rest, key=lambda m: (-len(m), [x.key for x in m]))
        m = _without(top, lead)
        if m is None or rest[top] % divisor[lead]:
            return None
        c = rest[top] // divisor[lead]
        quotient[m] = c
        for dm, dc in divisor.items():
            at = _sorted(dm + m)
            rest[at] = rest.get(at, 0) - c * dc
            if not rest[at]:
                del rest[at]
    return None


def content(parts: Terms) -> tuple[int, tuple]:
    """Greatest common integer factor (positive) and common atoms of all terms."""
    g = 0
    common: list[Expr] | None = None
    for m, c in parts.items():
        g = math.gcd(g, c)
        if common is None:
            common = list(m)
        else:
            common = _common(tuple(common), m)
    return g, tuple(common or ())


def _split(a: Expr, b: Expr) -> tuple[Expr, Expr, Expr]:
    """(q, r, b) with a == b*q + r: every part of `a` that `b` divides is taken out, so a // b == q + r // b and
    a % b == r % b."""
    whole = exact_quotient(a, b)
    if whole is not None:
        return whole, ZERO, b
    divisor = terms(b)
    q: Terms = {}
    r = terms(a)
    if len(divisor) == 1:                                  # (b*q + r) // b == q + r // b
        (bm, bc), = divisor.items()
        for m, c in list(r.items()):
            left = _without(m, bm)
            if left is None:
                continue
            k = c // bc if not m else c // bc if c % bc == 0 else 0
            if k:
                q[left] = q.get(left, 0) + k
                r[m] = c - k * bc
                if not r[m]:
                    del r[m]
    return from_terms(q), from_terms(r), b


def floordiv(a: Expr, b: Expr) -> Expr:
    """Python's a // b for integers."""
    if a.is_const and b.is_const and b.args[0]:
        return const(a.args[0] // b.args[0])
    if b is ONE:
        return a
    if b.is_const and not b.args[0]:
        return make("floordiv", (a, b), "int")             # raises when evaluated, as the script would
    if b.is_const and b.args[0] < 0:                       # a // -n == -a // n
        return floordiv(neg(a), neg(b))
    q, r, d = _split(a, b)
    if r is ZERO:
        return q
    rg, rm = content(terms(r))
    if d.is_const:                                         # (g*x + k) // (g*n) == (x + k//g) // n for g > 0
        g = math.gcd(_variable_content(r), d.args[0])
        if g > 1:
            r = from_terms({m: c // g for m, c in terms(r).items()})
            d = const(d.args[0] // g)
            return add(q, floordiv(r, d))
        if r.op == "floordiv" and r.args[1].is_const:      # (x//m) // n == x // (m*n) for n > 0
            return add(q, floordiv(r.args[0], mul(r.args[1], d)))
    else:                                                  # (g*x) // (g*y) == x // y
        dg, dm = content(terms(d))
        g = math.gcd(rg, dg)
        shared = _common(rm, dm)
        if g > 1 or shared:
            by = _monomial(_sorted(tuple(shared)), g)
            r2, d2 = exact_quotient(r, by), exact_quotient(d, by)
            assert r2 is not None and d2 is not None
            return add(q, floordiv(r2, d2))
    return add(q, make("floordiv", (r, d), "int"))


def _variable_content(e: Expr) -> int:
    g = 0
    for m, c in terms(e).items():
        if m:
            g = math.gcd(g, c)
    return g


def _common(a: tuple, b: tuple) -> list:
    left, both = list(b), []
    for x in a:
        if x in left:
            left.remove(x)
            both.append(x)
    return both


def mod(a: Expr, b: Expr) -> Expr:
    """Python's a % b for integers (the sign of b)."""
    if a.is_const and b.is_const and b.args[0]:
        return const(a.args[0] % b.args[0])
    if b.is_const and not b.args[0]:
        return make("mod", (a, b), "int")
    if b.is_const and b.args[0] < 0:                       # a % -n == -(-a % n)
        return neg(mod(neg(a), neg(b)))
    _, r, _ = _split(a, b)
    if r.is_const and b.is_const:
        return const(r.args[0] % b.args[0])
    if r is ZERO:
        return ZERO
    if r.op == "mod" and r.args[1] is b:                   # (x % b) % b == x % b
        return r
    rg, rm = content(terms(r))
    bg, bm = content(terms(b))
    g, shared = math.gcd(rg, bg), _common(rm, bm)
    if g > 1 or shared:                                    # (g*x) % (g*y) == g * (x % y)
        by = _monomial(_sorted(tuple(shared)), g)
        r2, b2 = exact_quotient(r, by), exact_quotient(b, by)
        assert r2 is not None and b2 is not None
        return mul(by, mod(r2, b2))
    return make("mod", (r, b), "int")


def _extreme(op: str, pick: Callable[..., int], items: tuple[Expr, ...]) -> Expr:
    flat: list[Expr] = []
    for e in items:
        flat += e.args if e.op == op else (e,)
    best: dict[Expr, int] = {}                             # variable part -> the extreme of the constants beside it
    for e in flat:
        parts = terms(e)
        k = parts.pop((), 0)
        v = from_terms(parts)
        best[v] = k if v not in best else pick(best[v], k)
    kept = sorted((add(v, const(k)) for v, k in best.items()), key=lambda e: (e.is_const, e.key))
    return kept[0] if len(kept) == 1 else make(op, tuple(kept), "int")


def maximum(*items: Expr) -> Expr:
    return _extreme("max", max, items)


def minimum(*items: Expr) -> Expr:
    return _extreme("min", min, items)


def power(a: Expr, b: Expr) -> Expr:
    """a ** b for integers and b >= 0 (the caller has made sure)."""
    if b.is_const and (a.is_const or 0 <= b.args[0] <= 16):
        return const(a.args[0] ** b.args[0]) if a.is_const else mul(*[a] * b.args[0])
    return make("pow", (a, b), "int")


# -- floats: as written -----------------------------------------------------------------------------------------------
def apply(name: str, *args: Expr) -> Expr:
    """A float operation ("fadd", "truediv", "sqrt", ...) or a conversion ("int", "floor"); constants are computed."""
    kind = "int" if name in TO_INT else "float"
    if all(a.is_const for a in args):
        try:
            return const(EVALUATE[name](*[a.args[0] for a in args]))
        except (ArithmeticError, ValueError):
            pass
    if name in TO_INT and args[0].kind != "float":
        return args[0]
    return make(name, args, kind)


def same_sign(x: float) -> float:
    """1.0 or -1.0: tells -0.0 from 0.0."""
    return math.copysign(1.0, x)


def _product(*items: Any) -> Any:
    total = items[0]
    for x in items[1:]:
        total = total * x
    return total


TO_INT = ("int", "floor", "ceil", "round")
EVALUATE: dict[str, Callable[..., Any]] = {
    "add": lambda *a: sum(a), "mul": _product, "floordiv": operator.floordiv, "mod": operator.mod,
    "max": max, "min": min, "pow": operator.pow,
    "fadd": operator.add, "fsub": operator.sub, "fmul": operator.mul, "truediv": operator.truediv,
    "ffloordiv": operator.floordiv, "fmod": operator.mod, "fpow": operator.pow, "fneg": operator.neg,
    "fabs": abs, "fmax": max, "fmin": min, "float": float, "sign": same_sign,
    "int": int, "floor": math.floor, "ceil": math.ceil, "round": round, "round_to": round,
    **{f: getattr(math, f) for f in ("sqrt", "exp", "log", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan",
                                     "sinh", "cosh", "tanh", "erf")},
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "not": operator.not_,
    "and": lambda *a: all(a), "or": lambda *a: any(a),
}


def rebuild(op: str, args: list) -> Expr:
    """The node `op` over new arguments, in normal form."""
    if op in _BUILD:
        return _BUILD[op](*args)
    if op in ("eq", "ne", "lt", "le", "not", "and", "or"):
        from . import relations

        return relations.BUILD[op](*args)
    return apply(op, *args)


_BUILD: dict[str, Callable[..., Expr]] = {"add": add, "mul": mul, "floordiv": floordiv, "mod": mod, "max": maximum,
                                          "min": minimum, "pow": power}
