"""The order that sorts along one dimension of a contiguous array (sort, topk, kthvalue, median)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Node
from ...tensor import dtypes as dt
from ..kernels import Kernel
from ..loop_ir import Array
from ..prelude import UNSIGNED
from ..sizes import is_zero, plain, product, row_major, shape_of, strides_of, times
from .instance import instance, sections

LONGEST = 1 << 32              # elements of a line: places are counted in 32 bits
COST = 8                       # of an element, in elements of a simple kernel
GPU_LONGEST, GPU_LOCAL = 4096, 64        # on GPUs every element is compared with every other of its line


def kernels(node: Node, name: str, gpu: bool, host: bool) -> list[Kernel] | None:
    """The launch for an order node, or None if NumPy shall compute it."""
    x, k, dim, descending = node.args
    d, shape, k = x.spec.dtype, shape_of(x.spec), plain(k)
    length = getattr(x.spec.shape[dim], "hint", x.spec.shape[dim])
    if not d.opencl or any(map(is_zero, (*shape, k))) or length >= (GPU_LONGEST if gpu else LONGEST) \
            or not all(row_major(shape_of(n.spec), strides_of(n.spec)) for n in (x, node)):
        return None
    outer, n, inner = product(shape[:dim]), shape[dim], product(shape[dim + 1:])
    unsigned, bits, end = UNSIGNED[d.itemsize], 8 * d.itemsize, "ul" if d.itemsize == 8 else "u"
    definitions: dict[str, Any] = {
        "ELEM": unsigned, "KEY_BITS": bits, "FLIP": f"(({unsigned}){'~' if descending else ''}0)",
        "SIGN": f"(({unsigned}){hex(d.is_signed << (bits - 1))}{end})"}
    if gpu:
        definitions["LOCAL"] = GPU_LOCAL
    if d.category == 2:
        definitions["INFINITY_BITS"] = hex(int(np.array(np.inf, d.numpy).view(f"u{d.itemsize}"))) + end
    arrays, sizes = [Array("x", d, False, x), Array("out", dt.int64, True, node)], [outer, n, inner, k]
    text = instance("sort.cl", "ranks" if gpu else "order", name, definitions, (sections("sort.cl")["keys"],))
    if gpu:
        return [Kernel(name, text, "items", arrays, [], sizes, [(outer, 1), (n, 1), (inner, 1)], 1, [n], GPU_LOCAL, False,
                       [node])]
    room = Array(f"{name}_items", dt.int64, True, None, each=times(n, 4 if bits == 64 else 2))
    return [Kernel(name, text, "tiles", [*arrays, room], [], sizes, [(outer, 1), (inner, 1)], 1, [n, COST], 1, True, [node])]
