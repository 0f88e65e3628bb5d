"""Values as Python text: what leaves the graph is built again by the entry, each object once.

Existing objects are fetched by their origin, at the very beginning of the entry, before anything changes them. Tensors come
out of the graph. New containers, objects, functions and cells are made anew; an object that is reached twice (or that
contains itself) gets a name first and is filled afterwards.
"""

from __future__ import annotations

import ast
import collections
import functools
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
from .attributes import class_lookup, has_get
from .containers import complete
from .reading import input_name
from .values import (
    BuiltinMethodValue,
    BuiltinValue,
    ClassValue,
    Const,
    DictValue,
    ExceptionValue,
    FunctionValue,
    IteratorValue,
    Lazy,
    ListValue,
    MethodValue,
    NativeValue,
    ObjectValue,
    OpaqueValue,
    PartialValue,
    PropertyValue,
    PyModuleValue,
    RangeValue,
    SetValue,
    SliceValue,
    SuperValue,
    TensorValue,
    TupleValue,
    Value,
    Variable,
)

PLAIN = (int, str, bytes, bool, type(None))
HELPERS = {"math": math, "max": max, "min": min, "abs": abs, "round": round, "int": int, "float": float, "len": len}


class CannotRebuild(Exception):
    """A value cannot leave the trace. `what` names it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


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
        if not word.isidentifier() or word in ("if", "in", "is", "or", "and", "for", "def", "class", "lambda", "return"):
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
        names = {n: self.fetch(self.ev.env.bindings[n]) for n in sorted(expr.free)}
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


def children(r: Rebuilder, v: Value) -> list[Value]:
    """The values inside a new value."""
    if v.origin is not None and not isinstance(v, TupleValue):
        return []
    if isinstance(v, TupleValue):
        return v.items if v.origin is None else []
    if isinstance(v, ListValue):
        of = getattr(v, "of", None)
        return [of] if of is not None else v.items
    if isinstance(v, DictValue):
        return [x for e in v.entries.values() for x in (e.key, e.value)] + ([v.factory] if v.factory else [])
    if isinstance(v, SetValue):
        return list(v.items.values())
    if isinstance(v, ObjectValue):
        inside = list(v.attributes.values())
        if isinstance(v, ExceptionValue):
            inside += [*v.args, *([v.cause] if v.cause is not None else [])]
        return inside + ([v.payload] if v.payload is not None else [])
    if isinstance(v, MethodValue):
        return [v.function, v.receiver]
    if isinstance(v, BuiltinMethodValue):
        return [v.receiver]
    if isinstance(v, PartialValue):
        return [v.function, *v.args, *v.kwargs.values()]
    if isinstance(v, SliceValue):
        return [v.start, v.stop, v.step]
    if isinstance(v, FunctionValue) and v.real is None:
        inside = [*v.defaults, *v.kwdefaults.values(), *v.attributes.values()]
        code = code_of(v)
        for name in code.co_freevars if code is not None else ():
            variable = v.scope.lookup(name)
            if variable is not None and variable.cell is None and variable.value is not None:
                inside.append(variable.value)
        return inside
    if isinstance(v, NativeValue) and v.rebuild is not None:
        return [*v.rebuild[1], *v.rebuild[2].values()]
    return []


# -- rules ----
def literal(value: Any) -> bool:
    return isinstance(value, PLAIN) and type(value) in PLAIN or isinstance(value, float) and math.isfinite(value) \
        or type(value) is tuple and all(literal(v) for v in value)


def constant(r: Rebuilder, v: Const) -> str:
    if v.symbolic:
        return r.number(v.value)
    return repr(v.value) if literal(v.value) else r.pin(v.value, f"{type(v.value).__name__}")


def tuple_(r: Rebuilder, v: TupleValue) -> str:
    if v.origin is not None:
        return r.fetch(v.origin)
    inner = r.items(v.items)
    inner = f"({inner},)" if len(v.items) == 1 else f"({inner})"
    if v.cls is tuple:
        return inner
    if hasattr(v.cls, "_fields") and not (v.cls.__module__ or "").startswith("torch.return_types"):
        return f"{r.pin(v.cls)}{inner}"
    return f"{r.pin(v.cls)}({inner})" if v.cls.__name__ == "Size" else f"{r.pin(v.cls)}{inner}"


def list_(r: Rebuilder, v: ListValue) -> str:
    of = getattr(v, "of", None)
    if of is not None:
        return f"{r.value(of)}.{v.what}()"  # type: ignore[attr-defined]
    if v.origin is not None:
        return r.fetch(v.origin)
    if v.cls is collections.deque:
        name = r.made(v, "deque", f"{r.pin(v.cls)}(maxlen={v.maxlen})")
    elif id(v) in r.shared:
        name = r.made(v, "items", "[]")
    else:
        return f"[{r.items(v.items)}]"
    if v.items:
        text = r.items(v.items)
        r.lines.append(f"{name}.extend([{text}])")
    return name


def dict_(r: Rebuilder, v: DictValue) -> str:
    if v.origin is not None:
        return r.fetch(v.origin)
    complete(r.ev, v)                               # the order of an existing dict that it was made from matters now
    if id(v) not in r.shared and v.cls is dict:
        return "{" + ", ".join(f"{r.value(e.key)}: {r.value(e.value)}" for e in v.entries.values()) + "}"
    factory = r.value(v.factory) if v.cls is collections.defaultdict and v.factory is not None else ""
    name = r.made(v, "table", "{}" if v.cls is dict else f"{r.pin(v.cls)}({factory})")
    for e in list(v.entries.values()):
        key, item = r.value(e.key), r.value(e.value)
        r.lines.append(f"{name}[{key}] = {item}")
    return name


def set_(r: Rebuilder, v: SetValue) -> str:
    if v.origin is not None:
        return r.fetch(v.origin)
    inner = r.items(v.items.values())
    if v.cls is frozenset:
        return f"{r.pin(frozenset)}([{inner}])"
    return f"{{{inner}}}" if v.items else f"{r.pin(set)}()"


def object_(r: Rebuilder, v: ObjectValue) -> str:
    if v.origin is not None:
        return r.fetch(v.origin)
    cls = r.pin(v.cls)
    base = list if isinstance(v.payload, ListValue) else dict if isinstance(v.payload, DictValue) else object
    name = r.made(v, v.cls.__name__.lower(), f"{r.pin(base.__new__, 'new')}({cls})")
    if isinstance(v.payload, ListValue):
        r.lines.append(f"{name}.extend([{r.items(v.payload.items)}])")
    elif isinstance(v.payload, DictValue):
        for e in list(v.payload.entries.values()):
            r.lines.append(f"{r.pin(dict.__setitem__, 'store')}({name}, {r.value(e.key)}, {r.value(e.value)})")
    set_attributes(r, v, name, v.attributes)
    return name


def set_attributes(r: Rebuilder, v: ObjectValue, name: str, attributes: Any) -> None:
    """Assignments that put the attributes there without running any code of the script's."""
    for attribute, value in attributes.items():
        text = r.value(value)
        r.lines.append(f"{name}.{attribute} = {text}" if settable(v.cls, attribute)
                       else f"{r.pin(object.__setattr__, 'set')}({name}, {attribute!r}, {text})")


def settable(cls: type, attribute: str) -> bool:
    """Whether a plain assignment does nothing but store."""
    owner, _ = class_lookup(cls, "__setattr__")
    raw = class_lookup(cls, attribute)[1]
    library = owner is not None and (owner.__module__ or "").startswith("torch.")
    return attribute.isidentifier() and (owner in (object, BaseException) or library) and (
        raw is None or not hasattr(type(raw), "__set__") or isinstance(raw, types.MemberDescriptorType))


def exception(r: Rebuilder, v: ExceptionValue) -> str:
    if v.origin is not None:
        return r.fetch(v.origin)
    arguments = r.items(v.args)
    cls = r.pin(v.cls)
    name = r.made(v, "error", f"{cls}.__new__({', '.join([cls, arguments]) if arguments else cls})")
    r.lines.append(f"{name}.args = ({arguments}{',' if v.args else ''})")
    set_attributes(r, v, name, v.attributes)
    if v.cause is not None:
        r.lines.append(f"{name}.__cause__ = {r.value(v.cause)}")
    return name


def code_of(v: FunctionValue) -> types.CodeType | None:
    """The code object that CPython compiled for a nested function or lambda."""
    node = v.node
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    found = []
    todo = [v.unit.code]
    while todo:
        code = todo.pop()
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                todo.append(inner)
                if inner.co_name == name and inner.co_firstlineno == first:
                    found.append(inner)
    if len(found) > 1 and isinstance(node, ast.Lambda):
        from ..source.locate import is_lambda_of

        found = [c for c in found if is_lambda_of(node, c)]
    return found[0] if found and all(c == found[0] for c in found) else None


def function(r: Rebuilder, v: FunctionValue) -> str:
    if v.real is not None:
        assert v.origin is not None
        return r.fetch(v.origin)
    code = code_of(v)
    if code is None:
        raise CannotRebuild(f"the function {v.name}")
    cells = []
    recursive = []
    for name in code.co_freevars:
        variable = v.scope.lookup(name)
        if variable is None:
            raise CannotRebuild(f"the function {v.name}")
        if variable.cell is None and id(variable) not in r.cells and variable.value is v:
            r.keep.append(variable)
            cell = r.cells[id(variable)] = r.name(f"{name}_cell")
            r.lines.append(f"{cell} = {r.pin(types.CellType, 'Cell')}()")
            recursive.append(cell)
        cells.append(r.cell(variable))
    closure = f"({', '.join(cells)},)" if cells else "None"
    defaults = f"({r.items(v.defaults)},)" if v.defaults else "None"
    made = r.made(v, "f" if v.name == "<lambda>" else v.name,
                  f"{r.pin(types.FunctionType, 'Function')}({r.pin(code, 'code_' + v.name)}, {v.globals.slot}, {v.name!r}, "
                  f"{defaults}, {closure})")
    for cell in recursive:
        r.lines.append(f"{cell}.cell_contents = {made}")
    if v.kwdefaults:
        pairs = ", ".join(f"{n!r}: {r.value(d)}" for n, d in v.kwdefaults.items())
        r.lines.append(f"{made}.__kwdefaults__ = {{{pairs}}}")
    for name, value in v.attributes.items():
        r.lines.append(f"{made}.{name} = {r.value(value)}")
    return made


def method(r: Rebuilder, v: MethodValue) -> str:
    if v.origin is not None:
        return r.fetch(v.origin)
    name = getattr(v.function, "name", None)
    real = getattr(v.function, "real", None)
    if name and real is not None and name.isidentifier() and class_lookup(v.receiver.type, name)[1] is real:
        return f"{r.value(v.receiver)}.{name}"
    return f"{r.pin(types.MethodType, 'Method')}({r.value(v.function)}, {r.value(v.receiver)})"


def builtin_method(r: Rebuilder, v: BuiltinMethodValue) -> str:
    return f"{r.value(v.receiver)}.{v.name}"


def known_object(r: Rebuilder, v: Any) -> str:
    return r.pin(v.cls if isinstance(v, ClassValue) else v.real)


def native(r: Rebuilder, v: NativeValue) -> str:
    if v.rebuild is None:
        return r.pin(v.real)
    cls, args, kwargs = v.rebuild
    parts = [r.value(a) for a in args] + [f"{k}={r.value(x)}" for k, x in kwargs.items()]
    return r.made(v, type(v.real).__name__, f"{r.pin(cls)}({', '.join(parts)})")


def partial(r: Rebuilder, v: PartialValue) -> str:
    if v.origin is not None:
        return r.fetch(v.origin)
    parts = [r.value(v.function), *map(r.value, v.args), *(f"{k}={r.value(x)}" for k, x in v.kwargs.items())]
    return f"{r.pin(functools.partial)}({', '.join(parts)})"


def slice_(r: Rebuilder, v: SliceValue) -> str:
    return f"{r.pin(slice)}({r.value(v.start)}, {r.value(v.stop)}, {r.value(v.step)})"


def range_(r: Rebuilder, v: RangeValue) -> str:
    return f"{r.pin(range)}({v.start}, {v.stop}, {v.step})"


def opaque(r: Rebuilder, v: OpaqueValue) -> str:
    assert v.origin is not None
    return r.fetch(v.origin)


def refuse(what: str) -> Any:
    def rule(r: Rebuilder, v: Value) -> str:
        raise CannotRebuild(what)

    return rule


RULES: dict[type, Any] = {
    Const: constant, TensorValue: lambda r, v: r.tensor(v), TupleValue: tuple_, ListValue: list_, DictValue: dict_,
    SetValue: set_, ExceptionValue: exception, ObjectValue: object_, FunctionValue: function, MethodValue: method,
    BuiltinMethodValue: builtin_method, ClassValue: known_object, BuiltinValue: known_object, PyModuleValue: known_object,
    PropertyValue: known_object, NativeValue: native, PartialValue: partial, SliceValue: slice_, RangeValue: range_,
    OpaqueValue: opaque, IteratorValue: refuse("an iterator that is not used up"), SuperValue: refuse("a super object"),
}
