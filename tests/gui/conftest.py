"""Fixtures of the window's tests: no display needed, user settings untouched, Qt warnings and leftovers fail the test."""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

OFFSCREEN = "This plugin does not support"        # what the platform without a display says of windows
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def _load_fake() -> ModuleType:
    name = "guardscope_fake_session"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("fake_session.py"))
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def fake() -> ModuleType:
    """The module that makes sessions in memory."""
    return _load_fake()


@pytest.fixture(scope="session")
def qapp_cls() -> Any:
    from PySide6.QtWidgets import QApplication

    return QApplication


@pytest.fixture(autouse=True)
def themed(qapp: Any) -> None:
    from guardscope.gui import theme

    theme.apply(qapp, "light")


@pytest.fixture(autouse=True)
def no_leftovers(qapp: Any, qtlog: Any) -> Iterator[None]:
    """No Qt warning, no running thread of ours and no active timer may outlive a test."""
    yield
    from PySide6.QtCore import QCoreApplication, QEvent

    qapp.closeAllWindows()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    bad = [r for r in qtlog.records if r.type_name != "QtDebugMsg" and not r.message.startswith(OFFSCREEN)]
    assert not bad, "Qt said: " + "; ".join(r.message for r in bad)
    left = [t.name for t in threading.enumerate() if t.name.startswith("guardscope")]
    assert not left, f"threads left running: {left}"


@pytest.fixture
def make_window(qapp: Any, qtbot: Any, tmp_path: Path) -> Iterator[Any]:
    """A function that makes a shown window with settings of its own; windows are closed at the end."""
    from guardscope.gui.main_window import MainWindow
    from PySide6.QtCore import QSettings, QTimer

    made = []

    def make(session: Any = None, size: tuple[int, int] = (1280, 800)) -> Any:
        window = MainWindow(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
        window.say_in_dialogs = False
        window.control.folder = tmp_path / "sessions"
        window.resize(*size)
        window.show()
        if session is not None:
            window._show(session)
            qapp.processEvents()
            qtbot.waitUntil(lambda: window.jobs.idle)
        made.append(window)
        return window

    yield make
    for window in made:
        window.close()
        active = [t for t in window.findChildren(QTimer) if t.isActive() and t.interval() > 0]
        window.deleteLater()
        assert not active, f"timers still running: {active}"
