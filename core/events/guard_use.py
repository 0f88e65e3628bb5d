"""What the guards of a version are good for: how often each was asked, and which of them are beside the point.

Everything follows from what was recorded, and a mark is set only where that is proof: `implied` (other guards of the same
version already say it), `unread` (what it checks was not used beyond what is said), `never_failed`. No Qt.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .conditions import NotKnown, evaluate
from .reader import Session
from .schema import OUTCOME_NUMBER, GuardRow
from .situation import tensor_facts

# Kinds that say the same of two versions when origin, condition and facts are equal; others compare objects, and two
# objects can look alike.
EXACT = {"EQUALS_MATCH", "CONSTANT_MATCH", "SEQUENCE_LENGTH", "GLOBAL_STATE", "HASATTR", "SHAPE_ENV", "FLOAT_NOT_NAN"}
BUILTIN_TYPES = {"int", "float", "bool", "str", "list", "tuple", "dict", "set", "None", "NoneType", "function"}
NEVER_USED = "checked: it was asked for its type only"       # as core/capture/coverage.py writes it


@dataclass(frozen=True, slots=True)
class Asked:
    """How often a version was asked whether it takes a call. held: it took it, so every guard held. refused: recorded misses,
    in which every failing guard is named. others: calls that other versions took since it was made; it may have been asked
    first in any of them, and what failed then was not recorded."""

    held: int
    refused: int
    others: int

    @property
    def times(self) -> int:
        return self.held + self.refused


def asked(session: Session, artifact: int) -> Asked:
    """How often one version was asked. A few milliseconds for a million runs."""
    me, runs = session.artifacts[artifact], session.runs
    reused = np.asarray(runs["outcome"]) == OUTCOME_NUMBER["reuse"]
    own = np.asarray(runs["artifact"]) == artifact
    others = reused & ~own & (np.asarray(runs["code"]) == me.code) & (np.asarray(runs["start"]) >= me.time)
    refused = sum(any(f.artifact == artifact for f in m.failures) for m in session.misses if m.code == me.code)
    return Asked(int(np.count_nonzero(reused & own)), refused, int(np.count_nonzero(others)))


def never_failed(session: Session, artifact: int, guards: Sequence[GuardRow], asked_of: Asked,
                 guards_of: Callable[[int], Sequence[GuardRow]]) -> set[int]:
    """Indices of guards that no call has failed. Where other versions took calls, a guard counts only if each of those
    versions has the very same one: it held then. Nothing is claimed for sessions with gaps."""
    if not asked_of.times or session.problems or any(e.kind == "lost" for e in session.events):
        return set()
    failed = {f.index for m in session.misses for f in m.failures if f.artifact == artifact}
    quiet = {g.index for g in guards} - failed
    if not asked_of.others:
        return quiet
    me = session.artifacts[artifact]
    runs = session.runs
    later = (np.asarray(runs["outcome"]) == OUTCOME_NUMBER["reuse"]) & (np.asarray(runs["start"]) >= me.time)
    took = set(np.unique(np.asarray(runs["artifact"])[later & (np.asarray(runs["code"]) == me.code)]).tolist())
    rivals = [a.id for a in session.artifacts if a.code == me.code and a.id != artifact and a.id in took]
    for rival in rivals:
        same = {_key(g) for g in guards_of(rival)}
        quiet = {g.index for g in guards if g.index in quiet and _comparable(g) and _key(g) in same}
    return quiet


def _comparable(g: GuardRow) -> bool:
    if g.kind == "TENSOR_MATCH":
        return bool(g.facts) and g.facts.get("cls") in ("Tensor", "Parameter")
    return g.kind in EXACT and "..." not in g.condition or g.kind == "TYPE_MATCH" and g.facts.get("type") in BUILTIN_TYPES


def _key(g: GuardRow) -> tuple[str, str, str, str]:
    return g.kind, g.origin, g.condition, repr(g.facts)


# -- implied by others of the same version

def implied(guards: Sequence[GuardRow]) -> dict[int, tuple[int, ...]]:
    """Guard index -> the guards that say it already: whenever they hold, so does it."""
    at: dict[tuple[str, str], GuardRow] = {}
    for g in guards:
        at.setdefault((g.kind, g.origin), g)
    relations = _relations(guards)
    found: dict[int, tuple[int, ...]] = {}
    for g in guards:
        by = _implied_by(g, at, relations)
        if by and not any(g.index in found.get(b, ()) for b in by):
            found[g.index] = by
    return found


def _implied_by(g: GuardRow, at: dict[tuple[str, str], GuardRow], relations: dict[str, list[GuardRow]]) -> tuple[int, ...]:
    for kind in WHOLE.get(g.kind, ()):
        whole = at.get((kind, g.origin))
        if whole is not None:
            return (whole.index,)
    if g.kind == "NOT_ALIASING":
        return _differ(g, at)
    if g.kind in ("SHAPE_ENV", "FLOAT_NOT_NAN"):
        return _follows(g, at, relations)
    return ()


# A guard of the first kind is a question about a value that a guard of the second kinds on it fixes altogether.
WHOLE: dict[str, tuple[str, ...]] = {
    "TYPE_MATCH": ("EQUALS_MATCH", "CONSTANT_MATCH", "TENSOR_MATCH"), "SEQUENCE_LENGTH": ("DICT_KEYS", "SET_CONTENTS"),
    "DICT_CONTAINS": ("DICT_KEYS", "SET_CONTENTS"), "FLOAT_NOT_NAN": ("EQUALS_MATCH",)}


def _differ(g: GuardRow, at: dict[tuple[str, str], GuardRow]) -> tuple[int, ...]:
    """The two guards that make their values different objects: of other types, or tensors that do not look alike."""
    other = g.condition.rpartition(" is not ")[2]
    for kind in ("TENSOR_MATCH", "TYPE_MATCH"):
        a, b = at.get((kind, g.origin)), at.get((kind, other))
        if a is None or b is None:
            continue
        if kind == "TYPE_MATCH":
            types = a.facts.get("type"), b.facts.get("type")
            differs = None not in types and types[0] != types[1]
        else:
            differs = _tensors_differ(tensor_facts(a), tensor_facts(b))
        if differs:
            return a.index, b.index
    return ()


def _tensors_differ(a: dict[str, Any] | None, b: dict[str, Any] | None) -> bool:
    if a is None or b is None:
        return False
    if any(a[name] != b[name] for name in ("dtype", "device", "requires_grad")) or len(a["sizes"]) != len(b["sizes"]):
        return True
    rows = [*zip(a["sizes"], b["sizes"]), *zip(a.get("strides", ()), b.get("strides", ()))]
    return any(m is not None and n is not None and m != n for m, n in rows)


def _relations(guards: Sequence[GuardRow]) -> dict[str, list[GuardRow]]:
    """Place -> the conditions that are about this one number alone."""
    found: dict[str, list[GuardRow]] = defaultdict(list)
    for g in guards:
        if g.kind == "SHAPE_ENV":
            places = _places(g.condition)
            if len(places) == 1:
                found[places.pop()].append(g)
    return found


def _places(condition: str) -> set[str]:
    """The numbers that a condition is about; several or none where that cannot be told."""
    try:
        return set(evaluate(condition, lambda place: 1)[1])
    except NotKnown:
        return set()


def _follows(g: GuardRow, at: dict[tuple[str, str], GuardRow], relations: dict[str, list[GuardRow]]) -> tuple[int, ...]:
    """The condition from which one on a single number follows: it leaves one value, and for that this one holds; or, of a
    float, it does not hold for NaN."""
    if g.kind == "FLOAT_NOT_NAN":
        place = g.origin
        for r in relations.get(place, ()):
            if not _holds(r.condition, place, math.nan):
                return (r.index,)
        return ()
    place = next(iter(_places(g.condition)), "")
    rows = relations.get(place, [])
    for r in rows if any(r is g for r in rows) else ():
        value = _only_value(r.condition, place)
        if r is not g and value is not None and _holds(g.condition, place, value):
            return (r.index,)
    return ()


def _only_value(condition: str, place: str) -> int | None:
    head, equals, number = condition.partition(" == ")
    number = number.strip()
    return int(number) if equals and head.strip() == place and number.lstrip("-").isdigit() and len(number) < 19 else None


def _holds(condition: str, place: str, value: float) -> bool:
    try:
        return evaluate(condition, lambda asked: value if asked == place else _unknown(asked))[0]
    except NotKnown:
        return value != value                # not known: claimed neither for a value nor for NaN


def _unknown(place: str) -> float:
    raise KeyError(place)


# -- guarded, and not read

CONTENTS = {"SEQUENCE_LENGTH": "only its length is used, nothing inside it is read",
            "DICT_KEYS": "only its keys are used, no value in it is read"}


def unread(session: Session, artifact: int, guards: Sequence[GuardRow]) -> dict[int, str]:
    """Guard index -> what of the guarded value was not used while the version was traced. What was read is listed without
    gaps (core/capture/coverage.py), so what is not in the list was not read."""
    reads = {str(r.get("origin", "")): str(r.get("protected", "")) for r in session.artifacts[artifact].reads}
    if not reads:
        return {}                            # not recorded
    names = [*reads, *(g.origin for g in guards), *(str(i.get("origin", "")) for i in session.artifacts[artifact].inputs)]
    found: dict[int, str] = {}
    for g in guards:
        if g.kind == "TENSOR_MATCH" and reads.get(g.origin) == NEVER_USED:
            found[g.index] = "no element, size or dtype of it is used, only that it is a tensor"
        elif g.kind in CONTENTS and reads.get(g.origin) == "checked" and g.facts.get("length") != 0 \
                and g.expected != "no keys" and not any(g.origin in name and name != g.origin for name in names):
            found[g.index] = CONTENTS[g.kind]
    return found


__all__ = ["Asked", "asked", "implied", "never_failed", "unread"]
