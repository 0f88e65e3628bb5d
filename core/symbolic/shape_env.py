"""The symbols of one artifact: where each comes from, its value at capture, and every decision taken about them.

`decide` answers a relation. What follows from the facts needs no guard; anything else is answered by the values at
capture and becomes a guard with the place in the script that asked. `guards` are those that are not implied by others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..graph.node import Span
from ..guards.origin import Origin, SizeOrigin
from . import expr as E
from .expr import Expr, const, sym
from .facts import INF, Facts
from .relations import and_, bound, eq, le, ne, not_
from .symint import SymFloat, SymInt, _number

LOWEST = {"size": 2, "unbacked": 1, "stride": 2}
DATA_HINTS: dict[str, Any] = {"int": 3, "float": 1.5}        # only so that arithmetic has something to work on
APART = {2: "sizes 0 and 1 are compiled separately", 1: "a size of 0 is compiled separately"}
CROSS_CHECK = 48                      # with more guards than this only bounds of the same expression are compared


@dataclass(frozen=True, slots=True)
class SymGuard:
    """A relation that must hold, the place in the script that needed it, and why in a clause."""

    relation: Expr
    span: Span | None = None
    why: str = ""

    def text(self, names: dict[str, str] | None = None) -> str:
        return self.relation.python(names)


class ShapeEnv:
    """`duck`: sizes with equal values share one symbol (dynamic=True). `span`: gives the place being evaluated."""

    def __init__(self, duck: bool = False) -> None:
        self.duck = duck
        self.facts = Facts()
        self.hints: dict[str, Any] = {}
        self.kinds: dict[str, str] = {}
        self.bindings: dict[str, Origin] = {}
        self.span: Callable[[], Span | None] = lambda: None
        self.why = ""                                      # set while something is done that explains all decisions
        self._aliases: dict[str, str] = {}                 # second origin's name -> the symbol it shares
        self._by_origin: dict[Origin, str] = {}
        self.data: set[str] = set()                        # symbols of numbers read out of tensors: no value is known
        self._recorded: list[SymGuard] = []
        self._counts = {"s": 0, "f": 0}

    # -- symbols ------------------------------------------------------------------------------------------------------
    def new_symbol(self, origin: Origin, hint: int | float, kind: str = "size") -> Any:
        """The symbol for what `origin` names: s0, s1, ... (f0, ... for floats). The same origin gives the same symbol.
        kind: "size" (at least 2), "unbacked" (a size that is at least 1), "stride" (at least 2), "int", "float"."""
        known = self._by_origin.get(origin)
        if known is None:
            known = self._by_origin[origin] = self._name(origin, hint, kind)
        known = self._aliases.get(known, known)
        cls = SymFloat if kind == "float" else SymInt
        return cls(sym(known, "float" if kind == "float" else "int"), self, self.hints[known])

    def _name(self, origin: Origin, hint: int | float, kind: str) -> str:
        shared = next((n for n, h in self.hints.items() if h == hint and self.kinds[n] == "size"
                       and n not in self._aliases), None) if self.duck and kind == "size" else None
        if shared is not None:
            name = f"{shared}_{sum(n == shared for n in self._aliases.values()) + 1}"
        else:
            letter = "f" if kind == "float" else "s"
            name = f"{letter}{self._counts[letter]}"
            self._counts[letter] += 1
        self.hints[name], self.kinds[name], self.bindings[name] = hint, kind, origin
        if kind in LOWEST:
            self.facts.set_range(name, LOWEST[kind])
        if shared is not None:
            self._aliases[name] = shared
            self._record(eq(sym(name), sym(shared)), "equal sizes share one symbol")
        return name

    def data_symbol(self, kind: str) -> Any:
        """The symbol for a number that the graph reads out of a tensor: u0, u1, ... kind: "int" or "float"."""
        name = f"u{len(self.data)}"
        self.data.add(name)
        self.kinds[name], self.hints[name] = f"data {kind}", DATA_HINTS[kind]
        return (SymFloat if kind == "float" else SymInt)(sym(name, kind), self, DATA_HINTS[kind])

    def is_data(self, value: Expr) -> bool:
        """Whether the value depends on a tensor's elements, so that only the run knows it."""
        return not self.data.isdisjoint(value.free)

    def _must_be_known(self, value: Expr, what: str) -> None:
        if self.is_data(value):
            from ..graph.fake import NeedsData

            raise NeedsData(what)

    def sources(self, name: str) -> list[Origin]:
        """Every place that the symbol stands for (several only when equal sizes share it)."""
        return [self.bindings[name]] + [self.bindings[a] for a, of in self._aliases.items() if of == name]

    def free_symbols(self) -> list[str]:
        """Symbols that can still take several values; a name that stands for another symbol's second place is none."""
        return [n for n in self.bindings if n not in self._aliases and self.facts.values(n) is None]

    def names(self) -> dict[str, str]:
        """Symbol -> what people call it: x.shape[0]."""
        return {name: origin.text for name, origin in self.bindings.items()}

    # -- decisions ----------------------------------------------------------------------------------------------------
    def decide(self, relation: Expr, why: str = "") -> bool:
        """Whether the relation holds; records a guard unless the answer follows from what is known."""
        answer = self.facts.answer(relation)
        if answer is None:
            self._must_be_known(relation, "")
            answer = bool(relation.evaluate(self.hints))
            self._record(self.facts.reduced(relation if answer else not_(relation)), why)
        return answer

    def specialise(self, value: Expr, why: str = "") -> Any:
        """The number that `value` has in this call, which it is pinned to by a guard."""
        value = self.facts.simplify(value)
        self._must_be_known(value, f"a number that is {why}" if why else "a number")
        number = value.evaluate(self.hints)
        if value.is_const:
            return number
        if value.kind != "float":
            relation = eq(value, const(number))
        elif math.isnan(number):
            relation = ne(value, value)
        else:
            relation = eq(value, const(number))
            if number == 0:                                # tells -0.0 from 0.0
                relation = and_(relation, eq(E.apply("sign", value), const(E.same_sign(number))))
        if self.facts.answer(relation) is not True:
            self._record(relation, why or "the value itself was needed")
        return number

    def assume(self, relation: Expr, why: str = "") -> None:
        """Record a relation that the caller knows to hold for this call."""
        if self.facts.answer(relation) is not True:
            self._must_be_known(relation, "")
            self._record(relation, why)

    def _record(self, relation: Expr, why: str) -> None:
        self._recorded.append(SymGuard(relation, self.span(), self.why or why or "compared here"))
        self.facts.learn(relation)

    # -- guards -------------------------------------------------------------------------------------------------------
    @property
    def recorded(self) -> list[SymGuard]:
        """Every decision, in order."""
        return list(self._recorded)

    def _base(self) -> list[SymGuard]:
        return [SymGuard(le(const(LOWEST[kind]), sym(n)), None, APART[LOWEST[kind]])
                for n, kind in self.kinds.items() if kind in LOWEST and n not in self._aliases]

    def guards(self) -> list[SymGuard]:
        """What must hold for another call: implied relations dropped, the base bound joined to an upper one."""
        kept = _needed(self._base() + self._recorded)
        return self._joined(kept)

    def _joined(self, kept: list[SymGuard]) -> list[SymGuard]:
        """`2 <= s0` (asked by nobody) and `s0 <= 31` (asked in line 7) become `2 <= s0 <= 31`."""
        out: list[SymGuard] = []
        base = {g.relation.args[1]: g for g in kept if g.span is None and g.relation.op == "le"
                and g.relation.args[0].is_const and g.relation.args[1].op == "sym"}
        for g in kept:
            r = g.relation
            low = base.get(r.args[0]) if r.op in ("lt", "le") and r.args[1].is_const else None
            if low is not None and low is not g:
                out.append(replace(g, relation=and_(low.relation, r)))
                out = [x for x in out if x is not low]
                kept = [x for x in kept if x is not low]
                del base[r.args[0]]
            elif g in kept:
                out.append(g)
        return out

    def pinned(self, symbol: str) -> list[SymGuard]:
        """The decisions, in order, that left a symbol a single value; empty when it is free."""
        if self.facts.values(symbol) is None:
            return []
        linked = {symbol}
        for _ in range(len(self._recorded)):
            more = {n for g in self._recorded if g.relation.op == "eq" and not linked.isdisjoint(g.relation.free)
                    for n in g.relation.free}
            if more <= linked:
                break
            linked |= more
        return [g for g in self._recorded if not linked.isdisjoint(g.relation.free)]

    def led_here(self, decision: SymGuard) -> str:
        """The other decisions that together with this one leave a symbol a single value, as a clause: "; with
        y.shape[0] == 4 (line 7: compared here)"; "" when this one does so alone."""
        chain: dict[int, SymGuard] = {}
        for name in sorted(decision.relation.free):
            pinned = self.pinned(name)
            if len(pinned) > 1:
                chain |= {id(g): g for g in pinned if g.relation != decision.relation}
        names = self.names()
        said = [f"{g.text(names)} ({f'line {g.span.line}: ' if g.span is not None else ''}{g.why})" for g in chain.values()]
        return f"; with {', '.join(said)}" if said else ""

    def range(self, name: str) -> tuple[float, float]:
        """Smallest and largest value that the guards allow (-inf, inf where there is no bound)."""
        return self.facts.range(self.facts.simplify(sym(name)))


def _needed(guards: Iterable[SymGuard]) -> list[SymGuard]:
    """The guards without those that the others imply."""
    kept: list[SymGuard] = []
    tightest: dict[Expr, int] = {}
    for g in guards:
        if g.relation.op in ("lt", "le") and all(x.kind == "int" for x in g.relation.args):
            p, k = bound(g.relation)
            tightest[p] = min(k, tightest.get(p, k))
    seen: set[Expr] = set()
    for g in guards:
        if g.relation in seen:
            continue
        seen.add(g.relation)
        if g.relation.op in ("lt", "le") and all(x.kind == "int" for x in g.relation.args):
            p, k = bound(g.relation)
            if k > tightest[p]:
                continue
        kept.append(g)
    if len(kept) > CROSS_CHECK:
        return kept
    for g in kept[::-1]:
        facts = Facts()
        for other in kept:
            if other is not g:
                facts.learn(other.relation)
        if facts.answer(g.relation) is True:
            kept.remove(g)
    return kept


# -- strides ----------------------------------------------------------------------------------------------------------
def stride_expressions(sizes: Iterable[Any], strides: Iterable[int], env: ShapeEnv, origin: Origin,
                       varying: Iterable[int] = ()) -> tuple:
    """The strides of a tensor. With symbolic sizes, a stride that is a smaller stride times its size is that expression
    (the equality becomes a guard), and one that nothing explains is a symbol of its own; strides of 0 and 1 stay ints.
    With ints as sizes only those in `varying` are symbols."""
    sizes, strides, varying = tuple(sizes), tuple(strides), frozenset(varying)
    known = all(isinstance(n, int) for n in sizes)
    found: dict[int, Any] = {}
    explained: dict[int, Any] = {}
    for stride, back in sorted((n, -i) for i, n in enumerate(strides)):
        i = -back
        row = i + 1 < len(sizes) and stride == _hint(sizes[i + 1]) * strides[i + 1]
        if i not in varying and stride in explained and (stride > 1 or row):
            found[i] = explained[stride]
            if isinstance(found[i], SymInt):
                own = env.new_symbol(SizeOrigin(origin, i, "stride"), stride, "stride")
                env.assume(eq(own.expr, found[i].expr), "stride follows from the sizes")
                found[i] = _number(found[i].expr, env, stride)
        elif stride > 1 and (i in varying or not known):
            found[i] = env.new_symbol(SizeOrigin(origin, i, "stride"), stride, "stride")
        else:
            found[i] = stride
        explained[_hint(sizes[i]) * stride] = sizes[i] * found[i]
    return tuple(found[i] for i in range(len(strides)))


def _hint(n: Any) -> int:
    return n.hint if isinstance(n, SymInt) else n


__all__ = ["INF", "ShapeEnv", "SymGuard", "stride_expressions"]
