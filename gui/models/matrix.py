"""Guards x versions: one row per checked thing, one column per version of a function, and which rows tell versions apart.

A tensor's guard is taken apart (dtype, each size, each stride, ...), because it is one of those that differs. No Qt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...core.events.schema import Artifact, GuardRow
from ...core.events.summary import place_of
from ..facts import Facts
from .size_states import between, held_by

MOST_VERSIONS = 64
# Kinds of which an origin has one at most, and how their place is written.
PLACES = {"EQUALS_MATCH": "{}", "CONSTANT_MATCH": "{}", "ID_MATCH": "{}", "FUNCTION_MATCH": "{}", "TENSOR_MATCH": "{}",
          "TYPE_MATCH": "type({})", "SEQUENCE_LENGTH": "len({})", "DICT_KEYS": "keys of {}",
          "SET_CONTENTS": "members of {}"}
HOLDS = "\N{CHECK MARK}"
SIZE = re.compile(r"^(.*\.shape\[\d+\]) (>=|<=|<|>|!=) (-?\d+)$")


@dataclass(frozen=True, slots=True)
class Cell:
    """What a version expects (`text`) and the guard that says so. failing: it did not hold in the selected call."""

    text: str
    guard: int
    failing: bool = False


@dataclass(slots=True)
class MatrixRow:
    """`place` is the checked thing in the script's words; `cells` by artifact id (absent: not checked there); `rank`:
    0 values and sizes, 1 other facts of tensors, 2 strides, 3 the rest."""

    place: str
    kind: str
    rank: int
    cells: dict[int, Cell] = field(default_factory=dict)
    differs: bool = False
    seen: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows that tell versions apart come first. left_out: versions beyond MOST_VERSIONS, the oldest ones."""

    code: int
    versions: tuple[Artifact, ...]
    rows: tuple[MatrixRow, ...]
    left_out: int = 0

    @property
    def telling(self) -> int:
        return sum(row.differs for row in self.rows)


def matrix(facts: Facts, code: int, call: int | None) -> Matrix:
    """The matrix of a function's versions; cells that failed in `call` are marked, with what was seen."""
    every = facts.artifacts_of(code)
    versions = every[-MOST_VERSIONS:]
    rows: dict[tuple[str, str], MatrixRow] = {}
    for artifact in versions:
        for place, kind, rank, text, guard in parts_at(facts, artifact.id):
            row = rows.setdefault((place, kind), MatrixRow(place, kind, rank))
            row.cells[artifact.id] = Cell(text, guard)
    _mark(facts, rows, versions, code, call)
    for row in rows.values():
        texts = {cell.text for cell in row.cells.values()}
        row.differs = len(texts) > 1 or len(row.cells) < len(versions)
    order = {key: i for i, key in enumerate(rows)}
    _quiet_strides(rows)
    found = sorted(rows.items(), key=lambda item: (not item[1].differs, item[1].rank, order[item[0]]))
    return Matrix(code, tuple(versions), tuple(row for _, row in found), len(every) - len(versions))


def parts_of(guards: list[GuardRow]) -> list[tuple[str, str, int, str, int]]:
    """(place, kind, rank, expected text, guard index) of each checked thing of a version."""
    bounds: dict[str, list[str]] = {}
    found: list[tuple[str, str, int, str, int]] = []
    places: set[str] = set()                 # of what was found, but for relations
    for g in guards:
        if g.kind == "SHAPE_ENV" and (both := between(g.condition)):
            bounds.setdefault(both[0], []).append(f"{both[1]} to {both[2]}")
        elif g.kind == "SHAPE_ENV" and (m := SIZE.match(g.condition)):
            bounds.setdefault(m[1], []).append(f"{m[2]} {m[3]}")
    for g in guards:
        before = len(found)
        if g.kind == "TENSOR_MATCH" and g.facts.get("sizes") is not None:
            found += _tensor_parts(g, bounds)
        elif g.kind == "GLOBAL_STATE" and isinstance(g.facts.get("modes"), dict):
            found += [(name, "mode", 3, str(value), g.index) for name, value in g.facts["modes"].items()]
        elif g.kind == "SHAPE_ENV":
            m, both = SIZE.match(g.condition), between(g.condition)
            name = both[0] if both is not None else m[1] if m is not None else ""
            # A bound on a size stands in the size's own row where the tensor has one.
            if held := held_by(g.condition):                 # two conditions, one for each end
                said = f"{held[0]} is a value of {held[1]}"
                if said not in {place for place, *_ in found[-1:]}:
                    found.append((said, "relation", 1, HOLDS, g.index))
            elif name not in places:
                found.append((g.condition, "relation", 1, HOLDS, g.index))
            continue
        elif g.kind == "NAMES_UNCHANGED":
            found.append(("names of libraries", g.kind, 3, g.expected, g.index))
        else:
            place, text = _statement(g)
            value = g.kind in ("EQUALS_MATCH", "CONSTANT_MATCH")          # 3 in one version, None in another: one row
            found.append((place, "value" if value else g.kind, 0 if value or g.kind == "FLOAT_NOT_NAN" else 3, text, g.index))
        places.update(place for place, *_ in found[before:])
    return found


def parts_at(facts: Facts, artifact: int) -> list[tuple[str, str, int, str, int]]:
    """`parts_of` the guards of a version, which never change once written."""
    found = facts.lasting.get(("parts", artifact))
    if not found:
        found = facts.lasting["parts", artifact] = parts_of(facts.guards(artifact))
    return found


def _statement(g: GuardRow) -> tuple[str, str]:
    """(place, text) of a guard on one thing. A version may have several of most kinds on the same origin (one per key, per
    name, per other object), so what tells them apart belongs to the place."""
    if g.origin and g.kind in PLACES:
        return PLACES[g.kind].format(g.origin), g.expected or HOLDS
    if g.kind == "DICT_CONTAINS":
        key, negated, container = g.condition.partition(" not in ")
        return (f"{key} in {container}", "no") if negated else (g.condition, "yes")
    if g.kind == "CLASS_ATTRIBUTE" and " is " in g.condition:
        attribute, _, value = g.condition.partition(" is ")
        return attribute, value
    return g.condition, HOLDS


def _tensor_parts(g: GuardRow, bounds: dict[str, list[str]]) -> list[tuple[str, str, int, str, int]]:
    f, name = g.facts, g.origin
    found = []
    for dim, size in enumerate(f["sizes"]):
        place = f"{name}.shape[{dim}]"
        text = str(size) if size is not None else ", ".join(["any", *bounds.get(place, [])])
        found.append((place, "size", 0, text, g.index))
    found.append((f"{name}.dtype", "dtype", 1, str(f.get("dtype", "")), g.index))
    found.append((f"{name}.device", "device", 1, str(f.get("device", "")), g.index))
    found.append((f"{name}.requires_grad", "requires_grad", 1, str(f.get("requires_grad", "")), g.index))
    found.append((f"type({name})", "type", 1, str(f.get("cls", "")), g.index))
    for dim, stride in enumerate(f.get("strides") or []):
        found.append((f"{name}.stride({dim})", "stride", 2, "any" if stride is None else str(stride), g.index))
    return found


def _mark(facts: Facts, rows: dict[tuple[str, str], MatrixRow], versions: list[Artifact], code: int, call: int | None) -> None:
    """Mark what failed in a call: by its exact place where a row has it, else every row of the guard."""
    for missed, groups in facts.failures_of_call(call) if call is not None else []:
        if missed != code:
            continue
        for artifact, failures in groups:
            for f in failures:
                own = [r for r in rows.values() if (c := r.cells.get(artifact)) is not None and c.guard == f.index]
                exact = [r for r in rows.values() if r.place == place_of(f) and artifact in r.cells]
                for row in exact or own:
                    cell = row.cells[artifact]
                    row.cells[artifact] = Cell(cell.text, cell.guard, True)
                    row.seen = f.seen if exact else row.seen


def _quiet_strides(rows: dict[tuple[str, str], MatrixRow]) -> None:
    """Strides that differ only because sizes do are no news: they go to the end of what differs."""
    sized = {place.partition(".shape[")[0] for (place, kind), row in rows.items() if kind == "size" and row.differs}
    for (place, kind), row in rows.items():
        if kind == "stride" and row.differs and place.partition(".stride(")[0] in sized:
            row.rank = 4
