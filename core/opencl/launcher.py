"""One Python function per compiled graph: binds symbols, makes outputs, sets arguments, enqueues, finishes.

The function is generated, readable text (kept in linecache, so tracebacks show it). On CPU devices kernels read and
write NumPy arrays in place; values that only kernels touch live in pooled blocks. On devices with memory of their own
arrays are copied in when a kernel reads them and out when the host does.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..graph.node import Graph, Node, walk_nodes
from ..ops.eager import run_eager
from ..ops.promotion import is_tensor_like
from ..tensor.dtypes import dtype
from ..tensor.meta import TensorMeta
from ..tensor.tensor import Tensor, wrap_meta
from . import memory
from .blas import ALONE_ANYWAY, threads
from .build_loops import identifier
from .devices import BIG, Target, pyopencl
from .fuse import Group, Plan
from .kernels import MIN_WORK, Kernel
from .loop_ir import Array
from .lower import Alias, Host, is_scalar_node
from .sizes import Size, dense_order, product, row_major, same, shape_of, strides_of, times

LONG = "l" if struct.calcsize("l") == 8 else "q"
CODE = {"bool": "i", "uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": LONG, "float16": "f",
        "float32": "f", "float64": "d"}      # as struct and pyopencl pack a scalar argument of that dtype


class Fixed:
    """What is known of a launch before any call: unchanging scalar arguments, and its units if they are static."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.arguments: list[tuple[int, str, Any]] = []
        self.units: int | None = None
        self.weight = 1
        self.per_index: int | None = None

    def pieces(self, most: int) -> tuple[int, int]:
        """(work-items, units per work-item) for a device that takes `most` pieces."""
        assert self.units is not None
        return cut(self.units, self.weight, self.kernel.grain, most)


def cut(units: int, weight: int, grain: int, most: int) -> tuple[int, int]:
    """Cut `units` of `weight` elements into at most `most` pieces worth a thread: (pieces, units per piece)."""
    wanted = min(max(units * weight // MIN_WORK, 1), most)
    per = max(-(-units // wanted), 1)
    per = -(-per // grain) * grain
    return -(-units // per), per


class LaunchWriter:
    """Writes the function's lines and collects the objects they refer to."""

    def __init__(self, graph: Graph, plan: Plan, target: Target, zero_copy: bool, templated: set[int]) -> None:
        """`templated`: ids of Host nodes that kernels from templates compute."""
        self.graph, self.plan, self.target, self.zero_copy = graph, plan, target, zero_copy
        self.templated = templated
        context = target.large.context
        pool = memory.pool_of(context)
        self.globals: dict[str, Any] = {
            "np": np, "empty": np.empty, "matmul": np.matmul, "Buffer": pyopencl().Buffer,
            "context": context,
            "wrap": wrap_meta, "meta_of": TensorMeta.of, "run_eager": run_eager, "cut": cut, "flat": memory.flat,
            "buffer_of": memory.buffer_of, "take": pool.take, "give": pool.give, "fresh": pool.fresh,
            "copy": pyopencl().enqueue_copy,
            "enqueue": pyopencl().enqueue_nd_range_kernel, "DUMMY": pyopencl().Buffer(context, 1, 64), "ONE": (1,),
            "READ": memory.READ if zero_copy else memory.COPY_IN, "WRITE": memory.WRITE, "DEVICE": memory.DEVICE,
            "blas": threads()}
        self.names: set[str] = set(self.globals) | {"queue", "kernels", "grid", "pieces", "k", "g", "per", "lock"}
        self.lines: list[str] = []
        self.symbols: dict[str, str] = {}
        self.arrays: dict[int, str] = {}         # id(node) -> variable of its NumPy array
        self.tensors: dict[int, str] = {}        # id(node) -> variable of its Tensor (or of a scalar input)
        self.buffers: dict[int, str] = {}        # id(node) -> variable of a buffer over its memory
        self.blocks: dict[int, str] = {}         # id(node) -> variable of its pooled block
        self.scratch: dict[str, str] = {}        # partial results -> variable of their block
        self.free: list[tuple[Size, str]] = []   # blocks whose value is no longer needed
        self.taken: list[str] = []
        self.fixed: list[Fixed] = []
        self.pending = False                     # kernels are enqueued that nothing has waited for
        self.blas = False                        # NumPy's BLAS is called
        self.escaping = set(self._escaping())

    # -- names and text ----------------------------------------------------------------------------------------------
    def name(self, wanted: str) -> str:
        base = found = identifier(wanted)
        k = 2
        while found in self.names:
            found, k = f"{base}_{k}", k + 1
        self.names.add(found)
        return found

    def const(self, wanted: str, value: Any) -> str:
        found = self.name(wanted)
        self.globals[found] = value
        return found

    def line(self, text: str) -> None:
        self.lines.append(text)

    def size(self, n: Size) -> str:
        if isinstance(n, int):
            return str(n)
        text = n.python(self.symbols)
        return text if text.isidentifier() else f"({text})"

    def shape(self, sizes: Any) -> str:
        inner = ", ".join(map(self.size, sizes))
        return f"({inner},)" if len(sizes) == 1 else f"({inner})"

    def value(self, v: Any) -> str:
        """Python text of an argument that is no tensor."""
        if isinstance(v, Node):
            return self.tensors[id(v)] if is_scalar_node(v) else self.tensor(v)
        if hasattr(v, "expr") and hasattr(v, "env"):
            return f"({v.expr.python(self.symbols)})"
        if type(v) in (int, bool, str) or v is None:
            return repr(v)
        if isinstance(v, slice):
            return f"slice({self.value(v.start)}, {self.value(v.stop)}, {self.value(v.step)})"
        if type(v) is tuple:
            return f"({''.join(self.value(x) + ', ' for x in v)})"
        if type(v) is list:
            return f"[{', '.join(map(self.value, v))}]"
        if isinstance(v, tuple) and not hasattr(v, "_fields"):
            return self.value(tuple(v))
        return self.const("value", v)

    def dtype(self, d: dtype) -> str:
        found = f"np_{d.name}"
        self.globals[found] = d.numpy
        self.names.add(found)
        return found

    # -- what lives where --------------------------------------------------------------------------------------------
    def base(self, node: Node) -> Node:
        """The value whose memory `node` shares by being an alias of it."""
        recipe = self.plan.recipes[node]
        while isinstance(recipe, Alias):
            node = recipe.base
            recipe = self.plan.recipes[node]
        return node

    def _escaping(self) -> Iterator[int]:
        """Values that something beside kernels and matmul may hold on to: they cannot live in pooled blocks."""
        for out in self.graph.outputs:
            yield from (id(self.base(n)) for n in walk_nodes(out))
        for node in self.graph.nodes:
            recipe = self.plan.recipes[node]
            if isinstance(recipe, Host) and recipe.kind != "matmul" and id(node) not in self.templated:
                yield id(node)
                yield from (id(self.base(n)) for n in walk_nodes(node.args))

    def bytes(self, node: Node) -> Size:
        return times(product(shape_of(node.spec)), node.spec.dtype.itemsize)

    def surely_some(self, node: Node) -> bool:
        """Whether a value has elements, whatever its symbols are (sizes that are symbols are at least 2)."""
        return all(n > 0 if isinstance(n, int) else n.op == "sym" and self.graph.symbols[n.args[0]][0] == "size"
                   for n in shape_of(node.spec))

    # -- inputs ------------------------------------------------------------------------------------------------------
    def begin(self) -> str:
        """Bind inputs and symbols; returns the parameter list."""
        names = []
        for node in self.graph.inputs:
            names.append(self.name(node.name))
            self.tensors[id(node)] = names[-1]
        for symbol, (kind, node, *dim) in self.graph.symbols.items():
            given = self.tensors[id(node)]
            self.symbols[symbol] = self.name(symbol)
            source = given if kind == "value" else f"{given}._meta.{'shape' if kind == 'size' else 'strides'}[{dim[0]}]"
            if source != self.symbols[symbol]:
                self.line(f"{self.symbols[symbol]} = {source}")
        return ", ".join(names)

    def array(self, node: Node) -> str:
        """The variable of a value's NumPy array."""
        found = self.arrays.get(id(node))
        if found is not None:
            return found
        recipe = self.plan.recipes[node]
        if node.kind == "constant":
            found = self.const(f"{node.name}_a", node.value._array)
        elif isinstance(recipe, Alias):
            base = self.array(recipe.base)
            found = self.name(f"{node.name}_a")
            self.line(f"{found} = {self.view(node, base)}")
        elif id(node) in self.blocks:
            found = self.name(f"{node.name}_a")
            self.line(f"{found} = {self.blocks[id(node)]}[0][:{self.size(self.bytes(node))}].view("
                      f"{self.dtype(node.spec.dtype)}).reshape({self.shape(shape_of(node.spec))})")
        elif id(node) in self.tensors:
            found = self.name(f"{node.name}_a")
            self.line(f"{found} = {self.tensors[id(node)]}._array")
        else:                                                      # on the device: bring it here
            found = self.new_array(node)
            if not any(isinstance(n, int) and n == 0 for n in shape_of(node.spec)):
                guard = "" if self.surely_some(node) else f"if {found}.size: "
                self.line(f"{guard}copy(queue, {found}, {self.buffers[id(node)]})")
            found = self.permuted(node, found)
            self.pending = False
        self.arrays[id(node)] = found
        return found

    def view(self, node: Node, base: str) -> str:
        """Text of a NumPy view of `base`."""
        assert node.op is not None
        fn = self.const(f"view_{node.op.name}", node.op.eager)
        return f"{fn}({', '.join([base, *map(self.value, node.args[1:])])})"

    def tensor(self, node: Node) -> str:
        """The variable of a value's Tensor."""
        found = self.tensors.get(id(node))
        if found is None:
            if node.kind == "constant":
                found = self.const(node.name, node.value)
            else:
                array = self.array(node)
                found = self.name(node.name)
                self.line(f"{found} = wrap({array}, {self.meta(node)})")
            self.tensors[id(node)] = found
        return found

    def meta(self, node: Node) -> str:
        spec = node.spec
        cls = spec.cls or Tensor
        shape, strides = shape_of(spec), strides_of(spec)
        if all(isinstance(n, int) for n in (*shape, *strides)):
            return self.const(f"{node.name}_meta", TensorMeta.of(cls, spec.dtype, spec.device, shape, strides,
                                                                 spec.requires_grad))
        fixed = [self.const(f"{node.name}_{k}", v) for k, v in
                 (("class", cls), ("dtype", spec.dtype), ("device", spec.device))]
        return f"meta_of({', '.join(fixed)}, {self.shape(shape)}, {self.shape(strides)}, {spec.requires_grad})"

    # -- buffers -----------------------------------------------------------------------------------------------------
    def buffer(self, node: Node) -> str:
        """The variable of a buffer with a value's elements."""
        found = self.buffers.get(id(node))
        if found is not None:
            return found
        shape, strides = shape_of(node.spec), strides_of(node.spec)
        if id(node) in self.blocks:
            found = f"{self.blocks[id(node)]}[1]"
        elif any(isinstance(n, int) and n == 0 for n in shape):
            found = "DUMMY"
        elif node.kind == "constant":
            flags = self.globals["READ"]
            found = self.const(f"{node.name}_b", memory.buffer_of(self.globals["context"], flags, node.value._array))
        else:
            array = self.array(node)
            found = self.name(f"{node.name}_b")
            if self.zero_copy and node.kind == "input":
                slot = self.const(f"{node.name}_slot", memory.Slot(self.globals["context"]))
                self.line(f"{found} = {slot}.buffer if {slot}.ref() is {array} else {slot}.miss({array})")
            elif not self.surely_some(node):
                self.line(f"{found} = buffer_of(context, READ, {array})")
            else:
                if not row_major(shape, strides):
                    order = dense_order(shape, strides)
                    array = f"flat({array})" if order is None else f"{array}.transpose({order})"
                self.line(f"{found} = Buffer(context, READ, 0, {array})")
        self.buffers[id(node)] = found
        return found

    def new_array(self, node: Node) -> str:
        """An uninitialised array in memory order; `permuted` gives it its shape."""
        found = self.name(f"{node.name}_a")
        sizes = self.shape([shape_of(node.spec)[d] for d in self.order(node)])
        self.line(f"{found} = empty({sizes}, {self.dtype(node.spec.dtype)})")
        return found

    def order(self, node: Node) -> tuple[int, ...]:
        """Dimensions from slowest to fastest in memory."""
        shape, strides = shape_of(node.spec), strides_of(node.spec)
        order = None if row_major(shape, strides) else dense_order(shape, strides)
        return tuple(range(len(shape))) if order is None else order

    def permuted(self, node: Node, array: str) -> str:
        order = self.order(node)
        if order != tuple(range(len(order))):
            self.line(f"{array} = {array}.transpose({tuple(int(d) for d in np.argsort(order))})")
        return array

    def make(self, node: Node) -> None:
        """Memory for a value that is about to be computed."""
        nbytes = self.bytes(node)
        if not self.zero_copy:
            found = self.buffers[id(node)] = self.name(f"{node.name}_b")
            self.line(f"{found} = Buffer(context, DEVICE, max({self.size(nbytes)}, 64))")
        elif id(node) in self.escaping or not row_major(shape_of(node.spec), strides_of(node.spec)):
            found = self.name(f"{node.name}_b")
            if isinstance(nbytes, int) and nbytes < memory.LEASE:
                array = self.new_array(node)
                self.line(f"{found} = {'Buffer' if nbytes else 'buffer_of'}(context, WRITE, {'0, ' if nbytes else ''}{array})")
            else:
                array = self.name(f"{node.name}_a")
                sizes = self.shape([shape_of(node.spec)[d] for d in self.order(node)])
                self.line(f"{array}, {found} = fresh({sizes}, {self.dtype(node.spec.dtype)}, {self.size(nbytes)})")
            self.buffers[id(node)] = found
            self.arrays[id(node)] = self.permuted(node, array)
        else:
            self.blocks[id(node)] = self.block(node.name, nbytes)

    def block(self, name: str, nbytes: Size | str) -> str:
        """A pooled block: one that became free in this call, else from the pool."""
        if not isinstance(nbytes, str):
            for k, (size, block) in enumerate(self.free):
                if same(size, nbytes):
                    del self.free[k]
                    return block
        block = self.name(f"{name}_m")
        self.line(f"{block} = take({nbytes if isinstance(nbytes, str) else self.size(nbytes)})")
        self.taken.append(block)
        return block

    def release(self, nodes: list[Node]) -> None:
        """The blocks of values that are not needed after this step can hold others."""
        for node in nodes:
            block = self.blocks.get(id(node))
            if block is not None:
                self.free.append((self.bytes(node), block))

    def finish(self) -> None:
        if self.pending:
            self.line("queue.finish()")
            self.pending = False

    # -- launches ----------------------------------------------------------------------------------------------------
    def launch(self, kernel: Kernel) -> None:
        """Lines that run one kernel."""
        fixed = Fixed(kernel)
        number = len(self.fixed)
        self.fixed.append(fixed)
        finishing = any(a.node is None and a.count is None and not a.written for a in kernel.arrays)
        units = [f"-(-{self.size(n)} // {d})" if d > 1 else self.size(n) for n, d in kernel.units]
        if finishing or not kernel.has_per or not kernel.units:
            fixed.units = 1
        elif all(isinstance(n, int) for n, _ in kernel.units) and all(isinstance(n, int) for n in kernel.weight):
            fixed.units = int(np.prod([-(-int(n) // d) for n, d in kernel.units], dtype=np.int64))   # type: ignore[arg-type]
            fixed.weight = int(product(kernel.weight))       # type: ignore[arg-type]
        if fixed.units == 0 or (not kernel.has_per and any(isinstance(n, int) and n == 0 for n, _ in kernel.units)):
            for a in kernel.arrays:                          # nothing to compute, but the memory must exist
                if a.written and a.node is not None:
                    self.make(a.node)
            self.fixed.pop()
            return
        dynamic = fixed.units is None
        if dynamic:
            self.line(f"g, per = cut({' * '.join(units)}, {self.size(product(kernel.weight))}, {kernel.grain}, pieces)")
        elif kernel.partials:
            self.line(f"g = grid[{number}][0]")
        buffers = [f"{i}, {self._buffer(a)}" for i, a in enumerate(kernel.arrays)]
        packed = self._scalars(kernel, fixed, dynamic)
        self.line(f"k = kernels[{number}]")
        self.line(f"k._set_arg_multi(({', '.join(buffers)}))")
        if packed:
            self.line(f"k._set_arg_buf_pack_multi(({', '.join(packed)}))")
        guard = "if g: " if dynamic else ""
        if kernel.has_per or kernel.style in ("chunk", "rows"):
            self.line(f"{guard}enqueue(queue, k, {'(g,)' if dynamic else f'grid[{number}]'}, ONE)")
        else:
            count = " * ".join(units) or "1"
            items = f"-(-({count}) // {kernel.local}) * {kernel.local}" if kernel.style == "items" else \
                f"({count}) * {kernel.local}"
            if kernel.units and not all(isinstance(n, int) for n, _ in kernel.units):
                self.line(f"g = {items}")
                self.line(f"if g: enqueue(queue, k, (g,), ({kernel.local},))")
            else:
                self.line(f"enqueue(queue, k, ({items},), ({kernel.local},))")
        self.pending = True
        for a in kernel.arrays:                              # scratch is read by one kernel; then it can hold other values
            if a.count is not None and not a.written:
                self.free.append((times(a.count, a.dtype.itemsize), self.scratch[a.name]))

    def _buffer(self, a: Array) -> str:
        if a.node is not None:
            if a.written:
                self.make(a.node)
            return self.buffer(a.node)
        if a.written:
            nbytes = f"g * {a.dtype.itemsize}" if a.count is None else times(a.count, a.dtype.itemsize)
            self.scratch[a.name] = self.block(a.name, nbytes)
        return f"{self.scratch[a.name]}[1]"

    def _scalars(self, kernel: Kernel, fixed: Fixed, dynamic: bool) -> list[str]:
        """Scalar arguments: those that never change go to `fixed`, the others are returned as text."""
        packed = []
        index = len(kernel.arrays)
        for value, d in kernel.scalars:
            if isinstance(value, bool | int | float):
                fixed.arguments.append((index, CODE[d.name], value))
            else:
                convert = ("bool", "int", "float")[d.category]
                text = f"({value.python(self.symbols)})" if hasattr(value, "python") else self.value(value)
                packed.append(f"{index}, {CODE[d.name].encode()!r}, {convert}({text})")
            index += 1
        for n in kernel.sizes:
            if isinstance(n, int) and n >= 0:
                fixed.arguments.append((index, LONG, n))
            else:                                        # -1: the number of partial results
                packed.append(f"{index}, {LONG.encode()!r}, {'g' if isinstance(n, int) else self.size(n)}")
            index += 1
        if kernel.has_per:
            if dynamic:
                packed.append(f"{index}, {LONG.encode()!r}, per")
            else:
                fixed.per_index = index
        return packed

    # -- host steps --------------------------------------------------------------------------------------------------
    def host(self, recipe: Host) -> None:
        """Lines that compute a node with NumPy."""
        node = recipe.node
        op = node.op
        if recipe.kind == "item":
            self._item(node)
            return
        assert op is not None
        if recipe.kind == "view":
            source = node.args[0]
            base = self.array(source)
            name = self.name(f"{node.name}_a")
            self.line(f"{name} = {self.view(node, base)}")
            self.arrays[id(node)] = name
            return
        if recipe.kind == "matmul" and node.spec.dtype.name in ("float32", "float64") and self.zero_copy:
            a, b = (self.array(n) for n in node.args[:2])
            self.make(node)
            out = self.array(node)
            self.finish()
            left, right = node.args[:2]
            if len(left.spec.shape) > 2 and len(right.spec.shape) == 2 and self.surely_some(node) \
                    and row_major(shape_of(left.spec), strides_of(left.spec)):
                *batch, depth = shape_of(left.spec)        # one product of all rows instead of one per batch
                rows, columns = product(batch), shape_of(right.spec)[1]
                a, out = f"{a}.reshape({self.shape([rows, depth])})", f"{out}.reshape({self.shape([rows, columns])})"
            work = times(product(shape_of(node.spec)), shape_of(left.spec)[-1])
            if not isinstance(work, int) or work > ALONE_ANYWAY:
                self.line(f"blas.one_for({self.size(work)})")
                self.blas = True
            self.line(f"matmul({a}, {b}, {out})")
            return
        args = [self.value(v) for v in node.args]
        self.finish()
        fn = self.const(f"op_{op.name}", op)
        name = self.name(node.name)
        self.line(f"{name} = run_eager({fn}, ({''.join(a + ', ' for a in args)}))")
        self.tensors[id(node)] = name
        if op.mutates and not self.zero_copy:
            self.buffers = {k: v for k, v in self.buffers.items() if k not in self.arrays and k not in self.tensors}

    def _item(self, node: Node) -> None:
        source, k = node.args
        recipe = self.plan.recipes[source]
        of_views = isinstance(recipe, Host) and recipe.kind == "view"
        name = self.name(f"{node.name}_a" if of_views else node.name)
        self.line(f"{name} = {(self.arrays if of_views else self.tensors)[id(source)]}[{k}]")
        (self.arrays if of_views else self.tensors)[id(node)] = name

    # -- the end -----------------------------------------------------------------------------------------------------
    def end(self, specs: list[Node | None]) -> None:
        """Return the outputs. `specs`: per output the captured node whose metadata it must have."""
        results = []
        for out, captured in zip(self.graph.outputs, specs):
            results.append(self._result(out, captured))
        self.finish()
        if self.blas:
            self.line("blas.back()")
        for block in self.taken:
            self.line(f"give({block})")
        self.line(f"return ({''.join(r + ', ' for r in results)})")

    def _result(self, out: Any, captured: Node | None) -> str:
        if isinstance(out, Node) and is_tensor_like(out.spec):
            if id(out) in self.tensors or out.kind == "constant":
                return self.tensor(out)
            array = self.array(out)
            return f"wrap({array}, {self.meta(captured or out)})"
        if isinstance(out, tuple | list | dict):
            inner = [self._result(v, None) for v in (out.values() if isinstance(out, dict) else out)]
            if isinstance(out, dict):
                return "{" + ", ".join(f"{k!r}: {v}" for k, v in zip(out, inner)) + "}"
            return f"({''.join(v + ', ' for v in inner)})" if isinstance(out, tuple) else f"[{', '.join(inner)}]"
        return self.value(out)

    def big(self, groups: list[Kernel]) -> tuple[str, int]:
        """(Python text that is true when a call is large, the bytes of its largest array by the hints)."""
        from .fuse import _hint

        static, texts, hint = 0, [], 0
        for kernel in groups:
            for a in kernel.arrays:
                if a.node is None:
                    continue
                n = self.bytes(a.node)
                numbers = [_hint(x) for x in a.node.spec.shape]
                hint = max(hint, int(np.prod(numbers, dtype=np.int64)) * a.dtype.itemsize)
                if isinstance(n, int):
                    static = max(static, n)
                elif self.size(n) not in texts:
                    texts.append(self.size(n))
        if static >= BIG or not texts:
            return str(static >= BIG), hint
        return " or ".join(f"{t} >= {BIG}" for t in texts[:8]), hint


def last_uses(steps: list[Group | Node], kernels: dict[int, list[Kernel]], writer: LaunchWriter) -> dict[int, list[Node]]:
    """Step number -> values (by their base) that no later step reads."""
    last: dict[int, tuple[int, Node]] = {}
    for number, step in enumerate(steps):
        if number in kernels:
            nodes = [a.node for k in kernels[number] for a in k.arrays if a.node is not None]
        else:
            assert isinstance(step, Node)
            nodes = [step, *walk_nodes(step.args)]
        for node in nodes:
            base = writer.base(node)
            last[id(base)] = (number, base)
    out: dict[int, list[Node]] = {}
    for number, node in last.values():
        out.setdefault(number, []).append(node)
    return out


__all__ = ["Fixed", "LaunchWriter", "cut", "last_uses"]
