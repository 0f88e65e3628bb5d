"""What is settled when tracing has ended: guards on aliasing, unused graph inputs, graph outputs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from ..graph.node import Graph, Node, root_of, walk_nodes
from ..guards.facts import own_dict, share_memory
from ..guards.order import other_origins, prefixes
from ..guards.origin import AttrOrigin, CellOrigin, GlobalOrigin, InstanceDictOrigin, ItemOrigin, Origin
from ..symbolic.symint import Symbolic
from .values import DictValue, ListValue, ModuleValue, ObjectValue, SetValue, TensorValue

PAIRS_LIMIT = 24          # beyond so many tensor inputs only those that are written in place are told apart


def alias_guards(ev: Any) -> None:
    """Other calls must not make one object of what were two here, where that could change the result."""
    inputs = [v for v in ev.objects.values() if isinstance(v, TensorValue)]
    written = {id(v) for v in written_inputs(ev)} | set(ev.data_stores)
    free = [v for v in inputs if not (isinstance(v.origin, InstanceDictOrigin) and v.origin.slot != "__dict__")]
    few = len(free) <= PAIRS_LIMIT
    for i, a in enumerate(inputs):
        for b in inputs[i + 1:]:
            touched = id(a) in written or id(b) in written
            alike = a.real._meta.dtype is b.real._meta.dtype
            if touched or few and alike and a in free and b in free:
                ev.guard("NOT_ALIASING", b.origin, a.origin, "two different tensors")
            if touched:
                ev.guard("STORAGE_OVERLAP", b.origin, (a.origin, bool(share_memory(a.real, b.real))),
                         "one of them is written in place")
    for changed in list(ev.mutated.values()):
        for other in list(ev.objects.values()):
            if other is not changed and type(other) is type(changed) and other.type is changed.type \
                    and isinstance(other, ListValue | DictValue | SetValue | ObjectValue) and other.origin is not None:
                ev.guard("NOT_ALIASING", changed.origin, other.origin, "one of them is changed")
    for changed, other in itertools.product(ev.mutated.values(), ev.objects.values()):
        one, two = (changed, other) if isinstance(changed, ObjectValue) else (other, changed)
        if isinstance(one, ObjectValue) and isinstance(two, DictValue) and two.cls is dict and one.namespace is not two \
                and one.origin is not None and two.origin is not None and own_dict(one.real) is not None:
            place = AttrOrigin(one.origin, "__dict__")
            if two.origin != place:
                ev.guard("NOT_ALIASING", place, two.origin, f"one of them is changed, {two.origin.text} is not its __dict__")
    for variable in ev.written:
        for other in ev.cells.values():
            if other is not variable and other.origin is not None:
                ev.guard("NOT_ALIASING", variable.origin, other.origin, "one of these variables is assigned to")


def unread(ev: Any) -> list[Origin]:
    """What the script named without looking at it: `x = settings.rate`, x not used. Were it gone, naming it would raise."""
    places: list[Origin] = []
    for o, lazy in ev.lazies.items():
        if lazy.known is None and (isinstance(o, GlobalOrigin | InstanceDictOrigin)
                                   or isinstance(o, CellOrigin) and o in ev.named
                                   or isinstance(o, AttrOrigin) and not o.name.startswith("__")):
            places.append(o)
    return places


def present_guards(ev: Any, fetched: Iterable[Origin]) -> None:
    """What the entry fetches without having read it must be there: a deleted name is the script's error, not the entry's."""
    known: set[Origin] = set()
    inside: set[Origin] = set()                # containers whose length or keys are guarded: so their items are there
    for g in ev.guards.values():
        for o in (g.origin, *other_origins(g)):
            if o is not None:
                known.update((o, *prefixes(o)))
        if g.kind in ("SEQUENCE_LENGTH", "DICT_CONTAINS", "DICT_KEYS"):
            inside.add(g.origin)
    for o in fetched:
        if isinstance(o, GlobalOrigin | CellOrigin | AttrOrigin | InstanceDictOrigin | ItemOrigin) and o not in known \
                and not (isinstance(o, ItemOrigin) and o.of in inside):
            ev.guard("PRESENT", o, None, "named, not read")


def written_inputs(ev: Any) -> list[TensorValue]:
    """Input tensors whose elements the graph changes, directly or through a view."""
    by_node = {id(v.node): v for v in ev.tensors.values() if v.real is not None}
    out = []
    for node in ev.graph.nodes:
        if node.op is None or not node.op.mutates:
            continue
        for index in node.op.mutates:
            for target in walk_nodes(node.args[index]):
                root = root_of(target)
                if id(root) in by_node:
                    out.append(by_node[id(root)])
    return out


def symbols_in(value: Any) -> set[str]:
    """Names of the symbols in an argument structure or shape."""
    if isinstance(value, Symbolic):
        return set(value.expr.free)
    if isinstance(value, tuple | list):
        return set().union(*(symbols_in(v) for v in value)) if value else set()
    if isinstance(value, dict):
        return symbols_in(tuple(value.values()))
    if isinstance(value, slice):
        return symbols_in((value.start, value.stop, value.step))
    if hasattr(value, "strides") and hasattr(value, "shape"):
        return symbols_in(tuple(value.shape)) | symbols_in(tuple(value.strides))
    return set()


def prune_inputs(graph: Graph, inputs: list[tuple[Node, Any]]) -> list[tuple[Node, Any]]:
    """Drop inputs that the graph does not read, nor needs for the value of a symbol; returns those that stay. Numbers
    that were read out of tensors and are not used go too."""
    used = {id(n) for node in graph.nodes for n in walk_nodes(node.args)}
    used |= {id(n) for out in graph.outputs for n in walk_nodes(out)}
    needed: set[str] = symbols_in(tuple(graph.outputs))
    for node in graph.nodes:
        if node.kind != "input" or id(node) in used:
            needed |= symbols_in(node.args) | symbols_in(node.spec if node.spec is not None else ())
    used |= {id(place[1]) for name, place in graph.symbols.items() if name in needed}
    graph.nodes[:] = [n for n in graph.nodes if n.kind != "scalar" or id(n) in used]
    kept = [(node, real) for node, real in inputs if id(node) in used]
    graph.nodes[:] = [n for n in graph.nodes if n.kind != "input" or id(n) in used]
    # inputs first, in the order they were met: people read them as parameters
    graph.nodes.sort(key=lambda n: n.kind != "input")
    for index, node in enumerate(graph.nodes):
        node.index = index
    graph.symbols = {name: place for name, place in graph.symbols.items() if id(place[1]) in used}
    return kept


__all__ = ["ModuleValue", "alias_guards", "present_guards", "prune_inputs"]
