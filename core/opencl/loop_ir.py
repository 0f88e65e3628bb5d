"""The loop IR: what one kernel computes, as plain data, before anything is decided about work-items or vectors.

A Loops object is a nest of axes (row axes outside, inner axes inside) with single-assignment values. A value that
depends on an inner axis is computed once per element, any other once per row. A Reduce combines its value over all
inner axes and is itself a value of the row. `print(loops)` shows the whole in a readable form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..graph.node import Node
from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype
from .sizes import Size


# -- expressions -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Const:
    """A number known when the kernel is written."""

    value: bool | int | float
    dtype: dtype


@dataclass(frozen=True, slots=True)
class Argument:
    """A number known at launch (from a symbolic scalar); `key` names it among the kernel's scalars."""

    key: str
    dtype: dtype


@dataclass(frozen=True, slots=True)
class Count:
    """How many elements a reduction of this kernel combines: the product of the inner axes' sizes."""

    dtype: dtype


@dataclass(frozen=True, slots=True)
class Load:
    """An element of array `array`; `strides` holds (axis, stride in elements) for each axis it moves along."""

    array: str
    strides: tuple[tuple[int, Size], ...]
    dtype: dtype


@dataclass(frozen=True, slots=True)
class Ref:
    """The value of the statement called `name`."""

    name: str
    dtype: dtype


@dataclass(frozen=True, slots=True)
class Cast:
    """Conversion to `dtype`. To float16 means rounding to what float16 can hold; the value stays a float32."""

    arg: Expr
    dtype: dtype


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator ("+", "<", "where", "exp", ...: the grammar of ops/evaluate_expr.py) over operands of one dtype."""

    fn: str
    args: tuple[Expr, ...]
    dtype: dtype


Expr = Const | Argument | Count | Load | Ref | Cast | Apply


def children(e: Expr) -> tuple[Expr, ...]:
    if isinstance(e, Apply):
        return e.args
    return (e.arg,) if isinstance(e, Cast) else ()


def walk(e: Expr) -> Iterator[Expr]:
    yield e
    for c in children(e):
        yield from walk(c)


# -- statements ------------------------------------------------------------------------------------------------------
@dataclass(slots=True)
class Let:
    """`name = value`, once per element or once per row as its axes tell."""

    name: str
    value: Expr
    dtype: dtype
    node: Node | None


@dataclass(slots=True)
class Reduce:
    """`name` = `combine` of `value` over the inner axes. dtype: of the accumulator (argmax, argmin: of the values that
    are compared; the result is an int64 position, counted over the inner axes in row-major order)."""

    name: str
    combine: str
    value: Expr
    dtype: dtype
    node: Node | None

    @property
    def result(self) -> dt.dtype:
        return dt.int64 if self.combine in ("argmax", "argmin") else self.dtype


@dataclass(slots=True)
class Store:
    """Write `value` to `array`."""

    array: str
    strides: tuple[tuple[int, Size], ...]
    value: Ref
    dtype: dtype
    node: Node | None


Statement = Let | Reduce | Store


# -- the nest --------------------------------------------------------------------------------------------------------
@dataclass(slots=True)
class Axis:
    """One loop. `size` is a static int or a symbolic expression; kernels get either as an argument."""

    id: int
    size: Size


@dataclass(slots=True)
class Array:
    """A kernel argument: the memory of `node`'s value, or (node None) scratch memory of the backend: `count` elements,
    or (count None) one element per work-item of the launch that writes it. `last`: nothing in the graph reads it again."""

    name: str
    dtype: dtype
    written: bool
    node: Node | None
    count: Size | None = None
    last: bool = False


@dataclass(slots=True)
class Loops:
    """One kernel. `statements` are in an order in which they can be computed; `scalars` maps the key of an Argument to
    the number or symbolic expression it stands for."""

    name: str
    rows: list[Axis]
    inner: list[Axis]
    arrays: dict[str, Array]
    statements: list[Statement]
    scalars: dict[str, tuple[Any, dtype]]
    nodes: list[Node] = field(default_factory=list)

    def __str__(self) -> str:
        head = f"{self.name}: rows ({', '.join(f'i{a.id} < {a.size}' for a in self.rows)})" \
               f" inner ({', '.join(f'i{a.id} < {a.size}' for a in self.inner)})"
        return "\n".join([head, *(f"    {statement_text(s)}" for s in self.statements)])


def expr_text(e: Expr) -> str:
    if isinstance(e, Const):
        return repr(e.value)
    if isinstance(e, Argument):
        return e.key
    if isinstance(e, Count):
        return "count"
    if isinstance(e, Load):
        return f"{e.array}[{' + '.join(f'i{a}*({s})' for a, s in e.strides) or '0'}]"
    if isinstance(e, Ref):
        return e.name
    if isinstance(e, Cast):
        return f"{e.dtype.name}({expr_text(e.arg)})"
    return f"{e.fn}({', '.join(map(expr_text, e.args))})"


def statement_text(s: Statement) -> str:
    if isinstance(s, Let):
        return f"{s.name}: {s.dtype.name} = {expr_text(s.value)}"
    if isinstance(s, Reduce):
        return f"{s.name}: {s.dtype.name} = {s.combine} over inner of {expr_text(s.value)}"
    return f"{s.array}[{' + '.join(f'i{a}*({n})' for a, n in s.strides) or '0'}] = {s.value.name}"
