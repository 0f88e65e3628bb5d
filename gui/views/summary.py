"""The strip above the timeline: what ran, how many calls were compiled, recompiled and reused, and the top cause."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from .. import theme
from ..jobs import Jobs
from ..numbers import duration, plural
from ..session_model import SessionModel
from ..widgets.chips import OutcomeChips
from ..widgets.elided import ElidedLabel
from .base import View


class SummaryView(View):
    """`causes_wanted()` when the top cause is clicked."""

    name = "summary"
    cares = frozenset({"session", "rows", "filter", "theme", "tools", "ready"})
    causes_wanted = Signal()

    def __init__(self, model: SessionModel, jobs: Jobs) -> None:
        super().__init__(model, jobs)
        self.setFixedHeight(98)

    def build(self) -> QWidget:
        self.what = ElidedLabel()
        font = self.what.font()
        font.setBold(True)
        font.setPointSizeF(theme.ui_points() * 1.12)
        self.what.setFont(font)
        self.totals = QLabel()
        self.totals.setObjectName("muted")
        self.chips = OutcomeChips()
        self.chips.filter_wanted.connect(self.contained(self.model.set_filter))
        self.mark = QLabel()
        self.cause = ElidedLabel()
        self.cause.setObjectName("cause")
        self.cause.set_link(True)
        self.cause.clicked.connect(self.causes_wanted)
        self.cure = ElidedLabel()
        self.cure.setObjectName("muted")
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self.what)
        top.addWidget(self.totals)
        top.addStretch(1)
        middle = QHBoxLayout()
        middle.setSpacing(8)
        middle.addWidget(self.mark)
        middle.addWidget(self.cause)
        middle.addWidget(self.cure, 1)
        bottom = QHBoxLayout()
        bottom.setSpacing(4)
        bottom.addWidget(self.chips, 1)
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(12, 6, 10, 8)
        layout.setSpacing(6)
        for row in (top, middle, bottom):
            layout.addLayout(row)
        return box

    def update_view(self, what: set[str]) -> None:
        if "theme" in what:
            self.chips.retheme()
        facts = self.model.facts
        if facts is None:
            return
        self.what.setText(facts.script_name())
        total = 0 if self.model.opening else facts.compile_ns()          # adding it up can wait
        versions = len(facts.session.artifacts)
        breaks = len({(b.file, b.line, b.col, b.sentence) for b in facts.session.breaks})
        parts = [plural(facts.n_calls, "call"), plural(versions, "version")] + (
            [f"{duration(total)} compiling"] if total else []) + (
            [plural(breaks, "graph break")] if breaks else [])
        self.totals.setText(" \N{MIDDLE DOT} ".join(parts) if facts.n_calls else "no calls")
        self.chips.show_counts(facts.outcome_counts())
        self.chips.show_filter(self.model.filter)
        if self.model.opening:
            self.mark.clear()
            self.cause.setText("looking for causes\N{HORIZONTAL ELLIPSIS}")
            self.cause.set_link(False)
            self.cure.setText("")
            return
        top = self.model.causes()
        if top:
            self.mark.setPixmap(theme.mark_pixmap(top[0].mark, 13))
            self.cause.setText(top[0].headline)
            change = "; ".join(top[0].fix.splitlines()) or top[0].advice
            trial = self.model.tried(top[0])
            tried = f"  (tried: {trial.effect})" if trial is not None and change else ""
            said = top[0].detail if top[0].mark == "error" else ""               # the exception's message is no cure
            self.cure.setText(f"\N{RIGHTWARDS ARROW} {change}{tried}" if change else said)
            self.cure.setToolTip("\n".join(filter(None, (said, top[0].advice, top[0].fix, tried.strip(" ()")))))
        else:
            from ..models.causes import nothing_to_report  # not at the top: the first paint does without

            self.mark.clear()
            self.cure.setText("")
            self.cause.setText(nothing_to_report(facts.session, facts.outcome_counts())[0])
        self.cause.set_link(bool(top))
