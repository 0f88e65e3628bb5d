"""Generators of the script's, evaluated lazily: the body runs in a thread of its own that takes turns with its consumer.

Only one of the two runs at any moment, so nothing else needs to know about threads. A generator that is never finished is
stopped when the capture ends.
"""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Callable
from typing import Any

from ..tensor.state import STATE
from ..tensor.threads import own
from .function_values import IteratorValue
from .signals import UserRaise
from .values import NONE, Value


class Stopped(BaseException):
    """Ends the body of a generator that nobody will resume."""


class Coroutine:
    """`body(coroutine)` runs until it calls `give(value)`, then waits for the next `resume`."""

    def __init__(self, ev: Any, body: Callable[[Coroutine], Value], node: Any = None) -> None:
        self.ev, self.body = ev, body
        self.cleans_up = node is not None and any(isinstance(n, ast.Try | ast.With) for n in ast.walk(node))
        self.turn = threading.Semaphore(0)
        self.back = threading.Semaphore(0)
        self.thread: threading.Thread | None = None
        self.given: Value | None = None
        self.sent: Value = NONE
        self.thrown: BaseException | None = None
        self.problem: BaseException | None = None
        self.returned: Value = NONE
        self.finished = False
        self.running = False
        self.stopping = False
        self.iterator: IteratorValue | None = None

    def resume(self, sent: Value = NONE, thrown: BaseException | None = None) -> Value | None:
        """Run the body to its next yield; None when it has ended."""
        if self.finished:
            if thrown is not None:
                raise thrown
            return None
        if self.running:
            self.ev.raise_error(ValueError, "generator already executing")
        if self.thread is None and thrown is not None:
            self.finished = True
            raise thrown
        self.sent, self.thrown, self.given = sent, thrown, None
        if self.iterator is not None:
            self.iterator.begun = True
        self.running = True
        frame, recursion = self.ev.frame, sys.getrecursionlimit()
        if self.thread is None:
            self.thread = own(threading.Thread(target=self._run, args=(STATE.share(),), daemon=True, name="traced generator"))
            self.thread.start()
        else:
            self.turn.release()
        self.back.acquire()
        self.running = False
        self.ev.frame = frame
        sys.setrecursionlimit(recursion)
        if self.problem is not None:
            problem, self.problem = self.problem, None
            raise problem
        return self.given

    def _run(self, adopt_modes: Callable[[], None]) -> None:
        adopt_modes()
        try:
            self.returned = self.body(self)
        except Stopped:
            pass
        except BaseException as problem:              # handed to the consumer, which raises it
            self.problem = problem
        self.finished = True
        self.given = None
        self.back.release()

    def give(self, value: Value) -> Value:
        """`yield value`, called by the body: what was sent."""
        frame = self.ev.frame
        self.given = value
        self.back.release()
        self.turn.acquire()
        if self.stopping:
            raise Stopped
        self.ev.frame = frame
        if self.thrown is not None:
            thrown, self.thrown = self.thrown, None
            raise thrown
        return self.sent

    @property
    def abandoned(self) -> bool:
        """Begun, not finished, and with something to do when Python throws it away."""
        return self.cleans_up and self.thread is not None and not self.finished

    def stop(self) -> None:
        """End the body wherever it waits."""
        if self.thread is not None and not self.finished and not self.running:
            self.stopping = True
            self.turn.release()
            self.back.acquire()


def make_generator(ev: Any, body: Callable[[Coroutine], Value], node: Any = None) -> IteratorValue:
    """A generator object whose body (of the function `node`) has not begun."""
    coroutine = Coroutine(ev, body, node)
    ev.generators.append(coroutine)

    def step() -> Value | None:
        return advance(NONE, None)

    def advance(sent: Value, thrown: BaseException | None) -> Value | None:
        try:
            item = coroutine.resume(sent, thrown)
        except UserRaise as raised:
            if issubclass(raised.value.cls, StopIteration):
                ev.raise_error(RuntimeError, "generator raised StopIteration")
            raise
        out.returned = coroutine.returned
        out.finished = coroutine.finished
        return item

    def close() -> None:
        if coroutine.finished:
            return
        try:
            item = coroutine.resume(NONE, UserRaise(ev.lift_exception(GeneratorExit())))
        except UserRaise as raised:
            if not issubclass(raised.value.cls, GeneratorExit | StopIteration):
                raise
        else:
            if item is not None:
                ev.raise_error(RuntimeError, "generator ignored GeneratorExit")

    out = IteratorValue(step)
    coroutine.iterator = out
    out.close = close
    out.send = lambda sent: advance(sent, None)
    out.throw = lambda thrown: advance(NONE, thrown)
    return out
