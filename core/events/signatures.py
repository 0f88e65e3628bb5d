"""Signatures on the writer's side: every combination of argument values of a code gets a number and is stored once."""

from __future__ import annotations

from typing import Any

from ..tensor.meta import TensorMeta
from .chunks import Statement
from .database import clean, dumps

MAX_SIGNATURES = 100_000     # a counter among the arguments makes every call's signature new
LONGEST_TEXT = 200           # characters kept of a text argument


class TypeName(str):
    """The name of a type, standing for a value that is not recorded itself. Plain str is a text value."""

    __slots__ = ()


class Signatures:
    """`known`: (code, values, their types) -> number. `params`: code -> names of its parameters. What is new is appended to
    `pending`, as statements."""

    def __init__(self, pending: list[Statement]) -> None:
        self.known: dict[tuple[Any, ...], int] = {}
        self.params: dict[int, tuple[str, ...]] = {}
        self.pending = pending

    def number(self, code: int, values: Any) -> int:
        """The number of this combination of argument values for this code; -1 when there are too many. 1, 1.0 and True are
        different values."""
        if values.__class__ is not tuple:
            values = (values,)
        key: tuple[Any, ...] = (code, values, *map(type, values))
        try:
            found = self.known.get(key)
        except TypeError:                     # not hashable: keep the type only
            values = tuple(TypeName(type(v).__name__) if not _hashable(v) else v for v in values)
            key = (code, values, *map(type, values))
            found = self.known.get(key)
        if found is not None:
            return found
        if len(self.known) >= MAX_SIGNATURES:
            return -1
        number = self.known[key] = len(self.known)
        names = self.params.get(code, ())
        entries = [[names[i] if i < len(names) else f"argument {i}", describe(v)] for i, v in enumerate(values)]
        self.pending.append(("INSERT INTO signature VALUES (?, ?, ?)", (number, code, dumps(entries))))
        return number


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def describe(value: Any) -> dict[str, Any]:
    """A value of a signature as JSON: the fields of schema.Value that differ from their defaults."""
    if isinstance(value, TensorMeta):
        out: dict[str, Any] = {"kind": "tensor", "type": value.cls.__name__, "dtype": value.dtype.name,
                               "shape": list(value.shape), "strides": list(value.strides)}
        if str(value.device) != "cpu":
            out["device"] = str(value.device)
        if value.requires_grad:
            out["requires_grad"] = True
        return out
    if isinstance(value, type):
        return {"kind": "type", "type": value.__name__}
    if isinstance(value, TypeName):
        return {"kind": "type", "type": clean(value)}
    if value is None or isinstance(value, bool | int | float):
        return {"kind": "value", "type": type(value).__name__, "value": value}
    if isinstance(value, str):
        return {"kind": "value", "type": "str", "value": clean(value[:LONGEST_TEXT])}
    return {"kind": "type", "type": type(value).__name__}
