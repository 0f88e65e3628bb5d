"""Checking what a session file says: rows and JSON become the frozen dataclasses of schema.py, or `Damaged` says why not.

Whole columns are looked at together, so that a table of many rows costs little more than fetching it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, fields
from functools import partial
from itertools import chain, groupby, islice, repeat
from types import NoneType
from typing import Any

import numpy as np

from .schema import (
    CHUNK,
    SINCE,
    STREAMS,
    TABLES,
    Artifact,
    Code,
    FailureRow,
    GuardRow,
    Kernel,
    Miss,
    NodeRow,
    Value,
    fields_of,
)

SMALLEST, LARGEST = -1 << 63, (1 << 63) - 1
FIELDS: dict[type, list[tuple[str, Any, bool]]] = {
    cls: list(fields_of(cls)) for cls in (*TABLES.values(), GuardRow, NodeRow, FailureRow, Value)}
# Which columns of which table hold ids of another, so that nobody indexes beyond a list. A row's references into its
# own table are to rows before it.
REFERENCES: dict[str, list[tuple[str, str]]] = {
    table: [("code", "code")] * any(name == "code" for name, _, _ in FIELDS[cls]) for table, cls in TABLES.items()}
REFERENCES["code"] += [("resume_of", "code")]
REFERENCES["artifact"] += [("ends_in_break", "break")]
REFERENCES["kernel"] += [("artifact", "artifact")]
REFERENCES["phase"] += [("artifact", "artifact")]
ITEMS: dict[type, dict[str, Callable[[Any], bool]]] = {            # what the entries of JSON lists must be
    Code: {"params": lambda v: isinstance(v, str)},
    Artifact: {"dynamic_dims": lambda v: (isinstance(v, tuple) and len(v) == 3 and isinstance(v[0], str)
                                          and isinstance(v[1], int | None)),
               "inputs": lambda v: isinstance(v, dict), "reads": lambda v: isinstance(v, dict)},
    Kernel: {"nodes": lambda v: isinstance(v, int)},
    NodeRow: {"users": lambda v: isinstance(v, int)},
    Value: {"shape": lambda v: isinstance(v, int), "strides": lambda v: isinstance(v, int)},
}
DEFAULTS: dict[type, dict[str, Any]] = {           # of fields that JSON may leave out
    cls: {f.name: f.default if f.default_factory is MISSING else f.default_factory() for f in fields(cls)
          if f.default is not MISSING or f.default_factory is not MISSING} for cls in FIELDS}


class Damaged(Exception):
    """A record that does not fit the schema; the message says how."""


def parse_json(text: Any) -> Any:
    """JSON text to plain data. Damaged when it is not JSON."""
    if not isinstance(text, str):
        raise Damaged("text was expected")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Damaged(f"not JSON: {type(problem).__name__}") from None


def decode(cls: type, rows: Sequence[tuple[Any, ...]]) -> tuple[list[Any], str]:
    """Rows of a table as dataclasses, up to the first that does not fit, and what is wrong with that one ("" if all do)."""
    if not rows:
        return [], ""
    columns: list[Sequence[Any]] = []
    count, wrong = len(rows), ""
    for (name, kind, optional), column in zip(FIELDS[cls], zip(*rows)):
        values, problem = _up_to(partial(_from_sql, cls, name, kind, optional), column[:count])
        if problem:
            count, wrong = len(values), problem
        columns.append(values)
    return made_of(cls, count, columns), wrong


def made_of(cls: type, count: int, columns: Iterable[Iterable[Any]]) -> list[Any]:
    """`count` records, each of one value of every field's column (longer ones are cut). A frozen dataclass's own way to make
    one sets its fields in Python, one by one; this fills the slots field by field, in half the time."""
    made: list[Any] = list(map(object.__new__, repeat(cls, count)))
    for (name, _, _), column in zip(FIELDS[cls], columns):
        deque(map(getattr(cls, name).__set__, made, column), maxlen=0)
    return made


def _up_to(convert: Callable[[Sequence[Any]], Sequence[Any]], column: Sequence[Any]) -> tuple[Sequence[Any], str]:
    """A column converted; where that fails, its values before the first that cannot be, and why that one cannot."""
    try:
        return convert(column), ""
    except Damaged:
        values: list[Any] = []
        for value in column:
            try:
                values += convert((value,))
            except Damaged as problem:
                return values, str(problem)
        raise AssertionError("a column is damaged, but none of its values") from None


def _from_sql(cls: type, name: str, kind: Any, optional: bool, column: Sequence[Any]) -> Sequence[Any]:
    """A column of a table as values of a field: SQLite has no bool, and lists and dicts are JSON text."""
    if kind is bool and set(column) <= {0, 1}:
        column = list(map(bool, column))
    elif kind in (tuple, dict):
        known = {text: parse_json(text) for text in dict.fromkeys(column)}     # many versions have the same lists
        column = [known[text] for text in column]
    values = checked(cls, name, kind, optional, column)
    if cls is Miss and name == "failures":
        made = iter(from_dicts(FailureRow, list(chain.from_iterable(values))))
        values = [tuple(islice(made, len(entry))) for entry in values]
    return values


def from_dicts(cls: type, rows: Any) -> list[Any]:
    """Dicts of a JSON list as dataclasses; unknown keys are ignored, missing ones take their default."""
    if not isinstance(rows, list):
        raise Damaged("a list was expected")
    if not all(type(row) is dict for row in rows):
        raise Damaged("a record was expected")
    out: list[Any] = []
    for keys, alike in groupby(rows, key=tuple):             # records with the same keys are made together
        group = list(alike)
        given = dict(zip(keys, zip(*(row.values() for row in group))))
        columns: list[Iterable[Any]] = []
        for name, kind, optional in FIELDS[cls]:
            if name in given:
                columns.append(checked(cls, name, kind, optional, given[name]))
            elif name in DEFAULTS[cls]:
                columns.append(repeat(DEFAULTS[cls][name], len(group)))
            else:
                raise Damaged(f"{name} is missing")
        out += made_of(cls, len(group), columns)
    return out


def checked(cls: type, name: str, kind: Any, optional: bool, column: Sequence[Any]) -> Sequence[Any]:
    """The values of a field if all are of its kind, lists turned into tuples; Damaged otherwise."""
    if kind is Any:
        return [value if isinstance(value, str | int | float | None) else None for value in column]
    found = set(map(type, column))
    if kind is tuple and list in found:
        column = [tuple(tuple(v) if type(v) is list else v for v in value) if type(value) is list else value
                  for value in column]
        found = set(map(type, column))
    for wrong in found - {kind, NoneType if optional else kind}:
        raise Damaged(f"{name} is {wrong.__name__}, not {kind.__name__}")
    numbers = [value for value in column if value is not None] if kind is int else ()
    if numbers and not SMALLEST <= min(numbers) <= max(numbers) <= LARGEST:
        raise Damaged(f"{name} is too large")
    fits = ITEMS.get(cls, {}).get(name)
    if fits is not None and not all(map(fits, chain.from_iterable(column))):
        raise Damaged(f"{name} has an entry of the wrong kind")
    return column


def complete(table: str, records: Sequence[Any], first: int, size: Callable[[str], int]) -> tuple[int, str]:
    """How many records of a table, numbered from `first`, follow one another and refer only to what is there, and what is
    wrong with the next one. size(table): how many rows another one has."""
    sizes = {target: size(target) for _, target in REFERENCES[table] if target != table}
    artifacts = size("artifact") if table == "miss" else 0
    for at, record in enumerate(records):
        if record.id != first + at:
            return at, f"row {first + at} is missing"
        for name, target in REFERENCES[table]:
            value = getattr(record, name)
            if value is not None and not 0 <= value < (record.id if target == table else sizes[target]):
                return at, f"there is no {target} {value}"
        if table == "miss" and not all(-1 <= failure.artifact < artifacts for failure in record.failures):
            return at, "a failure names an artifact that is not there"
    return len(records), ""


def chunk(stream: str, first: Any, count: Any, blobs: list[Any], known: int) -> dict[str, np.ndarray]:
    """A chunk's columns, without the rows that are already known."""
    if not isinstance(first, int) or not isinstance(count, int) or not 0 < count <= CHUNK or not 0 <= first <= known:
        raise Damaged("a chunk is missing or has an impossible size")
    columns = {}
    for (name, kind, _), blob in zip(STREAMS[stream], blobs):
        if blob is None and f"{stream}.{name}" in SINCE:
            blob = bytes(count * np.dtype(kind).itemsize)
        if not isinstance(blob, bytes) or len(blob) != count * np.dtype(kind).itemsize:
            raise Damaged(f"column {name} has the wrong length")
        columns[name] = np.frombuffer(blob, kind)[known - first:]
    return columns


def within(columns: dict[str, np.ndarray], name: str, low: int, high: int) -> None:
    """Damaged unless low <= column < high everywhere."""
    column = columns[name]
    if len(column) and (int(column.min()) < low or int(column.max()) >= high):
        raise Damaged(f"column {name} refers to something that is not there")
