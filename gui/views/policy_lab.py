"""The policy lab: one line per way to run the script, what it cost, whether the results are equal; below, the chosen one.

A change of the script is shown as a diff. It is written into the script only by the link that says so, and can be taken back.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QSplitter, QVBoxLayout, QWidget

from .. import theme
from ..models.table import Column, SortedTable, TableModel
from ..numbers import duration, number, plural
from ..widgets.able import allow
from ..widgets.elided import ElidedLabel
from ..widgets.page import Page, esc, link
from ..widgets.plain_table import plain_table
from .base import View

NUMBERS = (("Versions", "artifacts", "Versions compiled, of all functions."),
           ("Recompiled", "recompiles", "Versions compiled because no kept one fitted."),
           ("Eager", "eager", "Calls that ran as plain Python after the limit."),
           ("Compile", "compile_ns", "Time spent compiling."), ("Kernels", "kernel_ns", "Time spent in kernels."),
           ("Breaks", "breaks", "Graph breaks."),
           ("Whole run", "run_ns", "From the start of the script's process to its end."))
STATES = {"waiting": "waits", "running": "runs now", "stopped": "stopped"}
WIDTHS = {"": 26, "Policy": 142, "Results": 60, "Versions": 68, "Recompiled": 84, "Eager": 54, "Breaks": 58,
          "Whole run": 80, "What came of it": 260}


class PolicyLabView(View):
    """`wanted(what, trial)`: "start", "stop", "copy", "write", "open" or "compare", the trial None for the first two."""

    name = "lab"
    cares = frozenset({"session", "tools", "theme"})
    wanted = Signal(str, object)

    def build(self) -> QWidget:
        self.start = QPushButton("Run the lab")
        self.start.setToolTip("Run the script once per policy, in processes of its own, and try what is advised")
        self.start.clicked.connect(lambda: self.wanted.emit("start", None))
        self.stop = QPushButton("Stop")
        self.stop.setToolTip("Stop the lab; what was found so far stays")
        self.stop.clicked.connect(lambda: self.wanted.emit("stop", None))
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(150)
        self.bar.setAccessibleName("Progress of the policy lab")
        self.says = ElidedLabel()
        self.says.setObjectName("muted")
        top = QHBoxLayout()
        top.setContentsMargins(10, 7, 10, 7)
        top.setSpacing(10)
        for widget, stretch in ((self.start, 0), (self.stop, 0), (self.bar, 0), (self.says, 1)):
            top.addWidget(widget, stretch)
        self.table_model = TableModel(self._columns(), self)
        self.table = plain_table(SortedTable(self.table_model, self))
        self.table.setAccessibleName("Trials of the policy lab")
        self.table.selectionModel().currentRowChanged.connect(self.contained(self._chosen))
        self.page = Page(self.model)
        self.page.setAccessibleName("The chosen trial")
        self.page.followed.connect(self.contained(lambda kind, _: self.wanted.emit(kind, self._current())))
        split = self.split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.table)
        split.addWidget(self.page)
        split.setSizes([200, 200])
        split.setChildrenCollapsible(False)
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(split, 1)
        self._row, self._room, self._ended = 0, 0, True
        return box

    def _columns(self) -> list[Column]:
        place = lambda t: f"{self.table_model.rows.index(t):03d}"
        columns = [
            Column("", lambda t: "", "Good, bad, or not known yet.", sort=place, icon=lambda t: theme.mark_icon(mark_of(t)),
                   cell_tip=lambda t: came_of(t)),
            Column("Policy", lambda t: t.policy.name, "How the run differs from the script as it is.",
                   cell_tip=lambda t: f"{t.policy.name}\n{t.policy.note}".strip())]
        columns.append(Column(
            "Results", lambda t: {True: "equal", False: "differ", None: ""}[t.equal],
            "Whether every call returned what it returns in the script as it is.",
            color=lambda t: theme.active().bad if t.equal is False else theme.active().good if t.equal else "",
            cell_tip=lambda t: t.detail))
        for title, key, tip in NUMBERS:
            columns.append(Column(title, self._text(key), tip, True, sort=self._value(key),
                                  color=self._color(key)))
        columns.append(Column("What came of it", came_of, "Of a change: what it did to the function it is for."))
        return columns

    def _value(self, key: str) -> Any:
        return lambda t: t.numbers.get(key, -1)

    def _text(self, key: str) -> Any:
        shown = duration if key.endswith("_ns") else number
        return lambda t: shown(t.numbers[key]) if t.numbers else ""

    def _color(self, key: str) -> Any:
        def color(t: Any) -> str:
            first = self.table_model.rows[0]
            if key.endswith("_ns") or t is first or not t.numbers or not first.numbers or t.numbers[key] == first.numbers[key]:
                return ""
            return theme.active().good if t.numbers[key] < first.numbers[key] else theme.active().bad
        return color

    # showing

    def update_view(self, what: set[str]) -> None:
        lab = self.model.lab
        running = lab is not None and lab.running
        allow(self.start, "the policy lab is running" if running else "")
        allow(self.stop, "" if running else "the policy lab is not running")
        self.bar.setVisible(running)
        if lab is None:
            self.table_model.set_rows([])
            self.says.setText("Not run yet.")
            self.page.show_html("<p>The lab runs your script several times in the background: as it is, with sizes dynamic "
                                "always or never, with a higher limit, and once for every change that is suggested. It "
                                "compares versions, times and results. Your script is not changed.</p>")
            return
        self.bar.setValue(round(lab.share * 1000))
        self.says.setText(lab.progress if running else f"{lab.script.name}: {plural(len(lab.trials), 'run')}")
        before = self._row
        if list(lab.trials) == self.table_model.rows and self._ended == (not running) and "theme" not in what:
            self._show()                     # only the progress is new
            return
        self.table_model.set_rows(list(lab.trials))
        for i, column in enumerate(self.table_model.columns):
            self.table.setColumnWidth(i, WIDTHS.get(column.title, 70))
        if self._ended != (not running):
            self._ended = not running
            if self._ended:
                best = [i for i, t in enumerate(lab.trials) if t.worth]
                before = max(best, key=lambda i: lab.trials[i].numbers["saved"], default=before)
        self._make_room()
        self._select(min(before, len(lab.trials) - 1))

    def _make_room(self) -> None:
        """Let every trial be seen, as long as more than a third is left for the one that is chosen."""
        rows = len(self.table_model.rows)
        if rows != self._room:
            self._room = rows
            bars = self.table.horizontalHeader().height() + self.table.horizontalScrollBar().sizeHint().height()
            needed = bars + 26 * rows + 4
            total = sum(self.split.sizes())
            needed = min(needed, total * 3 // 5)
            self.split.setSizes([needed, total - needed])

    def _select(self, row: int) -> None:
        proxy = self.table.model()
        index = proxy.mapFromSource(self.table_model.index(row, 0))  # type: ignore[attr-defined]
        self.table.selectRow(index.row())
        self._row = row
        self._show()

    def _current(self) -> Any:
        return self.table_model.rows[self._row] if self._row < len(self.table_model.rows) else None

    def _chosen(self, index: QModelIndex, _: QModelIndex) -> None:
        if index.isValid():
            self._row = self.table.model().mapToSource(index).row()  # type: ignore[attr-defined]
            self._show()

    def _show(self) -> None:
        t = self._current()
        self.page.show_html(self.body(t) if t is not None else "")

    def body(self, t: Any) -> str:
        """The page about one trial."""
        lab = self.model.lab
        assert lab is not None
        cure = t.policy.cure
        parts = [f"<h1>{esc(t.policy.name[:1].upper() + t.policy.name[1:])}</h1><p class='muted'>{esc(t.policy.note)}</p>"]
        if t.effect:
            parts.append(f"<p class='{'good' if t.worth else 'warn'}'><b>{esc(t.effect)}</b></p>")
        elif t.state == "done" and t.equal is not None:
            parts.append(f"<p class='{'good' if t.equal else 'bad'}'>{esc(t.detail)}</p>")
        elif t.detail:
            parts.append(f"<p class='bad'>{esc(t.detail)}</p>")
        links = []
        if cure is not None:
            links.append(link("copy", "Copy the line" if len(cure.lines) == 1 else "Copy the lines"))
            if lab.written == cure.title:
                links.append(link("write", "Take the change back"))
                parts.append(f"<p class='good'>Written into {esc(lab.script.name)}. Run the script again to see it.</p>")
            elif t.state == "done" and not lab.written:
                links.append(link("write", f"Write this change into {lab.script.name}"))
        if t.session is not None and t.state in ("done", "failed"):
            links.append(link("open", "Open this run"))
            if t is not self.table_model.rows[0]:
                links.append(link("compare", "Compare with the script as it is"))
        if links:
            parts.append(f"<p>{' &nbsp;·&nbsp; '.join(links)}</p>")
        if cure is not None:
            parts.append("<table cellspacing='0' cellpadding='1'>" + "".join(
                diff_line(line) for line in cure.diff(lab.text, lab.script.name).splitlines()[2:]) + "</table>")
        return "".join(parts)


def diff_line(line: str) -> str:
    """One line of a unified diff as a table row."""
    kind = {"+": "goodbox", "-": "failed", "@": "muted"}.get(line[:1], "")
    text = line[1:].expandtabs(4)
    indent = "&nbsp;" * (len(text) - len(text.lstrip()) + 1)
    shown = f"{esc(line[:1])}{indent}{esc(text.lstrip())}" if line[:1] != "@" else esc(line)
    style = "code muted" if kind == "muted" else "code"
    return f"<tr class='{kind}'><td width='100%'><span class='{style}'>{shown}</span></td></tr>"


def mark_of(t: Any) -> str:
    """The mark of a trial's state."""
    if t.state in ("failed", "stopped"):
        return "error" if t.state == "failed" else "not_compiled"
    if t.state != "done":
        return "compile" if t.state == "running" else "not_compiled"
    return "error" if t.equal is False else "reuse"


def came_of(t: Any) -> str:
    """In a few words what came of a trial."""
    if t.state != "done":
        return STATES.get(t.state, t.detail or "failed")
    return t.effect or ("the results of the others are compared with this run" if t.policy.name == "as it is" else t.detail)


