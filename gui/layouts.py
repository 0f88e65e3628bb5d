"""Arrangements of the views under names, kept in the settings, and the commands for them and for recent files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QObject
from PySide6.QtWidgets import QInputDialog

from .commands import Command

if TYPE_CHECKING:
    from .main_window import MainWindow

KEY = "layouts"
MOST, LONGEST = 20, 40


class Layouts(QObject):
    """The saved layouts of a window. Names are unique; saving under a known name replaces it."""

    def __init__(self, window: MainWindow, version: int) -> None:
        super().__init__(window)
        self.window, self.version = window, version

    def names(self) -> list[str]:
        """In alphabetical order."""
        settings = self.window.settings
        settings.beginGroup(KEY)
        found = sorted(settings.childKeys(), key=str.casefold)
        settings.endGroup()
        return found

    def save(self, name: str) -> None:
        """Keep the present arrangement under a name."""
        name = clean(name)
        if not name:
            self.window.say("a layout needs a name; nothing was saved")
        elif len(self.names()) >= MOST and name not in self.names():
            self.window.say(f"there are {MOST} layouts; forget one before saving another")
        else:
            self.window.settings.setValue(f"{KEY}/{name}", self.window.saveState(self.version))
            self.offer()

    def use(self, name: str) -> None:
        """Arrange the views as saved under a name."""
        docks = self.window.docks
        state = self.window.settings.value(f"{KEY}/{name}")
        if docks is None or not isinstance(state, QByteArray) or not self.window.restoreState(state, self.version):
            self.window.say(f"the layout {name} cannot be used; save it again")
            return
        docks.restored()

    def forget(self, name: str) -> None:
        self.window.settings.remove(f"{KEY}/{name}")
        self.offer()

    def offer(self) -> None:
        """Register the commands for the layouts there are."""
        w = self.window
        nothing_open = lambda: "" if w.model.session is not None else "no script or session is open"
        w.commands.replace("layout.use.", [
            Command(f"layout.use.{name}", f"Layout: {name}", partial(self.use, name), "View", "",
                    "Arrange the views as saved", "", nothing_open, group=3) for name in self.names()])

    # asking

    def ask_name(self) -> None:
        self._ask("Save the layout", "Name of the layout:", self.save)

    def ask_forget(self) -> None:
        self._ask("Forget a layout", "Layout:", self.forget, self.names())

    def _ask(self, title: str, label: str, then: Any, items: list[str] | None = None) -> None:
        dialog = QInputDialog(self.window)
        dialog.setWindowTitle(title)
        dialog.setLabelText(label)
        if items is not None:
            dialog.setComboBoxItems(items)
        dialog.textValueSelected.connect(then)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


def clean(name: str) -> str:
    """A name as it is kept: without slashes and line breaks, not too long."""
    return " ".join(name.replace("/", " ").replace("\\", " ").split())[:LONGEST]


def offer_recent(window: MainWindow) -> None:
    """Register a command for every recent file that is still there."""
    paths = [p for p in window.recent() if Path(p).is_file()]
    window.commands.replace("file.recent.", [
        Command(f"file.recent.{n}", f"{n}  {Path(p).name}", partial(window.open_path, p), "File", "", p, "",
                lambda: "a script is running" if window.control.running else "", group=1)
        for n, p in enumerate(paths, 1)])
