"""Methods that are written in C: of list, dict, set, str and numbers, tuples, iterators; and the methods of tensors."""

from __future__ import annotations

from typing import Any

from ..symbolic.symint import Symbolic
from .attribute_stores import delete_attribute, plain_set
from .attributes import get_attribute
from .builtin_types import update_dict
from .calls import call
from .comparing import COMPARE, compare, contains, identical
from .containers import new_dict
from .function_values import IteratorValue
from .iterate import fixed, items_of, iterate, next_of
from .mapping_methods import DICT, SET
from .operands import BINARY, stand_in
from .operators import binary
from .relied import class_lookup
from .sequence_methods import LIST, TUPLE, Method
from .signals import Break
from .signatures import fitted
from .subscripts import delete_item, get_item, set_item
from .torch_calls import CannotLower, call_api, has_tensor, lift, lower, tensor_method
from .truth import length, truth
from .values import (
    NONE,
    TRUE,
    ClassValue,
    Const,
    DictValue,
    ExceptionValue,
    ListValue,
    NativeValue,
    ObjectValue,
    SetValue,
    TensorValue,
    TupleValue,
    Value,
)


def call_method(ev: Any, receiver: Value, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`receiver.name(*args)` for methods without Python source."""
    receiver = ev.force(receiver)
    if isinstance(receiver, TensorValue):
        return tensor_method(ev, receiver, name, args, kwargs)
    if name == "__getattribute__" and not isinstance(receiver, ClassValue):
        return OBJECT[name](ev, receiver, *args)
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
        rule = OBJECT.get(name) if name not in BY_CLASS or receiver.payload is not None or objects_own(receiver, name) else None
        if rule is None and receiver.payload is not None:
            return call_method(ev, receiver.payload, name, args, kwargs)
    elif isinstance(receiver, Const):
        return on_constant(ev, receiver, name, args, kwargs)
    elif isinstance(receiver, NativeValue):
        kind = type(receiver.real).__name__                       # the state of a generator or an optimiser is in no guard
        if kind == "Generator":
            raise Break("random", what=f"Generator.{name}()")
        if receiver.origin is not None and kind not in ("finfo", "iinfo"):
            raise Break("call-unknown", what=f"{kind}.{name}()")
        return call_api(ev, getattr(receiver.real, name), args, kwargs, f"{kind}.{name}")
    else:
        rule = None
    if rule is None and isinstance(receiver, ObjectValue) and class_lookup(receiver.cls, name)[0] not in (None, object):
        raise Break("call-unknown", what=f"{receiver.type.__name__}.{name}()")       # written in C: not its operator's words
    if rule is None:
        rule = dunder(name)
    if rule is None:
        raise Break("call-unknown", what=f"{receiver.type.__name__}.{name}()")
    if not isinstance(receiver, ObjectValue | ClassValue | IteratorValue):
        function = getattr(receiver.type, name, None)
        if function is not None and fitted(function, [receiver, *args], kwargs) is None:
            raise Break("call-unknown", what=f"{receiver.type.__name__}.{name}() with arguments that do not fit")
    try:
        return rule(ev, receiver, *args, **kwargs)
    except TypeError as problem:
        if "positional argument" in str(problem) or "keyword argument" in str(problem):
            raise Break("call-unknown", what=f"{receiver.type.__name__}.{name}() with arguments that do not fit") from None
        raise


def objects_own(receiver: ObjectValue, name: str) -> bool:
    """Whether the class has its method from `object`, or is an exception's: what other classes in C do is not written here."""
    return class_lookup(receiver.cls, name)[0] in (None, object, BaseException, *EXCEPTIONS)


def dunder(name: str) -> Method | None:
    """`a.__add__(b)` and its kin, by the operator of that name."""
    if not (name.startswith("__") and name.endswith("__")):
        return None
    stem = name.strip("_")
    for op, (_, word, _) in BINARY.items():
        if stem == word:
            return lambda ev, a, b: binary(ev, op, a, b) if has_answer(ev, a, name, b) else Const(NotImplemented)
        if stem == "r" + word:
            return lambda ev, a, b: binary(ev, op, b, a)
    for op, (_, method, _) in COMPARE.items():
        if name == method:
            return lambda ev, a, b: compared(ev, op, name, a, b)
    others: dict[str, Method] = {
        "getitem": lambda ev, a, k: get_item(ev, a, k), "len": lambda ev, a: Const(length(ev, a)),
        "contains": lambda ev, a, b: Const(contains(ev, a, b)), "iter": lambda ev, a: iterate(ev, a),
        "bool": lambda ev, a: Const(truth(ev, a)), "setitem": _setitem, "delitem": _delitem,
        "next": lambda ev, a: next_of(ev, a, None), "repr": _repr, "str": _str,
    }
    return others.get(stem)


def compared(ev: Any, op: type, name: str, a: Value, b: Value) -> Value:
    """`a.__lt__(b)`, asked for by name: an object's own answer for itself only is NotImplemented for another."""
    a, b = ev.force(a), ev.force(b)
    if isinstance(a, ObjectValue) and a.payload is None:
        same = identical(ev, a, b) if name in ("__eq__", "__ne__") else False
        return Const(name == "__eq__") if same else Const(NotImplemented)
    return compare(ev, op, a, b) if has_answer(ev, a, name, b) else Const(NotImplemented)


def has_answer(ev: Any, a: Value, name: str, b: Value) -> bool:
    """Whether a type's method, called by its name, takes an operand of the other's type. Python itself is asked, with stand-ins
    for both."""
    a, b = ev.force(a), ev.force(b)
    if isinstance(a, ObjectValue | TensorValue | NativeValue) or isinstance(b, TensorValue):
        return True
    method = getattr(stand_in(a), name, None)
    try:
        return method is None or method(stand_in(b)) is not NotImplemented
    except Exception:
        return True


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
        if name == "join" and len(args) == 1 and not kwargs:
            items = [ev.force(v) for v in items_of(ev, args[0])]
            for i, v in enumerate(items):
                if not isinstance(v, Const) or not isinstance(v.value, str):
                    ev.raise_error(TypeError, f"sequence item {i}: expected str instance, {v.c_name} found")
            return Const(value.join(v.value for v in items))
    try:
        plain = [lower(ev, a) for a in args]
        named = {k: lower(ev, v) for k, v in kwargs.items()}
    except CannotLower as problem:
        raise Break("call-unknown", what=f"{receiver.type.__name__}.{name}() with {problem}") from None

    if has_tensor((plain, named)):
        if name.startswith("__"):
            return call_api(ev, getattr(value, name), args, kwargs, name)
        raise Break("data-item", what=f"{receiver.type.__name__}.{name}()")
    if not receiver.symbolic and any(isinstance(p, Symbolic) for p in plain):
        operator = dunder(name) if len(args) == 1 and not kwargs else None
        if operator is not None:
            return operator(ev, receiver, args[0])
        plain = [ev.settled_number(p) for p in plain]              # what is written in C takes plain numbers only
    if receiver.symbolic and not hasattr(value, name):
        value = ev.env.specialise(value.expr, f"{name}() of it is used")
    return lift(ev, ev.native(lambda: getattr(value, name)(*plain, **named)))


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
    from .raising import exception_from

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
    from .iteration_tools import chained

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
    from .comparing import identical

    return TRUE if identical(ev, self, other) else Const(NotImplemented)

BY_CLASS = ("__repr__", "__str__", "__eq__")
EXCEPTIONS = (KeyError, OSError, SyntaxError, ImportError, UnicodeError)
OBJECT: dict[str, Method] = {
    "__init__": object_init, "__setattr__": object_setattr, "__delattr__": object_delattr, "__new__": object_new,
    "__init_subclass__": lambda ev, self, **k: NONE, "with_traceback": with_traceback, "__eq__": object_eq,
    "__getattribute__": lambda ev, self, name: get_attribute(ev, self, ev.force(name).value, fallback=False),
    "__repr__": _repr, "__str__": _str, "__enter__": lambda ev, self: self,
}
