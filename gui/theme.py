"""Colour roles for light and dark, the colours and shapes of outcomes, and the style sheet made from them.

A widget asks for a role (`active().text_muted`), never for a colour value. An outcome has a colour *and* a shape *and*
a fill pattern, so that no two of them look alike in grey or to a colour-blind reader. Contrast of every text role
against its background is at least 4.5 to 1 (a test computes it).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontDatabase, QIcon, QPainter, QPalette, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QApplication, QStyleFactory

RESOURCES = Path(__file__).resolve().parent.parent / "resources"

# Worst first: where several outcomes share a place, the first of these is the one that must be seen.
IMPORTANCE = ("error", "not_compiled", "eager_limit", "recompile", "compile", "reuse")


@dataclass(frozen=True, slots=True)
class Theme:
    """One set of colour roles as `#rrggbb` texts. `outcomes` by outcome name, `phases` by compile phase."""

    name: str
    window: str
    base: str
    raised: str
    border: str
    text: str
    text_muted: str
    accent: str
    on_accent: str
    selection: str
    selection_text: str
    hover: str
    current_line: str
    good: str
    bad: str
    warn: str
    bad_back: str
    warn_back: str
    good_back: str
    group_back: str
    outcomes: dict[str, str]
    phases: dict[str, str]
    code: dict[str, str]

    def outcome(self, name: str) -> QColor:
        return QColor(self.outcomes.get(name, self.text_muted))

    def phase(self, name: str) -> QColor:
        return QColor(self.phases.get(name, self.text_muted))


LIGHT = Theme(
    name="light", window="#f3f4f6", base="#ffffff", raised="#fafbfc", border="#d8dce2", text="#1c2430",
    text_muted="#5a6675", accent="#1f5fd0", on_accent="#ffffff", selection="#d6e4fd", selection_text="#10264d",
    hover="#e8ecf1", current_line="#eef4ff", good="#1b7a48", bad="#b3261e", warn="#9a4a00", bad_back="#fdecea",
    warn_back="#fff3e2", good_back="#e7f6ed", group_back="#f0f4fa",
    outcomes={"compile": "#2f6fde", "recompile": "#e06a00", "reuse": "#3aa66b", "eager_limit": "#7e4fc4",
              "not_compiled": "#68778a", "error": "#c8281f"},
    phases={"capture": "#2f6fde", "guards": "#7e4fc4", "lowering": "#12909c", "build": "#e06a00",
            "lowering and build": "#e06a00", "first launch": "#a8821a"},
    code={"keyword": "#8a2bb0", "string": "#2b7a3d", "number": "#b0480e", "comment": "#6a7684", "name": "#1f5fd0",
          "builtin": "#0f7580", "operator": "#3d4856"},
)
DARK = Theme(
    name="dark", window="#14171c", base="#1a1e25", raised="#20252d", border="#323944", text="#e3e7ed",
    text_muted="#9aa6b5", accent="#7aaeff", on_accent="#0d1b33", selection="#28477d", selection_text="#ffffff",
    hover="#272d37", current_line="#222a37", good="#5ccf92", bad="#ff8a80", warn="#ffb05c", bad_back="#3a2023",
    warn_back="#382a17", good_back="#1a3226", group_back="#222833",
    outcomes={"compile": "#6aa3ff", "recompile": "#ff9a42", "reuse": "#4bb980", "eager_limit": "#b48cf2",
              "not_compiled": "#8b98a9", "error": "#ff6b60"},
    phases={"capture": "#6aa3ff", "guards": "#b48cf2", "lowering": "#3fbfca", "build": "#ff9a42",
            "lowering and build": "#ff9a42", "first launch": "#d8b84a"},
    code={"keyword": "#d49bf0", "string": "#8fce9b", "number": "#f5a871", "comment": "#8492a4", "name": "#8fbaff",
          "builtin": "#6cd0d8", "operator": "#b9c3d0"},
)
THEMES = {"light": LIGHT, "dark": DARK}
_active = LIGHT


def active() -> Theme:
    """The theme that is applied now."""
    return _active


def system_theme(app: QApplication) -> str:
    """"dark" where the desktop asks for it, else "light"."""
    return "dark" if app.styleHints().colorScheme() == Qt.ColorScheme.Dark else "light"


def apply(app: QApplication, name: str) -> Theme:
    """Switch the application to the theme called `name`. Widgets get a palette change event and repaint."""
    global _active
    _active = t = THEMES[name]
    style = QStyleFactory.create("Fusion")
    if style is not None and app.style().objectName().lower() != "fusion":
        app.setStyle(style)
    p = QPalette()
    roles = QPalette.ColorRole
    for role, value in ((roles.Window, t.window), (roles.Base, t.base), (roles.AlternateBase, t.raised),
                        (roles.Text, t.text), (roles.WindowText, t.text), (roles.ButtonText, t.text),
                        (roles.Button, t.raised), (roles.ToolTipBase, t.raised), (roles.ToolTipText, t.text),
                        (roles.Highlight, t.selection), (roles.HighlightedText, t.selection_text),
                        (roles.PlaceholderText, t.text_muted), (roles.Link, t.accent), (roles.LinkVisited, t.accent),
                        (roles.Mid, t.border), (roles.Dark, t.border), (roles.BrightText, t.bad),
                        (roles.Accent, t.accent)):
        p.setColor(role, QColor(value))
    for role in (roles.Text, roles.WindowText, roles.ButtonText):
        p.setColor(QPalette.ColorGroup.Disabled, role, QColor(t.text_muted))
    app.setPalette(p)
    app.setStyleSheet(style_sheet(t))
    return t


def style_sheet(t: Theme) -> str:
    """The sheet in resources/themes/style.qss with `@role` replaced by the theme's colour."""
    text = (RESOURCES / "themes" / "style.qss").read_text(encoding="utf-8")
    text = text.replace("@icons", (RESOURCES / "icons").as_posix())
    for field in sorted(Theme.__dataclass_fields__, key=len, reverse=True):
        value = getattr(t, field)
        if isinstance(value, str):
            text = text.replace(f"@{field}", value)
    return text


def fixed_font(points: float | None = None) -> QFont:
    """The system's fixed-width font, a little smaller than the interface font unless `points` is given."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPointSizeF(points or max(8.0, ui_points() - 0.5))
    return font


def ui_points() -> float:
    """Size of the interface font in points."""
    size = QApplication.font().pointSizeF()
    return size if size > 0 else 9.0


# The fill of a bar wide enough to show one; narrow bars are plain.
PATTERNS = {
    "compile": Qt.BrushStyle.SolidPattern, "recompile": Qt.BrushStyle.BDiagPattern,
    "reuse": Qt.BrushStyle.SolidPattern, "eager_limit": Qt.BrushStyle.Dense5Pattern,
    "not_compiled": Qt.BrushStyle.HorPattern, "error": Qt.BrushStyle.DiagCrossPattern,
}


def blend(a: QColor | str, b: QColor | str, share: float) -> QColor:
    """The colour `share` of the way from a to b (0 gives a, 1 gives b)."""
    return QColor.fromRgb(_blended(QColor(a).rgb(), QColor(b).rgb(), share))


@lru_cache(256)
def _blended(a: int, b: int, share: float) -> int:
    parts = [round((a >> s & 255) + ((b >> s & 255) - (a >> s & 255)) * share) << s for s in (16, 8, 0)]
    return 0xFF000000 | sum(parts)


def soft(outcome: str) -> QColor:
    """A quiet background tint of an outcome's colour."""
    t = active()
    return blend(t.base, t.outcomes.get(outcome, t.text_muted), 0.16 if t.name == "light" else 0.24)


def fill_bar(p: QPainter, rect: QRectF, outcome: str) -> None:
    """Fill `rect` with the outcome's colour and, when it is at least 7 pixels wide, its pattern."""
    t = active()
    color = t.outcome(outcome)
    pattern = PATTERNS.get(outcome, Qt.BrushStyle.SolidPattern)
    if rect.width() < 7 or pattern == Qt.BrushStyle.SolidPattern:
        p.fillRect(rect, color)
        return
    p.fillRect(rect, blend(t.base, color, 0.62))
    p.fillRect(rect, QBrush(color, pattern))
    p.fillRect(QRectF(rect.x(), rect.y(), 2.0, rect.height()), color)


def draw_mark(p: QPainter, rect: QRectF, outcome: str) -> None:
    """Draw the outcome's shape: disc compiled, triangle recompiled, bar-pair reused, diamond eager, ring not compiled,
    cross error, zigzag for a graph break."""
    color = QColor(active().bad) if outcome == "break" else active().outcome(outcome)
    p.save()
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    r = rect.adjusted(1, 1, -1, -1)
    c = r.center()
    p.setPen(Qt.PenStyle.NoPen)
    p.setBrush(color)
    if outcome == "compile":
        p.drawEllipse(r)
    elif outcome == "recompile":
        p.drawPolygon(QPolygonF([QPointF(c.x(), r.top()), r.bottomRight(), r.bottomLeft()]))
    elif outcome == "reuse":
        p.setPen(QPen(color, max(1.8, r.width() / 5), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap,
                      Qt.PenJoinStyle.RoundJoin))
        p.setBrush(Qt.BrushStyle.NoBrush)
        p.drawPolyline(QPolygonF([QPointF(r.left() + r.width() * 0.08, c.y()),
                                  QPointF(r.left() + r.width() * 0.4, r.bottom() - r.height() * 0.14),
                                  QPointF(r.right(), r.top() + r.height() * 0.12)]))
    elif outcome == "eager_limit":
        p.drawPolygon(QPolygonF([QPointF(c.x(), r.top()), QPointF(r.right(), c.y()), QPointF(c.x(), r.bottom()),
                                 QPointF(r.left(), c.y())]))
    elif outcome == "not_compiled":
        p.setPen(QPen(color, 2))
        p.setBrush(Qt.BrushStyle.NoBrush)
        p.drawEllipse(r.adjusted(1, 1, -1, -1))
    elif outcome == "break":
        p.setPen(QPen(color, 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        p.setBrush(Qt.BrushStyle.NoBrush)
        step, tall = r.width() / 4, r.height() * 0.22
        p.drawPolyline(QPolygonF([QPointF(r.left() + i * step, c.y() + (tall if i % 2 else -tall)) for i in range(5)]))
    else:
        p.setPen(QPen(color, 2.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        p.drawLine(r.topLeft(), r.bottomRight())
        p.drawLine(r.topRight(), r.bottomLeft())
    p.restore()


def mark_pixmap(outcome: str, size: int = 12, ratio: float = 2.0) -> QPixmap:
    """The outcome's shape as a pixmap of `size` logical pixels."""
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_mark(painter, QRectF(0, 0, size, size), outcome)
    painter.end()
    return pixmap


def mark_icon(outcome: str) -> QIcon:
    """The outcome's shape as an icon, one for all rows that show it."""
    return _mark_icon(outcome, active().name)


@lru_cache(64)
def _mark_icon(outcome: str, theme: str) -> QIcon:
    return QIcon(mark_pixmap(outcome, 14))


def icon(name: str) -> QIcon:
    """A line icon from resources/icons/icons.json drawn in the theme's text colour (see gui/widgets/icons.py)."""
    return _icon(name, active().name)


@lru_cache(64)
def _icon(name: str, theme: str) -> QIcon:
    from .widgets.icons import draw_icon

    return draw_icon(name, active())
