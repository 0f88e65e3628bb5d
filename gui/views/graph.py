"""The graph of the selected version, with its kernels as boxes and the graphs that follow after graph breaks.

A large graph starts folded by module (or by kernel): a click opens a block, a click on an open box closes it.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from .. import theme
from ..glossary import explain
from ..models.graph_fold import Folding, automatic, groups_around
from ..models.graph_picture import MOST_NODES, GraphPart, Picture, draw, parts
from ..numbers import plural
from ..widgets.elided import ElidedLabel
from ..widgets.graph_canvas import GraphCanvas
from .base import View

FOLDS = (("nothing", "unfolded"), ("module", "by module"), ("kernel", "by kernel"))


class GraphView(View):
    """Layout runs as a job; a newer selection replaces one that is still waiting."""

    name = "graph"

    def build(self) -> QWidget:
        self.canvas = GraphCanvas()
        self.canvas.node_clicked.connect(self.contained(
            lambda artifact, index: self.model.select(artifact=artifact, node=index)))
        self.canvas.node_reached.connect(self.contained(self._reached))
        self.canvas.box_clicked.connect(self.contained(lambda kernel: self.model.select(kernel=kernel)))
        self.canvas.group_clicked.connect(self.contained(self._toggle))
        self.says = ElidedLabel()
        self.says.setObjectName("muted")
        top = QHBoxLayout()
        top.setContentsMargins(10, 5, 8, 5)
        top.setSpacing(8)
        top.addWidget(self.says, 1)
        self._make_tools(top)
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self.canvas, 1)
        self._shown: object = None
        self._graphs: list[GraphPart] = []
        self._folding = Folding()
        self._walking = False                # a block reached by keys is selected, not opened
        return box

    def _make_tools(self, top: QHBoxLayout) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find")
        self.search.setToolTip("Find operations by name, kind, module or line; Enter goes to the next.")
        self.search.setAccessibleName("Find in the graph")
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(112)
        self.search.textChanged.connect(self.contained(lambda _: self._find()))
        self.search.returnPressed.connect(self.contained(self._find_next))
        self.hits = QLabel()
        self.hits.setObjectName("muted")
        self.fold = QComboBox()
        self.fold.setAccessibleName("What is drawn as one block")
        self.fold.setToolTip("Draw every operation, or one block for each module or kernel.")
        for value, text in FOLDS:
            self.fold.addItem(text, value)
        self.fold.activated.connect(self.contained(
            lambda i: self._refold(Folding(self.fold.itemData(i), weights=self._folding.weights))))
        self.weights = QCheckBox("Weights")
        self.weights.setToolTip("Show the tensors of modules as inputs.")
        self.weights.clicked.connect(self.contained(
            lambda *_: self._refold(replace(self._folding, weights=self.weights.isChecked()))))
        for widget in (self.search, self.hits, self.fold, self.weights):
            top.addWidget(widget)
        self.tools: dict[str, QToolButton] = {}
        for name, tip, run in (("zoom_out", "Zoom out (-)", lambda: self.canvas.zoom(0.8)),
                               ("zoom_in", "Zoom in (+)", lambda: self.canvas.zoom(1.25)),
                               ("fit", "Show all (0)", self.canvas.fit)):
            button = self.tools[name] = QToolButton()
            button.setObjectName("flat")
            button.setToolTip(tip)
            button.clicked.connect(lambda _=False, f=run: f())
            top.addWidget(button)

    def update_view(self, what: set[str]) -> None:
        if "theme" in what:
            for name, button in self.tools.items():
                button.setIcon(theme.icon(name))
        facts, s = self.model.facts, self.model.selection
        if facts is None or s.artifact is None:
            self._nothing("Select a version or a call to see its graph." if facts is not None else "")
            return
        graphs = parts(facts, s.artifact, s.call)
        shown = tuple((p.artifact, len(p.nodes), len(p.kernels)) for p in graphs)
        self.canvas.selected = (s.artifact, s.node) if s.node is not None else None
        self.canvas.selected_kernel = s.kernel
        if shown == self._shown:
            if s.node is not None:
                if not self._walking:
                    self._open_around(s.artifact, s.node)
                self.canvas.reveal(s.artifact, s.node)
            self.canvas.update()
            return
        if not any(p.nodes for p in graphs):
            self._nothing("This version has no graph: nothing in it could be compiled.")
            self._shown = shown
            return
        self._shown, self._graphs = shown, graphs
        self._folding = automatic([n for p in graphs for n in p.nodes], any(p.kernels for p in graphs))
        self._find()
        self._draw()

    def _draw(self, keep: tuple[int, int] | None = None) -> None:
        graphs, folding = self._graphs, self._folding
        nodes = sum(len(p.nodes) for p in graphs)
        kernels = sum(len(p.kernels) for p in graphs)
        says = [plural(nodes, "node"), *([plural(kernels, "kernel")] if kernels else [])]
        if len(graphs) > 1:
            says.append(f"{len(graphs)} graphs")
        if nodes > MOST_NODES:
            says.append(f"only the first {MOST_NODES} nodes of each graph are drawn")
        self.says.setText(", ".join(says))
        breaks = f"; a dashed line is a graph break ({len(graphs) - 1})" if len(graphs) > 1 else ""
        self.says.setToolTip(f"{self.says.text()}{breaks}\n{explain('graph')}\n"
                             "A box holds the operations that one kernel computes.\n"
                             "Dotted: a view. Dashed and tinted: nothing uses it.")
        self.fold.setCurrentIndex(self.fold.findData(folding.by))
        self.weights.setChecked(folding.weights)
        widths, small = self._measure()
        self.jobs.submit("graph", lambda: draw(graphs, widths, small, folding),
                         self.contained(lambda picture: self._drawn(picture, keep)), self._failed)

    def has_picture(self) -> bool:
        """Whether a graph is drawn."""
        return self._content is not None and self.canvas.picture is not None

    def _measure(self) -> tuple:
        # Font metrics are not for other threads: an average that no text exceeds by much is.
        metrics = QFontMetricsF(self.canvas.font())
        fixed = QFontMetricsF(theme.fixed_font(max(7.0, theme.ui_points() - 1.5))).horizontalAdvance("0")
        letters = {chr(c): metrics.horizontalAdvance(chr(c)) for c in range(32, 127)}
        other = metrics.horizontalAdvance("W")
        return (lambda text: sum(letters.get(c, other) for c in text)), (lambda text: fixed * len(text))

    def _nothing(self, message: str) -> None:
        self.jobs.cancel("graph")
        self._shown, self._graphs = None, []
        self.says.setText("")
        self.hits.setText("")
        self.canvas.show_picture(None, message)

    def _drawn(self, picture: Picture, keep: tuple[int, int] | None) -> None:
        self.canvas.show_picture(picture, keep=keep)
        s = self.model.selection
        if s.artifact is not None and s.node is not None:
            self.canvas.reveal(s.artifact, s.node)

    def _failed(self, details: str) -> None:
        self.fail(RuntimeError(details.strip().splitlines()[-1]))

    def _reached(self, artifact: int, node: int) -> None:
        self._walking = True
        try:
            self.model.select(artifact=artifact, node=node)
        finally:
            self._walking = False

    # folding

    def _refold(self, folding: Folding, keep: tuple[int, int] | None = None) -> None:
        if folding != self._folding:
            self._folding = folding
            if self._graphs:
                self._draw(keep)

    def _toggle(self, group: str, is_open: bool) -> None:
        """Open or close a block; what was clicked stays where it is."""
        picture = self.canvas.picture
        shape = next((n for n in picture.nodes if n.group == group), None) if picture is not None and not is_open else None
        keep = (shape.artifact, shape.members[0]) if shape is not None else None
        self._refold(self._folding.toggled(group, is_open), keep)

    def _open_around(self, artifact: int, node: int) -> None:
        """Open the blocks that hide a node."""
        picture = self.canvas.picture
        shape = picture.shape_of(artifact, node) if picture is not None else None
        part = next((p for p in self._graphs if p.artifact == artifact), None)
        if shape is None or not shape.group or part is None:
            return
        row = next((n for n in part.nodes if n.index == node), None)
        if row is not None:
            kernel_of = {m: k for k, _, members in part.kernels for m in members}
            opened = frozenset(groups_around(row, kernel_of, self._folding))
            self._refold(replace(self._folding, opened=self._folding.opened | opened,
                                 closed=self._folding.closed - opened), (artifact, node))

    # finding

    def found(self) -> list[tuple[int, int]]:
        """(artifact, node) of everything the search text fits, in order."""
        wanted = self.search.text().strip().casefold()
        if not wanted:
            return []
        return [(p.artifact, n.index) for p in self._graphs for n in p.nodes
                if wanted in f"{n.name} {n.op} {n.module} line {n.line} {n.dtype}[{n.shape}]".casefold()]

    def _find(self) -> None:
        hits = self.found()
        self.canvas.found = frozenset(hits)
        self.hits.setText(f"{len(hits)}" if self.search.text().strip() else "")
        self.canvas.update()

    def _find_next(self) -> None:
        hits = self.found()
        if not hits:
            return
        s = self.model.selection
        here = (s.artifact, s.node) if s.node is not None else None
        at = (hits.index(here) + 1) % len(hits) if here in hits else 0
        self.model.select(artifact=hits[at][0], node=hits[at][1])
