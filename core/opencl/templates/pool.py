"""Maxima and means of windows of one and two dimensions (max_pool, avg_pool) over contiguous floats. For CPU devices."""

from __future__ import annotations

from typing import Any

from ...graph.node import Node
from ..kernels import Kernel
from ..loop_ir import Array
from ..sizes import product, row_major, shape_of, strides_of
from .instance import accumulator, arithmetic, instance


def kernels(node: Node, name: str, gpu: bool, host: bool) -> list[Kernel] | None:
    """The launch for a max_pool or avg_pool node, or None if NumPy shall compute it."""
    x, window, strides, padding, *rest = node.args
    assert node.op is not None
    mean = node.op.name.startswith("avg")
    dilation = (1,) * len(window) if mean else rest[0]
    d = node.spec.dtype
    if gpu or d.category != 2 or not d.opencl or len(window) > 2 \
            or not all(isinstance(n, int) for n in (*window, *strides, *padding, *dilation)) \
            or not all(row_major(shape_of(n.spec), strides_of(n.spec)) for n in (x, node)):
        return None
    batch, channels, *space = shape_of(x.spec)
    made = list(shape_of(node.spec)[2:])
    if len(window) == 1:
        window, strides, padding, dilation = (1, *window), (1, *strides), (0, *padding), (1, *dilation)
        space, made = [1, *space], [1, *made]
    acc = accumulator(d).opencl
    definitions: dict[str, Any] = arithmetic(d)
    for letter, k, s, p, step in zip("YX", window, strides, padding, dilation):
        definitions.update({f"K{letter}": k, f"S{letter}": s, f"D{letter}": step, f"LOW_{letter}": p})
    if mean:
        _, count_border, divisor = rest
        whole = [f"(IDX_MIN({at} + {k}, {n} + {p}) - ({at}))" for at, k, n, p in
                 (("from", window[1], "in_x", padding[1]), ("top", window[0], "in_y", padding[0]))]
        definitions.update({
            "COMBINE(a, b)": "((a) + (b))", "START": "0", "IDX_MIN(a, b)": "MIN((IDX)(a), (IDX)(b))",
            "ROWS(top, seen)": f"({acc}){whole[1]}" if count_border else f"({acc})(seen)",
            "COLUMNS(from, seen)": f"({acc}){whole[0]}" if count_border else f"({acc})(seen)",
            "SHARED(total, high, wide)": f"((total) / ({acc}){float(divisor)!r})" if divisor else
                                         "((total) / ((high) * (wide)))"})
    else:
        definitions.update({"COMBINE(a, b)": "maximum_(b, a)", "START": "-INFINITY", "ROWS(top, seen)": "0",
                            "COLUMNS(from, seen)": "0", "SHARED(best, high, wide)": "(best)"})
    return [Kernel(name, instance("pool.cl", "pool", name, definitions), "tiles",
                   [Array("x", d, False, x), Array("out", d, True, node)], [], [product([batch, channels]), *space, *made],
                   [(product([batch, channels]), 1), (made[0], 1)], 1, [made[1], window[0] * window[1]], 1, True, [node])]
