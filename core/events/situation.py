"""What is known about one run: its arguments, the state that guards read, the modes, and which guards held or failed.

It is put together from the session alone: the signature of the run, the guards of the version that took the run (all of
them held), and the failures that were recorded when none did. The start of every what-if question.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import ScriptError
from .conditions import normal
from .reader import Session
from .schema import OUTCOMES, FailureRow, GuardRow, Miss, Value
from .summary import place_of

Held = dict[tuple[int, int], tuple[FailureRow, ...]]


@dataclass(frozen=True, slots=True)
class Situation:
    """`values` by place ("x", "self.seen", "len(xs)"), parameters first; `modes` by name. `group`: the versions that are
    asked, most recently used first. `base`: the version that took the run or was made for it, -1 if none. `tested`: the
    versions of which it is recorded, in `failed`, which guards failed. `edited`: places that are no longer as in the run."""

    code: int
    call: int
    params: tuple[str, ...]
    values: dict[str, Value]
    modes: dict[str, str]
    group: tuple[int, ...]
    base: int = -1
    tested: frozenset[int] = frozenset()
    failed: Held = field(default_factory=dict)
    edited: frozenset[str] = frozenset()

    @property
    def positional(self) -> tuple[str, ...]:
        """Parameters that a value without a name stands for: not those of which only the type is known (`self`)."""
        return tuple(p for p in self.params if self.values.get(p) is None or self.values[p].kind != "type")

    def with_values(self, changes: dict[str, Value]) -> Situation:
        """The situation with other values or modes. ScriptError for a place that nothing in it is called."""
        values, modes, edited = dict(self.values), dict(self.modes), set(self.edited)
        for name, value in changes.items():
            place = normal(name)
            if name in modes:
                if repr(value.value) != modes[name] and value.text != modes[name]:
                    edited.add(name)
                modes[name] = repr(value.value) if value.kind == "value" and value.type != "str" else str(value.value)
            elif place in values or place in self.params:
                if value != values.get(place):
                    edited.add(place)
                if value.kind == "tensor" and place in values and values[place].kind == "tensor":
                    value = replace(value, type=values[place].type)
                values[place] = value
            else:
                raise ScriptError(f"no version reads {name}; what can be changed: {', '.join([*values, *modes])}")
        return replace(self, values=values, modes=modes, edited=frozenset(edited))


def situation(session: Session, call: int, code: int | None = None) -> Situation:
    """The situation of a call's run of `code` (unless given: its top-level run). ScriptError if there is no such run."""
    total = len(session.calls["code"])
    if not 0 <= call < total:
        raise ScriptError(f"there is no call {call}; the session has {total}")
    first, count = int(session.calls["first_run"][call]), int(session.calls["n_runs"][call])
    codes = session.runs["code"][first:first + count]
    found = np.flatnonzero(codes == (int(session.calls["code"][call]) if code is None else code))
    if not len(found):
        raise ScriptError(f"call {call} did not run {session.codes[code or 0].title}")
    run = {name: int(session.runs[name][first + int(found[0])]) for name in ("code", "artifact", "outcome", "signature")}
    owner = session.codes[run["code"]]
    signature = dict(session.values(run["signature"]))
    base = run["artifact"] if run["artifact"] >= 0 and session.artifacts[run["artifact"]].code == owner.id else -1
    made = base if base >= 0 and OUTCOMES[run["outcome"]] in ("compile", "recompile") else -1
    miss = miss_of(session, made) if made >= 0 else \
        next((m for m in session.misses if m.call == call and m.code == owner.id), None) if base < 0 else None
    failed: dict[tuple[int, int], list[FailureRow]] = {}
    for f in miss.failures if miss is not None else ():
        failed.setdefault((f.artifact, f.index), []).append(f)
    tested = {artifact for artifact, _ in failed} | ({base} if base >= 0 else set())
    group = _group(session, owner.id, base, tested)
    values = {normal(p): signature[p] for p in owner.params if p in signature}
    values.update((normal(p), v) for p, v in signature.items() if normal(p) not in values)
    modes: dict[str, str] = {}
    for artifact in ([base] if base >= 0 else sorted(tested)[-1:]):
        _learn(session, artifact, failed, values, modes)
    for rows in failed.values():
        for f in rows:
            _learn_failure(f, values, modes)
    return Situation(owner.id, call, owner.params, values, modes, group, base, frozenset(tested),
                     {key: tuple(rows) for key, rows in failed.items()})


def _group(session: Session, code: int, base: int, tested: set[int]) -> tuple[int, ...]:
    """The versions of a code that are tried together: compiled under equal options since the same reset. A miss names
    every version it tried, so versions that a miss names belong with the one made after it. Most recently used first."""
    own = [a for a in session.artifacts if a.code == code]
    group_of: dict[int, int] = {}
    for a in own:
        miss = miss_of(session, a.id)
        rivals = [group_of[f.artifact] for f in (miss.failures if miss is not None else ()) if f.artifact in group_of]
        group_of[a.id] = rivals[0] if rivals else a.id
    start = base if base >= 0 else max(tested, default=-1)
    wanted = group_of.get(start, group_of[own[-1].id] if own else -1)
    artifacts = session.runs["artifact"]
    last = {a: int(np.flatnonzero(artifacts == a)[-1]) if np.any(artifacts == a) else len(artifacts)
            for a, group in group_of.items() if group == wanted}
    return tuple(sorted(last, key=lambda a: (-last[a], -a)))


def miss_of(session: Session, artifact: int) -> Miss | None:
    """The miss that led to a version; None for the first of its code."""
    number = session.artifacts[artifact].miss
    return session.misses[number] if 0 <= number < len(session.misses) else None


def _learn(session: Session, artifact: int, failed: dict[tuple[int, int], list[FailureRow]], values: dict[str, Value],
           modes: dict[str, str]) -> None:
    """Values that follow from the guards of a version that held."""
    for g in session.guards(artifact):
        if g.kind == "GLOBAL_STATE":
            modes.update(modes_of(g))
        elif g.origin and (artifact, g.index) not in failed:
            value = expected_value(g)
            place = normal(f"len({g.origin})" if g.kind == "SEQUENCE_LENGTH" else g.origin)
            if value is not None and place not in values and not _inside(place, values):
                values[place] = value


def _inside(place: str, values: dict[str, Value]) -> bool:
    """Whether a value that is known already says what `place` is (x.shape[0] of a tensor x)."""
    head = place.partition(".shape[")[0].partition(".stride(")[0]
    return head != place and head in values and values[head].kind == "tensor"


def _learn_failure(f: FailureRow, values: dict[str, Value], modes: dict[str, str]) -> None:
    place = place_of(f)
    if f.aspect == "mode":
        modes[place] = f.seen
    elif f.aspect in ("value", "none") and normal(place) == normal(f.origin):
        value = literal(f.seen)
        if value is not None:
            values[normal(place)] = value
    elif f.aspect == "length" and place.startswith("len(") and f.seen.isdigit():
        values[normal(place)] = Value("value", "int", int(f.seen))


def modes_of(g: GuardRow) -> dict[str, str]:
    """What a GLOBAL_STATE guard expects, by name."""
    said = g.facts.get("modes")
    if isinstance(said, dict):
        return {str(name): str(value) for name, value in said.items()}
    names = ("grad mode", "inference mode", "default dtype", "default device", "deterministic algorithms", "autocast")
    return {name: part[len(name):].strip() for part in g.expected.split(", ") for name in names if part.startswith(name + " ")}


TENSOR_TEXT = re.compile(r"(\w+)\[([\d, any]*)\] on ([\w:]+)(, requires grad)?")


def tensor_facts(g: GuardRow) -> dict[str, Any] | None:
    """What a TENSOR_MATCH guard expects. Without facts the text tells all but the strides, which are then missing; None
    where nothing can be told."""
    f = g.facts
    said = TENSOR_TEXT.fullmatch(g.expected) if not f else None
    if said is not None:
        sizes = [int(n) if n.strip().isdigit() and len(n) < 19 else None for n in said[2].split(",") if n.strip()]
        return {"cls": "", "dtype": said[1], "device": said[3], "requires_grad": said[4] is not None, "sizes": sizes}
    kinds = {"cls": str, "dtype": str, "device": str, "requires_grad": bool, "sizes": list, "strides": list}
    if not all(isinstance(f.get(name), kind) for name, kind in kinds.items()) or len(f["sizes"]) != len(f["strides"]) \
            or not all(n is None or type(n) is int for n in (*f["sizes"], *f["strides"])):
        return None
    return f


def expected_value(g: GuardRow) -> Value | None:
    """The value that a guard demands, where it demands just one."""
    if g.kind == "TENSOR_MATCH":
        f = tensor_facts(g)
        if f is None or "strides" not in f or None in (*f["sizes"], *f["strides"]):
            return None
        return Value("tensor", f["cls"], dtype=f["dtype"], shape=tuple(f["sizes"]), strides=tuple(f["strides"]),
                     device=f["device"], requires_grad=f["requires_grad"])
    if g.kind == "EQUALS_MATCH":
        if "value" in g.facts and type(g.facts["value"]).__name__ == g.facts.get("type"):
            return Value("value", str(g.facts["type"]), g.facts["value"])
        return literal(g.expected)
    if g.kind == "CONSTANT_MATCH":
        return literal(g.expected)
    if g.kind == "SEQUENCE_LENGTH":
        length = g.facts.get("length", int(g.expected) if g.expected.isdigit() else None)
        return Value("value", "int", length) if type(length) is int else None
    if g.kind == "TYPE_MATCH" and g.expected not in ("int", "float", "bool", "str"):
        return Value("value", "NoneType", None) if g.expected == "None" else Value("type", type_of(g))
    return None


def type_of(g: GuardRow) -> str:
    """The name of the type a TYPE_MATCH guard expects, as signatures write it."""
    said = g.facts.get("type")
    return said if isinstance(said, str) else g.expected.rpartition(".")[2]


def literal(text: str) -> Value | None:
    """A plain constant from its text; None when the text is not exactly one."""
    if text.lstrip("-") in ("inf", "nan"):
        return Value("value", "float", float(text))
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    if type(value) is str and "..." in value:            # may have been shortened
        return None
    return Value("value", type(value).__name__, value) if value is None or type(value) in (bool, int, float, str) else None
