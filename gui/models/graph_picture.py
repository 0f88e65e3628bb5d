"""From a session's nodes to a picture: the graphs of a function and of its resume functions, one below the other.

Plain values in, plain values out, so that `draw` can run on a worker thread.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace

from ...core.events.schema import NodeRow
from ..facts import Facts
from .graph_layout import layout

MOST_NODES = 3000
TITLE_ROOM, BORDER_ROOM = 30.0, 62.0
LINE = 22.0


@dataclass(frozen=True, slots=True)
class GraphPart:
    """One graph of the picture. `kernels`: (kernel id, name, node indices); `border`: the break at its end, or ""."""

    artifact: int
    title: str
    nodes: tuple[NodeRow, ...]
    kernels: tuple[tuple[int, str, tuple[int, ...]], ...]
    border: str = ""


@dataclass(frozen=True, slots=True)
class NodeShape:
    artifact: int
    index: int
    kind: str
    title: str
    detail: str
    tip: str
    x: float = 0.0
    y: float = 0.0
    w: float = 0.0
    h: float = 0.0


@dataclass(frozen=True, slots=True)
class BoxShape:
    kernel: int
    title: str
    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class EdgeShape:
    """`source` and `target` are (artifact, node index); `label` the size of what flows, or ""."""

    source: tuple[int, int]
    target: tuple[int, int]
    points: list[tuple[float, float]]
    label: str


@dataclass(slots=True)
class Picture:
    nodes: list[NodeShape] = field(default_factory=list)
    boxes: list[BoxShape] = field(default_factory=list)
    edges: list[EdgeShape] = field(default_factory=list)
    titles: list[tuple[float, float, str]] = field(default_factory=list)
    borders: list[tuple[float, str]] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


def parts(facts: Facts, artifact: int, call: int | None) -> list[GraphPart]:
    """The graph of an artifact with what comes after its break: the versions that ran in `call` where it is known,
    otherwise the newest version of the resume function. A resume function's artifact starts at its function's."""
    session = facts.session
    chain = _chain(facts, artifact, call)
    found = []
    for a in (session.artifacts[i] for i in chain):
        kernels = tuple((k.id, k.name, tuple(int(n) for n in k.nodes)) for k in session.kernels if k.artifact == a.id)
        border = ""
        if a.ends_in_break is not None:
            b = session.breaks[a.ends_in_break]
            border = f"graph break, line {b.line}: {b.sentence}"
        found.append(GraphPart(a.id, f"{facts.title(a.code)}, version {a.version}", tuple(facts.nodes(a.id)),
                               kernels, border))
    return found


def _chain(facts: Facts, artifact: int, call: int | None) -> list[int]:
    session = facts.session
    root = facts.root(session.artifacts[artifact].code)
    if call is not None and call < facts.n_calls:
        ran = [r["artifact"] for r in facts.call_runs(call) if r["artifact"] >= 0 and facts.root(r["code"]) == root]
        if artifact in ran:
            return list(dict.fromkeys(ran))
    chain = [artifact]
    while (broken := session.artifacts[chain[-1]].ends_in_break) is not None:
        line, code = session.breaks[broken].line, session.artifacts[chain[-1]].code
        later = [c for c in session.codes if c.kind == "resume" and c.resume_of == code and c.resume_line == line]
        newest = [facts.artifacts_of(c.id)[-1].id for c in later if facts.artifacts_of(c.id)]
        if not newest or newest[-1] in chain:
            break
        chain.append(newest[-1])
    return chain


def draw(graphs: list[GraphPart], text_width: Callable[[str], float], small_width: Callable[[str], float]) -> Picture:
    """Lay the graphs out below each other. `text_width(text)` and `small_width(text)` measure in pixels."""
    picture, y = Picture(), 0.0
    for part in graphs:
        picture.titles.append((0.0, y + 16, part.title))
        y = _draw_part(picture, part, y + TITLE_ROOM, text_width, small_width)
        picture.width = max(picture.width, text_width(part.title) * 1.15, text_width(part.border) + 40)
        if part.border:
            picture.borders.append((y + BORDER_ROOM / 2, part.border))
            y += BORDER_ROOM
        else:
            y += 16
    picture.height = y
    return picture


def _draw_part(picture: Picture, part: GraphPart, top: float, text_width: Callable[[str], float],
               small_width: Callable[[str], float]) -> float:
    shapes = {n.index: _shape(part.artifact, n) for n in part.nodes[:MOST_NODES]}
    known = {n.index: n for n in part.nodes}
    sizes: dict[Hashable, tuple[float, float]] = {
        i: (max(58.0, text_width(s.title) + 26, small_width(s.detail) + 22), 2 * LINE - 4 if s.detail else LINE + 4)
        for i, s in shapes.items()}
    edges = [(n.index, u) for n in part.nodes for u in n.users if n.index in shapes and u in shapes and u != n.index]
    edges = list(dict.fromkeys(edges))
    boxes: dict[Hashable, list[Hashable]] = {}
    taken: set[int] = set()
    for kernel, _, members in part.kernels:
        mine = [m for m in members if m in shapes and m not in taken and shapes[m].kind != "input"]
        if mine:
            boxes[kernel] = list(mine)
            taken.update(mine)
    sources = frozenset(i for i, s in shapes.items() if s.kind in ("input", "constant"))
    placed = layout(sizes, edges, boxes, sources)
    names = {kernel: name for kernel, name, _ in part.kernels}
    for i, s in shapes.items():
        r = placed.nodes[i]
        picture.nodes.append(replace(s, x=r.x, y=top + r.y, w=r.w, h=r.h))
    for k in names:
        if k not in placed.boxes:
            continue
        r = placed.boxes[k]
        picture.boxes.append(BoxShape(k, names[k], r.x, top + r.y, r.w, r.h))
    owner = {m: k for k, members in boxes.items() for m in members}
    labelled: set[int] = set()
    for a, b in edges:
        crosses = a not in owner or owner[a] != owner.get(b)
        label = ""
        if crosses and a not in labelled and shapes[a].kind not in ("input", "constant"):
            labelled.add(a)
            label = _shape_text(known[a])
        picture.edges.append(EdgeShape((part.artifact, a), (part.artifact, b),
                                       [(x, top + y) for x, y in placed.edges[a, b]], label))
    picture.width = max(picture.width, placed.width)
    return top + placed.height


def _shape(artifact: int, n: NodeRow) -> NodeShape:
    shape = _shape_text(n)
    title = n.name if n.kind in ("input", "constant") or not n.op else n.op if n.op == n.name or n.name.startswith(
        f"{n.op}_") else f"{n.name} = {n.op}"
    detail = f"{n.dtype}{shape}" if n.kind in ("input", "constant", "output") else ""
    tip = [f"{n.name} = {n.op}({n.args})" if n.op else f"{n.kind} {n.name}"]
    if n.dtype or shape:
        tip.append(f"{n.dtype}{shape}")
    if n.line:
        tip.append(f"line {n.line}" + (f", in {n.module}" if n.module else ""))
    return NodeShape(artifact, n.index, n.kind, title, detail, "\n".join(tip))


def _shape_text(n: NodeRow) -> str:
    """"[s0, 32]", whichever way the engine wrote it; "" for what is no tensor."""
    if not n.dtype:
        return n.shape
    return f"[{n.shape.strip('[]()')}]"
