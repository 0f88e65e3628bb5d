"""When a script starts a thread: what is free of cost while there is one thread is exchanged for what is safe with several.

`THREADS.watch()` wraps the functions that start threads. Just before the first thread of the script's starts, the registered
actions run once: modes become a thread's own (state.py), graphs run under a lock, recorded rows name their thread.
Threads of Guardscope's own carry the attribute `guardscope_own` and do not count.
"""

from __future__ import annotations

import _thread
import functools
import threading
from collections.abc import Callable
from typing import Any

STARTERS = ((_thread, "start_new_thread"), (_thread, "start_joinable_thread"), (threading, "_start_new_thread"),
            (threading, "_start_joinable_thread"))


class Threads:
    """`many`: the script has, or had, more than one thread. It never becomes False again."""

    def __init__(self) -> None:
        self.many = False
        self.first = threading.get_ident()           # the only thread while `many` is False
        self._actions: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def when_several(self, action: Callable[[], None]) -> None:
        """Run `action` before a second thread starts (at once, if there are several already)."""
        self._actions.append(action)
        if self.many:
            action()

    def several(self) -> None:
        """There are, or are about to be, several threads."""
        with self._lock:
            if self.many:
                return
            self.many = True
        for action in self._actions:
            action()

    def seen(self) -> None:
        """Notice a thread that was not started through Python (called where a few nanoseconds do not matter)."""
        if not self.many and threading.get_ident() != self.first:
            self.several()

    def watch(self) -> None:
        """Notice every start of a thread from now on."""
        self.first = threading.get_ident()
        for module, name in STARTERS:
            start = getattr(module, name, None)
            if start is not None and not hasattr(start, "guardscope_watched"):
                setattr(module, name, self._watched(start))

    def _watched(self, start: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(start)
        def watched(function: Any, *args: Any, **kwargs: Any) -> Any:
            if not self.many and not getattr(getattr(function, "__self__", None), "guardscope_own", False):
                self.several()
            return start(function, *args, **kwargs)

        watched.guardscope_watched = True            # type: ignore[attr-defined]
        return watched


def own(thread: threading.Thread) -> threading.Thread:
    """Mark a thread as Guardscope's own."""
    thread.guardscope_own = True                     # type: ignore[attr-defined]
    return thread


THREADS = Threads()
