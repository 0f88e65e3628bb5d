"""What the script printed: stdout and stderr, ANSI colours, a million lines without freezing.

Only the last LINES lines are kept in the widget; what scrolled out is counted and said. Text is inserted in pieces of
at most PIECE characters per turn of the event loop, so that the window stays alive.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from .. import theme
from ..numbers import number
from .base import View

LINES = 20_000
PIECE = 200_000
_ESCAPE = re.compile(r"\x1b\[([0-9;]*)m|\x1b\[[0-9;?]*[A-Za-ln-z]|\x1b\][^\x07]*\x07")
_COLORS = {31: "bad", 32: "good", 33: "warn", 34: "accent", 35: "accent", 36: "accent", 91: "bad", 92: "good",
           93: "warn", 94: "accent", 95: "accent", 96: "accent", 90: "text_muted"}


def split_ansi(text: str, role: str = "") -> tuple[list[tuple[str, str, bool]], str]:
    """[(piece, theme role or "", bold), ...] of text with ANSI colour codes, and the role that holds at its end. Other
    escape sequences are dropped; a carriage return keeps only what follows it on the line."""
    parts: list[tuple[str, str, bool]] = []
    bold, at = False, 0
    for m in _ESCAPE.finditer(text):
        if m.start() > at:
            parts.append((text[at:m.start()], role, bold))
        at = m.end()
        if m.group(1) is None:
            continue
        for number_text in (m.group(1) or "0").split(";"):
            n = int(number_text or 0)
            if n == 0:
                role, bold = "", False
            elif n == 1:
                bold = True
            elif n in (22, 39):
                role, bold = (role, False) if n == 22 else ("", bold)
            else:
                role = _COLORS.get(n, role)
    if at < len(text):
        parts.append((text[at:], role, bold))
    return parts, role


def last_lines(text: str, lines: int) -> tuple[str, int]:
    """The last `lines` lines of a text, and how many were left out."""
    total = text.count("\n")
    if total <= lines:
        return text, 0
    at = len(text)
    for _ in range(lines + 1):
        at = text.rfind("\n", 0, at)
    return text[at + 1:], total - lines


class OutputView(View):
    """Follows the end unless the reader has scrolled up."""

    name = "output"
    cares = frozenset({"session", "rows", "theme"})

    def build(self) -> QWidget:
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setMaximumBlockCount(LINES)
        self.text.setUndoRedoEnabled(False)
        self.text.setFont(theme.fixed_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.text.document().setDocumentMargin(10)
        self.text.setPlaceholderText("Nothing has been printed.")
        self.says = QLabel()
        self.says.setObjectName("muted")
        self.says.setContentsMargins(10, 4, 10, 4)
        self.says.hide()
        self._seen = 0
        self._left_out = 0
        self._queue: list[tuple[str, str]] = []
        self._role = {"stdout": "", "stderr": ""}
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.contained(self._insert_some))
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.says)
        layout.addWidget(self.text, 1)
        return box

    def update_view(self, what: set[str]) -> None:
        shown = self.model.session
        if "session" in what or "theme" in what or (self.model.as_of is not None and shown.output_size < self._seen):
            self._timer.stop()
            self.text.clear()
            self._queue.clear()
            self._seen = self._left_out = 0
            self._role = {"stdout": "", "stderr": ""}
        if shown is None:
            return
        new = shown.output(self._seen)
        self._seen += len(new)
        self._take([(stream, text) for _, stream, text in new])

    def _take(self, pieces: list[tuple[str, str]]) -> None:
        self._queue += pieces
        room, kept = LINES, []
        for stream, text in reversed(self._queue):
            if room <= 0:
                self._left_out += text.count("\n")
                continue
            text, dropped = last_lines(text, room)
            self._left_out += dropped
            room -= text.count("\n")
            kept.append((stream, text))
        self._queue = kept[::-1]
        if self._queue:
            self._insert_some()
            if self._queue:
                self._timer.start()

    def _insert_some(self) -> None:
        bar = self.text.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 4
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        room = PIECE
        while self._queue and room > 0:
            stream, text = self._queue.pop(0)
            if len(text) > room:
                self._queue.insert(0, (stream, text[room:]))
                text = text[:room]
            room -= len(text)
            self._insert(cursor, stream, text)
        cursor.endEditBlock()
        if not self._queue:
            self._timer.stop()
        if at_end:
            bar.setValue(bar.maximum())
        self.says.setVisible(self._left_out > 0)
        if self._left_out:
            self.says.setText(f"Showing the last {number(LINES)} lines; {number(self._left_out)} earlier ones are in "
                              "the session file.")

    def _insert(self, cursor: QTextCursor, stream: str, text: str) -> None:
        t = theme.active()
        parts, self._role[stream] = split_ansi(text.replace("\r\n", "\n"), self._role.get(stream, ""))
        for piece, role, bold in parts:
            style = QTextCharFormat()
            style.setForeground(QColor(getattr(t, role or ("bad" if stream == "stderr" else "text"))))
            if bold:
                style.setFontWeight(700)
            cursor.insertText(piece, style)

    def plain(self) -> str:
        """The text shown."""
        return self.text.toPlainText() if self._content is not None else ""
