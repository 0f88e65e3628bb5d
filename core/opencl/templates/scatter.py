"""Elements stored or added at numbered places (scatter, scatter_add, index_add, index_copy, x[numbers] = y), written to
memory that nothing else reads. For CPU devices; what meets at one place comes in the order of the numbers, as in eager mode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.node import Node
from ...ops.promotion import is_tensor_like
from ...tensor import dtypes as dt
from ..kernels import Kernel
from ..loop_ir import Array
from ..sizes import Size, product, row_major, same_shape, shape_of, strides_of
from .instance import instance
from .rows import INTEGER, refusing, same_but

ADDING = frozenset(("scatter_add_", "index_add_"))
BY_ROW = frozenset(("index_add_", "index_copy_"))
ONE_ROW = {"SOURCE(o, k)": "0", "FROM(c)": "from[c]", "FROM16(c)": "load(from + c)"}
EACH_ROW = {**ONE_ROW, "SOURCE(o, k)": "((o) * count + (k)) * width"}


def kernels(node: Node, name: str, gpu: bool, host: bool) -> list[Kernel] | None:
    """The launch, or None if NumPy shall compute the node. It writes to the memory of the node's first argument, which the
    node's value takes over."""
    assert node.op is not None
    base, dim, index, source, adding = _arguments(node)
    d, shape = node.spec.dtype, shape_of(node.spec)
    if gpu or index is None or not shape or not d.opencl or not isinstance(source, Node) or not is_tensor_like(source.spec) \
            or source.spec.dtype is not d or (adding and d in (dt.float16, dt.bool_)) \
            or not same_shape(shape_of(base.spec), shape) \
            or not all(row_major(shape_of(n.spec), strides_of(n.spec)) for n in (base, index, source, node)):
        return None
    numbers, given = shape_of(index.spec), shape_of(source.spec)
    if any(isinstance(n, int) and n == 0 for n in (*shape, *numbers, *given)):
        return None
    outer, rows, inner = product(shape[:dim]), shape[dim], product(shape[dim + 1:])
    kind = d.opencl if adding else INTEGER[d.itemsize]
    put = "(new)" if not adding else "((old) + (new))" if d.category == 2 else "wrap_add(old, new)"
    definitions = {"ELEM": kind, "INDEX": index.spec.dtype.opencl, "PUT_AT(old, new)": put}
    section, count, units = "rows", product(numbers), [(outer, 1), (inner, 16)]
    refuse: Callable[[np.ndarray, int], None] = refuse_places
    if node.op.name == "index_put_":
        refuse = refusing(dim)
        where = _source(given, (*shape[:dim], *numbers, *shape[dim + 1:]), len(shape) - dim - 1, kind)
        if where is None:
            return None
        definitions.update({"ROW(i)": "((i) < 0 ? (i) + rows : (i))", **where})
    elif node.op.name in BY_ROW:
        if len(numbers) != 1 or len(given) != len(shape) or not same_but(given, shape, dim):
            return None
        definitions.update({"ROW(i)": "(i)", **EACH_ROW})
    else:
        if len(numbers) != len(shape) or not same_shape(numbers, given) or not same_but(numbers, shape, dim):
            return None
        section, count, units = "elements", numbers[dim], [(outer, 1), (inner, 1)]
    made = Kernel(name, instance("scatter.cl", section, name, definitions), "tiles",
                  [Array("out", d, True, node), Array("index", index.spec.dtype, False, index),
                   Array("source", d, False, source)], [], [outer, inner, count, rows], units, 1, [count, 16], 1, True, [node])
    made.checks = [(refuse, index, rows)]
    return [made]


def _arguments(node: Node) -> tuple[Node, int, Node | None, Any, bool]:
    """(what is written to, dimension, numbers, source, whether it is added); no numbers where there are no kernels for the
    arguments."""
    assert node.op is not None
    adding = node.op.name in ADDING
    if node.op.name != "index_put_":
        base, dim, index, source, *alpha = node.args
        plain = not alpha or (not isinstance(alpha[0], bool) and alpha[0] == 1)
        return base, dim, index if plain else None, source, adding
    base, indices, source, adding = node.args
    given = [(d, i) for d, i in enumerate(indices) if i is not None]
    dim, index = given[0]
    return base, dim, index if len(given) == 1 and index.spec.dtype.category == 1 else None, source, adding


def _source(given: tuple[Size, ...], wanted: tuple[Size, ...], last: int, kind: str) -> dict[str, str] | None:
    """Where the elements of a source are that is broadcast to `wanted`, of which `last` dimensions are a row."""
    if same_shape(given, wanted):
        return EACH_ROW
    if not given:
        return {"SOURCE(o, k)": "0", "FROM(c)": "*from", "FROM16(c)": f"(({kind}16)(*from))"}
    return ONE_ROW if last and same_shape(given, wanted[len(wanted) - last:]) else None


def refuse_places(index: np.ndarray, n: int) -> None:
    """RuntimeError, as eager mode's, if a number names no place."""
    from ...ops.scatter import _bounds

    _bounds(index, n, "scatter")
