"""A graph as Python that a person can read and run: one line per node, the script's line as a comment above it."""

from __future__ import annotations

import linecache
from typing import Any

from .node import Graph, Node


def shape_text(spec: Any) -> str:
    """float32[s0, 32] for a tensor, the expression for a symbolic scalar, a tuple for several results."""
    if isinstance(spec, tuple) and not hasattr(spec, "dtype"):
        return ", ".join(shape_text(s) for s in spec)
    if hasattr(spec, "dtype"):
        return f"{spec.dtype.name}[{', '.join(str(n) for n in spec.shape)}]"
    return str(spec)


def argument_text(value: Any) -> str:
    if isinstance(value, Node):
        return value.name
    if isinstance(value, tuple):
        inner = ", ".join(argument_text(v) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(argument_text(v) for v in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {argument_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, slice):
        return f"slice({argument_text(value.start)}, {argument_text(value.stop)}, {argument_text(value.step)})"
    if hasattr(value, "expr"):
        return str(value.expr)
    return repr(value)


def call_text(node: Node) -> str:
    """The right-hand side of a node's line: `torch.relu(x)` with defaults left out."""
    op = node.op
    assert op is not None
    shown = []
    positional = True
    for param, value in zip(op.params, node.args):
        if param.default is not ... and not isinstance(value, Node) and _same(value, param.default):
            positional = False
            continue
        text = argument_text(value)
        shown.append(text if positional and not param.keyword_only else f"{param.name}={text}")
    name = op.functions[0] if op.functions else f"ops.{op.name}"
    return f"{name}({', '.join(shown)})"


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and not hasattr(value, "expr") and value == default


def graph_text(graph: Graph) -> str:
    """The whole graph. Symbols are named where they come from; every node has its dtype and shape as a comment."""
    lines = [f"def {graph.name}({', '.join(n.name for n in graph.inputs)}):"]
    for node in graph.inputs:
        where = f"  from {node.origin.text}" if node.origin is not None else ""
        lines.append(f"    # {node.name}: {shape_text(node.spec)}{where}")
    for name, (kind, node, *dim) in graph.symbols.items():
        if node.kind == "scalar":
            continue
        source = node.name if kind == "value" else f"{node.name}.shape[{dim[0]}]" if kind == "size" \
            else f"{node.name}.stride({dim[0]})"
        lines.append(f"    {name} = {source}")
    shown = None
    for node in graph.nodes:
        if node.kind == "input":
            continue
        if node.span is not None and (node.span.file, node.span.line) != shown:
            shown = (node.span.file, node.span.line)
            source = linecache.getline(*shown).strip()
            if source:
                lines.append(f"    # line {node.span.line}: {source}")
        if node.kind == "op":
            text = call_text(node)
        elif node.kind == "item":
            text = f"{node.args[0].name}[{node.args[1]}]"
        elif node.kind == "scalar":
            lines.append(f"    {node.name} = {node.args[0].name}.item()")
            continue
        else:
            text = f"constant  # {shape_text(node.spec)} known when compiled"
        lines.append(f"    {node.name} = {text}  # {shape_text(node.spec)}")
    lines.append(f"    return {argument_text(tuple(graph.outputs))}")
    return "\n".join(lines) + "\n"
