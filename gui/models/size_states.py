"""What each version demands of a size or a number: fixed, open within a range, or pinned by a line. No Qt."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from ...core.events.schema import Artifact, GuardRow
from ...core.events.situation import tensor_facts
from ..facts import Facts

SPECIAL = (0, 1)                 # sizes that always get a version of their own
BOUND = re.compile(r"(.+?) (==|>=|<=|>|<) (-?\d+)")
WITHIN = re.compile(r"not (.+?) [<>] -?([\d.]+(?:e\+\d+)?)")
LARGEST = {"3.4028234663852886e+38": "float32", "65504.0": "float16", "3.3895313892515355e+38": "bfloat16"}
BETWEEN = re.compile(r"(-?\d+) (<=?) (.+?) (<=?) (-?\d+)")


@dataclass(frozen=True, slots=True)
class State:
    """kind: "fixed", "open" or "pinned". text: for people ("fixed at 1", "dynamic: 2 or more", "pinned to 11"). line: where it
    was pinned or read, 0 if unknown. special: it is fixed because it was 0 or 1 when the version was made."""

    kind: str
    text: str
    line: int = 0
    special: bool = False


def states_of(facts: Facts, code: int) -> dict[str, list[tuple[int, State]]]:
    """Name ("x.shape[0]", "step") -> (version, its state) for every version that says something about it."""
    return facts.keep_rows(("states", code), lambda: _states_of(facts, code))


def _states_of(facts: Facts, code: int) -> dict[str, list[tuple[int, State]]]:
    found: dict[str, list[tuple[int, State]]] = defaultdict(list)
    for a in facts.artifacts_of(code):
        for name, state in _of_version(facts, a).items():
            found[name].append((a.version, state))
    return dict(found)


def _of_version(facts: Facts, a: Artifact) -> dict[str, State]:
    guards = facts.guards(a.id)
    opened = {facts.spelled(a.code, str(source)) + ("" if dim is None else f".shape[{dim}]"): str(symbol)
              for source, dim, symbol in a.dynamic_dims}
    relations: dict[str, list[GuardRow]] = defaultdict(list)
    for g in guards:
        if g.kind == "SHAPE_ENV":
            for name in set(re.findall(r"[A-Za-z_][\w.\[\]'\"()]*", g.condition)):
                relations[name].append(g)
    found: dict[str, State] = {}
    for g in guards:
        if g.kind == "TENSOR_MATCH":
            sizes = (tensor_facts(g) or {}).get("sizes", ())
            for dim, size in enumerate(sizes):
                name = f"{g.origin}.shape[{dim}]"
                if size is not None:
                    found[name] = State("fixed", f"fixed at {size}", g.line, size in SPECIAL)
        elif g.kind == "EQUALS_MATCH" and type(g.facts.get("value")) in (int, float):
            found[g.origin] = State("fixed", f"fixed at {g.facts['value']:g}", g.line)
    for name in {*opened, *(n for n in relations if n not in found)}:
        state = _open(name, opened.get(name, ""), relations.get(name, []))
        if state is not None:
            found[name] = state
    return found


def between(condition: str) -> tuple[str, int, int] | None:
    """(name, lowest, highest) of a condition such as `2 <= x.shape[0] < 64`, None for any other."""
    m = BETWEEN.fullmatch(condition)
    return (m[3], int(m[1]) + (m[2] == "<"), int(m[5]) - (m[4] == "<")) if m is not None else None


def held_by(condition: str) -> tuple[str, str] | None:
    """(name, dtype) of a condition that a number is within what a dtype holds, such as `not k > 65504.0`; None for others."""
    m = WITHIN.fullmatch(condition)
    dtype = LARGEST.get(m[2]) if m is not None else None
    return (m[1], dtype) if m is not None and dtype is not None else None


def _open(name: str, symbol: str, relations: list[GuardRow]) -> State | None:
    """A size or number that the tensor's metadata does not fix: its range, or the line that leaves one value."""
    low: int | None = None
    high: int | None = None
    tied = []
    kind = ""                                # of the values that fit
    for g in relations:
        held = held_by(g.condition)
        if held is not None:
            kind = f" of {held[1]}" if held[0] == name else kind
            continue
        both = between(g.condition)
        if both is not None and both[0] == name:
            low, high = max(both[1], both[1] if low is None else low), min(both[2], both[2] if high is None else high)
            continue
        bound = BOUND.fullmatch(g.condition)
        if bound is None or bound[1] != name:
            if ".stride(" not in g.condition:            # that of a contiguous tensor: nobody asked for it
                tied.append(g.condition)
            continue
        op, n = bound[2], int(bound[3])
        if op == "==":
            return State("pinned", f"pinned to {n}", g.line)
        if op in (">=", ">"):
            low = max(n + (op == ">"), low) if low is not None else n + (op == ">")
        else:
            high = min(n - (op == "<"), high) if high is not None else n - (op == "<")
    if not symbol:
        return None                          # known by a condition only: nothing was opened here
    said = f"{low} to {high}" if low is not None and high is not None else f"{low} or more" if low is not None else \
        f"at most {high}" if high is not None else f"any value{kind}"
    more = f", where {' and '.join(tied[:2])}" if tied else ""
    return State("open", f"dynamic: {said}{more}")


def grouped(states: list[tuple[int, State]]) -> list[tuple[str, State]]:
    """("version 3" or "versions 0-2, 5", state) for every state, in order of the first version that has it."""
    versions: dict[State, list[int]] = {}
    for version, state in states:
        versions.setdefault(state, []).append(version)
    return [(f"version{'s' if len(own) > 1 else ''} {_ranges(own)}", state) for state, own in versions.items()]


def _ranges(numbers: list[int]) -> str:
    """[0, 1, 2, 5] as "0-2, 5"."""
    found: list[list[int]] = []
    for n in numbers:
        if found and n == found[-1][-1] + 1:
            found[-1] = [found[-1][0], n]
        else:
            found.append([n])
    return ", ".join("\N{EN DASH}".join(map(str, part)) for part in found)


__all__ = ["State", "between", "grouped", "held_by", "states_of"]
