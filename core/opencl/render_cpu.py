"""Kernels for CPU devices: few work-items, each with a contiguous piece of the work, explicit 16-lane vectors.

The remainder of a row that does not fill a vector is done element by element after the vector loop, so neither loop
has a branch inside. Sums go through partial sums of bounded length, so that the rounding error does not grow with size.
"""

from __future__ import annotations

from .c_text import LANES, Value
from .loop_ir import Apply, Axis, Reduce, Statement, Store, walk
from .lower import TRANSCENDENTAL
from .render import combined, is_arg, lanes_function, neutral, scalar_type, vector_neutral, vector_type
from .render_columns import ColumnRenderer
from .schedule import BLOCK, Pass, involved, statements
from .segments import segments
from .sizes import Size, same, times

UNROLL = 4                # independent accumulators of a cheap reduction: they hide the latency of the additions
CHEAP = 3                 # a pass of up to so many statements per element is cheap


class CpuRenderer(ColumnRenderer):
    """Styles chunk, rows, columns and split."""

    def render(self) -> str:
        extra = ["const IDX per"]
        if not self.plan.rows and not self.plan.inner:
            extra = []
            self._single()
        else:
            {"chunk": self._chunk, "rows": self._rows, "columns": self._columns, "split": self._split}[self.plan.style]()
        return "\n".join([*self.head((1, 1, 1), extra), "{", *self.lines, "}"]) + "\n"

    # -- pieces of work ----------------------------------------------------------------------------------------------

    def _single(self) -> None:
        """A 0-d value."""
        self.uniform(self.values)
        self._scalars([*self.plan.before, *(x for p in self.plan.passes for x in [*p.elements, *p.after])])

    def _scalars(self, statements: list[Statement]) -> None:
        writer = self.writer(False, None, self.values)
        for s in statements:
            self.statement(s, writer)

    def _chunk(self) -> None:
        axis = self.plan.inner[0]
        self._range(self.plan.names[axis.id])
        self._past_caches()
        self.uniform(self.values)
        self._walk_lane(axis, "i", "first", "last", self.plan.passes[0])

    def _split(self) -> None:
        """Partial results of a piece of the one row there is."""
        plan = self.plan
        self._range(plan.names[plan.inner[0].id])
        self.uniform(self.values)
        p = plan.passes[0]
        self._pass(p, "first", "last")
        for r in p.reductions:
            self.line(f"{r.name}_parts[get_global_id(0)] = {r.name};")

    def _past_caches(self) -> None:
        """For outputs that the graph does not read again, written once and without gaps: whether they are so large that
        they had better not take the place of other data in the caches, and lie so that whole vectors can be written."""
        plan = self.plan
        axes = [a.id for a in [*plan.rows, *plan.inner]]
        stores = [s for s in statements(plan) if isinstance(s, Store)]
        if involved(plan, axes[-1]):
            return                                        # pieces begin anywhere
        for s in stores:
            array = plan.loops.arrays[s.array]
            dense = [a for a, _ in s.strides] == axes and plan.strides[(s.array, *s.strides[-1])] == "1"
            if not array.last or not dense or array.dtype.name not in ("float32", "int32", "float64", "int64") \
                    or sum(x.array == s.array for x in stores) > 1 or self._row_stride(s) is None:
                continue
            self.far.add(s.array)
            total = " * ".join(f"(size_t){plan.names[a]}" if k == 0 else plan.names[a] for k, a in enumerate(axes))
            whole = f" && {plan.names[axes[-1]]} % {LANES} == 0" if len(axes) > 1 else ""
            self.line(f"const int {s.array}_far = FAR({s.array}, {total}){whole};")

    def _row_stride(self, s: Store) -> bool | None:
        """True if the output is contiguous: only then is a multiple of 16 elements a place for a whole vector."""
        step: Size = 1
        for a in reversed([*self.plan.rows, *self.plan.inner]):
            if not same(dict(s.strides)[a.id], step):
                return None
            step = times(step, a.size)
        return True

    def _rows(self) -> None:
        plan = self.plan
        if plan.rows:
            self._range(" * ".join(plan.names[a.id] for a in plan.rows))
        else:
            self.line("(void)per;")
        self._past_caches()
        self.uniform(self.values)
        if plan.rows:
            number = "i" if len(plan.rows) == 1 else "r"
            self.open(f"for (IDX {number} = first; {number} < last; ++{number})")
            self._positions(plan.rows, number)
        self._scalars(plan.before)
        end = plan.names[plan.inner[-1].id]
        for p in plan.passes:
            if p.elements or p.reductions:
                self._pass(p, "0", end)
            self._scalars(p.after)
        if plan.rows:
            self.close()

    # -- one pass over the inner axes --------------------------------------------------------------------------------
    def _pass(self, p: Pass, start: str, end: str) -> None:
        """Walk the inner axes: element statements, stores, reductions. `start`, `end`: of the last inner axis."""
        *outer, lane = self.plan.inner
        for r in p.reductions:
            self.line(f"{scalar_type(r)} {r.name} = {neutral(r)};")
            if is_arg(r):
                self.line(f"long {r.name}_at = 0;")
        self.open("")
        vector = not any(is_arg(r) for r in p.reductions)
        unroll = UNROLL if vector and p.reductions and not any(isinstance(s, Store) for s in p.elements) \
            and self._cheap(p) and self._long(lane.size, 2 * UNROLL * LANES) else 1
        sums = [r for r in p.reductions if r.combine == "sum" and r.dtype.category == 2]
        blocked = bool(sums) and not outer and self._long(lane.size, BLOCK)
        two_levels = bool(sums) and vector and (blocked or bool(outer))
        if vector:
            for r in p.reductions:
                self.line(f"{vector_type(r)} {r.name}_{'total' if two_levels else 'v'} = {vector_neutral(r)};")
        if unroll > 1 and not two_levels:
            self._declare_parts(p, unroll)
        for k, a in enumerate(outer):
            self.variables[a.id] = f"j{k}"
            self.open(f"for (IDX j{k} = 0; j{k} < {self.plan.names[a.id]}; ++j{k})")
            if k == 0 and two_levels:
                self._declare_parts(p, unroll)
        if blocked:
            self.open(f"for (IDX block = {start}; block < {end}; block += {BLOCK})")
            self.line(f"const IDX stop = MIN(block + {BLOCK}, {end});")
            start, end = "block", "stop"
            if two_levels:
                self._declare_parts(p, unroll)
        self._walk_lane(lane, "j", start, end, p, vector, unroll, "part" if two_levels or unroll > 1 else "v")
        for k in range(len(outer) + blocked):
            if k == len(outer) + blocked - 1 and two_levels:
                self._add_parts(p, unroll)
            self.close()
        if not two_levels and unroll > 1:
            self._add_parts(p, unroll)
        if vector:
            for r in p.reductions:
                name = f"{r.name}_{'total' if two_levels else 'v'}"
                self.line(f"{r.name} = {combined(r, r.name, f'{lanes_function(r)}({name})')};")
        self.close()
        for r in p.reductions:
            self.values[r.name] = Value(f"{r.name}_at" if is_arg(r) else r.name, 9, r.result)

    def _cheap(self, p: Pass) -> bool:
        return len(p.elements) <= CHEAP and not any(isinstance(e, Apply) and e.fn in TRANSCENDENTAL
                                                    for s in [*p.elements, *p.reductions] for e in walk(s.value))

    def _declare_parts(self, p: Pass, unroll: int) -> None:
        for r in p.reductions:
            if unroll > 1:
                self.line(f"{vector_type(r)} {r.name}_part[{unroll}] = {{{', '.join([vector_neutral(r)] * unroll)}}};")
            else:
                self.line(f"{vector_type(r)} {r.name}_part = {vector_neutral(r)};")

    def _add_parts(self, p: Pass, unroll: int) -> None:
        for r in p.reductions:
            text = f"{r.name}_part"
            if unroll > 1:
                pairs = [combined(r, f"{text}[{u}]", f"{text}[{u + 1}]") for u in range(0, unroll, 2)]
                text = pairs[0] if len(pairs) == 1 else combined(r, f"({pairs[0]})", f"({pairs[1]})")
            total = f"{r.name}_total" if self._has_total(r) else f"{r.name}_v"
            self.line(f"{total} = {combined(r, total, f'({text})')};")

    def _has_total(self, r: Reduce) -> bool:
        return any(f" {r.name}_total = " in x for x in self.lines)

    def _walk_lane(self, axis: Axis, name: str, start: str, end: str, p: Pass, vector: bool = True, unroll: int = 1,
                   into: str = "v") -> None:
        """The innermost loops: unrolled vectors, vectors, single elements."""
        self.variables[axis.id] = name
        self.line(f"IDX {name} = {start};")
        parts = segments(p, axis.id) if vector else None
        if parts is None:
            self._singles(axis, name, end, p)
            return
        shown = self.shown
        for k, part in enumerate(parts):
            stop = end
            if part.stop is not None:
                stop = f"stop{k}"
                self.line(f"const IDX {stop} = MIN({end}, {self.plan.limits[part.stop]});")
            if unroll > 1:
                self.open(f"for (; {name} + {unroll * LANES} <= {stop}; {name} += {unroll * LANES})")
                self.line("#pragma unroll")
                self.open(f"for (int u = 0; u < {unroll}; ++u)")
                self.offset = f" + {LANES} * u"
                self._elements(part.todo, True, axis, f"{into}[u]")
                self.offset = ""
                self.close()
                self.close()
            self.open(f"for (; {name} + {LANES} <= {stop}; {name} += {LANES})")
            self._elements(part.todo, True, axis, f"{into}[0]" if unroll > 1 else into)
            self.close()
            self.shown = (self.shown or shown)
            self._singles(axis, name, stop, part.todo)

    def _singles(self, axis: Axis, name: str, end: str, p: Pass) -> None:
        self.open(f"for (; {name} < {end}; ++{name})")
        self._elements(p, False, axis, "")
        self.close()

    def _elements(self, p: Pass, vector: bool, lane: Axis, into: str) -> None:
        """The statements of one element, or of 16."""
        writer = self.writer(vector, lane.id if vector else None, dict(self.values))
        for s in p.elements:
            self.statement(s, writer)
        for r in p.reductions:
            self.comment(r.node)
            v = writer.write(r.value)
            if is_arg(r):
                self._better(r, v.text)
            elif vector:
                acc = f"{r.name}_{into}"
                self.line(f"{acc} = {combined(r, acc, writer.spread(v, 1).at(9))};")
            else:
                self.line(f"{r.name} = {combined(r, r.name, v.at(9))};")

