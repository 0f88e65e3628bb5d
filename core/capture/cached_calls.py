"""Calls of functions under functools.lru_cache.

With arguments that are all known, the cached function itself is called while tracing, as the script would call it now,
and what it keeps is an existing object: its origin is the call, so that a reuse looks it up again and its contents are
guarded. With symbolic sizes among the arguments the function under the cache is traced; that is only right if it reads
nothing but its arguments, changes nothing, and nobody changes what it returned: anything else runs natively.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import Any

from ..graph.node import root_of, walk_nodes
from ..guards.facts import own_dict
from ..guards.origin import AttrOrigin, Origin
from .signals import Break, SkipFrame
from .torch_calls import lift
from .values import ClassValue, Const, ModuleValue, ObjectValue, OpaqueValue, TensorValue, TupleValue, Value

# Cached functions of libraries that are known to be pure, and to keep what nobody changes: results are constants.
PURE = frozenset((("einops.einops", "_prepare_transformation_recipe"), ("einops.einops", "_reconstruct_from_shape_uncached"),
                  ("einops.einops", "_compactify_pattern_for_einsum")))
FUNCTION_KINDS = ("FUNCTION_MATCH", "ID_MATCH", "TYPE_MATCH", "CONSTANT_MATCH", "DICT_CONTAINS")


@dataclass(frozen=True, slots=True)
class CachedCallOrigin(Origin):
    """What the cached function at `of` returns for these arguments, written as Python."""

    of: Origin
    arguments: str

    @property
    def code(self) -> str:
        return f"{self.of.code}({self.arguments})"

    @property
    def text(self) -> str:
        return f"{self.of.text}({self.arguments})"


def call_cached(ev: Any, callee: OpaqueValue, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`callee(*args, **kwargs)` for a functools.lru_cache wrapper."""
    from .calls import call, describe

    wrapper = callee.real
    assert callee.origin is not None
    inner = (own_dict(wrapper) or {}).get("__wrapped__")
    if not any(inner is held for held in gc.get_referents(wrapper)):          # an attribute like others: it may tell a lie
        raise Break("call-unknown", what=describe(callee))
    ev.guard("ID_MATCH", callee.origin, wrapper, "this cached function")
    pure = (getattr(inner, "__module__", ""), getattr(inner, "__qualname__", "")) in PURE
    reals = known_arguments(ev, args, kwargs, pure)
    if reals is not None:
        plain, named, text = reals
        result = ev.native(wrapper, *plain, **named)
        if pure:
            return constant(ev, result)
        return ev.force(ev.existing(CachedCallOrigin(callee.origin, text), result, fixed=True))
    if not pure and any(not isinstance(v, Const | TupleValue) for v in map(ev.force, [*args, *kwargs.values()])):
        raise Break("call-unknown", what=describe(callee))
    before, changes = set(ev.guards), len(ev.mutated)
    function = ev.existing(AttrOrigin(callee.origin, "__wrapped__"), inner)
    result = call(ev, function, args, kwargs)
    if pure:
        return result
    if len(ev.mutated) != changes or any(reads_state(g) for k, g in ev.guards.items() if k not in before) \
            or not keep_unchanged(ev, result):
        raise Break("call-unknown", what=describe(callee))
    return result


def known_arguments(ev: Any, args: list[Value], kwargs: dict[str, Value], objects: bool) -> tuple[list, dict, str] | None:
    """The real arguments and their text, or None where one is symbolic or no plain constant."""
    texts: list[str] = []
    plain: list[Any] = []
    named: dict[str, Any] = {}
    for name, value in [*(("", a) for a in args), *kwargs.items()]:
        known, real = known_value(ev, value, objects)
        if not known:
            return None
        texts.append(f"{name}={real!r}" if name else repr(real))
        if name:
            named[name] = real
        else:
            plain.append(real)
    return plain, named, ", ".join(texts)


def known_value(ev: Any, value: Value, objects: bool) -> tuple[bool, Any]:
    value = ev.force(value)
    if isinstance(value, Const):
        plain = value.value is None or type(value.value) in (int, float, bool, str, bytes)
        return not value.symbolic and (plain or objects), value.value
    if isinstance(value, TupleValue) and value.cls is tuple:
        items = [known_value(ev, v, objects) for v in value.items]
        return all(k for k, _ in items), tuple(r for _, r in items)
    if objects and isinstance(value, ObjectValue) and not isinstance(value, ModuleValue) and value.real is not None \
            and not value.changed:
        return True, value.real
    if objects and isinstance(value, ClassValue):
        return True, value.cls
    return False, None


def constant(ev: Any, result: Any) -> Value:
    """A library's cached result: plain data, or an object of which nothing needs to be guarded."""
    if isinstance(result, str | int | float | tuple | list | dict | type(None)):
        return lift(ev, result)
    origin = ev.pin(result)
    ev.constants.add(origin)
    return ev.force(ev.existing(origin, result, fixed=True))


def reads_state(guard: Any) -> bool:
    """Whether tracing the function looked at something besides its arguments that may change."""
    return guard.origin is not None and guard.kind not in FUNCTION_KINDS and type(guard.origin.root).__name__ != "ArgOrigin"


def keep_unchanged(ev: Any, result: Value) -> bool:
    """Note a tensor that the cache would keep; False for containers and objects, which the script might change."""
    result = ev.force(result)
    if isinstance(result, TensorValue):
        ev.cached.append(result)
        return True
    if isinstance(result, TupleValue):
        return all(keep_unchanged(ev, v) for v in result.items)
    return isinstance(result, Const | ClassValue)


def check_cached(ev: Any) -> None:
    """At the end: a tensor that a cache would keep may neither be changed nor leave the function."""
    kept = {id(root_of(v.fake._node)) for v in ev.cached}
    if not kept:
        return
    touched = [n for node in ev.graph.nodes if node.op is not None for i in node.op.mutates or () for n in
               walk_nodes(node.args[i])]
    for node in [*touched, *(n for out in ev.graph.outputs for n in walk_nodes(out))]:
        if id(root_of(node)) in kept:
            raise SkipFrame("it changes or returns a tensor that functools.lru_cache keeps", ev.span())
