"""Convolutions of one and two dimensions as products with shifted rows of the input, without copying every window.

For CPU devices. The input is copied once, with its border, so that the positions a window element meets are neighbours in
memory; the inner loop is that of a matrix product.
"""

from __future__ import annotations

from typing import Any

from ...graph.node import Node
from ..kernels import Kernel
from ..loop_ir import Array
from ..sizes import is_one, plus, product, row_major, shape_of, strides_of, times
from .instance import accumulator, arithmetic, instance

FULL = (8, 2)                  # output channels by vectors of positions in a tile
ALONE = (1, 8)                 # where a group has few output channels (depth-wise convolutions)
LONGEST = 4096                 # elements of a window


def kernels(node: Node, name: str, gpu: bool, host: bool) -> list[Kernel] | None:
    """The launches for a conv1d or conv2d node, or None if NumPy shall compute it."""
    x, w, bias, strides, padding, dilation, groups = node.args
    d = node.spec.dtype
    spatial = len(strides)
    window = shape_of(w.spec)[2:]
    out_channels, each = shape_of(w.spec)[:2]
    numbers = [*strides, *dilation, *window, out_channels, groups, *(p for pair in padding for p in pair)]
    if gpu or d.category != 2 or not d.opencl or spatial > 2 or not all(isinstance(n, int) for n in numbers) \
            or not all(row_major(shape_of(n.spec), strides_of(n.spec)) for n in (w, node, *([] if bias is None else [bias]))) \
            or any(n == 0 for n in (*shape_of(node.spec), *shape_of(w.spec)) if isinstance(n, int)):
        return None
    flat = spatial == 1
    ky, kx = [1] * flat + [n for n in window if isinstance(n, int)]
    sy, sx = (1, *strides) if flat else strides
    dy, dx = (1, *dilation) if flat else dilation
    low_y, low_x = (0, padding[0][0]) if flat else (padding[0][0], padding[1][0])
    if ky * kx > LONGEST or low_y < 0 or low_x < 0:
        return None
    batch, channels, *space = shape_of(x.spec)
    in_b, in_c, *steps = strides_of(x.spec)
    height, width = [1, *space] if flat else space
    in_y, in_x = [0, *steps] if flat else steps
    out_y, out_x = [1, *shape_of(node.spec)[2:]] if flat else shape_of(node.spec)[2:]
    assert isinstance(out_channels, int)                 # one of the numbers
    per_group = out_channels // groups
    rows, vectors = FULL if per_group >= FULL[0] // 2 else ALONE
    tall, wide = plus(out_y, (ky - 1) * dy // sy), plus(out_x, (kx - 1) * dx // sx)
    acc = accumulator(d)
    count = plus(product([batch, channels, sy * sx, tall, wide]), 16 * vectors)
    definitions: dict[str, Any] = {
        **arithmetic(d), "KY": ky, "KX": kx, "SY": sy, "SX": sx, "DY": dy, "DX": dx, "ROWS": rows, "VECTORS": vectors,
        "X_UNIT": int(is_one(in_x) and sx == 1), "HAS_BIAS": int(bias is not None),
        "BIAS(i)": "TO_ACC(bias, i)" if bias is not None else "0", "LINE16(p)": f"(*(const {acc.opencl}16_near *)(p))"}
    near = (f"typedef {acc.opencl}16 {acc.opencl}16_near __attribute__((aligned({acc.itemsize})));",)
    planes = f"{name}_planes"
    first = Kernel(f"{name}_spread", instance("convolution.cl", "spread", f"{name}_spread", definitions, near), "tiles",
                   [Array("x", d, False, x), Array(planes, acc, True, None, count)], [],
                   [batch, channels, height, width, tall, wide, low_y, low_x, in_b, in_c, in_y, in_x],
                   [(batch, 1), (channels, 1), (sy * sx, 1)], 1, [tall, wide], 1, True, [node])
    positions = plus(times(plus(out_y, -1), wide), out_x)
    arrays = [Array(planes, acc, False, None, count), Array("weights", d, False, w)]
    arrays += [] if bias is None else [Array("bias", d, False, bias)]
    second = Kernel(name, instance("convolution.cl", "convolution", name, definitions, near), "tiles",
                    [*arrays, Array("out", d, True, node)], [],
                    [batch, groups, per_group, each, out_y, out_x, tall, wide],
                    [(batch, 1), (groups, 1), (per_group, rows), (positions, 16 * vectors)], 1,
                    [rows, 16 * vectors, each, ky * kx], 1, True, [node])
    return [first, second]
