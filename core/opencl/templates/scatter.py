"""Elements stored or added at numbered places (scatter, scatter_add, index_add, index_copy), written to memory that nothing
else reads. For CPU devices; what meets at one place comes in the order of the numbers, as in eager mode.
"""

from __future__ import annotations

import numpy as np

from ...graph.node import Node
from ...ops.promotion import is_tensor_like
from ...tensor import dtypes as dt
from ..kernels import Kernel
from ..loop_ir import Array
from ..sizes import product, row_major, same_shape, shape_of, strides_of
from .instance import instance
from .rows import INTEGER, same_but

ADDING = frozenset(("scatter_add_", "index_add_"))
BY_ROW = frozenset(("index_add_", "index_copy_"))


def kernels(node: Node, name: str, gpu: bool, host: bool) -> list[Kernel] | None:
    """The launch, or None if NumPy shall compute the node. It writes to the memory of the node's first argument, which the
    node's value takes over."""
    assert node.op is not None
    base, dim, index, source, *alpha = node.args
    d, shape = node.spec.dtype, shape_of(node.spec)
    adding = node.op.name in ADDING
    if gpu or not shape or not d.opencl or not isinstance(source, Node) or not is_tensor_like(source.spec) \
            or source.spec.dtype is not d or (adding and d in (dt.float16, dt.bool_)) \
            or (alpha and (isinstance(alpha[0], bool) or alpha[0] != 1)) or not same_shape(shape_of(base.spec), shape) \
            or not all(row_major(shape_of(n.spec), strides_of(n.spec)) for n in (base, index, source, node)):
        return None
    numbers, given = shape_of(index.spec), shape_of(source.spec)
    if any(isinstance(n, int) and n == 0 for n in (*shape, *numbers, *given)):
        return None
    outer, rows, inner = product(shape[:dim]), shape[dim], product(shape[dim + 1:])
    if node.op.name in BY_ROW:
        if len(numbers) != 1 or len(given) != len(shape) or not same_but(given, shape, dim):
            return None
        section, count, units = "rows", numbers[0], [(outer, 1), (inner, 16)]
    else:
        if len(numbers) != len(shape) or not same_shape(numbers, given) or not same_but(numbers, shape, dim):
            return None
        section, count, units = "elements", numbers[dim], [(outer, 1), (inner, 1)]
    kind = d.opencl if adding else INTEGER[d.itemsize]
    put = "(new)" if not adding else "((old) + (new))" if d.category == 2 else "wrap_add(old, new)"
    text = instance("scatter.cl", section, name, {"ELEM": kind, "INDEX": index.spec.dtype.opencl,
                                                  "PUT_AT(old, new)": put})
    made = Kernel(name, text, "tiles", [Array("out", d, True, node), Array("index", index.spec.dtype, False, index),
                                        Array("source", d, False, source)], [], [outer, inner, count, rows], units, 1,
                  [count, 16], 1, True, [node])
    made.checks = [(refuse_places, index, rows)]
    return [made]


def refuse_places(index: np.ndarray, n: int) -> None:
    """RuntimeError, as eager mode's, if a number names no place."""
    from ...ops.scatter import _bounds

    _bounds(index, n, "scatter")
