"""Schedules as OpenCL C kernels: the parts that CPU and GPU kernels share (arguments, comments, indices)."""

from __future__ import annotations

import linecache
from pathlib import PurePath

from ..graph.node import Node
from ..symbolic.expr import ZERO
from ..symbolic.expr import Expr as Place
from ..tensor import dtypes as dt
from .c_text import LANES, Value, Writer, c_type, literal, memory_type
from .loop_ir import Argument, Before, Let, Load, Position, Reduce, Statement, Store, walk
from .places import axes_in, axis, linear, number
from .places import text as place_text
from .schedule import Schedule, statements
from .sizes import is_zero

FUNCTIONS = {"max": "maximum", "min": "minimum", "greatest": "greatest"}
COMBINE = {"sum": ("+", "wrap_add"), "prod": ("*", "wrap_mul")}


def neutral(r: Reduce) -> str:
    """C literal of the value that changes nothing when combined."""
    d = r.dtype
    if r.combine in ("any", "all"):
        return "0" if r.combine == "any" else "1"
    if r.combine in ("sum", "prod"):
        return literal(0 if r.combine == "sum" else 1, d)
    if d is dt.bool_:
        return "0" if r.combine.endswith("max") else "1"
    if d.category == 2:
        return literal(float("-inf") if r.combine.endswith("max") or r.combine == "greatest" else float("inf"), d)
    bits = 8 * d.itemsize
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if d.is_signed else (0, (1 << bits) - 1)
    return literal(low if r.combine.endswith("max") else high, d)


def combined(r: Reduce, a: str, b: str) -> str:
    """C text that combines two partial values (scalar or vector alike)."""
    if r.combine == "any" or (r.dtype is dt.bool_ and r.combine == "max"):
        return f"{a} | {b}"
    if r.combine == "all" or (r.dtype is dt.bool_ and r.combine == "min"):
        return f"{a} & {b}"
    if r.combine in COMBINE:
        sign, wrapping = COMBINE[r.combine]
        return f"{a} {sign} {b}" if r.dtype.category == 2 else f"{wrapping}({a}, {b})"
    return f"{FUNCTIONS[r.combine]}_({a}, {b})"


def is_arg(r: Reduce) -> bool:
    return r.combine in ("argmax", "argmin")


def is_mask(r: Reduce) -> bool:
    """The accumulator is a truth value."""
    return r.dtype is dt.bool_


def lanes_function(r: Reduce) -> str:
    """The prelude's function that combines the lanes of an accumulator."""
    if is_mask(r):
        return "any_lanes" if r.combine in ("any", "max") else "all_lanes"
    return f"{r.combine}_lanes"


def scalar_type(r: Reduce) -> str:
    return c_type(r.dtype)


def vector_type(r: Reduce) -> str:
    return f"{'char' if is_mask(r) else c_type(r.dtype)}{LANES}"


def vector_neutral(r: Reduce) -> str:
    text = neutral(r)
    return f"({vector_type(r)})({f'-{text}' if is_mask(r) else text})"


class Renderer:
    """Text of one kernel. Subclasses write the body."""

    def __init__(self, plan: Schedule) -> None:
        self.plan = plan
        self.lines: list[str] = []
        self.depth = 1
        self.variables: dict[int, str] = {}               # axis id -> C text of its position
        self.shown: tuple[str, int] | None = None
        self.far: set[str] = set()                        # outputs that go past the caches when they are large
        self.offset = ""                                  # added to the lane axis ("+ 16 * u")

    # -- text --------------------------------------------------------------------------------------------------------
    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text if text else "")

    def open(self, head: str) -> None:
        self.line(head + (" {" if head else "{"))
        self.depth += 1

    def close(self) -> None:
        self.depth -= 1
        self.line("}")

    def comment(self, node: Node | None) -> None:
        """The script's line that a statement comes from, once per run of statements from the same line."""
        if node is None or node.span is None:
            return
        place = (node.span.file, node.span.line)
        if place == self.shown:
            return
        self.shown = place
        source = linecache.getline(*place).strip()
        where = f"{PurePath(place[0]).name}:{place[1]}"
        self.line(f"// {where}  {source}".rstrip().replace("\\", "/"))

    # -- positions ---------------------------------------------------------------------------------------------------
    def _order(self, axis: int) -> int:
        return [a.id for a in self.plan.rows + self.plan.inner].index(axis)

    def writer(self, vector: bool, lane: int | None, values: dict[str, Value]) -> Writer:
        """A writer of expressions for one element, or for neighbours along the axis `lane`."""
        writer = Writer(vector, values, RenderedPlaces(self, lane), self.plan.count_text())
        writer.far = self.far
        return writer

    def statement(self, s: Statement, writer: Writer) -> None:
        """A Let as a constant, a Store as an assignment."""
        if isinstance(s, Store):
            self.line(writer.store(s, writer.values[s.value.name]))
            return
        assert isinstance(s, Let)
        self.comment(s.node)
        v = writer.write(s.value)
        if v.dtype is not s.dtype:
            v = writer.cast(v, s.dtype)
        self.line(f"const {writer.type_of(v)} {s.name} = {v.text};")
        writer.values[s.name] = Value(s.name, 9, s.dtype, v.varying, v.mask)

    # -- head --------------------------------------------------------------------------------------------------------
    def head(self, local: tuple[int, ...], extra: list[str]) -> list[str]:
        """The kernel's signature. Order: arrays, scalars, sizes, strides, then `extra`."""
        loops = self.plan.loops
        arguments = []
        for a in loops.arrays.values():
            kind = memory_type(a.dtype)
            arguments.append(f"__global {kind} *restrict {a.name}" if a.written else
                             f"__global const {kind} *restrict {a.name}")
        arguments += [f"const {c_type(d)} {key}" for key, (_, d) in loops.scalars.items()]
        arguments += [f"const IDX {n}" for n in self.plan.size_arguments()]
        arguments += extra
        lines = [f"__attribute__((reqd_work_group_size({', '.join(map(str, local))})))"]
        start = f"__kernel void {loops.name}("
        row = start
        for k, text in enumerate(arguments):
            piece = text + ("," if k + 1 < len(arguments) else ")")
            if len(row) + len(piece) > 118 and row.strip():
                lines.append(row.rstrip())
                row = " " * len(start)
            row += piece + " "
        if not arguments:
            row += ")"
        lines.append(row.rstrip())
        return lines

    def uniform(self, values: dict[str, Value]) -> None:
        writer = self.writer(False, None, values)
        for s in self.plan.uniform:
            self.statement(s, writer)


class RenderedPlaces:
    """Positions, where the renderer is: with the loops that are open and the vector axis `lane`."""

    def __init__(self, renderer: Renderer, lane: int | None) -> None:
        self.renderer, self.plan, self.lane = renderer, renderer.plan, lane

    def variable(self, axis: int) -> str:
        place = self.renderer.variables[axis]
        return f"{place}{self.renderer.offset}" if axis == self.lane else place

    def index(self, access: Load | Store) -> str:
        """Factors that follow one another are written as i * n1 + j."""
        parts = []
        for a, stride in sorted(access.strides, key=lambda t: self.renderer._order(t[0])):
            step = self.plan.strides[access.array, a, stride]
            place = self.variable(a)
            if step == "1":
                parts.append(place)
                continue
            place = f"({place})" if " " in place else place
            if step == "-1":
                parts.append(f"-{place}")
                continue
            parts.append(f"{place} * {step}" if " " not in step else f"{place} * ({step})")
        if isinstance(access, Load):
            if access.extra is not ZERO:
                parts.append(f"({self.text(access.extra)})")
            if not is_zero(access.offset):
                parts.append(self.plan.offsets[access.array, access.offset])
        return " + ".join(parts).replace("+ -", "- ") or "0"

    def lane_stride(self, access: Load | Store) -> str:
        return next((self.plan.strides[access.array, a, stride] for a, stride in access.strides if a == self.lane), "0")

    def condition(self, c: Before, wanted: bool = True) -> str:
        sign = "<" if wanted else ">="
        if c.axis is not None:
            return f"{self.variable(c.axis)} {sign} {self.plan.limits[c.limit]}"
        return f"{self.text(c.place)} {sign} 0"

    def position(self, p: Position) -> tuple[str, str]:
        along = linear(p.place)[0]
        step = along.get(self.lane, 0) if self.lane is not None else 0
        return self.text(p.place), self.text(number(step))

    def text(self, e: Place) -> str:
        names = {axis(a): self.variable(a) for a in axes_in(e)}
        return place_text(e, {**self.plan.symbols, **{k: f"({v})" if " " in v else v for k, v in names.items()}})


def scalars_used(plan: Schedule) -> set[str]:
    return {e.key for s in statements(plan) for e in walk(s.value) if isinstance(e, Argument)}
