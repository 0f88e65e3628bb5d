"""Everything a trace relied on, and what protects each of it. There are three ways, and no fourth:

    checked               a guard compares it before the artifact is used again
    input                 it goes into the graph, or the entry fetches it anew in every call
    constant: because ... it cannot change while the guards hold

What is none of these is "unprotected": a fault of the evaluator's, which `strict` captures (all tests) raise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import InternalError
from ..guards.guard import Guard
from ..guards.order import other_origins
from ..guards.origin import ArgOrigin, FunctionOrigin, Origin, PinnedOrigin, SizeOrigin

UNPROTECTED = "unprotected"
NEVER_USED = "checked: it was asked for its type only"       # a tensor of which no element, size or dtype was used


def account(ev: Any, fetched: Iterable[Origin]) -> list[tuple[str, str]]:
    """(what was read, as the script writes it; how it is protected), in order of reading. `fetched`: what the entry fetches."""
    guards: list[Guard] = list(ev.guards.values())
    checked = {o for g in guards for o in (g.origin, *other_origins(g)) if o is not None}
    found: dict[str, str] = {}
    for g in guards:
        for text in texts_of(g):
            found.setdefault(text, "checked")
    for node, _ in ev.inputs:
        if node.origin is not None:
            found[node.origin.text] = "input"
    for o, tensor in ev.input_tensors.items():
        value = ev.objects.get(id(tensor))
        found[o.text] = "input" if value is None or value.looked else NEVER_USED
    for o in fetched:
        if not isinstance(o, PinnedOrigin | FunctionOrigin):
            found.setdefault(o.text, "input: fetched anew by every call")
    for text, how in ev.reads.items():
        found.setdefault(text, how)
    for o, lazy in ev.lazies.items():
        if lazy.known is None or o.text in found and found[o.text] != UNPROTECTED:
            continue
        found[o.text] = protection(ev, o, checked)
    return list(found.items())


def protection(ev: Any, o: Origin, checked: set[Origin]) -> str:
    """What protects a value that was looked at."""
    if o in checked:
        return "checked"
    if isinstance(o, PinnedOrigin):
        return "constant: an earlier check has identified it"
    if isinstance(o, ArgOrigin) and ev.unit.kind == "resume":
        return "input"
    if ev.context.strict:
        raise InternalError(f"{o.text} was read in {ev.unit.qualname} and is neither checked nor an input nor constant")
    return UNPROTECTED


def texts_of(g: Guard) -> list[str]:
    """What one guard is about."""
    if g.kind == "NAMES_UNCHANGED":
        return [held.text for held in g.expected]
    if g.kind == "CLASS_ATTRIBUTE":
        return [f"{g.expected[0].__name__}.{g.expected[1]}"]
    if g.kind == "GLOBAL_STATE":
        return ["grad mode, inference mode, default dtype and device, deterministic algorithms, autocast"]
    if g.origin is None or isinstance(g.origin, SizeOrigin):
        return []
    return [g.origin.text]
