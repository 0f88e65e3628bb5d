"""The timeline's canvas: keeps the lanes, the scale and the scroll position, picks, and reports what was asked for.

It never changes the session model; gui/views/timeline.py does. Painting is in lane_painter.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from .. import theme
from ..facts import Facts
from ..models.lanes import IMPORTANCE, AmountLane, RunLane, compile_lane, device_lanes, run_lanes
from ..time_scale import TimeScale
from .lane_painter import AXIS, GAP, GUTTER, LanePainter

LANE, RESUME_LANE, AMOUNT_LANE = 26, 20, 38      # heights
MOST_STRETCH = 1.7
WIDEST_CALL = 150.0                              # pixels per call, so that few calls do not become slabs


class TimelineCanvas(QAbstractScrollArea):
    """Paints and picks. `clicked(call)` and `lane_clicked(code)` report; it never changes the model itself."""

    call_clicked = Signal(int, int)
    lane_clicked = Signal(int)
    key_command = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setMinimumHeight(110)
        self.facts: Facts | None = None
        self._revision = 0                   # of the facts that the lanes were made from
        self.axis = "call"
        self.lanes: list[RunLane | AmountLane] = []
        self.complete = True                 # whether no lanes are missing
        self.scale = TimeScale.fit(0, 1, 100)
        self.shown: tuple[int, ...] = IMPORTANCE
        self.selected_call: int | None = None
        self.selected_code: int | None = None
        self.now: int | None = None          # in replay: calls after this one are yet to come
        self.highlight: np.ndarray = np.empty(0, np.int64)
        self.stretch = 1.0
        self._drag: QPoint | None = None
        self._dragged = False
        self._picture = QPixmap()            # the last frame, without the selection
        self._painted = False                # whether it is up to date
        self._titles = QPixmap()             # left of the lanes; the same while one zooms and pans
        self._titled: tuple[object, ...] = ()
        self._fitted = True
        self.empty = ""                      # what is said where there are no lanes
        self.describe: Callable[[int, int], str] = lambda call, code: ""
        self.setAccessibleName("Timeline of calls")

    # data

    def set_facts(self, facts: Facts | None, keep_view: bool, hurry: bool = False) -> None:
        """Rebuild the lanes if there is anything new. With `keep_view` zoom and place stay (and follow the end if it was in
        view). With `hurry` lanes that would lie below the others, out of view, are left for the next time."""
        shown = facts.revision if facts is not None else 0
        if shown != self._revision or not shown:
            self.lanes = [*run_lanes(facts)] if facts is not None else []
            self.complete = False
        if not self.complete and not (hurry and self.content_height() > self.viewport().height()):
            self.complete = True
            if facts is not None:
                compiled = compile_lane(facts)
                self.lanes += ([compiled] if compiled is not None else []) + device_lanes(facts)
        self.facts, self._revision = facts, shown
        if keep_view and not self._fitted:
            self.scale = self.scale.grown(self._high(), follow=True)
        else:
            self.fit()
        self._layout()

    def _high(self) -> float:
        if self.facts is None:
            return 1.0
        if self.axis == "call":
            return float(max(1, self.facts.n_calls))
        ends = self.facts.session.calls["end"]
        return float(max(1, ends.max())) if len(ends) else 1.0

    def _low(self) -> float:
        if self.facts is None or self.axis == "call" or not self.facts.n_calls:
            return 0.0
        starts = [float(self.facts.session.calls["start"][0]), *(float(p.start) for p in self.facts.session.phases[:1])]
        return min(starts)

    def set_axis(self, axis: str) -> None:
        """"call" or "time"."""
        if axis != self.axis:
            self.axis = axis
            self.fit()

    def fit(self) -> None:
        """Show everything."""
        width = self._plot_width()
        least = 2.0 if self.axis == "call" else 1000.0
        room = width / WIDEST_CALL if self.axis == "call" else 0.0
        self.scale = TimeScale.fit(self._low(), self._high(), width, least, room)
        self._fitted = True
        self.redraw()

    def zoom(self, factor: float, at: float | None = None) -> None:
        """Around pixel `at` of the plot (its middle unless given)."""
        self.scale = self.scale.zoomed(factor, self.scale.width / 2 if at is None else at)
        self._fitted = False
        self.redraw()

    def pan(self, pixels: float) -> None:
        self.scale = self.scale.panned(pixels)
        self._fitted = False
        self.redraw()

    def reveal_call(self, call: int) -> None:
        """Bring a call into view with the least movement."""
        if self.facts is None or call >= self.facts.n_calls:
            return
        low, high = self.span_of_call(call)
        self.scale = self.scale.revealed(low, high)
        self.redraw()

    def reveal_lane(self, code: int) -> None:
        """Bring the lane of a function into view with the least movement."""
        place = next((i for i, lane in enumerate(self.lanes) if isinstance(lane, RunLane) and lane.code == code), None)
        if place is None:
            return
        top, bar = self.lane_tops(0)[place], self.verticalScrollBar()
        bottom = top + self.lane_height(self.lanes[place])
        bar.setValue(min(top - AXIS - 3, max(bar.value(), bottom + GAP - self.viewport().height())))

    def span_of_call(self, call: int) -> tuple[float, float]:
        """[start, end) of a call on the current axis."""
        if self.axis == "call":
            return float(call), float(call + 1)
        calls = self.facts.session.calls  # type: ignore[union-attr]
        return float(calls["start"][call]), float(calls["end"][call])

    def redraw(self) -> None:
        self._painted = False
        self.viewport().update()

    # geometry

    def _plot_width(self) -> int:
        return max(10, self.viewport().width() - GUTTER - 10)

    def lane_height(self, lane: RunLane | AmountLane) -> int:
        least = AMOUNT_LANE if isinstance(lane, AmountLane) else RESUME_LANE if lane.resume else LANE
        return round(least * self.stretch)

    def content_height(self) -> int:
        return AXIS + sum(self.lane_height(lane) + GAP for lane in self.lanes) + 6

    def _layout(self) -> None:
        self.stretch = 1.0                   # few lanes grow into the room there is
        room = self.viewport().height() - AXIS - GAP * len(self.lanes) - 10
        lanes = self.content_height() - AXIS - GAP * len(self.lanes) - 6
        if lanes > 0:
            self.stretch = min(MOST_STRETCH, max(1.0, room / lanes))
        bar = self.verticalScrollBar()
        bar.setPageStep(max(1, self.viewport().height()))
        bar.setRange(0, max(0, self.content_height() - self.viewport().height()))
        self.redraw()

    def lane_tops(self, scrolled: int | None = None) -> list[int]:
        """Top of every lane in viewport pixels, scrolled down as the view is or as given."""
        y, tops = AXIS + 3 - (self.verticalScrollBar().value() if scrolled is None else scrolled), []
        for lane in self.lanes:
            tops.append(y)
            y += self.lane_height(lane) + GAP
        return tops

    def lane_at(self, y: float) -> RunLane | AmountLane | None:
        if y < AXIS:
            return None
        for lane, top in zip(self.lanes, self.lane_tops()):
            if top <= y < top + self.lane_height(lane) + GAP:
                return lane
        return None

    def call_at(self, x: float) -> int | None:
        """The call under a viewport pixel, on either axis (on the clock: the nearest within 6 pixels)."""
        if self.facts is None or not self.facts.n_calls or x < GUTTER:
            return None
        value = self.scale.to_value(x - GUTTER)
        if self.axis == "call":
            call = int(np.floor(value))
            return call if 0 <= call < self.facts.n_calls else None
        calls = self.facts.session.calls
        slack = 6 * self.scale.per_pixel
        i = int(np.searchsorted(calls["start"], value, "right")) - 1
        for call in (i, i + 1):
            if 0 <= call < self.facts.n_calls and calls["start"][call] - slack <= value <= calls["end"][call] + slack:
                return call
        return None

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._painted:
            self._paint_all()
            self._painted = True
        p = QPainter(self.viewport())
        p.drawPixmap(0, 0, self._picture)
        self._paint_selection(p)
        p.end()

    def _paint_all(self) -> None:
        view, scrolled = self.viewport(), self.verticalScrollBar().value()
        self._picture = _ready(self._picture, view.width(), view.height(), view.devicePixelRatioF())
        p = QPainter(self._picture)
        self.paint(p, view.width(), view.height(), scrolled, titles=False)
        p.drawPixmap(0, AXIS, self._title_picture(view.height() - AXIS, scrolled))
        p.end()

    def _title_picture(self, height: int, scrolled: int) -> QPixmap:
        """The titles of the lanes, painted anew only when something about them changes."""
        ratio = self.viewport().devicePixelRatioF()
        shown = (height, scrolled, ratio, theme.active().name, self.font().toString(), self.selected_code, self.stretch,
                 tuple(map(id, self.lanes)))
        if shown != self._titled:
            self._titled = shown
            self._titles = _ready(self._titles, GUTTER - 4, height, ratio)
            p = QPainter(self._titles)
            p.translate(0, -AXIS)
            p.setFont(self.font())
            painter = self._painter(p, GUTTER, height + AXIS)
            for lane, top in zip(self.lanes, self.lane_tops(scrolled)):
                if top + self.lane_height(lane) + GAP > AXIS and top - GAP < height + AXIS:
                    painter.title(lane, top, self.lane_height(lane))
            p.end()
        return self._titles

    def _painter(self, p: QPainter, width: int, height: int) -> LanePainter:
        return LanePainter(p, (width, height), self.scale, self.axis, self.facts, self.shown, self.selected_code)

    def paint(self, p: QPainter, width: int, height: int, scrolled: int, titles: bool = True) -> None:
        """The axis and the lanes on an area `width` x `height`, `scrolled` pixels down; without the selection."""
        p.setFont(self.font())
        painter = self._painter(p, width, height)
        if not self.lanes:
            p.setPen(QColor(theme.active().text_muted))
            p.drawText(QRectF(12, 0, width - 24, height), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.empty)
            return
        painter.grid()
        for lane, top in zip(self.lanes, self.lane_tops(scrolled)):
            lane_height = self.lane_height(lane)
            if top + lane_height < AXIS or top > height:
                continue
            p.save()
            p.setClipRect(QRectF(0, AXIS, width, height))
            if titles:
                painter.title(lane, top, lane_height)
            if isinstance(lane, RunLane):
                painter.runs(lane, top, lane_height)
            else:
                painter.amounts(lane, top, lane_height)
            p.restore()

    def _paint_selection(self, p: QPainter) -> None:
        t = theme.active()
        view = self.viewport()
        if self.facts is None:
            return
        p.setClipRect(QRectF(GUTTER - 1, 0, self.scale.width + 2, view.height()))
        if len(self.highlight):
            inside = self.highlight
            if self.axis == "call":
                inside = inside[(inside >= self.scale.start - 1) & (inside < self.scale.end)]
            for call in inside[:2000]:
                low, high = self.span_of_call(int(call))
                x0, x1 = GUTTER + self.scale.to_pixel(low), GUTTER + self.scale.to_pixel(high)
                p.fillRect(QRectF(x0, AXIS - 4, max(2.0, x1 - x0 - 1), 3), QColor(t.accent))
        if self.now is not None and self.now < self.facts.n_calls:
            x = max(float(GUTTER), GUTTER + self.scale.to_pixel(self.span_of_call(self.now)[1]))
            veil = QColor(t.window)
            veil.setAlpha(190)
            p.fillRect(QRectF(x + 1, AXIS, view.width() - x, view.height()), veil)
        if self.selected_call is not None and self.selected_call < self.facts.n_calls:
            low, high = self.span_of_call(self.selected_call)
            x0, x1 = GUTTER + self.scale.to_pixel(low), GUTTER + self.scale.to_pixel(high)
            rect = QRectF(x0 - 1, 2, max(3.0, x1 - x0 + 1), view.height() - 4)
            color = QColor(t.accent)
            color.setAlpha(26)
            p.fillRect(rect, color)
            p.setPen(QPen(QColor(t.accent), 1.6))
            p.drawRoundedRect(rect, 3, 3)
        if self.hasFocus():
            p.setClipping(False)
            p.setPen(QPen(theme.blend(t.base, t.accent, 0.6), 1))
            p.drawRect(view.rect().adjusted(0, 0, -1, -1))

    # events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fitted:
            self.fit()
        else:
            self.scale = self.scale.resized(self._plot_width())
        self._layout()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.redraw()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.redraw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(turn.x()) > abs(turn.y()):
            self.pan(-(turn.x() or turn.y()) * 0.8)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier or not self.verticalScrollBar().maximum() \
                or event.position().x() > GUTTER:
            self.zoom(1.0015 ** turn.y(), event.position().x() - GUTTER)
        else:
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() - turn.y() // 2)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._drag, self._dragged = event.position().toPoint(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = event.position().toPoint()
        if self._drag is not None and event.buttons() & Qt.MouseButton.LeftButton:
            if self._dragged or abs(here.x() - self._drag.x()) > 4:
                self._dragged = True
                self.pan(self._drag.x() - here.x())
                self._drag = here
            return
        lane, call = self.lane_at(here.y()), self.call_at(here.x())
        if call is not None:
            text = self.describe(call, lane.code if isinstance(lane, RunLane) else -1)
            QToolTip.showText(event.globalPosition().toPoint() + QPoint(10, 14), text, self.viewport())
        elif here.x() < GUTTER and lane is not None:
            QToolTip.showText(event.globalPosition().toPoint(), lane.title, self.viewport())
        else:
            QToolTip.hideText()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        start, self._drag = self._drag, None
        if start is None or self._dragged:
            return
        lane, call = self.lane_at(event.position().y()), self.call_at(event.position().x())
        if call is not None:
            self.call_clicked.emit(call, lane.code if isinstance(lane, RunLane) else -1)
        elif isinstance(lane, RunLane) and event.position().x() < GUTTER:
            self.lane_clicked.emit(lane.code)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.zoom(4.0, event.position().x() - GUTTER)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        name = {Qt.Key.Key_Left: "previous", Qt.Key.Key_Right: "next", Qt.Key.Key_Plus: "in", Qt.Key.Key_Equal: "in",
                Qt.Key.Key_Minus: "out", Qt.Key.Key_0: "fit", Qt.Key.Key_Home: "first", Qt.Key.Key_End: "last",
                Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down"}.get(Qt.Key(event.key()))
        if name is None:
            super().keyPressEvent(event)
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and name in ("previous", "next"):
            name += "_miss"
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and name in ("previous", "next"):
            self.pan(self.scale.width * (0.2 if name == "next" else -0.2))
            return
        self.key_command.emit(name)


def _ready(pixmap: QPixmap, width: int, height: int, ratio: float) -> QPixmap:
    """A blank pixmap of that size in logical pixels; the given one if it has it (new memory costs more than the painting)."""
    size = QSize(max(1, round(width * ratio)), max(1, round(height * ratio)))
    if pixmap.size() != size or pixmap.devicePixelRatioF() != ratio:
        pixmap = QPixmap(size)
        pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(QColor(theme.active().base))
    return pixmap
