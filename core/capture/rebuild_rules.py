"""How each kind of value is written as Python text."""

from __future__ import annotations

import ast
import collections
import functools
import types
from typing import Any

from .attributes import class_lookup, has_set
from .containers import complete
from .function_values import (
    BuiltinMethodValue,
    BuiltinValue,
    FunctionValue,
    GeneratorCall,
    IteratorValue,
    MethodValue,
    PartialValue,
    SuperValue,
)
from .rebuild import CannotRebuild, Rebuilder, literal
from .residual.build import function_on_cells
from .residual.comprehension import comprehension_unit
from .residual.nodes import CannotResume
from .values import (
    ClassValue,
    Const,
    DictValue,
    ExceptionValue,
    ListValue,
    NativeValue,
    ObjectValue,
    OpaqueValue,
    PropertyValue,
    PyModuleValue,
    RangeValue,
    SetValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)


def children(r: Rebuilder, v: Value) -> list[Value]:
    """The values inside a new value."""
    if v.origin is not None and not isinstance(v, TupleValue):
        return []
    if isinstance(v, TupleValue):
        return v.items if v.origin is None else []
    if isinstance(v, ListValue):
        of = getattr(v, "of", None)
        return [of] if of is not None else v.items
    if isinstance(v, DictValue) and v.holder is not None:
        return [v.holder]
    if isinstance(v, DictValue):
        return [x for e in v.entries.values() for x in (e.key, e.value)] + ([v.factory] if v.factory else [])
    if isinstance(v, SetValue):
        return list(v.items.values())
    if isinstance(v, ObjectValue):
        inside = list(v.attributes.values())
        if isinstance(v, ExceptionValue):
            inside += [*v.args, *(e for e in (v.cause, v.context) if e is not None)]
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
    if isinstance(v, IteratorValue) and v.recipe is not None and not v.begun:
        return list(v.recipe.values())
    if isinstance(v, NativeValue) and v.rebuild is not None:
        return [*v.rebuild[1], *v.rebuild[2].values()]
    return []


def constant(r: Rebuilder, v: Const) -> str:
    if v.symbolic:
        return r.number(v.value)
    if v.origin is not None and not one_object(v.value):
        return r.fetch(v.origin)
    return repr(v.value) if literal(v.value) else r.pin(v.value, f"{type(v.value).__name__}")


def one_object(value: Any) -> bool:
    """Whether Python keeps one object of this value: for others, `is` and id() tell an equal one from the one that was read."""
    return value is None or value is Ellipsis or value is NotImplemented or type(value) is bool \
        or type(value) is int and -5 <= value <= 256


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
    if v.holder is not None:
        return f"{r.value(v.holder)}.__dict__"
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
    members = r.ev.containers.get(id(v.real)) if v.real is not None else None
    if members is not None:
        name = r.made(v, "modules", f"{r.pin(v.cls)}()")
        for member, module in members.items():
            r.lines.append(f"{name}.add_module({member!r}, {r.value(module)})")
        return name
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
        raw is None or not has_set(raw) or isinstance(raw, types.MemberDescriptorType))


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
    if v.context is not None:
        r.lines.append(f"{name}.__context__ = {r.value(v.context)}")
    if v.suppress:
        r.lines.append(f"{name}.__suppress_context__ = True")
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
    receiver = r.value(v.receiver)
    return f"({receiver}).{v.name}" if receiver[:1] in "-0123456789" else f"{receiver}.{v.name}"


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
    if v.origin is not None:
        return r.fetch(v.origin)
    return f"{r.pin(slice)}({r.value(v.start)}, {r.value(v.stop)}, {r.value(v.step)})"


def range_(r: Rebuilder, v: RangeValue) -> str:
    if v.origin is not None:
        return r.fetch(v.origin)
    return f"{r.pin(range)}({v.start}, {v.stop}, {v.step})"


def opaque(r: Rebuilder, v: OpaqueValue) -> str:
    assert v.origin is not None
    return r.fetch(v.origin)


def iterator(r: Rebuilder, v: IteratorValue) -> str:
    """A generator that has not begun is made by a call, as it was in the script."""
    recipe = v.recipe
    if v.begun or recipe is None:
        raise CannotRebuild("an iterator that is not used up")
    if isinstance(recipe, GeneratorCall):
        parts = [r.value(recipe.function), *map(r.value, recipe.args), *(f"{k}={r.value(x)}" for k, x in recipe.kwargs.items())]
        return r.made(v, "generator", f"__rt.call({', '.join(parts)})")
    try:
        made = comprehension_unit(recipe.frame.unit, recipe.node, recipe.names())
    except CannotResume as problem:
        raise CannotRebuild(problem.reason) from None
    cells = ", ".join(f"{name!r}: {r.cell(recipe.frame.lookup(name))}" for name in made.shared)
    function = f"{r.pin(function_on_cells)}({r.pin(made.unit.code, 'code_' + made.unit.name)}, {recipe.frame.globals.slot}, " \
               f"{made.unit.name!r}, {{{cells}}})"
    source = r.value(recipe.source)
    return r.made(v, "generator", f"__rt.resume({r.pin(made.unit, 'unit_' + made.unit.name)}, {function})({source})")


def refuse(what: str) -> Any:
    def rule(r: Rebuilder, v: Value) -> str:
        raise CannotRebuild(what)

    return rule

RULES: dict[type, Any] = {
    Const: constant, TensorValue: lambda r, v: r.tensor(v), TupleValue: tuple_, ListValue: list_, DictValue: dict_,
    SetValue: set_, ExceptionValue: exception, ObjectValue: object_, FunctionValue: function, MethodValue: method,
    BuiltinMethodValue: builtin_method, ClassValue: known_object, BuiltinValue: known_object, PyModuleValue: known_object,
    PropertyValue: known_object, NativeValue: native, PartialValue: partial, SliceValue: slice_, RangeValue: range_,
    OpaqueValue: opaque, IteratorValue: iterator, SuperValue: refuse("a super object"),
}
