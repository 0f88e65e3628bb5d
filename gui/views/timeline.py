"""The timeline: lanes for functions and their resume functions, then compile time, then devices.

The x axis is the call number or the wall clock.
"""

from __future__ import annotations

import time

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from ...core.events.schema import OUTCOMES
from .. import theme, words
from ..jobs import Jobs
from ..models.lanes import IMPORTANCE, RunLane
from ..session_model import SessionModel
from ..widgets.lane_painter import AXIS, GUTTER
from ..widgets.timeline_canvas import TimelineCanvas
from .base import View


class TimelineView(View):
    """The canvas, fed by the model."""

    name = "timeline"
    cares = frozenset({"session", "rows", "selection", "filter", "highlight", "theme", "ready"})
    in_replay = ("selection",)               # the future stays on the timeline, dimmed

    def __init__(self, model: SessionModel, jobs: Jobs) -> None:
        super().__init__(model, jobs)
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
        if "ready" in what and not c.complete:
            c.set_facts(m.whole_facts, keep_view=True)
        elif "session" in what or "rows" in what:
            # Lanes are rebuilt whole; while a long session grows, not more often than a tenth of the time.
            begin = time.monotonic()
            if "session" not in what and begin < self._next_build and m.running:
                self._waiting.add("rows")
            else:
                c.set_facts(m.whole_facts, keep_view="session" not in what, hurry=m.opening)
                self._next_build = time.monotonic() + 9 * (time.monotonic() - begin)
        if m.whole is not None:
            c.empty = words.no_calls(m.whole)
        c.shown = tuple(o for o in IMPORTANCE if not m.filter or OUTCOMES[o] in m.filter)
        c.highlight = np.array(sorted(m.highlight), np.int64)
        if c.selected_call != m.selection.call and m.selection.call is not None:
            c.reveal_call(m.selection.call)
        if m.selection.code is not None and (c.selected_call, c.selected_code) != (m.selection.call, m.selection.code):
            c.reveal_lane(m.selection.code)
        c.selected_call, c.selected_code, c.now = m.selection.call, m.selection.code, m.as_of
        c.redraw()

    def set_axis(self, axis: str) -> None:
        self.canvas.set_axis(axis)
        self.axes[axis].setChecked(True)
        if self.canvas.selected_call is not None:
            self.canvas.reveal_call(self.canvas.selected_call)

    def command(self, name: str) -> None:
        """A key of the canvas, by name."""
        m, c = self.model, self.canvas
        n = m.whole_facts.n_calls if m.whole_facts is not None else 0
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
        facts = self.model.whole_facts
        assert facts is not None
        ran = [r for r in facts.call_runs(call) if r["code"] == code and r["artifact"] >= 0]
        self.model.select(call=call, **({"artifact": ran[0]["artifact"]} if ran else {}))

    def describe(self, call: int, code: int) -> str:
        """The tooltip of a call."""
        facts = self.model.whole_facts
        return "\n".join(words.call_lines(facts, call)) if facts is not None else ""


def _flat(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setObjectName("flat")
    button.setText(text)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return button
