"""What if: type a signature or edit a value of the selected call, and see which version would take it or who refuses.

Nothing is run: the recorded guards are evaluated (core/events/what_if.py). What was typed stays when another call of the same
function is selected, so that one question can be asked from several starting points.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QSizePolicy,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ...core.errors import GuardscopeError
from ...core.events.schema import FailureRow, Value
from ...core.events.summary import place_of
from ...core.events.value_text import parse_signature, parse_value, text_of
from ...core.events.what_if import Answer, Guards, Situation, Verdict, ask, situation
from .. import theme
from ..facts import plainer
from ..numbers import plural, short_numbers
from ..widgets.able import allow
from ..widgets.page import Page, code, esc, guard_cells, guard_head, link, mark
from .base import View

MOST_VERSIONS, MOST_NOTES = 16, 6
CELL_MARGIN, LEAST_NAME = 20, 72             # pixels beside a text; that the column of names keeps
NAMES = 0.36                                 # of the width, for names, where values do not fit anyway
MARKS = {"unknown": "not_compiled"}


class ValueTable(QTableWidget):
    """Columns share the width: each as much as its texts need where there is room, the names less than the values where not."""

    def share_out(self) -> None:
        """Give every column its width."""
        metrics, room = self.fontMetrics(), self.viewport().width()
        fixed = QFontMetrics(theme.fixed_font())
        wanted = []
        for column in range(self.columnCount()):
            texts = [item.text() for row in range(self.rowCount()) if (item := self.item(row, column)) is not None]
            head = self.horizontalHeaderItem(column)
            wanted.append(max([metrics.horizontalAdvance(head.text()) if head is not None else 0,
                               *map(fixed.horizontalAdvance, texts)]) + CELL_MARGIN)
        left = room - sum(wanted)
        least = min(wanted[0], LEAST_NAME)
        sizes = [max(wanted[0] + left, least), *wanted[1:]] if left < 0 else [w + left // len(wanted) for w in wanted]
        if sum(sizes) > room:                                # values too long for any width share what the names leave
            name = min(wanted[0], max(LEAST_NAME, round(room * NAMES)))
            sizes = [name] + [max(60, (room - name) // 2)] * (len(sizes) - 1)
        for column, size in enumerate(sizes):
            self.setColumnWidth(column, size)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share_out()


class WhatIfView(View):
    """`start`: the situation of the selected call; `edits`: values typed, by place; `answer`: what is shown."""

    name = "what_if"

    def build(self) -> QWidget:
        self.start: Situation | None = None
        self.edits: dict[str, Value] = {}
        self.answer: Answer | None = None
        self.problem = ""
        self._known: Guards | None = None
        self._filling = False
        self._filled: list[tuple[str, str, str, str]] = []       # what the table shows
        self.line = QLineEdit()
        self.line.setPlaceholderText("A signature, such as float16[1, 32], 3 \N{EN DASH} then Enter")
        self.line.setClearButtonEnabled(True)
        self.line.setAccessibleName("Signature to ask about")
        self.line.setFont(theme.fixed_font())
        self.line.returnPressed.connect(self.contained(self.ask_line))
        self.reset = QToolButton()
        self.reset.setObjectName("flat")
        self.reset.setText("Reset")
        self.reset.setToolTip("Back to the values of the selected call")
        self.reset.clicked.connect(self.contained(self.clear))
        top = QHBoxLayout()
        top.setContentsMargins(10, 7, 10, 7)
        top.addWidget(self.line, 1)
        top.addWidget(self.reset)
        self.table = self._table()
        self.page = Page(self.model)
        self.page.setAccessibleName("Answer: which version would take the call")
        split = self.split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.table)
        split.addWidget(self.page)
        for place, part in enumerate((self.table, self.page)):
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
            part.setMinimumHeight(86)
            split.setStretchFactor(place, 2 + place)
        split.setChildrenCollapsible(False)
        split.setSizes([140, 220])
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(split, 1)
        return box

    def _table(self) -> ValueTable:
        table = ValueTable(0, 3)
        table.setHorizontalHeaderLabels(["Value", "In this call", "What if"])
        table.setAccessibleName("Values of the call, and what to ask instead")
        table.setShowGrid(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(26)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        triggers = QAbstractItemView.EditTrigger
        table.setEditTriggers(triggers.DoubleClicked | triggers.SelectedClicked | triggers.EditKeyPressed
                              | triggers.AnyKeyPressed)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)             # a text too long is cut once, not at its first space,
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)         # and keeps its end: names often differ there
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for column, tip in enumerate(("Arguments first, then what guards read elsewhere, then the modes.",
                                      "As recorded for the selected call.",
                                      "Change it: a tensor such as float16[1, 32], a number, 'text', None, True.")):
            item = table.horizontalHeaderItem(column)
            assert item is not None
            item.setToolTip(tip)
        table.cellChanged.connect(self.contained(self._edited))
        return table

    # showing

    def update_view(self, what: set[str]) -> None:
        facts, s = self.model.facts, self.model.selection
        if "theme" in what:
            self._filled = []
        if "session" in what:
            self.edits, self._known = {}, None
        if "rows" in what and self.model.running:
            self._known = None               # those of the newest version may have been still to come
        before, self.start = self.start, None
        if facts is not None and s.call is not None and s.call < facts.n_calls:
            try:
                self.start = situation(facts.session, s.call, self._code())
            except GuardscopeError:
                self.start = situation(facts.session, s.call)
        if before is None or self.start is None or before.code != self.start.code:
            self.edits, self.problem = {}, ""
            self.line.clear()
        self.show_answer()

    def _code(self) -> int | None:
        """The function that is asked about: the selected one if the selected call ran it."""
        facts, s = self.model.facts, self.model.selection
        assert facts is not None
        ran = [r["code"] for r in facts.call_runs(s.call)] if s.call is not None else []
        return s.code if s.code in ran else None

    def show_answer(self) -> None:
        """Evaluate and show."""
        if self.start is None:
            self.answer = None
            self._fill()
            self.page.show_html("<p class='muted'>Select a call: its values are where the question starts. Then change one, "
                                "or type a signature, to see which version would take it. Nothing is run.</p>")
            return
        session = self.model.session
        if self._known is None or self._known.session is not self.model.whole:
            self._known = Guards(self.model.whole)           # guards do not depend on the time
        start = self.start
        asked = start.with_values({p: v for p, v in self.edits.items()
                                   if p in start.values or p in start.modes or p in start.params})
        self.answer = ask(session, asked, self._known)
        self._fill()
        self.page.show_html(self.body())

    def _fill(self) -> None:
        self._filling = True
        try:
            rows, before, self._filled = self._rows(), self._filled, []
            if rows == before:
                self._filled = rows
                self._allow_reset()
                return
            self.table.setRowCount(len(rows))
            self.table.setMaximumHeight(self.table.horizontalHeader().sizeHint().height() + 26 * max(1, len(rows)) + 8)
            t, fixed = theme.active(), theme.fixed_font()
            bold = QFont(fixed)
            bold.setBold(True)
            for i, (place, shown, was, now) in enumerate(rows):
                if before[i:i + 1] == rows[i:i + 1]:
                    continue                 # shown already
                changed = was != now
                for column, text in enumerate((shown, was, now)):
                    item = QTableWidgetItem(text)
                    item.setFont(bold if changed and column == 2 else fixed)
                    item.setToolTip(text)
                    item.setData(Qt.ItemDataRole.UserRole, place)
                    if column < 2:
                        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
                    if column == 1 or not changed and column == 2:
                        item.setForeground(QColor(t.text_muted))
                    if changed and column == 2:
                        item.setBackground(QColor(t.warn_back))
                        item.setForeground(QColor(t.text))
                    self.table.setItem(i, column, item)
            self._filled = rows
            self._allow_reset()
            self.table.share_out()
        finally:
            self._filling = False

    def _allow_reset(self) -> None:
        allow(self.reset, "" if self.edits or self.line.text() or self.problem else "no value was changed")

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """(place, as shown, value in the call, value asked about)."""
        s, facts = self.start, self.model.facts
        if s is None or facts is None:
            return []
        rows = []
        for place in dict.fromkeys([*s.params, *s.values]):
            value = s.values.get(place)
            if value is not None and value.kind == "type" and place not in s.params:
                continue                     # of an object only its type is known: nothing to change
            was = text_of(value) if value is not None else "not recorded"
            rows.append((place, facts.spelled(s.code, place), was, text_of(self.edits[place]) if place in self.edits else was))
        for name, text in s.modes.items():
            edit = self.edits.get(name)
            now = text if edit is None else str(edit.value) if edit.kind == "value" else edit.text
            rows.append((name, name, text, now))
        return rows

    def body(self) -> str:
        """The answer as HTML."""
        a, facts = self.answer, self.model.facts
        assert a is not None and self.start is not None and facts is not None
        error = f"<p class='bad'>{esc(self.problem)}</p>" if self.problem else ""
        which = "would" if self.edits else "for the values of this call"
        head = (f"<h1>{mark(MARKS.get(a.outcome, a.outcome))}&nbsp; {esc(HEADS[a.outcome])}</h1>"
                f"<p>{esc(facts.spelled(self.start.code, a.sentence))}</p>")
        rows = [self._version(v, i == 0) for i, v in enumerate(a.verdicts[:MOST_VERSIONS])]
        if not rows:
            return error + head
        more = len(a.verdicts) - MOST_VERSIONS
        return (f"{error}{head}<table width='100%' cellspacing='0' cellpadding='4'>"
                + guard_head("asked", (self._said(f) for v in a.verdicts[:MOST_VERSIONS] for f in v.failures))
                + "".join(rows) + "</table>"
                + (f"<p class='muted'>and {plural(more, 'more version')}</p>" if more > 0 else "")
                + ("" if which == "would" else "<p class='muted'>Change a value above, or type a signature.</p>"))

    def _version(self, v: Verdict, first: bool) -> str:
        facts = self.model.facts
        assert facts is not None and self.answer is not None
        title = link(f"artifact:{v.artifact}", f"version {v.version}")
        if first and len(self.answer.verdicts) > 1 and v.failures:
            title += "<br><span class='muted'>nearest</span>"
        if v.takes:
            said = "takes it" if v.artifact == self.answer.artifact else "would fit too"
            notes = [f"{esc(g.condition)} is taken to hold" for g in v.assumed[:MOST_NOTES]]
            return (f"<tr class='goodbox'><td style='white-space:pre'>{title}</td><td colspan='3'><span class='good'>"
                    f"<b>{said}</b></span>: all {v.checked} guards hold"
                    + "".join(f"<br><span class='muted'>{n}</span>" for n in notes) + "</td></tr>")
        rows = [row for f in v.failures for row in self._failure(v, f)]
        if not v.failures:
            rows += [f"<td>{code(g.condition)}</td><td colspan='2' class='warn'>cannot be told: {esc(why)}</td>"
                     for g, why in v.unknown[:MOST_NOTES]]
        back = "failed" if v.failures else "warnbox"
        lead = f"<td rowspan='{len(rows)}' valign='top' style='white-space:pre'>{title}</td>"
        return "".join(f"<tr class='{back}'>{lead if i == 0 else ''}{row}</tr>" for i, row in enumerate(rows))

    def _failure(self, v: Verdict, row: FailureRow) -> list[str]:
        return guard_cells(f"guard:{v.artifact}:{row.index}", *self._said(row))

    def _said(self, row: FailureRow) -> tuple[str, str, str]:
        """The place, what was needed and what was asked, as they are shown."""
        facts = self.model.facts
        assert facts is not None and self.start is not None
        f = plainer(row)
        place, needed, seen = (facts.spelled(self.start.code, text) for text in (place_of(f), f.expected, f.seen))
        return place, short_numbers(needed), short_numbers(seen)

    # asking

    def ask_line(self) -> None:
        """Take the values of the typed signature."""
        self.flush()                         # another session may be shown since the view was last in front
        if self.start is None:
            return
        try:
            values = parse_signature(self.line.text(), self.start.positional)
            self.start.with_values(values)
            self.edits, self.problem = {**self.edits, **self._own(values)}, ""
        except GuardscopeError as problem:
            self.problem = str(problem)
        self.show_answer()

    def _own(self, values: dict[str, Value]) -> dict[str, Value]:
        """The typed values under the spelling of their places, those that are as in the call left out."""
        assert self.start is not None
        then = self.start.with_values(values)
        places = {**then.values, **{name: values[name] for name in then.modes if name in values}}
        for place in [p for p in self.edits if p in then.values and p not in then.edited and p in values]:
            del self.edits[place]
        return {p: places[p] for p in then.edited}

    def _edited(self, row: int, column: int) -> None:
        if self._filling or column != 2 or self.start is None:
            return
        item = self.table.item(row, column)
        assert item is not None
        self._filled = []                    # the cell shows what was typed
        place, text = str(item.data(Qt.ItemDataRole.UserRole)), item.text().strip()
        before = self.start.values.get(place)
        try:
            if not text or before is not None and text == text_of(before):
                self.edits.pop(place, None)
            elif place in self.start.modes:
                self._edit_mode(place, text)
            else:
                self.edits[place] = parse_value(text, before.type if before is not None and before.kind == "tensor"
                                                else "Tensor")
            self.problem = ""
        except GuardscopeError as problem:
            self.problem = str(problem)
        QTimer.singleShot(0, self, self.contained(self.show_answer))     # not while the cell's editor is closing

    def _edit_mode(self, name: str, text: str) -> None:
        assert self.start is not None
        if text == self.start.modes[name]:
            self.edits.pop(name, None)
            return
        try:
            self.edits[name] = parse_value(text)
        except GuardscopeError:
            self.edits[name] = Value("value", "str", text)       # torch.float64, cpu

    def clear(self) -> None:
        """Forget what was typed."""
        self.flush()
        self.edits, self.problem = {}, ""
        self.line.clear()
        self.show_answer()

    def focus_line(self) -> None:
        """Let the keyboard write into the line."""
        self.flush()
        if self._content is not None:
            self.line.setFocus()
            self.line.selectAll()


HEADS = {"reuse": "A kept version would be used again", "compile": "It would be compiled",
         "recompile": "It would be recompiled", "eager_limit": "It would run as plain Python",
         "not_compiled": "It would run as plain Python", "unknown": "It cannot be told"}
