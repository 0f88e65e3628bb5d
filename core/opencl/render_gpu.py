"""Kernels for GPUs: one element (or one row) per work-item with neighbouring items on neighbouring elements, or one row
per work-group whose items each take every 64th (or as many as the group has) element and combine their results in local memory.

They run on any device, so they are tested on CPU devices too.
"""

from __future__ import annotations

from .c_text import Value
from .loop_ir import Axis, Reduce, Store
from .render import Renderer, combined, is_arg, neutral, scalar_type
from .schedule import Limits, Pass, Schedule
from .sizes import product

SMALLEST = 32             # work-items that a GPU runs in step at least


class GpuRenderer(Renderer):
    """Styles items and groups."""

    def __init__(self, plan: Schedule, limits: Limits) -> None:
        super().__init__(plan)
        self.values: dict[str, Value] = {}
        reductions = [r for p in plan.passes for r in p.reductions] if plan.style == "groups" else []
        self.size = limits.size(sum(r.dtype.itemsize + (8 if is_arg(r) else 0) for r in reductions))
        row = product(a.size for a in plan.inner)
        while reductions and isinstance(row, int) and self.size > max(row, SMALLEST):
            self.size //= 2                               # a short row has no work for more

    def render(self) -> str:
        if self.plan.style == "groups":
            self._groups()
        else:
            self._items()
        return "\n".join([*self.head((self.size, 1, 1), []), "{", *self.lines, "}"]) + "\n"

    def _positions(self, axes: list[Axis], number: str) -> None:
        names = [self.plan.names[a.id] for a in axes]
        if len(axes) == 1:
            self.variables[axes[0].id] = number
            return
        for k, a in enumerate(axes):
            tail = names[k + 1:]
            text = f"{number} / ({' * '.join(tail)})" if tail else number
            self.line(f"const IDX i{k} = {text}{f' % {names[k]}' if k else ''};")
            self.variables[a.id] = f"i{k}"

    def _scalars(self, statements: list) -> None:
        writer = self.writer(False, None, self.values)
        for s in statements:
            self.statement(s, writer)

    # -- one element or row per work-item ----------------------------------------------------------------------------
    def _items(self) -> None:
        plan = self.plan
        axes = plan.rows if plan.reduces else plan.rows + plan.inner
        total = " * ".join(plan.names[a.id] for a in axes) or "1"
        self.line("const IDX i = get_global_id(0);")
        self.open(f"if (i < {total})")
        self.uniform(self.values)
        self._positions(axes, "i")
        self._scalars(plan.before)
        for p in plan.passes:
            if plan.reduces and (p.elements or p.reductions):
                self._declare(p)
                for k, a in enumerate(plan.inner):
                    self.variables[a.id] = f"j{k}"
                    self.open(f"for (IDX j{k} = 0; j{k} < {plan.names[a.id]}; ++j{k})")
                self._elements(p)
                for _ in plan.inner:
                    self.close()
                self._known(p)
            else:
                self._scalars(p.elements)
            self._scalars(p.after)
        self.close()

    # -- one row per work-group --------------------------------------------------------------------------------------
    def _groups(self) -> None:
        plan = self.plan
        reductions = [r for p in plan.passes for r in p.reductions]
        for r in reductions:
            self.line(f"__local {scalar_type(r)} {r.name}_local[{self.size}];")
            if is_arg(r):
                self.line(f"__local long {r.name}_where[{self.size}];")
        self.line("const IDX i = get_group_id(0);")
        self.line("const IDX item = get_local_id(0);")
        self.uniform(self.values)
        if plan.rows:
            self._positions(plan.rows, "i")
        self._rows_only(plan.before)
        total = plan.count_text()
        for p in plan.passes:
            if p.elements or p.reductions:
                self._declare(p)
                self.open(f"for (IDX j = item; j < {total}; j += {self.size})")
                self._inner_positions()
                self._elements(p)
                self.close()
                for r in p.reductions:
                    self._combine_locally(r)
                self._known(p)
            self._rows_only(p.after)

    def _inner_positions(self) -> None:
        inner = self.plan.inner
        if len(inner) == 1:
            self.variables[inner[0].id] = "j"
            return
        names = [self.plan.names[a.id] for a in inner]
        for k, a in enumerate(inner):
            tail = names[k + 1:]
            text = f"j / ({' * '.join(tail)})" if tail else "j"
            self.line(f"const IDX j{k} = {text}{f' % {names[k]}' if k else ''};")
            self.variables[a.id] = f"j{k}"

    def _rows_only(self, statements: list) -> None:
        """Values of the row are computed by every item; only the first one stores them."""
        writer = self.writer(False, None, self.values)
        for s in statements:
            if isinstance(s, Store):
                self.open("if (item == 0)")
                self.statement(s, writer)
                self.close()
            else:
                self.statement(s, writer)

    def _combine_locally(self, r: Reduce) -> None:
        self.line(f"{r.name}_local[item] = {r.name};")
        if is_arg(r):
            self.line(f"{r.name}_where[item] = {r.name}_at;")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        self.open(f"for (int half_ = {self.size // 2}; half_ > 0; half_ >>= 1)")
        self.open("if (item < half_)")
        mine, other = f"{r.name}_local[item]", f"{r.name}_local[item + half_]"
        if is_arg(r):
            beats = "beats_max" if r.combine == "argmax" else "beats_min"
            at, there = f"{r.name}_where[item]", f"{r.name}_where[item + half_]"
            self.open(f"if ({beats}({other}, {mine}) || (!{beats}({mine}, {other}) && {there} < {at}))")
            self.line(f"{mine} = {other};")
            self.line(f"{at} = {there};")
            self.close()
        else:
            self.line(f"{mine} = {combined(r, mine, other)};")
        self.close()
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        self.close()
        self.line(f"{r.name} = {r.name}_local[0];")
        if is_arg(r):
            self.line(f"{r.name}_at = {r.name}_where[0];")
        # The pass that follows may reuse the local memory only when all items have read the result.
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")

    # -- shared ------------------------------------------------------------------------------------------------------
    def _declare(self, p: Pass) -> None:
        for r in p.reductions:
            self.line(f"{scalar_type(r)} {r.name} = {neutral(r)};")
            if is_arg(r):
                self.line(f"long {r.name}_at = {self._last_position()};")

    def _last_position(self) -> str:
        """The position an item that has seen nothing claims: behind all others, so that ties go to the first."""
        return "0x7fffffffffffffffL" if self.plan.style == "groups" else "0"

    def _elements(self, p: Pass) -> None:
        writer = self.writer(False, None, dict(self.values))
        for s in p.elements:
            self.statement(s, writer)
        for r in p.reductions:
            self.comment(r.node)
            v = writer.write(r.value)
            if not is_arg(r):
                self.line(f"{r.name} = {combined(r, r.name, v.at(9))};")
                continue
            at = ""
            for a in self.plan.inner:
                place = self.variables[a.id]
                at = place if not at else f"({at}) * {self.plan.names[a.id]} + {place}"
            beats = "beats_max" if r.combine == "argmax" else "beats_min"
            self.open("")
            self.line(f"const {scalar_type(r)} candidate = {v.text};")
            unseen = f" || {r.name}_at == {self._last_position()}" if self.plan.style == "groups" else ""
            self.open(f"if ({beats}(candidate, {r.name}){unseen})")
            self.line(f"{r.name} = candidate;")
            self.line(f"{r.name}_at = {at};")
            self.close()
            self.close()

    def _known(self, p: Pass) -> None:
        for r in p.reductions:
            self.values[r.name] = Value(f"{r.name}_at" if is_arg(r) else r.name, 9, r.result)



