"""Calling the types that Python and the collections module bring: list(xs), int(x), zip(a, b), deque(), ..."""

from __future__ import annotations

import collections
import functools
from typing import Any

from ..tensor.meta import Size
from .calls import call
from .containers import append, complete, dict_set, list_items, new_dict, new_set
from .data_scalars import read_scalar
from .function_values import IteratorValue, PartialValue, SuperValue
from .iterate import fixed, items_of, iterate
from .operands import refuse_unknown
from .relied import settle_enum, settled
from .signals import Break
from .special_methods import call_special
from .subscripts import index_number
from .torch_calls import CannotLower, lower
from .truth import is_callable, length, truth
from .values import (
    NONE,
    ClassValue,
    Const,
    DictValue,
    ListValue,
    ObjectValue,
    RangeValue,
    SetValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)


# -- builtin types ----
def one(ev: Any, args: list[Value], kwargs: dict[str, Value], cls: type) -> Value | None:
    if kwargs:
        ev.raise_error(TypeError, f"{cls.__name__}() takes no keyword arguments")
    if len(args) > 1:
        ev.raise_error(TypeError, f"{cls.__name__} expected at most 1 argument, got {len(args)}")
    return args[0] if args else None


def make_list(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    source = one(ev, args, kwargs, list)
    return ListValue(items_of(ev, source) if source is not None else [])


def make_tuple(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    source = one(ev, args, kwargs, tuple)
    source = ev.force(source) if source is not None else None
    if isinstance(source, TupleValue) and source.cls is tuple:
        return source
    return TupleValue(items_of(ev, source) if source is not None else [])


def make_set(cls: type) -> Any:
    def make(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
        source = one(ev, args, kwargs, cls)
        source = ev.force(source) if source is not None else None
        if isinstance(source, SetValue):
            return SetValue(dict(source.items), cls)
        return new_set(ev, items_of(ev, source) if source is not None else [], cls)

    return make


def make_dict(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    out = DictValue({})
    update_dict(ev, out, args, kwargs)
    return out


def update_dict(ev: Any, out: DictValue, args: list[Value], kwargs: dict[str, Value]) -> None:
    """dict.update."""
    from .attributes import find_attribute
    from .expressions import mapping_items

    for source in args:
        source = ev.force(source)
        if isinstance(source, ObjectValue) and isinstance(source.payload, DictValue):
            source = source.payload
        if isinstance(source, DictValue):
            for e in list(complete(ev, source).values()):
                dict_set(ev, out, e.key, e.value)
            continue
        if isinstance(source, ObjectValue) and find_attribute(ev, source, "keys") is not None:
            for key, value in mapping_items(ev, source):
                dict_set(ev, out, key, value)
            continue
        if isinstance(source, TensorValue):                  # it can be given a `keys`
            raise Break("construct", what="a dict from a tensor")
        for pair in items_of(ev, source):
            items = items_of(ev, pair)
            if len(items) != 2:
                ev.raise_error(ValueError, f"dictionary update sequence element #0 has length {len(items)}; 2 is required")
            dict_set(ev, out, items[0], items[1])
    for name, value in kwargs.items():
        dict_set(ev, out, Const(name), value)


def make_number(cls: type) -> Any:
    """int, float, bool, complex of a number or text; symbolic numbers stay symbolic."""

    def make(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
        from ..symbolic.symint import sym_float, sym_int

        if cls is bool and args:
            value = ev.force(args[0])
            if isinstance(value, Const) and value.type is bool:
                return value
            return Const(truth(ev, value))
        plain = []
        for a in args:
            a = ev.force(a)
            if isinstance(a, TensorValue) and cls in (int, float):
                a = ev.force(read_scalar(ev, a, f"{cls.__name__}()"))
            elif isinstance(a, TensorValue):
                raise Break("data-item", what=f"{cls.__name__}()")
            if not isinstance(a, Const) and cls is int and len(args) + len(kwargs) > 1:
                if issubclass(a.type, str | bytes | bytearray):
                    raise Break("construct", what=f"an int of an object of class {a.type.__name__}")
                ev.raise_error(TypeError, "int() can't convert non-string with explicit base")
            if not isinstance(a, Const):
                method, found = "", None
                for method in (f"__{cls.__name__}__", *(("__float__",) if cls is complex else ()), "__index__"):
                    found = call_special(ev, a, method)
                    if found is not None:
                        break
                else:
                    refuse_unknown(f"{cls.__name__}()", a)
                    ev.raise_error(TypeError, f"{cls.__name__}() argument must be a string or a real number, not "
                                              f"'{a.c_name}'")
                    raise AssertionError
                given, a = a, ev.force(found)
                wanted = {"__index__": int, "__float__": float}.get(method, cls)
                if a.type is not wanted:                   # an instance of a derived class is taken with a warning
                    if isinstance(a, Const) and not issubclass(a.type, wanted):
                        owner = f"{given.c_name}." if wanted is float else ""
                        ev.raise_error(TypeError, f"{owner}{method} returned non-{wanted.__name__} (type {a.c_name})")
                    raise Break("operator", name=f"{cls.__name__}()", what=f"an object of class {a.type.__name__}")
            plain.append(a.value)
        if len(plain) == 1 and hasattr(plain[0], "expr") and cls in (int, float):
            return Const(ev.native(sym_int if cls is int else sym_float, plain[0]))
        named = {k: lower(ev, v) for k, v in kwargs.items()}
        return Const(ev.native(cls, *plain, **named))

    return make


def make_str(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    from .formatting import text_of

    if not args:
        return Const("")
    if len(args) > 1 or kwargs:
        return Const(ev.native(str, *[lower(ev, a) for a in args], **{k: lower(ev, v) for k, v in kwargs.items()}))
    return Const(text_of(ev, args[0]))


def make_range(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    numbers = []
    for a in args:
        a = ev.force(a)
        numbers.append(a.value if isinstance(a, Const) and a.symbolic else index_number(ev, a, "range"))
    if not 1 <= len(numbers) <= 3 or kwargs:
        ev.raise_error(TypeError, f"range expected at least 1 argument, got {len(numbers)}")
    start, stop, step = (0, numbers[0], 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    ev.env.why = "loop bound"
    try:
        ready = ev.native(range, start, stop, step)
    finally:
        ev.env.why = ""
    return RangeValue(ready.start, ready.stop, ready.step)


def make_slice(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    padded = [NONE, *args] if len(args) == 1 else list(args)
    return SliceValue(*(padded + [NONE])[:3])


def make_type(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    if len(args) != 1:
        raise Break("class-body")
    cls = ev.force(args[0]).type
    return ClassValue(cls, ev.pin(cls))


def make_enumerate(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    start = kwargs.get("start", args[1] if len(args) > 1 else Const(0))
    source = iterate(ev, args[0] if args else kwargs["iterable"])
    count = ev.force(start).value - 1

    def step() -> Value | None:
        nonlocal count
        item = source.step()
        count += 1
        return None if item is None else TupleValue([Const(count), item])

    return IteratorValue(step, enumerate)


def make_zip(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    sources = [iterate(ev, a) for a in args]
    strict = "strict" in kwargs and truth(ev, kwargs["strict"])

    def step() -> Value | None:
        items: list[Value] = []
        for i, source in enumerate(sources):
            item = source.step()
            if item is None:
                if strict and (i > 0 or any(s.step() is not None for s in sources[1:])):
                    longer = "shorter" if i > 0 else "longer"
                    ev.raise_error(ValueError, f"zip() argument {max(i, 1) + 1} is {longer} than argument 1")
                return None
            items.append(item)
        return TupleValue(items) if sources else None

    return IteratorValue(step, zip)


def make_map(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    function, sources = args[0], [iterate(ev, a) for a in args[1:]]

    def step() -> Value | None:
        items = []
        for source in sources:
            item = source.step()
            if item is None:
                return None
            items.append(item)
        return call(ev, function, items, {})

    return IteratorValue(step, map)


def make_filter(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    test, source = ev.force(args[0]), iterate(ev, args[1])

    def step() -> Value | None:
        while (item := source.step()) is not None:
            kept = item if isinstance(test, Const) and test.value is None else call(ev, test, [item], {})
            if truth(ev, kept):
                return item
        return None

    return IteratorValue(step, filter)


def make_reversed(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    source = ev.force(args[0])
    found = call_special(ev, source, "__reversed__")
    if found is not None:
        return iterate(ev, found)
    if isinstance(source, ListValue | TupleValue):
        return fixed(list_items(ev, source)[::-1], reversed)
    if isinstance(source, DictValue):
        return fixed([e.key for e in complete(ev, source).values()][::-1], reversed)
    if isinstance(source, RangeValue):
        return fixed([Const(n) for n in reversed(range(source.start, source.stop, source.step))], reversed)
    if isinstance(source, Const) and isinstance(source.value, str):
        settle_enum(ev, source.value)
        return fixed([Const(c) for c in reversed(source.value)], reversed)
    if isinstance(source, ObjectValue) and settled(ev, source.cls, "__getitem__")[0] is not None:
        from .subscripts import get_item

        return fixed([get_item(ev, source, Const(i)) for i in reversed(range(int(length(ev, source))))], reversed)
    refuse_unknown("reversed()", source)
    if not isinstance(source, ObjectValue) and any(hasattr(source.type, n) for n in ("__reversed__", "__getitem__")):
        raise Break("operator", name="reversed()", what=f"an object of class {source.type.__name__}")
    ev.raise_error(TypeError, f"'{source.c_name}' object is not reversible")
    raise AssertionError


def make_super(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """super() finds its class in the `__class__` variable and its object in the first parameter."""
    if len(args) == 2:
        return super_of(ev, ev.force(args[0]), ev.force(args[1]))
    frame = ev.frame
    while frame is not None and not hasattr(frame.node, "args"):
        frame = frame.lexical
    variable = frame.lookup("__class__") if frame is not None else None
    if variable is None or variable.value is None:
        ev.raise_error(RuntimeError, "super(): __class__ cell not found")
        raise AssertionError
    assert frame is not None
    spec = frame.node.args
    first = next(iter([*spec.posonlyargs, *spec.args]), None)
    if first is None:
        ev.raise_error(RuntimeError, "super(): no arguments")
        raise AssertionError
    receiver = frame.variables[first.arg].value
    if receiver is None:
        ev.raise_error(RuntimeError, "super(): arg[0] deleted")
        raise AssertionError
    return super_of(ev, ev.force(variable.value), ev.force(receiver))


def super_of(ev: Any, cls: Value, receiver: Value) -> Value:
    """super(cls, receiver), of an instance or a subclass."""
    if not isinstance(cls, ClassValue):
        raise Break("call-unknown", what=f"super() of an object of class {cls.type.__name__}")
    if not issubclass(receiver.cls if isinstance(receiver, ClassValue) else receiver.type, cls.cls):
        if isinstance(receiver, ClassValue) and issubclass(receiver.type, cls.cls):         # an instance of a metaclass
            raise Break("call-unknown", what="super() of a class of classes")
        ev.raise_error(TypeError, "super(type, obj): obj must be an instance or subtype of type")
    return SuperValue(cls.cls, receiver)


def make_object(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return ObjectValue(object)


def make_partial(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    if not is_callable(ev, args[0]):
        ev.raise_error(TypeError, "the first argument must be callable")
    return PartialValue(args[0], list(args[1:]), dict(kwargs))


def make_size(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return TupleValue(items_of(ev, args[0]) if args else [], Size)


def make_bytes(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    try:
        return Const(ev.native(bytes, *[lower(ev, a) for a in args]))
    except CannotLower as problem:
        raise Break("construct", what=f"bytes of {problem}") from None


def collection(ev: Any, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """OrderedDict, defaultdict, Counter, deque."""
    if cls is collections.deque:
        out = ListValue([], cls=collections.deque)
        limit = kwargs.get("maxlen", args[1] if len(args) > 1 else NONE)
        out.maxlen = ev.native(collections.deque, (), lower(ev, ev.force(limit))).maxlen      # or what it raises
        for item in items_of(ev, args[0]) if args else []:
            append(ev, out, item)
        return out
    made = new_dict(ev, [], cls)
    if cls is collections.defaultdict:
        made.factory = args[0] if args else NONE
        if not is_callable(ev, made.factory) and getattr(ev.force(made.factory), "value", ...) is not None:
            raise Break("construct", what="a defaultdict of what may not be callable")
        args = args[1:]
    if cls is collections.Counter:
        made.factory = ClassValue(int)
        source = ev.force(args[0]) if args else None
        if isinstance(source, Const) and source.value is None:
            source, args = None, []
        if isinstance(source, ObjectValue) or source is not None and kwargs:
            raise Break("construct", what="a Counter of a mapping, or with counts of its own")
        if source is not None and not isinstance(source, DictValue):
            from .containers import dict_find

            for item in items_of(ev, source):
                known = dict_find(ev, made, item)
                count = ev.force(known.value).value if known is not None else 0
                dict_set(ev, made, item, Const(count + 1))
            return made
    update_dict(ev, made, args, kwargs)
    return made

BUILTIN_TYPES: dict[type, Any] = {
    list: make_list, tuple: make_tuple, set: make_set(set), frozenset: make_set(frozenset), dict: make_dict,
    int: make_number(int), float: make_number(float), bool: make_number(bool), complex: make_number(complex), str: make_str,
    bytes: make_bytes, range: make_range, slice: make_slice, type: make_type, enumerate: make_enumerate, zip: make_zip,
    map: make_map, filter: make_filter, reversed: make_reversed, super: make_super, object: make_object,
    functools.partial: make_partial, Size: make_size,
}
