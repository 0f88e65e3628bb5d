"""Outcome counters as chips: each names an outcome, shows its shape and count, and filters the timeline when pressed.

They are the timeline's legend as well.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from ...core.events.schema import OUTCOME_WORDS, OUTCOMES
from .. import theme
from ..glossary import explain
from ..numbers import number
from .able import allow


class OutcomeChips(QWidget):
    """`filter_wanted(frozenset of outcome names)` when a chip is pressed; an empty set means all."""

    filter_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self.chips: dict[str, QToolButton] = {}
        for name in OUTCOMES:
            chip = QToolButton()
            chip.setObjectName("chip")
            chip.setCheckable(True)
            chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            chip.setIconSize(QSize(14, 14))
            chip.setToolTip(f"{explain(name)}\nClick to show only these calls; click again for all.")
            chip.clicked.connect(self._pressed)
            self.chips[name] = chip
            row.addWidget(chip)
        row.addStretch(1)

    def show_counts(self, counts: dict[str, int]) -> None:
        """Outcomes that did not occur stay visible but quiet for the usual three, and are hidden for the rest."""
        for name, chip in self.chips.items():
            n = counts.get(name, 0)
            chip.setText(f" {number(n)} {OUTCOME_WORDS[name]}")
            allow(chip, "" if n else f"no call was {OUTCOME_WORDS[name]}")
            chip.setVisible(n > 0 or name in ("compile", "recompile", "reuse"))

    def show_filter(self, shown: frozenset[str]) -> None:
        for name, chip in self.chips.items():
            chip.setChecked(name in shown)

    def retheme(self) -> None:
        for name, chip in self.chips.items():
            chip.setIcon(theme.mark_icon(name))

    def _pressed(self) -> None:
        self.filter_wanted.emit(frozenset(n for n, c in self.chips.items() if c.isChecked()))
