"""What keeps the threads of a script apart: one compiles at a time, and one launches kernels at a time.

Reusing an artifact takes no lock. A launch does once there are several threads (`THREADS.many`): kernels keep their bound
arguments between calls, so the steps of two launches must not mix. Graphs that run on NumPy need none.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from threading import current_thread
from typing import Any

from ..tensor.threads import THREADS
from . import cache
from .artifact import Artifact
from .cache import CodeState


class Turn:
    """A lock that a thread may take again. Helper threads of Guardscope's own run only while the thread that holds it waits
    for them, so they need not take it."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        if not helper_thread():
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        if not helper_thread():
            self._lock.release()


def helper_thread() -> bool:
    return getattr(current_thread(), "guardscope_own", False)


COMPILING = Turn()        # search, capture, backend, and what a dispatcher remembers
LAUNCHING = Turn()


def one_at_a_time(call: Callable[..., tuple]) -> Callable[..., tuple]:
    """`call` under the lock of all launches."""
    def locked(*inputs: Any) -> tuple:
        with LAUNCHING:
            return call(*inputs)

    locked.guardscope_locked = True          # type: ignore[attr-defined]
    return locked


def protect(artifact: Artifact) -> None:
    """Let the artifact's graph be run by one thread at a time, if it launches kernels."""
    if not artifact.kernels:
        return
    names: dict[str, Any] = artifact.entry.__globals__
    if "__entry" in names:                                  # the driver of an entry that breaks
        names = names["__entry"].__globals__
    if not hasattr(names["__graph"], "guardscope_locked"):
        names["__graph"] = one_at_a_time(names["__graph"])


def _several() -> None:
    for state in list(CodeState._all.values()):
        for artifact in list(state.artifacts):
            protect(artifact)
        for dispatcher in list(state.dispatchers.values()):
            dispatcher.forget()                             # what it generates from now on records the thread


def _after_fork() -> None:
    """The thread that held a lock does not exist in the child."""
    cache.REGISTERING = threading.RLock()
    COMPILING.renew()
    LAUNCHING.renew()


THREADS.when_several(_several)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
