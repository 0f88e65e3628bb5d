"""Pictures of the timeline and of a graph: PNG at twice the pixels, or SVG. Painted by the widgets' own painters.

A picture says what it shows: a title, and for the timeline the meaning of its colours.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QImageWriter, QPainter

from ..core.errors import EnvironmentProblem
from ..core.events.schema import OUTCOME_WORDS, OUTCOMES
from . import theme
from .export import replacing
from .numbers import number
from .widgets.graph_canvas import GraphCanvas
from .widgets.timeline_canvas import TimelineCanvas

SCALE = 2                       # pixels of a PNG per pixel on the screen
HEAD = 34
MOST_PIXELS = 30_000            # a side of a PNG; more no viewer opens
FAMILY = re.compile(r'font-family="([^"]*)"')
Paint = Callable[[QPainter], None]


def save_timeline(canvas: TimelineCanvas, title: str, target: str | Path) -> int:
    """Every lane of the timeline over the stretch it shows now; bytes written. EnvironmentProblem if that fails."""
    width, height = canvas.viewport().width(), canvas.content_height()

    def paint(p: QPainter) -> None:
        _head(p, canvas, title, width)
        p.translate(0, HEAD)
        canvas.paint(p, width, height, scrolled=0)

    return _save(paint, width, height + HEAD, target)


def save_graph(canvas: GraphCanvas, title: str, target: str | Path) -> int:
    """The whole graph at its natural size; bytes written. EnvironmentProblem if there is none or it cannot be written."""
    picture = canvas.picture
    if picture is None or not picture.nodes:
        raise EnvironmentProblem("the selected version has no graph to draw; select a version with one")
    margin = 16

    def paint(p: QPainter) -> None:
        p.setFont(canvas.font())
        p.setPen(QColor(theme.active().text_muted))
        p.drawText(QPointF(margin, HEAD * 0.62), title)
        p.translate(margin, HEAD)
        canvas.painter(p).paint(QRectF(0, 0, picture.width, picture.height), readable=True)

    return _save(paint, round(picture.width) + 2 * margin, round(picture.height) + HEAD + margin, target)


def _head(p: QPainter, canvas: TimelineCanvas, title: str, width: int) -> None:
    """The title, and at the right what the colours and shapes mean."""
    t = theme.active()
    p.setFont(canvas.font())
    metrics = QFontMetricsF(canvas.font())
    baseline = HEAD / 2 + metrics.ascent() / 2 - 2
    x = width - 10.0
    counts = canvas.facts.outcome_counts() if canvas.facts is not None else {}
    for name in reversed([o for o in OUTCOMES if counts.get(o)]):
        text = f"{number(counts[name])} {OUTCOME_WORDS[name]}"
        x -= metrics.horizontalAdvance(text)
        p.setPen(QColor(t.text))
        p.drawText(QPointF(x, baseline), text)
        x -= 22
        theme.fill_bar(p, QRectF(x, HEAD / 2 - 7, 16, 14), name)
        x -= 16
    p.setPen(QColor(t.text))
    p.drawText(QPointF(12, baseline), metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, max(60.0, x - 20)))


def _save(paint: Paint, width: int, height: int, target: str | Path) -> int:
    svg = str(target).lower().endswith(".svg")
    return replacing(target, lambda part: _svg(paint, width, height, part) if svg else _png(paint, width, height, part))


def _png(paint: Paint, width: int, height: int, path: Path) -> None:
    scale = min(float(SCALE), MOST_PIXELS / max(width, height))
    image = QImage(round(width * scale), round(height * scale), QImage.Format.Format_RGB32)
    if image.isNull():
        raise EnvironmentProblem(f"a picture of {width} x {height} does not fit into memory; export an SVG instead")
    image.fill(QColor(theme.active().base))
    p = QPainter(image)
    p.scale(scale, scale)
    paint(p)
    p.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    path.write_bytes(data.data())


def _svg(paint: Paint, width: int, height: int, path: Path) -> None:
    from PySide6.QtSvg import QSvgGenerator

    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)              # of CSS: one pixel here is one pixel there
    generator.setSize(QSize(width, height))
    generator.setViewBox(QRectF(0, 0, width, height))
    generator.setTitle("Guardscope")
    p = QPainter(generator)
    p.fillRect(QRectF(0, 0, width, height), QColor(theme.active().base))
    paint(p)
    p.end()
    path.write_text(FAMILY.sub(_with_fallback, bytes(data.data()).decode()), encoding="utf-8")


def _with_fallback(m: re.Match[str]) -> str:
    """A font family followed by a generic one, for machines that do not have it."""
    fixed = m[1] == theme.fixed_font().family() or "mono" in m[1].lower()
    return f'font-family="{m[1]}, {"monospace" if fixed else "sans-serif"}"'
