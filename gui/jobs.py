"""Work off the UI thread: one queue, jobs with tags, results delivered on the UI thread.

A newer job replaces a queued one of the same tag; a result that was overtaken by a newer request of its tag is dropped.
The work function must not touch widgets: it gets plain values and returns plain values.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal


class Jobs(QObject):
    """Owns one worker thread, started with the first job. `close()` joins it; no job runs afterwards."""

    _done = Signal(str, int, object, object)
    busy_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue: dict[str, tuple[int, Callable[[], Any]]] = {}
        self._callbacks: dict[str, tuple[int, Callable[[Any], None], Callable[[str], None] | None]] = {}
        self._number = 0
        self._wake = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._done.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def submit(self, tag: str, work: Callable[[], Any], on_result: Callable[[Any], None],
               on_error: Callable[[str], None] | None = None) -> None:
        """UI thread. Run `work()` elsewhere, then `on_result(value)` here, or `on_error(traceback text)`."""
        with self._wake:
            if self._closed:
                return
            self._number += 1
            self._queue.pop(tag, None)
            self._queue[tag] = (self._number, work)
            self._callbacks[tag] = (self._number, on_result, on_error)
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="guardscope-jobs", daemon=True)
                self._thread.start()
            self._wake.notify()
        self.busy_changed.emit(True)

    def cancel(self, tag: str) -> None:
        """UI thread. Drop the queued job of `tag` and whatever result is still on its way."""
        with self._wake:
            self._queue.pop(tag, None)
        self._callbacks.pop(tag, None)

    @property
    def idle(self) -> bool:
        """True when nothing is queued, running, or waiting to be delivered."""
        return not self._callbacks

    def close(self) -> None:
        """UI thread. Finish the running job, drop the others, join the thread."""
        with self._wake:
            self._closed = True
            self._queue.clear()
            self._wake.notify_all()
        self._callbacks.clear()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _loop(self) -> None:
        while True:
            with self._wake:
                while not self._queue and not self._closed:
                    self._wake.wait()
                if self._closed:
                    return
                tag = next(iter(self._queue))
                number, work = self._queue.pop(tag)
            value, error = None, None
            try:
                value = work()
            except Exception:
                error = traceback.format_exc()
            if not self._closed:
                self._done.emit(tag, number, value, error)

    def _deliver(self, tag: str, number: int, value: Any, error: str | None) -> None:
        waiting = self._callbacks.get(tag)
        if waiting is None or waiting[0] != number:
            return
        del self._callbacks[tag]
        _, on_result, on_error = waiting
        if error is None:
            on_result(value)
        elif on_error is not None:
            on_error(error)
        if self.idle:
            self.busy_changed.emit(False)
