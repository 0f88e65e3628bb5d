"""The command palette (Ctrl+Shift+P): type a few letters, press Enter. Commands that cannot run now say why."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from .. import theme
from ..commands import Command, Registry, key_text, match

MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Palette(QFrame):
    """A popup over `window`. What was run last stands first until something is typed."""

    def __init__(self, commands: Registry, window: QWidget) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self.setObjectName("palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.commands, self.window_below = commands, window
        box = QVBoxLayout(self)
        box.setContentsMargins(8, 8, 8, 8)
        box.setSpacing(6)
        self.line = QLineEdit()
        self.line.setPlaceholderText("Type a command")
        self.line.setAccessibleName("Command to search")
        self.line.textChanged.connect(self._fill)
        self.line.installEventFilter(self)
        self.list = QTreeWidget()
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName("Commands that match")
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.itemActivated.connect(self._run)
        self.list.itemClicked.connect(self._run)
        self.list.currentItemChanged.connect(lambda item, _: self._say(item))
        self.says = QLabel()
        self.says.setObjectName("muted")
        self.says.setWordWrap(True)
        self.says.setMinimumHeight(2 * self.says.fontMetrics().lineSpacing())
        self.says.setAlignment(Qt.AlignmentFlag.AlignTop)
        box.addWidget(self.line)
        box.addWidget(self.list, 1)
        box.addWidget(self.says)

    def open(self) -> None:
        """Show it at the top of the window, empty."""
        window = self.window_below
        width = min(600, window.width() - 60)
        self.resize(width, min(440, window.height() - 120))
        self.move(window.mapToGlobal(QPoint((window.width() - width) // 2, 46)))
        self.line.clear()
        self._fill("")
        self.show()
        self.line.setFocus()

    def _fill(self, typed: str) -> None:
        self.list.clear()
        found = match(self.commands, typed)
        if not typed.strip():
            used = [u for u in self.commands.used if u in self.commands and u != "help.palette"]     # that is this
            found.sort(key=lambda c: used.index(c.id) if c.id in used else len(used))
        for c in found:
            item = QTreeWidgetItem([f"{c.menu + ': ' if c.menu else ''}{c.text}", key_text(c.shortcut)])
            item.setData(0, Qt.ItemDataRole.UserRole, c.id)
            item.setSizeHint(0, QSize(0, 28))
            muted = theme.QColor(theme.active().text_muted)
            item.setForeground(1, muted)
            if c.blocked():
                item.setForeground(0, muted)
            self.list.addTopLevelItem(item)
        first = self.list.topLevelItem(0)
        if first is not None:
            self.list.setCurrentItem(first)
        else:
            self._say(None)

    def _say(self, item: QTreeWidgetItem | None) -> None:
        command = self._command(item)
        if command is None:
            self.says.setText("No command matches.")
            return
        why = command.blocked()
        self.says.setText(f"Not now: {why}" if why else command.tip)

    def _command(self, item: QTreeWidgetItem | None) -> Command | None:
        return self.commands[item.data(0, Qt.ItemDataRole.UserRole)] if item is not None else None

    def _run(self, item: QTreeWidgetItem | None) -> None:
        command = self._command(item)
        if command is not None and not command.blocked():
            self.close()
            self.commands.run(command.id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in MOVES:
                self.list.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run(self.list.currentItem())
                return True
        return super().eventFilter(watched, event)
