"""Rows and elements by number: embedding, index_select, x[numbers], x[numbers, numbers], gather. Numbers out of range raise
before anything is read. For CPU devices; on GPUs only what reads an array in its own sorted order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...graph.node import Node
from ..kernels import Kernel
from ..loop_ir import Array
from ..sizes import Size, product, row_major, same, shape_of, strides_of
from .instance import instance
from .numbers import one, several

GPU_LOCAL = 64
INTEGER = {1: "char", 2: "short", 4: "int", 8: "long"}


def kernels(node: Node, name: str, gpu: bool, host: bool) -> list[Kernel] | None:
    """The launch for an embedding, index_select, index or gather node, or None if NumPy shall compute it."""
    assert node.op is not None
    refuse: Callable[[np.ndarray, int], None]
    if node.op.name == "embedding":
        source, index = node.args
        dim, refuse = 0, refuse_rows
    elif node.op.name == "index":
        return None if gpu else _by_numbers(node, name)
    else:
        source, dim, index = node.args[:3]
        refuse = refuse_rows if node.op.name == "index_select" else refuse_elements
    shape = shape_of(source.spec)
    in_range = is_order_of(index, source, dim)
    if (gpu and not (in_range and node.op.name == "gather")) or not shape or not source.spec.dtype.opencl \
            or not all(row_major(shape_of(n.spec), strides_of(n.spec)) for n in (source, index, node)):
        return None
    outer, rows, inner = product(shape[:dim]), shape[dim], product(shape[dim + 1:])
    section, count = "rows", product(shape_of(index.spec))
    if node.op.name == "gather":
        section, count = "elements on gpu" if gpu else "elements", shape_of(index.spec)[dim] if shape_of(index.spec) else 1
        if len(shape_of(index.spec)) != len(shape) or not same_but(shape, shape_of(index.spec), dim):
            return None
    text = instance("rows.cl", section, name, {
        "ELEM": INTEGER[source.spec.dtype.itemsize],
        **(one(index, dim, rows, refuse, False).definitions if section == "rows" else {"INDEX": index.spec.dtype.opencl}),
        **({"LOCAL": GPU_LOCAL} if gpu else {})})
    arrays = [Array("source", source.spec.dtype, False, source), Array("index", index.spec.dtype, False, index),
              Array("out", node.spec.dtype, True, node)]
    if gpu:
        return [Kernel(name, text, "items", arrays, [], [outer, count, inner, rows], [(outer, 1), (count, 1), (inner, 1)], 1,
                       [], GPU_LOCAL, False, [node])]
    made = Kernel(name, text, "tiles", arrays, [], [outer, count, inner, rows], [(outer, 1), (count, 1)], 1, [inner], 1, True,
                  [node])
    made.checks = [] if in_range else [(refuse, index, rows)]
    return [made]


def _by_numbers(node: Node, name: str) -> list[Kernel] | None:
    """The launch for x[numbers], x[numbers, numbers] or x[:, numbers]."""
    source, indices = node.args
    places = several(source, indices, refusing)
    d, shape = source.spec.dtype, shape_of(source.spec)
    if places is None or not d.opencl or not all(row_major(shape_of(n.spec), strides_of(n.spec)) for n in (source, node)):
        return None
    at, end = places.dim, places.dim + places.n
    outer, rows, inner, count = product(shape[:at]), product(shape[at:end]), product(shape[end:]), product(places.shape)
    text = instance("rows.cl", "rows", name, {"ELEM": INTEGER[d.itemsize], **places.definitions})
    made = Kernel(name, text, "tiles", [Array("source", d, False, source), *places.arrays, Array("out", d, True, node)], [],
                  [outer, count, inner, rows, *places.sizes], [(outer, 1), (count, 1)], 1, [inner], 1, True, [node])
    made.checks = places.checks
    return [made]


def is_order_of(index: Node, source: Node, dim: int) -> bool:
    """Whether the numbers are surely places in the source, because they are its own sorted order."""
    return index.op is not None and index.op.name == "order" and index.args[0] is source and index.args[2] == dim


def same_but(a: tuple[Size, ...], b: tuple[Size, ...], dim: int) -> bool:
    return all(d == dim or same(m, n) for d, (m, n) in enumerate(zip(a, b)))


def _outside(index: np.ndarray, n: int) -> bool:
    """Whether a number is not in 0 .. n-1: negative ones are huge when taken as unsigned."""
    return index.size > 0 and int(index.view(f"u{index.itemsize}").max()) >= n


def refuse_rows(index: np.ndarray, n: int) -> None:
    """IndexError if a number names no row."""
    if _outside(index, n):
        raise IndexError("index out of range in self")


def refusing(dim: int) -> Callable[[np.ndarray, int], None]:
    """The check of x[index], where numbers may count from either end of dimension `dim`."""
    def refuse_numbers(index: np.ndarray, n: int) -> None:
        if _outside(index, n) and (index.min() < -n or index.max() >= n):
            bad = index[(index < -n) | (index >= n)].reshape(-1)[0]
            raise IndexError(f"index {bad} is out of bounds for dimension {dim} with size {n}")

    return refuse_numbers


def refuse_elements(index: np.ndarray, n: int) -> None:
    """RuntimeError, as gather's, if a number names no element."""
    if _outside(index, n):
        bad = index[(index < 0) | (index >= n)].reshape(-1)[0]
        raise RuntimeError(f"index {bad} is out of bounds for dimension 0 with size {n}")
