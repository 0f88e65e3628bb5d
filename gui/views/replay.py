"""The replay bar: which call everything is shown as of, with keys to step; hidden unless replay is on."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QToolButton, QWidget

from ...core.events.schema import OUTCOME_WORDS
from .. import theme
from ..jobs import Jobs
from ..numbers import number
from ..session_model import SessionModel
from ..widgets.able import allow
from ..widgets.elided import ElidedLabel
from ..words import call_title
from .base import View

PLAY_MS = 500
STEPS = (("first", "|\N{BLACK LEFT-POINTING TRIANGLE}", "First call (Home)"),
         ("previous", "\N{BLACK LEFT-POINTING TRIANGLE}", "Call before (Alt+Left)"),
         ("play", "Play", "Step by itself, twice a second"),
         ("next", "\N{BLACK RIGHT-POINTING TRIANGLE}", "Next call (Alt+Right)"),
         ("last", "\N{BLACK RIGHT-POINTING TRIANGLE}|", "Last call (End)"))


class ReplayView(View):
    """Buttons, a slider over all calls, and the call in words."""

    name = "replay"
    cares = frozenset({"session", "rows", "selection", "theme"})

    def __init__(self, model: SessionModel, jobs: Jobs) -> None:
        super().__init__(model, jobs)
        self.setFixedHeight(40)
        self.setVisible(False)
        self.setObjectName("replayBar")
        model.rewound.connect(self._show_or_hide)
        model.opened.connect(self._show_or_hide)
        self.ticks = QTimer(self)
        self.ticks.setInterval(PLAY_MS)
        self.ticks.timeout.connect(self.contained(self._tick))

    def build(self) -> QWidget:
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(12, 2, 10, 2)
        row.setSpacing(4)
        label = QLabel("Replay")
        label.setObjectName("dockTitle")
        row.addWidget(label)
        self.buttons: dict[str, QToolButton] = {}
        for name, text, tip in STEPS:
            button = self.buttons[name] = QToolButton()
            button.setObjectName("flat")
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip.partition(" (")[0])
            button.clicked.connect(self.contained(lambda _=False, n=name: self.step(n)))
            row.addWidget(button)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Call that everything is shown as of")
        self.slider.setFixedWidth(180)
        self.slider.valueChanged.connect(self.contained(self._slid))
        row.addWidget(self.slider)
        row.addSpacing(6)
        self.mark = QLabel()
        row.addWidget(self.mark)
        self.says = ElidedLabel()
        row.addWidget(self.says, 1)
        leave = QToolButton()
        leave.setObjectName("flat")
        leave.setText("Leave")
        leave.setToolTip("Show everything that was recorded again (Ctrl+R)")
        leave.clicked.connect(lambda: self.model.set_replay(False))
        row.addWidget(leave)
        self._showing = False
        return box

    def update_view(self, what: set[str]) -> None:
        call, facts = self.model.as_of, self.model.whole_facts
        if call is None or facts is None or call >= facts.n_calls:
            return
        self._showing = True
        self.slider.setRange(0, facts.n_calls - 1)
        self.slider.setPageStep(max(1, facts.n_calls // 20))
        self.slider.setValue(call)
        self._showing = False
        outcome = facts.outcome(call)
        self.mark.setPixmap(theme.mark_pixmap(outcome, 13))
        self.says.setText(f"as of call {number(call)} of {number(facts.n_calls - 1)}: {call_title(facts, call)} "
                          f"{OUTCOME_WORDS[outcome]}")
        for name in ("first", "previous"):
            allow(self.buttons[name], "" if call > 0 else "this is the first call")
        for name in ("next", "last", "play"):
            allow(self.buttons[name], "" if call < facts.n_calls - 1 else "this is the last call")

    def _show_or_hide(self) -> None:
        on = self.model.as_of is not None
        if not on:
            self._stop()
        self.setVisible(on)

    def _slid(self, call: int) -> None:
        if not self._showing and self.model.as_of is not None:
            self.model.select(call=call)

    def step(self, name: str) -> None:
        """What a button does: "first", "previous", "play", "next" or "last"."""
        facts = self.model.whole_facts
        if facts is None or self.model.as_of is None:
            return
        if name == "play":
            if self.ticks.isActive():
                self._stop()
            else:
                self.ticks.start()
                self.buttons["play"].setText("Pause")
        elif name in ("first", "last"):
            self.model.select(call=0 if name == "first" else facts.n_calls - 1)
        else:
            self.model.step(1 if name == "next" else -1)

    def _tick(self) -> None:
        before = self.model.as_of
        self.model.step(1)
        if self.model.as_of == before:
            self._stop()

    def _stop(self) -> None:
        self.ticks.stop()
        if self._content is not None:
            self.buttons["play"].setText("Play")
