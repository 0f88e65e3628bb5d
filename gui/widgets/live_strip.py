"""The left half of the status bar: what is going on, how far it is where that is known, and a way to stop it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QToolButton, QWidget

from .elided import ElidedLabel


class LiveStrip(QWidget):
    """`label` shows the sentence. The bar is there while a share is known, the button while there is something to stop."""

    def __init__(self) -> None:
        super().__init__()
        self.label = ElidedLabel()
        self.label.setObjectName("banner")
        self.label.setAccessibleName("What is going on")
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(130, 8)
        self.bar.setAccessibleName("Progress")
        self.bar.hide()
        self.stop = QToolButton()
        self.stop.setObjectName("flat")
        self.stop.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.stop.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        for widget in (self.label, self.bar, self.stop):
            row.addWidget(widget)
        row.addStretch(1)

    def show_state(self, text: str, live: bool, share: float | None = None, stop: QAction | None = None) -> None:
        """Show a sentence; `live`: it is about something that goes on now."""
        if self.label.property("live") != live:
            self.label.setProperty("live", live)
            self.label.style().polish(self.label)
        self.label.setText(text)
        self.label.updateGeometry()
        self.bar.setVisible(live and share is not None)
        self.bar.setValue(round((share or 0.0) * 1000))
        self.stop.setVisible(live and stop is not None)
        if stop is not None and self.stop.defaultAction() is not stop:
            self.stop.setDefaultAction(stop)
