"""Fetch what an Origin names, step by step and without generated code: for explanations, which may be slow."""

from __future__ import annotations

import builtins
import dataclasses
import inspect
from typing import Any

from ..errors import InternalError
from .guard import ABSENT
from .origin import (
    ArgOrigin,
    AttrOrigin,
    BuiltinOrigin,
    CellOrigin,
    DictKeyOrigin,
    FunctionOrigin,
    GlobalOrigin,
    InstanceDictOrigin,
    ItemOrigin,
    Origin,
    PinnedOrigin,
    SizeOrigin,
    TypeOrigin,
)


class Scope:
    """One call: the function object, its arguments by parameter name, and the dicts of inlined callees' globals."""

    def __init__(self, fn: Any, params: dict[str, Any], slots: dict[str, dict]) -> None:
        self.fn, self.params, self.slots = fn, params, slots
        self._seen: dict[Origin, Any] = {}

    def read(self, origin: Origin) -> Any:
        """The value there now. Raises whatever fetching raises (KeyError, AttributeError, ...)."""
        if origin in self._seen:
            return self._seen[origin]
        value = self._seen[origin] = self._read(origin)
        return value

    def _read(self, o: Origin) -> Any:
        if isinstance(o, ArgOrigin):
            return self.params[o.name]
        if isinstance(o, GlobalOrigin):
            return self.globals(o.slot)[o.name]
        if isinstance(o, BuiltinOrigin):
            return builtins.__dict__[o.name]
        if isinstance(o, FunctionOrigin):
            return self.fn
        if isinstance(o, PinnedOrigin):
            return o.obj
        if isinstance(o, CellOrigin):
            return self.read(o.of).__closure__[o.index].cell_contents
        if isinstance(o, AttrOrigin):
            return getattr(self.read(o.of), o.name)
        if isinstance(o, InstanceDictOrigin):
            return getattr(self.read(o.of), o.slot)[o.name]
        if isinstance(o, ItemOrigin):
            return item(self.read(o.of), o.key)
        if isinstance(o, DictKeyOrigin):
            return list(self.read(o.of))[o.index]
        if isinstance(o, TypeOrigin):
            return type(self.read(o.of))
        if isinstance(o, SizeOrigin):
            meta = self.read(o.of)._meta
            return (meta.shape if o.kind == "size" else meta.strides)[o.dim]
        parts: dict[str, Any] = {}
        code = foreign_code(o, lambda part: _keep(parts, self.read(part)))
        return eval(code, {**self.slots, "__G": self.fn.__globals__, **HELPERS, **parts})

    def globals(self, slot: str) -> dict:
        """The dict behind a GlobalOrigin's slot. `__G` is the running function's own: functions may share code and
        have different globals."""
        return self.slots[slot] if slot in self.slots and slot != "__G" else self.fn.__globals__


def item(base: Any, key: Any) -> Any:
    """`base[key]`, which makes no entry for a key that is missing, as a defaultdict would. Raises KeyError for that."""
    if not isinstance(base, dict):
        return base[key]
    found = dict.get(base, key, ABSENT)
    if found is ABSENT:
        raise KeyError(key)
    return found


# What the code of origins defined elsewhere may call.
HELPERS = {"__super": super, "__static": inspect.getattr_static, "list": list, "type": type}


@dataclasses.dataclass(frozen=True, slots=True)
class _Local(Origin):
    """Stands for a part that was fetched before, under a name."""

    name: str

    @property
    def code(self) -> str:
        return self.name


def _keep(parts: dict[str, Any], value: Any) -> str:
    name = f"__part{len(parts)}"
    parts[name] = value
    return name


def foreign_code(o: Origin, fetch: Any) -> str:
    """The code of a kind of origin that this package has no rule for, with every origin it is made of replaced by the
    name that `fetch(part)` gives."""
    if not dataclasses.is_dataclass(o):
        raise InternalError(f"a guard reads {o.text} through {type(o).__name__}, expected a dataclass like all origins")
    parts = {f.name: _Local(fetch(v)) for f in dataclasses.fields(o) if isinstance(v := getattr(o, f.name), Origin)}
    return dataclasses.replace(o, **parts).code if parts else o.code
