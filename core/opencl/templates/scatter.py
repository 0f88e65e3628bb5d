"""Elements stored or added at numbered places (scatter, scatter_add, index_add, index_copy, x[numbers, ...] = y), written to
memory that nothing else reads. For CPU devices; what meets at one place comes in the order of the numbers, as in eager mode.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Node
from ...ops.promotion import is_tensor_like
from ...tensor import dtypes as dt
from ..kernels import Kernel
from ..loop_ir import Array
from ..sizes import is_zero, product, row_major, same_shape, shape_of, strides_of
from .instance import instance
from .numbers import one, several, source_definitions
from .rows import INTEGER, refusing, same_but

ADDING = frozenset(("scatter_add_", "index_add_"))
BY_ROW = frozenset(("index_add_", "index_copy_"))
EACH_ROW = {"SOURCE(o, k)": "(((o) * count + (k)) * width)", "FROM(c)": "from[c]", "FROM16(c)": "load(from + c)"}


def kernels(node: Node, name: str, gpu: bool, host: bool) -> list[Kernel] | None:
    """The launch, or None if NumPy shall compute the node. It writes to the memory of the node's first argument, which the
    node's value takes over."""
    assert node.op is not None
    base, dim, index, source, adding = _arguments(node)
    d, shape = node.spec.dtype, shape_of(node.spec)
    if gpu or index is None or not shape or not d.opencl or not isinstance(source, Node) or not is_tensor_like(source.spec) \
            or source.spec.dtype is not d or (adding and d in (dt.float16, dt.bool_)) \
            or not same_shape(shape_of(base.spec), shape) \
            or not all(row_major(shape_of(n.spec), strides_of(n.spec)) for n in (base, source, node)):
        return None
    given = shape_of(source.spec)
    kind = d.opencl if adding else INTEGER[d.itemsize]
    put = "(new)" if not adding else "((old) + (new))" if d.category == 2 else "wrap_add(old, new)"
    definitions = {"ELEM": kind, "PUT_AT(old, new)": put}
    if isinstance(index, tuple):
        places = several(base, index, refusing)
        where = None if places is None else \
            source_definitions(given, (*shape[:dim], *places.shape, *shape[dim + places.n:]), places, kind)
    else:
        numbers = shape_of(index.spec)
        if not row_major(numbers, strides_of(index.spec)):
            return None
        places, where = one(index, dim, shape[dim], refuse_places, False), EACH_ROW
        if node.op.name not in BY_ROW:
            return _elements(node, name, definitions, (base, dim, index, source))
        if len(numbers) != 1 or len(given) != len(shape) or not same_but(given, shape, dim):
            return None
    if places is None or where is None or any(map(is_zero, (*shape, *places.shape, *given))):
        return None
    end = dim + places.n
    outer, rows, inner, count = product(shape[:dim]), product(shape[dim:end]), product(shape[end:]), product(places.shape)
    text = instance("scatter.cl", "rows", name, {**definitions, **where, **places.definitions})
    made = Kernel(name, text, "tiles", [Array("out", d, True, node), *places.arrays, Array("source", d, False, source)], [],
                  [outer, inner, count, rows, *places.sizes], [(outer, 1), (inner, 16)], 1, [count, 16], 1, True, [node])
    made.checks = places.checks
    return [made]


def _elements(node: Node, name: str, definitions: dict[str, str], args: tuple[Node, int, Node, Node]) -> list[Kernel] | None:
    """The launch for scatter_ and scatter_add_, where every element has a number of its own."""
    _, dim, index, source = args
    d, shape, numbers = node.spec.dtype, shape_of(node.spec), shape_of(index.spec)
    if len(numbers) != len(shape) or not same_shape(numbers, shape_of(source.spec)) or not same_but(numbers, shape, dim) \
            or any(map(is_zero, (*shape, *numbers))):
        return None
    outer, rows, inner, count = product(shape[:dim]), shape[dim], product(shape[dim + 1:]), numbers[dim]
    text = instance("scatter.cl", "elements", name, {**definitions, "INDEX": index.spec.dtype.opencl})
    made = Kernel(name, text, "tiles", [Array("out", d, True, node), Array("index", index.spec.dtype, False, index),
                                        Array("source", d, False, source)], [], [outer, inner, count, rows],
                  [(outer, 1), (inner, 1)], 1, [count, 16], 1, True, [node])
    made.checks = [(refuse_places, index, rows)]
    return [made]


def _arguments(node: Node) -> tuple[Node, int, Any, Any, bool]:
    """(what is written to, first dimension, numbers, source, whether it is added); the numbers of x[...] = y are a tuple,
    those of what has no kernels None."""
    assert node.op is not None
    adding = node.op.name in ADDING
    if node.op.name != "index_put_":
        base, dim, index, source, *alpha = node.args
        plain = not alpha or (not isinstance(alpha[0], bool) and alpha[0] == 1)
        return base, dim, index if plain else None, source, adding
    base, indices, source, adding = node.args
    return base, next(d for d, i in enumerate(indices) if i is not None), tuple(indices), source, adding


def refuse_places(index: np.ndarray, n: int) -> None:
    """RuntimeError, as eager mode's, if a number names no place."""
    from ...ops.scatter import _bounds

    _bounds(index, n, "scatter")
