"""Looking for garbage on the UI thread alone.

Python looks for reference cycles in whichever thread happens to make objects. A widget that is found there is destroyed
there, while the UI thread may be painting it: that is a crash. So while a window is open, looking is left to a timer.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

LOOK_MS = 400
LIMITS = (20_000, 10, 20)        # as in gc.set_threshold; a session is many objects that stay, so seldom
_open = 0


class Collector(QObject):
    """From its making until `close` no thread but this one looks for garbage."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        global _open
        _open += 1
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.look)
        self._timer.start(LOOK_MS)

    def look(self) -> None:
        """Collect the generations that have grown enough, the oldest of them with those younger."""
        grown = [n for n, (count, limit) in enumerate(zip(gc.get_count(), LIMITS)) if count > limit]
        if grown:
            gc.collect(max(grown))

    def close(self) -> None:
        """Python looks by itself again, once the last window is closed. May be called again."""
        global _open
        if self._timer.isActive():
            self._timer.stop()
            _open -= 1
            if not _open:
                gc.enable()
