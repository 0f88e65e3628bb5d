"""Which operators have hand-written kernels: the name in `Template(name)` -> what makes the launches for a node.

A maker gets (node, kernel name, gpu, host): `gpu` asks for the GPU schedule, `host` says that NumPy could compute the
node in place. It returns the kernels in order, or None if NumPy shall compute the node.
"""

from __future__ import annotations

from collections.abc import Callable

from ...graph.node import Node
from ..kernels import Kernel
from . import matmul

Maker = Callable[[Node, str, bool, bool], list[Kernel] | None]

TEMPLATES: dict[str, Maker] = {
    "matmul": matmul.kernels,
}
