"""Starting the window. `main(path, run)` is what the command line calls."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtGui import QPixmapCache
from PySide6.QtWidgets import QApplication

from . import theme
from .first_paint import AfterFirstPaint


def read_no_sources() -> None:
    """Keep PySide6 from reading the source of every module that is imported after it, which takes as long as importing it.
    It looks there for uses of `from __feature__ import ...`; a module that it is told may use Qt, and that has none, is
    treated the same. Does nothing where PySide6 is made otherwise."""
    feature: Any = sys.modules.get("shibokensupport.feature")
    if feature is not None and hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda module: True


def make_app(theme_name: str | None = None) -> QApplication:
    """The application object, themed; an existing one is used again."""
    read_no_sources()
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
        app.setApplicationName("guardscope")
        app.setApplicationDisplayName("Guardscope")
        QPixmapCache.setCacheLimit(20_000)
    theme.apply(app, theme_name or theme.system_theme(app))
    return app


def main(path: str | None = None, run: bool = False, arguments: Sequence[str] = ()) -> int:
    """Open the window on a script or session (None: the start page); with `run` start the script. Exit status."""
    settings = QSettings("guardscope", "guardscope")
    saved = settings.value("theme")
    app = make_app(saved if saved in theme.THEMES else None)
    from .main_window import MainWindow

    window = MainWindow(settings, opening=path)
    geometry = settings.value("window/geometry")
    if geometry is None or not window.restoreGeometry(geometry):
        screen = app.primaryScreen().availableGeometry()
        window.resize(min(1440, screen.width() - 40), min(900, screen.height() - 60))
    if path is not None:
        def open_it() -> None:
            if not window.open_path(path, run, arguments):
                window.go_home()

        AfterFirstPaint(window.center, open_it)
    # Ctrl-C in the terminal closes the window. Python runs the handler at the next turn of this timer, or amid any of our
    # functions: it only asks, and the event loop closes the window when no function is half done.
    signal.signal(signal.SIGINT, lambda *_: QTimer.singleShot(0, window, window.close))
    ticks = QTimer(window)
    ticks.start(400)
    ticks.timeout.connect(lambda: None)
    window.show()
    return app.exec()
