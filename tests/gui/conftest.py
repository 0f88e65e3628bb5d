"""Fixtures of the window's tests: no display needed, user settings untouched, Qt warnings and leftovers fail the test."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
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


@pytest.fixture
def qtbot(qtbot: Any) -> Any:
    """pytest-qt's, with more patience than its five seconds: the machine may be slow, and busy with other things."""
    for name in ("waitUntil", "waitSignal", "waitSignals"):
        setattr(qtbot, name, partial(getattr(qtbot, name), timeout=120_000))
    return qtbot


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
            window.opening.show(session)
            qapp.processEvents()
            qtbot.waitUntil(lambda: window.settled)
        made.append(window)
        return window

    yield make
    for window in made:
        window.close()
        active = [t for t in window.findChildren(QTimer) if t.isActive() and t.interval() > 0]
        window.deleteLater()
        assert not active, f"timers still running: {active}"


RECORDED = """import torch


@torch.compile
def scale(x, rate):
    return torch.relu(x) * rate


for n in (3, 4, 5):
    scale(torch.ones(n), 12.5)
"""


@pytest.fixture(scope="session")
def recorded_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small session that the real compiler recorded."""
    folder = tmp_path_factory.mktemp("recorded_small")
    (folder / "scale.py").write_text(RECORDED)
    target = folder / "scale.guardscope"
    done = subprocess.run([sys.executable, "main.py", "run", str(folder / "scale.py"), "-o", str(target), "--quiet",
                           "--backend", "eager"], capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=240)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def recorded_session(recorded_file: Path) -> Any:
    """That session, opened; the window that shows it closes it."""
    from guardscope.core.events.reader import Session

    return Session(recorded_file)
