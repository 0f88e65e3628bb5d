"""The timeline: lanes for functions and their resume functions, then compile time, then devices.

The x axis is the call number or the wall clock. Up to EXACT bars per lane are drawn one by one; more are drawn as pixel
columns computed by gui/models/lanes.py, so a frame costs the same for a hundred calls and for ten million.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from ...core.events.schema import OUTCOME_WORDS, OUTCOMES
from .. import theme
from ..facts import Facts
from ..models.lanes import (
    IMPORTANCE,
    AmountLane,
    RunLane,
    compile_lane,
    device_lanes,
    run_lanes,
    stack_heights,
)
from ..session_model import SessionModel
from ..time_scale import TimeScale, duration
from .base import View

EXACT = 500
GUTTER = 176
AXIS = 30
LANE, RESUME_LANE, AMOUNT_LANE, GAP = 26, 20, 38, 4
FEWEST_PIXELS_PER_CALL, WIDEST_CALL = 0.0, 150.0


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
        self.axis = "call"
        self.lanes: list[RunLane | AmountLane] = []
        self.scale = TimeScale.fit(0, 1, 100)
        self.shown: tuple[int, ...] = IMPORTANCE
        self.selected_call: int | None = None
        self.selected_code: int | None = None
        self.highlight: np.ndarray = np.empty(0, np.int64)
        self._drag: QPoint | None = None
        self._dragged = False
        self._picture: QPixmap | None = None
        self._fitted = True
        self.describe: Callable[[int, int], str] = lambda call, code: ""
        self.setAccessibleName("Timeline of calls")

    # data

    def set_facts(self, facts: Facts | None, keep_view: bool) -> None:
        """Rebuild the lanes. With `keep_view` zoom and place stay (and follow the end if it was in view)."""
        self.facts = facts
        self.lanes = []
        if facts is not None:
            self.lanes += run_lanes(facts)
            compiled = compile_lane(facts)
            self.lanes += ([compiled] if compiled is not None else []) + device_lanes(facts)
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

    def span_of_call(self, call: int) -> tuple[float, float]:
        """[start, end) of a call on the current axis."""
        if self.axis == "call":
            return float(call), float(call + 1)
        calls = self.facts.session.calls  # type: ignore[union-attr]
        return float(calls["start"][call]), float(calls["end"][call])

    def redraw(self) -> None:
        self._picture = None
        self.viewport().update()

    # geometry

    def _plot_width(self) -> int:
        return max(10, self.viewport().width() - GUTTER - 10)

    @staticmethod
    def lane_height(lane: RunLane | AmountLane) -> int:
        return AMOUNT_LANE if isinstance(lane, AmountLane) else RESUME_LANE if lane.resume else LANE

    def content_height(self) -> int:
        return AXIS + sum(self.lane_height(lane) + GAP for lane in self.lanes) + 6

    def _layout(self) -> None:
        bar = self.verticalScrollBar()
        bar.setPageStep(max(1, self.viewport().height()))
        bar.setRange(0, max(0, self.content_height() - self.viewport().height()))
        self.redraw()

    def lane_tops(self) -> list[int]:
        """Top of every lane in viewport pixels."""
        y, tops = AXIS + 3 - self.verticalScrollBar().value(), []
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
        if self._picture is None:
            self._picture = self._paint_all()
        p = QPainter(self.viewport())
        p.drawPixmap(0, 0, self._picture)
        self._paint_selection(p)
        p.end()

    def _paint_all(self) -> QPixmap:
        t = theme.active()
        view = self.viewport()
        ratio = view.devicePixelRatioF()
        pixmap = QPixmap(QSize(round(view.width() * ratio), round(view.height() * ratio)))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(QColor(t.base))
        p = QPainter(pixmap)
        p.setFont(self.font())
        self._paint_grid(p)
        for lane, top in zip(self.lanes, self.lane_tops()):
            height = self.lane_height(lane)
            if top + height < AXIS or top > view.height():
                continue
            p.save()
            p.setClipRect(QRectF(0, AXIS, view.width(), view.height()))
            self._paint_title(p, lane, top, height)
            if isinstance(lane, RunLane):
                self._paint_runs(p, lane, top, height)
            else:
                self._paint_amounts(p, lane, top, height)
            p.restore()
        p.end()
        return pixmap

    def _paint_grid(self, p: QPainter) -> None:
        t = theme.active()
        view = self.viewport()
        p.setPen(QPen(QColor(t.border)))
        p.drawLine(QPointF(0, AXIS - 0.5), QPointF(view.width(), AXIS - 0.5))
        metrics = QFontMetricsF(p.font())
        center = 0.5 if self.axis == "call" and self.scale.width / self.scale.span > 14 else 0.0
        step_ns = self.scale.per_pixel * 90
        for value in self.scale.ticks(90 if self.axis == "time" else 64, whole=self.axis == "call"):
            x = GUTTER + self.scale.to_pixel(value + center)
            if x < GUTTER - 1 or x > view.width():
                continue
            text = f"{value:.0f}" if self.axis == "call" else _clock(value, step_ns)
            half = metrics.horizontalAdvance(text) / 2
            p.setPen(QColor(t.text_muted))
            place = max(GUTTER - half if center else GUTTER + 2 - half, min(x - half, view.width() - 2 * half - 3))
            p.drawText(QPointF(place, AXIS / 2 + metrics.ascent() / 2 - 1), text)
            if not center:
                p.setPen(QPen(theme.blend(t.base, t.border, 0.7)))
                p.drawLine(QPointF(x, AXIS), QPointF(x, view.height()))

    def _paint_title(self, p: QPainter, lane: RunLane | AmountLane, top: int, height: int) -> None:
        t = theme.active()
        chosen = isinstance(lane, RunLane) and lane.code == self.selected_code
        p.fillRect(QRectF(0, top - GAP / 2, GUTTER - 4, height + GAP), QColor(t.selection if chosen else t.base))
        small = isinstance(lane, AmountLane) or lane.resume
        p.setPen(QColor(t.selection_text if chosen else t.text_muted if small else t.text))
        indent = 26 if isinstance(lane, RunLane) and lane.resume else 12
        if isinstance(lane, RunLane) and lane.resume:
            middle = top + height / 2
            p.drawPolyline(QPolygonF([QPointF(16, top - 2), QPointF(16, middle), QPointF(22, middle)]))
        metrics = QFontMetricsF(p.font())
        text = metrics.elidedText(lane.title, Qt.TextElideMode.ElideMiddle, GUTTER - indent - 12)
        p.drawText(QRectF(indent, top, GUTTER - indent - 8, height), Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_runs(self, p: QPainter, lane: RunLane, top: int, height: int) -> None:
        t = theme.active()
        s = self.scale
        track = QRectF(GUTTER, top, s.width, height)
        p.fillRect(track, theme.blend(t.base, t.border, 0.28))
        p.setClipRect(track.intersected(QRectF(0, AXIS, self.viewport().width(), self.viewport().height())))
        rows = lane.visible(self.axis, s.start, s.end, self.shown, EXACT)
        if rows is None:
            edges = s.start + np.arange(s.width + 1) * s.per_pixel
            counts = lane.counts(self.axis, edges, self.shown)
            colors = [t.outcome(OUTCOMES[o]) for o in self.shown]
            p.drawImage(QPointF(GUTTER, top), columns_image(stack_heights(counts, height), colors, height))
            return
        metrics = QFontMetricsF(p.font())
        for start, end, outcome, row in rows:
            x0, x1 = GUTTER + s.to_pixel(start), GUTTER + s.to_pixel(end)
            gap = 1.0 if x1 - x0 > 4 else 0.0
            rect = QRectF(x0, top, max(2.0, x1 - x0 - gap), height)
            if rect.left() < GUTTER:
                rect.setLeft(GUTTER)
            if rect.right() > GUTTER + s.width:
                rect.setRight(GUTTER + s.width)
            self._paint_bar(p, rect, OUTCOMES[outcome], row, metrics)

    def _paint_bar(self, p: QPainter, rect: QRectF, outcome: str, row: int, metrics: QFontMetricsF) -> None:
        t = theme.active()
        if rect.width() < 26:
            theme.fill_bar(p, rect, outcome)
            return
        # Wide enough to read: a tinted cell with a coloured edge, the outcome's shape and the version.
        color = t.outcome(outcome)
        p.fillRect(rect, theme.blend(t.base, color, 0.24 if t.name == "light" else 0.34))
        p.fillRect(QRectF(rect.x(), rect.y(), 3.0, rect.height()), color)
        size = 11.0
        theme.draw_mark(p, QRectF(rect.x() + 8, rect.center().y() - size / 2, size, size), outcome)
        artifact = int(self.facts.session.runs["artifact"][row]) if self.facts is not None else -1
        words = {"eager_limit": "eager", "not_compiled": "not compiled", "error": "error"}.get(outcome, "")
        if artifact >= 0 and self.facts is not None and artifact < len(self.facts.session.artifacts):
            version = self.facts.session.artifacts[artifact].version
            words = f"version {version}" if rect.width() > 92 else f"v{version}"
            if rect.width() > 150 and outcome in ("compile", "recompile"):
                words = f"{OUTCOME_WORDS[outcome]} {words}"
        if metrics.horizontalAdvance(words) > rect.width() - 28:
            return
        p.setPen(QColor(t.text))
        p.drawText(rect.adjusted(24, 0, -4, 0), Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_amounts(self, p: QPainter, lane: AmountLane, top: int, height: int) -> None:
        t = theme.active()
        s = self.scale
        track = QRectF(GUTTER, top, s.width, height)
        p.fillRect(track, theme.blend(t.base, t.border, 0.16))
        p.setClipRect(track.intersected(QRectF(0, AXIS, self.viewport().width(), self.viewport().height())))
        colors = [t.phase(n) if lane.key[0] == "compile" else QColor(t.phases["lowering"]) for n in lane.parts]
        if self.axis == "time":
            edges = s.start + np.arange(s.width + 1) * s.per_pixel
            image = columns_image(stack_heights(lane.counts(edges), height), colors, height)
            p.drawImage(QPointF(GUTTER, top), image)
            return
        per_call = s.width / s.span
        if per_call >= 3:
            first, last = max(0, int(s.start)), min(len(lane.sums[0]) - 1, int(np.ceil(s.end)))
            edges = np.arange(first, last + 1)
        else:
            edges = s.start + np.arange(s.width + 1) * s.per_pixel
        amounts = lane.amounts(edges)
        most = float(amounts.sum(axis=0).max()) if amounts.size else 0.0
        if most <= 0:
            return
        if per_call < 3:
            pixels = np.floor(amounts / most * height).astype(np.int64)
            pixels[np.argmax(amounts, axis=0), np.arange(pixels.shape[1])] += (amounts.sum(axis=0) > 0)
            p.drawImage(QPointF(GUTTER, top), columns_image(pixels, colors, height, from_bottom=True))
        else:
            self._paint_few_amounts(p, amounts, edges, colors, top, height, most)
        p.setClipping(False)
        p.setPen(QColor(t.text_muted))
        metrics = QFontMetricsF(p.font())
        text = f"max {duration(most)}"
        p.drawText(QPointF(GUTTER + s.width - metrics.horizontalAdvance(text) - 4, top + metrics.ascent()), text)

    def _paint_few_amounts(self, p: QPainter, amounts: np.ndarray, edges: np.ndarray, colors: list[QColor], top: int,
                           height: int, most: float) -> None:
        s = self.scale
        for i in range(amounts.shape[1]):
            x0, x1 = GUTTER + s.to_pixel(float(edges[i])), GUTTER + s.to_pixel(float(edges[i + 1]))
            y = float(top + height)
            width = min(x1 - x0 - 1, 54.0)
            for part in range(amounts.shape[0]):
                h = float(amounts[part, i]) / most * (height - 2)
                if h > 0:
                    h = max(h, 0.75)
                    y -= h
                    p.fillRect(QRectF(x0, y, max(1.0, width), h), colors[part])

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


class TimelineView(View):
    """The canvas, fed by the model."""

    name = "timeline"
    title = "Timeline"
    cares = frozenset({"session", "rows", "selection", "filter", "highlight", "theme"})

    def __init__(self, model: SessionModel, jobs: object) -> None:
        super().__init__(model, jobs)  # type: ignore[arg-type]
        self.canvas = TimelineCanvas()
        self._next_build = 0.0

    def build(self) -> QWidget:
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.canvas)
        self.canvas.call_clicked.connect(self.contained(self._clicked))
        self.canvas.lane_clicked.connect(self.contained(lambda code: self.model.select(code=code)))
        self.canvas.key_command.connect(self.contained(self.command))
        self.canvas.describe = self.describe
        self._make_tools()
        return box

    def _make_tools(self) -> None:
        """The axis chooser and the zoom buttons, in the corner above the lane titles."""
        tools = QWidget(self.canvas)
        tools.setGeometry(6, 1, GUTTER - 10, AXIS - 3)
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(1)
        group = QButtonGroup(tools)
        self.axes: dict[str, QToolButton] = {}
        for name, text, tip in (("call", "Calls", "One column per call; every call is equally wide."),
                                ("time", "Time", "Bars at their place on the clock, as long as they took.")):
            button = self.axes[name] = _flat(text, tip)
            button.setCheckable(True)
            button.setChecked(name == "call")
            button.clicked.connect(lambda _=False, n=name: self.set_axis(n))
            group.addButton(button)
            row.addWidget(button)
        row.addStretch(1)
        self.tools: dict[str, QToolButton] = {}
        for name, tip in (("out", "Zoom out (-)"), ("in", "Zoom in (+)"), ("fit", "Show all calls (0)")):
            button = self.tools[name] = _flat("", tip)
            button.clicked.connect(self.contained(lambda _=False, n=name: self.command(n)))
            row.addWidget(button)

    def update_view(self, what: set[str]) -> None:
        c, m = self.canvas, self.model
        if "theme" in what:
            for name, icon in (("out", "zoom_out"), ("in", "zoom_in"), ("fit", "fit")):
                self.tools[name].setIcon(theme.icon(icon))
        if "session" in what or "rows" in what:
            # Lanes are rebuilt whole; while a long session grows, not more often than a tenth of the time.
            begin = time.monotonic()
            if "session" not in what and begin < self._next_build and m.running:
                self._waiting.add("rows")
            else:
                c.set_facts(m.facts, keep_view="session" not in what)
                self._next_build = time.monotonic() + 9 * (time.monotonic() - begin)
        c.shown = tuple(o for o in IMPORTANCE if not m.filter or OUTCOMES[o] in m.filter)
        c.highlight = np.array(sorted(m.highlight), np.int64)
        if c.selected_call != m.selection.call and m.selection.call is not None:
            c.reveal_call(m.selection.call)
        c.selected_call, c.selected_code = m.selection.call, m.selection.code
        c.redraw()

    def set_axis(self, axis: str) -> None:
        self.canvas.set_axis(axis)
        self.axes[axis].setChecked(True)
        if self.canvas.selected_call is not None:
            self.canvas.reveal_call(self.canvas.selected_call)

    def command(self, name: str) -> None:
        """A key of the canvas, by name."""
        m, c = self.model, self.canvas
        n = m.facts.n_calls if m.facts is not None else 0
        if name in ("previous", "next", "previous_miss", "next_miss"):
            m.step(1 if name.startswith("next") else -1, name.endswith("miss"))
        elif name in ("in", "out"):
            at = None
            if c.selected_call is not None and c.selected_call < n:
                at = min(max(c.scale.to_pixel(c.span_of_call(c.selected_call)[0]), 0), c.scale.width)
            c.zoom(1.6 if name == "in" else 1 / 1.6, at)
        elif name == "fit":
            c.fit()
        elif name in ("first", "last") and n:
            m.select(call=0 if name == "first" else n - 1)
        elif name in ("up", "down"):
            codes = [lane.code for lane in c.lanes if isinstance(lane, RunLane)]
            if codes:
                at_lane = codes.index(m.selection.code) if m.selection.code in codes else -1
                m.select(code=codes[max(0, min(len(codes) - 1, at_lane + (1 if name == "down" else -1)))])

    def _clicked(self, call: int, code: int) -> None:
        facts = self.model.facts
        assert facts is not None
        ran = [r for r in facts.call_runs(call) if r["code"] == code and r["artifact"] >= 0]
        self.model.select(call=call, **({"artifact": ran[0]["artifact"]} if ran else {}))

    def describe(self, call: int, code: int) -> str:
        """The tooltip of a call."""
        from ..words import call_lines

        facts = self.model.facts
        return "\n".join(call_lines(facts, call)) if facts is not None else ""


def _flat(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setObjectName("flat")
    button.setText(text)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return button


def columns_image(pixels: np.ndarray, colors: list[QColor], height: int, from_bottom: bool = False) -> QImage:
    """An image (height x columns) of stacked colours. `pixels` is (colours, columns); stacked from the top in the order
    of `colors`, or from the bottom; the rest is transparent."""
    width = pixels.shape[1]
    image = np.zeros((height, width), np.uint32)
    tops = np.minimum(np.cumsum(pixels, axis=0), height)
    y = np.arange(height)[:, None]
    y = height - 1 - y if from_bottom else y
    for i in range(len(colors) - 1, -1, -1):
        image[y < tops[i][None, :]] = colors[i].rgba()
    made = QImage(image.data, width, height, width * 4, QImage.Format.Format_ARGB32)
    return made.copy()


def _clock(ns: float, step: float) -> str:
    """A tick's label with just enough digits for its neighbours to differ."""
    if step >= 60e9:
        return f"{ns / 60e9:g} min"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("\N{MICRO SIGN}s", 1e3)):
        if step >= size / 20 or unit == "\N{MICRO SIGN}s":
            digits = max(0, int(np.ceil(-np.log10(max(step / size, 1e-9)) - 1e-9)))
            return f"{ns / size:.{digits}f} {unit}"
    return f"{ns:.0f} ns"
