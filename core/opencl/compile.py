"""The OpenCL backend's entry: graph -> expand -> recipes -> fuse -> loops -> schedule -> OpenCL C -> launch function.

`CompiledGraph.entry(*inputs)` runs it. Every stage can be printed: `.text` is the launch plan, `.stages` the rest.
"""

from __future__ import annotations

import contextlib
import itertools
import linecache
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import GuardscopeError, InternalError
from ..events.recorder import RECORDER
from ..graph.interpret import Interpreter
from ..graph.node import Graph, Node
from ..graph.printer import graph_text
from ..ops.op import Op
from ..ops.promotion import is_tensor_like
from . import profiling
from .devices import Device, Target, choose, pyopencl
from .effects import functional
from .expand import expand, share
from .fold import fold
from .frames import Frames, On
from .fuse import plan
from .given import Given
from .kernels import Kernel, program_text, same_kernels
from .known import build_kernels
from .launcher import LONG, LaunchWriter
from .lower import Host, recipes
from .pick import device_for
from .program import BuildFailed, Built
from .sizes import evaluate
from .steps import kernels_by_step
from .templates.matmul import RUNS_ON
from .templates.table import has_kernels

PIECES_PER_UNIT = 4          # pieces of work per core: evens out cores that are busy with something else
NARROW = (1 << 31) - (1 << 20)           # positions below that fit 32 bits, with room for a step beyond the end
_NUMBERS = itertools.count()


@dataclass(frozen=True, slots=True)
class BackendOptions:
    """device: as --device says. name: for messages and the generated function. schedule: "auto", "cpu" or "gpu" (the
    GPU schedule also runs on CPU devices). zero_copy: None decides by the device. always: "small" or "large" pins all
    calls to one of the CPU's two devices. shared: kernels of other graphs serve this one and the other way round; not those
    of trials, which only a first process makes: the next one must find the program of the same kernels on disk."""

    device: str = "auto"
    name: str = "graph"
    schedule: str = "auto"
    zero_copy: bool | None = None
    always: str | None = None
    shared: bool = True


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """One kernel for readers. node_indices: of the captured graph's nodes that it computes. build_ns: of the program
    that holds it (0 when it was found in a cache). work: how its work is cut, in words. parts: the kernels that it runs one
    after the other, or its own name."""

    name: str
    source: str
    device: str
    node_indices: tuple[int, ...]
    build_ns: int
    work: str
    where: str = ""
    parts: tuple[str, ...] = ()


@dataclass(slots=True)
class Stages:
    """What each stage made, as text."""

    expanded: str = ""
    loops: list[str] = field(default_factory=list)
    program: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """A second entry: `call` takes the inputs but those at `places`, then (known, read, root) as capture/bound_inputs.py
    says."""

    places: tuple[int, ...]
    call: Callable[..., tuple]


class CompiledGraph:
    """A graph as kernels and one launch function, `entry`. Calls may overlap: each takes a frame of its own."""

    def __init__(self, graph: Graph, options: BackendOptions) -> None:
        self.options = options
        self._graph = graph
        self.target: Target = choose(options.device)
        gpu = self.target.gpu if options.schedule == "auto" else options.schedule == "gpu"
        zero_copy = self.target.zero_copy if options.zero_copy is None else options.zero_copy
        self.stages = Stages()
        expanded = expand(graph, lambda node: has_kernels(node, gpu, zero_copy))
        expanded = functional(expanded)
        share(expanded.graph)
        expanded = fold(expanded)
        self.stages.expanded = graph_text(expanded.graph)
        todo = recipes(expanded.graph, self.target.fp64, Given(expanded.origin))
        fused = plan(todo)
        token = RUNS_ON.set(lambda: "large" if self._device_by_size(_largest(expanded.graph)) is self.target.large else "small")
        try:
            by_step = kernels_by_step(fused, self.target, gpu, zero_copy)
        finally:
            RUNS_ON.reset(token)
        self.stages.loops = [k.loops for ks in by_step.values() for k in ks]
        templated = {id(step) for number, step in enumerate(fused.steps) if number in by_step and isinstance(step, Node)}
        by_address = zero_copy and not gpu and self.target.by_address
        writer = self._writer = LaunchWriter(expanded.graph, fused, zero_copy, by_address, templated)
        writer.begin()
        for number, step in enumerate(fused.steps):
            for kernel in by_step.get(number, []):
                writer.launch(kernel)
            if number not in by_step:
                assert isinstance(step, Node)
                recipe = todo[step]
                assert isinstance(recipe, Host)
                writer.host(recipe)
        writer.end([o if isinstance(o, Node) else None for o in graph.outputs])
        name = writer.name(options.name)
        self.launch_text = writer.text(name)
        self._launched = writer.launched
        self._unique, self._kernel_names = same_kernels(writer.launched)
        unique = self._unique
        self.program = self.stages.program = program_text(unique) if unique else ""
        self._largest, self._reach = writer.largest(), writer.reach()
        self._timed = Frames(lambda frames, *sizes: self._frame(frames, *sizes, timed=True))
        self._problems = (pyopencl().Error, BuildFailed, MemoryError)
        self._told: set[str] = set()                     # failures that the session knows of
        self.timed = 0                                   # calls seen while launches were to be timed
        self.unlaunched: dict[tuple[int, str], list[str]] = {}   # timed kernels that never ran: profiling.Collector.fresh
        self.begun: set[tuple[int, str]] = set()
        self.kernel_ids: dict[str, int] = {}             # in the session that is recorded, by name; set by whoever records
        self.recorded_as: tuple[int, int] | None = None  # (artifact, code) there
        self.entry, self._bind = self._load(name)
        self.kernels: list[KernelInfo] = []
        if unique:
            symbols = _hints(expanded.graph, writer.key)
            device = self._device(symbols)
            self._describe(unique, self._build(device, symbols), device, expanded.origin)

    # -- building ----------------------------------------------------------------------------------------------------
    def _device(self, symbols: dict[str, int]) -> Device:
        """The device for calls with these sizes."""
        return self._device_by_size(max(evaluate(n, symbols) for n in self._largest))

    def _device_by_size(self, nbytes: int) -> Device:
        """The device for calls whose largest array has so many bytes."""
        if self.options.always is not None:
            return self.target.large if self.options.always == "large" else self.target.small
        return device_for(self.target, nbytes)

    def _narrow(self, symbols: dict[str, int]) -> bool:
        """Whether 32 bits hold every position."""
        return all(evaluate(n, symbols) < NARROW for n in self._reach)

    def _build(self, device: Device, symbols: dict[str, int]) -> Any:
        options = ["-DIDX=int" if self._narrow(symbols) else "-DIDX=long"]
        return build_kernels(self._unique, options, device, program_text, self.options.shared)

    def _describe(self, unique: list[Kernel], built: Any, device: Device, origins: dict[int, Node]) -> None:
        for kernel in unique:
            alike = [k for k, name in zip(self._launched, self._kernel_names) if name == kernel.name]
            indices = sorted({origins[id(n)].index for k in alike for n in k.nodes})
            self.kernels.append(KernelInfo(kernel.name, kernel.text, device.info.name, tuple(indices),
                                           built.build_ns if built.where == "driver" else 0, kernel.work_text(), built.where,
                                           tuple(p.name for p in kernel.parts) or (kernel.name,)))

    def _load(self, name: str) -> tuple[Callable[..., tuple], Callable[..., Any]]:
        """The generated (entry, bind)."""
        from ..symbolic.text import MATH

        names = {**self._writer.globals, "math": MATH, "frames": Frames(self._frame),
                 "recorder": RECORDER, "sampled": profiling.is_sampled, "this": self, "profiled": self._run_profiled,
                 "Error": self._problems, "failed": self._failed}
        self._file = file = f"<launch {self.options.name} {next(_NUMBERS)}>"
        linecache.cache[file] = (len(self.launch_text), None, self.launch_text.splitlines(True), file)
        exec(compile(self.launch_text, file, "exec"), names)
        entry = names[name]
        if f"{name}_bound" in names:
            entry.bound = Bound(self._writer.held_places(), names[f"{name}_bound"])
        return entry, names["bind"]

    def _frame(self, frames: Frames, *sizes: int, timed: bool = False) -> tuple[Any, int]:
        """A launch function for these sizes, and the bytes that it holds on to. `timed`: on a profiling queue, every enqueue
        leaves its event with a collector."""
        collector = profiling.Collector(self) if timed else None
        symbols = dict(zip(self._writer.key, sizes))
        device = self._device(symbols) if self._launched else self.target.small
        built = self._build(device, symbols) if self._launched else None
        on = On(frames, device, built, device.queue if collector is None else device.profiling_queue,
                (LONG if not self._narrow(symbols) else "i").encode(), collector, self._kernel_names, self._most(device),
                self._writer.by_address)
        run = self._bind(on, *sizes)
        if collector is not None:
            run = collector.reporting(run)
        if built is not None and built.is_tried:
            run.first = _first(run, on.queue, built)
        return run, on.nbytes

    @staticmethod
    def _most(device: Device) -> int:
        """Into how many pieces work is cut at most."""
        return 1 if device.alone else device.info.units * PIECES_PER_UNIT

    # -- running -----------------------------------------------------------------------------------------------------
    def __call__(self, *inputs: Any) -> tuple:
        return self.entry(*inputs)

    def _failed(self, problem: Exception, inputs: tuple) -> tuple:
        """The results by NumPy of a call whose kernels could not be built or run. BuildFailed if that would do something
        twice: an operator that writes in place or draws random numbers was already through."""
        for device in {self.target.small, self.target.large}:
            with contextlib.suppress(pyopencl().Error):      # nothing may still write to memory that is given away now
                device.queue.finish()
        text = f"running the kernels of {self.options.name!r} on {self.target.name!r} failed: {problem}; " \
               "expected the device to have the memory and resources they need."
        if self._cannot_repeat(problem):
            raise BuildFailed(text) from problem
        if text not in self._told:
            self._told.add(text)
            RECORDER.event("fallback", f"{self.options.name} runs on NumPy: {text}", {"graph": self._graph.name})
        return Interpreter(self._graph)(*inputs)

    def _cannot_repeat(self, problem: Exception) -> bool:
        """Whether the launch function was past an operator with an effect when `problem` came up."""
        reached = 0
        at = problem.__traceback__
        while at is not None:
            if at.tb_frame.f_code.co_filename == self._file and at.tb_frame.f_code.co_name == "run":    # the innermost
                reached = at.tb_lineno
            at = at.tb_next
        effects = [f"run_eager({name}," for name, value in self._writer.globals.items()
                   if isinstance(value, Op) and (value.mutates or value.random)]
        return any(e in line for line in self.launch_text.splitlines()[:reached] for e in effects)

    def _run_profiled(self, *inputs: Any) -> tuple:
        """A call whose launches are timed."""
        try:
            return self._timed.call(tuple(int(s) for s in self._sizes(*inputs)), inputs)
        except self._problems as problem:
            return self._failed(problem, inputs)

    def _sizes(self, *inputs: Any) -> list[int]:
        """The values of the symbols that frames are made for."""
        found = []
        given = dict(zip([id(n) for n in self._writer.graph.inputs], inputs))
        for symbol in self._writer.key:
            kind, node, *dim = self._writer.graph.symbols[symbol]
            value = given[id(node)]
            found.append(value if kind == "value" else
                         (value._meta.shape if kind == "size" else value._meta.strides)[dim[0]])
        return found

    @property
    def text(self) -> str:
        """The launch plan: the generated function with the kernels it launches."""
        parts = [f"# device: {self.target.name}"]
        for k, name in zip(self._launched, self._kernel_names):
            same = "" if k.name == name else f" (as {name})"
            parts.append(f"# kernel {k.name}{same}: {k.work_text()}")
        for step in self._writer.plan.steps:
            if isinstance(step, Node):
                recipe = self._writer.plan.recipes[step]
                own = any(step in k.nodes for k in self._launched)
                if isinstance(recipe, Host) and recipe.kind != "item" and not own:
                    parts.append(f"# {step.name}: {recipe.kind} on the host{f' ({recipe.why})' if recipe.why else ''}")
        return "\n".join([*parts, self.launch_text])


def _first(run: Callable[..., tuple], queue: Any, built: Built) -> Callable[..., tuple]:
    """The first run of a program that was just built: drivers finish building when a kernel is first launched."""

    def first(*inputs: Any) -> tuple:
        try:
            out = run(*inputs)
            queue.finish()
            return out
        finally:
            built.went_well()

    return first


def _hints(graph: Graph, key: list[str]) -> dict[str, int]:
    """The values that symbols had when the graph was captured."""
    found = {}
    for symbol in key:
        kind, node, *dim = graph.symbols[symbol]
        n = node.spec if kind == "value" else (node.spec.shape if kind == "size" else node.spec.strides)[dim[0]]
        found[symbol] = int(n if isinstance(n, int) else n.hint)
    return found


def _largest(graph: Graph) -> int:
    """Bytes of the largest value of a graph when it was captured."""
    found = 0
    for node in graph.nodes:
        for spec in node.spec if isinstance(node.spec, tuple) else (node.spec,):
            if is_tensor_like(spec):
                found = max(found, math.prod(int(getattr(n, "hint", n)) for n in spec.shape) * spec.dtype.itemsize)
    return found


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
