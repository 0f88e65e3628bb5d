"""Starting the window. `main(path, run)` is what the command line calls."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtGui import QPixmapCache
from PySide6.QtWidgets import QApplication

from . import theme
from .first_paint import AfterFirstPaint


def make_app(theme_name: str | None = None) -> QApplication:
    """The application object, themed; an existing one is used again."""
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
    # Ctrl-C in the terminal closes the window; Python runs the handler at the next turn of this timer.
    signal.signal(signal.SIGINT, lambda *_: window.close())
    ticks = QTimer(window)
    ticks.start(400)
    ticks.timeout.connect(lambda: None)
    window.show()
    return app.exec()
