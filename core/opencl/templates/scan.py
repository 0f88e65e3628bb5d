"""Running sums and products (cumsum, cumprod) along one dimension of a contiguous array. For CPU devices."""

from __future__ import annotations

from ...graph.node import Node
from ...tensor import dtypes as dt
from ..kernels import Kernel
from ..loop_ir import Array
from ..sizes import is_one, product, row_major, shape_of, strides_of
from .instance import UNSIGNED, instance

LANES = 16


def kernels(node: Node, name: str, gpu: bool, host: bool) -> list[Kernel] | None:
    """The launch for a cumsum or cumprod node, or None if NumPy shall compute it."""
    x, dim, _ = node.args
    given, d = x.spec.dtype, node.spec.dtype
    shape = shape_of(node.spec)
    if gpu or not shape or not given.opencl or d.category not in (1, 2) or (given.category == 2 and d.category == 1) \
            or not all(row_major(shape, strides_of(n.spec)) for n in (x, node)):
        return None
    outer, n, inner = product(shape[:dim]), shape[dim], product(shape[dim + 1:])
    part = dt.float32 if d is dt.float16 else d
    c = UNSIGNED.get(part.name, part.opencl)                             # integers wrap around
    carry = "double" if part.category == 2 else c
    half = given is dt.float16
    wide = f"convert_{c}16" if c != ("float" if half else given.opencl) else ""
    sign = "+" if node.op is not None and node.op.name == "cumsum" else "*"
    memory = "half" if d is dt.float16 else d.opencl
    definitions = {
        "ELEM": "half" if half else "uchar" if given is dt.bool_ else given.opencl, "OUT": memory, "PART": c,
        "PART16": f"{c}16",
        "CARRY": carry, "TO_PART(p, i)": "vload_half(i, p)" if half else f"(({c})(p)[i])", "TO_PART16(v)": f"{wide}(v)",
        "TO_OUT16(v)": f"as_{d.opencl}16(v)" if c != part.opencl else "(v)",
        "PUT(p, i, v)": "vstore_half(v, i, p)" if d is dt.float16 else f"(p)[i] = ({memory})(v)",
        "COMBINE(a, b)": f"((a) {sign} (b))", "IDENTITY": int(sign == "*")}
    arrays = [Array("x", given, False, x), Array("out", d, True, node)]
    if is_one(inner):
        return [Kernel(name, instance("scan.cl", "rows", name, definitions), "tiles", arrays, [], [outer, n], [(outer, 1)], 1,
                       [n], 1, True, [node])]
    return [Kernel(name, instance("scan.cl", "columns", name, definitions), "tiles", arrays, [], [outer, n, inner],
                   [(outer, 1), (inner, LANES)], 1, [n, LANES], 1, True, [node])]
