"""Line icons drawn from path data, in the theme's colours: no image plug-in needed, sharp at every scale.

`resources/icons/icons.json` maps a name to {"color": role, "lines": [[x, y, x, y, ...], ...], "fill": bool}, on a grid
of 16 x 16.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from ..theme import RESOURCES, Theme


@cache
def _shapes() -> dict[str, Any]:
    return json.loads((RESOURCES / "icons" / "icons.json").read_text(encoding="utf-8"))


def names() -> list[str]:
    """Every icon's name."""
    return sorted(_shapes())


def draw_icon(name: str, theme: Theme) -> QIcon:
    """The icon called `name`; disabled state in a quieter colour. KeyError for an unknown name."""
    shape = _shapes()[name]
    made = QIcon()
    for mode, color in ((QIcon.Mode.Normal, getattr(theme, shape.get("color", "text"))),
                        (QIcon.Mode.Disabled, theme.border)):
        made.addPixmap(_pixmap(shape, QColor(color)), mode)
    return made


def _pixmap(shape: dict[str, Any], color: QColor, scale: int = 3) -> QPixmap:
    pixmap = QPixmap(16 * scale, 16 * scale)
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    p = QPainter(pixmap)
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.setPen(QPen(color, 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
    for flat in shape["lines"]:
        points = QPolygonF([QPointF(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)])
        if shape.get("fill"):
            p.setBrush(color)
            p.drawPolygon(points)
        else:
            p.drawPolyline(points)
    for x, y, r in shape.get("circles", []):
        p.setBrush(Qt.BrushStyle.NoBrush)
        p.drawEllipse(QPointF(x, y), r, r)
    p.end()
    return pixmap
