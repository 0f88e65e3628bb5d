"""Sizes and numbers of a function's inputs over its calls, each point in the colour of the version that served it, and what
each version demands of them: fixed, open within a range, or pinned by a line.

pyqtgraph is imported by a job when this view is first shown, so that neither the window nor the first click waits.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from ...core.events.schema import OUTCOMES
from .. import theme
from ..models.size_states import State, grouped, states_of
from ..models.sizes import Series, series_of, thinned
from ..numbers import plural
from ..widgets.elided import ElidedLabel
from ..widgets.page import esc
from .base import View

MOST_PLOTS = 8
PLOT_HEIGHT = 132
HUES = (215, 28, 150, 275, 190, 340, 55, 250)         # neighbouring versions get hues far apart
SYMBOLS = ("o", "t1", "s", "d", "t", "star")


class SizesView(View):
    """One plot per input that varies, above each other on one x axis; inputs that never vary are named in a line."""

    name = "sizes"

    def build(self) -> QWidget:
        self.says = ElidedLabel()
        self.says.setObjectName("muted")
        self.message = QLabel()
        self.message.setObjectName("emptyPlots")
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setWordWrap(True)
        self.message.setMargin(20)
        self.message.linkActivated.connect(self.contained(self._to_line))
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setObjectName("plotArea")
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.message)
        self.pages.addWidget(self.area)
        top = QHBoxLayout()
        top.setContentsMargins(10, 7, 10, 7)
        top.addWidget(self.says, 1)
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self.pages, 1)
        self._pg: Any = None
        self._shown: object = None
        self._lines: list[Any] = []
        self._plots: list[Any] = []
        return box

    def update_view(self, what: set[str]) -> None:
        facts, code = self.model.facts, self.model.selection.code
        if facts is None or code is None:
            self._say("Select a function or a call to see the sizes it was called with." if facts is not None else "")
            return
        if self._pg is None:
            self._say("Preparing plots\N{HORIZONTAL ELLIPSIS}")
            self.jobs.submit("pyqtgraph", lambda: importlib.import_module("pyqtgraph"), self.contained(self._loaded),
                             lambda text: self.fail(RuntimeError(text.strip().splitlines()[-1])))
            return
        shown = (id(facts), facts.revision, code, theme.active().name)
        if shown != self._shown:
            self._shown = shown
            if self.model.as_of is None:
                self._show_inputs()
            else:
                self.after_pause(self._show_inputs)
        if not self.pausing:
            self._mark_call()

    def _show_inputs(self) -> None:
        """Make the plots."""
        facts, code = self.model.facts, self.model.selection.code
        if facts is not None and code is not None:
            self._show(facts.title(code), series_of(facts, code))
            self._mark_call()

    def _loaded(self, pg: Any) -> None:
        self._pg = pg
        self._waiting |= self.cares
        if self.isVisible() and self.front:
            self.flush()

    def _states(self, html: str) -> QLabel:
        label = QLabel(html)
        label.setWordWrap(True)
        label.setContentsMargins(58, 2, 0, 8)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse
                                      | Qt.TextInteractionFlag.LinksAccessibleByKeyboard)
        label.linkActivated.connect(self.contained(self._to_line))
        return label

    def _to_line(self, link: str) -> None:
        facts, code = self.model.facts, self.model.selection.code
        if facts is not None and code is not None:
            self.model.show_line(facts.code(code).file, int(link.partition(":")[2]))

    def _say(self, text: str, more: str = "") -> None:
        self._shown = None
        self.says.setText("")
        self.message.setText(f"<p>{esc(text)}</p>{more}")
        self.pages.setCurrentWidget(self.message)

    def _show(self, title: str, found: list[Series]) -> None:
        facts, code = self.model.facts, self.model.selection.code
        assert facts is not None and code is not None
        states = states_of(facts, code)
        varying = [s for s in found if s.taken > 1]
        same = [s for s in found if s.taken == 1 and len(s.values)]
        fixed = [f"{s.name} = {s.values[0]:g}" for s in same]
        if not varying:
            shown = self._shown
            self._say(f"{title} was always called with the same sizes and numbers" + (f": {', '.join(fixed)}." if fixed else
                      "." if found else ": it takes none."), "".join(state_line(s.name, states.get(s.name, [])) for s in same))
            self._shown = shown
            return
        text = f"{title}: {plural(len(varying), 'input')} vary" if len(varying) > 1 else f"{title}: {varying[0].name} varies"
        more = [f"{len(varying) - MOST_PLOTS} more are not drawn"] if len(varying) > MOST_PLOTS else []
        self.says.setText("; ".join([text, *more, *(["always " + ", ".join(fixed)] if fixed else [])]))
        page = QWidget()
        page.setObjectName("plots")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(page)
        column.setContentsMargins(6, 0, 10, 6)
        column.setSpacing(0)
        column.addWidget(legend(sorted({int(v) for s in varying for v in s.versions}, key=lambda v: (v < 0, v))))
        self._lines, self._plots = [], []
        for i, s in enumerate(varying[:MOST_PLOTS]):
            column.addWidget(self._plot(s, i == len(varying[:MOST_PLOTS]) - 1))
            if s.name in states:
                column.addWidget(self._states(state_line(s.name, states[s.name])))
        if same:
            column.addWidget(self._states("<p><b>The same in every call</b></p>" + "".join(
                state_line(f"{s.name} = {s.values[0]:g}", states.get(s.name, [])) for s in same)))
        column.addStretch(1)
        self.area.setWidget(page)
        self.pages.setCurrentWidget(self.area)

    def _plot(self, s: Series, last: bool) -> QWidget:
        pg, t = self._pg, theme.active()
        plot = pg.PlotWidget(background=t.base)
        plot.setMinimumWidth(120)
        plot.setMinimumHeight(PLOT_HEIGHT + (18 if last else 0))
        plot.setMaximumHeight(PLOT_HEIGHT * 2)
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.setFrameShape(plot.Shape.NoFrame)
        item = plot.getPlotItem()
        item.setTitle(None)
        item.showGrid(x=False, y=True, alpha=0.15)
        for side in ("left", "bottom"):
            axis = item.getAxis(side)
            axis.setPen(pg.mkPen(t.border))
            axis.setTextPen(pg.mkPen(t.text_muted))
        item.getAxis("left").setWidth(58)
        item.setLabel("left", s.name, color=t.text)
        item.getAxis("left").enableAutoSIPrefix(False)
        item.getAxis("bottom").enableAutoSIPrefix(False)
        if last:
            item.setLabel("bottom", "call", color=t.text_muted)
        item.getViewBox().setMouseEnabled(x=True, y=False)
        item.getViewBox().setLimits(xMin=float(s.calls.min()) - 1, xMax=float(s.calls.max()) + 1)
        item.setXRange(float(s.calls.min()) - 0.5, float(s.calls.max()) + 0.5, padding=0)
        low, high = float(s.values.min()), float(s.values.max())
        room = (high - low) * 0.12 or 1.0
        item.setYRange(low - room, high + room, padding=0)
        keep = thinned(s)
        item.plot(s.calls[keep], s.values[keep], pen=pg.mkPen(t.border, width=1))
        for version in np.unique(s.versions[keep]):
            here = keep[s.versions[keep] == version]
            color, symbol = version_look(int(version))
            size = 13 if symbol == "star" else 10
            dots = pg.ScatterPlotItem(x=s.calls[here], y=s.values[here], size=size, symbol=symbol, brush=pg.mkBrush(color),
                                      pen=pg.mkPen(t.base), data=here, hoverable=True,
                                      tip=lambda x, y, data, s=s: point_tip(s, int(data)))
            dots.sigClicked.connect(self.contained(
                lambda _, points, *rest, s=s: self.model.select(call=int(s.calls[int(points[0].data())]))))
            item.addItem(dots)
        line = pg.InfiniteLine(angle=90, pen=pg.mkPen(t.accent, width=1.4))
        line.setZValue(-5)
        item.addItem(line)
        self._lines.append(line)
        if self._plots:
            item.setXLink(self._plots[0])
        self._plots.append(item)
        return plot

    def _mark_call(self) -> None:
        call = self.model.selection.call
        for line in self._lines:
            line.setVisible(call is not None)
            line.setValue(call or 0)


def state_line(name: str, states: list[tuple[int, State]]) -> str:
    """`x.shape[0]: versions 0, 3 fixed at 1; version 1 dynamic: 2 or more`, as HTML. A badge marks the sizes 0 and 1."""
    t = theme.active()
    parts = []
    for title, state in grouped(states):
        text = esc(state.text)
        if state.kind == "pinned" and state.line:
            text += f" by <a href='line:{state.line}' style='color:{t.accent}'>line {state.line}</a>"
        if state.special:
            size = state.text.rpartition(" ")[2]
            text += f" <span style='background:{t.warn_back}; color:{t.warn}'>&nbsp;{size} is special&nbsp;</span>"
        parts.append(f"{title} {text}")
    if any(state.special for _, state in states):
        parts[-1] += ". Sizes 0 and 1 always get a version of their own."
    told = "; ".join(parts) or "no version looks at it"
    return f"<p style='margin:2px 0'><span style='font-family:monospace'>{esc(name)}</span>: " \
           f"<span style='color:{t.text_muted}'>{told}</span></p>"


def legend(versions: list[int]) -> QLabel:
    """Version names in the colours and shapes of their points."""
    shapes = {"o": "\N{BLACK CIRCLE}", "t1": "\N{BLACK UP-POINTING TRIANGLE}", "s": "\N{BLACK SQUARE}",
              "d": "\N{BLACK DIAMOND}", "t": "\N{BLACK DOWN-POINTING TRIANGLE}", "x": "\N{MULTIPLICATION SIGN}"}
    parts = []
    for version in versions[:24]:
        color, symbol = version_look(version)
        name = f"version&nbsp;{version}" if version >= 0 else "plain&nbsp;Python"
        parts.append(f"<span style='color:{color.name()}'>{shapes.get(symbol, '&#9733;')}</span>&nbsp;{name}")
    if len(versions) > 24:
        parts.append(f"and {len(versions) - 24} more")
    label = QLabel(" &nbsp; ".join(parts))
    label.setWordWrap(True)
    label.setContentsMargins(58, 0, 0, 4)
    return label


def version_look(version: int) -> tuple[QColor, str]:
    """Colour and symbol of a version's points; -1, plain Python, is a cross."""
    t = theme.active()
    if version < 0:
        return t.outcome("eager_limit"), "x"
    light = 0.42 if t.name == "light" else 0.66
    return QColor.fromHslF(HUES[version % len(HUES)] / 360, 0.72, light), SYMBOLS[version % len(SYMBOLS)]


def point_tip(s: Series, place: int) -> str:
    """What a point says when the mouse is on it."""
    version = int(s.versions[place])
    what = f"version {version}" if version >= 0 else "plain Python"
    return f"call {int(s.calls[place])}: {s.name} = {s.values[place]:g}\n{OUTCOMES[int(s.outcomes[place])]}, {what}"
