"""Paints laid-out graphs: boxes of fused operations, edges with sizes, break borders. Zoom, pan, pick.

It draws plain pictures (gui/models/graph_picture.py) and reports clicks; it knows no session.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from .. import theme
from ..models.graph_picture import NodeShape, Picture

LEAST_SCALE, MOST_SCALE = 0.02, 3.0
MAP_WIDTH, MAP_HEIGHT = 130.0, 170.0
MAP_ABOVE = 1.8                  # times the canvas; a smaller picture needs no map
SYMBOL = re.compile(r"\b[sfu]\d+\b")


class GraphCanvas(QWidget):
    """`node_clicked(artifact, index)`, `node_reached(artifact, index)` by the arrow keys (a folded group counts as its
    first node), `box_clicked(kernel id)`, `group_clicked(group, whether it is open)`."""

    node_clicked = Signal(int, int)
    node_reached = Signal(int, int)
    box_clicked = Signal(int)
    group_clicked = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Graph")
        self.picture: Picture | None = None
        self.message = ""
        self.selected: tuple[int, int] | None = None
        self.selected_kernel: int | None = None
        self.found: frozenset[tuple[int, int]] = frozenset()     # (artifact, node) of what a search found
        self.scale = 1.0
        self.origin = QPointF(0, 0)          # canvas point of the picture's (0, 0)
        self._fitted = True
        self._drag: QPointF | None = None
        self._moved = self._on_map = False

    def show_picture(self, picture: Picture | None, message: str = "", keep: tuple[int, int] | None = None) -> None:
        """Show a picture; `keep` (artifact, node) is a node that stays where it is on the canvas."""
        old = self.picture.shape_of(*keep) if keep is not None and self.picture is not None else None
        new = picture.shape_of(*keep) if keep is not None and picture is not None else None
        self.picture, self.message = picture, message
        if old is None or new is None:
            self.fit()
            return
        self.origin += QPointF(old.x - new.x, old.y - new.y) * self.scale
        self._fitted = False
        self.update()

    def fit(self) -> None:
        """As large as fits, at most natural size; a picture that would become unreadable starts at its top."""
        self._fitted = True
        p = self.picture
        if p is not None and p.width > 0:
            room_x, room_y = self.width() - 32, self.height() - 32
            whole = min(room_x / p.width, room_y / p.height)
            self.scale = min(1.0, max(whole, min(0.85, room_x / p.width)))
            self.scale = max(LEAST_SCALE, self.scale)
            x = (self.width() - p.width * self.scale) / 2
            y = (self.height() - p.height * self.scale) / 2
            self.origin = QPointF(x, max(16.0, y))
        self.update()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        at = at if at is not None else QPointF(self.width() / 2, self.height() / 2)
        new = min(MOST_SCALE, max(LEAST_SCALE, self.scale * factor))
        self.origin = at - (at - self.origin) * (new / self.scale)
        self.scale, self._fitted = new, False
        self.update()

    def reveal(self, artifact: int, index: int) -> None:
        """Bring a node into view with the least movement."""
        node = self.picture.shape_of(artifact, index) if self.picture is not None else None
        if node is None:
            return
        r = self._on_canvas(QRectF(node.x, node.y, node.w, node.h))
        room = QRectF(self.rect()).adjusted(20, 20, -20, -20)
        if not room.contains(r):
            dx = max(room.left() - r.left(), 0) or min(room.right() - r.right(), 0)
            dy = max(room.top() - r.top(), 0) or min(room.bottom() - r.bottom(), 0)
            self.origin += QPointF(dx, dy)
            self._fitted = False
        self.update()

    def _on_canvas(self, r: QRectF) -> QRectF:
        return QRectF(self.origin.x() + r.x() * self.scale, self.origin.y() + r.y() * self.scale,
                      r.width() * self.scale, r.height() * self.scale)

    def node_at(self, point: QPointF) -> NodeShape | None:
        if self.picture is None:
            return None
        q = (point - self.origin) / self.scale
        for n in self.picture.nodes:
            if n.x <= q.x() <= n.x + n.w and n.y <= q.y() <= n.y + n.h:
                return n
        return None

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme.active()
        p = QPainter(self)
        p.fillRect(self.rect(), QColor(t.base))
        if self.picture is None:
            p.setPen(QColor(t.text_muted))
            p.drawText(self.rect().adjusted(24, 24, -24, -24),
                       int(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap), self.message)
            return
        p.translate(self.origin)
        p.scale(self.scale, self.scale)
        seen = QRectF(-self.origin.x() / self.scale, -self.origin.y() / self.scale, self.width() / self.scale,
                      self.height() / self.scale)
        self.paint_picture(p, seen, self.scale > 0.4)
        p.resetTransform()
        self._paint_map(p)
        p.end()

    def paint_picture(self, p: QPainter, seen: QRectF, readable: bool) -> None:
        """The part of the picture inside `seen` (its own coordinates); `readable` with texts."""
        assert self.picture is not None
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        p.setFont(self.font())
        self._paint_titles(p)
        self._paint_boxes(p, seen)
        self._paint_edges(p, seen, readable)
        if readable:
            self._paint_box_titles(p)
        for node in self.picture.nodes:
            rect = QRectF(node.x, node.y, node.w, node.h)
            if seen.intersects(rect):
                self._paint_node(p, node, rect, readable)
        self._paint_borders(p)

    def _paint_titles(self, p: QPainter) -> None:
        t = theme.active()
        font = self.font()
        font.setBold(True)
        p.setFont(font)
        p.setPen(QColor(t.text))
        for x, y, text in self.picture.titles:  # type: ignore[union-attr]
            p.drawText(QPointF(x, y), text)
        p.setFont(self.font())

    def _paint_boxes(self, p: QPainter, seen: QRectF) -> None:
        t = theme.active()
        for box in self.picture.boxes:  # type: ignore[union-attr]
            r = QRectF(box.x, box.y, box.w, box.h)
            if not seen.intersects(r):
                continue
            chosen = box.kernel == self.selected_kernel
            p.setPen(QPen(QColor(t.accent if chosen else t.border), 2.0 if chosen else 1.2))
            p.setBrush(QColor(t.group_back if box.kernel >= 0 else t.raised))
            p.drawRoundedRect(r, 8, 8)

    def _paint_box_titles(self, p: QPainter) -> None:
        t = theme.active()
        metrics = QFontMetricsF(p.font())
        for box in self.picture.boxes:  # type: ignore[union-attr]
            sign = "\N{MINUS SIGN} " if box.group else ""
            text = metrics.elidedText(sign + box.title, Qt.TextElideMode.ElideRight, box.w - 16)
            r = QRectF(box.x + 8, box.y + 4, metrics.horizontalAdvance(text) + 4, metrics.height() + 2)
            p.fillRect(r, QColor(t.group_back if box.kernel >= 0 else t.raised))
            p.setPen(QColor(t.text_muted))
            p.drawText(r, int(Qt.AlignmentFlag.AlignCenter), text)

    def _paint_edges(self, p: QPainter, seen: QRectF, readable: bool) -> None:
        t = theme.active()
        color = theme.blend(t.base, t.text_muted, 0.75)
        for edge in self.picture.edges:  # type: ignore[union-attr]
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
                    self._paint_label(p, edge.points[0], edge.label)

    def _paint_label(self, p: QPainter, at: tuple[float, float], text: str) -> None:
        """A size beside the beginning of an edge; symbols in the accent colour."""
        t = theme.active()
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
        p.setFont(self.font())

    def _paint_node(self, p: QPainter, node: NodeShape, rect: QRectF, readable: bool) -> None:
        t = theme.active()
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
            p.setFont(self.font())
        else:
            p.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), node.title)

    def _paint_borders(self, p: QPainter) -> None:
        t = theme.active()
        width = self.picture.width  # type: ignore[union-attr]
        for y, text in self.picture.borders:  # type: ignore[union-attr]
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

    # the small map

    def map_rect(self) -> QRectF | None:
        """Where the small map is drawn; None while most of the picture is in view."""
        p = self.picture
        if p is None or p.width <= 0 or p.height <= 0:
            return None
        whole = self._on_canvas(QRectF(0, 0, p.width, p.height))
        if whole.width() < MAP_ABOVE * self.width() and whole.height() < MAP_ABOVE * self.height():
            return None
        scale = min(MAP_WIDTH / p.width, min(MAP_HEIGHT, self.height() * 0.6) / p.height)
        w, h = max(24.0, p.width * scale), max(24.0, p.height * scale)
        return QRectF(self.width() - w - 12, self.height() - h - 12, w, h)

    def _paint_map(self, p: QPainter) -> None:
        room = self.map_rect()
        if room is None:
            return
        t = theme.active()
        picture = self.picture
        assert picture is not None
        back = QColor(t.base)
        back.setAlphaF(0.9)
        p.setPen(QPen(QColor(t.border), 1))
        p.setBrush(back)
        p.drawRect(room.adjusted(-3, -3, 3, 3))
        sx, sy = room.width() / picture.width, room.height() / picture.height
        for node in picture.nodes:
            chosen = self.selected is not None and node.artifact == self.selected[0] and self.selected[1] in node.members
            hit = any((node.artifact, m) in self.found for m in node.members)
            color = QColor(t.accent if chosen else t.warn if hit else t.text_muted)
            x, y = room.x() + node.x * sx, room.y() + node.y * sy
            p.fillRect(QRectF(x, y, max(1.5, node.w * sx), max(1.0, node.h * sy)), color)
        for y, _ in picture.borders:
            p.fillRect(QRectF(room.x(), room.y() + y * sy, room.width(), 1.0), QColor(t.bad))
        view = QRectF(room.x() - self.origin.x() / self.scale * sx, room.y() - self.origin.y() / self.scale * sy,
                      self.width() / self.scale * sx, self.height() / self.scale * sy).intersected(room)
        p.setPen(QPen(QColor(t.accent), 1.4))
        p.setBrush(Qt.BrushStyle.NoBrush)
        p.drawRect(view)

    def _go_on_map(self, at: QPointF) -> None:
        """Centre the view on a point of the small map."""
        room, picture = self.map_rect(), self.picture
        if room is None or picture is None:
            return
        x, y = (at.x() - room.x()) / room.width() * picture.width, (at.y() - room.y()) / room.height() * picture.height
        self.origin = QPointF(self.width() / 2 - x * self.scale, self.height() / 2 - y * self.scale)
        self._fitted = False
        self.update()

    # events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fitted:
            self.fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._pan(event.angleDelta().y() * 0.6, 0)
        else:
            self.zoom(1.0015 ** event.angleDelta().y(), event.position())
        event.accept()

    def _pan(self, dx: float, dy: float) -> None:
        self.origin += QPointF(dx, dy)
        self._fitted = False
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        room = self.map_rect()
        self._on_map = room is not None and room.adjusted(-3, -3, 3, 3).contains(event.position())
        self._drag, self._moved = event.position(), False
        if self._on_map:
            self._go_on_map(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None and event.buttons() & Qt.MouseButton.LeftButton:
            if self._on_map:
                self._go_on_map(event.position())
                return
            step = event.position() - self._drag
            if self._moved or step.manhattanLength() > 4:
                self._moved = True
                self._pan(step.x(), step.y())
                self._drag = event.position()
            return
        over = self.node_at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag = None
        if self._moved or self._on_map or self.picture is None:
            return
        node = self.node_at(event.position())
        if node is not None:
            if node.group:
                self.group_clicked.emit(node.group, False)
            else:
                self.node_clicked.emit(node.artifact, node.index)
            return
        q = (event.position() - self.origin) / self.scale
        for box in self.picture.boxes:
            if box.x <= q.x() <= box.x + box.w and box.y <= q.y() <= box.y + box.h:
                if box.group:
                    self.group_clicked.emit(box.group, True)
                else:
                    self.box_clicked.emit(box.kernel)
                return

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {Qt.Key.Key_Left: (60, 0), Qt.Key.Key_Right: (-60, 0), Qt.Key.Key_Up: (0, 60), Qt.Key.Key_Down: (0, -60)}
        key = Qt.Key(event.key())
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if key in moves and (shift or self.selected is None or not self._walk(key)):
            self._pan(*moves[key])
        elif key in moves:
            pass
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            shape = self.picture.shape_of(*self.selected) if self.picture is not None and self.selected else None
            if shape is not None and shape.group:
                self.group_clicked.emit(shape.group, False)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1.25)
        elif key == Qt.Key.Key_Minus:
            self.zoom(0.8)
        elif key == Qt.Key.Key_0:
            self.fit()
        else:
            super().keyPressEvent(event)

    def _walk(self, key: Qt.Key) -> bool:
        """Select along the edges: up to an argument, down to a user, left and right within the layer. False: nowhere."""
        picture = self.picture
        here = picture.shape_of(*self.selected) if picture is not None and self.selected is not None else None
        if picture is None or here is None:
            return False
        me = (here.artifact, here.index)
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            ends = [e.source if key == Qt.Key.Key_Up else e.target for e in picture.edges
                    if me == (e.target if key == Qt.Key.Key_Up else e.source)]
            near = [n for n in picture.nodes if (n.artifact, n.index) in ends]
        else:
            side = 1 if key == Qt.Key.Key_Right else -1
            near = [n for n in picture.nodes if abs(n.y + n.h / 2 - here.y - here.h / 2) < 3 and (n.x - here.x) * side > 0]
        if not near:
            return False
        nearest = min(near, key=lambda n: (abs(n.y - here.y) + abs(n.x + n.w / 2 - here.x - here.w / 2)))
        self.node_reached.emit(nearest.artifact, nearest.index)
        return True

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            node = self.node_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), node.tip if node is not None else "", self)
            return True
        return super().event(event)


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
