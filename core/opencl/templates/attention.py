"""Scaled dot product attention in tiles of 8 queries, never holding the scores of all queries and keys.

For CPU devices. Keys and values are rearranged into panels as an operand of a product is (matmul.py). Elsewhere, and for
few queries, the operator is written out as products and a softmax.
"""

from __future__ import annotations

from typing import Any

from ...graph.node import Node
from ...tensor import dtypes as dt
from ..c_text import c_type
from ..kernels import Kernel
from ..loop_ir import Array
from ..sizes import Size, is_one, shape_of, strides_of
from .instance import accumulator, arithmetic, instance
from .matmul import LINES, ROWS, batch_strides, hints_of, merged, pack

FEW = 8                        # fewer queries than that do not pay for rearranging keys and values
LONGEST_HEAD = 256             # elements of a value: they are private to a work-item while they are added up; more take turns


def kernels(node: Node, name: str, gpu: bool, host: bool) -> list[Kernel] | None:
    """The launches for a scaled_dot_product_attention node, or None if it shall be written out."""
    q, k, v, mask, causal, scale = node.args
    d = node.spec.dtype
    if gpu or d.category != 2 or not d.opencl or not (isinstance(scale, int | float) or hasattr(scale, "expr")):
        return None
    if mask is not None and mask.spec.dtype is not dt.bool_ and mask.spec.dtype is not d:
        return None
    tensors = [x for x in (q, k, v, mask) if x is not None]
    head = shape_of(v.spec)[-1]
    hints = hints_of(*[x.spec for x in tensors])
    rows, lines = shape_of(node.spec)[-2], shape_of(k.spec)[-2]
    queries = rows if isinstance(rows, int) else int(rows.evaluate(hints))
    elements = head if isinstance(head, int) else int(head.evaluate(hints))
    if not 0 < elements <= LONGEST_HEAD or queries < FEW:
        return None
    batch = shape_of(node.spec)[:-2]
    moves = [batch_strides(list(shape_of(x.spec)[:-2]), list(strides_of(x.spec)[:-2]), len(batch)) for x in tensors]
    dims = merged([(n, *(m[i] for m in moves)) for i, n in enumerate(batch)])
    if len(dims) > 2:
        return None
    dims = [(1, *[0] * len(tensors))] * (2 - len(dims)) + dims
    (n0, *outer), (n1, *inner) = dims
    steps = [[a, b, *last_two(x)] for a, b, x in zip(outer, inner, tensors)]
    depth = shape_of(q.spec)[-1]
    first, keys, k_at = pack(f"{name}_keys", node, Array("x", d, False, k), d, n0, n1, lines, depth, steps[1])
    second, values, v_at = pack(f"{name}_values", node, Array("x", d, False, v), d, n0, n1, head, lines,
                                [*steps[2][:2], steps[2][3], steps[2][2]])
    together = -(-(head if isinstance(head, int) else LONGEST_HEAD) // LINES)
    text = instance("attention.cl", "attention", name, {**arithmetic(d), **mask_definitions(mask), "CAUSAL": int(bool(causal)),
                                                        "HEAD_PANELS": together})
    arrays = [Array("q", d, False, q), keys, values]
    sizes: list[Size] = [n0, n1, rows, lines, depth, head, *steps[0], *k_at, *v_at]
    if mask is not None:
        arrays.append(Array("mask", mask.spec.dtype, False, mask))
        sizes += steps[3]
    arrays.append(Array("out", d, True, node))
    factor = float(scale) if isinstance(scale, int | float) else scale             # the usual one follows from the sizes
    third = Kernel(name, text, "tiles", arrays, [(factor, accumulator(d))], sizes,
                   [(n0, 1), (n1, 1), (rows, ROWS)], 1, [ROWS, lines, depth], 1, True, [node])
    return [first, second, third]


def last_two(x: Node) -> list[Size]:
    """Strides of the last two dimensions; 0 along one of size 1, which a mask may be spread over."""
    return [0 if is_one(n) else s for n, s in zip(shape_of(x.spec)[-2:], strides_of(x.spec)[-2:])]


def mask_definitions(mask: Node | None) -> dict[str, Any]:
    """How a mask changes a score."""
    if mask is None:
        return {"MASK": 0}
    d = mask.spec.dtype
    if d is dt.bool_:
        return {"MASK": 1, "MASK_ELEM": "uchar", "MASK_AT(score, p, at)": "((p)[at] ? score : -INFINITY)"}
    read = "vload_half(at, p)" if d is dt.float16 else "(p)[at]"
    return {"MASK": 2, "MASK_ELEM": "half" if d is dt.float16 else c_type(d), "MASK_AT(score, p, at)": f"(score + {read})"}
