"""Painting of the timeline's lanes, grid and titles onto a pixmap: exact bars where there are few, pixel columns else.

Up to EXACT bars per lane are drawn one by one (fewer of narrow ones); more become columns computed by gui/models/lanes.py,
so a frame costs the same for a hundred calls and for ten million.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen, QPolygonF

from ...core.events.schema import OUTCOME_WORDS, OUTCOMES
from .. import theme
from ..facts import Facts
from ..models.lanes import AmountLane, RunLane, stack_heights
from ..numbers import duration, number
from ..time_scale import TimeScale

EXACT, EXACT_NARROW = 500, 120
GUTTER = 176                    # pixels left of the plot, for titles
AXIS = 30                       # height of the axis
GAP = 4                         # between lanes


class LanePainter:
    """Paints with `painter` on an area `width` x `height` for one frame; everything it needs is given at once."""

    def __init__(self, painter: QPainter, size: tuple[int, int], scale: TimeScale, axis: str, facts: Facts | None,
                 shown: tuple[int, ...], selected_code: int | None) -> None:
        self.painter, self.scale, self.axis, self.facts = painter, scale, axis, facts
        self.width, self.height = size
        self.shown, self.selected_code = shown, selected_code

    def grid(self) -> None:
        """The axis with its labels and lines."""
        p = self.painter
        t = theme.active()
        p.setPen(QPen(QColor(t.border)))
        p.drawLine(QPointF(0, AXIS - 0.5), QPointF(self.width, AXIS - 0.5))
        metrics = QFontMetricsF(p.font())
        center = 0.5 if self.axis == "call" and self.scale.width / self.scale.span > 14 else 0.0
        step_ns = self.scale.per_pixel * 90
        words, line = QPen(QColor(t.text_muted)), QPen(theme.blend(t.base, t.border, 0.7))
        for value in self.scale.ticks(90 if self.axis == "time" else 64, whole=self.axis == "call"):
            x = GUTTER + self.scale.to_pixel(value + center)
            if x < GUTTER - 1 or x > self.width or (center and self.facts is not None and value >= max(1, self.facts.n_calls)):
                continue
            text = number(round(value)) if self.axis == "call" else _clock(value, step_ns)
            half = metrics.horizontalAdvance(text) / 2
            p.setPen(words)
            place = max(GUTTER - half if center else GUTTER + 2, min(x - half, self.width - 2 * half - 3))
            p.drawText(QPointF(place, AXIS / 2 + metrics.ascent() / 2 - 1), text)
            if not center:
                p.setPen(line)
                p.drawLine(QPointF(x, AXIS), QPointF(x, self.height))

    def title(self, lane: RunLane | AmountLane, top: int, height: int) -> None:
        """The name of a lane, left of it."""
        t, p = theme.active(), self.painter
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

    def runs(self, lane: RunLane, top: int, height: int) -> None:
        """The runs of a function."""
        t, p = theme.active(), self.painter
        s = self.scale
        track, ground = QRectF(GUTTER, top, s.width, height), theme.blend(t.base, t.border, 0.28)
        p.setClipRect(track.intersected(QRectF(0, AXIS, self.width, self.height)))
        wide = self.axis == "call" and s.width >= 7 * s.span             # wide enough for a pattern
        rows = lane.visible(self.axis, s.start, s.end, self.shown, EXACT if wide else EXACT_NARROW)
        if rows is None:
            edges = s.start + np.arange(s.width + 1) * s.per_pixel
            counts = lane.counts(self.axis, edges, self.shown)
            colors = [t.outcome(OUTCOMES[o]) for o in self.shown]
            p.drawImage(QPointF(GUTTER, top), columns_image(stack_heights(counts, height), colors, height, ground))
            return
        p.fillRect(track, ground)
        metrics = QFontMetricsF(p.font())
        for start, end, outcome, row in rows:
            x0, x1 = GUTTER + s.to_pixel(start), GUTTER + s.to_pixel(end)
            gap = 1.0 if x1 - x0 > 4 else 0.0
            rect = QRectF(x0, top, max(2.0, x1 - x0 - gap), height)
            if rect.left() < GUTTER:
                rect.setLeft(GUTTER)
            if rect.right() > GUTTER + s.width:
                rect.setRight(GUTTER + s.width)
            self._bar(rect, OUTCOMES[outcome], row, metrics)

    def _bar(self, rect: QRectF, outcome: str, row: int, metrics: QFontMetricsF) -> None:
        t, p = theme.active(), self.painter
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

    def amounts(self, lane: AmountLane, top: int, height: int) -> None:
        """Compile or device time."""
        t, p = theme.active(), self.painter
        s = self.scale
        track, ground = QRectF(GUTTER, top, s.width, height), theme.blend(t.base, t.border, 0.16)
        p.setClipRect(track.intersected(QRectF(0, AXIS, self.width, self.height)))
        colors = [t.phase(n) if lane.key[0] == "compile" else theme.blend(t.base, t.text_muted, 0.75) for n in lane.parts]
        if self.axis == "time":
            edges = s.start + np.arange(s.width + 1) * s.per_pixel
            image = columns_image(stack_heights(lane.counts(edges), height), colors, height, ground)
            p.drawImage(QPointF(GUTTER, top), image)
            return
        per_call = s.width / s.span
        if per_call >= 3:
            first, last = max(0, int(s.start)), min(lane.n_calls, int(np.ceil(s.end)))
            edges = np.arange(first, last + 1, dtype=np.float64)
        else:
            edges = s.start + np.arange(s.width + 1) * s.per_pixel
        amounts = lane.amounts(edges)
        most = float(amounts.sum(axis=0).max()) if amounts.size else 0.0
        if most <= 0:
            p.fillRect(track, ground)
            return
        if per_call < 3:
            pixels = (amounts * (height / most)).astype(np.int32)
            pixels[np.argmax(amounts, axis=0), np.arange(pixels.shape[1])] += (amounts.sum(axis=0) > 0)
            p.drawImage(QPointF(GUTTER, top), columns_image(pixels, colors, height, ground, from_bottom=True))
        else:
            p.fillRect(track, ground)
            self._few_amounts(amounts, edges, colors, top, height, most)
        p.setClipping(False)
        p.setPen(QColor(t.text_muted))
        metrics = QFontMetricsF(p.font())
        text = f"max {duration(most)}"
        wide = metrics.horizontalAdvance(text)
        back = QColor(ground)
        back.setAlphaF(0.85)
        p.fillRect(QRectF(GUTTER + s.width - wide - 8, top, wide + 8, metrics.height()), back)
        p.drawText(QPointF(GUTTER + s.width - wide - 4, top + metrics.ascent()), text)

    def _few_amounts(self, amounts: np.ndarray, edges: np.ndarray, colors: list[QColor], top: int,
                           height: int, most: float) -> None:
        s, p = self.scale, self.painter
        for i in range(amounts.shape[1]):
            x0, x1 = GUTTER + s.to_pixel(float(edges[i])), GUTTER + s.to_pixel(float(edges[i + 1]))
            y = float(top + height)
            width = x1 - x0 - 1
            for part in range(amounts.shape[0]):
                h = float(amounts[part, i]) / most * (height - 2)
                if h > 0:
                    h = max(h, 0.75)
                    y -= h
                    p.fillRect(QRectF(x0, y, max(1.0, width), h), colors[part])


def columns_image(pixels: np.ndarray, colors: list[QColor], height: int, ground: QColor, from_bottom: bool = False) -> QImage:
    """An image (height x columns) of stacked colours. `pixels` is (colours, columns); stacked from the top in the order
    of `colors`, or from the bottom; the rest is `ground`."""
    width = pixels.shape[1]
    present = np.flatnonzero(pixels.any(axis=1))
    kind = np.uint8 if height < 256 else np.uint16
    tops = np.minimum(np.cumsum(pixels[present], axis=0), height).astype(kind)
    y = np.arange(height, dtype=kind)[:, None]
    y = height - 1 - y if from_bottom else y
    # Number of the colour in each place: how many of the stacked edges lie at or above it.
    which = np.zeros((height, -(-width // 4) * 4), np.uint8)             # Qt wants rows of whole 32-bit words
    inside = which[:, :width]
    for top in tops:
        inside += (y >= top).view(np.uint8)
    image = QImage(which.data, width, height, which.shape[1], QImage.Format.Format_Indexed8)
    image.setColorTable([*(colors[i].rgba() for i in present), ground.rgba()])
    return image.convertToFormat(QImage.Format.Format_RGB32)             # a copy that is quick to draw


def _clock(ns: float, step: float) -> str:
    """A tick's label with just enough digits for its neighbours to differ."""
    if step >= 60e9:
        return f"{ns / 60e9:g} min"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("\N{MICRO SIGN}s", 1e3)):
        if step >= size / 20 or unit == "\N{MICRO SIGN}s":
            digits = max(0, int(np.ceil(-np.log10(max(step / size, 1e-9)) - 1e-9)))
            return f"{ns / size:.{digits}f} {unit}"
    return f"{ns:.0f} ns"
