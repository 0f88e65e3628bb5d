"""Showing what is opened, step by step: the timeline and the counts first, from as little as they need; then the other
views, which are imported meanwhile; the causes, which take longest to find, last."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from .first_paint import AfterFirstPaint
from .views import KINDS, kind

if TYPE_CHECKING:
    from .main_window import MainWindow
    from .models.causes import CauseRow
    from .views.base import View

    Found = tuple[list[CauseRow], dict[Any, Any]]


class Opening:
    """Makes the views of a window when they are needed, and shows sessions in it."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window

    # the views

    def prepare(self) -> None:
        """While the start page is read: import and make what opening a file needs."""
        self.window.jobs.submit("prepare", imports, lambda _: self.make_all(), lambda _: None)

    def make_front(self) -> None:
        """Make the page in the middle and empty docks, unless that was done; they are seen when a file is opened."""
        w = self.window
        if w.docks is not None:
            return
        from .docks import Docks

        summary: Any = w.views["summary"]
        w.timeline = w.views["timeline"]
        page = QWidget()
        box = QVBoxLayout(page)
        box.setContentsMargins(0, 0, 6, 0)
        box.setSpacing(0)
        box.addWidget(summary)
        box.addWidget(w.views["replay"])
        box.addWidget(w.timeline, 1)
        summary.setObjectName("summaryStrip")
        summary.causes_wanted.connect(lambda: w.show_view("causes"))
        w.center.addWidget(page)
        w.page = page
        w.docks = Docks(w)
        for view in w.views.values():
            w.docks.put(view)

    def made(self, view: View) -> None:
        """A view was made: it goes where it belongs."""
        if self.window.docks is not None:
            self.window.docks.put(view)
        self.window.tools.listen(view)

    def make_all(self) -> None:
        """Make every view that is missing."""
        self.make_front()
        self.window.views.make_all()

    # a session

    def show(self, session: Any, then: Callable[[], None] | None = None) -> None:
        """Show the timeline of a session; when that has been painted the other views follow, then `then`."""
        w = self.window
        w.arrange()
        w.model.open(session, opening=True)
        AfterFirstPaint(w.timeline.canvas.viewport(), partial(self._painted, session, then))

    def _painted(self, session: Any, then: Callable[[], None] | None) -> None:
        """The timeline was seen."""
        following = partial(self._show_others, session, then)
        if self.window.views.complete:
            following()
        else:
            self.window.jobs.submit("prepare", imports, lambda _: following(), lambda _: following())

    def _show_others(self, session: Any, then: Callable[[], None] | None) -> None:
        """Show the other views. Looking for causes takes longest, and not on this thread."""
        w = self.window
        if w.model.whole is not session or w.docks is None:
            return                               # another one was opened meanwhile
        w.jobs.submit("causes", partial(find_causes, session), lambda found: self._known(session, then, found),
                      lambda _: self._known(session, then, None))
        w.views.make_all()
        w.docks.release(later=("causes",))

    def _known(self, session: Any, then: Callable[[], None] | None, found: Found | None) -> None:
        """The causes were found, or could not be."""
        w = self.window
        if w.model.whole is session and w.model.opening and w.docks is not None:
            causes, lasting = found if found is not None else (None, {})
            if w.model.whole_facts is not None:
                w.model.whole_facts.lasting.update(lasting)
            w.model.show_all(causes)
            w.docks.release()
            if then is not None:
                then()


def imports() -> None:
    """Import what opening a file needs."""
    for name in ("..core.events.reader", "..core.runner.process", ".docks", ".widgets.settings_dialog", ".models.causes"):
        import_module(name, __package__)
    for name in KINDS:
        kind(name)


def find_causes(session: Any) -> Found:
    """What led to compilations in a session, dearest first, and what was found out on the way that never changes."""
    from .facts import Facts
    from .models.causes import cause_rows

    facts = Facts(session)
    return cause_rows(facts), facts.lasting
