"""How one continuation follows another: a loop in the function's entry, not a call inside a call.

A `while` whose condition breaks the graph has one continuation per pass; called by each other, a few hundred passes would
exhaust Python's stack, and tracebacks would show the function once per part. So an entry that breaks returns what comes
next, and a loop around the function's own entry runs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Next:
    """The continuation that comes next, with its arguments."""

    __slots__ = ("run", "values")

    def __init__(self, run: Callable[..., Any], *values: Any) -> None:
        self.run, self.values = run, values


def finish(result: Any) -> Any:
    """Run continuations until one gives the function's result."""
    while type(result) is Next:
        result = result.run(*result.values)
    return result
