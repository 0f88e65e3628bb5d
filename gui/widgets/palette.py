"""The command palette (Ctrl+Shift+P): type a few letters, press Enter. Commands that cannot run now say why."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from .. import theme
from ..commands import Command, Registry, match


class Palette(QFrame):
    """A popup over `window`."""

    def __init__(self, commands: Registry, window: QWidget) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self.setObjectName("palette")
        self.commands, self.window_below = commands, window
        box = QVBoxLayout(self)
        box.setContentsMargins(8, 8, 8, 8)
        box.setSpacing(6)
        self.line = QLineEdit()
        self.line.setPlaceholderText("Type a command")
        self.line.textChanged.connect(self._fill)
        self.line.installEventFilter(self)
        self.list = QListWidget()
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.itemActivated.connect(self._run)
        self.list.itemClicked.connect(self._run)
        self.list.currentItemChanged.connect(lambda item, _: self._say(item))
        self.says = QLabel()
        self.says.setObjectName("muted")
        self.says.setWordWrap(True)
        box.addWidget(self.line)
        box.addWidget(self.list, 1)
        box.addWidget(self.says)

    def open(self) -> None:
        """Show it at the top of the window, empty."""
        window = self.window_below
        width = min(560, window.width() - 60)
        self.resize(width, min(420, window.height() - 120))
        self.move(window.mapToGlobal(QPoint((window.width() - width) // 2, 46)))
        self.line.clear()
        self._fill("")
        self.show()
        self.line.setFocus()

    def _fill(self, typed: str) -> None:
        self.list.clear()
        for c in match(self.commands, typed):
            keys = QKeySequence(c.shortcut).toString(QKeySequence.SequenceFormat.NativeText)
            item = QListWidgetItem(f"{c.menu + ': ' if c.menu else ''}{c.text}" + (f"    {keys}" if keys else ""))
            item.setData(Qt.ItemDataRole.UserRole, c.id)
            item.setSizeHint(QSize(0, 28))
            if c.blocked():
                item.setForeground(theme.QColor(theme.active().text_muted))
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _say(self, item: QListWidgetItem | None) -> None:
        command = self._command(item)
        why = command.blocked() if command is not None else "No command matches."
        self.says.setText(f"Not now: {why}" if why and command is not None else why or (command.tip if command else ""))

    def _command(self, item: QListWidgetItem | None) -> Command | None:
        return self.commands[item.data(Qt.ItemDataRole.UserRole)] if item is not None else None

    def _run(self, item: QListWidgetItem) -> None:
        command = self._command(item)
        if command is not None and not command.blocked():
            self.hide()
            self.commands.run(command.id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
                self.list.event(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if self.list.currentItem() is not None:
                    self._run(self.list.currentItem())
                return True
        return super().eventFilter(watched, event)
