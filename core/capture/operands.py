"""Tables of the operators, and which operands are refused: with Python's own error, or with a graph break where the
operand's type has operators that are not written here."""

from __future__ import annotations

import ast
import collections
import operator
import types
from collections.abc import Callable
from typing import Any, NoReturn

from .relied import can_change
from .signals import Break
from .values import (
    ClassValue,
    Const,
    ListValue,
    ModuleValue,
    NativeValue,
    ObjectValue,
    OpaqueValue,
    SetValue,
    TensorValue,
    TupleValue,
    Value,
    c_name,
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

IMMUTABLE = 1 << 8               # Py_TPFLAGS_IMMUTABLETYPE: some classes written in C are made like those of class statements


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
    return type(c_name(cls), () if base is None else (base,), {})()


STAND_INS: dict[type, Callable[[], Any]] = {
    **{cls: cls for cls in (int, float, bool, complex, str, bytes, list, tuple, dict, set, frozenset, collections.deque,
                            collections.OrderedDict, collections.Counter, collections.defaultdict)},
    type(None): lambda: None, type(Ellipsis): lambda: Ellipsis, range: lambda: range(0), slice: lambda: slice(0),
    type: lambda: object, types.FunctionType: lambda: stand_in, types.MethodType: lambda: types.MethodType(len, ()),
    types.BuiltinFunctionType: lambda: len}
