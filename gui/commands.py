"""Commands as values in one registry; menus, toolbar, shortcuts, palette and tests derive from it.

A command that cannot run now says why (`Command.blocked` returns a sentence), and that sentence is its tooltip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence

from . import theme
from .widgets.able import with_reason

REMEMBERED = 8               # commands that the palette offers first


@dataclass(frozen=True, slots=True)
class Command:
    """`id` is dotted and stable ("run.start"), `menu` a path such as "View" or "" for palette only. `blocked` returns
    "" when the command can run, else one sentence that says why not."""

    id: str
    text: str
    run: Callable[[], Any]
    menu: str = ""
    shortcut: str = ""
    tip: str = ""
    icon: str = ""
    blocked: Callable[[], str] = lambda: ""
    checked: Callable[[], bool] | None = None
    group: int = 0


class Registry(QObject):
    """Every command of a window, in order of registration. `changed` fires when enabledness may have changed, `rebuilt` when
    there are other commands (recent files, saved layouts). `used`: ids of what was run last, newest first."""

    changed = Signal()
    rebuilt = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands: dict[str, Command] = {}
        self._actions: dict[str, QAction] = {}
        self.used: list[str] = []

    def add(self, *commands: Command) -> None:
        """Register; ValueError for a repeated id or a shortcut that another command has."""
        for c in commands:
            if c.id in self._commands:
                raise ValueError(f"command {c.id!r} is registered twice")
            other = next((o for o in self if c.shortcut and o.shortcut == c.shortcut), None)
            if other is not None:
                raise ValueError(f"commands {other.id!r} and {c.id!r} share the shortcut {c.shortcut}")
            self._commands[c.id] = c

    def replace(self, prefix: str, commands: Iterable[Command]) -> None:
        """Register these in place of all commands whose id starts with `prefix`. Nothing happens when they are the same."""
        new = list(commands)
        old = [c for c in self if c.id.startswith(prefix)]
        if [(c.id, c.text, c.tip) for c in old] == [(c.id, c.text, c.tip) for c in new]:
            return
        for c in old:
            del self._commands[c.id]
            action = self._actions.pop(c.id, None)
            if action is not None:
                action.deleteLater()
        self.add(*new)
        self.rebuilt.emit()

    def __iter__(self) -> Iterator[Command]:
        return iter(self._commands.values())

    def __getitem__(self, command_id: str) -> Command:
        return self._commands[command_id]

    def __contains__(self, command_id: str) -> bool:
        return command_id in self._commands

    def run(self, command_id: str) -> bool:
        """Run a command if nothing blocks it; False otherwise."""
        c = self._commands[command_id]
        if c.blocked():
            return False
        self.used = [command_id, *(u for u in self.used if u != command_id)][:REMEMBERED]
        c.run()
        self.update()
        return True

    def action(self, command_id: str) -> QAction:
        """The one QAction of a command (menus, toolbar and window share it)."""
        if command_id not in self._actions:
            c = self._commands[command_id]
            action = QAction(c.text, self)
            action.setObjectName(c.id)
            if c.shortcut:
                action.setShortcut(QKeySequence(c.shortcut))
            if c.icon:
                action.setIcon(theme.icon(c.icon))
            action.setIconText(f" {c.text}")
            action.setCheckable(c.checked is not None)
            action.triggered.connect(lambda _=False, i=command_id: self.run(i))
            self._actions[command_id] = action
            self._update(c, action)
        return self._actions[command_id]

    def update(self) -> None:
        """Recompute enabledness, check marks and tooltips of every action made so far."""
        for command_id, action in self._actions.items():
            self._update(self._commands[command_id], action)
        self.changed.emit()

    def retheme(self) -> None:
        for command_id, action in self._actions.items():
            if self._commands[command_id].icon:
                action.setIcon(theme.icon(self._commands[command_id].icon))

    def menus(self) -> dict[str, list[list[Command]]]:
        """Menu title -> groups of commands, in order of registration."""
        found: dict[str, dict[int, list[Command]]] = {}
        for c in self:
            if c.menu:
                found.setdefault(c.menu, {}).setdefault(c.group, []).append(c)
        return {menu: [groups[k] for k in sorted(groups)] for menu, groups in found.items()}

    @staticmethod
    def _update(c: Command, action: QAction) -> None:
        why = c.blocked()
        action.setEnabled(not why)
        if c.checked is not None:
            action.setChecked(c.checked())
        keys = f" ({key_text(c.shortcut)})" if c.shortcut else ""
        tip = c.tip or c.text.rstrip("\N{HORIZONTAL ELLIPSIS}")
        action.setToolTip(with_reason(tip + keys, why))
        action.setStatusTip(why or c.tip)


def key_text(shortcut: str) -> str:
    """A shortcut as this desktop writes it."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)


def match(commands: Iterable[Command], typed: str) -> list[Command]:
    """Commands in which every typed word is found, best first: at the beginning of a word, inside one, or its letters in
    order. What is found in a command's own text counts more than what is found in its menu or its tip."""
    words = typed.casefold().split()
    if not words:
        return list(commands)
    scored = []
    for order, c in enumerate(commands):
        found = [_best(c, word) for word in words]
        scores = [score for score in found if score is not None]
        if len(scores) == len(words):
            scored.append((sum(scores), order, c))
    return [c for _, _, c in sorted(scored, key=lambda s: s[:2])]


def _best(c: Command, word: str) -> int | None:
    own = _score(c.text.casefold(), word)
    menu = _score(c.menu.casefold(), word)
    tip = 30 if len(word) > 2 and f" {word}" in f" {c.tip.casefold()}" else None
    return min((s for s in (own, None if menu is None or menu > 1 else menu + 4, tip) if s is not None), default=None)


def _score(text: str, word: str) -> int | None:
    at = text.find(word)
    if at == 0:
        return 0
    if at > 0:
        return 1 if any(text.startswith(word, i + 1) for i, letter in enumerate(text) if letter in " -:(") else 3
    if len(word) > 1 and _in_order("".join(part[0] for part in text.split()), word):
        return 5                             # the first letters of words
    place, gaps = -1, 0
    for letter in word:
        nxt = text.find(letter, place + 1)
        if nxt < 0:
            return None
        gaps += nxt - place - 1 if place >= 0 else 0
        place = nxt
    return 10 + gaps


def _in_order(text: str, letters: str) -> bool:
    """Whether the letters occur in the text in this order."""
    rest = iter(text)
    return all(letter in rest for letter in letters)
