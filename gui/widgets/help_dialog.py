"""Help, made from the registry: every command with its keys and what it does, and how the keyboard moves in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from ..commands import Command, Registry, key_text, match
from .page import esc, page_style

MOVING = (("Tab, Shift+Tab", "To the next or previous field of a view"),
          ("F6, Shift+F6", "To the next or previous view"),
          ("\N{LEFTWARDS ARROW} \N{RIGHTWARDS ARROW} in the timeline",
           "The previous or next call; with Ctrl one that was not reused; with Shift the timeline moves"),
          ("\N{UPWARDS ARROW} \N{DOWNWARDS ARROW} in the timeline", "The function above or below"),
          ("+ - 0 in the timeline", "Zoom in, zoom out, show all calls"),
          ("Home, End in the timeline", "The first or the last call"),
          ("Return on a link", "Follow it; Tab goes from link to link"))


class HelpDialog(QDialog):
    """A page with a line to search it."""

    def __init__(self, commands: Registry, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Commands and keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(820, 640)
        self.commands = commands
        self.line = QLineEdit()
        self.line.setPlaceholderText("Search")
        self.line.setClearButtonEnabled(True)
        self.line.setAccessibleName("Search commands")
        self.line.textChanged.connect(self._fill)
        self.text = QTextBrowser()
        self.text.setAccessibleName("Commands and keys")
        self.text.document().setDefaultStyleSheet(page_style())
        self.text.document().setDocumentMargin(14)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        for widget in (self.line, self.text, buttons):
            box.addWidget(widget)
        self._fill("")
        self.line.setFocus()

    def _fill(self, typed: str) -> None:
        self.text.setHtml(help_html(self.commands, typed))


def help_html(commands: Registry, typed: str = "") -> str:
    """Every command that matches what was typed, by menu."""
    if typed.strip():
        found = match(commands, typed)
        return _table(found) if found else "<p class='muted'>No command matches.</p>"
    parts = [f"<h2>{esc(menu)}</h2>{_table([c for group in groups for c in group])}"
             for menu, groups in commands.menus().items()]
    other = [c for c in commands if not c.menu]
    if other:
        parts.append(f"<h2>In the palette only</h2>{_table(other)}")
    rows = "".join(_row(keys, text) for keys, text in MOVING)
    return (f"<p>Every command is in the palette ({esc(key_text(commands['help.palette'].shortcut))}).</p>" + "".join(parts)
            + f"<h2>Moving by keyboard</h2><table cellpadding='3'>{rows}</table>")


def _table(commands: list[Command]) -> str:
    return "<table cellpadding='3' width='100%'>" + "".join(
        f"<tr><td width='34%'>{esc(c.text)}</td><td width='20%' class='muted' style='white-space:pre'>"
        f"{esc(key_text(c.shortcut))}</td><td class='muted'>{esc(c.tip)}</td></tr>" for c in commands) + "</table>"


def _row(keys: str, text: str) -> str:
    return f"<tr><td style='white-space:pre'>{esc(keys)}</td><td class='muted'>{esc(text)}</td></tr>"
