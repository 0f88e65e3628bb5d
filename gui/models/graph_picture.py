"""From a session's nodes to a picture: the graphs of a function and of its resume functions, one below the other.

Plain values in, plain values out, so that `draw` can run on a worker thread. What is folded is decided in graph_fold.py.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace

from ...core.events.schema import NodeRow
from ..facts import Facts
from .graph_fold import Folding, Item, fold
from .graph_layout import layout

MOST_NODES = 3000
TITLE_ROOM, BORDER_ROOM = 30.0, 62.0
LINE = 22.0


@dataclass(frozen=True, slots=True)
class GraphPart:
    """One graph of the picture. `kernels`: (kernel id, name, node indices); `border`: the break at its end, or "";
    `origins`: name of an input -> where it comes from, as the script writes it."""

    artifact: int
    title: str
    nodes: tuple[NodeRow, ...]
    kernels: tuple[tuple[int, str, tuple[int, ...]], ...]
    border: str = ""
    origins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NodeShape:
    """A node, or a folded group (kind "group", `group` its name, `index` its first node). `members`: the nodes it
    stands for. kind: input, constant, op, view, dead (nothing uses it), output or group."""

    artifact: int
    index: int
    kind: str
    title: str
    detail: str
    tip: str
    group: str = ""
    members: tuple[int, ...] = ()
    x: float = 0.0
    y: float = 0.0
    w: float = 0.0
    h: float = 0.0


@dataclass(frozen=True, slots=True)
class BoxShape:
    """What one kernel computes, or (`group`) a module that was opened; `kernel` is -1 then."""

    kernel: int
    title: str
    group: str
    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class EdgeShape:
    """`source` and `target` are (artifact, index of a node shape); `label` the size of what flows, or ""."""

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
    hidden_weights: int = 0

    def shape_of(self, artifact: int, node: int) -> NodeShape | None:
        """The shape that shows a node: its own, or the group that it is folded into."""
        return next((s for s in self.nodes if s.artifact == artifact and node in s.members), None)


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
        origins = {str(i.get("name")): str(i.get("origin")) for i in a.inputs if isinstance(i, dict)}
        found.append(GraphPart(a.id, f"{facts.title(a.code)}, version {a.version}", tuple(facts.nodes(a.id)),
                               kernels, border, origins))
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


def draw(graphs: list[GraphPart], text_width: Callable[[str], float], small_width: Callable[[str], float],
         folding: Folding = Folding()) -> Picture:  # noqa: B008
    """Lay the graphs out below each other. `text_width(text)` and `small_width(text)` measure in pixels."""
    picture, y = Picture(), 0.0
    for part in graphs:
        picture.titles.append((0.0, y + 16, part.title))
        y = _draw_part(picture, part, y + TITLE_ROOM, text_width, small_width, folding)
        picture.width = max(picture.width, text_width(part.title) * 1.15, text_width(part.border) + 40)
        if part.border:
            picture.borders.append((y + BORDER_ROOM / 2, part.border))
            y += BORDER_ROOM
        else:
            y += 16
    picture.height = y
    return picture


def _draw_part(picture: Picture, part: GraphPart, top: float, text_width: Callable[[str], float],
               small_width: Callable[[str], float], folding: Folding) -> float:
    nodes = part.nodes[:MOST_NODES]
    known = {n.index: n for n in nodes}
    folded = fold(nodes, part.kernels, folding, dict(part.origins))
    picture.hidden_weights += folded.hidden_weights
    shapes = {item.key: _item_shape(part.artifact, item, known) for item in folded.items}
    sizes: dict[Hashable, tuple[float, float]] = {
        i: (max(58.0, text_width(s.title) + 26, small_width(s.detail) + 22), 2 * LINE - 4 if s.detail else LINE + 4)
        for i, s in shapes.items()}
    named = _boxes(part, folded.boxes, shapes, folding)
    boxes: dict[Hashable, list[Hashable]] = {key: list(members) for key, (_, _, members) in named.items()}
    sources = frozenset(i for i, s in shapes.items() if s.kind in ("input", "constant"))
    placed = layout(sizes, folded.edges, boxes, sources)
    for i, s in shapes.items():
        r = placed.nodes[i]
        picture.nodes.append(replace(s, x=r.x, y=top + r.y, w=r.w, h=r.h))
    for key, (kernel, title, _) in named.items():
        if key in placed.boxes:
            r = placed.boxes[key]
            picture.boxes.append(BoxShape(kernel, title, "" if kernel >= 0 else title, r.x, top + r.y, r.w, r.h))
    owner = {m: k for k, members in boxes.items() for m in members}
    labelled: set[int] = set()
    for a, b in folded.edges:
        crosses = a not in owner or owner[a] != owner.get(b)
        label = ""
        if crosses and a not in labelled and shapes[a].kind not in ("input", "constant"):
            labelled.add(a)
            label = _shape_text(known[shapes[a].members[-1]])
        picture.edges.append(EdgeShape((part.artifact, a), (part.artifact, b),
                                       [(x, top + y) for x, y in placed.edges[a, b]], label))
    picture.width = max(picture.width, placed.width)
    return top + placed.height


def _boxes(part: GraphPart, groups: list[tuple[str, str, tuple[int, ...]]], shapes: dict[int, NodeShape], folding: Folding
           ) -> dict[Hashable, tuple[int, str, tuple[int, ...]]]:
    """Box -> (kernel or -1, title, members): open modules, or kernels whose nodes are shown."""
    if folding.by == "module":
        return {("module", at): (-1, title, keys) for at, (_, title, keys) in enumerate(groups)}
    found: dict[Hashable, tuple[int, str, tuple[int, ...]]] = {}
    taken: set[int] = set()
    for kernel, name, members in part.kernels:
        mine = tuple(m for m in members if m in shapes and m not in taken and not shapes[m].group
                     and shapes[m].kind not in ("input", "constant"))
        if mine:
            found[kernel] = (kernel, name, mine)
            taken.update(mine)
    return found


def _item_shape(artifact: int, item: Item, known: dict[int, NodeRow]) -> NodeShape:
    if item.node is not None:
        return _shape(artifact, known[item.node])
    last = known[item.members[-1]]
    operations: dict[str, int] = {}
    for m in item.members:
        operations[known[m].op] = operations.get(known[m].op, 0) + 1
    tip = item.group + "\n" + ", ".join(f"{name} x{n}" if n > 1 else name for name, n in operations.items())
    return NodeShape(artifact, item.key, "group", item.title, f"{last.dtype}{_shape_text(last)}",
                     tip + "\nClick to open.", item.group, item.members)


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
    kind = n.kind
    if kind == "op" and n.view:
        kind = "view"
        tip.append("a view: it shares memory with its argument")
    if kind in ("op", "view") and not n.users:
        kind = "dead"
        tip.append("nothing uses it")
    return NodeShape(artifact, n.index, kind, title, detail, "\n".join(tip), "", (n.index,))


def _shape_text(n: NodeRow) -> str:
    """"[s0, 32]", whichever way the engine wrote it; "" for what is no tensor."""
    if not n.dtype:
        return n.shape
    return f"[{n.shape.strip('[]()')}]"
