"""How one continuation follows another: a loop in the function's entry, not a call inside a call.

A loop in which the graph breaks has one continuation per pass; called by each other, a few hundred passes would exhaust
Python's stack, and tracebacks would show the function once per part. So an entry that breaks returns what comes next, and a
loop around the function's own entry runs it. A generator function breaks at every `yield`; its loop is a generator.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from types import GeneratorType
from typing import Any

from .running import Raised


class Next:
    """The continuation that comes next, with its arguments."""

    __slots__ = ("run", "values")

    def __init__(self, run: Callable[..., Any], *values: Any) -> None:
        self.run, self.values = run, values


class Yielded:
    """What a generator function yields (with `each`, everything of an iterable), and what comes next: `then` takes what was
    sent as well if `takes_sent`; `raised`, if there is one, an exception that was thrown."""

    __slots__ = ("each", "raised", "takes_sent", "then", "value")

    def __init__(self, value: Any, each: bool, then: Next, takes_sent: bool, raised: Next | None) -> None:
        self.value, self.each, self.then, self.takes_sent, self.raised = value, each, then, takes_sent, raised


class Done:
    """The end of a generator function."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def finish(result: Any) -> Any:
    """Run continuations until one gives the function's result."""
    while type(result) is Next:
        result = result.run(*result.values)
    return result


def drive(run: Callable[..., Any], function: Any, values: tuple) -> Generator[Any, Any, Any]:
    """A call of a generator function: nothing runs before the first item is asked for. It has its name."""
    made: Any = _drive(run, function, values)
    made.__name__, made.__qualname__ = function.__name__, function.__qualname__
    return made


def _drive(run: Callable[..., Any], function: Any, values: tuple) -> Generator[Any, Any, Any]:
    result = run(function, *values)
    while True:
        kind = type(result)
        if kind is Next:
            result = result.run(*result.values)
        elif kind is Yielded:
            sent, thrown = None, None
            try:
                sent = (yield from result.value) if result.each else (yield result.value)
            except BaseException as error:
                if result.raised is None:
                    raise
                thrown = Raised.here(error)
            if thrown is not None:
                result = result.raised.run(*result.raised.values, thrown)
            elif result.takes_sent:
                result = result.then.run(*result.then.values, sent)
            else:
                result = result.then.run(*result.then.values)
        elif kind is Done:
            return result.value
        else:                                       # runs natively from here on
            assert kind is GeneratorType
            return (yield from result)
