"""How control leaves the evaluator other than by a value: the script's own exceptions, breaks, and giving up a frame.

Statements return completions (None for normal, BREAK, CONTINUE or Returned); a user's exception travels as UserRaise, so
that `try` in the script catches it. Break and SkipFrame are about the capture, never caught by the script's handlers.
"""

from __future__ import annotations

from typing import Any

from ..graph.node import Span
from .values import ExceptionValue, Value


class Completion:
    """How a statement ended, other than normally."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return self.kind


BREAK = Completion("break")
CONTINUE = Completion("continue")


class Returned(Completion):
    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        super().__init__("return")
        self.value = value


Done = Completion | None

class UserRaise(Exception):
    """An exception of the script's. `value` is an ExceptionValue, or an ObjectValue of a user's exception class."""

    def __init__(self, value: ExceptionValue) -> None:
        super().__init__(value.cls.__name__)
        self.value = value


class Break(Exception):
    """The graph must end here. `id` names the reason in breaks.py; the rest fills its sentence."""

    def __init__(self, id: str, **facts: Any) -> None:
        super().__init__(id)
        self.id = id
        self.facts = facts
        self.span: Span | None = None


class SkipFrame(Exception):
    """The frame must run natively. `break_` is the BreakInfo that led to it, if a break did."""

    def __init__(self, reason: str, span: Span | None = None, break_: Any = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span
        self.break_ = break_
