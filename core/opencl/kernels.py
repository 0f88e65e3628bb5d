"""Groups -> kernels: text, arguments and amount of work of each launch. Knows both schedules; builds nothing."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field, replace
from typing import Any

from ..graph.node import Node
from ..tensor.dtypes import dtype
from .build_loops import build_loops
from .c_text import c_type
from .fuse import Group, Plan
from .loop_ir import Array, Loops, Store
from .prelude import prelude
from .render_cpu import CpuRenderer
from .render_gpu import GpuRenderer
from .schedule import LANES, Limits, Schedule, schedule, split_in_two
from .sizes import Size, product


@dataclass(slots=True)
class Kernel:
    """One launch. Arguments in order: arrays, scalars, sizes, and for CPU styles the units per work-item ("per").
    `units`: how many pieces of work there are; `grain`: "per" is a multiple of it; `weight`: elements per unit."""

    name: str
    text: str
    style: str
    arrays: list[Array]
    scalars: list[tuple[Any, dtype]]
    sizes: list[Size]
    units: list[tuple[Size, int]]              # product over (size, divided by, rounding up)
    grain: int
    weight: list[Size]
    local: int
    has_per: bool
    nodes: list[Node]
    partials: list[Array] = field(default_factory=list)    # scratch: one element per work-item of this launch
    loops: str = ""
    names: frozenset[str] = frozenset()        # of values and arguments, chosen after the script
    checks: list[tuple[Any, Node, Size]] = field(default_factory=list)   # fn(array, size) raises before the launch
    by_address: bool = False                   # a function that a kernel calls with what is in a table (`by_address_text`)
    parts: list[Kernel] = field(default_factory=list)      # kernels that this one runs one after the other

    def work_text(self) -> str:
        if self.parts:
            return f"{', '.join(p.name for p in self.parts)}, one after the other in one launch"
        units = " * ".join(f"({n} / {d})" if d > 1 else f"{n}" for n, d in self.units) or "1"
        if self.style == "groups":
            return f"{units} work-groups of {self.local}"
        if self.style == "items":
            return f"{units} work-items in groups of {self.local}"
        if self.style == "tiles":
            return f"{units} tiles, cut into contiguous pieces"
        what = {"chunk": "elements", "split": "elements", "rows": "rows", "columns": "blocks of neighbouring rows"}[self.style]
        return f"{units} {what}, cut into contiguous pieces"


def kernels_of(plan: Plan, group: Group, gpu: Limits | None, name: str) -> list[Kernel]:
    """The kernel, or the two kernels, that compute a group. `gpu`: asks for the GPU schedule, within these limits."""
    loops = build_loops(plan, group, name)
    if group.split and gpu is None and any(a.node is None or a.written for a in loops.arrays.values()) and loops.inner:
        first, second = split_in_two(loops)
        return [_kernel(first, None, True), _kernel(second, None, False)]
    return [_kernel(loops, gpu, False)]


def _kernel(loops: Loops, gpu: Limits | None, split: bool) -> Kernel:
    shown = str(loops)
    plan = schedule(loops, gpu is not None, split)
    renderer: CpuRenderer | GpuRenderer = CpuRenderer(plan) if gpu is None else GpuRenderer(plan, gpu)
    text = renderer.render()
    scratch = [a for a in loops.arrays.values() if a.node is None and a.written]
    empty = not plan.rows and not plan.inner
    units, grain, weight = _work(plan, empty)
    local = renderer.size if isinstance(renderer, GpuRenderer) else 1
    return Kernel(loops.name, text, plan.style, list(loops.arrays.values()), list(loops.scalars.values()),
                  list(plan.size_arguments().values()), units, grain, weight, local,
                  gpu is None and not empty, list(loops.nodes), scratch, shown, _own_names(loops))


def _work(plan: Schedule, empty: bool) -> tuple[list[tuple[Size, int]], int, list[Size]]:
    """(units, grain, elements per unit)."""
    inner = [a.size for a in plan.inner]
    if empty:
        return [], 1, []
    if plan.style in ("chunk", "split"):
        return [(inner[-1], 1)], LANES, []
    if plan.style == "columns":
        return [(a.size, 1) for a in plan.rows[:-1]] + [(plan.rows[-1].size, plan.width)], 1, [plan.width, *inner]
    if plan.style == "items":
        axes = plan.rows if plan.reduces else plan.rows + plan.inner
        return [(a.size, 1) for a in axes], 1, []
    return [(a.size, 1) for a in plan.rows], 1, inner


def _own_names(loops: Loops) -> frozenset[str]:
    """Names that come from the script's values; the text also has them with a suffix."""
    found = {loops.name, *loops.arrays, *loops.scalars}
    return frozenset(found | {s.name for s in loops.statements if not isinstance(s, Store)})


BY_ADDRESS = "_by_address"       # what the name of a kernel ends in that takes a table of addresses
APART = "__attribute__((noinline))"
ITEM = "item_"                   # the argument with the work-item's number of a kernel that is a function
TOGETHER = 6                     # kernels that are one for the driver: PoCL takes 60 to 90 ms for each, whatever it holds


def canonical(kernel: Kernel) -> str:
    """The kernel's text without comments and with its own names numbered: equal for kernels that compute the same."""
    numbers: dict[str, str] = {}
    others: set[str] = set()                              # words that are not the kernel's own

    def number(m: re.Match) -> str:
        word = m[0]
        if word in numbers or word in others:
            return numbers.get(word, word)
        own = word if word in kernel.names else next((word[:-len(x)] for x in SUFFIXES if word.endswith(x)
                                                      and word[:-len(x)] in kernel.names), "")
        stride = re.fullmatch(r"(\w+?)_(?:s\d+|from)(_\d+)?", word) if not own else None
        if not own and not (stride and stride[1] in kernel.names):
            others.add(word)
            return word
        return numbers.setdefault(word, f"${len(numbers)}")

    if not kernel.names:                                  # a template: only the kernel's own name is in it
        return " ".join(re.sub(rf"\b{kernel.name}\b", "$0", kernel.text).split())
    return " ".join(re.sub(r"[A-Za-z_]\w*", number, re.sub(r"//[^\n]*", "", kernel.text)).split())


SUFFIXES = ("_far", "_inverse", "_v", "_part", "_parts", "_total", "_at", "_local", "_where", "_out", "_tail")


def same_kernels(kernels: list[Kernel]) -> tuple[list[Kernel], list[str]]:
    """(kernels that differ in more than names, per kernel the name of the one that stands for it). A model of equal layers
    needs the kernels of one layer."""
    first: dict[str, Kernel] = {}
    names = [first.setdefault(canonical(k), k).name for k in kernels]
    return list(first.values()), names


def program_text(kernels: list[Kernel]) -> str:
    """One program for all kernels of an artifact."""
    together = [by_address_text(group) for group in _groups(kernels)]
    return _program_text((*(as_function(k.text) if k.by_address else k.text for k in kernels), *together))


def entries(kernels: list[Kernel]) -> dict[str, tuple[str, int]]:
    """Where each kernel of a program is: the name of the driver's kernel, and its number there (`by_address_text`)."""
    found = {k.name: (k.name, 0) for k in kernels}
    for group in _groups(kernels):
        found.update({k.name: (group[0].name + BY_ADDRESS, number) for number, k in enumerate(group)})
    return found


def _groups(kernels: list[Kernel]) -> list[list[Kernel]]:
    """Kernels that get addresses, as they are one for the driver."""
    those = [k for k in kernels if k.by_address]
    return [those[i: i + TOGETHER] for i in range(0, len(those), TOGETHER)]


@functools.lru_cache(256)
def _program_text(texts: tuple[str, ...]) -> str:
    body = "\n".join(texts)
    return prelude(body) + "\n" + body


def as_function(text: str) -> str:
    """A kernel's text as that of a function for kernels to call, with the work-item's number as its last argument. PoCL
    compiles a kernel three times, for its ways to start one, with everything in it that asks for that number; the function
    stays apart and is compiled once."""
    head, kernel, rest = re.sub(r"__attribute__\(\(reqd_work_group_size\([^)]*\)\)\)\s*(?=__kernel)", "",
                                text).partition("__kernel void")
    if not kernel:                                        # a sequence, which is a function already
        return text
    rest = re.sub(r"\)(?=\s*\{)", f", const size_t {ITEM})", rest, count=1)
    return f"{head}static {APART} void{rest}".replace("get_global_id(0)", ITEM)


def by_address_text(kernels: list[Kernel]) -> str:
    """A kernel that runs one of several, with what is in a table at the address `at`: the number of the kernel, then its
    arguments in their order, addresses of arrays and numbers. One argument, because the driver copies each at every launch."""
    lines = ["__attribute__((reqd_work_group_size(1, 1, 1)))", f"__kernel void {kernels[0].name}{BY_ADDRESS}(const ulong at)",
             "{", "    __global const ROW *row = (__global const ROW *)at + 1;", "    switch (row[-1].n) {"]
    for number, kernel in enumerate(kernels):
        call = f"{kernel.name}(row);" if kernel.parts else _call(kernel, 0, "get_global_id(0)")
        lines.append(f"        case {number}: {call} break;")
    return "\n".join([*lines, "    }", "}", ""])


def _call(kernel: Kernel, row: int, item: str) -> str:
    """A call of a kernel's function for one work-item, with arguments from a table, from its `row` on."""
    kinds = _kinds(kernel)
    given = [f"row[{i}].x" if kind in ("float", "double") else f"({kind})row[{i}].n" for i, kind in enumerate(kinds, row)]
    return f"{kernel.name}({', '.join([*given, item])});"


def _kinds(kernel: Kernel) -> list[str]:
    """The types of a kernel's arguments."""
    return ["__global void *"] * len(kernel.arrays) + [c_type(d) for _, d in kernel.scalars] + \
        ["IDX"] * (len(kernel.sizes) + kernel.has_per)


def in_one(parts: list[Kernel]) -> Kernel:
    """One kernel that does the work of several small ones, by address and each in one piece: a launch costs more than they
    do. Its text is that of their functions and of one that calls them."""
    unique, names = same_kernels(parts)
    name = f"{parts[-1].name}_and_before"
    calls, row = [], 0
    for part, own in zip(parts, names):
        calls.append(f"    {_call(replace(part, name=own), row, '0')}")
        row += len(_kinds(part))
    head = f"static {APART} void {name}(__global const ROW *row)"
    text = "\n".join([*(as_function(k.text) for k in unique), head, "{", *calls, "}", ""])
    own_names = frozenset({name, *names}).union(*(k.names for k in unique))
    return Kernel(name, text, "sequence", [a for k in parts for a in k.arrays], [], [], [], 1, [], 1, False,
                  [n for k in parts for n in k.nodes], loops="\n".join(k.loops for k in parts), names=own_names,
                  by_address=True, parts=parts)


def total(sizes: list[Size]) -> Size:
    return product(sizes)


__all__ = ["Kernel", "canonical", "entries", "in_one", "kernels_of", "program_text", "same_kernels", "total"]
