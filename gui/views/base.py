"""What every view shares: built when first shown, refreshed only while visible, and an error pane of its own.

A view that raises shows the sentence and a "Try again" button; the other views go on. Subclasses give `build()` (make
the content once) and `update_view(what)` (show the model's state; `what` is a set of "session", "rows", "selection",
"filter", "highlight", "theme", "tools"; "ready" once an opened session has been painted, for those that care).
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QFrame,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from ..jobs import Jobs
from ..session_model import Selection, SessionModel
from . import title

PAUSE_MS = 150                   # how long a step of replay must be over before slow parts follow
ALL = frozenset({"session", "rows", "selection", "filter", "highlight", "theme", "tools"})


class ErrorPane(QFrame):
    """One sentence, the details below it, and a way to try again."""

    def __init__(self, again: Callable[[], None]) -> None:
        super().__init__()
        self.setObjectName("error")
        box = QVBoxLayout(self)
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details = QPlainTextEdit()
        self.details.setReadOnly(True)
        button = QPushButton("Try again")
        button.clicked.connect(again)
        box.addWidget(self.sentence)
        box.addWidget(self.details, 1)
        box.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def show_error(self, title: str, error: BaseException) -> None:
        self.sentence.setText(f"{title} cannot be shown: {error or type(error).__name__}. The other views go on; "
                              "please report this with the session file.")
        self.details.setPlainText("".join(traceback.format_exception(error)))


class View(QWidget):
    """Base of all views. `name` is its key in gui/views/__init__.py, `title` what people read there."""

    name = ""
    title = ""
    cares: frozenset[str] = frozenset({"session", "rows", "selection", "theme"})
    in_replay: tuple[str, ...] = ("rows",)       # what is new for it when replay stands at another call

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.title = title(cls.name)

    def __init__(self, model: SessionModel, jobs: Jobs) -> None:
        super().__init__()
        self.model = model
        self.jobs = jobs
        self._waiting: set[str] = set(ALL)
        self.held = False                    # while docks are being arranged
        self.front = True                    # False behind another tab; Qt calls such widgets visible
        self._pause: object = None           # what `after_pause` waits with
        self._content: QWidget | None = None
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._error: ErrorPane | None = None
        self._blank: QWidget | None = None
        model.opened.connect(lambda: self.ask("session", "rows", "selection", "filter", "highlight"))
        model.ready.connect(lambda: self.ask("ready"))
        model.grown.connect(lambda: self.ask("rows"))
        model.selection_changed.connect(self._selection_changed)
        model.filter_changed.connect(lambda: self.ask("filter"))
        model.highlight_changed.connect(lambda: self.ask("highlight"))
        model.tools_changed.connect(lambda: self.ask("tools"))
        model.rewound.connect(lambda: self.ask(*self.in_replay))

    # for subclasses

    def build(self) -> QWidget:
        """Make the content widget; called once, before the first update_view."""
        raise NotImplementedError

    def update_view(self, what: set[str]) -> None:
        """Show the model's state. May raise: the error pane then appears."""
        raise NotImplementedError

    def note(self) -> str:
        """A few words for the title bar beside the title, or ""."""
        return ""

    # refreshing

    def ask(self, *what: str) -> None:
        """Ask for a refresh; a hidden view does it when it is shown."""
        wanted = self.cares.intersection(what)
        if wanted:
            self._waiting |= wanted
            self.flush_seen()

    @property
    def waits(self) -> bool:
        """Whether it is seen, but does not yet show what it was asked to."""
        return self.isVisible() and self.front and bool(self._waiting)

    @property
    def pausing(self) -> bool:
        """Whether something is put off by `after_pause`."""
        return self._pause is not None

    def after_pause(self, function: Callable[[], None]) -> None:
        """Call `function` when this was not asked for again for a moment: for what takes too long to be done at every step of
        replay. Nothing happens then if the view is not seen any more."""
        ticket = self._pause = object()

        def go_on() -> None:
            if self._pause is ticket:
                self._pause = None
                if self.isVisible() and self.front:
                    function()

        QTimer.singleShot(PAUSE_MS, self, self.contained(go_on))

    def flush_seen(self) -> None:
        """Do what was asked for, if the view is seen; otherwise that is done when it is shown."""
        if self.waits:
            self.flush()

    def flush(self) -> None:
        """Do what was asked for, now."""
        if not self._waiting or self.held:
            return
        what, self._waiting = self._waiting, set()
        try:
            if self._content is None:
                self._content = self.build()
                self._stack.addWidget(self._content)
                what = set(ALL)
            self.update_view(what)
            self._name_parts()
            if self._stack.currentWidget() is not self._content:
                self._stack.setCurrentWidget(self._content)
        except Exception as error:
            self.fail(error)

    def blank(self) -> None:
        """Show nothing until the next refresh: what is shown is of another session."""
        if self._content is not None:
            if self._blank is None:
                self._blank = QWidget()
                self._stack.addWidget(self._blank)
            self._stack.setCurrentWidget(self._blank)

    def _name_parts(self) -> None:
        """Whatever can get the keyboard has a name that a screen reader can say."""
        assert self._content is not None
        for part in (self._content, *self._content.findChildren(QWidget)):
            said = part.text() if isinstance(part, QAbstractButton | QLabel) else ""
            if part.focusPolicy() != Qt.FocusPolicy.NoFocus and not part.accessibleName() and not said:
                hint = part.placeholderText() if isinstance(part, QLineEdit) else ""
                part.setAccessibleName(hint or self.title)

    def take_focus(self) -> None:
        """Give the keyboard to the content's main part, or to whatever in it can have it."""
        self.flush()
        parts = [self._content, *self._content.findChildren(QWidget)] if self._content is not None else []
        able = [p for p in parts if p.focusPolicy() & Qt.FocusPolicy.TabFocus and p.isVisible() and p.isEnabled()]
        able.sort(key=lambda p: isinstance(p, QLineEdit | QAbstractButton | QComboBox))
        if not able:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self.setAccessibleName(self.title)
            able = [self]
        able[0].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def fail(self, error: BaseException) -> None:
        """Show the error pane in place of the content."""
        if self._error is None:
            self._error = ErrorPane(self.retry)
            self._stack.addWidget(self._error)
        self._error.show_error(self.title, error)
        self._stack.setCurrentWidget(self._error)

    @property
    def failed(self) -> bool:
        return self._error is not None and self._stack.currentWidget() is self._error

    def retry(self) -> None:
        self._waiting = set(ALL)
        self.flush()

    def contained(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function` for use as a slot or callback: what it raises goes to the error pane."""
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except Exception as error:
                self.fail(error)
                return None
        return call

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.front:
            self.flush()

    def set_front(self, on: bool) -> None:
        """The view came to the front of its tabs, or went behind another."""
        self.front = on
        if on and self.isVisible():
            self.flush()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._content is not None:
            self.ask("theme")

    def _selection_changed(self, old: Selection, new: Selection) -> None:
        if self.model.rewinding:             # `rewound` follows; then both are done together
            self._waiting |= self.cares & {"selection"}
        else:
            self.ask("selection")
