"""Operators on lists, tuples, dicts, sets and classes."""

from __future__ import annotations

import ast
import collections
import operator
import types
from collections.abc import Callable
from typing import Any

from .containers import complete, list_items, new_dict, touch_list
from .operands import BINARY, SCALARS, SET_OPERATORS, SYMBOLS, bad_operands
from .relied import settle_members
from .signals import Break
from .special_methods import call_special
from .torch_calls import CannotLower, lower, run
from .values import (
    ClassValue,
    Const,
    DictValue,
    DictViewValue,
    ListValue,
    NativeValue,
    ObjectValue,
    OpaqueValue,
    SetValue,
    TensorValue,
    TupleValue,
    Value,
)


def on_containers(ev: Any, op: type, a: Value, b: Value, in_place: bool = False) -> Value:
    """`a op b` where neither operand is an object with methods of its own, nor both are numbers, texts or tensors."""
    function, name, _ = BINARY[op]
    if op is ast.Add and isinstance(a, ListValue) and isinstance(b, ListValue) and a.cls is b.cls and a.cls in SEQUENCES:
        return like_list(a, [*list_items(ev, a), *list_items(ev, b)])
    if op is ast.Add and isinstance(a, TupleValue) and isinstance(b, TupleValue):
        sized = {c.__name__ for c in (a.cls, b.cls)} & {"Size"}
        cls = a.cls if a.cls.__name__ == "Size" else b.cls
        return TupleValue([*a.items, *b.items], cls if sized else tuple)
    if op is ast.Mult:
        for seq, count in ((a, b), (b, a)):
            if isinstance(seq, ListValue | TupleValue) and isinstance(count, Const) and count.type in (int, bool):
                n = int(count.value)
                items = repeated(ev, list_items(ev, seq), n, getattr(seq, "maxlen", None))
                if isinstance(seq, TupleValue):
                    return TupleValue(items, seq.cls if seq.cls.__name__ == "Size" else tuple)
                if seq.cls in SEQUENCES:
                    return like_list(seq, items)
    if isinstance(a, DictValue) and isinstance(b, DictValue) and op is ast.BitOr:
        refuse_counter(a, b)
        if a.cls is not b.cls:                         # the one on the right may decide the class
            raise Break("operator", name="|", what=f"{a.cls.__name__} and {b.cls.__name__}")
        pairs = [(e.key, e.value) for d in (a, b) for e in list(complete(ev, d).values())]
        made = new_dict(ev, pairs, a.cls)
        made.factory = a.factory
        return made
    if isinstance(a, SetValue) and isinstance(b, SetValue) and op in SET_OPERATORS:
        return set_operation(ev, function, a, b)
    if op in SET_OPERATORS and (is_set_like(a) or is_set_like(b)):
        both = set_operation(ev, function, as_set(ev, a), as_set(ev, b))         # one is a view: the other, any iterable
        both.cls = set
        return both
    if op is ast.Mod and isinstance(a, Const) and isinstance(a.value, str | bytes):
        from .formatting import percent

        return percent(ev, a, b)
    if any(isinstance(v, TensorValue) for v in (a, b)) and not any(isinstance(v, DictValue | SetValue) for v in (a, b)):
        try:
            return run(ev, function, [lower(ev, a), lower(ev, b)], {}, f"operator {name}")
        except CannotLower:
            pass
    if op is ast.BitOr and is_class_or_union(a) and (is_class_or_union(b) or isinstance(b, Const) and b.value is None):
        union = ev.native(operator.or_, real_class(a), real_class(b))
        return OpaqueValue(union, ev.pin(union, "union"))
    if isinstance(a, OpaqueValue | NativeValue) or isinstance(b, OpaqueValue | NativeValue):
        raise Break("operator", name=SYMBOLS[name], what=f"{a.type.__name__} and {b.type.__name__}")
    return bad_operands(ev, op, a, b, in_place)


def is_set_like(value: Value) -> bool:
    """Whether it is a view of keys or items: such a view has the operators of sets."""
    return isinstance(value, DictViewValue) and value.what != "values"


def as_set(ev: Any, value: Value) -> SetValue:
    """A set, or the set of what any other iterable gives. Breaks for items with values that may have no hash: Python does not
    always ask for it."""
    from .containers import new_set
    from .iterate import items_of

    value = ev.force(value)
    if isinstance(value, SetValue):
        return value
    if isinstance(value, DictViewValue) and value.what == "items" \
            and not all(isinstance(ev.force(e.value), Const) for e in value.of.entries.values()):
        raise Break("operator", name="&", what="dict_items of values other than numbers and texts")
    return new_set(ev, items_of(ev, value))


SEQUENCES = (list, collections.deque)


def refuse_counter(a: DictValue, b: DictValue) -> None:
    """Of two Counters `|` takes the larger counts."""
    if collections.Counter in (a.cls, b.cls):
        raise Break("operator", name="|", what="Counters")


def like_list(model: ListValue, items: list[Value]) -> ListValue:
    """A new list, or a deque of the same greatest length."""
    made = ListValue(items if model.maxlen is None else items[max(0, len(items) - model.maxlen):], cls=model.cls)
    made.maxlen = model.maxlen
    return made


def repeated(ev: Any, items: list[Value], times: int, maxlen: int | None) -> list[Value]:
    """`items * times`; of a deque with a greatest length, what it keeps. Raises MemoryError in the script."""
    if maxlen is not None and items:
        times = min(times, -(-maxlen // len(items)))
    made: list[Value] = ev.native(operator.mul, items, times)
    return made if maxlen is None else made[max(0, len(made) - maxlen):]


def is_class_or_union(value: Value) -> bool:
    return isinstance(value, ClassValue) or isinstance(value, OpaqueValue) and isinstance(value.real, types.UnionType)


def real_class(value: Value) -> Any:
    """The class, union of classes or None that stands on one side of `A | B`."""
    if isinstance(value, ClassValue):
        return value.cls
    return value.value if isinstance(value, Const) else getattr(value, "real", None)


def set_operation(ev: Any, function: Callable[..., Any], a: SetValue, b: SetValue) -> SetValue:
    keys = function(set(a.items), set(b.items))
    merged = {**b.items, **a.items}
    return SetValue({k: v for k, v in merged.items() if k in keys}, a.cls)


def list_inplace(ev: Any, op: type, a: ListValue, b: Value) -> Value:
    """`a += b` and `a *= b` of lists and deques. Classes written in Python are asked first for their reflected method, as for
    `a + b`: lists have no arithmetic of their own in CPython, only concatenation, which comes after it."""
    from .iterate import items_of

    name = BINARY[op][1]
    if isinstance(b, ObjectValue):
        settle_members(ev, (f"__r{name}__",), b)
        found = call_special(ev, b, f"__r{name}__", a)
        if found is not None:
            return found
    if op is ast.Add:
        more = items_of(ev, b)
        touch_list(ev, a).extend(more) if a.loaded else extend_unread(ev, a, more)
        return a
    times = call_special(ev, b, "__index__") if isinstance(b, ObjectValue) else b
    if times is None or isinstance(times, Const) and times.type not in (int, bool) or not isinstance(times, SCALARS):
        bad_operands(ev, op, a, b, in_place=True)
    items = touch_list(ev, a)
    items[:] = repeated(ev, items, int(lower(ev, times)), a.maxlen)
    return a


def extend_unread(ev: Any, target: ListValue, more: list[Value]) -> None:
    from .containers import append

    for item in more:
        append(ev, target, item)


