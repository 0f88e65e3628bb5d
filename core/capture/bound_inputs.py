"""Parameters that a graph finds as it left them.

Whatever is reached from a module through `_modules`, `_parameters` and `_buffers` alone cannot change without a new
STATE.epoch (core/torch_api/nn/tracked.py). The guards of a call have just found that these dictionaries are those of an
earlier call (guards/compile.Covered): the reference to the module that they remember then stands for all the tensors below,
and a backend that is bound to it need not be given them again. `__bound(x, known, read, root)`: `known` is that reference or
None, `read(root)` fetches the tensors where they are needed after all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..guards.order import module_of, stores_of
from ..guards.origin import Origin
from ..tensor.state import STATE
from .rebuild import Rebuilder

FEWEST = 3                   # tensors from which it pays


class BoundInputs:
    """The other way to run an artifact's graph, where guards and backend allow it. `root`: the module; `places`: positions
    of the inputs that hang on it; `stores`: the dictionaries (module, name) through which they are reached."""

    def __init__(self, root: Origin, places: tuple[int, ...], stores: set[tuple[Origin, str]], arguments: list[str],
                 fetches: list[str], name: str, reader: list[str]) -> None:
        self.root, self.places, self.stores = root, places, stores
        self.fetches = [*fetches, f"__known = __passed.get(__id({name}))", "if __known is not None:",
                        f"    __known = __known[1] if __known[0] is __STATE.epoch and __known[1]() is {name} else None"]
        self.call = f"__bound({', '.join([*arguments, '__known', '__read', name])})"
        self.reader = reader

    def names(self, graph: Any, covers: dict[Origin, tuple[Any, list]]) -> dict[str, Any] | None:
        """What the entry's text refers to; None where the graph's backend or the guards do not serve."""
        bound = getattr(graph, "bound", None)
        if bound is None or bound.places != self.places or self.root not in covers:
            return None
        cover, stores = covers[self.root]
        if not self.stores <= set(stores):
            return None
        return {"__bound": bound.call, "__passed": cover.passed, "__STATE": STATE, "__id": id}


def bound_inputs(r: Rebuilder, origins: list[Origin | None]) -> BoundInputs | None:
    """How to bind the graph's inputs with these origins, if enough of them hang on one module. Leaves what `r` has fetched
    as it is, except that it knows more names."""
    roots = [module_of(o) for o in origins]
    root = next((x for x in roots if x is not None and roots.count(x) >= FEWEST), None)
    if root is None:
        return None
    places = tuple(i for i, x in enumerate(roots) if x == root)
    before = r.fetches, r.fetched
    try:
        r.fetches, r.fetched = list(before[0]), dict(before[1])
        arguments = [r.fetch(o) for i, o in enumerate(origins) if i not in places and o is not None]
        name = r.fetch(root)
        fetches = r.fetches
        r.fetches, r.fetched = [], {root: name}
        read = [r.fetch(origins[i]) for i in places]               # type: ignore[arg-type]
        reader = [f"def read({name}):", *(f"    {line}" for line in r.fetches), f"    return {', '.join(read)}"]
    finally:
        r.fetches, r.fetched = before
    stores = {s for i in places for s in stores_of(origins[i])}
    return BoundInputs(root, places, stores, arguments, fetches, name, reader)


def reader_of(bound: BoundInputs, namespace: dict[str, Any]) -> Callable[[Any], tuple]:
    """The function that fetches the tensors from the module."""
    scope = dict(namespace)
    exec(compile("\n".join(bound.reader) + "\n", "<parameters>", "exec", dont_inherit=True), scope)
    made: Callable[[Any], tuple] = scope["read"]
    return made


__all__ = ["BoundInputs", "bound_inputs", "reader_of"]
