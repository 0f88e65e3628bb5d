"""What was different between two calls of one function, as far as the session knows it. No Qt.

A call's state is put together from its arguments, from what the guards of the version that served it hold true (they
all held), and from the values seen by guards that failed. What no guard and no argument tells is not recorded: looking
at it would cost every reused call.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...core.events.schema import Value
from ...core.events.summary import place_of
from ..facts import Facts
from .matrix import HOLDS, parts_at
from .size_states import states_of

NOT_READ = "never read"
ANY = "any value fits"


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a place in a call. guard: index in `artifact`, -1 for none; how: "checked", NOT_READ, or for what is
    not fixed which values fit."""

    text: str
    how: str = "checked"
    artifact: int = -1
    guard: int = -1


@dataclass(frozen=True, slots=True)
class Difference:
    """A place that was one thing in the one call and another in the other."""

    place: str
    before: str
    now: str
    known: Known


def state(facts: Facts, call: int) -> dict[str, Known]:
    """Place -> what is known of it in a call, arguments first."""
    runs = [r for r in facts.call_runs(call) if r["depth"] == 0]
    found: dict[str, Known] = {}
    artifact = runs[0]["artifact"] if runs else -1
    fits = _fits(facts, artifact)
    for place, kind, _, text, guard in parts_at(facts, artifact) if artifact >= 0 else ():
        if kind not in ("relation", "NAMES_UNCHANGED") and text != HOLDS and place not in fits:
            found[place] = Known(text, "checked", artifact, guard)
    code = int(facts.session.calls["code"][call])
    for missed, groups in facts.failures_of_call(call):
        for _, failures in groups if missed == code else ():
            for f in failures:
                if f.seen:
                    found.setdefault(place_of(f), Known(f.seen))
    arguments: dict[str, Known] = {}
    for r in runs[:1]:
        if r["signature"] >= 0:
            for name, value in facts.session.values(r["signature"]):
                for place, text in _places(name, value):
                    guard = found[place].guard if place in found else -1
                    how = "checked" if place in found or artifact < 0 else fits.get(place, NOT_READ)
                    arguments[place] = Known(text, how, artifact, guard)
    return {**arguments, **{place: known for place, known in found.items() if place not in arguments}}


def _fits(facts: Facts, artifact: int) -> dict[str, str]:
    """What a version leaves open -> which values fit: any, a range, or those that a relation of sizes allows."""
    if artifact < 0:
        return {}
    guards, a = facts.guards(artifact), facts.session.artifacts[artifact]
    related = " ".join(g.condition for g in guards if g.kind == "SHAPE_ENV")
    found = {place: "checked" if place in related else ANY for place, kind, _, text, _ in parts_at(facts, artifact)
             if kind != "relation" and text.startswith("any")}
    for place, states in states_of(facts, a.code).items():
        state = next((s for version, s in states if version == a.version), None)
        if state is not None and state.kind == "open":
            values, tied, relation = state.text.removeprefix("dynamic: ").partition(", where ")
            found[place] = f"{values} fits{tied}{relation}"
    return found


def _places(name: str, value: Value) -> list[tuple[str, str]]:
    if value.kind == "value":
        return [(name, value.text)]
    if value.kind == "type":
        return [(f"type({name})", value.type)]
    return [*((f"{name}.shape[{i}]", str(n)) for i, n in enumerate(value.shape)), (f"{name}.dtype", value.dtype),
            (f"{name}.device", value.device), (f"{name}.requires_grad", str(value.requires_grad)),
            *((f"{name}.stride({i})", str(n)) for i, n in enumerate(value.strides))]


def differences(facts: Facts, earlier: int, call: int) -> list[Difference]:
    """Places known in both calls that differ, values and sizes before strides."""
    a, b = state(facts, earlier), state(facts, call)
    found = [Difference(place, a[place].text, known.text, known) for place, known in b.items()
             if place in a and a[place].text != known.text]
    return sorted(found, key=lambda d: ".stride(" in d.place)


def previous(facts: Facts, call: int) -> int | None:
    """The last earlier call of the same function."""
    mine = facts.calls_of_code(int(facts.session.calls["code"][call]))
    earlier = mine[mine < call]
    return int(earlier[-1]) if len(earlier) else None
