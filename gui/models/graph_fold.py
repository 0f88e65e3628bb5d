"""Folding of a graph: modules or kernels shown as one block each, so that two thousand nodes stay readable. No Qt.

Blocks are runs of neighbouring nodes of one module (nodes stand in an order in which values flow only forward, so blocks
made of runs can never form a cycle). A module that is open shows what is directly in it, inside a box of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...core.events.schema import NodeRow

FOLD_ABOVE = 80                 # visible nodes; a graph with more is folded by itself
WEIGHTS_ABOVE = 24              # inputs; with more, the module's own tensors are left out
BY = ("nothing", "module", "kernel")


@dataclass(frozen=True, slots=True)
class Folding:
    """How a graph is shown. by: one of BY; opened, closed: groups that the user has opened or closed by hand;
    weights: whether the module's own tensors are shown as inputs."""

    by: str = "nothing"
    opened: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    weights: bool = True

    def toggled(self, group: str, is_open: bool) -> Folding:
        """With one group opened or closed."""
        opened, closed = (self.opened - {group}, self.closed | {group}) if is_open else \
            (self.opened | {group}, self.closed - {group})
        return Folding(self.by, opened, closed, self.weights)


@dataclass(slots=True)
class Item:
    """Something drawn: one node (`node` is its index, `group` ""), or a folded group with its nodes."""

    key: int
    members: tuple[int, ...]
    node: int | None = None
    group: str = ""
    title: str = ""


@dataclass(slots=True)
class Folded:
    """Items in order, edges between their keys, and boxes: (group, title, keys of the items in it)."""

    items: list[Item] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    boxes: list[tuple[str, str, tuple[int, ...]]] = field(default_factory=list)
    hidden_weights: int = 0


def automatic(nodes: Iterable[NodeRow], has_kernels: bool) -> Folding:
    """The folding a graph starts with."""
    nodes = list(nodes)
    inputs = sum(n.kind == "input" for n in nodes)
    rest = len(nodes) - inputs
    weights = inputs <= WEIGHTS_ABOVE
    if rest + (inputs if weights else 0) <= FOLD_ABOVE:
        return Folding("nothing", weights=weights)
    return Folding("module" if any(n.module for n in nodes) else "kernel" if has_kernels else "nothing", weights=weights)


def is_weight(node: NodeRow, origins: dict[str, str]) -> bool:
    """Whether an input is a tensor that belongs to an object, rather than something the call was given."""
    return node.kind == "input" and ("." in origins.get(node.name, "") or "[" in origins.get(node.name, ""))


def fold(nodes: tuple[NodeRow, ...], kernels: tuple[tuple[int, str, tuple[int, ...]], ...], folding: Folding,
         origins: dict[str, str]) -> Folded:
    """The items of a graph under a folding. `kernels`: (id, name, node indices); `origins`: name of an input -> where
    it comes from, as the script writes it."""
    weights = set() if folding.weights else {n.index for n in nodes if is_weight(n, origins)}
    shown = [n for n in nodes if n.index not in weights]
    if folding.by == "module":
        found = _by_module(shown, folding)
    elif folding.by == "kernel":
        found = _by_kernel(shown, kernels, folding)
    else:
        found = Folded([Item(n.index, (n.index,), n.index) for n in shown])
    found.hidden_weights = len(weights)
    owner = {m: item.key for item in found.items for m in item.members}
    edges = ((owner[n.index], owner[u]) for n in shown for u in n.users if u in owner)
    found.edges = list(dict.fromkeys((a, b) for a, b in edges if a != b))
    return found


def _by_module(nodes: list[NodeRow], folding: Folding) -> Folded:
    is_open = _open_groups(nodes, folding)
    blocks: list[tuple[str, str, list[NodeRow]]] = []        # (closed group or "", the open group around it, nodes)
    for n in nodes:
        path = n.module if n.kind not in ("input", "constant") else ""
        group, around = _visible(path, is_open)
        if group and blocks and blocks[-1][:2] == (group, around):
            blocks[-1][2].append(n)
        else:
            blocks.append((group, around, [n]))
    found = Folded()
    boxes: list[tuple[str, list[int]]] = []
    for group, around, members in blocks:
        first = members[0].index
        if group:
            count = len(members)
            item = Item(first, tuple(m.index for m in members), None, group,
                        f"{group}  \N{MIDDLE DOT} {count} operation{'s' if count > 1 else ''}")
        else:
            item = Item(first, (first,), first)
        found.items.append(item)
        if boxes and boxes[-1][0] == around:
            boxes[-1][1].append(item.key)
        else:
            boxes.append((around, [item.key]))
    found.boxes = [(around, around, tuple(keys)) for around, keys in boxes if around]
    return found


def _visible(path: str, is_open: frozenset[str]) -> tuple[str, str]:
    """(the outermost closed group that holds a path, or "" when all are open; the innermost open group around it)."""
    around, parts = "", path.split(".") if path else []
    for i in range(1, len(parts) + 1):
        group = ".".join(parts[:i])
        if group not in is_open:
            return group, around
        around = group
    return "", around


def _open_groups(nodes: list[NodeRow], folding: Folding) -> frozenset[str]:
    """What is open: level after level as long as everything stays below FOLD_ABOVE, then what the user chose."""
    paths = [n.module for n in nodes if n.kind not in ("input", "constant")]
    levels: dict[int, set[str]] = {}
    for path in set(paths):
        parts = path.split(".") if path else []
        for i in range(1, len(parts) + 1):
            levels.setdefault(i, set()).add(".".join(parts[:i]))
    found: frozenset[str] = frozenset()
    for level in sorted(levels):
        wider = found | levels[level]
        visible = [_visible(path, wider) for path in paths]
        blocks = sum(not group or i == 0 or visible[i - 1][0] != group for i, (group, _) in enumerate(visible))
        if blocks > FOLD_ABOVE:
            break
        found = wider
    return (found | folding.opened) - folding.closed


def _by_kernel(nodes: list[NodeRow], kernels: tuple[tuple[int, str, tuple[int, ...]], ...], folding: Folding) -> Folded:
    by_node: dict[int, tuple[int, str]] = {}
    for kernel, name, members in kernels:
        for m in members:
            by_node.setdefault(m, (kernel, name))
    known = {n.index: n for n in nodes}
    found, done = Folded(), set()
    for n in nodes:
        kernel, name = by_node.get(n.index, (-1, "")) if n.kind not in ("input", "constant") else (-1, "")
        group = f"kernel {kernel}"
        if kernel < 0 or group in folding.opened:
            found.items.append(Item(n.index, (n.index,), n.index))
        elif kernel not in done:
            done.add(kernel)
            mine = tuple(m for m, (k, _) in by_node.items() if k == kernel and m in known
                         and known[m].kind not in ("input", "constant"))
            found.items.append(Item(n.index, mine, None, group,
                                    f"{name}  \N{MIDDLE DOT} {len(mine)} operation{'s' if len(mine) > 1 else ''}"))
    return found


def groups_around(node: NodeRow, kernel_of: dict[int, int], folding: Folding) -> list[str]:
    """The groups that must be open for a node to be seen."""
    if folding.by == "kernel":
        kernel = kernel_of.get(node.index)
        return [f"kernel {kernel}"] if kernel is not None else []
    parts = node.module.split(".") if folding.by == "module" and node.module else []
    return [".".join(parts[:i]) for i in range(1, len(parts) + 1)]
