"""A read-only code editor: line numbers, a margin of marks, a highlighted line, notes after the end of a line.

Used for the script, the generated Python and the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QToolTip, QWidget

from .. import theme
from .highlighter import Highlighter

COUNT_LEFT = 24                  # pixels of the margin before a count: those of the signs
NOTE_GAP = 28                    # pixels between a line and its note


@dataclass(frozen=True, slots=True)
class Mark:
    """What a line's margin shows. `bar`: the line is part of a graph ("graph0", "graph1" in turns), runs as Python between
    graphs ("python"), is never compiled ("skipped"), or ""; `sign` is "break", "not_compiled", "guard",
    "failed" or ""; `count` stands right of the number; `note` is written after the line in `note_role`'s colour, or `short`
    where there is no room for it."""

    bar: str = ""
    sign: str = ""
    count: str = ""
    note: str = ""
    short: str = ""
    note_role: str = "text_muted"
    tip: str = ""


class CodeEdit(QPlainTextEdit):
    """`line_clicked(line)` counts from 1."""

    line_clicked = Signal(int)

    def __init__(self, language: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(theme.fixed_font())
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse
                                     | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        self.highlighter = Highlighter(self.document(), language)
        self.marks: dict[int, Mark] = {}
        self.current_line: int | None = None
        self._margin = _Margin(self)
        self._text: str | None = None
        self.updateRequest.connect(self._scroll_margin)
        self.blockCountChanged.connect(lambda _: self._resize_margin())
        self._resize_margin()

    def show_text(self, text: str, marks: dict[int, Mark] | None = None) -> None:
        """Show a text; the same text again keeps the place."""
        if marks is not None and marks != self.marks:
            self.marks = marks
            self._resize_margin()
            self._margin.update()
            self.viewport().update()
        if text != self._text:
            self._text = text
            self.highlighter.set_text(text)
            self.setPlainText(text.rstrip("\n"))
            self.current_line = None
            self.setExtraSelections([])

    def show_line(self, line: int | None, span: tuple[int, int, int] | None = None) -> None:
        """Highlight a line and bring it into view. `span`: (first column, end line, end column) to mark as well."""
        self.current_line = line
        extra = []
        if line is not None and 0 < line <= self.blockCount():
            t = theme.active()
            block = self.document().findBlockByNumber(line - 1)
            cursor = QTextCursor(block)
            whole = QTextEdit.ExtraSelection()
            whole.cursor = cursor
            whole.format.setBackground(QColor(t.current_line))
            whole.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            extra.append(whole)
            if span is not None:
                last = self.document().findBlockByNumber(max(line, span[1]) - 1)
                part = QTextEdit.ExtraSelection()
                part.cursor = QTextCursor(block)
                part.cursor.setPosition(min(block.position() + span[0], block.position() + block.length() - 1))
                part.cursor.setPosition(min(last.position() + span[2], last.position() + last.length() - 1),
                                        QTextCursor.MoveMode.KeepAnchor)
                part.format.setBackground(QColor(t.selection))
                part.format.setForeground(QColor(t.selection_text))
                extra.append(part)
            shown = self.cursorRect(cursor)
            if shown.top() < 0 or shown.bottom() > self.viewport().height():
                bar = self.verticalScrollBar()
                bar.setValue(max(0, line - 1 - max(1, self.viewport().height() // max(1, shown.height())) // 3))
        self.setExtraSelections(extra)
        self._margin.update()

    # margin

    def margin_width(self) -> int:
        m = self.fontMetrics()
        digits = len(str(max(99, self.blockCount())))
        counts = max((m.horizontalAdvance(k.count) for k in self.marks.values()), default=0)
        return COUNT_LEFT + 4 + m.horizontalAdvance("9") * digits + (counts + 10 if counts else 0) + 12

    def _resize_margin(self) -> None:
        self.setViewportMargins(self.margin_width(), 0, 0, 0)
        r = self.contentsRect()
        self._margin.setGeometry(QRect(r.left(), r.top(), self.margin_width(), r.height()))

    def _scroll_margin(self, rect: QRect, dy: int) -> None:
        if dy:
            self._margin.scroll(0, dy)
        else:
            self._margin.update(0, rect.y(), self._margin.width(), rect.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resize_margin()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.highlighter.rehighlight()
            self.show_line(self.current_line)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.line_clicked.emit(self.cursorForPosition(event.position().toPoint()).blockNumber() + 1)

    def visible_lines(self) -> list[tuple[int, QRectF]]:
        """(line, rectangle in viewport pixels) of what is in view."""
        found = []
        block = self.firstVisibleBlock()
        while block.isValid():
            rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if rect.top() > self.viewport().height():
                break
            found.append((block.blockNumber() + 1, rect))
            block = block.next()
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        t = theme.active()
        p = QPainter(self.viewport())
        font = self.font()
        font.setItalic(True)
        p.setFont(font)
        metrics = self.fontMetrics()
        for line, rect in self.visible_lines():
            note = self.note_at(line)
            if note:
                p.setPen(QColor(getattr(t, self.marks[line].note_role, t.text_muted)))
                p.drawText(QPointF(rect.left() + self._note_left(line), rect.top() + metrics.ascent() + 1), note)
        p.end()

    def note_at(self, line: int) -> str:
        """What is written after a line: all of its note, the short one, or nothing, never a part."""
        mark, font = self.marks.get(line), self.font()
        font.setItalic(True)
        metrics = QFontMetrics(font)
        room = self.viewport().width() - self._note_left(line) - self.document().documentMargin() - 6
        return next((text for text in ((mark.note, mark.short) if mark is not None else ())
                     if text and metrics.horizontalAdvance(text) <= room), "")

    def _note_left(self, line: int) -> float:
        """Where a note begins, in pixels from the left edge of the text."""
        text = self.document().findBlockByNumber(line - 1).text().expandtabs(4)
        return self.fontMetrics().horizontalAdvance(text) + NOTE_GAP

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            mark = self.marks.get(self.cursorForPosition(event.pos()).blockNumber() + 1)
            if mark is not None and mark.tip:
                QToolTip.showText(event.globalPos(), mark.tip, self)
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)


class _Margin(QWidget):
    """Bars, signs, line numbers and counts left of the text."""

    def __init__(self, edit: CodeEdit) -> None:
        super().__init__(edit)
        self.edit = edit

    def sizeHint(self) -> QSize:
        return QSize(self.edit.margin_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme.active()
        e = self.edit
        p = QPainter(self)
        p.fillRect(event.rect(), QColor(t.raised))
        p.setFont(e.font())
        right = self.width() - 10
        for line, rect in e.visible_lines():
            mark = e.marks.get(line, Mark())
            y, h = rect.top(), rect.height()
            if line == e.current_line:
                p.fillRect(QRectF(0, y, self.width(), h), QColor(t.current_line))
            self._bar(p, mark.bar, self.width() - 4, y, h)
            self._sign(p, mark.sign, QRectF(5, y + (h - 11) / 2, 11, 11))
            p.setPen(QColor(t.text if line == e.current_line else t.text_muted))
            p.drawText(QRectF(0, y, right, h), int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
                       str(line))
            if mark.count:
                p.setPen(QColor(t.accent))
                p.drawText(QRectF(COUNT_LEFT, y, right, h), int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
                           mark.count)
        p.end()

    @staticmethod
    def _bar(p: QPainter, bar: str, x: float, y: float, h: float) -> None:
        """Graphs are solid, in two colours by turns; Python is dashed; what is never compiled is dotted."""
        t = theme.active()
        if bar.startswith("graph"):
            p.fillRect(QRectF(x, y, 3, h), t.outcome("reuse" if bar == "graph0" else "compile"))
        elif bar:
            style = Qt.PenStyle.DashLine if bar == "python" else Qt.PenStyle.DotLine
            p.setPen(QPen(QColor(t.warn) if bar == "python" else t.outcome("not_compiled"), 3, style))
            p.drawLine(QPointF(x + 1.5, y + 1), QPointF(x + 1.5, y + h - 1))

    @staticmethod
    def _sign(p: QPainter, sign: str, r: QRectF) -> None:
        t = theme.active()
        if not sign:
            return
        p.save()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        if sign == "break":
            p.setPen(QPen(QColor(t.bad), 2))
            y = r.center().y()
            step = r.width() / 4
            p.drawPolyline(QPolygonF([QPointF(r.left() + i * step, y + (3 if i % 2 else -3)) for i in range(5)]))
        elif sign == "not_compiled":
            theme.draw_mark(p, r, "not_compiled")
        else:
            p.setPen(Qt.PenStyle.NoPen)
            p.setBrush(QColor(t.warn if sign == "failed" else t.text_muted))
            size = 3.4 if sign == "failed" else 2.2
            p.drawEllipse(r.center(), size, size)
        p.restore()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            for line, rect in self.edit.visible_lines():
                mark = self.edit.marks.get(line)
                if rect.top() <= event.pos().y() < rect.bottom() and mark is not None and mark.tip:
                    QToolTip.showText(event.globalPos(), mark.tip, self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)
