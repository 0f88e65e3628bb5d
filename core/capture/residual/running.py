"""What continuations hold on to while a function is half run: exceptions under way, context managers that are entered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...guards.guard import ABSENT

END = object()          # what `next` gives at the end of a loop's iterator


class Raised:
    """An exception that was raised, to be raised again by a continuation: raising it a second time would give it the
    exception handled around it as its context, and one more line of traceback per continuation."""

    __slots__ = ("context", "error", "trace")

    def __init__(self, error: BaseException) -> None:
        self.error, self.context, self.trace = error, error.__context__, error.__traceback__

    @classmethod
    def here(cls, error: BaseException) -> Raised:
        """An exception caught by the frame that hands it on: the frame that goes on stands in the traceback instead."""
        made = cls(error)
        made.trace = made.trace.tb_next if made.trace is not None else None
        return made

    def again(self) -> None:
        try:
            raise self.error
        finally:
            self.settle()

    def settle(self) -> None:
        self.error.__context__, self.error.__traceback__ = self.context, self.trace


class Resumed:
    """A context manager that is entered already: `with` leaves it as it would have been left."""

    __slots__ = ("exit",)

    def __init__(self, exit: Callable[..., Any]) -> None:
        self.exit = exit

    def __enter__(self) -> Resumed:
        return self

    def __exit__(self, *exc: Any) -> Any:
        return self.exit(*exc)


class Entering(Resumed):
    """A context manager about to be entered: its methods, found as `with` finds them. Raises TypeError as `with` does."""

    __slots__ = ("enter",)

    def __init__(self, manager: Any) -> None:
        enter, exit = special(manager, "__enter__"), special(manager, "__exit__")
        lacks = f"'{type(manager).__name__}' object does not support the context manager protocol"
        if enter is ABSENT:
            raise TypeError(lacks)
        if exit is ABSENT:
            raise TypeError(f"{lacks} (missed __exit__ method)")
        super().__init__(exit)
        self.enter: Callable[[], Any] = enter


def special(value: Any, name: str) -> Any:
    """A special method, bound, as the interpreter looks it up: on the class only. ABSENT if there is none; None is what a
    class says that forbids it."""
    for base in type(value).__mro__:
        if name in base.__dict__:
            raw = base.__dict__[name]
            get = getattr(type(raw), "__get__", None)
            return raw if get is None else get(raw, value, type(value))
    return ABSENT
