"""Matrix products: the host's BLAS where NumPy has one and reads device memory in place, else our own kernels.

The kernels (opencl_kernels/matmul.cl) take any sizes and strides as arguments, up to two dimensions of batches. On CPU
devices one operand is first rearranged into panels of 32 lines that the inner loop reads as vectors; the other one is
read element by element. Which operand is the cheaper to rearrange is told by the sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import numpy as np

from ...graph.node import Graph, Node
from ...ops.op import OPS
from ...tensor import dtypes as dt
from ...tensor.dtypes import dtype
from ...tensor.meta import Spec
from ...tensor.tensor import wrap
from ..devices import choose
from ..kernels import Kernel
from ..loop_ir import Array
from ..sizes import Size, ceil_div, is_one, product, same, shape_of, strides_of, times
from ..tails import Tail
from . import trial
from .instance import accumulator, arithmetic, instance

GPU_TILE, ROWS, LINES = 16, 8, 32
THIN = 8                       # fewer rows than that are no work for tiles: BLAS, or the kernel without panels
LEAST, SURE, MOST = 1 << 18, 1 << 20, 1 << 32     # multiplications of a product: below and above, BLAS
TINY = 1 << 13                 # up to here the call of BLAS costs more than the product: a kernel shares its neighbours' launch

_FORCED: ContextVar[bool | None] = ContextVar("forced", default=None)    # during a trial: kernels or BLAS
RUNS_ON: ContextVar[Callable[[], str]] = ContextVar("runs_on", default=lambda: "small")  # which device a graph will run on


class Geometry:
    """Sizes and strides of out[b0, b1, i, j] = sum over k of a[b0, b1, i, k] * b[b0, b1, k, j]."""

    def __init__(self, n0: Size, n1: Size, rows: Size, columns: Size, depth: Size, a: list[Size], b: list[Size],
                 hints: dict[str, Any]) -> None:
        self.n0, self.n1, self.rows, self.columns, self.depth = n0, n1, rows, columns, depth
        self.a, self.b = a, b                          # strides: b0, b1, i, k and b0, b1, k, j
        self.hints = hints

    def hint(self, n: Size) -> int:
        """A size, or what it was when the graph was captured."""
        return n if isinstance(n, int) else int(n.evaluate(self.hints))

    def sizes(self) -> list[Size]:
        """As the kernels without panels take them."""
        return [self.n0, self.n1, self.rows, self.columns, self.depth, *self.a, *self.b]


def kernels(node: Node, name: str, gpu: bool, host: bool, tail: Tail | None = None) -> list[Kernel] | None:
    """The launches for a matmul, mm or bmm node, or None if the host shall compute it. `tail`: what becomes of every element
    before it is stored."""
    a, b = node.args[:2]
    d = node.spec.dtype
    if not isinstance(a, Node) or not isinstance(b, Node) or d is dt.bool_:
        return None
    g = geometry(a.spec, b.spec, node.spec)
    if g is None or (host and d in (dt.float32, dt.float64) and not own_is_faster(g, d)):
        return None
    if gpu or d not in (dt.float32, dt.float64) or g.hint(g.rows) < THIN or g.hint(g.columns) < THIN:
        return [with_tail(direct(node, name, g, gpu, tail), tail)]
    *first, last = packed(node, name, g, tail)
    return [*first, with_tail(last, tail)]


def tail_definitions(tail: Tail | None) -> dict[str, Any]:
    """What the kernels' text needs of a tail."""
    if tail is None:
        return {"HAS_TAIL": 0, "TAIL(v, row, j)": "(v)", "TAIL_ARGUMENTS": "", "TAIL_SIZES": ""}
    return {"HAS_TAIL": 1, "TAIL(v, row, j)": tail.call, "TAIL_ARGUMENTS": tail.arguments, "TAIL_SIZES": tail.sizes_text}


def with_tail(kernel: Kernel, tail: Tail | None) -> Kernel:
    """The kernel that stores the tail's result instead of the product."""
    if tail is not None:
        *given, out = kernel.arrays
        kernel.arrays = [*given, replace(out, node=tail.out), *tail.arrays]
        kernel.scalars, kernel.sizes = tail.scalars, [*kernel.sizes, *tail.sizes]
        kernel.names = tail.names
        kernel.nodes = [*kernel.nodes, *tail.group.members]
    return kernel


def own_is_faster(g: Geometry, d: dtype) -> bool:
    """Whether the kernels beat BLAS. They do for middle sizes, most where an operand's columns are contiguous (x @
    weight.T); what is neither thin nor small is measured. They also do for tiny ones where launches are cheap."""
    forced = _FORCED.get()
    if forced is not None:
        return forced
    rows, columns, depth, batch = (g.hint(n) for n in (g.rows, g.columns, g.depth, times(g.n0, g.n1)))
    work = rows * columns * depth
    if all(isinstance(n, int) for n in g.sizes()[:5]) and work * batch <= TINY:
        return choose("cpu").by_address
    if min(rows, columns) < THIN or depth < THIN or not LEAST <= work <= MOST:
        return False
    usual = "kernels" if min(rows, columns) >= 48 and depth >= 32 and SURE <= work <= MOST // 16 else "blas"
    sizes = [trial.size_class(n) for n in (min(batch, 64), rows, depth, columns)]
    turned = is_one(g.b[2]) and not is_one(g.b[3])
    which = RUNS_ON.get()()
    question = f"{getattr(choose('cpu'), which).key}: {d.name} {' x '.join(map(str, sizes))}{' of columns' if turned else ''}"
    return trial.choice(question, {"blas": lambda: _way(False, sizes, turned, d, which),
                                   "kernels": lambda: _way(True, sizes, turned, d, which)}, usual) == "kernels"


def _way(own: bool, sizes: list[int], turned: bool, d: dtype, which: str) -> Callable[[], Any]:
    """A product of such sizes, computed by the kernels or by BLAS, on the device where the graph runs that asks: the first
    program for another one takes half a second."""
    from ..compile import BackendOptions, compile_graph

    batch, rows, depth, columns = sizes
    rng = np.random.default_rng(0)
    a = wrap(rng.random((batch, rows, depth)).astype(d.numpy))
    b = rng.random((batch, columns, depth) if turned else (batch, depth, columns)).astype(d.numpy)
    inputs = [a, wrap(b.swapaxes(1, 2) if turned else b)]
    graph = Graph("trial")
    nodes = [graph.add("input", name, spec=Spec(d, x.shape, x._meta.strides)) for name, x in zip("ab", inputs)]
    spec = Spec(d, (batch, rows, columns))
    graph.outputs = [graph.add("op", "product", args=tuple(nodes), op=OPS["bmm"], spec=spec)]
    token = _FORCED.set(own)
    try:
        compiled = compile_graph(graph, BackendOptions(device="cpu", name="trial", shared=False, always=which))
    finally:
        _FORCED.reset(token)
    return lambda: compiled.entry(*inputs)


def direct(node: Node, name: str, g: Geometry, gpu: bool, tail: Tail | None = None) -> Kernel:
    """One kernel that reads both operands where they are."""
    d = node.spec.dtype
    section = "gpu" if gpu else "dots" if is_one(g.a[3]) and is_one(g.b[2]) else "cpu"
    text = instance("matmul.cl", section, name, {**arithmetic(d), "B_UNIT": int(is_one(g.b[3])), **tail_definitions(tail)},
                    () if tail is None else (tail.function,))
    down, across = (GPU_TILE, GPU_TILE) if gpu else (ROWS, LINES)
    return Kernel(name, text, "groups" if gpu else "tiles", operands(node), [], g.sizes(),
                  [(g.n0, 1), (g.n1, 1), (g.rows, down), (g.columns, across)], 1, [down, across, g.depth],
                  GPU_TILE ** 2 if gpu else 1, not gpu, [node])


def operands(node: Node) -> list[Array]:
    d = node.spec.dtype
    return [Array("a", d, False, node.args[0]), Array("b", d, False, node.args[1]), Array("out", d, True, node)]


def packed(node: Node, name: str, g: Geometry, tail: Tail | None = None) -> list[Kernel]:
    """Two kernels: one rearranges an operand into panels, the other multiplies."""
    d = node.spec.dtype
    a, b, out = operands(node)
    by_columns = is_one(g.b[3]) or g.hint(g.columns) <= g.hint(g.rows)      # vectors along the result's columns
    if by_columns:
        lines, moving, strides = g.columns, b, [g.b[0], g.b[1], g.b[3], g.b[2]]
        rows, still, steps = g.rows, a, g.a
    else:
        lines, moving, strides = g.rows, a, g.a
        rows, still, steps = g.columns, b, [g.b[0], g.b[1], g.b[3], g.b[2]]
    first, panels, where = pack(name, node, moving, d, g.n0, g.n1, lines, g.depth, strides)
    text = instance("matmul.cl", "packed", name, {**arithmetic(d), "TURNED": int(not by_columns), **tail_definitions(tail)},
                    () if tail is None else (tail.function,))
    height = ROWS if by_columns else 2 * ROWS
    second = Kernel(name, text, "tiles", [still, panels, out], [],
                    [g.n0, g.n1, rows, lines, g.depth, *steps, *where],
                    [(g.n0, 1), (g.n1, 1), (rows, height), (lines, LINES)], 1, [height, LINES, g.depth], 1, True, [node])
    return [first, second]


def pack(name: str, node: Node, moving: Array, d: dtype, n0: Size, n1: Size, lines: Size, depth: Size,
         strides: list[Size]) -> tuple[Kernel, Array, list[Size]]:
    """(the kernel that rearranges an operand, the panels as an argument, how many matrices lie between two batches).
    `strides`: of the operand along the two batch dimensions, its lines and its depth. An operand that all batches share
    is rearranged once."""
    shared0 = isinstance(strides[0], int) and strides[0] == 0
    shared1 = isinstance(strides[1], int) and strides[1] == 0
    m0, m1 = 1 if shared0 else n0, 1 if shared1 else n1
    acc = accumulator(d)
    across = ceil_div(lines, LINES)
    panels = f"{name}_panels"
    count = product([m0, m1, across, LINES, depth])
    layout = "LINE_UNIT" if is_one(strides[2]) else "DEPTH_UNIT" if is_one(strides[3]) else "NO_UNIT"
    text = instance("matmul.cl", "pack", f"{name}_pack", {**arithmetic(d), layout: 1})
    kernel = Kernel(f"{name}_pack", text, "tiles", [moving, Array(panels, acc, True, None, count)], [],
                    [m0, m1, lines, depth, *strides], [(m0, 1), (m1, 1), (lines, LINES)], 1, [LINES, depth], 1, True, [node])
    return kernel, Array(panels, acc, False, None, count), [0 if shared0 else m1, 0 if shared1 else 1]




def geometry(a: Any, b: Any, out: Any) -> Geometry | None:
    """None for operands with too many dimensions of batches."""
    shape_a, shape_b, shape_out = list(shape_of(a)), list(shape_of(b)), list(shape_of(out))
    strides_a, strides_b = list(strides_of(a)), list(strides_of(b))
    if len(shape_a) == 1:
        shape_a, strides_a, shape_out = [1, *shape_a], [0, *strides_a], [*shape_out[:-1], 1, *shape_out[-1:]] \
            if len(shape_b) > 1 else [1, *shape_out]
    if len(shape_b) == 1:
        shape_b, strides_b, shape_out = [*shape_b, 1], [*strides_b, 0], [*shape_out, 1]
    batch = shape_out[:-2]
    moves_a = batch_strides(shape_a[:-2], strides_a[:-2], len(batch))
    moves_b = batch_strides(shape_b[:-2], strides_b[:-2], len(batch))
    dims = merged([(n, s, t) for n, s, t in zip(batch, moves_a, moves_b)])
    if len(dims) > 2:
        return None
    rows = shape_a[-2]
    if dims and same(dims[-1][1], times(strides_a[-2], rows)) and isinstance(dims[-1][2], int) and dims[-1][2] == 0:
        rows = times(dims.pop()[0], rows)              # one b for all: more rows rather than more products
    dims = [(1, 0, 0)] * (2 - len(dims)) + dims
    (n0, a0, b0), (n1, a1, b1) = dims
    return Geometry(n0, n1, rows, shape_b[-1], shape_a[-1], [a0, a1, strides_a[-2], strides_a[-1]],
                    [b0, b1, strides_b[-2], strides_b[-1]], hints_of(a, b))


def hints_of(*specs: Any) -> dict[str, Any]:
    """The symbols' values at capture."""
    for spec in specs:
        for n in (*spec.shape, *spec.strides):
            if hasattr(n, "env"):
                return n.env.hints
    return {}


def merged(dims: list[tuple]) -> list[tuple]:
    """(size, strides...) of batch dimensions, without those of size 1, neighbours that all operands walk as one made one."""
    dims = [d for d in dims if not is_one(d[0])]
    k = len(dims) - 2
    while k >= 0:
        (n, *outer), (m, *inner) = dims[k], dims[k + 1]
        if all(same(s, times(t, m)) for s, t in zip(outer, inner)):
            dims[k: k + 2] = [(times(n, m), *inner)]
        k -= 1
    return dims


def batch_strides(shape: list[Size], strides: list[Size], count: int) -> list[Size]:
    """Strides along `count` batch dimensions; 0 where an operand is repeated."""
    padded: list[Size] = [0] * (count - len(shape))
    return padded + [0 if is_one(n) else s for n, s in zip(shape, strides)]
