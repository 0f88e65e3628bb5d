"""Operators, truth, length, membership and subscripts on values."""

from __future__ import annotations

import ast
import collections
import operator
import types
from collections.abc import Callable
from typing import Any, NoReturn

from ..graph.constants import known_elements
from ..symbolic.symint import sym_not
from .attributes import bind, class_lookup, guard_class_attribute
from .containers import complete, dict_set, list_items, new_dict, touch_list
from .relied import can_change, settle_members, settled
from .signals import Break
from .torch_calls import CannotLower, lower, run
from .values import (
    FALSE,
    TRUE,
    BuiltinMethodValue,
    BuiltinValue,
    ClassValue,
    Const,
    DictValue,
    DictViewValue,
    FunctionValue,
    ListValue,
    MethodValue,
    ModuleValue,
    NativeValue,
    ObjectValue,
    OpaqueValue,
    PartialValue,
    RangeValue,
    SetValue,
    TensorValue,
    TupleValue,
    Value,
)

# operator class -> (function, name of the special method, function of the in-place form)
BINARY: dict[type, tuple[Callable[..., Any], str, Callable[..., Any]]] = {
    ast.Add: (operator.add, "add", operator.iadd), ast.Sub: (operator.sub, "sub", operator.isub),
    ast.Mult: (operator.mul, "mul", operator.imul), ast.Div: (operator.truediv, "truediv", operator.itruediv),
    ast.FloorDiv: (operator.floordiv, "floordiv", operator.ifloordiv), ast.Mod: (operator.mod, "mod", operator.imod),
    ast.Pow: (operator.pow, "pow", operator.ipow), ast.MatMult: (operator.matmul, "matmul", operator.imatmul),
    ast.BitAnd: (operator.and_, "and", operator.iand), ast.BitOr: (operator.or_, "or", operator.ior),
    ast.BitXor: (operator.xor, "xor", operator.ixor), ast.LShift: (operator.lshift, "lshift", operator.ilshift),
    ast.RShift: (operator.rshift, "rshift", operator.irshift),
}

SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "** or pow()",
           "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}

UNARY: dict[type, tuple[Callable[..., Any], str]] = {
    ast.USub: (operator.neg, "__neg__"), ast.UAdd: (operator.pos, "__pos__"), ast.Invert: (operator.invert, "__invert__"),
}

SCALARS = (Const, TensorValue)
SET_OPERATORS = (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)
REPEATED = (str, bytes, list, tuple, collections.deque)
IMMUTABLE = 1 << 8               # Py_TPFLAGS_IMMUTABLETYPE: some classes written in C are made like those of class statements


# -- special methods ----
def special(ev: Any, value: Value, name: str) -> Value | None:
    """The special method `name` as found on the value's class, bound; None if the class has none (object's own count as
    none)."""
    if not isinstance(value, ObjectValue):
        return None
    owner, raw = class_lookup(value.cls, name)
    if owner is None or owner is object or raw is None:
        settled(ev, value.cls, name)
    if raw is None and owner is not None and name != "__hash__":       # which forbids it: not even another way is tried
        raise Break("operator", name=name, what=f"objects of class {value.cls.__name__}, which has None there,")
    if owner is None or owner is object or raw is None:
        return None
    guard_class_attribute(ev, value, name, raw)
    if value.payload is not None and not isinstance(raw, types.FunctionType):
        return BuiltinMethodValue(value.payload, name)
    return bind(ev, raw, value, value.cls, name)


def call_special(ev: Any, value: Value, name: str, *args: Value) -> Value | None:
    """Call it; None when there is none, or when it returned NotImplemented."""
    method = special(ev, value, name)
    if method is None:
        return None
    from .calls import call

    result = ev.force(call(ev, method, list(args), {}))
    return None if isinstance(result, Const) and result.value is NotImplemented else result


def refuse_unknown(name: str, *values: Value) -> None:
    """Break where one of the values is known only by its type: its class, which may be written in C, may well have the method
    whose lack would be an error, or give way to its memory."""
    for value in values:
        if isinstance(value, OpaqueValue | NativeValue) or isinstance(value, ObjectValue) and made_in_c(value.cls):
            raise Break("operator", name=name, what=f"an object of class {value.type.__name__}")


# Types whose operators among each other are all written here: another pair of them is an error in Python as well.
CLOSED = (int, float, bool, complex, str, bytes, type(None), type(Ellipsis), list, tuple, dict, set, frozenset, range,
          type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def refuse_other_types(name: str, *values: Value) -> None:
    """Break where a type of Python's library, whose operators are not all written here, stands on one side."""
    for value in values:
        known = isinstance(value, ObjectValue | TensorValue | ModuleValue | ClassValue) or value.type in CLOSED
        if not known or isinstance(value, ObjectValue) and made_in_c(value.cls):
            raise Break("operator", name=name, what=f"{' and '.join(v.type.__name__ for v in values)}")


def made_in_c(cls: type) -> bool:
    """Whether the class, or one that it inherits from, is written in C and has operators that are not written here."""
    return any((not can_change(base) or base.__flags__ & IMMUTABLE) and base not in STAND_INS and base is not object
               for base in cls.__mro__)


def refuse_own_operators(name: str, a: Value) -> None:
    """Break where the left side is of a class in C that has operators with objects of any class: NumPy's numbers, Counter."""
    written = isinstance(a, ObjectValue | TensorValue | ListValue | TupleValue | SetValue | ClassValue | ModuleValue)
    if not written and made_in_c(a.type) or a.type is collections.Counter:
        raise Break("operator", name=SYMBOLS.get(name, name), what=f"{a.type.__name__} and an object")


# -- arithmetic ----
def binary(ev: Any, op: type, a: Value, b: Value, in_place: bool = False) -> Value:
    """`a op b`; `in_place`: of `a op= b`, for which `a` has no way of its own."""
    a, b = ev.force(a), ev.force(b)
    function, name, function_in_place = BINARY[op]
    settle_members(ev, (f"__{name}__", f"__r{name}__"), a, b)
    if isinstance(a, SCALARS) and isinstance(b, SCALARS):
        return on_scalars(ev, function_in_place if in_place and isinstance(a, Const) else function, a, b)
    if op is ast.Mod and isinstance(a, Const) and isinstance(a.value, str | bytes) and not issubclass(b.type, str | bytes):
        return on_containers(ev, op, a, b, in_place)              # formatting: the other's own method is not asked
    if isinstance(a, ObjectValue) or isinstance(b, ObjectValue):
        refuse_own_operators(name, a)
        tries = [(a, f"__{name}__", b), (b, f"__r{name}__", a)]
        if a.type is not b.type and issubclass(b.type, a.type) and isinstance(b, ObjectValue) \
                and settled(ev, b.type, f"__r{name}__")[1] is not settled(ev, a.type, f"__r{name}__")[1]:
            tries.reverse()                        # a subclass that overrides the reflected method goes first
        for left, method, right in tries:
            found = call_special(ev, left, method, right)
            if found is not None:
                return found
        if isinstance(a, TensorValue) or isinstance(b, TensorValue):
            raise Break("operator", name=SYMBOLS[name], what="a tensor and an object")
        if op is ast.Mult:
            for seq, count in ((a, b),) if in_place else ((a, b), (b, a)):       # `a *= b` asks only what `a` is
                n = None if isinstance(seq, ObjectValue) or not issubclass(seq.type, REPEATED) \
                    else call_special(ev, count, "__index__")
                if n is not None:
                    return binary(ev, op, seq, n)
        bad_operands(ev, op, a, b, in_place)
    return on_containers(ev, op, a, b, in_place)


def bad_operands(ev: Any, op: type, a: Value, b: Value, in_place: bool = False) -> NoReturn:
    """The TypeError of an operator that neither operand has, in Python's own words."""
    function, name, function_in_place = BINARY[op]
    refuse_unknown(SYMBOLS[name], a, b)
    refuse_other_types(SYMBOLS[name], a, b)
    try:
        (function_in_place if in_place else function)(stand_in(a), stand_in(b))
    except TypeError as problem:
        ev.raise_error(TypeError, str(problem))
    raise Break("operator", name=SYMBOLS[name], what=f"{a.type.__name__} and {b.type.__name__}")


def stand_in(value: Value) -> Any:
    """An object that is refused with the same words: of the same type, or of a bare class of the same name."""
    cls = value.type
    made = STAND_INS.get(cls)
    if made is not None:
        return made()
    base = next((b for b in cls.__mro__ if b in STAND_INS and b not in (bool, type(None), type)), None)
    return type(cls.__name__, () if base is None else (base,), {})()


STAND_INS: dict[type, Callable[[], Any]] = {
    **{cls: cls for cls in (int, float, bool, complex, str, bytes, list, tuple, dict, set, frozenset, collections.deque,
                            collections.OrderedDict, collections.Counter, collections.defaultdict)},
    type(None): lambda: None, type(Ellipsis): lambda: Ellipsis, range: lambda: range(0), slice: lambda: slice(0),
    type: lambda: object, types.FunctionType: lambda: stand_in, types.MethodType: lambda: types.MethodType(len, ()),
    types.BuiltinFunctionType: lambda: len}


def on_scalars(ev: Any, function: Callable[..., Any], *operands: Value) -> Value:
    """Numbers, strings and tensors: Python's own operator does it."""
    plain = [lower(ev, v) for v in operands]
    if any(isinstance(v, TensorValue) for v in operands):
        return run(ev, function, plain, {}, f"operator {function.__name__}")
    return Const(ev.native(function, *plain))


def on_containers(ev: Any, op: type, a: Value, b: Value, in_place: bool = False) -> Value:
    function, name, _ = BINARY[op]
    if op is ast.Add and isinstance(a, ListValue) and isinstance(b, ListValue) and a.cls is b.cls and a.cls in SEQUENCES:
        return like_list(a, [*list_items(ev, a), *list_items(ev, b)])
    if op is ast.Add and isinstance(a, TupleValue) and isinstance(b, TupleValue):
        sized = {c.__name__ for c in (a.cls, b.cls)} & {"Size"}
        cls = a.cls if a.cls.__name__ == "Size" else b.cls
        return TupleValue([*a.items, *b.items], cls if sized else tuple)
    if op is ast.Mult:
        for seq, count in ((a, b), (b, a)):
            if isinstance(seq, ListValue | TupleValue) and isinstance(count, Const) and count.type in (int, bool):
                n = int(count.value)
                items = repeated(ev, list_items(ev, seq), n, getattr(seq, "maxlen", None))
                if isinstance(seq, TupleValue):
                    return TupleValue(items, seq.cls if seq.cls.__name__ == "Size" else tuple)
                if seq.cls in SEQUENCES:
                    return like_list(seq, items)
    if isinstance(a, DictValue) and isinstance(b, DictValue) and op is ast.BitOr:
        refuse_counter(a, b)
        if a.cls is not b.cls:                         # the one on the right may decide the class
            raise Break("operator", name="|", what=f"{a.cls.__name__} and {b.cls.__name__}")
        pairs = [(e.key, e.value) for d in (a, b) for e in list(complete(ev, d).values())]
        made = new_dict(ev, pairs, a.cls)
        made.factory = a.factory
        return made
    if isinstance(a, SetValue) and isinstance(b, SetValue) and op in SET_OPERATORS:
        return set_operation(ev, function, a, b)
    if op in SET_OPERATORS and (is_set_like(a) or is_set_like(b)):
        both = set_operation(ev, function, as_set(ev, a), as_set(ev, b))         # one is a view: the other, any iterable
        both.cls = set
        return both
    if op is ast.Mod and isinstance(a, Const) and isinstance(a.value, str | bytes):
        from .formatting import percent

        return percent(ev, a, b)
    if any(isinstance(v, TensorValue) for v in (a, b)) and not any(isinstance(v, DictValue | SetValue) for v in (a, b)):
        try:
            return run(ev, function, [lower(ev, a), lower(ev, b)], {}, f"operator {name}")
        except CannotLower:
            pass
    if op is ast.BitOr and is_class_or_union(a) and (is_class_or_union(b) or isinstance(b, Const) and b.value is None):
        union = ev.native(operator.or_, real_class(a), real_class(b))
        return OpaqueValue(union, ev.pin(union, "union"))
    if isinstance(a, OpaqueValue | NativeValue) or isinstance(b, OpaqueValue | NativeValue):
        raise Break("operator", name=SYMBOLS[name], what=f"{a.type.__name__} and {b.type.__name__}")
    bad_operands(ev, op, a, b, in_place)


def is_set_like(value: Value) -> bool:
    """Whether it is a view of keys or items: such a view has the operators of sets."""
    return isinstance(value, DictViewValue) and value.what != "values"


def as_set(ev: Any, value: Value) -> SetValue:
    """A set, or the set of what any other iterable gives. Breaks for items with values that may have no hash: Python does not
    always ask for it."""
    from .containers import new_set
    from .iterate import items_of

    value = ev.force(value)
    if isinstance(value, SetValue):
        return value
    if isinstance(value, DictViewValue) and value.what == "items" \
            and not all(isinstance(ev.force(e.value), Const) for e in value.of.entries.values()):
        raise Break("operator", name="&", what="dict_items of values other than numbers and texts")
    return new_set(ev, items_of(ev, value))


SEQUENCES = (list, collections.deque)


def refuse_counter(a: DictValue, b: DictValue) -> None:
    """Of two Counters `|` takes the larger counts."""
    if collections.Counter in (a.cls, b.cls):
        raise Break("operator", name="|", what="Counters")


def like_list(model: ListValue, items: list[Value]) -> ListValue:
    """A new list, or a deque of the same greatest length."""
    made = ListValue(items if model.maxlen is None else items[max(0, len(items) - model.maxlen):], cls=model.cls)
    made.maxlen = model.maxlen
    return made


def repeated(ev: Any, items: list[Value], times: int, maxlen: int | None) -> list[Value]:
    """`items * times`; of a deque with a greatest length, what it keeps. Raises MemoryError in the script."""
    if maxlen is not None and items:
        times = min(times, -(-maxlen // len(items)))
    made: list[Value] = ev.native(operator.mul, items, times)
    return made if maxlen is None else made[max(0, len(made) - maxlen):]


def is_class_or_union(value: Value) -> bool:
    return isinstance(value, ClassValue) or isinstance(value, OpaqueValue) and isinstance(value.real, types.UnionType)


def real_class(value: Value) -> Any:
    """The class, union of classes or None that stands on one side of `A | B`."""
    if isinstance(value, ClassValue):
        return value.cls
    return value.value if isinstance(value, Const) else getattr(value, "real", None)


def set_operation(ev: Any, function: Callable[..., Any], a: SetValue, b: SetValue) -> SetValue:
    keys = function(set(a.items), set(b.items))
    merged = {**b.items, **a.items}
    return SetValue({k: v for k, v in merged.items() if k in keys}, a.cls)


def inplace(ev: Any, op: type, a: Value, b: Value) -> Value:
    """`a op= b`: the new value of the target."""
    a, b = ev.force(a), ev.force(b)
    function, name, in_place = BINARY[op]
    if isinstance(a, TensorValue):
        try:
            return run(ev, in_place, [a.fake, lower(ev, b)], {}, f"operator {name}")
        except CannotLower:
            return binary(ev, op, a, b)
    if isinstance(a, ListValue) and op in (ast.Add, ast.Mult):
        return list_inplace(ev, op, a, b)
    if isinstance(a, DictValue) and a.cls is collections.Counter and op in (ast.Add, ast.Sub, ast.BitOr, ast.BitAnd):
        raise Break("operator", name=f"{SYMBOLS[name]}=", what="a Counter")
    if isinstance(a, DictValue) and op is ast.BitOr and not isinstance(b, DictValue) and a.cls is not collections.Counter:
        from .mapping_methods import dict_update

        dict_update(ev, a, b)                      # any mapping, or pairs
        return a
    if isinstance(a, DictValue) and op is ast.BitOr and isinstance(b, DictValue):
        refuse_counter(a, b)
        for e in list(complete(ev, b).values()):
            dict_set(ev, a, e.key, e.value)
        return a
    if isinstance(a, SetValue) and a.cls is set and isinstance(b, SetValue) and op in SET_OPERATORS:
        a.items = set_operation(ev, function, a, b).items
        a.changed = True
        ev.changed(a)
        return a
    found = call_special(ev, a, f"__i{name}__", b)
    return found if found is not None else binary(ev, op, a, b, in_place=True)


def list_inplace(ev: Any, op: type, a: ListValue, b: Value) -> Value:
    """`a += b` and `a *= b` of lists and deques. Classes written in Python are asked first for their reflected method, as for
    `a + b`: lists have no arithmetic of their own in CPython, only concatenation, which comes after it."""
    from .iterate import items_of

    name = BINARY[op][1]
    if isinstance(b, ObjectValue):
        settle_members(ev, (f"__r{name}__",), b)
        found = call_special(ev, b, f"__r{name}__", a)
        if found is not None:
            return found
    if op is ast.Add:
        more = items_of(ev, b)
        touch_list(ev, a).extend(more) if a.loaded else extend_unread(ev, a, more)
        return a
    times = call_special(ev, b, "__index__") if isinstance(b, ObjectValue) else b
    if times is None or isinstance(times, Const) and times.type not in (int, bool) or not isinstance(times, SCALARS):
        bad_operands(ev, op, a, b, in_place=True)
    items = touch_list(ev, a)
    items[:] = repeated(ev, items, int(lower(ev, times)), a.maxlen)
    return a


def extend_unread(ev: Any, target: ListValue, more: list[Value]) -> None:
    from .containers import append

    for item in more:
        append(ev, target, item)


def unary(ev: Any, op: type, a: Value) -> Value:
    a = ev.force(a)
    if op is ast.Not:
        if isinstance(a, Const):
            return Const(sym_not(a.value))
        return FALSE if truth(ev, a) else TRUE
    function, name = UNARY[op]
    settle_members(ev, (name,), a)
    if isinstance(a, SCALARS):
        return on_scalars(ev, function, a)
    found = call_special(ev, a, name)
    if found is None:
        sign = {"__neg__": "-", "__pos__": "+", "__invert__": "~"}[name]
        refuse_unknown(sign, a)
        refuse_other_types(sign, a)
        ev.raise_error(TypeError, f"bad operand type for unary {sign}: '{a.type.__name__}'")
        raise AssertionError
    return found


# -- truth, length ----
def truth(ev: Any, value: Value) -> bool:
    """bool(value), deciding symbolic numbers with a guard. A tensor's truth breaks the graph."""
    value = ev.force(value)
    if isinstance(value, Const):
        settle_members(ev, ("__bool__", "__len__"), value)
        return bool(ev.native(bool, value.value))
    if isinstance(value, TensorValue):
        known = known_elements(value.fake, ev.graph)
        if known is not None and known.size == 1:
            return bool(known)
        raise Break("data-branch")
    if isinstance(value, TupleValue | ListValue | DictValue | SetValue | RangeValue):
        return length(ev, value) != 0
    if isinstance(value, ObjectValue):
        answer = call_special(ev, value, "__bool__")
        if answer is not None:
            if answer.type is not bool:
                ev.raise_error(TypeError, f"__bool__ should return bool, returned {answer.type.__name__}")
            return bool(ev.native(bool, lower(ev, answer)))
        if not isinstance(value, ModuleValue) or settled(ev, value.cls, "__len__")[0] is not None:
            size = call_special(ev, value, "__len__")
            if size is not None:
                return bool(ev.native(bool, checked_length(ev, size)))
        if value.payload is not None:
            return length(ev, value.payload) != 0
        return True
    if isinstance(value, OpaqueValue):
        if any(settled(ev, value.type, n)[0] is not None for n in ("__bool__", "__len__")):
            raise Break("operator", name="bool()", what=f"an object of class {value.type.__name__}")
        return True
    return True


def untouched(ev: Any, value: DictValue) -> bool:
    """Whether an existing dict is as it was; its length then becomes a guard, and nothing else."""
    if value.complete or value.changed or value.deleted:
        return False
    ev.guard("SEQUENCE_LENGTH", value.origin, len(value.real), "its length is used")
    return True


def length(ev: Any, value: Value) -> Any:
    """len(value): an int, or a symbolic one for tensors."""
    value = ev.force(value)
    if isinstance(value, TupleValue):
        return len(value.items)
    if isinstance(value, ListValue):
        return len(list_items(ev, value))
    if isinstance(value, DictValue):
        return len(value.real) if untouched(ev, value) else len(complete(ev, value, False))
    if isinstance(value, SetValue):
        return len(value.items)
    if isinstance(value, RangeValue):
        return len(range(value.start, value.stop, value.step))
    if isinstance(value, Const) and not value.symbolic:
        return ev.native(len, value.value)
    if isinstance(value, TensorValue):
        if not value.fake._meta.shape:
            ev.raise_error(TypeError, "len() of a 0-d tensor")
        return value.fake._meta.shape[0]
    answer = call_special(ev, value, "__len__")
    if answer is not None:
        return checked_length(ev, answer)
    if isinstance(value, ObjectValue) and value.payload is not None:
        return length(ev, value.payload)
    refuse_unknown("len()", value)
    ev.raise_error(TypeError, f"object of type '{value.type.__name__}' has no len()")
    return None


def checked_length(ev: Any, answer: Value) -> Any:
    """What `__len__` returned, if len() accepts it."""
    if isinstance(answer, ObjectValue):
        index = call_special(ev, answer, "__index__")
        if index is not None:
            return checked_length(ev, index)
    if isinstance(answer, TensorValue | NativeValue | OpaqueValue):
        raise Break("operator", name="len()", what=f"an object whose __len__ returns an object of class {answer.type.__name__}")
    if not issubclass(answer.type, int):
        ev.raise_error(TypeError, f"'{answer.type.__name__}' object cannot be interpreted as an integer")
    number = lower(ev, answer)
    if answer.type is not int:
        number = int.__index__(number)
    if number < 0:
        ev.raise_error(ValueError, "__len__() should return >= 0")
    return number


def is_callable(ev: Any, value: Value) -> bool:
    value = ev.force(value)
    if isinstance(value, FunctionValue | MethodValue | BuiltinValue | BuiltinMethodValue | ClassValue | PartialValue):
        return True
    if isinstance(value, ObjectValue):
        return settled(ev, value.cls, "__call__")[0] is not None
    if isinstance(value, OpaqueValue | NativeValue):
        return callable(value.real)
    return False
