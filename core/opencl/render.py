"""Schedules as OpenCL C kernels: the parts that CPU and GPU kernels share (arguments, comments, indices)."""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from pathlib import PurePath

from ..graph.node import Node
from ..tensor import dtypes as dt
from .c_text import LANES, Value, Writer, c_type, literal, memory_type
from .loop_ir import Argument, Let, Load, Reduce, Statement, Store, walk
from .schedule import Schedule, statements

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
        return literal(float("-inf") if r.combine.endswith("max") else float("inf"), d)
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
    return f"{'maximum' if r.combine == 'max' else 'minimum'}_({a}, {b})"


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
    def index(self, array: str, strides: Iterable, lane: int | None = None) -> str:
        """C text of an element's position. Factors that follow one another are written as i * n1 + j."""
        parts = []
        for axis, stride in sorted(strides, key=lambda t: self._order(t[0])):
            step = self.plan.strides[array, axis, stride]
            place = self.variables[axis]
            if axis == lane and self.offset:
                place = f"{place}{self.offset}" if step == "1" else f"({place}{self.offset})"
            parts.append(place if step == "1" else f"{place} * {step}" if " " not in step else f"{place} * ({step})")
        return " + ".join(parts) or "0"

    def _order(self, axis: int) -> int:
        return [a.id for a in self.plan.rows + self.plan.inner].index(axis)

    def writer(self, vector: bool, lane: int | None, values: dict[str, Value]) -> Writer:
        writer = Writer(vector, values, None, None, self.plan.count_text())
        writer.far = self.far
        current: list[str] = [""]

        def index(strides):
            return self.index(current[0], strides, lane)

        def lane_stride(strides):
            for axis, stride in strides:
                if axis == lane:
                    return self.plan.strides[current[0], axis, stride]
            return "0"

        writer.index, writer.lane_stride = index, lane_stride
        load, store = writer.load, writer.store

        def load_from(e: Load) -> Value:
            current[0] = e.array
            return load(e)

        def store_to(array, strides, v, d):
            current[0] = array
            return store(array, strides, v, d)

        writer.load, writer.store = load_from, store_to          # type: ignore[method-assign]
        return writer

    def statement(self, s: Statement, writer: Writer) -> None:
        """A Let as a constant, a Store as an assignment."""
        if isinstance(s, Store):
            self.line(writer.store(s.array, s.strides, writer.values[s.value.name], s.dtype))
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


def scalars_used(plan: Schedule) -> set[str]:
    return {e.key for s in statements(plan) for e in walk(s.value) if isinstance(e, Argument)}
