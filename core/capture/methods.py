"""Methods that are written in C: of list, dict, set, str and numbers, tuples, iterators; and the methods of tensors."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from .attributes import class_lookup, delete_attribute, get_attribute, plain_set
from .calls import call
from .classes import update_dict
from .containers import (
    append,
    complete,
    dict_clear,
    dict_delete,
    dict_find,
    dict_items,
    dict_set,
    key_of,
    list_items,
    new_dict,
    touch_list,
)
from .iterate import fixed, items_of, iterate, next_of, over_dict
from .operators import (
    BINARY,
    COMPARE,
    binary,
    compare,
    contains,
    delete_item,
    extend_unread,
    get_item,
    index_number,
    length,
    set_item,
    set_operation,
    truth,
)
from .signals import Break
from .torch_calls import CannotLower, call_api, lift, lower, tensor_method
from .values import (
    FALSE,
    NONE,
    TRUE,
    BuiltinValue,
    ClassValue,
    Const,
    DictValue,
    ExceptionValue,
    FunctionValue,
    IteratorValue,
    ListValue,
    NativeValue,
    ObjectValue,
    OpaqueValue,
    SetValue,
    TensorValue,
    TupleValue,
    Value,
)

Method = Callable[..., Value]


def call_method(ev: Any, receiver: Value, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`receiver.name(*args)` for methods without Python source."""
    receiver = ev.force(receiver)
    if isinstance(receiver, TensorValue):
        return tensor_method(ev, receiver, name, args, kwargs)
    if isinstance(receiver, ListValue):
        rule = LIST.get(name)
    elif isinstance(receiver, DictValue):
        rule = DICT.get(name)
    elif isinstance(receiver, SetValue):
        rule = SET.get(name)
    elif isinstance(receiver, TupleValue):
        rule = TUPLE.get(name)
    elif isinstance(receiver, IteratorValue):
        rule = ITERATOR.get(name)
    elif isinstance(receiver, ClassValue):
        rule = CLASS.get(name)
    elif isinstance(receiver, ObjectValue):
        rule = OBJECT.get(name)
        if rule is None and receiver.payload is not None:
            return call_method(ev, receiver.payload, name, args, kwargs)
    elif isinstance(receiver, Const):
        return on_constant(ev, receiver, name, args, kwargs)
    elif isinstance(receiver, NativeValue):
        return call_api(ev, getattr(receiver.real, name), args, kwargs, f"{type(receiver.real).__name__}.{name}")
    else:
        rule = None
    if rule is None:
        rule = dunder(name)
    if rule is None:
        raise Break("call-unknown", what=f"{receiver.type.__name__}.{name}()")
    try:
        return rule(ev, receiver, *args, **kwargs)
    except TypeError as problem:
        if "positional argument" in str(problem) or "keyword argument" in str(problem):
            ev.raise_error(TypeError, f"{receiver.type.__name__}.{name}() got arguments that do not fit")
        raise


def dunder(name: str) -> Method | None:
    """`a.__add__(b)` and its kin, by the operator of that name."""
    if not (name.startswith("__") and name.endswith("__")):
        return None
    stem = name.strip("_")
    for op, (_, word, _) in BINARY.items():
        if stem == word:
            return lambda ev, a, b: binary(ev, op, a, b)
        if stem == "r" + word:
            return lambda ev, a, b: binary(ev, op, b, a)
    for op, (_, method, _) in COMPARE.items():
        if name == method:
            return lambda ev, a, b: compare(ev, op, a, b)
    return {
        "getitem": lambda ev, a, k: get_item(ev, a, k), "len": lambda ev, a: Const(length(ev, a)),
        "contains": lambda ev, a, b: Const(contains(ev, a, b)), "iter": lambda ev, a: iterate(ev, a),
        "bool": lambda ev, a: Const(truth(ev, a)), "setitem": _setitem, "delitem": _delitem,
        "next": lambda ev, a: next_of(ev, a, None), "repr": _repr, "str": _str,
    }.get(stem)


def _setitem(ev: Any, a: Value, key: Value, value: Value) -> Value:
    set_item(ev, a, key, value)
    return NONE


def _delitem(ev: Any, a: Value, key: Value) -> Value:
    delete_item(ev, a, key)
    return NONE


def _repr(ev: Any, a: Value) -> Value:
    from .formatting import repr_of

    return Const(repr_of(ev, a))


def _str(ev: Any, a: Value) -> Value:
    from .formatting import text_of

    return Const(text_of(ev, a))


# -- constants ----
def on_constant(ev: Any, receiver: Const, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """str, bytes and number methods, on constants."""
    value = receiver.value
    if isinstance(value, str):
        if name == "format":
            from .formatting import format_method

            return format_method(ev, value, args, kwargs)
        if name == "join":
            items = [ev.force(v) for v in items_of(ev, args[0])]
            for i, v in enumerate(items):
                if not isinstance(v, Const) or not isinstance(v.value, str):
                    ev.raise_error(TypeError, f"sequence item {i}: expected str instance, {v.type.__name__} found")
            return Const(value.join(v.value for v in items))
    try:
        plain = [lower(ev, a) for a in args]
        named = {k: lower(ev, v) for k, v in kwargs.items()}
    except CannotLower as problem:
        raise Break("call-unknown", what=f"{receiver.type.__name__}.{name}() with {problem}") from None
    from ..tensor.tensor import Tensor

    if any(isinstance(p, Tensor) for p in plain):
        if name.startswith("__"):
            return call_api(ev, getattr(value, name), args, kwargs, name)
        raise Break("data-item", what=f"{receiver.type.__name__}.{name}()")
    if receiver.symbolic and not hasattr(value, name):
        value = ev.env.specialise(value.expr, f"{name}() of it is used")
    return lift(ev, ev.native(lambda: getattr(value, name)(*plain, **named)))


# -- lists ----
def list_append(ev: Any, self: ListValue, item: Value) -> Value:
    append(ev, self, item)
    return NONE


def list_extend(ev: Any, self: ListValue, source: Value) -> Value:
    extend_unread(ev, self, items_of(ev, source))
    return NONE


def list_insert(ev: Any, self: ListValue, at: Value, item: Value) -> Value:
    touch_list(ev, self).insert(index_number(ev, ev.force(at), "list"), item)
    return NONE


def list_pop(ev: Any, self: ListValue, at: Value | None = None) -> Value:
    items = touch_list(ev, self)
    if not items:
        ev.raise_error(IndexError, "pop from an empty deque" if self.cls is not list else "pop from empty list")
    index = index_number(ev, ev.force(at), "list") if at is not None else -1
    if not -len(items) <= index < len(items):
        ev.raise_error(IndexError, "pop index out of range")
    return items.pop(index)


def list_clear(ev: Any, self: ListValue) -> Value:
    touch_list(ev, self).clear()
    return NONE


def list_reverse(ev: Any, self: ListValue) -> Value:
    touch_list(ev, self).reverse()
    return NONE


def list_copy(ev: Any, self: ListValue) -> Value:
    return ListValue(list(list_items(ev, self)), cls=self.cls)


def sequence_index(ev: Any, self: Any, item: Value, start: Value | None = None, stop: Value | None = None) -> Value:
    items = list_items(ev, self)
    bounds = [ev.force(b).value for b in (start, stop) if b is not None]
    for i in range(*slice(*(bounds + [None, None])[:2]).indices(len(items))):
        if truth(ev, compare(ev, ast.Eq, items[i], item)):
            return Const(i)
    ev.raise_error(ValueError, "value is not in list" if isinstance(self, ListValue) else "tuple.index(x): x not in tuple")
    raise AssertionError


def sequence_count(ev: Any, self: Any, item: Value) -> Value:
    return Const(sum(truth(ev, compare(ev, ast.Eq, v, item)) for v in list_items(ev, self)))


def list_remove(ev: Any, self: ListValue, item: Value) -> Value:
    items = touch_list(ev, self)
    for i, v in enumerate(items):
        if truth(ev, compare(ev, ast.Eq, v, item)):
            del items[i]
            return NONE
    ev.raise_error(ValueError, "list.remove(x): x not in list")
    raise AssertionError


def list_sort(ev: Any, self: ListValue, **kwargs: Value) -> Value:
    from .builtins import sort_values

    items = touch_list(ev, self)
    items[:] = sort_values(ev, items, kwargs)
    return NONE


def deque_popleft(ev: Any, self: ListValue) -> Value:
    return list_pop(ev, self, Const(0))


def deque_appendleft(ev: Any, self: ListValue, item: Value) -> Value:
    items = touch_list(ev, self)
    items.insert(0, item)
    if self.maxlen is not None and len(items) > self.maxlen:
        items.pop()
    return NONE


def deque_extendleft(ev: Any, self: ListValue, source: Value) -> Value:
    for item in items_of(ev, source):
        deque_appendleft(ev, self, item)
    return NONE


def deque_rotate(ev: Any, self: ListValue, by: Value = Const(1)) -> Value:  # noqa: B008  (an immutable default)
    items = touch_list(ev, self)
    if items:
        n = index_number(ev, ev.force(by), "deque") % len(items)
        items[:] = items[-n:] + items[:-n] if n else items
    return NONE


def list_iadd(ev: Any, self: ListValue, other: Value) -> Value:
    extend_unread(ev, self, items_of(ev, other))
    return self


LIST: dict[str, Method] = {
    "append": list_append, "extend": list_extend, "insert": list_insert, "pop": list_pop, "clear": list_clear,
    "reverse": list_reverse, "copy": list_copy, "index": sequence_index, "count": sequence_count, "remove": list_remove,
    "sort": list_sort, "popleft": deque_popleft, "appendleft": deque_appendleft, "extendleft": deque_extendleft,
    "rotate": deque_rotate, "__iadd__": list_iadd, "__copy__": list_copy,
}


# -- tuples ----
def tuple_replace(ev: Any, self: TupleValue, **changes: Value) -> Value:
    fields = self.cls._fields  # type: ignore[attr-defined]
    for name in changes:
        if name not in fields:
            ev.raise_error(ValueError, f"Got unexpected field names: {[name]!r}")
    return TupleValue([changes.get(n, v) for n, v in zip(fields, self.items)], self.cls)


def tuple_asdict(ev: Any, self: TupleValue) -> Value:
    return new_dict(ev, [(Const(n), v) for n, v in zip(self.cls._fields, self.items)])  # type: ignore[attr-defined]


def size_numel(ev: Any, self: TupleValue) -> Value:
    total: Value = Const(1)
    for n in self.items:
        total = binary(ev, ast.Mult, total, n)
    return total


TUPLE: dict[str, Method] = {"index": sequence_index, "count": sequence_count, "_replace": tuple_replace,
                            "_asdict": tuple_asdict, "numel": size_numel}


# -- dicts ----
def dict_get(ev: Any, self: DictValue, key: Value, default: Value = NONE) -> Value:
    found = dict_find(ev, self, key)
    return found.value if found is not None else default


def dict_pop(ev: Any, self: DictValue, key: Value, default: Value | None = None) -> Value:
    found = dict_delete(ev, self, key)
    if found is not None:
        return found.value
    if default is None:
        ev.raise_error(KeyError, key)
        raise AssertionError
    return default


def dict_setdefault(ev: Any, self: DictValue, key: Value, default: Value = NONE) -> Value:
    found = dict_find(ev, self, key)
    if found is not None:
        return found.value
    dict_set(ev, self, key, default)
    return default


def dict_update(ev: Any, self: DictValue, *args: Value, **kwargs: Value) -> Value:
    update_dict(ev, self, list(args), kwargs)
    return NONE


def dict_popitem(ev: Any, self: DictValue, last: Value = TRUE) -> Value:
    entries = complete(ev, self)
    if not entries:
        ev.raise_error(KeyError, "popitem(): dictionary is empty")
    entry = list(entries.values())[-1 if truth(ev, last) else 0]
    dict_delete(ev, self, entry.key)
    return TupleValue([entry.key, entry.value])


def dict_copy(ev: Any, self: DictValue) -> Value:
    made = new_dict(ev, list(dict_items(ev, self)), self.cls)
    made.factory = self.factory
    return made


def dict_clear_(ev: Any, self: DictValue) -> Value:
    dict_clear(ev, self)
    return NONE


def dict_view(what: str) -> Method:
    """keys(), values(), items()."""

    def view(ev: Any, self: DictValue) -> Value:
        complete(ev, self)
        return DictViewValue(self, what)

    return view


class DictViewValue(ListValue):
    """A view of a dict's keys, values or items: iterates over what the dict holds when iterated."""

    __slots__ = ("of", "what")

    def __init__(self, of: DictValue, what: str) -> None:
        super().__init__([], cls=type({}.items()) if what == "items" else type({}.keys()) if what == "keys"
                         else type({}.values()))
        self.of, self.what = of, what
        self.loaded = True

    @property
    def items(self) -> list[Value]:
        entries = self.of.entries.values()
        if self.what == "keys":
            return [e.key for e in entries]
        return [e.value for e in entries] if self.what == "values" else [TupleValue([e.key, e.value]) for e in entries]

    @items.setter
    def items(self, value: list[Value]) -> None:
        pass


def dict_move_to_end(ev: Any, self: DictValue, key: Value, last: Value = TRUE) -> Value:
    if not truth(ev, last):
        raise Break("call-unknown", what="OrderedDict.move_to_end(last=False)")
    found = dict_delete(ev, self, key)
    if found is None:
        ev.raise_error(KeyError, key)
        raise AssertionError
    dict_set(ev, self, key, found.value)
    return NONE


DICT: dict[str, Method] = {
    "get": dict_get, "pop": dict_pop, "setdefault": dict_setdefault, "update": dict_update, "popitem": dict_popitem,
    "copy": dict_copy, "clear": dict_clear_, "keys": dict_view("keys"), "values": dict_view("values"),
    "items": dict_view("items"), "move_to_end": dict_move_to_end, "__copy__": dict_copy,
}


# -- sets ----
def set_add(ev: Any, self: SetValue, item: Value) -> Value:
    self.items.setdefault(key_of(ev, item), item)
    self.changed = True
    ev.changed(self)
    return NONE


def set_discard(ev: Any, self: SetValue, item: Value) -> Value:
    self.items.pop(key_of(ev, item), None)
    self.changed = True
    ev.changed(self)
    return NONE


def set_remove(ev: Any, self: SetValue, item: Value) -> Value:
    if key_of(ev, item) not in self.items:
        ev.raise_error(KeyError, item)
    return set_discard(ev, self, item)


def as_set(ev: Any, value: Value) -> SetValue:
    from .containers import new_set

    value = ev.force(value)
    return value if isinstance(value, SetValue) else new_set(ev, items_of(ev, value))


def set_combine(function: Callable[..., Any], change: bool = False) -> Method:
    def combine(ev: Any, self: SetValue, *others: Value) -> Value:
        out = SetValue(dict(self.items), self.cls)
        for other in others:
            out = set_operation(ev, function, out, as_set(ev, other))
        if not change:
            return out
        self.items = out.items
        self.changed = True
        ev.changed(self)
        return NONE

    return combine


def set_test(test: Callable[[set, set], bool]) -> Method:
    return lambda ev, self, other: Const(test(set(self.items), set(as_set(ev, other).items)))


def set_clear(ev: Any, self: SetValue) -> Value:
    self.items.clear()
    self.changed = True
    ev.changed(self)
    return NONE


SET: dict[str, Method] = {
    "add": set_add, "discard": set_discard, "remove": set_remove, "clear": set_clear,
    "copy": lambda ev, self: SetValue(dict(self.items), self.cls),
    "union": set_combine(operator.or_), "intersection": set_combine(operator.and_), "difference": set_combine(operator.sub),
    "symmetric_difference": set_combine(operator.xor), "update": set_combine(operator.or_, True),
    "intersection_update": set_combine(operator.and_, True), "difference_update": set_combine(operator.sub, True),
    "issubset": set_test(set.issubset), "issuperset": set_test(set.issuperset), "isdisjoint": set_test(set.isdisjoint),
}


# -- iterators ----
def iterator_close(ev: Any, self: IteratorValue) -> Value:
    if self.close is not None:
        self.close()
    return NONE


def iterator_send(ev: Any, self: IteratorValue, value: Value) -> Value:
    assert self.send is not None
    item = self.send(value)
    return item if item is not None else next_of(ev, fixed([]), None)


def iterator_throw(ev: Any, self: IteratorValue, *given: Value) -> Value:
    from .statements import exception_from

    assert self.throw is not None
    item = self.throw(exception_from(ev, given[0]))
    return item if item is not None else next_of(ev, fixed([]), None)


ITERATOR: dict[str, Method] = {
    "__next__": lambda ev, self: next_of(ev, self, None), "__iter__": lambda ev, self: self, "close": iterator_close,
    "send": iterator_send, "throw": iterator_throw,
}


# -- classes and plain objects ----
def class_call(ev: Any, self: ClassValue, *args: Value, **kwargs: Value) -> Value:
    return call(ev, self, list(args), kwargs)


def dict_fromkeys(ev: Any, self: ClassValue, keys: Value, value: Value = NONE) -> Value:
    return new_dict(ev, [(k, value) for k in items_of(ev, keys)], self.cls)


def class_chain(ev: Any, self: ClassValue, source: Value) -> Value:
    from .builtins import chained

    return chained(ev, iterate(ev, source))


def tuple_make(ev: Any, self: ClassValue, source: Value) -> Value:
    return TupleValue(items_of(ev, source), self.cls)


def subclasses(ev: Any, self: ClassValue) -> Value:
    raise Break("call-unknown", what=f"{self.cls.__name__}.__subclasses__()")


CLASS: dict[str, Method] = {
    "__call__": class_call, "fromkeys": dict_fromkeys, "from_iterable": class_chain, "_make": tuple_make,
    "__subclasses__": subclasses, "maketrans": lambda ev, self, *a: lift(ev, str.maketrans(*[lower(ev, x) for x in a])),
    "__new__": lambda ev, self, *a, **k: new_instance(ev, a[0] if a else self),
    "fromhex": lambda ev, self, a: Const(ev.native(self.cls.fromhex, lower(ev, a))),
    "__instancecheck__": lambda ev, self, a: Const(issubclass(ev.force(a).type, self.cls)),
}


def new_instance(ev: Any, cls: Value) -> Value:
    """object.__new__(cls)."""
    from .classes import bare_object, is_plain_or_payload

    cls = ev.force(cls)
    if not isinstance(cls, ClassValue) or not is_plain_or_payload(cls.cls):
        raise Break("construct", what="an object through __new__")
    return bare_object(cls.cls)


def object_init(ev: Any, self: ObjectValue, *args: Value, **kwargs: Value) -> Value:
    """object.__init__, and that of exceptions and of list and dict subclasses."""
    if isinstance(self, ExceptionValue):
        self.args = list(args)
    elif isinstance(self.payload, ListValue) and args:
        self.payload.items = items_of(ev, args[0])
    elif isinstance(self.payload, DictValue):
        update_dict(ev, self.payload, list(args), kwargs)
    return NONE


def object_setattr(ev: Any, self: ObjectValue, name: Value, value: Value) -> Value:
    plain_set(ev, self, ev.force(name).value, value)
    return NONE


def object_delattr(ev: Any, self: ObjectValue, name: Value) -> Value:
    delete_attribute(ev, self, ev.force(name).value)
    return NONE


def object_new(ev: Any, self: Value, *args: Value, **kwargs: Value) -> Value:
    return new_instance(ev, args[0] if args else self)


def with_traceback(ev: Any, self: Value, trace: Value) -> Value:
    return self


def object_eq(ev: Any, self: Value, other: Value) -> Value:
    from .operators import identical

    return TRUE if identical(ev, self, other) else Const(NotImplemented)


OBJECT: dict[str, Method] = {
    "__init__": object_init, "__setattr__": object_setattr, "__delattr__": object_delattr, "__new__": object_new,
    "__init_subclass__": lambda ev, self, **k: NONE, "with_traceback": with_traceback, "__eq__": object_eq,
    "__getattribute__": lambda ev, self, name: get_attribute(ev, self, ev.force(name).value),
    "__repr__": _repr, "__str__": _str, "__enter__": lambda ev, self: self,
}

__all__ = ["BuiltinValue", "DictViewValue", "FALSE", "FunctionValue", "OpaqueValue", "call_method", "class_lookup",
           "over_dict"]
