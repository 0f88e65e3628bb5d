"""Places that tensors of numbers name in neighbouring dimensions of an array: x[i], x[i, j], x[:, i, j].

The dimensions count as one, whose places kernels get from PLACE(k), for the k-th of all numbers. Tensors of numbers that
are broadcast against each other are read where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graph.node import Node
from ..loop_ir import Array
from ..sizes import Size, is_one, product, row_major, same, same_shape, shape_of, strides_of

Check = Callable[[np.ndarray, int], None]


@dataclass
class Places:
    """dim, n: the first dimension and their number. shape: of the numbers together. definitions: INDICES and SIZES (further
    arguments of a kernel) and PLACE(k). arrays, sizes: those arguments. checks: as of a kernel."""

    dim: int
    n: int
    shape: tuple[Size, ...]
    definitions: dict[str, str]
    arrays: list[Array]
    sizes: list[Size]
    checks: list[tuple[Check, Node, Size]]


def one(index: Node, dim: int, rows: Size, check: Check, from_end: bool) -> Places:
    """Places in one dimension with `rows` rows. `from_end`: numbers below 0 count from there."""
    number = "(IDX)index[k]"
    return Places(dim, 1, shape_of(index.spec), {
        "INDICES": f"__global const {index.spec.dtype.opencl} *restrict index", "SIZES": "",
        "PLACE(k)": f"from_end({number}, rows)" if from_end else f"({number})"},
        [Array("index", index.spec.dtype, False, index)], [], [(check, index, rows)])


def several(source: Node, indices: tuple[Any, ...], refusing: Callable[[int], Check]) -> Places | None:
    """The places of source[indices]; `refusing` gives the check for a dimension. None for truth values, for dimensions that
    are no neighbours, and for numbers with gaps in memory."""
    given = [(d, i) for d, i in enumerate(indices) if i is not None]
    dims, tensors = [d for d, _ in given], [i for _, i in given]
    rows = shape_of(source.spec)
    if dims != list(range(dims[0], dims[0] + len(dims))) \
            or not all(i.spec.dtype.category == 1 and row_major(shape_of(i.spec), strides_of(i.spec)) for i in tensors):
        return None
    if len(given) == 1:
        return one(tensors[0], dims[0], rows[dims[0]], refusing(dims[0]), True)
    shape = _together([shape_of(i.spec) for i in tensors])
    if shape is None:
        return None
    place = ""
    for k, i in enumerate(tensors):
        number = f"from_end((IDX)index_{k}[{_position(shape_of(i.spec), shape)}], rows_{k})"
        place = f"({place}) * rows_{k} + {number}" if place else number
    names = [*(f"rows_{k}" for k in range(len(given))), *(f"count_{p}" for p in range(len(shape)))]
    return Places(dims[0], len(dims), shape, {
        "INDICES": ", ".join(f"__global const {i.spec.dtype.opencl} *restrict index_{k}" for k, i in enumerate(tensors)),
        "SIZES": "".join(f", const IDX {name}" for name in names), "PLACE(k)": f"({place})"},
        [Array(f"index_{k}", i.spec.dtype, False, i) for k, i in enumerate(tensors)], [*(rows[d] for d in dims), *shape],
        [(refusing(d), i, rows[d]) for d, i in given])


def _together(shapes: list[tuple[Size, ...]]) -> tuple[Size, ...] | None:
    """The shape that tensors are broadcast to; None if that is not sure."""
    out: list[Size] = [1] * max(map(len, shapes))
    for shape in shapes:
        for p, n in enumerate(shape, len(out) - len(shape)):
            if is_one(out[p]):
                out[p] = n
            elif not is_one(n) and not same(n, out[p]):
                return None
    return tuple(out)


def _position(own: tuple[Size, ...], shape: tuple[Size, ...]) -> str:
    """Where the number for the k-th of all places is in a tensor of the shape `own`, which is broadcast to `shape`."""
    if same_shape(own, shape):
        return "k"
    skipped = len(shape) - len(own)
    kept = [p for p, n in enumerate(own, skipped) if not is_one(n)]
    terms = []
    for p in kept:
        inner = [f"count_{q}" for q in range(p + 1, len(shape)) if not is_one(shape[q])]
        at = f"k / ({' * '.join(inner)})" if inner else "k"
        outside = any(not is_one(n) for n in shape[:p])
        strides = [f"count_{q}" for q in kept if q > p]
        terms.append(" * ".join([f"{at} % count_{p}" if outside else at, *strides]))
    return " + ".join(terms) or "0"


def source_definitions(given: tuple[Size, ...], wanted: tuple[Size, ...], places: Places, kind: str) -> dict[str, str] | None:
    """Where the elements of values are that are broadcast to `wanted`, [outer..., numbers..., a row...] with elements of the
    OpenCL type `kind`: SOURCE(o, k), FROM(c), FROM16(c). None where only some of the dimensions of a part are broadcast."""
    parts = (wanted[:places.dim], wanted[places.dim: places.dim + len(places.shape)], wanted[places.dim + len(places.shape):])
    padded: tuple[Size, ...] = (1,) * (len(wanted) - len(given)) + given
    if len(padded) != len(wanted):
        return None
    has, start = [], 0
    for part in parts:
        own = padded[start: start + len(part)]
        start += len(part)
        if not same_shape(own, part) and not all(map(is_one, own)):
            return None
        has.append(not all(map(is_one, own)) or is_one(product(part)))
    rows, row = [*["(k)"] * has[1]], ["width"] * has[2]
    terms = [" * ".join(["(o)", *["count"] * has[1], *row])] if has[0] else []
    terms += [" * ".join([*rows, *row])] if has[1] else []
    return {"SOURCE(o, k)": f"({' + '.join(terms) or '0'})", "FROM(c)": "from[c]" if has[2] else "*from",
            "FROM16(c)": "load(from + c)" if has[2] else f"(({kind}16)(*from))"}
