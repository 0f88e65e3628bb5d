"""The OpenCL backend's entry: graph -> expand -> recipes -> fuse -> loops -> schedule -> OpenCL C -> launcher.

`CompiledGraph(*inputs)` runs it. Every stage can be printed: `.text` is the launch plan, `.stages` the rest.
"""

from __future__ import annotations

import itertools
import linecache
import threading
import time
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from ..errors import GuardscopeError, InternalError
from ..events.recorder import RECORDER
from ..graph.node import Graph, Node
from ..graph.printer import graph_text
from . import profiling
from .build_loops import identifier
from .devices import BIG, Device, Target, choose, pyopencl
from .expand import expand, share
from .fuse import Group, plan
from .kernels import Kernel, kernels_of, program_text
from .launcher import LaunchWriter, last_uses
from .lower import Host, recipes
from .program import BuildFailed, build
from .templates.table import TEMPLATES

PIECES_PER_UNIT = 4          # pieces of work per core: evens out cores that are busy with something else
_NUMBERS = itertools.count()


@dataclass(frozen=True, slots=True)
class BackendOptions:
    """device: as --device says. name: for messages and the generated function. schedule: "auto", "cpu" or "gpu" (the
    GPU schedule also runs on CPU devices). zero_copy: None decides by the device. always: "small" or "large" pins all
    calls to one of the CPU's two devices."""

    device: str = "auto"
    name: str = "graph"
    schedule: str = "auto"
    zero_copy: bool | None = None
    always: str | None = None


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """One kernel for readers. node_indices: of the captured graph's nodes that it computes. build_ns: of the program
    that holds it (0 when it was found in a cache). work: how its work is cut, in words."""

    name: str
    source: str
    device: str
    node_indices: tuple[int, ...]
    build_ns: int
    work: str
    where: str = ""


@dataclass(slots=True)
class Stages:
    """What each stage made, as text."""

    expanded: str = ""
    loops: list[str] = field(default_factory=list)
    program: str = ""


class CompiledGraph:
    """A graph as kernels and one launch function. Calls from several threads run one after the other."""

    def __init__(self, graph: Graph, options: BackendOptions) -> None:
        self.options = options
        self.target: Target = choose(options.device)
        gpu = self.target.gpu if options.schedule == "auto" else options.schedule == "gpu"
        zero_copy = self.target.zero_copy if options.zero_copy is None else options.zero_copy
        self.stages = Stages()
        expanded = expand(graph)
        share(expanded.graph)
        self.stages.expanded = graph_text(expanded.graph)
        todo = recipes(expanded.graph, self.target.fp64)
        fused = plan(todo)
        names = _KernelNames()
        by_step: dict[int, list[Kernel]] = {}
        for number, step in enumerate(fused.steps):
            recipe = todo[step] if isinstance(step, Node) else None
            if isinstance(step, Group):
                by_step[number] = kernels_of(fused, step, gpu, names.of(step))
            elif isinstance(recipe, Host) and recipe.kind in TEMPLATES:
                made = TEMPLATES[recipe.kind](step, names.of(step), gpu, zero_copy)
                if made:
                    by_step[number] = made
        self._kernels = [k for ks in by_step.values() for k in ks]
        self.stages.loops = [k.loops for k in self._kernels]
        templated = {id(step) for number, step in enumerate(fused.steps) if number in by_step and isinstance(step, Node)}
        writer = LaunchWriter(expanded.graph, fused, self.target, zero_copy, templated)
        parameters = writer.begin()
        writer.line("")                                  # the place of the choice of device, filled in below
        choice = len(writer.lines) - 1
        released = last_uses(fused.steps, by_step, writer)
        launched: list[Kernel] = []
        for number, step in enumerate(fused.steps):
            if number in by_step:
                for kernel in by_step[number]:
                    before = len(writer.fixed)
                    writer.launch(kernel)
                    if len(writer.fixed) > before:
                        launched.append(kernel)
            else:
                assert isinstance(step, Node)
                recipe = todo[step]
                assert isinstance(recipe, Host)
                writer.host(recipe)
            writer.release(released.get(number, []))
        writer.end([o if isinstance(o, Node) else None for o in graph.outputs])
        self._launched = launched
        big, hint = writer.big(launched)
        if options.always is not None:
            big, hint = str(options.always == "large"), BIG if options.always == "large" else 0
        writer.lines[choice] = "queue, kernels, grid, pieces = " + {
            "True": "LARGE or bind(1)", "False": "SMALL or bind(0)"}.get(
            big, f"(LARGE or bind(1)) if {big} else (SMALL or bind(0))")
        if not launched:
            writer.lines[choice] = "pass"
        self.launch_text = "\n".join([f"def {writer.name(options.name)}({parameters}):", "    with lock:",
                                      *("        " + x for x in writer.lines)]) + "\n"
        self._writer = writer
        self._lock = threading.RLock()
        self.program = self.stages.program = program_text(launched) if launched else ""
        self.kernels: list[KernelInfo] = []
        self._origins = expanded.origin
        self._call = self._make(None)
        self._profiled: Any = None
        self.timed = 0                                   # calls seen while launches were to be timed
        if launched:
            first = self.target.large if hint >= BIG else self.target.small
            self._describe(self._build(first), first)

    # -- building ----------------------------------------------------------------------------------------------------
    def _build(self, device: Device) -> Any:
        return build(self.program, ["-DIDX=long"], device)

    def _describe(self, built: Any, device: Device) -> None:
        for k in self._launched:
            indices = sorted({self._origins[id(n)].index for n in k.nodes})
            self.kernels.append(KernelInfo(k.name, k.text, device.info.name, tuple(indices),
                                           built.build_ns if built.where == "driver" else 0, k.work_text(), built.where))

    def _make(self, collector: Any) -> FunctionType:
        """The launch function; with a collector, on a profiling queue, every enqueue leaves its event there."""
        names = dict(self._writer.globals)
        from ..symbolic.text import MATH

        names.update(SMALL=None, LARGE=None, lock=self._lock, math=MATH)
        if collector is not None:
            names["enqueue"] = collector.enqueue

        def bind(which: int) -> tuple:
            device = self.target.large if which else self.target.small
            found = self._bound(device, collector)
            names["LARGE" if which else "SMALL"] = found
            if self.target.small is self.target.large:
                names["SMALL"] = names["LARGE"] = found
            return found

        names["bind"] = bind
        file = f"<launch {self.options.name} {next(_NUMBERS)}>"
        linecache.cache[file] = (len(self.launch_text), None, self.launch_text.splitlines(True), file)
        before = set(names)
        exec(compile(self.launch_text, file, "exec"), names)
        (made,) = set(names) - before - {"__builtins__"}
        return names[made]

    def _bound(self, device: Device, collector: Any) -> tuple:
        """(queue, kernels, grid, pieces) with every argument set that never changes."""
        built = self._build(device)
        most = 1 if device.info.units == 1 or device.info.name.startswith("basic") else \
            device.info.units * PIECES_PER_UNIT
        kernels, grid = [], []
        for fixed in self._writer.fixed:
            kernel = built.kernel(fixed.kernel.name)
            arguments = [x for index, code, value in fixed.arguments for x in (index, code.encode(), value)]
            g = 0
            if fixed.units is not None and fixed.kernel.has_per:
                g, per = fixed.pieces(most)
                assert fixed.per_index is not None
                from .launcher import LONG
                arguments += [fixed.per_index, LONG.encode(), per]
            if arguments:
                kernel._set_arg_buf_pack_multi(tuple(arguments))
            if collector is not None:
                collector.names[id(kernel)] = fixed.kernel.name
            kernels.append(kernel)
            grid.append((g or 1,))
        return (device.profiling_queue if collector is not None else device.queue), kernels, grid, most

    # -- running -----------------------------------------------------------------------------------------------------
    def __call__(self, *inputs: Any) -> tuple:
        if RECORDER.profiling and profiling.is_sampled(self):
            return self._run_profiled(inputs)
        try:
            return self._call(*inputs)
        except pyopencl().Error as problem:
            raise BuildFailed(f"running the kernels of {self.options.name!r} on {self.target.name!r} failed: {problem}; "
                              "expected the device to have the memory and resources they need.") from problem

    def _run_profiled(self, inputs: tuple) -> tuple:
        if self._profiled is None:
            collector = profiling.Collector(self)
            self._profiled = (collector, self._make(collector))
        collector, call = self._profiled
        with self._lock:
            out = call(*inputs)
            collector.report(time.perf_counter_ns())
        return out

    @property
    def text(self) -> str:
        """The launch plan: the generated function with the kernels it launches."""
        parts = [f"# device: {self.target.name}"]
        for k in self._launched:
            parts.append(f"# kernel {k.name}: {k.work_text()}")
        for step in self._writer.plan.steps:
            if isinstance(step, Node):
                recipe = self._writer.plan.recipes[step]
                own = any(step in k.nodes for k in self._launched)
                if isinstance(recipe, Host) and recipe.kind != "item" and not own:
                    parts.append(f"# {step.name}: {recipe.kind} on the host{f' ({recipe.why})' if recipe.why else ''}")
        return "\n".join([*parts, self.launch_text])


class _KernelNames:
    """Names from the nodes: what ends in the kernel's outputs, at most three."""

    def __init__(self) -> None:
        self.taken: dict[str, int] = {}

    def of(self, step: Group | Node) -> str:
        nodes = [step] if isinstance(step, Node) else (step.outputs or step.members)[-3:]
        name = "k_" + "_".join(dict.fromkeys(identifier(n.name) for n in nodes))
        count = self.taken[name] = self.taken.get(name, 0) + 1
        return name if count == 1 else f"{name}_{count}"


def compile_graph(graph: Graph, options: BackendOptions | None = None) -> CompiledGraph:
    """Compile a captured graph. EnvironmentProblem (also BuildFailed) when OpenCL cannot be used for it, InternalError
    for a fault of this backend: in both cases NumPy can run the graph."""
    options = options or BackendOptions()
    try:
        return CompiledGraph(graph, options)
    except GuardscopeError:
        raise
    except Exception as fault:
        raise InternalError(f"the OpenCL backend failed on graph {options.name!r} with {type(fault).__name__}: {fault}; "
                            "expected a compiled graph; please report it with the session file.") from fault


__all__ = ["BackendOptions", "CompiledGraph", "KernelInfo", "compile_graph"]
