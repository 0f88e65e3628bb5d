"""Shows a laid-out graph: zoom, pan, pick, walk along its edges, and the small map. Painting is in graph_painter.py.

It shows plain pictures (gui/models/graph_picture.py) and reports clicks; it knows no session.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from .. import theme
from ..models.graph_picture import NodeShape, Picture
from .graph_painter import GraphPainter

LEAST_SCALE, MOST_SCALE = 0.02, 3.0
MAP_WIDTH, MAP_HEIGHT = 130.0, 170.0
MAP_ABOVE = 1.8                  # times the canvas; a smaller picture needs no map


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
        self.painter(p).paint(seen, self.scale > 0.4)
        p.resetTransform()
        self._paint_map(p)
        p.end()

    def painter(self, p: QPainter) -> GraphPainter:
        """What paints the picture with `p`."""
        assert self.picture is not None
        return GraphPainter(p, self.picture, self.font(), self.selected, self.selected_kernel, self.found)

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
