"""Rules of builtins that go through an iterable: sum, max, any, sorted, next, reduce."""

from __future__ import annotations

import ast
from typing import Any

from ..symbolic import symint
from .calls import call
from .comparing import compare
from .containers import dict_items
from .function_values import IteratorValue
from .iterate import items_of, iterate, next_of
from .operator_rules import Rule
from .operators import binary
from .truth import truth
from .values import FALSE, NONE, TRUE, Const, DictValue, ListValue, Value


def b_sum(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    total = args[1] if len(args) > 1 else kwargs.get("start", Const(0))
    iterator = iterate(ev, args[0])
    start = ev.force(total)
    if isinstance(start, Const) and isinstance(start.value, str | bytes):
        kind, empty = ("strings", "''") if isinstance(start.value, str) else ("bytes", "b''")
        ev.raise_error(TypeError, f"sum() can't sum {kind} [use {empty}.join(seq) instead]")
    while (item := iterator.step()) is not None:
        total = binary(ev, ast.Add, total, item)
    return total


def extreme(pick_max: bool) -> Rule:
    name = "max" if pick_max else "min"
    better = ast.Gt if pick_max else ast.Lt

    def rule(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
        found = items_of(ev, args[0]) if len(args) == 1 else list(args)
        key = kwargs.get("key")
        if not found:
            if "default" in kwargs:
                return kwargs["default"]
            ev.raise_error(ValueError, f"{name}() arg is an empty sequence")
        items: list[Any] = [ev.force(v) for v in found]
        if key is None and all(isinstance(v, Const) and v.type in (int, float) for v in items) and len(items) > 1 \
                and any(v.symbolic for v in items):
            return Const(ev.native(symint.sym_max if pick_max else symint.sym_min, *[v.value for v in items]))
        if key is not None and not (isinstance(ev.force(key), Const) and ev.force(key).value is None):
            ranks = [call(ev, key, [v], {}) for v in items]
        else:
            ranks = items
        best = 0
        for i in range(1, len(items)):
            if truth(ev, compare(ev, better, ranks[i], ranks[best])):
                best = i
        return items[best]

    return rule


def b_any(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    iterator = iterate(ev, args[0])
    while (item := iterator.step()) is not None:
        if truth(ev, item):
            return TRUE
    return FALSE


def b_all(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    iterator = iterate(ev, args[0])
    while (item := iterator.step()) is not None:
        if not truth(ev, item):
            return FALSE
    return TRUE


class Ranked:
    """An item to be sorted by Python's own sort, compared as the script would."""

    __slots__ = ("ev", "rank", "item")

    def __init__(self, ev: Any, rank: Value, item: Value) -> None:
        self.ev, self.rank, self.item = ev, rank, item

    def __lt__(self, other: Ranked) -> bool:
        return truth(self.ev, compare(self.ev, ast.Lt, self.rank, other.rank))


def sort_values(ev: Any, items: list[Value], kwargs: dict[str, Value]) -> list[Value]:
    """Sorted by the script's rules; stable."""
    key = ev.force(kwargs.get("key", NONE))
    backwards = "reverse" in kwargs and truth(ev, kwargs["reverse"])
    by_value = isinstance(key, Const) and key.value is None
    ranked = [Ranked(ev, v if by_value else call(ev, key, [v], {}), v) for v in items]
    return [r.item for r in sorted(ranked, reverse=backwards)]


def b_sorted(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    from .values import SetValue

    source = ev.force(args[0])
    by_key = "key" in kwargs                        # ties then keep the order of the source
    if isinstance(source, SetValue) and not by_key:
        items = list(source.items.values())
    elif isinstance(source, DictValue) and not by_key:
        items = [k for k, _ in dict_items(ev, source, ordered=False)]
    else:
        items = items_of(ev, source)
    return ListValue(sort_values(ev, items, kwargs))


def b_iter(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    if len(args) == 2:
        function, sentinel = args

        def step() -> Value | None:
            item = call(ev, function, [], {})
            return None if truth(ev, compare(ev, ast.Eq, item, sentinel)) else item

        return IteratorValue(step)
    return iterate(ev, args[0])


def b_next(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return next_of(ev, args[0], args[1] if len(args) > 1 else None)


# -- functools, itertools, operator ----
def f_reduce(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    iterator = iterate(ev, args[1])
    total = args[2] if len(args) > 2 else iterator.step()
    if total is None:
        ev.raise_error(TypeError, "reduce() of empty iterable with no initial value")
        raise AssertionError
    while (item := iterator.step()) is not None:
        total = call(ev, args[0], [total, item], {})
    return total


