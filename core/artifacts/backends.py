"""What turns a captured graph into something that runs: "opencl" (kernels), "eager" (NumPy), or the user's callable.

Names of PyTorch's own backends are accepted, since scripts use them: "inductor" means the default here.
A backend that fails never loses a call: the graph then runs on NumPy and the session says so.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from ..capture.closing import symbols_in
from ..errors import GuardscopeError, ScriptError
from ..events.recorder import RECORDER
from ..graph.interpret import Interpreter
from ..graph.module import GraphModule
from ..graph.node import Graph
from ..graph.stages import cut, reads_scalars, run_in_stages
from .settings import SETTINGS

DEFAULT = ("inductor", "opencl", "default", "cudagraphs")
EAGER = ("eager", "aot_eager", "eager_noexcept", "aot_eager_decomp_partition", "numpy")


def known(name: str) -> bool:
    return name in DEFAULT or name in EAGER or name in REGISTERED


REGISTERED: dict[str, Callable[..., Any]] = {}


def register_backend(compiler_fn: Callable[..., Any] | None = None, name: str | None = None, tags: tuple = ()) -> Any:
    """torch._dynamo.register_backend: make a callable backend known under a name."""
    if compiler_fn is None:
        return lambda fn: register_backend(fn, name, tags)
    REGISTERED[name or compiler_fn.__name__] = compiler_fn
    return compiler_fn


def list_backends(exclude_tags: tuple = ()) -> list[str]:
    return sorted({*DEFAULT[:2], *EAGER[:2], *REGISTERED})


def resolve(backend: Any) -> Any:
    """The name or callable to use. Raises ScriptError (torch._dynamo.exc.InvalidBackend) for an unknown name."""
    if callable(backend):
        return backend
    if backend in REGISTERED:
        return REGISTERED[backend]
    if backend in EAGER:
        return "eager"
    if backend in DEFAULT:
        return "eager" if SETTINGS.device == "eager" else SETTINGS.backend
    near = difflib.get_close_matches(str(backend), list_backends(), 2)
    raise InvalidBackend(f"Invalid backend: {backend!r}; known are {', '.join(list_backends())}"
                         + (f"; did you mean {near[0]!r}?" if near else ""))


class InvalidBackend(ScriptError):
    """torch.compile(backend=...) names something that is not registered."""


class BackendCompilerFailed(GuardscopeError):
    """A backend of the script's raised, or returned something that cannot be called. `inner_exception`: what it raised."""

    inner_exception: Exception | None = None


class Built:
    """A graph made callable, with the kernels it launches (empty for NumPy and user backends). `compiled`: the parts of it
    that the OpenCL backend made."""

    def __init__(self, call: Callable[..., tuple], kernels: list, text: str, compiled: tuple[Any, ...] = ()) -> None:
        self.call, self.kernels, self.text, self.compiled = call, kernels, text, compiled


def build(graph: Graph, backend: Any, example_inputs: tuple, name: str) -> Built:
    """Compile `graph` for `backend`; falls back to NumPy with an event when the OpenCL backend cannot."""
    if callable(backend):
        return Built(_user(graph, backend, example_inputs), [], "user backend")
    if backend == "opencl" and reads_scalars(graph) and not any(n.op is not None and n.op.mutates for n in graph.nodes):
        return _in_stages(graph, example_inputs, name)
    if backend == "opencl" and not reads_scalars(graph) and not _on_meta(graph):
        try:
            from ..opencl.compile import BackendOptions, compile_graph

            RECORDER.step(f"turning {len(graph.operations)} operations into kernels")
            compiled = compile_graph(graph, BackendOptions(device=SETTINGS.device, name=name))
            return Built(compiled.entry, list(compiled.kernels), compiled.text, (compiled,))
        except GuardscopeError as problem:
            RECORDER.event("fallback", f"{name} runs on NumPy: {problem}", {"graph": graph.name})
    return Built(Interpreter(graph), [], "NumPy, node by node")


def _in_stages(graph: Graph, example_inputs: tuple, name: str) -> Built:
    """A graph that reads numbers out of tensors: kernels for each piece between two of them."""
    stages = cut(graph, symbols_in)
    parts = [build(s.graph, "opencl", (), f"{name}_{i}") if s.graph.operations else None for i, s in enumerate(stages)]
    call = run_in_stages(graph, stages, [part.call if part is not None else None for part in parts])
    made = [part for part in parts if part is not None]
    return Built(call, [k for part in made for k in part.kernels], "\n".join(part.text for part in made),
                 tuple(c for part in made for c in part.compiled))


def _on_meta(graph: Graph) -> bool:
    return any(getattr(getattr(n.spec, "device", None), "type", "") == "meta" for n in graph.inputs)


def _user(graph: Graph, backend: Callable[..., Any], example_inputs: tuple) -> Callable[..., tuple]:
    """What the script's backend makes of the graph. Raises BackendCompilerFailed."""
    name = getattr(backend, "__name__", type(backend).__name__)
    try:
        compiled = backend(GraphModule(graph), list(example_inputs))
    except Exception as problem:
        failed = BackendCompilerFailed(f"backend={name!r} raised {type(problem).__name__}: {problem}; correct the backend, or "
                                       "set torch._dynamo.config.suppress_errors to run such functions as plain Python")
        failed.inner_exception = problem
        raise failed from problem
    if not callable(compiled):
        raise BackendCompilerFailed(f"backend={name!r} returned {type(compiled).__name__}, expected a callable that runs the "
                                    "graph")

    def call(*inputs: Any) -> tuple:
        out = compiled(*inputs)
        return tuple(out) if isinstance(out, tuple | list) else (out,)

    return call
