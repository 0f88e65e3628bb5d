"""The loop IR: what one kernel computes, as plain data, before anything is decided about work-items or vectors.

A Loops object is a nest of axes (row axes outside, inner axes inside) with single-assignment values. A value that
depends on an inner axis is computed once per element, any other once per row. A Reduce combines its value over all
inner axes and is itself a value of the row. `print(loops)` shows the whole in a readable form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..graph.node import Node
from ..symbolic.expr import ZERO
from ..symbolic.expr import Expr as Place
from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype
from . import places
from .places import linear, number
from .sizes import Size, plus

PRODUCT = "product"                   # the value that the loops of a tail start from (tails.py)


# -- expressions -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Const:
    """A number known when the kernel is written."""

    value: bool | int | float
    dtype: dtype


@dataclass(frozen=True, slots=True)
class Argument:
    """A number known at launch (a symbolic scalar, or a number of given.py); `key` names it among the kernel's scalars."""

    key: str
    dtype: dtype


@dataclass(frozen=True, slots=True)
class Count:
    """How many elements a reduction of this kernel combines: the product of the inner axes' sizes."""

    dtype: dtype


@dataclass(frozen=True, slots=True)
class Before:
    """Whether the position along `axis` is below `limit`; with axis None, whether `place` is below 0."""

    axis: int | None
    limit: Size
    place: Place = ZERO

    @property
    def dtype(self) -> dtype:
        return dt.bool_

    def axes(self) -> list[int]:
        return places.axes_in(self.place) if self.axis is None else [self.axis]


@dataclass(frozen=True, slots=True)
class Load:
    """An element of array `array`; `strides` holds (axis, stride in elements) for each axis it moves along. `offset`: of
    the element where all axes are at 0; `extra`: the part of the position that is no multiple of axes. Nothing may be
    read, and the value is 0, unless the conditions in `guard` have the values given there."""

    array: str
    strides: tuple[tuple[int, Size], ...]
    dtype: dtype
    offset: Size = 0
    extra: Place = ZERO
    guard: tuple[tuple[Before, bool], ...] = ()

    def axes(self) -> set[int]:
        """The axes that the position depends on."""
        return {a for a, _ in self.strides} | set(places.axes_in(self.extra))

    def place(self) -> Place:
        """The whole position."""
        found = places.symbolic.add(self.extra, number(self.offset))
        for a, s in self.strides:
            found = places.symbolic.add(found, places.symbolic.mul(places.axis(a), number(s)))
        return found


@dataclass(frozen=True, slots=True)
class Position:
    """A place as a number."""

    place: Place
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


Expr = Const | Argument | Count | Load | Before | Position | Ref | Cast | Apply


def load(array: str, place: Place, d: dtype, guard: tuple[tuple[Before, bool], ...] = ()) -> Load:
    """The element at a position."""
    along, offset, extra = linear(place)
    return Load(array, tuple(along.items()), d, offset, extra, guard)


def before(place: Place, limit: Size) -> tuple[Before, bool]:
    """The condition place < limit: (a condition, the value it has then)."""
    along, offset, extra = linear(place)
    if extra is ZERO and len(along) == 1:
        (a, step), = along.items()
        if isinstance(step, int) and step == 1:
            return Before(a, plus(limit, negative(offset))), True
        if isinstance(step, int) and step == -1:
            return Before(a, plus(plus(offset, negative(limit)), 1)), False
    return Before(None, 0, places.symbolic.sub(place, number(limit))), True


def negative(n: Size) -> Size:
    return -n if isinstance(n, int) else places.plain(places.symbolic.neg(n))


def children(e: Expr) -> tuple[Expr, ...]:
    if isinstance(e, Apply):
        return e.args
    return (e.arg,) if isinstance(e, Cast) else ()


def walk(e: Expr) -> Iterator[Expr]:
    yield e
    for c in children(e):
        yield from walk(c)


def changed(e: Expr, leaf: Callable[[Expr], Expr]) -> Expr:
    """The expression with `leaf` of every part that has no parts of its own."""
    if isinstance(e, Cast):
        return Cast(changed(e.arg, leaf), e.dtype)
    if isinstance(e, Apply):
        return Apply(e.fn, tuple([changed(a, leaf) for a in e.args]), e.dtype)
    return leaf(e)


def axes_of(e: Expr) -> set[int]:
    """The axes that the parts of an expression (not the values it refers to) depend on."""
    found: set[int] = set()
    for x in walk(e):
        if isinstance(x, Load):
            found |= x.axes().union(*[c.axes() for c, _ in x.guard])
        elif isinstance(x, Before):
            found |= set(x.axes())
        elif isinstance(x, Position):
            found |= set(places.axes_in(x.place))
    return found


def conditions(e: Expr) -> Iterator[Before]:
    """Every condition on positions in an expression."""
    for x in walk(e):
        if isinstance(x, Before):
            yield x
        elif isinstance(x, Load):
            for c, _ in x.guard:
                yield c


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
    or (count None) `each` elements per work-item of the launch that writes it. `last`: nothing in the graph reads it again."""

    name: str
    dtype: dtype
    written: bool
    node: Node | None
    count: Size | None = None
    last: bool = False
    each: Size = 1


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
        at = [f"i{a}*({s})" for a, s in e.strides] + [f"({x})" for x in (e.offset, e.extra) if str(x) != "0"]
        guard = " and ".join(("" if wanted else "not ") + expr_text(c) for c, wanted in e.guard)
        return f"{e.array}[{' + '.join(at) or '0'}]" + (f" if {guard}" if guard else "")
    if isinstance(e, Before):
        return f"i{e.axis} < {e.limit}" if e.axis is not None else f"{e.place} < 0"
    if isinstance(e, Position):
        return f"({e.place})"
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
