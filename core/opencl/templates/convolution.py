"""Convolutions of one to three dimensions as products with shifted rows of the input, without copying every window.

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
    """The launches for a conv1d, conv2d or conv3d node, or None if NumPy shall compute it."""
    x, w, bias, strides, padding, dilation, groups = node.args
    d = node.spec.dtype
    window = shape_of(w.spec)[2:]
    out_channels, each = shape_of(w.spec)[:2]
    numbers = [*strides, *dilation, *window, out_channels, groups, *(p for pair in padding for p in pair)]
    if gpu or d.category != 2 or not d.opencl or not all(isinstance(n, int) for n in numbers) \
            or not all(row_major(shape_of(n.spec), strides_of(n.spec)) for n in (w, node, *([] if bias is None else [bias]))) \
            or any(n == 0 for n in (*shape_of(node.spec), *shape_of(w.spec)) if isinstance(n, int)):
        return None
    missing = 3 - len(strides)                           # dimensions that count as 1
    kz, ky, kx = [1] * missing + [n for n in window if isinstance(n, int)]
    sz, sy, sx = [1] * missing + [*strides]
    dz, dy, dx = [1] * missing + [*dilation]
    low_z, low_y, low_x = [0] * missing + [low for low, _ in padding]
    if kz * ky * kx > LONGEST or min(low_z, low_y, low_x) < 0:
        return None
    batch, channels, *space = shape_of(x.spec)
    in_b, in_c, *steps = strides_of(x.spec)
    depth, height, width = [1] * missing + space
    in_z, in_y, in_x = [0] * missing + steps
    out_z, out_y, out_x = [1] * missing + [*shape_of(node.spec)[2:]]
    assert isinstance(out_channels, int)                 # one of the numbers
    per_group = out_channels // groups
    rows, vectors = FULL if per_group >= FULL[0] // 2 else ALONE
    deep = plus(times(plus(out_z, -1), sz), (kz - 1) * dz + 1)
    tall, wide = plus(out_y, (ky - 1) * dy // sy), plus(out_x, (kx - 1) * dx // sx)
    acc = accumulator(d)
    count = plus(product([batch, channels, deep, sy * sx, tall, wide]), 16 * vectors)
    positions = plus(times(plus(out_y, -1), wide), out_x)
    by_rows = isinstance(out_x, int) and isinstance(out_y, int) and isinstance(positions, int) \
        and -(-out_x // (16 * vectors)) * out_y <= -(-positions // (16 * vectors))
    definitions: dict[str, Any] = {
        **arithmetic(d), "KZ": kz, "KY": ky, "KX": kx, "SZ": sz, "SY": sy, "SX": sx, "DZ": dz, "DY": dy, "DX": dx,
        "DEEP": 1 if missing else "deep", "OUT_Z": 1 if missing else "out_z", "ROWS": rows, "VECTORS": vectors,
        "BY_ROWS": int(by_rows), "X_UNIT": int(is_one(in_x) and sx == 1), "HAS_BIAS": int(bias is not None),
        "BIAS(i)": "TO_ACC(bias, i)" if bias is not None else "0", "LINE16(p)": f"(*(const {acc.opencl}16_near *)(p))"}
    near = (f"typedef {acc.opencl}16 {acc.opencl}16_near __attribute__((aligned({acc.itemsize})));",)
    planes = f"{name}_planes"
    first = Kernel(f"{name}_spread", instance("convolution.cl", "spread", f"{name}_spread", definitions, near), "tiles",
                   [Array("x", d, False, x), Array(planes, acc, True, None, count)], [],
                   [batch, channels, depth, height, width, deep, tall, wide, low_z, low_y, low_x, in_b, in_c, in_z, in_y, in_x],
                   [(batch, 1), (channels, 1), (deep, 1), (sy * sx, 1)], 1, [tall, wide], 1, True, [node])
    tiles = [(out_y, 1), (out_x, 16 * vectors)] if by_rows else [(positions, 16 * vectors)]
    arrays = [Array(planes, acc, False, None, count), Array("weights", d, False, w)]
    arrays += [] if bias is None else [Array("bias", d, False, bias)]
    second = Kernel(name, instance("convolution.cl", "convolution", name, definitions, near), "tiles",
                    [*arrays, Array("out", d, True, node)], [],
                    [batch, groups, per_group, each, out_z, out_y, out_x, deep, tall, wide],
                    [(batch, 1), (out_z, 1), (groups, 1), (per_group, rows), *tiles], 1,
                    [rows, 16 * vectors, each, kz * ky * kx], 1, True, [node])
    return [first, second]
