"""Moving about in the window: from view to view by keyboard, and files dragged into it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData

if TYPE_CHECKING:
    from .main_window import MainWindow

COLUMN = 80                  # pixels: views whose left edges differ by less stand above each other


def go_to_view(window: MainWindow, by: int) -> None:
    """Give the keyboard to the next (by=1) or previous view that is in front: column by column, from the top down."""
    shown = [v for v in window.views.values() if v.isVisible() and v.front and v.name not in ("summary", "replay")]
    corners = {v.name: v.mapTo(window, v.rect().topLeft()) for v in shown}
    shown.sort(key=lambda v: (corners[v.name].x() // COLUMN, corners[v.name].y()))
    here = window.focusWidget()
    at = next((i for i, v in enumerate(shown) if here is not None and (v is here or v.isAncestorOf(here))),
              -1 if by > 0 else 0)
    if shown:
        shown[(at + by) % len(shown)].take_focus()


def dropped_files(data: QMimeData) -> list[Path]:
    """The files of this machine among what is dragged."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def open_dropped(window: MainWindow, files: list[Path]) -> None:
    """One file is opened; of several sessions the latest one is opened and compared with the one before it."""
    sessions = sorted((f for f in files if f.suffix == ".guardscope" and f.is_file()), key=lambda f: f.stat().st_mtime)
    if len(sessions) < 2:
        window.open_path(files[0])
    elif window.open_path(sessions[-1]):
        window.tools.compare_with(sessions[-2])
