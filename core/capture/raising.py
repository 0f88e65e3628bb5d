"""raise, and which exception an except clause takes."""

from __future__ import annotations

import ast
from typing import Any

from .calls import call
from .expressions import evaluate
from .frames import Frame
from .signals import Break, Done, UserRaise
from .values import ClassValue, Const, ExceptionValue, TupleValue, Value


def exception_from(ev: Any, value: Value) -> UserRaise:
    """What `raise value` raises."""
    value = ev.force(value)
    if isinstance(value, ClassValue) and issubclass(value.cls, BaseException):
        value = ev.force(call(ev, value, [], {}))
    if isinstance(value, ExceptionValue):
        return UserRaise(value)
    return UserRaise(ExceptionValue(TypeError, [Const("exceptions must derive from BaseException")]))


def raise_(ev: Any, frame: Frame, s: ast.Raise) -> Done:
    if s.exc is None:
        if not ev.handling:
            ev.raise_error(RuntimeError, "No active exception to reraise")
        raise UserRaise(ev.handling[-1])
    value = evaluate(ev, frame, s.exc)
    frame.at(s, "statement")
    raised = exception_from(ev, value)
    if s.cause is not None:
        cause = ev.force(evaluate(ev, frame, s.cause))
        raised.value.suppress = True
        if not (isinstance(cause, Const) and cause.value is None):
            raised.value.cause = exception_from(ev, cause).value
    if ev.handling and raised.value.origin is not None and ev.handling[-1] is not raised.value:
        raise Break("syntax", what="raising an existing exception while another one is handled")
    in_context(raised.value, ev.handling)
    raise raised


def seen_by_script(ev: Any, raised: UserRaise) -> None:
    """Where a handler can look at an exception whose text names symbols, the call that raised it breaks the graph."""
    if raised.value.asked_at is not None:
        ev.main.point, facts = raised.value.asked_at
        raise Break("call-unknown", **facts) from None


def in_context(error: ExceptionValue, handling: list[Any]) -> None:
    """An exception made while tracing has the one that was being handled as its context."""
    if not handling or error.origin is not None or error.context is not None:
        return
    around: Any = handling[-1]
    while around is not None and around is not error:
        around = around.context
    if around is None:
        error.context = handling[-1]


def handles(ev: Any, frame: Frame, node: ast.expr, raised: ExceptionValue) -> bool:
    wanted = ev.force(evaluate(ev, frame, node))
    classes = [ev.force(c) for c in wanted.items] if isinstance(wanted, TupleValue) else [wanted]
    if not all(isinstance(c, ClassValue) and issubclass(c.cls, BaseException) for c in classes):      # all, before any is tried
        ev.raise_error(TypeError, "catching classes that do not inherit from BaseException is not allowed")
    return any(c.cls in raised.cls.__mro__ for c in classes)


