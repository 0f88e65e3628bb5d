"""Calling things: binding arguments, tracing Python functions into the caller's graph, modules, partials."""

from __future__ import annotations

import ast
import functools
import types
from typing import Any

from ..guards.origin import AttrOrigin, InstanceDictOrigin, ItemOrigin
from ..source.locate import NoSource
from .attributes import get_attribute, pinned
from .containers import dict_items, new_dict
from .frames import Frame
from .function_values import (
    BuiltinMethodValue,
    BuiltinValue,
    FunctionValue,
    GeneratorCall,
    IteratorValue,
    MethodValue,
    PartialValue,
)
from .generators import Coroutine, make_generator
from .reading import OURS, closure_variables
from .relied import can_change, settled
from .scopes import names_of
from .signals import Break, Returned
from .special_methods import special
from .torch_calls import lower
from .unit import unit_of
from .values import NONE, ClassValue, Const, ModuleValue, NativeValue, ObjectValue, OpaqueValue, TupleValue, Value, Variable

# Python functions of the standard library that are traced like the user's: pure, and written in terms of what is traced.
TRACED_LIBRARIES = ("functools", "contextlib", "dataclasses", "collections", "copy", "operator", "statistics", "bisect",
                    "heapq", "textwrap", "keyword", "types", "abc", "_collections_abc", "enum", "graphlib", "fractions")
OUTPUT = ("logging", "warnings", "traceback")


def call(ev: Any, callee: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`callee(*args, **kwargs)`."""
    callee = ev.force(callee)
    if isinstance(callee, FunctionValue):
        return call_function(ev, callee, args, kwargs)
    if isinstance(callee, MethodValue):
        return call(ev, callee.function, [callee.receiver, *args], kwargs)
    if isinstance(callee, BuiltinMethodValue):
        from .methods import call_method

        return call_method(ev, callee.receiver, callee.name, args, kwargs)
    if isinstance(callee, BuiltinValue):
        from .builtins import call_builtin

        return call_builtin(ev, callee, args, kwargs)
    if isinstance(callee, ClassValue):
        from .classes import instantiate

        return instantiate(ev, callee, args, kwargs)
    if isinstance(callee, PartialValue):
        return call(ev, callee.function, [*callee.args, *args], {**callee.kwargs, **kwargs})
    if isinstance(callee, ModuleValue):
        return call_module(ev, callee, args, kwargs)
    if isinstance(callee, ObjectValue):
        method = special(ev, callee, "__call__")
        if method is not None:
            return call(ev, method, args, kwargs)
    if isinstance(callee, NativeValue) and callable(callee.real):
        from .native import call_native

        return call_native(ev, callee, args, kwargs)
    if isinstance(callee, OpaqueValue) and isinstance(callee.real, functools._lru_cache_wrapper):
        from .cached_calls import call_cached

        return call_cached(ev, callee, args, kwargs)
    if isinstance(callee, OpaqueValue) and isinstance(callee.real, types.GenericAlias):
        made: Any = callee.real.__origin__
        return call(ev, ClassValue(made, ev.pin(made)), args, kwargs)
    if isinstance(callee, OpaqueValue) and callable(callee.real):
        raise Break("call-unknown", what=describe(callee))
    ev.raise_error(TypeError, f"'{callee.c_name}' object is not callable")
    raise AssertionError


def describe(value: Value) -> str:
    """What a callable is called, for sentences."""
    if isinstance(value, FunctionValue):
        return f"{value.qualname}()"
    if isinstance(value, MethodValue):
        return describe(value.function)
    real = getattr(value, "real", None)
    if real is not None:
        named = real if isinstance(real, type) or not can_change(type(real)) else type(real)     # not by the script's own ways
        name = getattr(named, "__qualname__", None) or getattr(named, "__name__", None) or type(real).__name__
        module = getattr(named, "__module__", None)
        return f"{module}.{name}()" if module and module != "builtins" else f"{name}()"
    if isinstance(value, BuiltinMethodValue):
        return f"{value.receiver.c_name}.{value.name}()"
    return f"an object of class {value.type.__name__}"


# -- modules ----
def call_module(ev: Any, module: ModuleValue, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`module(*args)`: without hooks, its `forward`; with hooks, what Module.__call__ does with them."""
    owner, raw = settled(ev, module.cls, "__call__")
    if settled(ev, module.cls, "__getattribute__")[0] is not object:
        raise Break("call-unknown", what=describe(module))
    held = module.real.__dict__
    if owner is not None and owner.__qualname__ != "Module":
        method = special(ev, module, "__call__")
        assert method is not None
        return call(ev, method, args, kwargs)
    hooks = ("_forward_hooks", "_forward_pre_hooks")
    if not all(name in held for name in hooks):
        raise Break("call-unready", what=f"a module ({module.cls.__name__})")
    hooked = any(held[name] for name in hooks)
    if hooked:
        through = get_attribute(ev, module, "_call_with_hooks")
        args, kwargs = [TupleValue(list(args)), new_dict(ev, [(Const(k), v) for k, v in kwargs.items()])], {}
    else:
        for name in hooks:
            if module.origin is not None:
                ev.guard("SEQUENCE_LENGTH", InstanceDictOrigin(module.origin, name), 0, "a module without hooks")
        through = get_attribute(ev, module, "forward")
    assert ev.frame is not None
    before = ev.frame.module_path
    ev.frame.module_path = path_of(module)
    try:
        return call(ev, through, args, kwargs)
    finally:
        ev.frame.module_path = before


def path_of(module: ModuleValue) -> str:
    """`self.net[0]` as people write module paths: `net.0`."""
    text = module.origin.text if module.origin is not None else module.cls.__name__
    return "" if text == "self" else text.removeprefix("self.")


# -- Python functions ----
def call_function(ev: Any, function: FunctionValue, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Trace a Python function into the graph of its caller."""
    real = function.real
    if real is not None:
        from .polyfills import POLYFILLS

        polyfill = POLYFILLS.get(real)
        if polyfill is not None:
            return polyfill(ev, args, kwargs)
        unit = unit_for(ev, function, real)
        node, scope = unit.node, ev.globals_of(real.__globals__)
        lexical = None
    else:
        unit, node, scope, lexical = function.unit, function.node, function.globals, function.scope
    if isinstance(node, ast.AsyncFunctionDef):
        raise Break("call-generator", what=describe(function))
    caller = ev.frame
    if caller is not None and caller.depth >= ev.context.max_depth:
        raise Break("call-depth", what=describe(function), limit=ev.context.max_depth)
    frame = Frame(unit, node, scope, lexical, caller, function)
    if real is not None:
        frame.free = closure_variables(ev, function)
        frame.is_user = is_user_file(real.__code__.co_filename)
    else:
        frame.is_user = lexical is None or lexical.is_user
    bind_arguments(ev, frame, function, node.args, args, kwargs)
    if names_of(node).is_generator:
        made = generator(ev, frame, node)
        made.recipe = GeneratorCall(function, list(args), dict(kwargs))
        return made
    return run_frame(ev, frame, node)


def unit_for(ev: Any, function: FunctionValue, real: types.FunctionType) -> Any:
    """The unit of an existing function that may be traced; breaks otherwise."""
    name = (real.__module__ or "").split(".")[0]
    if name in OUTPUT:
        raise Break("warning", what=describe(function))
    if name == "random":
        raise Break("random", what=describe(function))
    file = real.__code__.co_filename
    if not (ev.context.should_inline(real) or name in TRACED_LIBRARIES or file.startswith(OURS)):
        raise Break("call-library", what=describe(function))
    if any(n in real.__code__.co_names for n in FRAME_READERS):
        raise Break("syntax", what=f"{describe(function)}, which looks at its own frame,")
    unit = unit_of(real)
    if isinstance(unit, NoSource):
        raise Break("call-nosource", what=describe(function))
    return unit


FRAME_READERS = ("locals", "_getframe", "exec", "eval", "currentframe")


def is_user_file(file: str) -> bool:
    return not file.startswith(OURS) or file.endswith("trampoline.py")


def run_frame(ev: Any, frame: Frame, node: Any) -> Value:
    """Evaluate a function's body; its return value."""
    from .expressions import evaluate
    from .statements import execute_block

    before = ev.frame
    ev.frame = frame
    try:
        if isinstance(node, ast.Lambda):
            return evaluate(ev, frame, node.body)
        done = execute_block(ev, frame, node, "body")
    finally:
        ev.frame = before
    return done.value if isinstance(done, Returned) else NONE


def generator(ev: Any, frame: Frame, node: Any) -> IteratorValue:
    def body(coroutine: Coroutine) -> Value:
        frame.generator = coroutine
        frame.caller = ev.frame
        return run_frame(ev, frame, node)

    return make_generator(ev, body, node)


# -- arguments ----
def called(ev: Any, function: FunctionValue) -> str:
    """The name of a function in Python's errors, which may be changed."""
    if function.real is None:
        return function.qualname or function.name
    place = AttrOrigin(function.origin or ev.pin(function.real), "__qualname__")
    return str(lower(ev, ev.existing(place, function.real.__qualname__)))


def bind_arguments(ev: Any, frame: Frame, function: FunctionValue, spec: ast.arguments, args: list[Value],
                   kwargs: dict[str, Value]) -> None:
    """Assign arguments to parameters. Raises TypeError in the script, worded as Python does."""
    only = [a.arg for a in spec.posonlyargs]
    plain = only + [a.arg for a in spec.args]
    keyword_only = [a.arg for a in spec.kwonlyargs]
    given: dict[str, Value] = dict(zip(plain, args))
    extra = args[len(plain):]
    rest: dict[str, Value] = {}
    for key, value in kwargs.items():
        if key in plain[len(only):] or key in keyword_only:
            if key in given:
                ev.raise_error(TypeError, f"{called(ev, function)}() got multiple values for argument '{key}'")
            given[key] = value
        elif spec.kwarg is not None:
            rest[key] = value
        elif key in only:
            ev.raise_error(TypeError, f"{called(ev, function)}() got some positional-only arguments passed as keyword "
                                      f"arguments: '{key}'")
        else:
            ev.raise_error(TypeError, f"{called(ev, function)}() got an unexpected keyword argument '{key}'")
    if extra and spec.vararg is None:
        takes = f"{len(plain)} positional argument{'s' if len(plain) != 1 else ''}"
        if spec.defaults:
            takes = f"from {len(plain) - len(spec.defaults)} to {takes}"
        were = f"{len(args)} {'was' if len(args) == 1 else 'were'} given"
        ev.raise_error(TypeError, f"{called(ev, function)}() takes {takes} but {were}")
    missing = fill_defaults(ev, function, spec, plain, keyword_only, given)
    if missing:
        kind = "keyword-only" if missing[0] in keyword_only else "positional"
        quoted = [f"'{m}'" for m in missing]
        listed = quoted[0] if len(quoted) == 1 else " and ".join(quoted) if len(quoted) == 2 else \
            ", ".join(quoted[:-1]) + f", and {quoted[-1]}"
        ev.raise_error(TypeError, f"{called(ev, function)}() missing {len(missing)} required {kind} "
                                  f"argument{'s' if len(missing) > 1 else ''}: {listed}")
    if spec.vararg is not None:
        given[spec.vararg.arg] = TupleValue(list(extra))
    if spec.kwarg is not None:
        given[spec.kwarg.arg] = named = new_dict(ev, [(Const(k), v) for k, v in rest.items()])
        named.unordered = getattr(kwargs, "unordered", ())
    for parameter, value in given.items():
        variable = frame.variables.get(parameter)
        if variable is None:
            variable = frame.variables[parameter] = Variable(parameter)
        variable.value = value


def fill_defaults(ev: Any, function: FunctionValue, spec: ast.arguments, plain: list[str], keyword_only: list[str],
                  given: dict[str, Value]) -> list[str]:
    """Add defaults for parameters that were not given; returns those that have none."""
    missing = [p for p in plain if p not in given]
    absent: list[str] = []
    if missing:
        defaults = positional_defaults(ev, function)
        first = len(plain) - len(defaults)
        for p in missing:
            at = plain.index(p) - first
            if 0 <= at < len(defaults):
                given[p] = defaults[at]
            else:
                absent.append(p)
    if absent:
        return absent
    for p in keyword_only:
        if p not in given:
            found = keyword_default(ev, function, p)
            if found is None:
                absent.append(p)
            else:
                given[p] = found
    return absent


def positional_defaults(ev: Any, function: FunctionValue) -> list[Value]:
    real = function.real
    if real is None:
        return function.defaults
    origin = AttrOrigin(function.origin or ev.pin(real), "__defaults__")
    if not real.__defaults__:
        ev.guard("CONSTANT_MATCH" if real.__defaults__ is None else "EQUALS_MATCH", origin, real.__defaults__, "no defaults")
        return []
    ev.guard("SEQUENCE_LENGTH", origin, len(real.__defaults__), "a default is used")
    return [ev.existing(ItemOrigin(origin, i), v) for i, v in enumerate(real.__defaults__)]


def keyword_default(ev: Any, function: FunctionValue, name: str) -> Value | None:
    real = function.real
    if real is None:
        return function.kwdefaults.get(name)
    held = AttrOrigin(function.origin or ev.pin(real), "__kwdefaults__")
    if real.__kwdefaults__ is None:
        ev.guard("CONSTANT_MATCH", held, None, "no keyword defaults")
        return None
    if name not in real.__kwdefaults__:
        ev.guard("DICT_CONTAINS", held, (name, False), "no such default")
        return None
    ev.guard("DICT_CONTAINS", held, (name, True), "a default is used")
    return ev.existing(ItemOrigin(held, name), real.__kwdefaults__[name])


__all__ = ["call", "dict_items", "pinned"]
