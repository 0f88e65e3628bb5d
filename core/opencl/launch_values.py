"""Where the values of a graph live while its launch function runs: arrays, tensors, buffers, memory in between.

On CPU devices kernels read and write NumPy arrays in place, by address where the driver runs them as functions of this
process. A value that only kernels and products touch lies in the
frame's own memory, at a place that is known once the sizes are; a value that something else may hold on to (a result, an
argument of a NumPy step) gets an array of its own in every call. On devices with memory of their own arrays are copied in
when a kernel reads them and out when the host does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.node import Graph, Node, walk_nodes
from ..guards.origin import ArgOrigin
from ..tensor.meta import TensorMeta
from ..tensor.tensor import Tensor, wrap_meta
from . import memory
from .devices import pyopencl
from .frames import FREE, Place, Slot, refs
from .fuse import Plan
from .launch_text import EACH, HELD, ONCE, Text, level_of_args
from .lower import Alias, Host, is_scalar_node
from .sizes import Size, dense_order, product, row_major, shape_of, strides_of, times


class InBetween:
    """A value in the frame's memory: its bytes and the launches between which it is needed."""

    def __init__(self, name: str, nbytes: str, now: int) -> None:
        self.name, self.nbytes, self.first, self.last = name, nbytes, now, now


class Values(Text):
    """Text with variables for values."""

    def __init__(self, graph: Graph, plan: Plan, zero_copy: bool, by_address: bool, templated: set[int]) -> None:
        """`by_address`: kernels get addresses, not buffers. `templated`: ids of Host nodes that kernels from templates
        compute."""
        super().__init__(graph)
        self.plan, self.zero_copy, self.by_address, self.templated = plan, zero_copy, by_address, templated
        self.globals.update({"wrap": wrap_meta, "meta_of": TensorMeta.of, "flat": memory.flat, "Slot": Slot,
                             "Place": Place, "address": memory.address, "NOTHING": memory.NOTHING, "refs": refs, "FREE": FREE,
                             "buffer_of": memory.buffer_of, "READ": memory.READ if zero_copy else memory.COPY_IN,
                             "WRITE": memory.WRITE, "copy": pyopencl().enqueue_copy, "Buffer": pyopencl().Buffer})
        self.names |= {*self.globals, "on", "queue", "enqueue", "finish", "context", "fresh", "idx", "arena", "hold",
                       "held", "at", "real", "table", "frames", "ready", "run", "go", "out", "known", "read", "root", "bound",
                       "recorder", "profiled", "sampled", "this", "bind"}
        self.arrays: dict[int, str] = {}         # id(node) -> variable of its NumPy array
        self.buffers: dict[int, str] = {}        # id(node) -> variable of a buffer over its memory
        self.between: dict[int, InBetween] = {}  # id(base node) -> its place in the frame's memory
        self.scratch: dict[str, InBetween] = {}  # name of a scratch argument -> its place
        self.places: list[InBetween] = []        # all of them, in the order of their first uses
        self.changing: dict[str, tuple[str, str]] = {}       # memory that a call may find new -> (if so, its new value)
        self.sets: dict[str, list[str]] = {}     # such memory -> where it is put, or lines that bind it
        self.parameters: list[tuple[str, str]] = []          # held inputs: (tensor, array)
        self.replacing: set[int] = set()         # values that lie where what they are made of lay
        self.now = 0                             # number of the step being written
        self.pending = False                     # kernels are enqueued that nothing has waited for
        self.escaping = self._escaping()

    # -- what is what ------------------------------------------------------------------------------------------------
    def base(self, node: Node) -> Node:
        """The value whose memory `node` shares by being an alias of it."""
        recipe = self.plan.recipes[node]
        while isinstance(recipe, Alias):
            node = recipe.base
            recipe = self.plan.recipes[node]
        return node

    def _escaping(self) -> set[int]:
        """Values whose memory something beside kernels and products may hold on to: results, arguments of NumPy steps, and
        what those are views of."""
        found = {id(n) for out in self.graph.outputs for n in walk_nodes(out)}
        for node in reversed(self.graph.nodes):
            recipe = self.plan.recipes[node]
            if isinstance(recipe, Alias):
                if id(node) in found:
                    found.add(id(recipe.base))
            elif isinstance(recipe, Host) and recipe.kind in ("view", "item"):
                if id(node) in found:
                    found |= {id(n) for n in walk_nodes(node.args)}
            elif isinstance(recipe, Host) and recipe.kind != "matmul" and id(node) not in self.templated:
                found.add(id(node))
                found |= {id(n) for n in walk_nodes(node.args)}
        return found

    def is_held(self, node: Node) -> bool:
        """Whether an input is a parameter or the like: not an argument of the function, so most likely the same tensor
        in every call."""
        return self.zero_copy and node.kind == "input" and not is_scalar_node(node) and node.origin is not None \
            and not isinstance(node.origin, ArgOrigin)

    def bytes(self, node: Node) -> Size:
        return times(product(shape_of(node.spec)), node.spec.dtype.itemsize)

    def surely_some(self, node: Node) -> bool:
        """Whether a value has elements, whatever its symbols are (sizes that are symbols are at least 2)."""
        return all(n > 0 if isinstance(n, int) else n.op == "sym" and self.graph.symbols[n.args[0]][0] == "size"
                   for n in shape_of(node.spec))

    def surely_none(self, node: Node) -> bool:
        return any(isinstance(n, int) and n == 0 for n in shape_of(node.spec))

    # -- memory in between -------------------------------------------------------------------------------------------
    def in_between(self, name: str, nbytes: str) -> InBetween:
        made = InBetween(self.name(f"{name}_m", ONCE), nbytes, self.now)
        self.places.append(made)
        return made

    def touch(self, node: Node) -> None:
        """The value's memory is needed in this step."""
        place = self.between.get(id(self._root(node)))
        if place is not None:
            place.last = self.now

    def _root(self, node: Node) -> Node:
        """The value in whose memory `node` lies, through aliases and views."""
        recipe = self.plan.recipes[node]
        while isinstance(recipe, Alias) or (isinstance(recipe, Host) and recipe.kind == "view"):
            node = recipe.base if isinstance(recipe, Alias) else node.args[0]
            recipe = self.plan.recipes[node]
        return node

    # -- arrays and tensors ------------------------------------------------------------------------------------------
    def array(self, node: Node) -> str:
        """The variable of a value's NumPy array."""
        self.touch(node)
        found = self.arrays.get(id(node))
        if found is None:
            found = self.arrays[id(node)] = self._array(node)
        return found

    def _array(self, node: Node) -> str:
        recipe = self.plan.recipes[node]
        if node.kind == "constant":
            return self.const(f"{node.name}_a", node.value._array)
        if isinstance(recipe, Alias):
            return self.view(node, self.array(recipe.base))
        place = self.between.get(id(node))
        if place is not None and self.zero_copy:
            text = f"{place.name}[0].view({self.dtype(node.spec.dtype)}).reshape({self.shape(self.memory_shape(node))})"
            return self.define(f"{node.name}_a", text + self.back(node), ONCE)
        if self.is_held(node):
            found = self.define(f"{node.name}_a", f"{self.tensors[id(node)]}._array", HELD)
            self.parameters.append((self.tensors[id(node)], found))
            return found
        if id(node) in self.tensors:
            return self.define(f"{node.name}_a", f"{self.tensors[id(node)]}._array", EACH)
        found = self.new_array(node)                               # on the device: bring it here
        if not self.surely_none(node):
            guard = "" if self.surely_some(node) else f"if {found}.size: "
            self.line(f"{guard}copy(queue, {found}, {self.buffers[id(node)]})")
        self.pending = False
        return self.permuted(node, found)

    def view(self, node: Node, base: str) -> str:
        """A NumPy view of `base`, at the level of what it is taken of."""
        assert node.op is not None
        fn = self.const(f"view_{node.op.name}", node.op.eager)
        level = max(self.level[base], level_of_args(self, node.args[1:]))
        return self.define(f"{node.name}_a", f"{fn}({', '.join([base, *map(self.value, node.args[1:])])})", level)

    def tensor(self, node: Node) -> str:
        """The variable of a value's Tensor."""
        found = self.tensors.get(id(node))
        if found is None:
            if node.kind == "constant":
                found = self.const(node.name, node.value)
            else:
                found = self.define(node.name, f"wrap({self.own_array(node)}, {self.meta(node)})", EACH)
            self.tensors[id(node)] = found
        return found

    def own_array(self, node: Node) -> str:
        """Text of an array object that nothing else has (its memory may be shared)."""
        array = self.array(node)
        return array if self.level[array] == EACH else f"{array}.view()"

    def meta(self, node: Node) -> str:
        spec = node.spec
        cls = spec.cls or Tensor
        shape, strides = shape_of(spec), strides_of(spec)
        if all(isinstance(n, int) for n in (*shape, *strides)):
            return self.const(f"{node.name}_meta", TensorMeta.of(cls, spec.dtype, spec.device, shape, strides,
                                                                 spec.requires_grad))
        fixed = [self.const(f"{node.name}_{k}", v) for k, v in
                 (("class", cls), ("dtype", spec.dtype), ("device", spec.device))]
        text = f"meta_of({', '.join(fixed)}, {self.shape(shape)}, {self.shape(strides)}, {spec.requires_grad})"
        return self.define(f"{node.name}_meta", text, max(self.level_of(shape), self.level_of(strides)))

    # -- buffers -----------------------------------------------------------------------------------------------------
    def buffer(self, node: Node) -> str:
        """The variable of a buffer with a value's elements, or of their address."""
        self.touch(node)
        found = self.buffers.get(id(node))
        if found is None:
            found = self.buffers[id(node)] = self._buffer_over(node)
        return found

    def _buffer_over(self, node: Node) -> str:
        place = self.between.get(id(node))
        if place is not None:
            return self.define(f"{node.name}_b", f"{place.name}[1]", ONCE)
        if self.surely_none(node):
            return self.define(f"{node.name}_b", "NOTHING" if self.by_address else "Buffer(context, 1, 64)", ONCE)
        array = self.array(node)
        level = self.level[array]
        if level == EACH and self.zero_copy and node.kind == "input":
            slot = self.define(f"{node.name}_slot", "Place()" if self.by_address else "Slot(context)", ONCE)
            found = self.name(f"{node.name}_b", EACH)
            self.changing[found] = (f"{slot}.ref() is not {array}", f"{slot}.miss({array})")
            return found
        if self.by_address:
            return self.define(f"{node.name}_b", f"address({array})", level)
        if level < EACH:
            return self.define(f"{node.name}_b", f"buffer_of(context, READ, {array})", level)
        if not self.surely_some(node):
            return self.define(f"{node.name}_b", f"buffer_of(context, READ, {array})", EACH)
        shape, strides = shape_of(node.spec), strides_of(node.spec)
        if not row_major(shape, strides):
            order = dense_order(shape, strides)
            array = f"flat({array})" if order is None else f"{array}.transpose({order})"
        return self.define(f"{node.name}_b", f"Buffer(context, READ, 0, {array})", EACH)

    # -- new memory --------------------------------------------------------------------------------------------------
    def order(self, node: Node) -> tuple[int, ...]:
        """Dimensions from slowest to fastest in memory."""
        shape, strides = shape_of(node.spec), strides_of(node.spec)
        order = None if row_major(shape, strides) else dense_order(shape, strides)
        return tuple(range(len(shape))) if order is None else order

    def memory_shape(self, node: Node) -> list[Size]:
        """Sizes in the order of memory."""
        return [shape_of(node.spec)[d] for d in self.order(node)]

    def back(self, node: Node) -> str:
        """Text that gives an array in memory order its shape."""
        order = self.order(node)
        return "" if order == tuple(range(len(order))) else f".transpose({tuple(int(d) for d in np.argsort(order))})"

    def new_array(self, node: Node) -> str:
        """An uninitialised array in memory order; `permuted` gives it its shape."""
        return self.define(f"{node.name}_a", f"empty({self.shape(self.memory_shape(node))}, {self.dtype(node.spec.dtype)})",
                           EACH)

    def permuted(self, node: Node, array: str) -> str:
        back = self.back(node)
        if back:
            self.line(f"{array} = {array}{back}")
        return array

    def make(self, node: Node) -> None:
        """Memory for a value that is about to be computed, unless it has taken the place of another."""
        if id(node) in self.replacing:
            return
        into = self.plan.in_place.get(id(node))
        if into is not None:
            self.make(into)
            self.replacing.add(id(into))
            known: Any
            for known in (self.between, self.buffers, self.arrays):
                if id(into) in known:
                    known[id(node)] = known[id(into)]
            return
        nbytes = self.bytes(node)
        if self.level_of(nbytes) == ONCE and (id(node) not in self.escaping or not self.zero_copy):
            self.between[id(node)] = self.in_between(node.name, self.size(nbytes))
            return
        assert self.zero_copy
        if self.by_address:
            self._recycled(node, nbytes)
            return
        if isinstance(nbytes, int) and nbytes < memory.LEASE:
            array = self.new_array(node)
            found = self.define(f"{node.name}_b", f"Buffer(context, WRITE, 0, {array})" if nbytes else
                                f"buffer_of(context, WRITE, {array})", EACH)
        else:
            array, found = self.name(f"{node.name}_a"), self.name(f"{node.name}_b")
            sizes, kind, size = self.shape(self.memory_shape(node)), self.dtype(node.spec.dtype), self.size(nbytes)
            if isinstance(nbytes, int):
                self.line(f"{array}, {found} = fresh({sizes}, {kind}, {size})")
            else:
                sizes = self.define(f"{node.name}_shape", sizes, ONCE)
                size = self.define(f"{node.name}_bytes", size, ONCE)
                small = self.define(f"{node.name}_small", f"0 < {size} < {memory.LEASE}", ONCE)
                self.line(f"if {small}:")
                self.line(f"    {array} = empty({sizes}, {kind})")
                self.line(f"    {found} = Buffer(context, WRITE, 0, {array})")
                self.line("else:")
                self.line(f"    {array}, {found} = fresh({sizes}, {kind}, {size})")
        self.buffers[id(node)] = found
        self.arrays[id(node)] = self.permuted(node, array)

    def _recycled(self, node: Node, nbytes: Size) -> None:
        """An array of an earlier call that nobody has any more, or a new one."""
        sizes = f"{self.shape(self.memory_shape(node))}, {self.dtype(node.spec.dtype)}, {self.size(nbytes)}"
        if self.level_of(nbytes) == EACH:
            array, found = self.name(f"{node.name}_a"), self.name(f"{node.name}_b")
            self.line(f"{array}, {found} = fresh({sizes})")
        else:
            kept = self.define(f"{node.name}_kept", f"on.result({sizes})", ONCE)
            array, found = self.define(f"{node.name}_a", f"{kept}.last", EACH), self.name(f"{node.name}_b", EACH)
            self.line(f"if refs({array}) > FREE:")
            self.line(f"    {array} = {kept}.next()")
            self.line(f"    @{found}")
            self.changing[found] = ("", f"{kept}.address")
            self.sets[found] = []
        self.buffers[id(node)] = found
        self.arrays[id(node)] = self.permuted(node, array)

    def finish(self) -> None:
        if self.pending:
            self.line("finish()")
            self.pending = False


__all__ = ["EACH", "HELD", "ONCE", "Values"]
