"""What is seen when nothing is open: what this is in three lines, examples to open, recent files. No heavy imports."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from .. import theme
from ..examples import Example, examples
from ..widgets.elided import ElidedLabel

WHAT = ("Runs an ordinary PyTorch script under its own compiler and shows what each call compiled, recompiled or reused.",
        "For every call that was compiled again it shows which condition failed on which value, and what to change.",
        "The script runs unchanged, in a process of its own; no PyTorch, CUDA or C++ compiler is needed.")


class Card(QFrame):
    """A title, a text, and a click that emits `chosen`."""

    chosen = Signal()

    def __init__(self, title: str, text: str, note: str = "") -> None:
        super().__init__()
        self.setObjectName("card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(title)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 13, 16, 13)
        box.setSpacing(4)
        head = QLabel(title)
        head.setObjectName("cause")
        body = QLabel(text)
        body.setObjectName("muted")
        body.setWordWrap(True)
        box.addWidget(head)
        box.addWidget(body)
        if note:
            foot = QLabel(note)
            foot.setObjectName("muted")
            foot.setFont(theme.fixed_font())
            box.addWidget(foot)
        box.addStretch(1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit()
        else:
            super().keyPressEvent(event)


class StartPage(QScrollArea):
    """`open_wanted(path)` opens a file, `browse_wanted()` asks for one."""

    open_wanted = Signal(str)
    browse_wanted = Signal()

    def __init__(self, recent: list[str]) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        page = QWidget()
        page.setObjectName("startPage")
        outer = QHBoxLayout(page)
        outer.setContentsMargins(32, 36, 32, 32)
        column = QWidget()
        column.setMaximumWidth(920)
        outer.addStretch(1)
        outer.addWidget(column, 20)
        outer.addStretch(1)
        box = QVBoxLayout(column)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(9)
        title = QLabel("Guardscope")
        font = title.font()
        font.setPointSizeF(theme.ui_points() * 2.1)
        font.setBold(True)
        title.setFont(font)
        box.addWidget(title)
        for i, line in enumerate(WHAT):
            label = QLabel(line)
            label.setWordWrap(True)
            label.setObjectName("" if i == 0 else "muted")
            box.addWidget(label)
        box.addSpacing(10)
        row = QHBoxLayout()
        browse = QPushButton("Open a script or a session\N{HORIZONTAL ELLIPSIS}")
        browse.setObjectName("primary")
        browse.clicked.connect(self.browse_wanted)
        row.addWidget(browse)
        hint = QLabel("or drop a file on this window")
        hint.setObjectName("muted")
        row.addSpacing(6)
        row.addWidget(hint)
        row.addStretch(1)
        box.addLayout(row)
        box.addSpacing(16)
        box.addWidget(_heading("Examples: open one, then press Run"))
        grid = QGridLayout()
        grid.setSpacing(12)
        for i, example in enumerate(examples()):
            grid.addWidget(self._card(example), i // 2, i % 2)
        box.addLayout(grid)
        shown = [p for p in recent if Path(p).exists()][:6]
        if shown:
            box.addSpacing(16)
            box.addWidget(_heading("Recent"))
            for path in shown:
                box.addWidget(self._recent(path))
        box.addStretch(1)
        self.setWidget(page)

    def _card(self, example: Example) -> Card:
        card = Card(example.title, example.text, example.path.name)
        card.chosen.connect(lambda p=str(example.path): self.open_wanted.emit(p))
        return card

    def _recent(self, path: str) -> QWidget:
        label = ElidedLabel(f"{Path(path).name}   {Path(path).parent}")
        label.set_link(True)
        label.clicked.connect(lambda: self.open_wanted.emit(path))
        return label

    def sizeHint(self) -> QSize:
        return QSize(900, 640)


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    font = label.font()
    font.setPointSizeF(theme.ui_points() * 1.15)
    font.setBold(True)
    label.setFont(font)
    return label
