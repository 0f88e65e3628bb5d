"""Widgets that are garbage are destroyed by the UI thread, whatever other threads do."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest
from guardscope.gui.garbage import LIMITS
from PySide6.QtWidgets import QWidget


class Knot(QWidget):
    """A widget that only looking for cycles gets rid of."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self


def test_no_other_thread_destroys_a_widget(make_window: Any, qtbot: Any) -> None:
    window = make_window()
    qtbot.waitUntil(lambda: window.jobs.idle)
    destroyed: list[int] = []
    knot = Knot()
    weakref.finalize(knot, lambda: destroyed.append(threading.get_ident()))
    del knot

    def busy() -> int:
        made = [[] for _ in range(200_000)]          # what makes Python look for garbage where it is made
        return len(made) and threading.get_ident()

    found: list[int] = []
    window.jobs.submit("busy", busy, found.append)
    qtbot.waitUntil(lambda: bool(found))
    assert found[0] != threading.get_ident()
    assert found[0] not in destroyed
    for _ in range(300):                             # enough for every generation to grow beyond its limit
        if not destroyed:
            more: list[Any] = [[] for _ in range(LIMITS[0] + 1)]
            window.garbage.look()
            assert more
    assert destroyed == [threading.get_ident()]


def test_the_timer_looks(make_window: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    monkeypatch.setattr(gc, "collect", looked.append)
    monkeypatch.setattr(gc, "get_count", lambda: (LIMITS[0] + 1, LIMITS[1] + 1, LIMITS[2]))
    make_window()
    qtbot.waitUntil(lambda: bool(looked))
    assert set(looked) == {1}


def test_python_looks_by_itself_again_when_the_last_window_is_closed(make_window: Any) -> None:
    first, second = make_window(), make_window()
    assert not gc.isenabled()
    first.close()
    first.close()
    assert not gc.isenabled()
    second.close()
    assert gc.isenabled()
