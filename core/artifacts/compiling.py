"""Make one artifact: capture, guards, backend, entry; record what each step found and how long it took."""

from __future__ import annotations

import itertools
import linecache
import time
import traceback
from typing import Any

from ..capture.capture import CaptureContext, Captured, InternalFault, SkipFrame, UserError, capture
from ..capture.graph_inputs import FROM_MARK
from ..errors import Unsupported
from ..events.recorder import RECORDER
from ..graph.node import Graph, Span, walk_nodes
from ..graph.printer import argument_text, graph_text, shape_text
from ..guards import compile as guard_compiler
from ..guards import timing
from ..guards.origin import SizeOrigin
from ..guards.plain import plain
from ..symbolic.shape_env import ShapeEnv, SymGuard
from ..tensor.meta import TensorMeta
from ..tensor.tensor import Tensor
from . import logs
from .artifact import Artifact
from .backends import BackendCompilerFailed, build, resolve
from .cache import CodeState
from .config import CONFIG
from .owners import owner_of
from .policy import Policy
from .runtime import API, Frame, Runtime, is_compilable_file

_local_numbers = itertools.count()
NOTHING = "it computes nothing on tensors"
REFUSALS = 16            # captures that may fail in the same function before it is left alone


class ConstraintViolationError(Unsupported):
    """mark_dynamic asked for a symbolic size, and a line of the script allows only one value."""


def compile_artifact(runtime: Runtime, state: CodeState, frame: Frame, fn: Any, args: tuple) -> Artifact | None:
    """Capture and compile `state.unit` for this call. None when the frame has to run natively; `state.skipped` says why.

    Raises Unsupported under fullgraph=True, and ConstraintViolationError when a mark cannot hold.
    """
    unit, options = state.unit, runtime.options
    clock = time.perf_counter_ns
    policy = Policy(options.dynamic, state.history, CONFIG.automatic_dynamic_shapes)
    context = CaptureContext(policy=policy, rt=runtime, fullgraph=options.fullgraph, should_inline=should_inline,
                             is_disabled=is_disabled, scalar_outputs=options.fullgraph or CONFIG.capture_scalar_outputs)
    RECORDER.source(unit.file, unit.located.text)
    RECORDER.step("tracing")
    t0 = clock()
    try:
        captured = capture(unit, fn, dict(zip(unit.params, args)), context)
    except SkipFrame as skip:
        RECORDER.phase(None, state.code_id, "capture", t0, clock())
        if isinstance(skip, InternalFault):
            RECORDER.event("internal_error", f"{unit.qualname} runs as plain Python, because {skip.reason}",
                           {"traceback": "".join(traceback.format_exception(skip.__cause__))})
        if options.fullgraph:
            raise Unsupported(f"fullgraph=True, and {unit.qualname} cannot be captured: {skip.reason}"
                              f"{place(skip.span)}") from None
        _skip(state, skip, for_good=not isinstance(skip, UserError))
        return None
    t1 = clock()
    RECORDER.phase(None, state.code_id, "capture", t0, t1)
    for decision in policy.decisions:
        RECORDER.decision(state.code_id, decision)
    graph: Graph | None = captured.graph if captured.graph.computes else None
    native = graph is None and captured.break_ is None
    if options.fullgraph and captured.break_ is not None:
        broken = captured.break_
        raise Unsupported(f"fullgraph=True, and {unit.qualname} breaks the graph: {broken.sentence}{place(broken.span)}; "
                          f"{broken.hint}")
    _check_marks(captured)
    built = None
    if graph is not None:
        examples = captured.example_inputs(fn, args)
        try:
            built = build(graph, resolve(options.backend), examples, f"{unit.name}_{state.versions}")
        except BackendCompilerFailed as failed:
            if not CONFIG.suppress_errors:
                raise
            _skip(state, SkipFrame(str(failed), Span(unit.file, unit.first_line)), for_good=True)
            return None
        ready = clock()
        lowered = ready - min(ready - t1, max((k.build_ns for k in built.kernels), default=0))
        RECORDER.phase(None, state.code_id, "lowering", t1, lowered)
        RECORDER.phase(None, state.code_id, "build", lowered, ready)
    t2 = clock()
    # After the backend: expanding an operator may compare symbolic sizes, and what it decides must be guarded too.
    program = guard_compiler.build(captured.guards, captured.env, list(unit.params), captured.globals_slots)
    RECORDER.phase(None, state.code_id, "guards", t2, clock())
    entry = captured.make_entry(built.call if built is not None else None, program.covers)
    artifact = Artifact(id=next(_local_numbers), version=state.versions, options_key=runtime.key, guards=program,
                        check=program.check, entry=entry, graph=graph, ends_in_break=captured.break_ is not None,
                        native=native, captured=captured, kernels=built.kernels if built is not None else [])
    if native:
        artifact.id, artifact.version = -1, -1
        RECORDER.not_compiled(state.code_id, NOTHING, unit.file, unit.first_line)
        state.add(artifact)
        return artifact
    state.versions += 1
    if RECORDER.active:
        _record(state, artifact, captured, built, owner_of(fn, args, list(unit.params)))
    state.add(artifact)
    if captured.break_ is not None:
        logs.broke(state, captured.break_, "resume")
    logs.compiled(state, artifact, policy.decisions)
    return artifact


def place(span: Span | None) -> str:
    return f" ({span.file}:{span.line})" if span is not None else ""


def should_inline(function: Any) -> bool:
    """Whether a call of this function is traced into the caller's graph: user code and our own nn modules are."""
    return is_compilable_file(function.__code__.co_filename)


def is_disabled(function: Any) -> bool:
    return getattr(function, "_guardscope_disable", None) is not None


def _skip(state: CodeState, skip: SkipFrame, for_good: bool) -> None:
    """This call runs natively. `for_good`: so do later ones that no artifact takes; an exception that left the function
    says nothing about the next call, unless it keeps happening."""
    state.refusals += 1
    if for_good or state.refusals >= REFUSALS:
        state.skipped = skip.reason
    if skip.break_ is not None:
        logs.broke(state, skip.break_, "skip_frame")
    if not RECORDER.active:
        return
    if skip.break_ is not None:
        _record_break(state, skip.break_, "skip_frame")
    where = skip.span or Span(state.unit.file, state.unit.first_line)
    RECORDER.not_compiled(state.code_id, skip.reason, where.file, where.line)


def _record_break(state: CodeState, broken: Any, effect: str) -> int:
    span = broken.span
    return RECORDER.graph_break(state.code_id, id=broken.id, sentence=broken.sentence, hint=broken.hint, file=span.file,
                                line=span.line, col=span.col, end_line=span.end_line, end_col=span.end_col, effect=effect)


def _check_marks(captured: Captured) -> None:
    """What mark_dynamic asked for must hold: every value of the dimension, or every value in the range it gave. The error
    names the line that allows fewer."""
    env = captured.env
    for origin, tensor in captured.tensors.items():
        marks = tensor._meta.marks
        for dim, low, high in marks.ranges:
            size = tensor._meta.shape[dim]
            if size < (low or 0) or high is not None and size > high:
                raise ConstraintViolationError(
                    f"{origin.text}.shape[{dim}] was marked dynamic from {low or 0} to {'any size' if high is None else high}, "
                    f"and is {size}; pass a size in this range, or mark a wider one")
    for name in list(captured.graph.symbols):
        for origin in env.sources(name) if name not in env.data else ():
            if not isinstance(origin, SizeOrigin) or origin.kind != "size" or origin.of not in captured.tensors:
                continue
            marks = captured.tensors[origin.of]._meta.marks
            if origin.dim in marks.dynamic and (chain := env.pinned(name)):
                raise ConstraintViolationError(
                    f"{origin.text} was marked dynamic, but the script allows only one value of it: "
                    f"{'; '.join(words(env, g) for g in chain)}; remove the mark, or use maybe_mark_dynamic")
            for dim, low, high in marks.ranges:
                least, most = env.range(name)
                asked = [g for g in env.recorded if name in g.relation.free and g.why != FROM_MARK]
                if dim == origin.dim and asked and (least > max(low or 0, 2) or high is not None and most < high):
                    raise ConstraintViolationError(
                        f"{origin.text} was marked dynamic from {low or 0} to {'any size' if high is None else high}, but the "
                        f"script decides by it: {words(env, asked[-1])}; mark a narrower range")


def words(env: ShapeEnv, decision: SymGuard) -> str:
    """`x.shape[0] == 4 (compared here, model.py:12: return x * y)`: one decision about symbols, and where it was taken."""
    span = decision.span
    if span is None:
        return f"{decision.text(env.names())} ({decision.why})"
    source = linecache.getline(span.file, span.line).strip()
    return f"{decision.text(env.names())} ({decision.why}, {span.file}:{span.line}{f': {source}' if source else ''})"


def dynamic_dims(captured: Captured) -> list[tuple[str, int | None, str]]:
    """(source, dimension, symbol) for every symbolic size of an input; dimension None for a number. Symbols that the script
    pinned to one value are none."""
    found: list[tuple[str, int | None, str]] = []
    env = captured.env
    for name in env.free_symbols():
        for origin in env.sources(name):
            if isinstance(origin, SizeOrigin):
                if origin.kind == "size":
                    found.append((origin.of.text, origin.dim, name))
            else:
                found.append((origin.text, None, name))
    return list(dict.fromkeys(found))


def _record(state: CodeState, artifact: Artifact, captured: Captured, built: Any, owner: str) -> None:
    """Write everything a person may ask about the artifact into the session."""
    graph = artifact.graph
    broke = None
    if captured.break_ is not None and captured.break_.effect == "resume":
        broke = _record_break(state, captured.break_, "resume")
    inputs = [{"name": n.name, "origin": n.origin.text if n.origin is not None else "", "type": shape_text(n.spec)}
              for n in captured.graph.inputs]
    reads = [{"origin": str(origin), "protected": how} for origin, how in captured.reads]
    artifact.id = RECORDER.artifact(
        state.code_id, artifact.version, graph_text=graph_text(graph) if graph is not None else "",
        python_text=captured.text, guard_source=artifact.guards.source, has_graph=graph is not None,
        dynamic_dims=dynamic_dims(captured), ends_in_break=broke, inputs=inputs, reads=reads,
        owner=owner)
    if graph is None:
        return
    kernel_of = {index: number for number, kernel in enumerate(artifact.kernels) for index in kernel.node_indices}
    RECORDER.nodes(artifact.id, _node_rows(graph, kernel_of))
    ids = {k.name: RECORDER.kernel(artifact.id, name=k.name, source=k.source, device=k.device, build_ns=k.build_ns,
                                   nodes=list(k.node_indices)) for k in artifact.kernels}
    for compiled in built.compiled:
        compiled.kernel_ids = ids                # so that launches can be told apart in the session
        compiled.recorded_as = artifact.id, state.code_id


def record_guards(artifact: Artifact, fn: Any, args: tuple) -> None:
    """Write the artifact's guards into the session, with what they cost a call like this one, once the fast path knows it."""
    program = artifact.guards
    way, ns = timing.ways(program), timing.measure(program, fn, args)
    RECORDER.guards(artifact.id, [
        {"index": index, "kind": kind, "origin": origin, "condition": condition, "expected": expected, "why": why,
         "facts": plain(program.guards[index]), "way": way[index], "ns": ns.get(index, -1), **span_fields(span)}
        for index, (kind, origin, condition, expected, span, why) in enumerate(program.describe())])


def _node_rows(graph: Graph, kernel_of: dict[int, int]) -> list[dict[str, Any]]:
    users: dict[int, list[int]] = {}
    for node in graph.nodes:
        for used in dict.fromkeys(n.index for n in walk_nodes(node.args)):
            users.setdefault(used, []).append(node.index)
    outputs = {used.index for out in graph.outputs for used in walk_nodes(out)}
    return [_node_row(n, kernel_of, users.get(n.index, []), n.index in outputs) for n in graph.nodes]


def _node_row(node: Any, kernel_of: dict[int, int], users: list[int], is_output: bool) -> dict[str, Any]:
    spec = node.spec
    single = spec is not None and hasattr(spec, "dtype")
    return {"index": node.index, "kind": "output" if is_output and node.kind == "op" else node.kind,
            "op": node.op.name if node.op is not None else "", "name": node.name, "args": argument_text(tuple(node.args)),
            "dtype": spec.dtype.name if single else "",
            "shape": ", ".join(map(str, spec.shape)) if single else shape_text(spec), "module": node.module,
            "kernel": kernel_of.get(node.index), "users": users, "view": node.op is not None and node.op.returns_view,
            **span_fields(node.span)}


def span_fields(span: Span | None) -> dict[str, Any]:
    """A place in the script as the session's tables hold it."""
    fields = ("file", "line", "col", "end_line", "end_col")
    return dict(zip(fields, span if span is not None else ("", 0, 0, 0, 0)))


__all__ = ["API", "ConstraintViolationError", "Tensor", "TensorMeta", "compile_artifact", "record_guards"]
