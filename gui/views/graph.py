"""The graph of the selected version, with its kernels as boxes and the graphs that follow after graph breaks."""

from __future__ import annotations

from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from .. import theme
from ..glossary import explain
from ..models.graph_picture import MOST_NODES, Picture, draw, parts
from ..numbers import plural
from ..widgets.elided import ElidedLabel
from ..widgets.graph_canvas import GraphCanvas
from .base import View


class GraphView(View):
    """Layout runs as a job; a newer selection replaces one that is still waiting."""

    name = "graph"
    title = "Graph"

    def build(self) -> QWidget:
        self.canvas = GraphCanvas()
        self.canvas.node_clicked.connect(self.contained(
            lambda artifact, index: self.model.select(artifact=artifact, node=index)))
        self.canvas.box_clicked.connect(self.contained(lambda kernel: self.model.select(kernel=kernel)))
        self.says = ElidedLabel()
        self.says.setObjectName("muted")
        top = QHBoxLayout()
        top.setContentsMargins(10, 5, 8, 5)
        top.addWidget(self.says, 1)
        self.tools: dict[str, QToolButton] = {}
        for name, tip, run in (("zoom_out", "Zoom out (-)", lambda: self.canvas.zoom(0.8)),
                               ("zoom_in", "Zoom in (+)", lambda: self.canvas.zoom(1.25)),
                               ("fit", "Show all (0)", self.canvas.fit)):
            button = self.tools[name] = QToolButton()
            button.setObjectName("flat")
            button.setToolTip(tip)
            button.clicked.connect(lambda _=False, f=run: f())
            top.addWidget(button)
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self.canvas, 1)
        self._shown: object = None
        return box

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
                self.canvas.reveal(s.artifact, s.node)
            self.canvas.update()
            return
        self._shown = shown
        nodes = sum(len(p.nodes) for p in graphs)
        if not nodes:
            self._nothing("This version has no graph: nothing in it could be compiled.")
            self._shown = shown
            return
        kernels = sum(len(p.kernels) for p in graphs)
        says = [plural(nodes, "node"), plural(kernels, "kernel")]
        if len(graphs) > 1:
            says.append(f"{len(graphs)} graphs around {plural(len(graphs) - 1, 'graph break')}")
        if nodes > MOST_NODES:
            says.append(f"only the first {MOST_NODES} nodes of each graph are drawn")
        self.says.setText(", ".join(says))
        self.says.setToolTip(f"{explain('graph')}\nA box holds the operations that one kernel computes.")
        widths, small = self._measure(graphs)
        self.jobs.submit("graph", lambda: draw(graphs, widths, small), self.contained(self._drawn), self._failed)

    def has_picture(self) -> bool:
        """Whether a graph is drawn."""
        return self._content is not None and self.canvas.picture is not None

    def _measure(self, graphs: list) -> tuple:
        # Font metrics are not for other threads: an average that no text exceeds by much is.
        metrics = QFontMetricsF(self.canvas.font())
        fixed = QFontMetricsF(theme.fixed_font(max(7.0, theme.ui_points() - 1.5))).horizontalAdvance("0")
        letters = {chr(c): metrics.horizontalAdvance(chr(c)) for c in range(32, 127)}
        other = metrics.horizontalAdvance("W")
        return (lambda text: sum(letters.get(c, other) for c in text)), (lambda text: fixed * len(text))

    def _nothing(self, message: str) -> None:
        self.jobs.cancel("graph")
        self._shown = None
        self.says.setText("")
        self.canvas.show_picture(None, message)

    def _drawn(self, picture: Picture) -> None:
        self.canvas.show_picture(picture)
        s = self.model.selection
        if s.artifact is not None and s.node is not None:
            self.canvas.reveal(s.artifact, s.node)

    def _failed(self, details: str) -> None:
        self.fail(RuntimeError(details.strip().splitlines()[-1]))
