"""The entry of an artifact: generated Python that fetches the graph's inputs, runs it, replays effects, and returns.

    def entry(__fn, x, w):
        b = __fn.__closure__[0].cell_contents
        y = __graph(x, w, b)[0]
        return y

Its code carries the script's file and the line of the break, so that tracebacks and warnings show the script.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import linecache
import os
import types
from collections.abc import Callable
from typing import Any

from ..graph.node import Node, Span
from . import effects
from .bound_inputs import bound_inputs, reader_of
from .breaks import BreakInfo
from .cached_calls import check_cached
from .closing import alias_guards, present_guards, prune_inputs, unread, written_inputs
from .context import Captured
from .coverage import account
from .frames import Frame
from .rebuild import CannotRebuild, Rebuilder
from .relied import names_guard
from .residual.chain import Done
from .residual.chain import finish as finish_chain
from .undo import Changes, to_keep
from .values import Value

_numbers = itertools.count(1)
REFUSALS = (IndexError, RuntimeError, ValueError, ZeroDivisionError)


def finish(ev: Any, frame: Frame, result: Value) -> Captured:
    """The artifact of a function that was traced to its end."""
    r = Rebuilder(ev, list(ev.unit.params))
    for value in [result, *effects.values_in(ev)]:
        r.count(value)
    effects.write(ev, r)
    returned = r.value(result)
    r.lines.append(f"return {r.pin(Done, 'Done')}({returned})" if ev.unit.original.is_generator else f"return {returned}")
    return assemble(ev, r, None)


def finish_with_break(ev: Any, frame: Frame, node: ast.AST, role: str, info: BreakInfo) -> Captured:
    """The artifact of a function up to a break: the broken step runs natively, then the continuation."""
    from .resuming import write_break

    r = Rebuilder(ev, list(ev.unit.params))
    write_break(ev, frame, r, node, role)
    return assemble(ev, r, info, frame.span(node) if hasattr(node, "lineno") else frame.span())


def assemble(ev: Any, r: Rebuilder, info: BreakInfo | None, span: Span | None = None) -> Captured:
    """Put fetches, graph call and lines together, all at `span` of the script."""
    graph = ev.graph
    outputs = list(r.outputs)
    graph.outputs = [v.fake._node for v in outputs]
    check_cached(ev)
    alias_guards(ev)
    names_guard(ev)
    inputs = prune_inputs(graph, ev.inputs)
    bound = bound_inputs(r, [node.origin for node, _ in inputs]) if not written_inputs(ev) else None
    arguments = ", ".join(r.fetch(node.origin) for node, _ in inputs)
    present_guards(ev, [*r.fetched, *unread(ev)])
    names = [r.output_names[id(v)] for v in outputs]
    target = f"{', '.join(names)}{',' if len(names) == 1 else ''} = " if names else ""
    params = list(ev.unit.params)

    attempt = around_graph(ev, r)

    def text(fetches: list[str], call: str) -> str:
        ran = attempt(target + call) if graph.computes or outputs else r.lines
        lines = [f"def entry({', '.join(['__fn', *params])}):", *(f"    {line}" for line in [*fetches, *ran])]
        return "\n".join(lines) + "\n"

    source = text(r.fetches, f"__graph({arguments})")
    bound_source = text(bound.fetches, bound.call) if bound is not None else ""
    slots = dict(ev.slots)
    rt = ev.context.rt

    scope = ev.function.__globals__
    place = span if span is not None else Span(ev.unit.file, ev.unit.first_line)

    def make_entry(graph_callable: Callable[..., tuple] | None, covers: dict[Any, tuple] | None = None) -> Callable[..., Any]:
        namespace = {**slots, "__builtins__": builtins, "__graph": graph_callable or constants_only(graph), "__rt": rt,
                     "__name__": scope.get("__name__", "")}
        further = bound.names(graph_callable, covers or {}) if bound is not None else None
        if bound is not None and further is not None:
            captured.entry_source = bound_source
            namespace.update(further, __read=reader_of(bound, namespace))
        entry = compile_entry(captured.entry_source, namespace, ev.unit.original, place)
        alone = info is None or ev.unit.kind == "resume" or ev.unit.is_generator
        return entry if alone else driver(entry, params)

    captured = Captured(
        graph=graph, guards=list(ev.guards.values()), env=ev.env, globals_slots=dict(slots), entry_source=source,
        make_entry=make_entry, break_=info, reads=account(ev, r.fetched), tensors=dict(ev.input_tensors),
        kinds=ev.kinds, examples=tuple(real for _, real in inputs), continuations=list(ev.continuations))
    return captured


def around_graph(ev: Any, r: Rebuilder) -> Callable[[str], list[str]]:
    """Of the line that calls the graph makes the lines that call it and go on with `r.lines`.

    Nothing of the script's has happened when the graph runs, so that where it fails plain Python can begin again: it handles
    the error (an index that is out of range) as the script says, or raises it at the line of the operator. What the graph
    itself may have changed by then is taken back first. A graph that writes into tensors of the caller's and has no operator
    that refuses elements is not begun again: nobody knows how far it came."""
    kept = to_keep(ev.graph)
    if not ev.graph.operations or kept is None and written_inputs(ev):
        return lambda call: [call, *r.lines]
    before, undo, caught = [], [], r.builtin(Exception)
    if kept is not None and any(kept):
        tensors, generators = kept
        names = ", ".join(r.fetch(node.origin) for node in tensors)
        before, undo = [f"__before = {r.pin(Changes(generators), 'changes')}({names})"], ["__before.back()"]
    elif kept is not None:                               # refused before anything is changed; what else fails may come later
        caught = f"({', '.join(map(r.builtin, REFUSALS))})"
    again = f"__rt.plainly({', '.join(['__fn', '__problem', *ev.unit.params])})"
    return lambda call: [*before, "try:", f"    {call}", f"except {caught} as __error:",
                         *(f"    {line}" for line in [*undo, "__problem = __error"]),
                         "else:", *(f"    {line}" for line in r.lines), f"return {again}"]


def constants_only(graph: Any) -> Callable[..., tuple]:
    """A graph without operators only hands on tensors that are known, or its inputs."""
    place = {id(n): i for i, n in enumerate(graph.inputs)}

    def run(*inputs: Any) -> tuple:
        return tuple(inputs[place[id(n)]] if id(n) in place else n.value for n in graph.outputs if isinstance(n, Node))

    return run


def compile_entry(source: str, namespace: dict[str, Any], unit: Any, span: Span) -> Callable[..., Any]:
    """Compile an entry of function `unit`; all of it is at `span` of the script. With GUARDSCOPE_STEP in the environment it
    is a file of its own instead, so that a debugger steps through the entry's text."""
    if os.environ.get("GUARDSCOPE_STEP"):
        return stepped_entry(source, namespace, unit)
    place = span[1:] if span.end_line else (span.line, 0, span.line, 0)
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place  # type: ignore[attr-defined]
    module = compile(tree, span.file, "exec", dont_inherit=True)
    code = next(c for c in module.co_consts if isinstance(c, types.CodeType))
    return types.FunctionType(code.replace(co_name=unit.name, co_qualname=unit.qualname), namespace, unit.name)


def stepped_entry(source: str, namespace: dict[str, Any], unit: Any) -> Callable[..., Any]:
    """The entry under its own text, which linecache hands to debuggers."""
    name = f"<entry {next(_numbers)} of {unit.qualname}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec", dont_inherit=True), namespace)
    made: Callable[..., Any] = namespace["entry"]
    return made


def driver(entry: Callable[..., Any], params: list[str]) -> Callable[..., Any]:
    """The entry of a function that breaks: run it, and the continuations that follow."""
    passed = ", ".join(["__fn", *params])
    name = f"<artifact {next(_numbers)}>"
    source = f"def run({passed}):\n    return __finish(__entry({passed}))\n"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope: dict[str, Any] = {"__finish": finish_chain, "__entry": entry}
    exec(compile(source, name, "exec", dont_inherit=True), scope)
    run: Callable[..., Any] = scope["run"]
    return run


__all__ = ["CannotRebuild", "compile_entry", "finish", "finish_with_break"]
