"""Expressions of the loop IR as OpenCL C, for one element (scalar) or for 16 neighbouring ones (vector).

In vector code a value is either varying (a vector) or uniform (a scalar that all lanes share). A truth value is 0 or 1
in scalar code; in vector code it is a mask, -1 or 0 per lane, as wide as the numbers that were compared, because that
is what OpenCL's vector comparisons give and its vector `?:` takes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype
from .loop_ir import Apply, Argument, Before, Cast, Const, Count, Expr, Load, Position, Ref, Store

LANES = 16
MASK = {1: "char", 2: "short", 4: "int", 8: "long"}
ATOM, PRODUCT, SUM, LOW = 9, 6, 5, 0
WRAPPING = {"+": "wrap_add", "-": "wrap_sub", "*": "wrap_mul"}
OURS = frozenset(("exp_below", "normal_cdf"))          # functions that rewrites make (rewrite.py)
ROUNDINGS = frozenset(("floor", "ceil", "trunc", "round"))


def c_type(d: dtype) -> str:
    """The C type that a value of dtype `d` has inside a kernel (bool: in scalar code)."""
    return {"float16": "float", "bool": "int"}.get(d.name, d.opencl)


def memory_type(d: dtype) -> str:
    """The C type of an element in memory."""
    return d.opencl


def width(d: dtype) -> int:
    """Bytes per lane of a value inside a kernel, and so of the mask its comparison gives."""
    return 4 if d is dt.float16 else d.itemsize


@dataclass(frozen=True, slots=True)
class Value:
    """C text of a value. `mask`: bytes per lane, for a varying truth value."""

    text: str
    level: int
    dtype: dtype
    varying: bool = False
    mask: int = 0

    def at(self, level: int) -> str:
        """The text, in parentheses if it binds less tightly than `level`."""
        return self.text if self.level >= level else f"({self.text})"


def literal(value: bool | int | float, d: dtype) -> str:
    """A C literal of the type that `d` has inside a kernel."""
    if d.category == 0:
        return "1" if value else "0"
    if d.category == 2:
        if d is dt.float16:
            value = float(np.float16(value))
        with np.errstate(over="ignore"):
            x = np.float64(value) if d is dt.float64 else np.float32(value)
        if math.isnan(x):
            return "NAN"
        if math.isinf(x):
            return "INFINITY" if x > 0 else "-INFINITY"
        text = str(x)
        if "." not in text and "e" not in text:
            text += ".0"
        return text if d is dt.float64 else text + "f"
    value = int(value)
    if d is dt.int64:
        return f"(-{-(value + 1)}L - 1L)" if value == -(1 << 63) else f"{value}L"
    if d is dt.int32:
        return "(-2147483647 - 1)" if value == -(1 << 31) else str(value)
    return f"({d.opencl})({value})"


class Places(Protocol):
    """C text of positions."""

    def index(self, access: Load | Store) -> str:
        """The position of an element."""

    def lane_stride(self, access: Load | Store) -> str:
        """The step from lane to lane: "0", "1", or something."""

    def condition(self, c: Before, wanted: bool = True) -> str:
        """A condition, or its opposite, that holds for all lanes alike."""

    def position(self, p: Position) -> tuple[str, str]:
        """(position of the first lane, step from lane to lane)."""


class Writer:
    """Writes expressions. `values`: what is known by name; `places` tells positions."""

    def __init__(self, vector: bool, values: dict[str, Value], places: Places, count: str) -> None:
        self.vector = vector
        self.values = values
        self.places = places
        self.count = count
        self.far: frozenset[str] | set[str] = frozenset()        # arrays whose results go past the caches when they are large

    # -- conversion between forms ------------------------------------------------------------------------------------
    def type_of(self, v: Value) -> str:
        """The C type to declare a variable with."""
        if not v.varying:
            return c_type(v.dtype)
        return f"{MASK[v.mask] if v.dtype is dt.bool_ else c_type(v.dtype)}{LANES}"

    def spread(self, v: Value, mask: int = 0) -> Value:
        """A varying value; a truth value as a mask of `mask` bytes."""
        if v.dtype is dt.bool_:
            if not v.varying:
                return Value(f"({MASK[mask]}{LANES})(-({v.text}))", ATOM, v.dtype, True, mask)
            if v.mask != mask:
                return Value(f"convert_{MASK[mask]}{LANES}({v.text})", ATOM, v.dtype, True, mask)
            return v
        if v.varying:
            return v
        return Value(f"({c_type(v.dtype)}{LANES})({v.text})", ATOM, v.dtype, True)

    def together(self, values: list[Value]) -> list[Value]:
        """All varying if one is (masks: as wide as the widest)."""
        if not any(v.varying for v in values):
            return values
        mask = max(v.mask for v in values)
        return [self.spread(v, mask) for v in values]

    # -- expressions -------------------------------------------------------------------------------------------------
    def write(self, e: Expr) -> Value:
        if isinstance(e, Ref):
            return self.values[e.name]
        if isinstance(e, Const):
            text = literal(e.value, e.dtype)
            return Value(text, LOW if text.startswith("-") else ATOM, e.dtype)
        if isinstance(e, Argument):
            return Value(e.key, ATOM, e.dtype)
        if isinstance(e, Count):
            return Value(f"({c_type(e.dtype)})({self.count})", ATOM, e.dtype)
        if isinstance(e, Load):
            return self.load(e)
        if isinstance(e, Before):
            return Value(self.places.condition(e), LOW, dt.bool_)
        if isinstance(e, Position):
            at, step = self.places.position(e)
            if step == "0" or not self.vector:
                return Value(f"({c_type(e.dtype)})({at})", ATOM - 1, e.dtype)
            return Value(f"convert_{c_type(e.dtype)}{LANES}(positions({at}, {step}))", ATOM, e.dtype, True)
        if isinstance(e, Cast):
            return self.cast(self.write(e.arg), e.dtype)
        return self.apply(e, [self.write(a) for a in e.args])

    def load(self, e: Load) -> Value:
        at = self.places.index(e)
        step = self.places.lane_stride(e) if self.vector else "0"
        guard = " && ".join([self.places.condition(c, wanted) for c, wanted in e.guard])
        if step == "0":
            text = f"vload_half({at}, {e.array})" if e.dtype is dt.float16 else f"{e.array}[{at}]"
            return Value(f"{guard} ? {text} : 0", LOW, e.dtype) if guard else Value(text, ATOM, e.dtype)
        place = e.array if at == "0" else f"{e.array} {at if at.startswith('-') else f'+ {at}'}"
        text = f"load({place})" if step == "1" else f"load_reversed({place})" if step == "-1" else \
            f"load_strided({place}, {step})"
        if guard:
            kind = "float" if e.dtype is dt.float16 else memory_type(e.dtype)
            text = f"({guard} ? {text} : ({kind}{LANES})(0))"
        if e.dtype is dt.bool_:
            return Value(f"{text} != (uchar)0", LOW, e.dtype, True, 1)
        return Value(text, ATOM, e.dtype, True)

    def store(self, s: Store, v: Value) -> str:
        """A statement that writes `v` to memory."""
        at = self.places.index(s)
        step = self.places.lane_stride(s) if self.vector else "0"
        array, d = s.array, s.dtype
        if step == "0":
            if d is dt.float16:
                return f"vstore_half({v.text}, {at}, {array});"
            return f"{array}[{at}] = {v.text};"
        if d is dt.bool_:
            v = self.spread(v, v.mask or 1)
            text = f"convert_uchar{LANES}(-({v.text}))"
        else:
            text = self.spread(v).text
        place = array if at == "0" else f"{array} + {at}"
        if step == "1" and array in self.far:
            return f"stream({place}, {text}, {array}_far);"
        return f"store({place}, {text});" if step == "1" else f"store_strided({place}, {step}, {text});"

    def cast(self, v: Value, d: dtype) -> Value:
        source, target = c_type(v.dtype), c_type(d)
        if v.dtype is d or (v.dtype is dt.float16 and d is dt.float32):
            return Value(v.text, v.level, d, v.varying, v.mask)
        if d is dt.bool_:
            zero = literal(0, v.dtype)
            return Value(f"{v.at(SUM)} != {zero}", LOW, d, v.varying, width(v.dtype) if v.varying else 0)
        if v.dtype is dt.bool_ and v.varying:
            v = Value(f"-{v.at(ATOM)}", LOW, {1: dt.int8, 2: dt.int16, 4: dt.int32, 8: dt.int64}[v.mask], True)
            source = c_type(v.dtype)
        through = v.dtype.category == 2 and d.category == 1 and d.itemsize < 4
        if source != target or not v.varying:
            for step in (["int", target] if through else [target]):
                if v.varying:
                    v = Value(f"convert_{step}{LANES}({v.text})", ATOM, d, True)
                else:
                    v = Value(f"({step}){v.at(ATOM)}", ATOM - 1, d)
        if d is dt.float16:
            v = Value(f"round_half({v.text})", ATOM, d, v.varying)
        return Value(v.text, v.level, d, v.varying)

    def apply(self, e: Apply, args: list[Value]) -> Value:
        fn, of = e.fn, args[0].dtype
        if of is dt.bool_ and fn != "where":
            return self.logic(fn, args)
        if fn in ("logical_and", "logical_or", "logical_xor", "logical_not"):
            return self.logic(fn, [self.cast(a, dt.bool_) for a in args])
        if fn in ("<", "<=", ">", ">=", "==", "!="):
            varying = any(a.varying for a in args)
            return Value(f"{args[0].at(SUM)} {fn} {args[1].at(SUM)}", LOW, dt.bool_, varying,
                         width(of) if varying else 0)
        if fn == "where":
            return self.where(e, args)
        if of.category == 2:
            if fn in ("+", "-"):
                return self.infix(fn, args, SUM)
            if fn in ("*", "/"):
                return self.infix(fn, args, PRODUCT)
            if fn == "neg":
                return Value(f"-{args[0].at(ATOM)}", SUM, of, args[0].varying)
        else:
            if fn in WRAPPING:
                return self.function(WRAPPING[fn], args, of)
            if fn in ("&", "|", "^"):
                args = self.together(args)
                return Value(f"{args[0].at(ATOM)} {fn} {args[1].at(ATOM)}", LOW, of, args[0].varying)
            if fn == "~":
                text = f"~{args[0].at(ATOM)}"
                return Value(text if args[0].varying else f"({c_type(of)}){text}", LOW, of, args[0].varying)
            if fn == "neg":
                return self.function("wrap_neg", args, of)
            if fn in ROUNDINGS:
                return args[0]
            if fn in ("isnan", "isinf", "isfinite"):
                return Value("1" if fn == "isfinite" else "0", ATOM, dt.bool_)
            if fn == "signbit":
                return Value(f"{args[0].at(SUM)} < {literal(0, of)}", LOW, dt.bool_, args[0].varying,
                             width(of) if args[0].varying else 0)
        if fn in ("isnan", "isinf", "isfinite", "signbit"):
            v = args[0]
            return Value(f"{fn}_({v.text})", ATOM, dt.bool_, v.varying, width(of) if v.varying else 0)
        return self.function(fn if fn in OURS else f"{fn}_", args, of)

    def infix(self, sign: str, args: list[Value], level: int) -> Value:
        a, b = args
        if a.text.startswith("-") and a.level < ATOM:
            a = Value(f"({a.text})", ATOM, a.dtype, a.varying)
        return Value(f"{a.at(level)} {sign} {b.at(level + 1)}", level, a.dtype, a.varying or b.varying)

    def function(self, name: str, args: list[Value], d: dtype) -> Value:
        args = self.together(args)
        return Value(f"{name}({', '.join(a.text for a in args)})", ATOM, d, args[0].varying)

    def where(self, e: Apply, args: list[Value]) -> Value:
        condition, a, b = args
        if e.dtype is dt.bool_:
            if not any(v.varying for v in args):
                return Value(f"{condition.at(1)} ? {a.at(1)} : {b.at(1)}", LOW, e.dtype)
            condition, a, b = self.together(args)
            c = condition.at(ATOM)
            return Value(f"({c} & {a.at(ATOM)}) | (~{c} & {b.at(ATOM)})", LOW, e.dtype, True, condition.mask)
        if condition.varying:
            condition = self.spread(condition, width(e.dtype))
            a, b = self.spread(a), self.spread(b)
        elif a.varying or b.varying:
            a, b = self.spread(a), self.spread(b)
        return Value(f"{condition.at(1)} ? {a.at(1)} : {b.at(1)}", LOW, e.dtype, a.varying)

    def logic(self, fn: str, args: list[Value]) -> Value:
        """Operators on truth values."""
        args = self.together(args)
        a = args[0]
        no = "~" if a.varying else "!"

        def out(text: str) -> Value:
            return Value(text, LOW, dt.bool_, a.varying, a.mask)

        if fn in ("~", "logical_not"):
            return out(f"{no}{a.at(ATOM)}")
        if fn in ("sign", "abs", "neg", *ROUNDINGS):
            return a
        if fn in ("isnan", "isinf", "isfinite", "signbit"):
            return Value("1" if fn == "isfinite" else "0", ATOM, dt.bool_)
        x, y = a.at(ATOM), args[1].at(ATOM)
        text = {"+": f"{x} | {y}", "*": f"{x} & {y}", "&": f"{x} & {y}", "|": f"{x} | {y}", "^": f"{x} ^ {y}",
                "-": f"{x} ^ {y}", "==": f"{no}({x} ^ {y})", "!=": f"{x} ^ {y}", "<": f"{no}{x} & {y}",
                "<=": f"{no}{x} | {y}", ">": f"{x} & {no}{y}", ">=": f"{x} | {no}{y}", "pow": f"{x} | {no}{y}",
                "maximum": f"{x} | {y}", "minimum": f"{x} & {y}", "fmax": f"{x} | {y}", "fmin": f"{x} & {y}",
                "logical_and": f"{x} & {y}", "logical_or": f"{x} | {y}", "logical_xor": f"{x} ^ {y}"}.get(fn)
        if text is None:
            raise NotImplementedError(f"{fn} of truth values")
        return out(text)
