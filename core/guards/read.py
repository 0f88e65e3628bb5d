"""Fetch what an Origin names, step by step and without generated code: for explanations, which may be slow."""

from __future__ import annotations

import builtins
from typing import Any

from ..errors import InternalError
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
            return self.read(o.of)[o.key]
        if isinstance(o, DictKeyOrigin):
            return list(self.read(o.of))[o.index]
        if isinstance(o, TypeOrigin):
            return type(self.read(o.of))
        if isinstance(o, SizeOrigin):
            meta = self.read(o.of)._meta
            return (meta.shape if o.kind == "size" else meta.strides)[o.dim]
        base = o.base
        if base is not None and o.code.startswith(base.code):
            return eval("__v" + o.code[len(base.code):], {"__v": self.read(base)})   # a kind of origin made elsewhere
        raise InternalError(f"a guard reads {o.text} through {type(o).__name__}, which core/guards does not know")

    def globals(self, slot: str) -> dict:
        if slot in self.slots:
            return self.slots[slot]
        return self.fn.__globals__
