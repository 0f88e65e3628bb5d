"""What is known about symbols: ranges, bounds of linear combinations, equalities. Answers relations for certain or not.

`answer` says True or False only when the relation holds, or fails, for every assignment that agrees with what was
learned. Floats are compared by their very relation only (NaN and rounding make anything more a trap).
"""

from __future__ import annotations

import math
from typing import Any

from . import expr as E
from .expr import ZERO, Expr, const, sym, terms
from .relations import bound, difference, le, not_

INF = math.inf
Range = tuple[float, float]           # integers or -inf/inf, both ends included
EVERYTHING: Range = (-INF, INF)


def _endless(a: float) -> bool:
    return a == INF or a == -INF                          # math.isinf fails on ints beyond the range of floats


def _times(a: float, b: float) -> float:
    if a == 0 or b == 0:
        return 0
    return (INF if (a > 0) == (b > 0) else -INF) if _endless(a) or _endless(b) else a * b


def _plus(a: float, b: float) -> float:
    return a if _endless(a) else b if _endless(b) else a + b


def _multiply(a: Range, b: Range) -> Range:
    corners = [_times(x, y) for x in a for y in b]
    return min(corners), max(corners)


def _meet(a: Range, b: Range) -> Range:
    return max(a[0], b[0]), min(a[1], b[1])


def _floor(a: float, b: float) -> float:
    """a // b for b > 0, with infinities."""
    if _endless(b):
        return (INF if a == INF else 0) if a >= 0 else -1 if a != -INF else -INF
    return a if _endless(a) else a // b


class Facts:
    """A growing set of known relations. `learn` adds one that holds; `simplify` rewrites by what is known."""

    def __init__(self) -> None:
        self.ranges: dict[str, Range] = {}               # symbol -> range
        self.upper: dict[Expr, int] = {}                 # p -> k: p <= k, p free of a constant
        self.known: dict[Expr, bool] = {}                # relations by themselves: floats, alternatives, !=
        self.symbols: dict[str, Expr] = {}               # replaced symbol -> what it equals
        self.rules: dict[Expr, Expr] = {}                # atom (s0 % 2, s0//s1) -> what it equals
        self.version = 0
        self._simple: dict[Expr, Expr] = {}
        self._range: dict[Expr, Range] = {}

    # -- ranges -------------------------------------------------------------------------------------------------------
    def range(self, e: Expr) -> Range:
        """Bounds of an integer expression; never too narrow."""
        found = self._range.get(e)
        if found is None:
            self._range[e] = EVERYTHING                   # no endless recursion through facts
            found = self._range[e] = self._bounds(e)
        return found

    def _bounds(self, e: Expr) -> Range:
        op, args = e.op, e.args
        if op == "const":
            return args[0], args[0]
        if e.kind != "int":
            return EVERYTHING
        if op == "sym":
            return self.ranges.get(args[0], EVERYTHING)
        if op == "add":
            parts = terms(e)
            k = parts.pop((), 0)
            low: float = 0
            high: float = 0
            for m, c in parts.items():
                term = self.range(E.from_terms({m: c}))
                low, high = _plus(low, term[0]), _plus(high, term[1])
            found: Range = _meet(_meet((low, high), self._factored(parts)), self._undivided(parts))
            if k:
                found = _meet(found, self._known_bounds(E.from_terms(parts)))
                return _plus(found[0], k), _plus(found[1], k)
        elif op == "mul":
            found = (1, 1)
            for x in dict.fromkeys(args):
                found = _multiply(found, self._power(self.range(x), args.count(x)))
        elif op == "floordiv":
            found = self._quotient(*map(self.range, args))
        elif op == "mod":
            a, b = map(self.range, args)
            found = EVERYTHING
            if b[0] > 0:
                found = a if a[0] >= 0 and a[1] < b[0] else (0, min(b[1] - 1, a[1] if a[0] >= 0 else INF))
            elif b[1] < 0:
                found = (b[0] + 1, 0)
        elif op in ("max", "min"):
            pick = max if op == "max" else min
            each = [self.range(x) for x in args]
            found = pick(r[0] for r in each), pick(r[1] for r in each)
        elif op == "pow":
            a, b = map(self.range, args)
            found = (1, INF) if a[0] >= 1 and b[0] >= 0 else (0, INF) if a[0] >= 0 else EVERYTHING
        else:
            found = EVERYTHING
        return _meet(found, self._known_bounds(e))

    def _known_bounds(self, p: Expr) -> Range:
        return -self.upper.get(E.neg(p), INF), self.upper.get(p, INF)

    def _factored(self, parts: E.Terms) -> Range:
        """Bounds through a common factor: s0*s1 - s0 is s0 times (s1 - 1)."""
        _, common = E.content(parts)
        if not common:
            return EVERYTHING
        by = E.from_terms({common: 1})
        rest = E.exact_quotient(E.from_terms(parts), by)
        assert rest is not None
        return _multiply(self.range(by), self.range(rest))

    def _undivided(self, parts: E.Terms) -> Range:
        """Bounds through n * (a // n) == a - m with 0 <= m < n: shows that s0//2 <= s0."""
        for m, c in parts.items():
            divided = len(m) == 1 and m[0].op == "floordiv" and m[0].args[1].is_const
            if divided and m[0].args[1].args[0] > 0:
                a, n = m[0].args[0], m[0].args[1].args[0]
                rest = {key: v * n for key, v in parts.items() if key != m}
                low, high = self.range(E.add(E.from_terms(rest), E.scale(a, c)))
                left = sorted((0, -c * (n - 1)))
                low, high = _plus(low, left[0]), _plus(high, left[1])
                return (low if _endless(low) else -(-low // n)), _floor(high, n)
        return EVERYTHING

    @staticmethod
    def _power(r: Range, n: int) -> Range:
        if n == 1:
            return r
        ends = [x**n for x in r]
        return (0 if r[0] <= 0 <= r[1] else min(ends), max(ends)) if n % 2 == 0 else (ends[0], ends[1])

    @staticmethod
    def _quotient(a: Range, b: Range) -> Range:
        if b[1] < 0:
            a, b = (-a[1], -a[0]), (-b[1], -b[0])
        if b[0] <= 0:
            return EVERYTHING
        corners = [_floor(x, y) for x in a for y in b]
        return min(corners), max(corners)

    def nonnegative(self, e: Expr) -> bool:
        return e.kind == "int" and self.range(self.simplify(e))[0] >= 0

    # -- rewriting ----------------------------------------------------------------------------------------------------
    def simplify(self, e: Expr) -> Expr:
        """An equal expression in which known equalities and ranges were used."""
        if e.op == "const":
            return e
        found = self._simple.get(e)
        if found is None:
            found = e
            for _ in range(8):
                after = self._rewrite(found.subs(self.symbols))
                if after is found:
                    break
                found = after
            self._simple[e] = found
        return found

    def _rewrite(self, e: Expr) -> Expr:
        if e.op in ("const", "sym"):
            return e
        args = [self._rewrite(a) if isinstance(a, Expr) else a for a in e.args]
        if any(a is not b for a, b in zip(args, e.args)):
            e = E.rebuild(e.op, args)
        if e in self.rules:
            return self.rules[e]
        op, args = e.op, list(e.args)
        if op in ("eq", "ne"):
            return self.reduced(e)
        if op == "mul":
            return self._whole_quotients(e)
        if op in ("floordiv", "mod"):
            a, b = map(self.range, args)
            if a[0] >= 0 and a[1] < b[0]:                  # 0 <= a < b
                return ZERO if op == "floordiv" else args[0]
        elif op in ("max", "min"):
            best = list(args)
            for x in args:
                if any(y is not x and self._never_beats(op, x, y) for y in best) and len(best) > 1:
                    best.remove(x)
            if len(best) < len(args):
                return E.rebuild(op, best)
        return e

    def reduced(self, relation: Expr) -> Expr:
        """s0 * (s1 % 2) == 0 as s1 % 2 == 0, since s0 is not 0; any other relation as it is."""
        if relation.op not in ("eq", "ne") or any(x.kind != "int" for x in relation.args):
            return relation
        p, k, _ = difference(*relation.args)
        if k:
            return relation
        _, common = E.content(terms(p))
        sure = [x for x in common if not self.range(x)[0] <= 0 <= self.range(x)[1]]
        rest = E.exact_quotient(p, E.mul(E.ONE, *sure)) if sure else None
        return E.rebuild(relation.op, [rest, ZERO]) if rest is not None else relation

    def _never_beats(self, op: str, x: Expr, y: Expr) -> bool:
        low, high = self.range(E.sub(x, y))
        return high <= 0 if op == "max" else low >= 0

    def _whole_quotients(self, e: Expr) -> Expr:
        """b * (a // b) is a - a % b: worth it when a % b is known."""
        for x in e.args:
            if x.op == "floordiv":
                a, b = x.args
                left = E.mod(a, b)
                left = self.rules.get(left, left)
                rest = E.exact_quotient(e, E.mul(b, x)) if left.is_const else None
                if rest is not None:
                    return E.mul(E.sub(a, left), rest)
        return e

    # -- answering ----------------------------------------------------------------------------------------------------
    def answer(self, relation: Expr) -> bool | None:
        """True or False when certain, else None."""
        r = self.simplify(relation)
        if r.is_const:
            return bool(r.args[0])
        found = self.known.get(r, self.known.get(relation))
        if found is not None:
            return found
        if r.op == "not":
            inner = self.answer(r.args[0])
            return None if inner is None else not inner
        if r.op in ("and", "or"):
            each = [self.answer(x) for x in r.args]
            decisive = r.op == "or"
            return decisive if decisive in each else (not decisive if None not in each else None)
        if r.op not in ("eq", "ne", "lt", "le"):
            return None
        if any(x.kind == "float" for x in r.args):
            return self._floats(r)
        if r.op in ("eq", "ne"):
            p, k, g = difference(*r.args)
            low, high = self.range(p)
            if not low <= k // g <= high:
                return r.op == "ne"
            return (r.op == "eq") if low == high else None
        p, limit = bound(r)
        low, high = self.range(p)
        return True if high <= limit else False if low > limit else None

    def _floats(self, r: Expr) -> bool | None:
        """A float against a constant below all that it can be."""
        a, b = r.args
        if b.is_const and b.args[0] < self._least(a):
            return r.op == "ne"
        return True if a.is_const and a.args[0] < self._least(b) and r.op in ("lt", "le") else None

    def _least(self, e: Expr) -> float:
        """A number that a float expression is never below (and then not NaN either); -inf when unknown."""
        if e.kind == "int":
            return self.range(e)[0]
        if e.op in ("sqrt", "float"):
            low = self._least(e.args[0])
            return min(1.0, math.sqrt(low)) if low >= 0 else -INF
        if e.op == "fpow" and e.args[1].is_const and e.args[1].args[0] >= 0:
            return 1.0 if self._least(e.args[0]) >= 1 else -INF
        return -INF

    # -- learning -----------------------------------------------------------------------------------------------------
    def set_range(self, name: str, low: float, high: float = INF) -> None:
        self.ranges[name] = _meet(self.ranges.get(name, EVERYTHING), (low, high))
        self._forget()

    def _forget(self) -> None:
        self.version += 1
        self._simple.clear()
        self._range.clear()

    def learn(self, relation: Expr) -> None:
        """Add a relation that holds."""
        r = self.simplify(relation)
        self._note(relation)
        if r.is_const:
            return
        self._note(r)
        if r.op == "and":
            for x in r.args:
                self.learn(x)
        elif r.op in ("lt", "le") and all(x.kind == "int" for x in r.args):
            self._bound(*bound(r))
        elif r.op == "ne" and all(x.kind == "int" for x in r.args):
            p, k, g = difference(*r.args)
            low, high = self.range(p)
            if low == k // g:
                self._bound(E.neg(p), -(k // g) - 1)
            if high == k // g:
                self._bound(p, k // g - 1)
        elif r.op == "eq":
            if all(x.kind == "int" for x in r.args):
                self._equal(r)
            elif r.args[0].op == "sym" and r.args[0].kind == "float" and r.args[1].is_const and r.args[1].args[0]:
                self._replace(r.args[0].args[0], const(float(r.args[1].args[0])))
        self._forget()

    def _note(self, relation: Expr) -> None:
        """Float relations, alternatives and != are known by themselves; the rest is in ranges and rules."""
        self.known[relation] = True
        self.known[not_(relation)] = False
        self._forget()

    def _bound(self, p: Expr, k: int) -> None:
        self.upper[p] = min(k, self.upper.get(p, k))
        for sign, q in ((1, p), (-1, E.neg(p))):           # what is known of a // n says something of a
            if q.op == "floordiv" and q.args[1].is_const:
                n = q.args[1].args[0]
                self._restate(le(q.args[0], const(k * n + n - 1)) if sign > 0 else le(const(-k * n), q.args[0]))
        if p.op == "sym":
            self.set_range(p.args[0], -INF, k)
        elif p.op == "mul" and len(p.args) == 2 and p.args[0].is_const and p.args[1].op == "sym":
            self.set_range(p.args[1].args[0], -k)          # the factor is -1: bounds have no common factor
        self._forget()

    def _equal(self, r: Expr) -> None:
        p, k, g = difference(*r.args)
        k //= g
        parts = terms(p)
        self._bound(p, k)
        self._bound(E.neg(p), -k)
        solved = self._solvable(parts)
        if solved is not None:
            c = parts.pop((sym(solved),))
            self._replace(solved, E.scale(E.sub(const(k), E.from_terms(parts)), c))
            return
        for m, c in parts.items():                         # an atom such as s0 % 2 that stands alone
            if len(m) == 1 and abs(c) == 1 and m[0].op != "sym":
                others = {n: d for n, d in parts.items() if n != m}
                value = E.scale(E.sub(const(k), E.from_terms(others)), c)
                if value.is_const:
                    self.rules[m[0]] = value
                    return

    @staticmethod
    def _solvable(parts: E.Terms) -> str | None:
        """A symbol that stands alone with factor 1 or -1: the youngest, so that s1 becomes s0."""
        found = []
        for m, c in parts.items():
            if len(m) == 1 and abs(c) == 1 and m[0].op == "sym":
                name = m[0].args[0]
                if not any(name in x.free for n in parts for x in n if n != m):
                    found.append(m[0])
        return max(found, key=lambda s: s.key).args[0] if found else None

    def _replace(self, name: str, value: Expr) -> None:
        """From now on `name` is written as `value`; all that was known is restated."""
        change = {name: value}
        low, high = self.ranges.get(name, EVERYTHING)
        self.symbols = {n: e.subs(change) for n, e in self.symbols.items()} | change
        self.rules = {a.subs(change): e.subs(change) for a, e in self.rules.items() if not a.subs(change).is_const}
        self.known.update({r.subs(change): v for r, v in self.known.items()})
        old, self.upper = self.upper, {}
        self._forget()
        for p, k in old.items():
            self._restate(le(p.subs(change), const(k)))
        if value.kind == "int":
            if low > -INF:
                self._restate(le(const(int(low)), value))
            if high < INF:
                self._restate(le(value, const(int(high))))

    def _restate(self, relation: Expr) -> None:
        if relation.op == "le":
            self._bound(*bound(relation))

    def values(self, name: str) -> Any:
        """The single value that a symbol can have, or None."""
        e = self.simplify(sym(name))
        if e.is_const:
            return e.args[0]
        low, high = self.range(e)
        return int(low) if low == high else None
