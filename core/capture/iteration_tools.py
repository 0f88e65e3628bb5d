"""The classes of itertools, lazily where theirs are."""

from __future__ import annotations

import ast
import itertools
from typing import Any

from .calls import call
from .function_values import IteratorValue
from .iterate import fixed, items_of, iterate
from .operator_rules import Rule
from .operators import binary
from .torch_calls import lower
from .values import NONE, Const, TupleValue, Value


def i_chain(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return chained(ev, fixed(list(args)))


def chained(ev: Any, sources: IteratorValue) -> Value:
    current: IteratorValue | None = None

    def step() -> Value | None:
        nonlocal current
        while True:
            if current is None:
                source = sources.step()
                if source is None:
                    return None
                current = iterate(ev, source)
            item = current.step()
            if item is not None:
                return item
            current = None

    return IteratorValue(step, itertools.chain)


def i_count(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    value = args[0] if args else kwargs.get("start", Const(0))
    by = args[1] if len(args) > 1 else kwargs.get("step", Const(1))

    def step() -> Value | None:
        nonlocal value
        now = value
        value = binary(ev, ast.Add, value, by)
        return now

    return IteratorValue(step, itertools.count)


def i_repeat(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    left = ev.force(args[1]).value if len(args) > 1 else None

    def step() -> Value | None:
        nonlocal left
        if left is not None:
            if left <= 0:
                return None
            left -= 1
        return args[0]

    return IteratorValue(step, itertools.repeat)


def i_islice(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    bounds = slice(*[lower(ev, a) for a in args[1:]])
    source = iterate(ev, args[0])
    wanted = iter(range(bounds.start or 0, bounds.stop if bounds.stop is not None else 1 << 60, bounds.step or 1))
    position = -1

    def step() -> Value | None:
        nonlocal position
        at = next(wanted, None)
        if at is None:
            return None
        item = None
        while position < at:
            item = source.step()
            position += 1
            if item is None:
                return None
        return item

    return IteratorValue(step, itertools.islice)


def i_accumulate(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    source = iterate(ev, args[0])
    function = args[1] if len(args) > 1 else kwargs.get("func", NONE)
    total: Value | None = kwargs.get("initial")
    first = total is not None

    def step() -> Value | None:
        nonlocal total, first
        if first:
            first = False
            return total
        item = source.step()
        if item is None:
            return None
        inner = ev.force(function)
        if total is None:
            total = item
        elif isinstance(inner, Const):
            total = binary(ev, ast.Add, total, item)
        else:
            total = call(ev, inner, [total, item], {})
        return total

    return IteratorValue(step, itertools.accumulate)


def combinatoric(real: Any) -> Rule:
    """product, permutations, combinations: on the items themselves, which need no reading."""

    def rule(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
        pools, rest = [], []
        for a in args:
            inner = ev.force(a)
            if isinstance(inner, Const) and isinstance(inner.value, int):
                rest.append(inner.value)
            else:
                pools.append(items_of(ev, inner))
        named = {k: lower(ev, v) for k, v in kwargs.items()}
        groups = ev.native(lambda: list(real(*pools, *rest, **named)))
        return fixed([TupleValue(list(group)) for group in groups], real)

    return rule


def i_zip_longest(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    fill = kwargs.get("fillvalue", NONE)
    columns = [items_of(ev, a) for a in args]
    return fixed([TupleValue(list(row)) for row in itertools.zip_longest(*columns, fillvalue=fill)])


def i_starmap(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    source = iterate(ev, args[1])

    def step() -> Value | None:
        item = source.step()
        return None if item is None else call(ev, args[0], items_of(ev, item), {})

    return IteratorValue(step, itertools.starmap)

CLASS_RULES: dict[Any, Rule] = {
    itertools.chain: i_chain, itertools.count: i_count, itertools.repeat: i_repeat, itertools.islice: i_islice,
    itertools.accumulate: i_accumulate, itertools.product: combinatoric(itertools.product),
    itertools.permutations: combinatoric(itertools.permutations), itertools.starmap: i_starmap,
    itertools.combinations: combinatoric(itertools.combinations), itertools.zip_longest: i_zip_longest,
}
