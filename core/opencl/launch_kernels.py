"""The lines of a launch function that run kernels: arguments, work-items, and which launches are one.

Small kernels that follow one another are collected (`sequence`) until something must see their results or the next kernel
is not small; then one launch runs them all.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field

from ..graph.node import Graph, Node
from .fuse import Plan
from .kernels import Kernel, in_one
from .launch_text import EACH, HELD, ONCE
from .launch_values import Values
from .loop_ir import Array
from .sizes import ceil_div, product, times

LONG = "l" if struct.calcsize("l") == 8 else "q"
CODE = {"bool": "i", "uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": LONG, "float16": "f",
        "float32": "f", "float64": "d"}      # as struct and pyopencl pack a scalar argument of that dtype
CONVERT = ("bool", "int", "float")           # by category of dtype
MOST_PARTS = 12                              # kernels that one launch runs at most
SMALL = 1 << 13                              # elements of work that cost no more than a launch


@dataclass
class Part:
    """A kernel of a launch: variables with its work-items (`grid`), its units per work-item, and the work-items of the
    launch before; its first row of the table of addresses; variable and level of each array."""

    kernel: Kernel
    grid: str
    per: str
    before: str
    row: int
    arguments: list[tuple[str, int]] = field(default_factory=list)


class Launches(Values):
    """Writes the lines of launches. `launched`: their kernels."""

    def __init__(self, graph: Graph, plan: Plan, zero_copy: bool, by_address: bool, templated: set[int]) -> None:
        super().__init__(graph, plan, zero_copy, by_address, templated)
        self.work: list[str] = []                # first lines of bind: work-items of the launches
        self.launched: list[Kernel] = []
        self.sequence: list[Part] = []           # small kernels that the next launch will run
        self.parts = 0                           # kernels so far
        self.rows = 0                            # of the table of addresses
        self.kept: list[str] = []                # buffers that are set once
        self.count = ""                          # variable with the work-items of the last kernel

    def launch(self, kernel: Kernel) -> None:
        """Lines that run one kernel."""
        self.now += 1
        units = [f"-(-{self.size(n)} // {d})" if d > 1 else self.size(n) for n, d in kernel.units]
        if any(isinstance(n, int) and n == 0 for n, _ in kernel.units):
            for a in kernel.arrays:                          # nothing to compute, but the memory must exist
                if a.written and a.node is not None:
                    self.make(a.node)
            return
        for check, node, size in kernel.checks:
            array = self.array(node)
            self.finish()
            self.line(f"{self.const(check.__name__, check)}({array}, {self.size(size)})")
        small = self._is_small(kernel)
        if not small or len(self.sequence) == MOST_PARTS:
            self.enqueue()
        number, self.parts = self.parts, self.parts + 1
        g = self._number_name("g", number)
        before, per = self.count, ""
        count = " * ".join(units) or "1"
        if kernel.has_per:
            per = self._number_name("per", number)
            if any(a.node is None and a.count is None and not a.written for a in kernel.arrays) or not kernel.units:
                count = "1"                                  # it combines the partial results of the launch before
            most = 1 if small else "on.most"
            self.work.append(f"{g}, {per} = cut({count}, {self.size(product(kernel.weight))}, {kernel.grain}, {most})")
        elif kernel.style in ("chunk", "rows"):
            self.work.append(f"{g} = 1")
        elif kernel.style == "items":
            self.work.append(f"{g} = -(-({count}) // {kernel.local}) * {kernel.local}")
        else:
            self.work.append(f"{g} = {count} * {kernel.local}")
        self.count = g
        if self.by_address and not self.sequence:
            self.rows += 1                                   # the launch's number
        part = Part(kernel, g, per, before, self.rows)
        self.sequence.append(part)
        arguments = part.arguments = [self._argument(a, g) for a in kernel.arrays]
        for buffer, _ in arguments:
            if buffer in self.changing and buffer not in self.sets:
                self.sets[buffer] = []
                self.line(f"@{buffer}")
        if self.by_address:
            self._put_addresses(arguments)
            for text, level, kind in self._numbers_of(part):
                self.line(f"{self._cell(kind)} = {text}", level)
                self.rows += 1
        if not small:
            self.enqueue()

    def _is_small(self, kernel: Kernel) -> bool:
        """Whether the launch itself costs more than the kernel's work, whichever device runs it."""
        work = times(product(ceil_div(n, d) for n, d in kernel.units), product(kernel.weight))
        return self.by_address and kernel.local == 1 and isinstance(work, int) and work <= SMALL

    def enqueue(self) -> None:
        """Lines that launch the kernels of the sequence, as one if there are several."""
        sequence, self.sequence = self.sequence, []
        if not sequence:
            return
        kernel = in_one([p.kernel for p in sequence]) if len(sequence) > 1 else sequence[0].kernel
        kernel.by_address = self.by_address
        number = len(self.launched)
        self.launched.append(kernel)
        k, g = self._number_name("k", number), sequence[0].grid
        self.line(f"{k} = on.kernel({number})", ONCE)
        if self.by_address:
            row = sequence[0].row - 1
            self.line(f"at[{row}] = on.number({number})", ONCE)
            self.line(f"{k}._set_arg_buf_pack_multi((0, {LONG.upper().encode()!r}, table{f' + {8 * row}' * bool(row)}))", ONCE)
        else:
            self._set_numbers(k, sequence[0])
            self._set_buffers(k, sequence[0].arguments)
        grid = self.define(f"grid{number}", f"({g},)", ONCE) if len(sequence) == 1 else "ONE"
        local = "ONE" if kernel.local == 1 else f"({kernel.local},)"
        static = all(isinstance(n, int) for n, _ in kernel.units)
        self.line(f"{'' if static else f'if {g}: '}enqueue(queue, {k}, {grid}, {local})")
        self.pending = True

    def finish(self) -> None:
        self.enqueue()
        super().finish()

    def _put_addresses(self, arguments: list[tuple[str, int]]) -> None:
        """Lines that fill a kernel's rows of the table."""
        for row, (place, level) in enumerate(arguments, self.rows):
            if place in self.changing:
                self.sets[place].append(f"at[{row}]")
            else:
                self.line(f"at[{row}] = {place}", level)
        self.rows += len(arguments)

    def _set_buffers(self, k: str, arguments: list[tuple[str, int]]) -> None:
        """Lines that set a kernel's arguments."""
        pairs: dict[int, list[str]] = {ONCE: [], HELD: [], EACH: []}
        for i, (buffer, level) in enumerate(arguments):
            if buffer in self.changing:
                self.sets[buffer].append(f"{k}.set_arg({i}, {buffer})")
            else:
                pairs[level].append(f"{i}, {buffer}")
                if level == ONCE and buffer.isidentifier():
                    self.kept.append(buffer)
        for level in (ONCE, HELD):
            if pairs[level]:
                self.line(f"{k}._set_arg_multi(({', '.join(pairs[level])}))", level)
        if pairs[EACH]:
            put = self.define(f"{k}_set", f"{k}._set_arg_multi", ONCE)
            self.line(f"{put}(({', '.join(pairs[EACH])}))")

    def _number_name(self, kind: str, number: int) -> str:
        """A variable of a launch; values of the script never have such names."""
        name = f"{kind}{number}"
        self.names.add(name)
        self.level[name] = ONCE
        return name

    def _argument(self, a: Array, g: str) -> tuple[str, int]:
        """(variable of the buffer, its level)."""
        if a.node is not None:
            if a.written:
                self.make(a.node)
            buffer = self.buffer(a.node)
            return buffer, self.level[buffer]
        if a.written:
            size = self.size(times(a.each if a.count is None else a.count, a.dtype.itemsize))
            size = f"{g} * {size}" if a.count is None else size
            self.scratch[a.name] = self.in_between(a.name, size)
        place = self.scratch[a.name]
        place.last = self.now
        return f"{place.name}[1]", ONCE

    def _cell(self, kind: str) -> str:
        """The place of the table's next row for a number of a kind (`_numbers_of`). Integers must fit their kind: what is too
        large raises."""
        if kind in ("f", "d"):
            return f"real[{self.rows}]"
        if kind in ("idx", LONG):
            return f"at[{self.rows}]"
        view = f"at_{kind}"
        if view not in self.names:
            self.names.add(view)
            self.line(f"{view} = at.cast('B').cast({kind!r})", ONCE)
        return f"{view}[{self.rows} * {8 // struct.calcsize(kind)}]"

    def _set_numbers(self, k: str, part: Part) -> None:
        """Lines that set the numbers among a kernel's arguments."""
        packed: dict[int, list[str]] = {ONCE: [], EACH: []}
        for index, (text, level, kind) in enumerate(self._numbers_of(part), len(part.arguments)):
            packed[level].append(f"{index}, {kind if kind == 'idx' else repr(kind.encode())}, {text}")
        for level, parts in packed.items():
            if parts:
                self.line(f"{k}._set_arg_buf_pack_multi(({', '.join(parts)}))", level)

    def _numbers_of(self, part: Part) -> list[tuple[str, int, str]]:
        """(text, level, kind) of a kernel's numbers: scalars, sizes, units per work-item. Kind: a code of CODE, or "idx"."""
        found = []
        for value, d in part.kernel.scalars:
            code, convert, level = CODE[d.name], CONVERT[d.category], ONCE
            if isinstance(value, bool | int | float):
                text = repr(value) if math.isfinite(value) else self.const("number", value)
            elif hasattr(value, "python"):                   # an expression over symbols
                text, level = f"{convert}({value.python(self.symbols)})", self.level_of(value)
            else:
                level = EACH if isinstance(value, Node) else self.level_of(value)
                text = f"{convert}({self.value(value)})"
            found.append((text, level, code))
        for n in part.kernel.sizes:                          # -1: the number of partial results
            text = part.before if isinstance(n, int) and n < 0 else self.size(n)
            found.append((text, self.level_of(n), "idx"))
        return [*found, *([(part.per, ONCE, "idx")] if part.per else [])]


__all__ = ["LONG", "Launches"]
