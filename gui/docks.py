"""Places the views as docks after the layout in resources/layout.json, and goes back to it on request."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QMainWindow, QTabBar, QTabWidget, QWidget
from shiboken6 import isValid

from .theme import RESOURCES
from .views import KINDS
from .views import title as title_of

if TYPE_CHECKING:
    from .views.base import View

AREAS = {"left": Qt.DockWidgetArea.LeftDockWidgetArea, "right": Qt.DockWidgetArea.RightDockWidgetArea,
         "bottom": Qt.DockWidgetArea.BottomDockWidgetArea, "top": Qt.DockWidgetArea.TopDockWidgetArea}
LAYOUT_ID, LAYOUT_VERSION = "guardscope-layout", 1


def load_layout() -> dict[str, Any]:
    """The default layout. ValueError when the file is not one or of a later version."""
    layout = json.loads((RESOURCES / "layout.json").read_text(encoding="utf-8"))
    if layout.get("id") != LAYOUT_ID or layout.get("version", 0) > LAYOUT_VERSION:
        raise ValueError("resources/layout.json is not a layout of this version")
    return layout


class Dock(QDockWidget):
    """The place of a view, with a quiet title line; the line disappears where the dock is one of several tabs."""

    def __init__(self, name: str, window: QMainWindow) -> None:
        super().__init__(title_of(name), window)
        self.setObjectName(f"dock.{name}")
        self.view: View | None = None
        self.front = True                    # False behind another tab
        self.visibilityChanged.connect(self._set_front)
        bar = QWidget()
        bar.setObjectName("dockBar")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(bar)
        row.setContentsMargins(0, 0, 0, 0)
        title = QLabel(title_of(name))
        title.setObjectName("dockTitle")
        row.addWidget(title)
        row.addStretch(1)
        self._bar, self._none = bar, QWidget()
        self._none.setMaximumHeight(0)
        self.setTitleBarWidget(bar)

    def put(self, view: View) -> None:
        """The view has been made."""
        self.view, view.front = view, self.front
        self.setWidget(view)

    def _set_front(self, on: bool) -> None:
        self.front = on
        if self.view is not None:
            self.view.set_front(on)

    def show_title(self, on: bool) -> None:
        wanted = self._bar if on else self._none
        if self.titleBarWidget() is not wanted:
            self.setTitleBarWidget(wanted)
            self._bar.setVisible(on)


class Docks:
    """The docks of a window by view name; `put` fills them when the views are made."""

    def __init__(self, window: QMainWindow) -> None:
        self.window = window
        self.layout = load_layout()
        self.docks: dict[str, Dock] = {}
        self.wanted: set[str] = set()        # views that the layout hides until they are asked for, and that were
        self.on = False                      # whether there are any to be seen: not while the start page is
        self._later: frozenset[str] = frozenset()        # views that are held until a session is open
        self._being_arranged = False
        window.setDockNestingEnabled(True)
        window.setDockOptions(window.dockOptions() | QMainWindow.DockOption.GroupedDragging
                              | QMainWindow.DockOption.AllowTabbedDocks)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setDocumentMode(True)
        window.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.BottomDockWidgetArea)
        for place in self.layout["docks"]:
            if place["view"] in KINDS:
                dock = self.docks[place["view"]] = Dock(place["view"], window)
                dock.dockLocationChanged.connect(lambda _: self._titles())
                dock.topLevelChanged.connect(lambda _: self._titles())
                dock.visibilityChanged.connect(lambda _: self._titles())
        self.reset()

    def put(self, view: View) -> None:
        """A view has been made; views without a dock are left alone."""
        if view.name in self.docks:
            view.held = view.name in self._later or self._being_arranged
            self.docks[view.name].put(view)

    @property
    def views(self) -> list[View]:
        """Those that have been made."""
        return [dock.view for dock in self.docks.values() if dock.view is not None]

    @contextmanager
    def _arranging(self) -> Iterator[None]:
        """While docks are shown one by one, no view is refreshed; afterwards those that stayed visible are."""
        self._being_arranged = True
        for view in self.views:
            view.held = True
        try:
            yield
        finally:
            QTimer.singleShot(0, self.window, self._release)

    def hold(self) -> None:
        """Views show nothing until `release`: a session is being opened, and its timeline comes first."""
        self._later = frozenset(self.docks)
        for view in self.views:
            view.held = True
            view.blank()

    def release(self, later: Collection[str] = ()) -> None:
        """Views show the session, those that are seen one in each turn of the event loop; those named `later` are still
        held."""
        self._later = frozenset(later)
        self._release()

    def _release(self) -> None:
        self._being_arranged = False
        views = [view for view in self.views if view.name not in self._later]
        for view in views:
            view.held = False
        self._show_next([view for view in views if view.waits])
        # Qt leaves the tab bar of docks that were hidden together hidden when they are shown again.
        shown = any(dock.isVisible() for dock in self.docks.values())
        for bar in self._tab_bars():
            bar.setVisible(shown and bar.count() > 1)

    def _show_next(self, views: list[View]) -> None:
        if views and isValid(self.window):
            views[0].flush_seen()
            QTimer.singleShot(0, self.window, partial(self._show_next, views[1:]))

    def reset(self) -> None:
        """The default arrangement."""
        self.wanted.clear()
        with self._arranging():
            self._reset()
        self.size()

    def _reset(self) -> None:
        w = self.window
        for dock in self.docks.values():
            if dock.isFloating():
                dock.setFloating(False)
            w.removeDockWidget(dock)
        for place in self.layout["docks"]:
            if place["view"] not in self.docks:
                continue
            dock = self.docks[place["view"]]
            if "tab_of" in place and place["tab_of"] in self.docks:
                w.tabifyDockWidget(self.docks[place["tab_of"]], dock)
            elif place.get("below") in self.docks:
                w.splitDockWidget(self.docks[place["below"]], dock, Qt.Orientation.Vertical)
            elif place.get("right_of") in self.docks:
                w.addDockWidget(AREAS[place["area"]], dock, Qt.Orientation.Horizontal)
            else:
                w.addDockWidget(AREAS[place.get("area", "bottom")], dock)
            dock.setVisible(self.on and self._shown(place["view"]))
        first = {p["tab_of"] for p in self.layout["docks"] if "tab_of" in p}
        for name in first:
            self.docks[name].raise_()
        self._titles()

    def size(self) -> None:
        """Share the window's size out as the layout says."""
        sizes, w = self.layout["sizes"], self.window
        left, bottom = round(w.width() * sizes["left"]), round(w.height() * sizes["bottom"])
        d = self.docks
        w.resizeDocks([d["functions"]], [left], Qt.Orientation.Horizontal)
        w.resizeDocks([d["causes"], d["call"]], [bottom, bottom], Qt.Orientation.Vertical)
        rest = w.width() - left
        w.resizeDocks([d["causes"], d["call"]], [round(rest * (1 - sizes["call"])), round(rest * sizes["call"])],
                      Qt.Orientation.Horizontal)
        w.resizeDocks([d["functions"], d["output"]], [round(w.height() * (1 - sizes["output"])),
                                                      round(w.height() * sizes["output"])], Qt.Orientation.Vertical)

    def show_view(self, name: str) -> None:
        """Bring a view to the front."""
        self.wanted.add(name)
        self.docks[name].show()
        self.docks[name].raise_()

    def hide_view(self, name: str) -> None:
        """Put a view that is hidden by default away again."""
        self.wanted.discard(name)
        self.docks[name].hide()

    def restored(self) -> None:
        """After a saved arrangement was restored: what it shows is wanted."""
        self.wanted = {name for name in self.hidden if not self.docks[name].isHidden()}
        self._titles()
        with self._arranging():
            pass

    @property
    def hidden(self) -> set[str]:
        """Views that the layout hides until they are asked for."""
        return {p["view"] for p in self.layout["docks"] if p.get("hidden")}

    def _shown(self, name: str) -> bool:
        return name in self.wanted or name not in self.hidden

    def set_visible(self, on: bool) -> None:
        """All docks (they are hidden while the start page is shown)."""
        self.on = on
        with self._arranging():
            for name, dock in self.docks.items():
                dock.setVisible(on and self._shown(name))
            if on:
                self.docks["causes"].raise_()

    def _titles(self) -> None:
        if not isValid(self.window):         # docks are hidden one by one while the window is being destroyed
            return
        for dock in self.docks.values():
            tabbed = bool(self.window.tabifiedDockWidgets(dock)) and not dock.isFloating()
            dock.show_title(not tabbed)
        for bar in self._tab_bars():
            bar.setDrawBase(False)
            bar.setExpanding(False)
            bar.setElideMode(Qt.TextElideMode.ElideNone)

    def _tab_bars(self) -> list[QTabBar]:
        return self.window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
