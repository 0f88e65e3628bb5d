"""A label that shortens its text with an ellipsis when there is no room, and shows all of it as its tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel


class ElidedLabel(QLabel):
    """`clicked` fires on a left click when `set_link(True)`."""

    clicked = Signal()

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self._link = False
        self.setTextFormat(Qt.TextFormat.PlainText)

    def set_link(self, on: bool) -> None:
        self._link = on
        self.setCursor(Qt.CursorShape.PointingHandCursor if on else Qt.CursorShape.ArrowCursor)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(text)

    def sizeHint(self) -> QSize:
        around = self.width() - self.contentsRect().width()       # padding of the style sheet
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 4 + around, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(40, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setFont(self.font())
        p.setPen(self.palette().color(self.foregroundRole()))
        r = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, r.width())
        p.drawText(r, int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), text)
        p.end()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._link and event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()
