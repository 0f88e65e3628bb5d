"""Matrix products: the host's BLAS where NumPy has one and reads device memory in place, else our own kernel.

The kernel (opencl_kernels/matmul.cl) takes any sizes and strides as arguments, up to two dimensions of batches. For
float32 and float64 on CPU devices BLAS is the rule: a call costs less than a launch; from 128 to 256 both are level on
one core, above and for thin matrices BLAS is up to 2 times faster (measured on PoCL 3.0 against OpenBLAS, AVX-512).
"""

from __future__ import annotations

import re
from typing import Any

from ..graph.node import Node
from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype
from .kernels import Kernel
from .loop_ir import Array
from .prelude import read
from .sizes import Size, is_one, same, shape_of, strides_of, times

UNSIGNED = {"int8": "uchar", "uint8": "uchar", "int16": "ushort", "int32": "uint", "int64": "ulong"}
SIGNED_OF = {"uchar": "char", "ushort": "short", "uint": "int", "ulong": "long"}
GPU_TILE, CPU_ROWS, CPU_COLUMNS = 16, 8, 32


def own_kernel(node: Node, name: str, gpu: bool, blas: bool) -> Kernel | None:
    """The kernel for a matmul, mm or bmm node, or None if the host shall compute it. `blas`: the host could."""
    a, b = node.args[:2]
    d = node.spec.dtype
    if not isinstance(a, Node) or not isinstance(b, Node) or d is dt.bool_ \
            or (blas and d in (dt.float32, dt.float64)):
        return None
    sizes = _geometry(a.spec, b.spec, node.spec)
    if sizes is None:
        return None
    n0, n1, rows, columns, depth, *strides = sizes
    section = "gpu" if gpu else "dots" if is_one(strides[3]) and is_one(strides[6]) else "cpu"
    text = _text(name, d, section, is_one(strides[7]))
    arrays = [Array("a", d, False, a), Array("b", d, False, b), Array("out", d, True, node)]
    down, across = (GPU_TILE, GPU_TILE) if gpu else (CPU_ROWS, CPU_COLUMNS)
    return Kernel(name, text, "groups" if gpu else "tiles", arrays, [], sizes,
                  [(n0, 1), (n1, 1), (rows, down), (columns, across)], 1, [down, across, depth],
                  GPU_TILE ** 2 if gpu else 1, not gpu, [node])


def _geometry(a: Any, b: Any, out: Any) -> list[Size] | None:
    """[n0, n1, rows, columns, depth, strides of a (n0, n1, i, k), of b (n0, n1, k, j)], None for too many batches."""
    shape_a, shape_b, shape_out = list(shape_of(a)), list(shape_of(b)), list(shape_of(out))
    strides_a, strides_b = list(strides_of(a)), list(strides_of(b))
    if len(shape_a) == 1:
        shape_a, strides_a, shape_out = [1, *shape_a], [0, *strides_a], [*shape_out[:-1], 1, *shape_out[-1:]] \
            if len(shape_b) > 1 else [1, *shape_out]
    if len(shape_b) == 1:
        shape_b, strides_b, shape_out = [*shape_b, 1], [*strides_b, 0], [*shape_out, 1]
    batch = shape_out[:-2]
    moves_a = _batch_strides(shape_a[:-2], strides_a[:-2], len(batch))
    moves_b = _batch_strides(shape_b[:-2], strides_b[:-2], len(batch))
    dims = [(n, s, t) for n, s, t in zip(batch, moves_a, moves_b) if not is_one(n)]
    k = len(dims) - 2
    while k >= 0:                                      # neighbours that both operands walk as one become one
        (n, s, t), (m, u, v) = dims[k], dims[k + 1]
        if same(s, times(u, m)) and same(t, times(v, m)):
            dims[k: k + 2] = [(times(n, m), u, v)]
        k -= 1
    if len(dims) > 2:
        return None
    rows = shape_a[-2]
    if dims and same(dims[-1][1], times(strides_a[-2], rows)) and isinstance(dims[-1][2], int) and dims[-1][2] == 0:
        rows = times(dims.pop()[0], rows)              # one b for all: more rows rather than more products
    dims = [(1, 0, 0)] * (2 - len(dims)) + dims
    (n0, a0, b0), (n1, a1, b1) = dims
    return [n0, n1, rows, shape_b[-1], shape_a[-1], a0, a1, strides_a[-2], strides_a[-1], b0, b1, strides_b[-2],
            strides_b[-1]]


def _batch_strides(shape: list[Size], strides: list[Size], count: int) -> list[Size]:
    padded: list[Size] = [0] * (count - len(shape))
    return padded + [0 if is_one(n) else s for n, s in zip(shape, strides)]


def _text(name: str, d: dtype, section: str, unit: bool) -> str:
    """The template for element dtype `d`: definitions, the section, and what it defined taken back."""
    half = d is dt.float16
    acc = "float" if half else UNSIGNED.get(d.name, d.opencl)
    if half:
        convert = ["#define TO_ACC(p, i) vload_half(i, p)", "#define TO_WIDE(v) (v)",
                   "#define PUT(p, i, v) vstore_half(v, i, p)", "#define PUT16(p, v) store(p, v)"]
    else:
        plain = acc == d.opencl
        convert = [f"#define TO_ACC(p, i) (({acc})(p)[i])", "#define TO_WIDE(v) (v)" if plain else
                   f"#define TO_WIDE(v) as_{acc}16(v)", f"#define PUT(p, i, v) (p)[i] = ({d.opencl})(v)",
                   "#define PUT16(p, v) store(p, v)" if plain else f"#define PUT16(p, v) store(p, as_{d.opencl}16(v))"]
    total = "sum_lanes(v)" if d.category == 2 else f"({acc})sum_lanes(as_{SIGNED_OF.get(acc, acc)}16(v))"
    defined = [f"#define NAME {name}", f"#define ELEM {d.opencl}", f"#define ACC {acc}", f"#define WIDE {acc}16",
               f"#define B_UNIT {int(unit)}", f"#define LANES_SUM(v) {total}", *convert]
    sections = dict(block.split("\n", 1) for block in re.split(r"^//@ ", read("matmul.cl"), flags=re.M)[1:])
    body = sections[section]
    names = re.findall(r"^#define (\w+)", "\n".join([*defined, body]), flags=re.M)
    return "\n".join([*defined, body.rstrip(), *(f"#undef {n}" for n in dict.fromkeys(names)), ""])
