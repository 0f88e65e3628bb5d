"""Rules for callables without Python source: Python's builtins, math, operator, itertools, and the tensor API.

A rule takes (ev, args, kwargs). What has no rule but is known to be pure runs natively on constants; anything else
breaks the graph.
"""

from __future__ import annotations

import ast
import builtins
import collections
import functools
import math
import operator
import types
from builtins import abs, pow, round  # noqa: UP029 - Python's own, whatever the script put in their places
from collections.abc import Callable
from typing import Any

from ..symbolic import symint
from ..tensor.tensor import Tensor
from .attribute_stores import delete_attribute, set_attribute
from .attributes import find_attribute, get_attribute, tells_its_class
from .calls import describe
from .function_values import BuiltinValue
from .iterating_builtins import b_all, b_any, b_iter, b_next, b_sorted, b_sum, extreme, f_reduce
from .operands import refuse_other_types
from .operator_rules import OPERATOR_RULES, Rule
from .operators import binary
from .reading import is_api_function
from .relied import registered_classes
from .signals import Break, UserRaise
from .signatures import fitted
from .special_methods import call_special
from .subscripts import get_item
from .torch_calls import NEVER_TRACED, CannotLower, call_api, has_tensor, lift, lower, tensor_method
from .truth import is_callable, length
from .values import FALSE, NONE, TRUE, ClassValue, Const, ObjectValue, OpaqueValue, TensorValue, TupleValue, Value

PURE_MODULES = ("math", "cmath", "_operator", "_struct", "binascii", "unicodedata", "_string")


def call_builtin(ev: Any, callee: BuiltinValue, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call a function that has no source to trace."""
    real = callee.real
    rule = RULES.get(real) if isinstance(real, collections.abc.Hashable) else None
    if rule is not None:
        given = fitted(real, args, kwargs)
        if given is None:
            raise Break("call-unknown", what=f"{describe(callee)} with arguments that do not fit")
        return rule(ev, *given)
    if isinstance(real, types.FunctionType):
        return call_marked(ev, callee, real, args, kwargs)
    if isinstance(real, types.MethodDescriptorType | types.WrapperDescriptorType) and args:
        from .methods import call_method

        receiver = ev.force(args[0])
        other = not isinstance(receiver, ObjectValue) and getattr(receiver.type, real.__name__, None) is not real
        if other or not issubclass(receiver.type, real.__objclass__):
            raise Break("call-unknown", what=f"{describe(callee)} of an object of another class")
        return call_method(ev, args[0], real.__name__, args[1:], kwargs)
    module = getattr(real, "__module__", None) or ""
    name = getattr(real, "__name__", "")
    if real in SYMBOLIC_MATH and len(args) == 1:
        return on_number(ev, real, args)
    if module in PURE_MODULES:
        return natively(ev, real, args, kwargs, describe(callee))
    if module == "time" or module == "_datetime":
        raise Break("time", what=describe(callee))
    if module in ("_random", "random"):
        raise Break("random", what=describe(callee))
    if name in ("print", "input", "open") or module in ("_io", "io"):
        raise Break("call-output", what=describe(callee))
    raise Break("call-unknown", what=describe(callee))


def call_marked(ev: Any, callee: BuiltinValue, real: types.FunctionType, args: list[Value],
                kwargs: dict[str, Value]) -> Value:
    """A Python function that is not traced: of the tensor API, or excluded by torch.compiler.disable."""
    if getattr(real, "_guardscope_disable", None) is not None or ev.context.is_disabled(real):
        raise Break("call-disabled", what=describe(callee))
    name = real.__name__
    if name == "graph_break" and is_api_function(real):
        raise Break("call-explicit")
    if name in PROCESS_STATE and is_api_function(real):
        raise Break("call-unknown", what=describe(callee))
    special = API_RULES.get(name)
    if special is not None and is_api_function(real):
        return special(ev, args, kwargs)
    if args and isinstance(args[0], Value) and isinstance(ev.force(args[0]), TensorValue) \
            and (name in NEVER_TRACED or name in ("backward", "item", "tolist", "numpy")):
        return tensor_method(ev, ev.force(args[0]), name, args[1:], kwargs)
    return call_api(ev, real, args, kwargs)


def natively(ev: Any, real: Any, args: list[Value], kwargs: dict[str, Value], what: str) -> Value:
    """A pure function on constants; on tensors and symbolic numbers whatever Python does with them."""
    try:
        plain = [lower(ev, a) for a in args]
        named = {k: lower(ev, v) for k, v in kwargs.items()}
    except CannotLower as problem:
        raise Break("call-unknown", what=f"{what} with {problem}") from None
    if has_tensor((plain, named)):
        raise Break("data-item", what=what)
    return lift(ev, ev.native(real, *plain, **named))

SYMBOLIC_MATH: dict[Any, Callable[[Any], Any]] = {
    math.sqrt: symint.sym_sqrt, math.floor: symint.sym_floor, math.ceil: symint.sym_ceil, math.exp: symint.sym_exp,
    math.log: symint.sym_log, math.log2: symint.sym_log2, math.log10: symint.sym_log10, math.sin: symint.sym_sin,
    math.cos: symint.sym_cos, math.tan: symint.sym_tan, math.tanh: symint.sym_tanh, math.trunc: symint.sym_int,
}


def on_number(ev: Any, real: Any, args: list[Value]) -> Value:
    value = ev.force(args[0])
    if isinstance(value, Const) and value.symbolic:
        return Const(ev.native(SYMBOLIC_MATH[real], value.value))
    return natively(ev, real, args, {}, f"math.{real.__name__}()")


# -- builtins ----
def b_len(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return Const(length(ev, args[0]))


def classes_of(ev: Any, value: Value) -> list[type]:
    value = ev.force(value)
    if isinstance(value, TupleValue):
        return [c for v in value.items for c in classes_of(ev, v)]
    if isinstance(value, ClassValue):
        return [value.cls]
    if isinstance(value, OpaqueValue) and isinstance(value.real, types.UnionType):
        return [c for c in value.real.__args__ if isinstance(c, type)]
    raise Break("operator", name="isinstance()", what=f"an object of class {value.type.__name__}")


def b_isinstance(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """By the exact type, which a guard checked. Classes with their own __instancecheck__ are asked with an instance."""
    from .values import Lazy

    value = args[0]
    if type(value) is Lazy and value.known is None and isinstance(value.real, int | float | str) \
            and not isinstance(value.real, bool):
        ev.guard("TYPE_MATCH", value.origin, type(value.real), "its type is asked")
        cls = type(value.real)
    else:
        value = ev.force(value)
        cls = value.type
    for c in classes_of(ev, args[1]):
        check = type(c).__instancecheck__
        registered_classes(ev, cls, c)
        if check is not type.__instancecheck__ or not issubclass(cls, c):
            tells_its_class(ev, cls)                     # asked as well
        if check is type.__instancecheck__ or type(c).__module__ in ("abc", "enum", "typing"):
            if isinstance(c, type) and issubclass(cls, c):
                return TRUE
        elif isinstance(value, TensorValue):
            sample = value.real if value.real is not None else value.fake
            if isinstance(sample, c) or cls is not type(sample) and issubclass(cls, c):
                return TRUE
        elif getattr(value, "real", None) is not None and isinstance(value.real, c):
            return TRUE
    return FALSE


def b_issubclass(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    asked = ev.force(args[0])
    if not isinstance(asked, ClassValue):
        raise Break("operator", name="issubclass()", what=f"an object of class {asked.type.__name__}")
    cls = asked.cls
    for c in classes_of(ev, args[1]):
        registered_classes(ev, cls, c)
    return Const(any(issubclass(cls, c) for c in classes_of(ev, args[1])))


def attribute_name(ev: Any, value: Value) -> str:
    name = ev.force(value)
    if not isinstance(name, Const) or not isinstance(name.value, str):
        ev.raise_error(TypeError, "attribute name must be string")
        raise AssertionError
    return str.__str__(name.value)                           # a member of an enum may be a text


def b_getattr(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    name = attribute_name(ev, args[1])
    if len(args) == 2:
        return get_attribute(ev, args[0], name)
    try:
        found = find_attribute(ev, args[0], name)
    except UserRaise as raised:
        if not issubclass(raised.value.cls, AttributeError):
            raise
        found = None
    return found if found is not None else args[2]


def b_hasattr(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    from .values import Lazy

    try:
        found = find_attribute(ev, args[0], attribute_name(ev, args[1]))
        if type(found) is Lazy and found.known is None:          # no read guards it
            ev.guard("PRESENT", found.origin, None, "asked for")
        return Const(found is not None)
    except UserRaise as raised:
        if issubclass(raised.value.cls, AttributeError):
            return FALSE
        raise


def b_setattr(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    set_attribute(ev, args[0], attribute_name(ev, args[1]), args[2])
    return NONE


def b_delattr(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    delete_attribute(ev, args[0], attribute_name(ev, args[1]))
    return NONE


def b_callable(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return Const(is_callable(ev, args[0]))


def b_id(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    raise Break("operator", name="id()", what="an object")


def b_repr(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    from .formatting import repr_of

    return Const(repr_of(ev, args[0]))


def b_format(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    from .formatting import format_value

    return Const(format_value(ev, args[0], ev.force(args[1]).value if len(args) > 1 else ""))


def b_abs(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return scalar_or_special(ev, abs, "__abs__", args)


def b_round(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    return scalar_or_special(ev, round, "__round__", [*args, *kwargs.values()])


def scalar_or_special(ev: Any, function: Any, name: str, args: list[Value]) -> Value:
    from .special_methods import call_special

    first = ev.force(args[0])
    if isinstance(first, TensorValue):
        return call_api(ev, function, args, {}, f"{function.__name__}()")
    found = call_special(ev, first, name, *args[1:])
    if found is not None:
        return found
    return natively(ev, function, args, {}, f"{function.__name__}()")


def b_pow(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    if len(args) == 3:
        return natively(ev, pow, args, kwargs, "pow()")
    return binary(ev, ast.Pow, args[0], args[1])


def b_divmod(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    left, right = (ev.force(a) for a in args)
    for value, name, other in ((left, "__divmod__", right), (right, "__rdivmod__", left)):
        found = call_special(ev, value, name, other)
        if found is not None:
            return found
    if not isinstance(left, Const) or not isinstance(right, Const):
        refuse_other_types("divmod()", left, right)
        names = f"'{left.c_name}' and '{right.c_name}'"
        ev.raise_error(TypeError, f"unsupported operand type(s) for divmod(): {names}")
    if left.symbolic or right.symbolic:
        return TupleValue([binary(ev, ast.FloorDiv, left, right), binary(ev, ast.Mod, left, right)])
    return natively(ev, divmod, [left, right], {}, "divmod()")


def b_hash(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    value = ev.force(args[0])
    if isinstance(value, Const) and isinstance(value.value, int | float | bool):
        return Const(ev.native(hash, value.value))
    raise Break("operator", name="hash()", what=f"{value.type.__name__}")


def b_breaks(id: str, **facts: Any) -> Rule:
    def rule(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
        raise Break(id, **facts)

    return rule


def b_pure(real: Any) -> Rule:
    def rule(ev: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
        return natively(ev, real, args, kwargs, f"{real.__name__}()")

    return rule


def getter(ev: Any, value: Value, items: bool) -> Callable[[Value, Value], Value]:
    return get_item if items else get_attribute  # type: ignore[return-value]

# Functions of the tensor API that read or change what belongs to the process and is part of no guard: seeds, threads,
# options, marks, files. They run natively, at every call.
PROCESS_STATE = frozenset((
    "manual_seed", "manual_seed_all", "seed", "seed_all", "initial_seed", "get_rng_state", "get_rng_state_all",
    "set_rng_state", "set_rng_state_all", "get_num_threads", "get_num_interop_threads", "set_num_threads",
    "set_num_interop_threads", "get_printoptions", "set_printoptions", "get_float32_matmul_precision",
    "set_float32_matmul_precision", "is_warn_always_enabled", "set_warn_always", "set_flush_denormal", "save", "load",
    "mark_dynamic", "maybe_mark_dynamic", "mark_static", "mark_unbacked", "mark_static_address", "reset",
    "set_stance", "memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved",
    "memory_stats", "mem_get_info", "memory_summary", "reset_peak_memory_stats", "current_device", "set_device",
    "current_stream", "set_stream", "synchronize", "empty_cache"))

# Functions of the tensor API that are about the capture itself.
API_RULES: dict[str, Rule] = {
    "is_compiling": lambda ev, args, kwargs: TRUE, "is_dynamo_compiling": lambda ev, args, kwargs: TRUE,
    "is_tensor": lambda ev, args, kwargs: Const(issubclass(ev.force(args[0]).type, Tensor)),
}

RULES: dict[Any, Rule] = {
    len: b_len, isinstance: b_isinstance, issubclass: b_issubclass, getattr: b_getattr, hasattr: b_hasattr,
    setattr: b_setattr, delattr: b_delattr, callable: b_callable, sum: b_sum, max: extreme(True), min: extreme(False),
    any: b_any, all: b_all, sorted: b_sorted, iter: b_iter, next: b_next, id: b_id, repr: b_repr, ascii: b_repr,
    format: b_format, abs: b_abs, round: b_round, pow: b_pow, divmod: b_divmod, hash: b_hash,
    chr: b_pure(chr), ord: b_pure(ord), bin: b_pure(bin), hex: b_pure(hex), oct: b_pure(oct),
    print: b_breaks("call-output", what="print()"), input: b_breaks("call-output", what="input()"),
    open: b_breaks("call-output", what="open()"), functools.reduce: f_reduce, operator.abs: b_abs, **OPERATOR_RULES,
}

for _name in ("locals", "globals", "vars", "dir", "exec", "eval", "compile", "__import__", "breakpoint"):
    RULES[getattr(builtins, _name)] = b_breaks("syntax", what=f"{_name}()")
