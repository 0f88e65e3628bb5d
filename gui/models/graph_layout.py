"""Layered layout of graphs whose nodes stand in boxes (the operations of one kernel). Plain structs, no Qt.

1. Every box is laid out by itself, which gives its size. 2. Boxes and single nodes are laid out as one graph of
rectangles: each gets the layer after its last predecessor (inputs the layer before their first user), edges that skip
layers get a waypoint in each, the order within a layer is improved by barycentres, and the places by pulling each
rectangle towards the middle of its neighbours as far as the order allows. 3. Inner places are moved into their boxes.
If boxes would make a cycle (they never should), they are taken apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx

GAP_X, GAP_Y = 26.0, 34.0
INNER_GAP_X, INNER_GAP_Y = 16.0, 20.0
BOX_PAD, BOX_HEAD = 12.0, 22.0
SWEEPS = 4


@dataclass(slots=True)
class Rect:
    """A place: top left corner and size."""

    x: float = 0.0
    y: float = 0.0
    w: float = 0.0
    h: float = 0.0

    @property
    def cx(self) -> float:
        return self.x + self.w / 2

    @property
    def bottom(self) -> float:
        return self.y + self.h


@dataclass(slots=True)
class Placed:
    """The result: a rectangle per node and per box, a polyline per edge (from, to), and the size of it all."""

    nodes: dict[Hashable, Rect] = field(default_factory=dict)
    boxes: dict[Hashable, Rect] = field(default_factory=dict)
    edges: dict[tuple[Hashable, Hashable], list[tuple[float, float]]] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


def layout(sizes: Mapping[Hashable, tuple[float, float]], edges: Sequence[tuple[Hashable, Hashable]],
           boxes: Mapping[Hashable, Sequence[Hashable]], sources: frozenset[Hashable] = frozenset()) -> Placed:
    """`sizes`: (width, height) of every node; `boxes`: box -> its nodes (a node is in at most one); `sources`: nodes to
    be placed just above their first user. Edges must not make a cycle."""
    owner = {n: ("box", b) for b, members in boxes.items() for n in members}
    outer_edges = {(owner.get(a, ("node", a)), owner.get(b, ("node", b))) for a, b in edges}
    outer_edges = {(a, b) for a, b in outer_edges if a != b}
    outer = list(dict.fromkeys(owner.get(n, ("node", n)) for n in sizes))
    if not acyclic(digraph(outer, outer_edges)):
        return layout(sizes, edges, {}, sources)
    inner: dict[Hashable, Placed] = {}
    outer_sizes: dict[Hashable, tuple[float, float]] = {}
    for item in outer:
        kind, name = item
        if kind == "node":
            outer_sizes[item] = sizes[name]
            continue
        members = set(boxes[name])
        part = layered({n: sizes[n] for n in boxes[name]}, [e for e in edges if e[0] in members and e[1] in members],
                       frozenset(), INNER_GAP_X, INNER_GAP_Y)
        inner[name] = part
        outer_sizes[item] = (part.width + 2 * BOX_PAD, part.height + 2 * BOX_PAD + BOX_HEAD)
    place: dict[Hashable, int] = {item: i for i, item in enumerate(outer)}
    whole = layered(outer_sizes, sorted(outer_edges, key=lambda e: (place[e[0]], place[e[1]])),
                    frozenset(("node", n) for n in sources), GAP_X, GAP_Y)
    placed = Placed(width=whole.width, height=whole.height)
    for item in outer:
        kind, name = item
        r = whole.nodes[item]
        if kind == "node":
            placed.nodes[name] = r
            continue
        placed.boxes[name] = r
        for n, q in inner[name].nodes.items():
            placed.nodes[n] = Rect(r.x + BOX_PAD + q.x, r.y + BOX_PAD + BOX_HEAD + q.y, q.w, q.h)
    for a, b in edges:
        ends = (placed.nodes[a].cx, placed.nodes[a].bottom), (placed.nodes[b].cx, placed.nodes[b].y)
        oa, ob = owner.get(a, ("node", a)), owner.get(b, ("node", b))
        if oa == ob:
            r = whole.nodes[oa]
            way = [(r.x + BOX_PAD + x, r.y + BOX_PAD + BOX_HEAD + y) for x, y in inner[oa[1]].edges[a, b][1:-1]]
        else:
            way = whole.edges[oa, ob][1:-1]
        placed.edges[a, b] = [ends[0], *way, ends[1]]
    return placed


def digraph(nodes: Iterable[Hashable], edges: Iterable[tuple[Hashable, Hashable]]) -> nx.DiGraph:
    """The graph as networkx has it, nodes and edges in the given order. (networkx is imported by the first layout, on the
    jobs' thread: it takes longer than the window.)"""
    import networkx as nx

    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    return graph


def acyclic(graph: nx.DiGraph) -> bool:
    import networkx as nx

    return nx.is_directed_acyclic_graph(graph)


def layered(sizes: Mapping[Hashable, tuple[float, float]], edges: Sequence[tuple[Hashable, Hashable]],
            sources: frozenset[Hashable], gap_x: float, gap_y: float) -> Placed:
    """A layered layout without boxes."""
    if not sizes:
        return Placed()
    layer = _layers(list(sizes), edges, sources)
    rows, chains, size = _with_waypoints(layer, edges, sizes)
    before, after = defaultdict(list), defaultdict(list)
    for chain in chains.values():
        for a, b in zip(chain, chain[1:]):
            after[a].append(b)
            before[b].append(a)
    _order(rows, before, after)
    x = _places(rows, before, after, size, gap_x)
    placed, y = Placed(), 0.0
    middle: dict[Hashable, float] = {}
    tops: list[tuple[float, float]] = []
    for row in rows:
        tall = max((size[n][1] for n in row), default=0.0)
        tops.append((y, y + tall))
        for n in row:
            middle[n] = y + tall / 2
            if n in sizes:
                w, h = sizes[n]
                placed.nodes[n] = Rect(x[n] - w / 2, y + (tall - h) / 2, w, h)
        y += tall + gap_y
    left = min(x[n] - size[n][0] / 2 for n in x)
    for r in placed.nodes.values():
        r.x -= left
    for edge, chain in chains.items():
        a, b = placed.nodes[chain[0]], placed.nodes[chain[-1]]
        way: list[tuple[float, float]] = []
        for n in chain[1:-1]:            # a waypoint is passed straight down, over the height of its layer
            top, bottom = tops[layer[chain[0]] + chain.index(n)]
            way += [(x[n] - left, top), (x[n] - left, bottom)]
        placed.edges[edge] = [(a.cx, a.bottom), *way, (b.cx, b.y)]
    placed.width = max(r.x + r.w for r in placed.nodes.values())
    placed.height = y - gap_y
    return placed


def _layers(nodes: list[Hashable], edges: Sequence[tuple[Hashable, Hashable]], sources: frozenset[Hashable]
            ) -> dict[Hashable, int]:
    import networkx as nx

    graph = digraph(nodes, edges)
    # A generation holds the nodes whose longest way from a source has the same length.
    layer = {n: k for k, generation in enumerate(nx.topological_generations(graph)) for n in generation}
    for n in sources:
        if graph.in_degree(n) == 0 and graph.out_degree(n):
            layer[n] = min(layer[m] for m in graph.successors(n)) - 1
    least = min(layer.values())
    return {n: layer[n] - least for n in nodes}


def _with_waypoints(layer: dict[Hashable, int], edges: Sequence[tuple[Hashable, Hashable]],
                    sizes: Mapping[Hashable, tuple[float, float]]
                    ) -> tuple[list[list[Hashable]], dict[tuple[Hashable, Hashable], list[Hashable]],
                               dict[Hashable, tuple[float, float]]]:
    rows: list[list[Hashable]] = [[] for _ in range(max(layer.values()) + 1)]
    for n, k in layer.items():
        rows[k].append(n)
    chains, size = {}, dict(sizes)
    for a, b in edges:
        chain: list[Hashable] = [a]
        for k in range(layer[a] + 1, layer[b]):
            way = ("way", a, k)          # edges from one node share their waypoints
            if way not in size:
                size[way] = (6.0, 0.0)
                rows[k].append(way)
            chain.append(way)
        chains[a, b] = [*chain, b]
    return rows, chains, size


def _order(rows: list[list[Hashable]], before: Mapping[Hashable, list[Hashable]],
           after: Mapping[Hashable, list[Hashable]]) -> None:
    place = {n: i for row in rows for i, n in enumerate(row)}
    for sweep in range(SWEEPS):
        for row in (rows[1:] if sweep % 2 == 0 else rows[-2::-1]):
            near = before if sweep % 2 == 0 else after

            def middle(n: Hashable, near: Mapping[Hashable, list[Hashable]] = near) -> float:
                others = near[n]
                return sum(place[m] for m in others) / len(others) if others else place[n]

            row.sort(key=middle)
            for i, n in enumerate(row):
                place[n] = i


def _places(rows: list[list[Hashable]], before: Mapping[Hashable, list[Hashable]],
            after: Mapping[Hashable, list[Hashable]], size: Mapping[Hashable, tuple[float, float]], gap: float
            ) -> dict[Hashable, float]:
    """Centre of each rectangle."""
    x: dict[Hashable, float] = {}
    for row in rows:
        at = 0.0
        for n in row:
            x[n] = at + size[n][0] / 2
            at += size[n][0] + gap
        for n in row:
            x[n] -= (at - gap) / 2
    for sweep in range(8):
        near = (before, after)[sweep % 2]
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            wish = [sum(x[m] for m in near[n]) / len(near[n]) if near[n] else x[n] for n in row]
            for n, at in zip(row, _spread(wish, [size[n][0] for n in row], gap)):
                x[n] = at
    return x


def _spread(wish: list[float], widths: list[float], gap: float) -> list[float]:
    """Centres in the given order, nearest to `wish` (least squares) with at least `gap` between rectangles: blocks that
    would overlap are merged and moved to the mean of their members' wishes."""
    blocks: list[list[float]] = []       # [sum of wishes minus offsets, members, width so far]
    members: list[list[tuple[int, float]]] = []
    for i, (w, width) in enumerate(zip(wish, widths)):
        blocks.append([w, 1, width])
        members.append([(i, 0.0)])
        while len(blocks) > 1:
            a, b = blocks[-2], blocks[-1]
            first_a, first_b = members[-2][0][0], members[-1][0][0]
            right = a[0] / a[1] - widths[first_a] / 2 + a[2]
            left = b[0] / b[1] - widths[first_b] / 2
            if right + gap <= left:
                break
            shift = a[2] - widths[first_a] / 2 + gap + widths[first_b] / 2
            members[-2] += [(k, off + shift) for k, off in members[-1]]
            a[0] += b[0] - shift * b[1]
            a[1] += b[1]
            a[2] += gap + b[2]
            blocks.pop()
            members.pop()
    out = [0.0] * len(wish)
    for block, mine in zip(blocks, members):
        for i, off in mine:
            out[i] = block[0] / block[1] + off
    return out
