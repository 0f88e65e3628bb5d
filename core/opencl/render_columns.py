"""Kernels for CPU devices that reduce over an outer dimension: neighbouring rows, which are neighbours in memory, go
together as vectors. What one work-item does: some blocks of neighbouring rows; a wide block is several vectors, so that
each line of memory that is read contributes more than one.
"""

from __future__ import annotations

from typing import Any

from .c_text import LANES, Value
from .loop_ir import Axis, Reduce
from .render import Renderer, combined, is_arg, is_mask, neutral, scalar_type, vector_neutral, vector_type
from .schedule import COLUMN_BLOCK, Pass, Schedule, involved


class ColumnRenderer(Renderer):
    """Style columns, and what it shares with the other styles for CPUs."""

    def __init__(self, plan: Schedule) -> None:
        super().__init__(plan)
        self.values: dict[str, Value] = {}

    # -- shared by the styles ----------------------------------------------------------------------------------------
    def _range(self, total: str) -> None:
        self.line("const IDX first = (IDX)get_global_id(0) * per;")
        self.line(f"const IDX last = MIN(first + per, {total});")

    def _positions(self, rows: list[Axis], number: str) -> None:
        """Define the row axes' positions from the number of the row."""
        if len(rows) == 1:
            self.variables[rows[0].id] = number
            return
        for k, a in enumerate(rows):
            tail = [self.plan.names[x.id] for x in rows[k + 1:]]
            text = number if not tail else f"{number} / ({' * '.join(tail)})" if len(tail) > 1 else f"{number} / {tail[0]}"
            if k:
                text = f"{text} % {self.plan.names[a.id]}"
            self.line(f"const IDX i{k} = {text};")
            self.variables[a.id] = f"i{k}"

    @staticmethod
    def _long(size: object, limit: int) -> bool:
        return not isinstance(size, int) or size > limit

    def _better(self, r: Reduce, text: str) -> None:
        at = ""
        for a in self.plan.inner:
            place = self.variables[a.id]
            at = place if not at else f"({at}) * {self.plan.names[a.id]} + {place}"
        beats = "beats_max" if r.combine == "argmax" else "beats_min"
        self.open("")
        self.line(f"const {scalar_type(r)} candidate = {text};")
        self.open(f"if ({beats}(candidate, {r.name}))")
        self.line(f"{r.name} = candidate;")
        self.line(f"{r.name}_at = {at};")
        self.close()
        self.close()

    # -- columns -----------------------------------------------------------------------------------------------------
    def _columns(self) -> None:
        """Blocks of neighbouring rows, as many as `width` says; what does not fill a block goes by vectors, then singly."""
        plan = self.plan
        *outer, lane = plan.rows
        size, width = plan.names[lane.id], plan.width
        self.line(f"const IDX blocks = ({size} + {width - 1}) / {width};")
        rows = " * ".join(plan.names[a.id] for a in outer)
        self._range(f"{rows} * blocks" if rows else "blocks")
        self.uniform(self.values)
        self.open("for (IDX unit = first; unit < last; ++unit)")
        if outer:
            self.line("const IDX r = unit / blocks;")
            self.line(f"const IDX column = unit % blocks * {width};")
            self._positions(outer, "r")
        else:
            self.line(f"const IDX column = unit * {width};")
        self.line(f"const IDX end = MIN(column + {width}, {size});")
        self.line("IDX i = column;")
        self.variables[lane.id] = "i"
        shown, kept = self.shown, dict(self.values)
        together = not involved(plan, lane.id)               # else each row by itself
        if width > LANES and together:
            self.open(f"if (i + {width} <= end)")
            self._wide_block(lane)
            self.line("i = end;")
            self.close()
            self.shown, self.values = shown, dict(kept)
        if together and not any(is_arg(r) for p in plan.passes for r in p.reductions):
            self.open(f"for (; i + {LANES} <= end; i += {LANES})")
            self._column_body(True, lane)
            self.close()
            self.shown, self.values = shown, dict(kept)
        self.open("for (; i < end; ++i)")
        self._column_body(False, lane)
        self.close()
        self.close()

    def _wide_block(self, lane: Axis) -> None:
        """Several vectors of rows: each line of memory that the inner loops come to gives all of them an element."""
        plan = self.plan
        count = plan.width // LANES
        (p,) = [p for p in plan.passes if p.reductions]
        depth, parts = self._open_inner(p, lambda r, suffix: self.line(
            f"{vector_type(r)} {r.name}{suffix}[{count}] = {{{', '.join([vector_neutral(r)] * count)}}};"))
        self._each_vector(count)
        values = dict(self.values)
        writer = self.writer(True, lane.id, values)
        for s in [*plan.before, *p.elements]:
            self.statement(s, writer)
        for r in p.reductions:
            self.comment(r.node)
            acc = f"{r.name}_part[u]" if r in parts else f"{r.name}[u]"
            self.line(f"{acc} = {combined(r, acc, writer.spread(writer.write(r.value), 1).at(9))};")
        self.close()

        def add(r: Reduce) -> None:
            self.line("#pragma unroll")
            self.line(f"for (int u = 0; u < {count}; ++u) {r.name}[u] = {combined(r, f'{r.name}[u]', f'{r.name}_part[u]')};")

        self._close_inner(depth, parts, add)
        self._each_vector(count)
        for r in p.reductions:
            self.values[r.name] = Value(f"{r.name}[u]", 9, r.result, True, 1 if is_mask(r) else 0)
        writer = self.writer(True, lane.id, self.values)
        for s in [*plan.before, *p.after]:
            self.statement(s, writer)
        self.close()

    def _each_vector(self, count: int) -> None:
        self.line("#pragma unroll")
        self.open(f"for (int u = 0; u < {count}; ++u)")
        self.line(f"const IDX i = column + {LANES} * u;")

    def _open_inner(self, p: Pass, declare: Any) -> tuple[int, list[Reduce]]:
        """Open the loops over the inner axes, with accumulators declared: (their number, the sums that go by parts)."""
        inner = self.plan.inner
        sums = [r for r in p.reductions if r.combine == "sum" and r.dtype.category == 2]
        blocked = bool(sums) and len(inner) == 1 and self._long(inner[0].size, COLUMN_BLOCK)
        parts = sums if blocked or (sums and len(inner) > 1) else []
        for r in p.reductions:
            declare(r, "")
        depth = 0
        for k, a in enumerate(inner):
            name = self.plan.names[a.id]
            variable = "j" if len(inner) == 1 else f"j{k}"
            self.variables[a.id] = variable
            if blocked:
                self.open(f"for (IDX block = 0; block < {name}; block += {COLUMN_BLOCK})")
                for r in parts:
                    declare(r, "_part")
                self.line(f"const IDX stop = MIN(block + {COLUMN_BLOCK}, {name});")
                self.open("for (IDX j = block; j < stop; ++j)")
                depth += 2
                continue
            self.open(f"for (IDX {variable} = 0; {variable} < {name}; ++{variable})")
            depth += 1
            if k == 0 and len(inner) > 1:
                for r in parts:
                    declare(r, "_part")
        return depth, parts

    def _close_inner(self, depth: int, parts: list[Reduce], add: Any) -> None:
        """Close the loops; sums of parts are added up at the end of the outermost."""
        for k in range(depth):
            if k == depth - 1:
                for r in parts:
                    add(r)
            self.close()

    def _column_body(self, vector: bool, lane: Axis) -> None:
        writer = self.writer(vector, lane.id if vector else None, self.values)
        for s in self.plan.before:
            self.statement(s, writer)
        for p in self.plan.passes:
            if p.elements or p.reductions:
                self._column_pass(p, vector, lane)
            writer = self.writer(vector, lane.id if vector else None, self.values)
            for s in p.after:
                self.statement(s, writer)

    def _column_pass(self, p: Pass, vector: bool, lane: Axis) -> None:
        def declare(r: Reduce, suffix: str) -> None:
            kind = vector_type(r) if vector else scalar_type(r)
            self.line(f"{kind} {r.name}{suffix} = {vector_neutral(r) if vector else neutral(r)};")
            if is_arg(r):
                self.line(f"long {r.name}_at = 0;")

        depth, parts = self._open_inner(p, declare)
        writer = self.writer(vector, lane.id if vector else None, dict(self.values))
        for s in p.elements:
            self.statement(s, writer)
        for r in p.reductions:
            self.comment(r.node)
            v = writer.write(r.value)
            if is_arg(r):
                self._better(r, v.text)
                continue
            acc = f"{r.name}_part" if r in parts else r.name
            self.line(f"{acc} = {combined(r, acc, (writer.spread(v, 1) if vector else v).at(9))};")
        self._close_inner(depth, parts, lambda r: self.line(f"{r.name} = {combined(r, r.name, f'{r.name}_part')};"))
        for r in p.reductions:
            if is_arg(r):
                self.values[r.name] = Value(f"{r.name}_at", 9, r.result)
            else:
                self.values[r.name] = Value(r.name, 9, r.result, vector, 1 if vector and is_mask(r) else 0)
