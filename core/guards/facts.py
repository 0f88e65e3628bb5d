"""The comparisons behind guards: constants, key lists, sets, marks, tensor metadata, shared memory.

Python's == is too generous for a guard: 1 == True == 1.0 and 0.0 == -0.0, while NaN != NaN. `same` is exact.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ..tensor.meta import NO_MARKS, Marks, TensorMeta
from .guard import TensorExpectation

EQUALITY_MODULES = ("numpy", "fractions", "decimal", "datetime", "pathlib", "uuid", "re")
MARKS_ENUMERATED = 6                  # with more marks than this the subsets are tested, not listed


def same(a: Any, b: Any) -> bool:
    """Whether two constants are interchangeable: same type, same value, in all depths. Objects compare by identity."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if kind is float:
        return a == b and math.copysign(1.0, a) == math.copysign(1.0, b) or (a != a and b != b)
    if kind is complex:
        return same(a.real, b.real) and same(a.imag, b.imag)
    if kind in (int, str, bytes, bool, range):
        return a == b
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, frozenset | set):
        return same_members(a, b)
    if kind is dict:
        return same(tuple(a), tuple(b)) and all(same(a[k], b[k]) for k in a)
    if kind is slice:
        return same((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    if kind.__module__.partition(".")[0] in EQUALITY_MODULES:
        return bool(np.all(a == b))
    return False


def own_dict(value: Any) -> dict[str, Any] | None:
    """The dictionary in which an object keeps its attributes, or None; asked past its class's own ways, so that no code of the
    script's runs."""
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return held if type(held) is dict else None


def same_members(a: Any, b: Any) -> bool:
    """Whether two sets have the same members, types included (1 is not True)."""
    return len(a) == len(b) and {(type(x), x) for x in a} == {(type(x), x) for x in b}


def same_keys(mapping: Any, keys: tuple) -> bool:
    """Whether a mapping has exactly these keys in this order, types included."""
    found = tuple(mapping)
    return len(found) == len(keys) and all(x is y or same(x, y) for x, y in zip(found, keys))


def marks_allowed(marks: Marks, compiled: Marks) -> bool:
    """A mark that the artifact was not compiled with fails; a tensor without marks passes."""
    return all(getattr(marks, kind) <= getattr(compiled, kind) for kind in Marks.KINDS)


def subsets(marks: Marks) -> list[Marks] | None:
    """Every Marks that `marks_allowed` accepts; None when there are too many to list."""
    total = [*[("dynamic", m) for m in marks.dynamic], *[("maybe", m) for m in marks.maybe],
             *[("static", m) for m in marks.static]]
    if len(total) > MARKS_ENUMERATED or marks.unbacked or marks.ranges:
        return None
    found = []
    for n in range(len(total) + 1):
        for chosen in itertools.combinations(total, n):
            found.append(Marks(*[frozenset(m for k, m in chosen if k == kind)
                                 for kind in ("dynamic", "maybe", "static")]))
    return found


def accepted_metas(e: TensorExpectation) -> frozenset[TensorMeta] | None:
    """The metadata objects that a fully static expectation accepts; None when it has symbols or too many marks."""
    if not all(isinstance(n, int) for n in (*e.sizes, *e.strides)):
        return None
    allowed = subsets(e.marks or NO_MARKS)
    if allowed is None:
        return None
    return frozenset(TensorMeta.of(e.cls, e.dtype, e.device, tuple(e.sizes), tuple(e.strides), e.requires_grad, m)
                     for m in allowed)


def tensor_matches(meta: TensorMeta, e: TensorExpectation) -> bool:
    return (meta.cls is e.cls and meta.dtype is e.dtype and meta.device is e.device
            and meta.requires_grad == e.requires_grad and len(meta.shape) == len(e.sizes)
            and all(not isinstance(want, int) or want == n for want, n in zip(e.sizes, meta.shape))
            and all(not isinstance(want, int) or want == n for want, n in zip(e.strides, meta.strides))
            and marks_allowed(meta.marks, e.marks or NO_MARKS))


def share_memory(a: Any, b: Any) -> bool:
    """Whether two tensors have an element in common. Where that is hard to tell, whether their address ranges meet."""
    x, y = a._array, b._array
    if x is None or y is None or not np.may_share_memory(x, y):
        return False
    try:
        return bool(np.shares_memory(x, y, max_work=10_000))      # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def class_lookup(cls: type, name: str) -> tuple[list[type], type | None]:
    """Along the MRO of `cls`: the classes without `name` that come first, then the class that has it (or None)."""
    before: list[type] = []
    for k in cls.__mro__:
        if name in k.__dict__:
            return before, k
        before.append(k)
    return before, None
