"""Painting of laid-out graphs: boxes of fused operations, nodes, edges with sizes, break borders.

One painter serves the canvas, which shows a part of a picture, and the exports, which take the whole.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from .. import theme
from ..models.graph_picture import NodeShape, Picture

SYMBOL = re.compile(r"\b[sfu]\d+\b")


class GraphPainter:
    """Paints `picture` with `painter`, in the picture's own coordinates; what is selected or was found stands out.

    selected: (artifact, node). found: what a search found, in the same form."""

    def __init__(self, painter: QPainter, picture: Picture, font: QFont, selected: tuple[int, int] | None = None,
                 selected_kernel: int | None = None, found: frozenset[tuple[int, int]] = frozenset()) -> None:
        self.painter, self.picture, self.font = painter, picture, font
        self.selected, self.selected_kernel, self.found = selected, selected_kernel, found

    def paint(self, seen: QRectF, readable: bool) -> None:
        """The part of the picture inside `seen`; `readable` with texts."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.painter.setFont(self.font)
        self._titles()
        self._boxes(seen)
        self._edges(seen, readable)
        if readable:
            self._box_titles()
        for node in self.picture.nodes:
            rect = QRectF(node.x, node.y, node.w, node.h)
            if seen.intersects(rect):
                self._node(node, rect, readable)
        self._borders()

    def _titles(self) -> None:
        t, p = theme.active(), self.painter
        font = QFont(self.font)
        font.setBold(True)
        p.setFont(font)
        p.setPen(QColor(t.text))
        for x, y, text in self.picture.titles:
            p.drawText(QPointF(x, y), text)
        p.setFont(self.font)

    def _boxes(self, seen: QRectF) -> None:
        t, p = theme.active(), self.painter
        for box in self.picture.boxes:
            r = QRectF(box.x, box.y, box.w, box.h)
            if not seen.intersects(r):
                continue
            chosen = box.kernel == self.selected_kernel
            p.setPen(QPen(QColor(t.accent if chosen else t.border), 2.0 if chosen else 1.2))
            p.setBrush(QColor(t.group_back if box.kernel >= 0 else t.raised))
            p.drawRoundedRect(r, 8, 8)

    def _box_titles(self) -> None:
        t, p = theme.active(), self.painter
        metrics = QFontMetricsF(p.font())
        for box in self.picture.boxes:
            sign = "\N{MINUS SIGN} " if box.group else ""
            text = metrics.elidedText(sign + box.title, Qt.TextElideMode.ElideRight, box.w - 16)
            r = QRectF(box.x + 8, box.y + 4, metrics.horizontalAdvance(text) + 4, metrics.height() + 2)
            p.fillRect(r, QColor(t.group_back if box.kernel >= 0 else t.raised))
            p.setPen(QColor(t.text_muted))
            p.drawText(r, int(Qt.AlignmentFlag.AlignCenter), text)

    def _edges(self, seen: QRectF, readable: bool) -> None:
        t, p = theme.active(), self.painter
        color = theme.blend(t.base, t.text_muted, 0.75)
        for edge in self.picture.edges:
            bounds = QPolygonF([QPointF(*xy) for xy in edge.points]).boundingRect().adjusted(-4, -4, 4, 4)
            if not seen.intersects(bounds):
                continue
            chosen = self.selected in (edge.source, edge.target)
            p.setPen(QPen(QColor(t.accent) if chosen else color, 2.0 if chosen else 1.3))
            p.setBrush(Qt.BrushStyle.NoBrush)
            p.drawPath(_curve(edge.points))
            if readable:
                x, y = edge.points[-1]
                p.setPen(Qt.PenStyle.NoPen)
                p.setBrush(QColor(t.accent) if chosen else color)
                p.drawPolygon(QPolygonF([QPointF(x - 3.5, y - 7), QPointF(x + 3.5, y - 7), QPointF(x, y)]))
                if edge.label:
                    self._label(edge.points[0], edge.label)

    def _label(self, at: tuple[float, float], text: str) -> None:
        """A size beside the beginning of an edge; symbols in the accent colour."""
        t, p = theme.active(), self.painter
        font = theme.fixed_font(max(7.0, theme.ui_points() - 1.5))
        p.setFont(font)
        metrics = QFontMetricsF(font)
        x, y = at[0] + 6, at[1] + metrics.ascent() + 3
        p.fillRect(QRectF(x - 2, at[1] + 3, metrics.horizontalAdvance(text) + 4, metrics.height()), QColor(t.base))
        place = 0
        for m in SYMBOL.finditer(text):
            p.setPen(QColor(t.text_muted))
            p.drawText(QPointF(x + metrics.horizontalAdvance(text[:place]), y), text[place:m.start()])
            p.setPen(QColor(t.accent))
            p.drawText(QPointF(x + metrics.horizontalAdvance(text[:m.start()]), y), m.group())
            place = m.end()
        p.setPen(QColor(t.text_muted))
        p.drawText(QPointF(x + metrics.horizontalAdvance(text[:place]), y), text[place:])
        p.setFont(self.font)

    def _node(self, node: NodeShape, rect: QRectF, readable: bool) -> None:
        t, p = theme.active(), self.painter
        chosen = self.selected is not None and node.artifact == self.selected[0] and self.selected[1] in node.members
        if node.kind == "group":
            fill, line, radius = QColor(t.group_back), QColor(t.accent), 8.0
            p.setPen(QPen(theme.blend(t.base, t.accent, 0.5), 1.2))
            p.setBrush(fill)
            p.drawRoundedRect(rect.translated(4, 4), radius, radius)     # a second sheet: there is more behind it
        elif node.kind == "view":
            fill, line, radius = QColor(t.base), theme.blend(t.border, t.text_muted, 0.8), 5.0
        elif node.kind == "dead":
            fill, line, radius = QColor(t.warn_back), QColor(t.warn), 5.0
        elif node.kind == "input":
            fill, line, radius = QColor(t.base), QColor(t.accent), rect.height() / 2
        elif node.kind == "constant":
            fill, line, radius = QColor(t.base), QColor(t.text_muted), 4.0
        elif node.kind == "output":
            fill, line, radius = QColor(t.good_back), QColor(t.good), rect.height() / 2 if not node.detail else 5.0
        else:
            fill, line, radius = QColor(t.raised), theme.blend(t.border, t.text_muted, 0.5), 5.0
        style = {"constant": Qt.PenStyle.DashLine, "view": Qt.PenStyle.DotLine, "dead": Qt.PenStyle.DashDotLine}.get(
            node.kind, Qt.PenStyle.SolidLine)
        if any((node.artifact, m) in self.found for m in node.members):
            p.setPen(Qt.PenStyle.NoPen)
            p.setBrush(QColor(t.warn))
            p.drawRoundedRect(rect.adjusted(-4, -4, 4, 4), radius + 4, radius + 4)
        p.setPen(QPen(QColor(t.accent) if chosen else line, 2.4 if chosen else 1.2, style))
        p.setBrush(QColor(t.selection) if chosen else fill)
        p.drawRoundedRect(rect, radius, radius)
        if not readable:
            return
        p.setPen(QColor(t.selection_text if chosen else t.text_muted if node.kind == "dead" else t.text))
        if node.detail:
            half = rect.height() / 2
            p.drawText(QRectF(rect.x(), rect.y() + 2, rect.width(), half), int(Qt.AlignmentFlag.AlignCenter), node.title)
            p.setFont(theme.fixed_font(max(7.0, theme.ui_points() - 1.5)))
            p.setPen(QColor(t.selection_text if chosen else t.text_muted))
            p.drawText(QRectF(rect.x(), rect.y() + half - 2, rect.width(), half), int(Qt.AlignmentFlag.AlignCenter),
                       node.detail)
            p.setFont(self.font)
        else:
            p.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), node.title)

    def _borders(self) -> None:
        t, p = theme.active(), self.painter
        width = self.picture.width
        for y, text in self.picture.borders:
            metrics = QFontMetricsF(p.font())
            room = metrics.horizontalAdvance(text) + 20
            p.setPen(QPen(QColor(t.bad), 1.6, Qt.PenStyle.DashLine))
            p.drawLine(QPointF(0, y), QPointF(width, y))
            r = QRectF((width - room) / 2, y - metrics.height() / 2 - 3, room, metrics.height() + 6)
            p.setPen(QPen(QColor(t.bad), 1.2))
            p.setBrush(QColor(t.bad_back))
            p.drawRoundedRect(r, 4, 4)
            p.setPen(QColor(t.text))
            p.drawText(r, int(Qt.AlignmentFlag.AlignCenter), text)


def _curve(points: list[tuple[float, float]]) -> QPainterPath:
    """A smooth path that leaves and arrives vertically."""
    path = QPainterPath(QPointF(*points[0]))
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 == x1:
            path.lineTo(x1, y1)
        else:
            middle = (y0 + y1) / 2
            path.cubicTo(QPointF(x0, middle), QPointF(x1, middle), QPointF(x1, y1))
    return path
