"""TORCH_LOGS and torch._logging.set_logs: what the compiler does, as text on standard error.

    [recompiles] f, model.py:12, version 2
        x.shape[0] was 3, is 4 (version 1)

The names are PyTorch's; names of parts that do not exist here are accepted and print nothing.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from ..graph.node import Span
from ..graph.printer import graph_text

if TYPE_CHECKING:
    from .artifact import Artifact
    from .cache import CodeState

class Observer:
    """Collects what was compiled while it is in OBSERVERS: breaks (BreakInfo), guards as text."""

    def __init__(self) -> None:
        self.breaks: list[Any] = []
        self.guards: list[str] = []


PRINTED = {
    "recompiles": "why no version accepted a call: the guards that failed on the nearest version",
    "recompiles_verbose": "the same, for every version",
    "graph_breaks": "where a graph ends, why, and what to do about it",
    "graph_code": "the captured graph as Python", "graph": "the same", "aot_graphs": "the same",
    "guards": "every guard of a version, with the line that needed it",
    "dynamic": "sizes and numbers that become symbols, and what was decided about them",
    "output_code": "the generated Python of a version and its kernels", "kernel_code": "the kernels alone",
    "bytecode": "the generated Python of a version",
}
WHOLE = {"dynamo": ("recompiles", "graph_breaks", "dynamic"), "all": tuple(PRINTED)}     # what "+dynamo" and "all" stand for
OTHERS = frozenset((
    "aot", "inductor", "dist_c10d", "dist_ddp", "dist_fsdp", "distributed", "c10d", "ddp", "fsdp", "onnx", "export",
    "schedule", "fusion", "overlap", "perf_hints", "autotuning", "cudagraphs", "compiled_autograd", "fake_tensor",
    "trace_source", "trace_call", "trace_bytecode", "sym_node", "benchmarking", "cache", "caching",
    "post_grad_graphs", "pre_grad_graphs", "aot_joint_graph", "graph_sizes", "loop_ordering", "ir_pre_fusion",
    "ir_post_fusion", "verbose_guards", "autograd", "torch", "modules", "not_implemented"))

OBSERVERS: list[Observer] = []         # told of every break and version, for torch._dynamo.explain
COUNTERS: defaultdict[str, Counter] = defaultdict(Counter)      # torch._dynamo.utils.counters
_chosen: dict[str, bool] = {}          # what set_logs said; it goes before the environment
_read: tuple[str | None, frozenset[str]] = (None, frozenset())


def wanted() -> frozenset[str]:
    """The names that are switched on."""
    global _read
    text = os.environ.get("TORCH_LOGS", "")
    if text != _read[0]:
        _read = (text, _parse(text))
    return frozenset(n for n in PRINTED if _chosen.get(n, n in _read[1])) if _chosen else _read[1]


def _parse(text: str) -> frozenset[str]:
    found: set[str] = set()
    for part in filter(None, (p.strip() for p in text.split(","))):
        name = part.lstrip("+-")
        if part == "help":
            _write("help", "names of TORCH_LOGS", [f"{n}: {what}" for n, what in PRINTED.items()])
        elif part.startswith("-"):
            found.discard(name)
        elif name in WHOLE:
            found.update(WHOLE[name])
        elif name in PRINTED:
            found.add(name)
        elif name not in OTHERS:
            _write("TORCH_LOGS", f"{name!r} is not known", [f"what can be shown: {', '.join(PRINTED)}"])
    return frozenset(found)


def set_logs(names: dict[str, Any]) -> None:
    """Switch names on or off until the next call, which starts from nothing. Raises ValueError for an unknown name."""
    for name in names:
        if name not in PRINTED and name not in WHOLE and name not in OTHERS:
            raise ValueError(f"set_logs got {name!r}, which is no part that can be logged; there are {', '.join(PRINTED)}")
    _chosen.clear()
    for name, level in sorted(names.items(), key=lambda pair: pair[0] in PRINTED):        # a part says more than the whole
        on = bool(level) and level != 30                   # logging.WARNING: nothing of ours is a warning
        _chosen.update({n: on for n in WHOLE.get(name, (name,)) if n in PRINTED})


def _write(name: str, title: str, lines: list[str]) -> None:
    print("\n".join([f"[{name}] {title}", *(f"    {line}" for text in lines for line in text.splitlines())]), file=sys.stderr)


def place(span: Span | None) -> str:
    return f"{span.file}:{span.line}" if span is not None else ""


def title(state: CodeState) -> str:
    return f"{state.unit.qualname}, {state.unit.file}:{state.unit.first_line}"


def recompiling(state: CodeState, found: list[tuple[Artifact, list[str]]]) -> None:
    """A call that no version took: `found` has the sentences about each, nearest first."""
    names = wanted()
    if found and not names.isdisjoint(("recompiles", "recompiles_verbose")):
        shown = found if "recompiles_verbose" in names else found[:1]
        _write("recompiles", f"{title(state)}: no version fits",
               [f"version {artifact.version}: {'; '.join(said)}" for artifact, said in shown])


def broke(state: CodeState, broken: Any, effect: str) -> None:
    """A graph break of a frame that was captured ("resume"), or that is given up ("skip_frame")."""
    COUNTERS["graph_break"][broken.sentence] += 1
    for observer in OBSERVERS:
        observer.breaks.append(broken)
    if "graph_breaks" in wanted():
        after = "a continuation follows" if effect == "resume" else "the function runs as plain Python"
        source = linecache.getline(broken.span.file, broken.span.line).strip()
        _write("graph_breaks", f"{title(state)}: {broken.id} at {place(broken.span)}",
               [source, f"{broken.sentence}; {after}", f"hint: {broken.hint}"])


def compiled(state: CodeState, artifact: Artifact, decisions: list[str]) -> None:
    """A new version: what each name shows of it."""
    COUNTERS["frames"].update(total=1, ok=1)
    if artifact.graph is not None:
        COUNTERS["stats"].update(unique_graphs=1, calls_captured=len(artifact.graph.operations))
    for observer in OBSERVERS:
        observer.guards += [condition for _, _, condition, *_ in artifact.guards.describe()]
    names = wanted()
    if not names:
        return
    what, captured = f"{title(state)}, version {artifact.version}", artifact.captured
    if "dynamic" in names:
        env = captured.env
        symbols = [f"{name} = {env.hints[name]} for {origin.text}" for name, origin in env.bindings.items()]
        lines = [f"{g.text(env.names())}  # {g.why}{f', {place(g.span)}' if g.span is not None else ''}" for g in env.recorded]
        if decisions or symbols or lines:
            _write("dynamic", what, [*decisions, *symbols, *lines])
    if artifact.graph is not None and not names.isdisjoint(("graph_code", "graph", "aot_graphs")):
        _write("graph_code", what, [graph_text(artifact.graph)])
    if "guards" in names:
        _write("guards", what, [f"{condition}  # {why}{f', {place(span)}' if span is not None else ''}"
                                for _, _, condition, _, span, why in artifact.guards.describe()])
    kernels = [k.source for k in artifact.kernels]
    if not names.isdisjoint(("output_code", "bytecode")):
        _write("output_code", what, [captured.entry_source, *(kernels if "output_code" in names else [])])
    elif "kernel_code" in names and kernels:
        _write("kernel_code", what, kernels)
