"""`match`: whether a value fits a pattern, binding names on the way as Python does."""

from __future__ import annotations

import ast
from typing import Any

from .attributes import find_attribute
from .comparing import compare, identical
from .containers import complete, dict_find, list_items, new_dict
from .frames import Frame
from .signals import Break, UserRaise
from .truth import truth
from .values import ClassValue, Const, DictValue, ListValue, ObjectValue, RangeValue, TensorValue, TupleValue, Value

IS_SEQUENCE, IS_MAPPING = 1 << 5, 1 << 6         # Py_TPFLAGS_SEQUENCE, Py_TPFLAGS_MAPPING: what patterns go by

# Classes whose single positional sub-pattern matches the subject itself.
WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def matches(ev: Any, frame: Frame, pattern: ast.pattern, subject: Value) -> bool:
    """Whether `subject` fits. Names bound by a pattern that fails later stay bound."""
    from .expressions import evaluate, store_name

    subject = ev.force(subject)
    if isinstance(pattern, ast.MatchValue):
        return truth(ev, compare(ev, ast.Eq, subject, evaluate(ev, frame, pattern.value)))
    if isinstance(pattern, ast.MatchSingleton):
        return identical(ev, subject, Const(pattern.value))
    if isinstance(pattern, ast.MatchAs):
        if pattern.pattern is not None and not matches(ev, frame, pattern.pattern, subject):
            return False
        if pattern.name is not None:
            store_name(ev, frame, pattern.name, subject)
        return True
    if isinstance(pattern, ast.MatchOr):
        return any(matches(ev, frame, p, subject) for p in pattern.patterns)
    if isinstance(pattern, ast.MatchSequence):
        return sequence(ev, frame, pattern, subject)
    if isinstance(pattern, ast.MatchMapping):
        return mapping(ev, frame, pattern, subject)
    if isinstance(pattern, ast.MatchClass):
        return of_class(ev, frame, pattern, subject)
    raise Break("syntax", what=f"the pattern {type(pattern).__name__}")


def sequence(ev: Any, frame: Frame, pattern: ast.MatchSequence, subject: Value) -> bool:
    from .expressions import store_name

    if not subject.type.__flags__ & IS_SEQUENCE:
        return False
    if isinstance(subject, RangeValue):
        subject = ListValue([Const(n) for n in range(subject.start, subject.stop, subject.step)])
    if not isinstance(subject, TupleValue | ListValue):
        raise Break("operator", name="case", what=f"an object of class {subject.type.__name__}")
    items = list_items(ev, subject)
    star = next((i for i, p in enumerate(pattern.patterns) if isinstance(p, ast.MatchStar)), None)
    count = len(pattern.patterns)
    if star is None:
        return len(items) == count and all(matches(ev, frame, p, v) for p, v in zip(pattern.patterns, items))
    if len(items) < count - 1:
        return False
    after = count - star - 1
    middle = items[star:len(items) - after]
    if not all(matches(ev, frame, p, v) for p, v in zip(pattern.patterns[:star], items)):
        return False
    name = pattern.patterns[star].name  # type: ignore[attr-defined]
    if name is not None:
        store_name(ev, frame, name, ListValue(list(middle)))
    return all(matches(ev, frame, p, v) for p, v in zip(pattern.patterns[star + 1:], items[len(items) - after:]))


def mapping(ev: Any, frame: Frame, pattern: ast.MatchMapping, subject: Value) -> bool:
    from .expressions import evaluate, store_name

    if not subject.type.__flags__ & IS_MAPPING:
        return False
    if not isinstance(subject, DictValue):
        raise Break("operator", name="case", what=f"an object of class {subject.type.__name__}")
    keys = []
    for node, inner in zip(pattern.keys, pattern.patterns):
        key = evaluate(ev, frame, node)
        found = dict_find(ev, subject, key)
        if found is None or not matches(ev, frame, inner, found.value):
            return False
        keys.append(found)
    if pattern.rest is not None:
        left = [(e.key, e.value) for e in complete(ev, subject).values() if e not in keys]
        store_name(ev, frame, pattern.rest, new_dict(ev, left))
    return True


def of_class(ev: Any, frame: Frame, pattern: ast.MatchClass, subject: Value) -> bool:
    from .expressions import evaluate

    wanted = ev.force(evaluate(ev, frame, pattern.cls))
    if not isinstance(wanted, ClassValue):
        ev.raise_error(TypeError, "called match pattern must be a class")
        raise AssertionError
    cls = wanted.cls
    if not issubclass(subject.type, cls):
        return False
    if pattern.patterns:
        if cls in WHOLE:
            if len(pattern.patterns) != 1 or not matches(ev, frame, pattern.patterns[0], subject):
                return False
        else:
            names = getattr(cls, "__match_args__", ())
            if len(pattern.patterns) > len(names):
                ev.raise_error(TypeError, f"{cls.__name__}() accepts {len(names)} positional sub-patterns "
                                          f"({len(pattern.patterns)} given)")
            if not all(by_name(ev, frame, p, subject, n) for p, n in zip(pattern.patterns, names)):
                return False
    return all(by_name(ev, frame, p, subject, n) for p, n in zip(pattern.kwd_patterns, pattern.kwd_attrs))


def by_name(ev: Any, frame: Frame, pattern: ast.pattern, subject: Value, name: str) -> bool:
    try:
        found = find_attribute(ev, subject, name)
    except UserRaise as raised:
        if not issubclass(raised.value.cls, AttributeError):
            raise
        found = None
    return found is not None and matches(ev, frame, pattern, found)


__all__ = ["ObjectValue", "TensorValue", "matches"]
