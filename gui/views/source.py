"""The script, cut into the pieces that ran as graphs, as Python, or were never compiled, with what happened on each line."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from ..facts import Facts
from ..models.line_marks import LineMarks, line_marks, read_on, ready
from ..models.pieces import Piece, by_line, pieces
from ..numbers import plural
from ..widgets.code_edit import CodeEdit, Mark
from ..widgets.elided import ElidedLabel
from ..words import short_path
from .base import View

MOST_ABOUT = 5                            # lines about a line that are seen without scrolling
AT_ONCE, A_WHILE = 0.1, 0.02              # seconds of reading before the text is shown, and between two looks at the user


class SourceView(View):
    """A file chooser and the text."""

    name = "source"

    def build(self) -> QWidget:
        self.edit = CodeEdit("python")
        self.edit.line_clicked.connect(self.contained(
            lambda line: self.model.select(file=self.files.currentData(), line=line)))
        self.files = QComboBox()
        self.files.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.files.activated.connect(self.contained(lambda _: self._show(self.files.currentData())))
        self.says = ElidedLabel()
        self.says.setObjectName("muted")
        self.about = QPlainTextEdit()
        self.about.setObjectName("aboutLine")
        self.about.setReadOnly(True)
        self.about.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.about.setTabChangesFocus(True)
        self.about.document().setDocumentMargin(7)
        self.about.setAccessibleName("What happened on the selected line")
        self.about.hide()
        self.top = QWidget()
        row = QHBoxLayout(self.top)
        row.setContentsMargins(10, 7, 10, 7)
        row.addWidget(self.files)
        row.addWidget(self.says, 1)
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.top)
        layout.addWidget(self.edit, 1)
        layout.addWidget(self.about)
        return box

    def update_view(self, what: set[str]) -> None:
        facts, s = self.model.facts, self.model.selection
        if facts is None:
            self.files.clear()
            self.edit.show_text("", {})
            return
        files = facts.files()
        if [self.files.itemData(i) for i in range(self.files.count())] != files:
            here = self.files.currentData()
            self.files.clear()
            for f in files:
                self.files.addItem(Path(f).name, f)
            self.files.setCurrentIndex(max(0, self.files.findData(here)))
        wanted = s.file if s.file in files else self.files.currentData()
        self._show(wanted)

    def _show(self, file: str | None) -> None:
        facts, s = self.model.facts, self.model.selection
        if facts is None or file is None:
            self.edit.show_text("", {})
            self.says.setText("The session holds no source text." if facts is not None else "")
            return
        self.files.setCurrentIndex(self.files.findData(file))
        waits = self.model.as_of is not None and not ready(facts, file)
        known = not waits and read_on(facts, AT_ONCE)
        self.edit.show_text(facts.session.sources[file], self.marks(file, known))
        breaks = len({(b.line, b.sentence) for b in facts.session.breaks if b.file == file})
        self.says.setText("   ".join(([plural(breaks, "graph break")] if breaks else []) + [short_path(file)]
                                     + ([] if known else ["reading what happened on each line\N{HORIZONTAL ELLIPSIS}"])))
        if waits:
            self.after_pause(lambda: self._read_on(facts, file))
        elif not known:
            QTimer.singleShot(0, self, self.contained(lambda: self._read_on(facts, file)))
        here = s.line if s.file == file else None
        self._tell(here)
        self.edit.show_line(here, self._span() if here is not None else None)

    def _tell(self, line: int | None) -> None:
        """Say below the text what happened on a line, as its tooltip does."""
        mark = self.edit.marks.get(line) if line is not None else None
        text = mark.tip if mark is not None else ""
        self.about.setVisible(bool(text))
        if text and text != self.about.toPlainText():
            self.about.setPlainText(text)
            lines = min(MOST_ABOUT, text.count("\n") + 1)
            self.about.setFixedHeight(round(lines * self.about.fontMetrics().lineSpacing()
                                            + 2 * self.about.document().documentMargin()) + 2)

    def _read_on(self, facts: Facts, file: str) -> None:
        """Many versions are read a little at a time, so that the window goes on."""
        if facts is not self.model.facts or not self.isVisible():
            return                               # what is asked for next begins where this ended
        if read_on(facts, A_WHILE):
            line_marks(facts, file)
            self._show(file)
        else:
            QTimer.singleShot(0, self, self.contained(lambda: self._read_on(facts, file)))

    def _span(self) -> tuple[int, int, int] | None:
        facts, s = self.model.facts, self.model.selection
        assert facts is not None
        if s.artifact is None or (s.node is None and s.guard is None):
            return None
        row = facts.guard(s.artifact, s.guard) if s.guard is not None else \
            next((n for n in facts.nodes(s.artifact) if n.index == s.node), None)
        return (row.col, row.end_line, row.end_col) if row is not None and row.end_col > row.col else None

    def marks(self, file: str, happened_too: bool = True) -> dict[int, Mark]:
        """Line -> margin; the pieces alone unless `happened_too`."""
        facts = self.model.facts
        assert facts is not None
        piece_at, happened = by_line(pieces(facts, file)), line_marks(facts, file) if happened_too else {}
        return {line: _mark(line, piece_at.get(line), happened.get(line)) for line in {*piece_at, *happened}}


def _mark(line: int, piece: Piece | None, m: LineMarks | None) -> Mark:
    bar, count, about, short = "", "", [], ""
    if piece is not None:
        bar = piece.kind if piece.kind != "graph" else f"graph{piece.place % 2}"
        count, about = piece.label if line == piece.first else "", [piece.tip]
    if m is None:
        return Mark(bar, count=count, tip="\n".join(about))
    tips, sign, note, role = about, "", "", "text_muted"
    if m.guards:
        sign = "failed" if m.failures else "guard"
        tips.append("Conditions read here:\n" + "\n".join(f"  {g}" for g in m.guards))
        if m.failures:
            tips.append(f"They turned a version down {plural(m.failures, 'time')}.")
            note, role = f"turned a version down {plural(m.failures, 'time')}", "warn"
            short = f"failed {m.failures}\N{MULTIPLICATION SIGN}"
    if m.nodes:
        tips.append(f"{plural(m.nodes, 'graph node')} over all versions")
    if m.breaks:
        sign, note, short, role = "break", f"graph break: {m.breaks[0][0]}", "graph break", "bad"
        tips = [f"Graph break: {s}." + (f"\n{h[:1].upper()}{h[1:]}." if h else "") for s, h in m.breaks] + tips
    if m.not_compiled:
        sign, note, short, role = "not_compiled", f"not compiled: {m.not_compiled[0]}", "not compiled", "bad"
        tips = [f"Not compiled: {s}." for s in m.not_compiled] + tips
    return Mark(bar, sign, count, note, short, role, "\n".join(tips))
