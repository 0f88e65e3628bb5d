"""Values as Python text: what leaves the graph is built again by the entry, each object once.

Existing objects are fetched by their origin, at the very beginning of the entry, before anything changes them. Tensors come
out of the graph. New containers, objects, functions and cells are made anew; an object that is reached twice (or that
contains itself) gets a name first and is filled afterwards.
"""

from __future__ import annotations

import keyword
import math
import re
import types
from typing import Any

from ..guards.origin import (
    ArgOrigin,
    AttrOrigin,
    BuiltinOrigin,
    FunctionOrigin,
    InstanceDictOrigin,
    ItemOrigin,
    Origin,
    PinnedOrigin,
    SizeOrigin,
)
from ..symbolic.text import MATH
from .attributes import class_lookup, has_get
from .function_values import BuiltinValue
from .graph_inputs import input_name
from .values import ClassValue, Const, Lazy, TensorValue, Value, Variable

PLAIN = (int, str, bytes, bool, type(None))

HELPERS = {"math": MATH, "max": max, "min": min, "abs": abs, "round": round, "int": int, "float": float, "len": len}


class CannotRebuild(Exception):
    """A value cannot leave the trace. `what` names it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what
        self.values: list[Value] = []           # it and what contains it


# Names that the text of an entry calls as they are.
CALLED = frozenset({"abs", "float", "getattr", "int", "math", "max", "min", "round"})


class Rebuilder:
    """Writes the lines of one entry. `fetches` come first, `lines` after the graph's call."""

    def __init__(self, ev: Any, params: list[str]) -> None:
        self.ev = ev
        self.params = set(params)
        self.names: set[str] = set(params) | {"__fn", "__graph", "__rt"}
        self.fetches: list[str] = []
        self.lines: list[str] = []
        self.fetched: dict[Origin, str] = {}
        self.built: dict[int, str] = {}
        self.shared: set[int] = set()
        self.seen: set[int] = set()
        self.building: set[int] = set()
        self.outputs: list[TensorValue] = []
        self.output_names: dict[int, str] = {}
        self.cells: dict[int, str] = {}
        self.keep: list[Any] = []

    # -- names --------------------------------------------------------------------------------------------------------
    def name(self, stem: str) -> str:
        """A fresh local name."""
        word = "".join(c if c.isalnum() or c == "_" else "_" for c in stem) or "value"
        if not word.isidentifier() or keyword.iskeyword(word) or word in CALLED:
            word = f"v_{word}"
        found, number = word, 1
        while found in self.names or found in self.ev.slots:
            found = f"{word}_{number}"
            number += 1
        self.names.add(found)
        return found

    def pin(self, obj: Any, name: str = "") -> str:
        """The name under which the entry knows an object."""
        return self.ev.pin(obj, name).slot

    def builtin(self, real: type) -> str:
        """The name of a class of Python's own, unless the script has a variable of that name."""
        name = real.__name__
        return self.pin(real) if name in self.names else name

    # -- existing objects ---------------------------------------------------------------------------------------------
    def fetch(self, origin: Origin) -> str:
        """A local that holds what `origin` names, as it was when the call began."""
        if isinstance(origin, ArgOrigin):
            return origin.name
        if isinstance(origin, FunctionOrigin):
            return "__fn"
        if isinstance(origin, PinnedOrigin):
            return origin.slot
        if isinstance(origin, BuiltinOrigin):
            import builtins

            return self.pin(getattr(builtins, origin.name), origin.name)
        found = self.fetched.get(origin)
        if found is None:
            code = self.code(origin)
            found = self.fetched[origin] = self.name(input_name(origin))
            self.fetches.append(f"{found} = {code}")
        return found

    def code(self, origin: Origin) -> str:
        base = self.fetch(origin.base) if origin.base is not None else ""
        if isinstance(origin, ItemOrigin):
            key = repr(origin.key) if literal(origin.key) else self.pin(origin.key)
            return f"{base}[{key}]"
        if isinstance(origin, AttrOrigin):
            return f"{base}.{origin.name}" if origin.name.isidentifier() else f"getattr({base}, {origin.name!r})"
        if isinstance(origin, InstanceDictOrigin):
            if origin.slot == "__dict__" and origin.name.isidentifier() and not has_get(class_lookup(
                    type(self.ev.real_at(origin.of)), origin.name)[1]):
                return f"{base}.{origin.name}"
            return f"{base}.{origin.slot}[{origin.name!r}]"
        if isinstance(origin, SizeOrigin):
            return f"{base}._meta.{'shape' if origin.kind == 'size' else 'strides'}[{origin.dim}]"
        if origin.base is not None and origin.code.startswith(origin.base.code):
            return base + origin.code[len(origin.base.code):]
        return origin.code

    # -- counting -----------------------------------------------------------------------------------------------------
    def count(self, value: Value) -> None:
        """Find the new objects that are reached more than once."""
        from .rebuild_rules import children

        stack = [value]
        while stack:
            v = stack.pop()
            if isinstance(v, Lazy):
                if v.known is None:
                    continue
                v = v.known
            if isinstance(v, Const | TensorValue | ClassValue | BuiltinValue):
                continue
            if id(v) in self.seen:
                self.shared.add(id(v))
                continue
            self.seen.add(id(v))
            self.keep.append(v)
            stack.extend(children(self, v))

    # -- values -------------------------------------------------------------------------------------------------------
    def value(self, value: Value) -> str:
        """An expression for the value. Raises CannotRebuild."""
        if isinstance(value, Lazy):
            if value.known is None:
                assert value.origin is not None
                return self.fetch(value.origin)
            value = value.known
        found = self.built.get(id(value))
        if found is not None:
            return found
        from .rebuild_rules import RULES

        if id(value) in self.building:
            raise CannotRebuild(f"a {value.type.__name__} that contains itself")
        self.building.add(id(value))
        try:
            rule = RULES.get(type(value))
            if rule is None:
                rule = next((r for c, r in RULES.items() if isinstance(value, c)), None)
            if rule is None:
                raise CannotRebuild(f"an object of class {value.type.__name__}")
            text: str = rule(self, value)
            if id(value) in self.shared and id(value) not in self.built and not text.isidentifier():
                name = self.name(value.type.__name__.lower())
                self.lines.append(f"{name} = {text}")
                self.built[id(value)] = text = name
            return text
        except CannotRebuild as problem:
            problem.values.append(value)
            raise
        finally:
            self.building.discard(id(value))

    def made(self, value: Value, stem: str, text: str) -> str:
        """Give an object a name before it is filled."""
        name = self.built[id(value)] = self.name(stem)
        self.lines.append(f"{name} = {text}")
        return name

    def items(self, values: Any) -> str:
        return ", ".join(self.value(v) for v in values)

    def number(self, value: Any) -> str:
        """A symbolic number as an expression of the sizes and numbers of this call."""
        expr = value.expr
        data = self.ev.data
        names = {n: self.tensor(data[n]) if n in data else self.fetch(self.ev.env.bindings[n]) for n in sorted(expr.free)}
        text: str = expr.python(names)
        for helper, real in HELPERS.items():
            if re.search(rf"(?<![\w.]){helper}[(.]", text):
                text = re.sub(rf"(?<![\w.]){helper}(?=[(.])", self.pin(real, helper), text)
        return text if text.isidentifier() or text.isdigit() else f"({text})"

    def tensor(self, value: TensorValue) -> str:
        if value.real is not None and value.origin is not None:
            return self.fetch(value.origin)
        found = self.output_names.get(id(value))
        if found is None:
            self.outputs.append(value)
            found = self.output_names[id(value)] = self.name(value.fake._node.name)
        return found

    def cell(self, variable: Variable) -> str:
        """The cell of a variable: the existing one, or one made here and shared by all functions that use it."""
        if variable.cell is not None:
            assert variable.origin is not None
            return self.fetch(variable.origin)
        found = self.cells.get(id(variable))
        if found is None:
            self.keep.append(variable)
            found = self.cells[id(variable)] = self.name(f"{variable.name}_cell")
            self.lines.append(f"{found} = {self.pin(types.CellType, 'Cell')}()")
            if variable.value is not None:
                text = self.value(variable.value)
                self.lines.append(f"{found}.cell_contents = {text}")
        return found


# -- rules ----
def literal(value: Any) -> bool:
    return isinstance(value, PLAIN) and type(value) in PLAIN or isinstance(value, float) and math.isfinite(value) \
        or type(value) is tuple and all(literal(v) for v in value)
