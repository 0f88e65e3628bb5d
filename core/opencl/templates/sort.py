"""The order that sorts along one dimension of a contiguous array (sort, topk, kthvalue, median)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Node
from ...tensor import dtypes as dt
from ..kernels import Kernel
from ..loop_ir import Array
from ..prelude import UNSIGNED
from ..sizes import Size, is_zero, plain, product, row_major, shape_of, strides_of, times
from .instance import instance, sections

LONGEST = 1 << 32              # elements of a line: places are counted in 32 bits
COST = 8                       # of an element, in elements of a simple kernel
GPU_BLOCK, GPU_LOCAL = 1024, 64          # on GPUs every element is compared with every other of its line, or of its block
GPU_PASSES = 22                # merges that sort the longest line


def kernels(node: Node, name: str, gpu: bool, host: bool) -> list[Kernel] | None:
    """The launch for an order node, or None if NumPy shall compute it."""
    x, k, dim, descending = node.args
    d, shape, k = x.spec.dtype, shape_of(x.spec), plain(k)
    length = getattr(x.spec.shape[dim], "hint", x.spec.shape[dim])
    if not d.opencl or any(map(is_zero, (*shape, k))) or length >= LONGEST \
            or not all(row_major(shape_of(n.spec), strides_of(n.spec)) for n in (x, node)):
        return None
    outer, n, inner = product(shape[:dim]), shape[dim], product(shape[dim + 1:])
    unsigned, bits, end = UNSIGNED[d.itemsize], 8 * d.itemsize, "ul" if d.itemsize == 8 else "u"
    definitions: dict[str, Any] = {
        "ELEM": unsigned, "KEY_BITS": bits, "FLIP": f"(({unsigned}){'~' if descending else ''}0)",
        "SIGN": f"(({unsigned}){hex(d.is_signed << (bits - 1))}{end})"}
    if d.category == 2:
        definitions["INFINITY_BITS"] = hex(int(np.array(np.inf, d.numpy).view(f"u{d.itemsize}"))) + end
    arrays, sizes = [Array("x", d, False, x), Array("out", dt.int64, True, node)], [outer, n, inner, k]
    if gpu:
        made = _merged if length > GPU_BLOCK else _counted
        return made(node, name, arrays, sizes, {**definitions, "LOCAL": GPU_LOCAL, "BLOCK": GPU_BLOCK})
    room = Array(f"{name}_items", dt.int64, True, None, each=times(n, 4 if bits == 64 else 2))
    return [Kernel(name, _text("order", name, definitions), "tiles", [*arrays, room], [], sizes, [(outer, 1), (inner, 1)], 1,
                   [n, COST], 1, True, [node])]


def _text(section: str, name: str, definitions: dict[str, Any]) -> str:
    return instance("sort.cl", section, name, definitions, (sections("sort.cl")["keys"], sections("sort.cl")["items"]))


def _counted(node: Node, name: str, arrays: list[Array], sizes: list[Size], definitions: dict[str, Any]) -> list[Kernel]:
    """For GPUs: one launch that counts for every element how many of its line come before it."""
    outer, n, inner, _ = sizes
    return [Kernel(name, _text("ranks", name, definitions), "items", arrays, [], sizes, [(outer, 1), (n, 1), (inner, 1)], 1,
                   [n], GPU_LOCAL, False, [node])]


def _merged(node: Node, name: str, arrays: list[Array], sizes: list[Size], definitions: dict[str, Any]) -> list[Kernel]:
    """For GPUs: a launch that sorts blocks, one for each time that neighbouring runs are merged, and one that tells the
    places. Where the length may change there are as many as the longest needs; those that are too many do nothing."""
    outer, n, inner, k = sizes
    x, out = arrays
    passes = GPU_PASSES
    if isinstance(n, int):
        passes = next(p for p in range(GPU_PASSES + 1) if GPU_BLOCK << p >= n)
    count = product([outer, n, inner, 2 if definitions["KEY_BITS"] == 64 else 1])
    rooms = [f"{name}_{which}" for which in ("even", "odd")]
    units: list[tuple[Size, int]] = [(outer, 1), (n, 1), (inner, 1)]

    def launch(section: str, given: list[Array], numbers: list[Size], units: list[tuple[Size, int]]) -> Kernel:
        own = f"{name}_{section}"
        return Kernel(own, _text(section, own, definitions), "items", given, [], numbers, units, 1, [], GPU_LOCAL, False,
                      [node])

    made = [launch("blocks", [x, Array(rooms[0], dt.int64, True, None, count)], [outer, n, inner], units)]
    for p in range(passes):
        given = [Array(rooms[p % 2], dt.int64, False, None, count), Array(rooms[1 - p % 2], dt.int64, p == 0, None, count)]
        made.append(launch("merge", given, [outer, n, inner, p], units))
    rooms = [rooms[0], rooms[min(passes, 1)]]
    made.append(launch("places", [*(Array(room, dt.int64, False, None, count) for room in rooms), out], sizes,
                       [(outer, 1), (k, 1), (inner, 1)]))
    return made
