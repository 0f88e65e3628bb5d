"""The order in which guards are tested: cheap and telling ones first, but never before what makes their fetch safe.

`x.config.width` may be read only after the guards on `x` and on `x.config` have passed: they say that the fetch runs no
foreign code and finds the same kind of object. So a guard waits for every guard on a prefix of its own origin.
"""

from __future__ import annotations

from collections.abc import Iterator

from .guard import Guard, TensorExpectation
from .origin import ArgOrigin, InstanceDictOrigin, Origin

MODULE_SLOTS = ("_parameters", "_buffers", "_modules")
COVERED_KINDS = frozenset({"TENSOR_MATCH", "CONSTANT_MATCH", "ID_MATCH", "OBJECT_ALIASING", "NOT_ALIASING"})
_RANK = {"GLOBAL_STATE": 0, "TYPE_MATCH": 1, "CONSTANT_MATCH": 1, "ID_MATCH": 1, "FUNCTION_MATCH": 1, "EQUALS_MATCH": 2,
         "FLOAT_NOT_NAN": 2, "OBJECT_ALIASING": 2, "NOT_ALIASING": 2, "CLASS_ATTRIBUTE": 3, "NAMES_UNCHANGED": 1, "PRESENT": 2,
         "NOT_IN_INSTANCE": 3, "SEQUENCE_LENGTH": 3, "HASATTR": 3, "DICT_CONTAINS": 3, "DICT_KEYS": 4, "SET_CONTENTS": 4,
         "STORAGE_OVERLAP": 6, "SHAPE_ENV": 7}


def prefixes(origin: Origin | None) -> Iterator[Origin]:
    """What the origin is reached through, innermost last; itself not included."""
    here = origin.base if origin is not None else None
    while here is not None:
        yield here
        here = here.base


def other_origins(guard: Guard) -> tuple[Origin, ...]:
    """Origins besides its own that the guard reads."""
    if guard.kind in ("OBJECT_ALIASING", "NOT_ALIASING"):
        return (guard.expected,)
    return (guard.expected[0],) if guard.kind == "STORAGE_OVERLAP" else ()


def rank(guard: Guard) -> int:
    if guard.kind == "TENSOR_MATCH":
        e: TensorExpectation = guard.expected
        return 1 if all(isinstance(n, int) for n in (*e.sizes, *e.strides)) else 5
    return _RANK[guard.kind]


def ordered(guards: list[Guard]) -> list[Guard]:
    """The guards without duplicates, in the order in which they are tested."""
    unique: dict[tuple, Guard] = {}
    for g in guards:
        unique.setdefault((g.kind, g.origin, _identity(g.expected)), g)
    kept = list(unique.values())
    at: dict[Origin, list[int]] = {}
    for i, g in enumerate(kept):
        if g.origin is not None:
            at.setdefault(g.origin, []).append(i)
    level: dict[int, int] = {}

    def depth(g: Guard) -> int:
        return max((sum(1 for _ in prefixes(o)) for o in (g.origin, *other_origins(g)) if o is not None), default=0)

    by_depth = sorted(range(len(kept)), key=lambda i: depth(kept[i]))
    for i in by_depth:                                     # a prefix is shorter, so its level is known by now
        g = kept[i]
        needed = [level[j] for o in (g.origin, *other_origins(g)) for p in prefixes(o) for j in at.get(p, ())
                  if kept[j].kind not in ("SHAPE_ENV", "STORAGE_OVERLAP") and j in level]
        level[i] = max([rank(g), *needed])
    return [kept[i] for i in sorted(range(len(kept)), key=lambda i: (level[i], depth(kept[i]), rank(kept[i]), i))]


def _identity(expected: object) -> object:
    """A key that tells expected values apart: 1 is not True, and objects count by identity."""
    if isinstance(expected, tuple):
        return (type(expected), *[_identity(x) for x in expected])
    if isinstance(expected, TensorExpectation):
        return (expected.cls, expected.dtype, expected.device, expected.requires_grad, expected.sizes, expected.strides,
                expected.marks)
    if type(expected) in (int, bool, str, bytes) or isinstance(expected, Origin):     # not a subclass: it may hash as it likes
        return type(expected), expected
    return type(expected), id(expected)


def module_anchor(guard: Guard) -> Origin | None:
    """The module that a covered guard hangs on: everything below it is reached through `_modules`, `_parameters` and
    `_buffers` alone, which cannot change without a new STATE.epoch. None for guards to be tested at every call."""
    if guard.kind not in COVERED_KINDS or (guard.kind == "TENSOR_MATCH" and rank(guard) != 1):
        return None
    anchors = {module_of(o) for o in (guard.origin, *other_origins(guard))}
    return anchors.pop() if len(anchors) == 1 else None


def module_of(origin: Origin | None) -> Origin | None:
    """The outermost module that an origin is reached from through its dictionaries of modules, parameters and buffers alone."""
    here, steps = origin, 0
    while isinstance(here, InstanceDictOrigin) and here.slot in MODULE_SLOTS:
        here, steps = here.of, steps + 1
    return here if steps else None


def stores_of(origin: Origin | None) -> list[tuple[Origin, str]]:
    """(module, name of its dictionary) for every such step that the origin takes, outermost first."""
    steps = [s for s in (origin, *prefixes(origin)) if isinstance(s, InstanceDictOrigin) and s.slot in MODULE_SLOTS]
    return [(s.of, s.slot) for s in steps[::-1]]


def decided_by_meta(guard: Guard, params: tuple[str, ...], bindings: dict[str, Origin]) -> bool:
    """Whether the metadata of the named tensor parameters already says that the guard holds."""
    def top(o: Origin | None) -> bool:
        return isinstance(o, ArgOrigin) and o.name in params

    if guard.kind == "TENSOR_MATCH":
        return top(guard.origin)
    if guard.kind == "SHAPE_ENV":
        return all(hasattr(bindings[n], "dim") and top(bindings[n].base) for n in guard.expected.free)
    return False
