"""Which operators have hand-written kernels: the name in `Template(name)` -> what makes the launches for a node.

A maker gets (node, kernel name, gpu, host): `gpu` asks for the GPU schedule, `host` says that NumPy could compute the
node in place. It returns the kernels in order, or None if it has none for these arguments: then the operator is
written out in terms of others where its declaration says how, else NumPy computes the node.
"""

from __future__ import annotations

from collections.abc import Callable

from ...graph.node import Node
from ...ops.op import Template
from ..kernels import Kernel
from . import attention, convolution, fold, matmul, pool, rows, scan, scatter, sort

Maker = Callable[[Node, str, bool, bool], list[Kernel] | None]


def has_kernels(node: Node, gpu: bool, host: bool) -> bool:
    """Whether hand-written kernels compute a node."""
    lower = node.op.lower if node.op is not None else None
    return isinstance(lower, Template) and lower.name in TEMPLATES \
        and TEMPLATES[lower.name](node, "k", gpu, host) is not None


TEMPLATES: dict[str, Maker] = {
    "attention": attention.kernels,
    "convolution": convolution.kernels,
    "fold": fold.kernels,
    "matmul": matmul.kernels,
    "pool": pool.kernels,
    "rows": rows.kernels,
    "scan": scan.kernels,
    "scatter": scatter.kernels,
    "sort": sort.kernels,
}
