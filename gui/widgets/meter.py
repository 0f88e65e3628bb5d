"""A meter of used places ("5 of 8"): one small box per place, so that the count can be read without colour."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from .. import theme
from ..models.tree import METER_ROLE

MOST_BOXES = 16


def draw_meter(p: QPainter, rect: QRectF, value: int, of: int) -> None:
    """Boxes in `rect`, filled up to `value`; in the warning colour near the limit, in the bad one at it."""
    t = theme.active()
    full = value >= of
    near = value >= 0.75 * of
    color = QColor(t.bad if full else t.warn if near else t.accent)
    boxes = min(of, MOST_BOXES)
    filled = round(value / of * boxes) if of > MOST_BOXES else min(value, boxes)
    gap = 2.0
    width = max(2.0, min(8.0, (rect.width() - gap * (boxes - 1)) / boxes))
    for i in range(boxes):
        box = QRectF(rect.x() + i * (width + gap), rect.y(), width, rect.height())
        p.fillRect(box, color if i < filled else theme.blend(t.base, t.border, 0.75))


class MeterDelegate(QStyledItemDelegate):
    """Draws a cell's text and, where the model gives one under METER_ROLE, the meter before it."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if option.text.startswith("version "):
            option.textElideMode = Qt.TextElideMode.ElideRight           # its number is what tells it from others

    def paint(self, painter: QPainter, option: QStyleOptionViewItem,
              index: QModelIndex | QPersistentModelIndex) -> None:
        meter = index.data(METER_ROLE)
        if meter is None:
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        style = option.widget.style() if option.widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        value, of = meter
        painter.save()
        metrics = QFontMetricsF(option.font)
        r = QRectF(option.rect).adjusted(6, 0, -6, 0)
        words = metrics.horizontalAdvance(max(text, "8 of 8", key=len)) + 9
        bar = QRectF(r.x(), r.center().y() - 5, max(0.0, r.width() - words), 10)
        if bar.width() > 24:
            draw_meter(painter, bar, value, of)
        t = theme.active()
        painter.setPen(QColor(t.bad if value >= of else t.text))
        painter.setFont(option.font)
        painter.drawText(r, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width() + (70 if index.data(METER_ROLE) is not None else 0), max(size.height(), 26))
