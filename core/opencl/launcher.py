"""One launch function per compiled graph: `bind` makes it ready for a device and sizes, what it returns runs a call.

The functions are generated, readable text (kept in linecache, so tracebacks show them): bind creates kernel objects, sets
all arguments that never change and lays out the memory in between; `hold` does what follows from the parameters' memory,
when that is another than before; the inner function makes results, sets what is new, enqueues, and waits once at the end.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..graph.node import Graph, Node
from ..ops.eager import run_recorded
from ..ops.promotion import is_tensor_like
from .blas import ALONE_ANYWAY, threads
from .frames import cut
from .fuse import Plan
from .launch_kernels import LONG, Launches
from .launch_text import EACH, ONCE
from .lower import Host
from .sizes import Size, product, row_major, shape_of, strides_of, times


class LaunchWriter(Launches):
    """Writes the functions' lines and collects the objects they refer to."""

    def __init__(self, graph: Graph, plan: Plan, zero_copy: bool, by_address: bool, templated: set[int]) -> None:
        super().__init__(graph, plan, zero_copy, by_address, templated)
        self.globals.update({"matmul": np.matmul, "run_eager": run_recorded, "cut": cut, "blas": threads(), "ONE": (1,),
                             "item": tuple.__getitem__})
        self.names |= set(self.globals)
        self.blas = False                        # NumPy's BLAS is called

    # -- inputs ------------------------------------------------------------------------------------------------------
    def begin(self) -> None:
        """Name inputs and symbols."""
        self.find_key()
        for node in self.graph.inputs:
            self.tensors[id(node)] = self.name(node.name, EACH)
        for symbol in self.graph.symbols:
            self.symbols[symbol] = self.name(symbol, ONCE if symbol in self.key else EACH)
        for symbol in self.graph.symbols:
            if symbol not in self.key:
                self.line(f"{self.symbols[symbol]} = {self.source(symbol)}")

    def source(self, symbol: str) -> str:
        """Where the value of a symbol is found in the inputs."""
        kind, node, *dim = self.graph.symbols[symbol]
        given = self.tensors[id(node)]
        if kind == "value":
            return given
        # Size has a __getitem__ in Python: go around it
        return f"item({given}._meta.shape, {dim[0]})" if kind == "size" else f"{given}._meta.strides[{dim[0]}]"

    # -- host steps --------------------------------------------------------------------------------------------------
    def host(self, recipe: Host) -> None:
        """Lines that compute a node with NumPy."""
        self.now += 1
        node = recipe.node
        op = node.op
        if recipe.kind == "item":
            self._item(node)
            return
        assert op is not None
        if recipe.kind == "view":
            self.arrays[id(node)] = self.view(node, self.array(node.args[0]))
            return
        if recipe.kind == "matmul" and node.spec.dtype.name in ("float32", "float64") and self.zero_copy:
            self._product(node)
            return
        args = [self.value(v) for v in node.args]
        self.finish()
        fn = self.const(f"op_{op.name}", op)
        self.tensors[id(node)] = self.define(node.name, f"run_eager({fn}, ({''.join(a + ', ' for a in args)}))", EACH)
        if op.mutates and not self.zero_copy:
            here = self.arrays.keys() | self.tensors.keys()      # what is on the host counts from now on
            self.buffers = {k: v for k, v in self.buffers.items() if k not in here}
            self.between = {k: v for k, v in self.between.items() if k not in here}

    def _product(self, node: Node) -> None:
        """A matrix product by NumPy's BLAS."""
        left, right = node.args[:2]
        a, b = self.array(left), self.array(right)
        self.make(node)
        out = self.array(node)
        self.finish()
        if len(left.spec.shape) > 2 and len(right.spec.shape) == 2 and self.surely_some(node) \
                and row_major(shape_of(left.spec), strides_of(left.spec)):
            *batch, depth = shape_of(left.spec)        # one product of all rows instead of one per batch
            rows, columns = product(batch), shape_of(right.spec)[1]
            a = self.define(f"{a}_rows", f"{a}.reshape({self.shape([rows, depth])})", self.level[a])
            out = self.define(f"{out}_rows", f"{out}.reshape({self.shape([rows, columns])})", self.level[out])
        work = times(product(shape_of(node.spec)), shape_of(left.spec)[-1])
        if not isinstance(work, int) or work > ALONE_ANYWAY:
            self.line(f"blas.one_for({self.size(work)})")
            self.blas = True
        self.line(f"matmul({a}, {b}, {out})")

    def _item(self, node: Node) -> None:
        source, k = node.args
        recipe = self.plan.recipes[source]
        of_views = isinstance(recipe, Host) and recipe.kind == "view"
        given = (self.arrays if of_views else self.tensors)[id(source)]
        name = self.define(f"{node.name}_a" if of_views else node.name, f"{given}[{k}]", self.level[given])
        (self.arrays if of_views else self.tensors)[id(node)] = name

    # -- the end -----------------------------------------------------------------------------------------------------
    def end(self, specs: list[Node | None]) -> None:
        """Return the outputs. `specs`: per output the captured node whose metadata it must have."""
        self.now += 1
        results = []
        for out, captured in zip(self.graph.outputs, specs):
            results.append(self._result(out, captured))
        self.finish()
        if self.blas:
            self.line("blas.back()")
        self.line(f"return ({''.join(r + ', ' for r in results)})")

    def _result(self, out: Any, captured: Node | None) -> str:
        if isinstance(out, Node) and is_tensor_like(out.spec):
            if id(out) in self.tensors or out.kind == "constant":
                return self.tensor(out)
            return f"wrap({self.own_array(out)}, {self.meta(captured or out)})"
        if isinstance(out, tuple | list | dict):
            inner = [self._result(v, None) for v in (out.values() if isinstance(out, dict) else out)]
            if isinstance(out, dict):
                return "{" + ", ".join(f"{k!r}: {v}" for k, v in zip(out, inner)) + "}"
            return f"({''.join(v + ', ' for v in inner)})" if isinstance(out, tuple) else f"[{', '.join(inner)}]"
        return self.value(out)

    # -- the whole ---------------------------------------------------------------------------------------------------
    def text(self, name: str) -> str:
        """The module: `reach` and `largest` (what a call's sizes come to), `bind`, and the entry `name`."""
        once, hold, each = self.lines
        key = [self.symbols[s] for s in self.key]
        inputs = ", ".join(self.tensors[id(n)] for n in self.graph.inputs)
        memory: list[str] = []
        if self.places:
            ordered = sorted(self.places, key=lambda p: p.first)
            values = ", ".join(f"({p.nbytes}, {p.first}, {p.last})" for p in ordered)
            memory = [f"arena = on.arena(({values},), {self.zero_copy})",
                      f"{', '.join(p.name for p in ordered)}, = arena.values"]
        lines = [f"def bind({', '.join(['on', *key])}):"]
        head = ["queue, enqueue, context, idx = on.queue, on.enqueue, on.context, on.idx", "finish = queue.finish",
                "fresh = on.pool.fresh"]
        if self.rows:
            head.append(f"at, real, table = on.table({self.rows})")
        lines += [f"    {x}" for x in [*head, *self.work, *memory, *once]]
        lines += self._hold_text(hold)
        changed = " or ".join(["not held", *(f"{t}._array is not {a}" for t, a in self.parameters)])
        bind = [f"if {changed}:", f"    hold({', '.join(t for t, _ in self.parameters)})"] if self.parameters else []
        free = self.free_inputs()
        passed = ", ".join(free or [])
        lines += ["", f"    def run({inputs if free is None else passed}):"]
        if free is None:
            lines += [f"        {x}" for x in bind]
        for x in each:
            text = x.lstrip()
            new = self._bind_text(text[1:]) if text.startswith("@") else [text]
            lines += [" " * (8 + len(x) - len(text)) + y for y in new]
        if free is not None:
            held = self._read_names()
            lines += ["    go = run", "", f"    def run({inputs}):", *[f"        {x}" for x in bind],
                      f"        return go({passed})", "",
                      f"    def bound_run({', '.join([*free, 'known', 'read', 'root'])}):", "        nonlocal bound",
                      "        if known is None or known is not bound:", f"            {held}, = read(root)",
                      *[f"            {x}" for x in bind], "            bound = known", f"        return go({passed})",
                      "    run.bound = bound_run"]
        kept = [*(["arena"] if self.places else []), *(["at"] if self.rows else []), *dict.fromkeys(self.kept)]
        if kept:
            lines += [f"    run.kept = {', '.join(kept)},         # kernels do not keep their memory"]
        lines += ["    return run", "", f"def {name}({inputs}):", *self._entry(key, inputs, inputs, "run", [])]
        if free is not None:
            taken = ", ".join([*free, "known", "read", "root"])
            read = [f"{self._read_names()}, = read(root)"]
            lines += ["", f"def {name}_bound({taken}):", *self._entry(key, inputs, taken, "run.bound", read)]
        return "\n".join(lines) + "\n"

    def free_inputs(self) -> list[str] | None:
        """The inputs beside the parameters whose memory is held, if a call can do without those while they are the same
        (capture/bound_inputs.py)."""
        held = {t for t, _ in self.parameters}
        used = {word for line in self.lines[EACH] for word in re.findall(r"\w+", line)}
        sized = {self.tensors[id(node)] for _, node, *_ in self.graph.symbols.values()}
        if not held or held & (used | sized):
            return None
        return [name for n in self.graph.inputs if (name := self.tensors[id(n)]) not in held]

    def _read_names(self) -> str:
        """The held inputs in the order in which `read` gives them, which is that of the graph's inputs."""
        return ", ".join(self.tensors[id(self.graph.inputs[i])] for i in self.held_places())

    def held_places(self) -> tuple[int, ...]:
        """Positions of the inputs whose memory is held."""
        held = {t for t, _ in self.parameters}
        return tuple(i for i, n in enumerate(self.graph.inputs) if self.tensors[id(n)] in held)

    def _hold_text(self, lines: list[str]) -> list[str]:
        """The function for what follows from the memory of parameters."""
        if not self.parameters:
            return []
        names = [x.split(" = ")[0] for x in lines if " = " in x and x.split(" = ")[0].isidentifier()]
        return ["    held, watched, bound = False, [], None", *[f"    {n} = None" for n in names], "",
                f"    def hold({', '.join(t for t, _ in self.parameters)}):",
                f"        nonlocal {', '.join(['held', 'watched', 'bound', *names])}", "        held, bound = False, None",
                *[f"        {x}" for x in lines],
                f"        watched = on.watch(({', '.join(t for t, _ in self.parameters)},))", "        held = True"]

    def _bind_text(self, memory: str) -> list[str]:
        """What binds memory that is another than in the last call."""
        condition, value = self.changing[memory]
        lines = [f"{' = '.join([*self.sets[memory], value])}"] if self.by_address \
            else [f"{memory} = {value}", *self.sets[memory]]
        return [f"if {condition}:", *[f"    {x}" for x in lines]] if condition else lines

    def _entry(self, key: list[str], inputs: str, taken: str, run: str, read: list[str]) -> list[str]:
        """The body of a function that is called with `taken`: it finds the frame and calls its `run`. `read`: gets what else
        is needed for all `inputs`."""
        sources = [self.source(s) for s in self.key]
        lines = ["    if recorder.profiling and sampled(this):", *[f"        {x}" for x in read],
                 f"        return profiled({inputs})", *[f"    {k} = {s}" for k, s in zip(key, sources) if k != s]]
        sizes = f"{', '.join(key)}" if len(key) == 1 else f"({', '.join(key)})"
        given, those = f"({inputs}{',' if inputs else ''})", f"({sizes},)" if len(key) == 1 else sizes
        return [*lines, "    try:", f"        ready = frames.by_sizes[{sizes}]" if key else "        ready = frames.ready",
                "        run = ready.pop()", "    except LookupError:", "        run = None", "    try:",
                "        if run is None:", *[f"            {x}" for x in read],
                f"            return frames.first({those}, {given})", f"        out = {run}({taken})",
                "        ready.append(run)", "        return out", "    except Error as problem:",
                *[f"        {x}" for x in read], f"        return failed(problem, {given})"]

    # -- what a call's sizes come to ---------------------------------------------------------------------------------
    def largest(self) -> list[Size]:
        """Bytes of the arrays that kernels read and write."""
        found: list[Size] = []
        for kernel in self.launched:
            found += [self.bytes(a.node) for a in kernel.arrays if a.node is not None]
        return unique(found)

    def reach(self) -> list[Size]:
        """What positions in arrays and numbers of pieces of work come to: they must fit the index type."""
        found: list[Size] = []
        for kernel in self.launched:
            for a in kernel.arrays:
                if a.node is not None:
                    shape, strides = shape_of(a.node.spec), strides_of(a.node.spec)
                    found += [times(n, s) for n, s in zip(shape, strides)]
                    found.append(product(shape))
                elif a.count is not None:
                    found.append(a.count)
            found.append(product(n for n, _ in kernel.units))
            if kernel.style != "tiles":
                found.append(product(kernel.weight))
        return unique(found)


def unique(sizes: list[Size]) -> list[Size]:
    """The greatest number and every different expression."""
    numbers = [n for n in sizes if isinstance(n, int)]
    others: dict[int, Size] = {id(n): n for n in sizes if not isinstance(n, int)}
    return [max(numbers, default=0), *others.values()]


__all__ = ["LONG", "LaunchWriter"]
