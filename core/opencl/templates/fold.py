"""Windows put back and summed (fold_windows), which transposed convolutions end with. For CPU devices."""

from __future__ import annotations

from typing import Any

from ...graph.node import Node
from ...tensor import dtypes as dt
from ..kernels import Kernel
from ..loop_ir import Array
from ..sizes import product, row_major, shape_of, strides_of
from .instance import instance


def kernels(node: Node, name: str, gpu: bool, host: bool) -> list[Kernel] | None:
    """The launch for a fold_windows node, or None if NumPy shall compute it."""
    x, _, strides, padding, dilation = node.args
    d, n = node.spec.dtype, len(strides)
    window, space = shape_of(x.spec)[2: 2 + n], shape_of(x.spec)[2 + n:]
    numbers = (*window, *strides, *padding, *dilation)
    if gpu or d not in (dt.float32, dt.float64) or not all(isinstance(k, int) for k in numbers) \
            or not all(row_major(shape_of(v.spec), strides_of(v.spec)) for v in (x, node)):
        return None
    missing = 3 - n                                      # dimensions that count as 1
    definitions: dict[str, Any] = {"ELEM": d.opencl}
    for letter, k, s, low, step in zip("ZYX", [1] * missing + [*window], [1] * missing + [*strides], [0] * missing + [*padding],
                                       [1] * missing + [*dilation]):
        definitions.update({f"K{letter}": k, f"S{letter}": s, f"LOW_{letter}": low, f"D{letter}": step})
    channels = product(shape_of(node.spec)[:2])
    made, given = [1] * missing + [*shape_of(node.spec)[2:]], [1] * missing + [*space]
    return [Kernel(name, instance("fold.cl", "fold", name, definitions), "tiles",
                   [Array("x", d, False, x), Array("out", d, True, node)], [], [channels, *made, *given],
                   [(channels, 1), (made[0], 1), (made[1], 1)], 1, [made[2], product(window)], 1, True, [node])]
