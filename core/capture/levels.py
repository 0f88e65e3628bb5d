"""What a break holds on to at every level of nesting it lies in: context managers, exceptions, completions that wait.

For each step of a frame's path: the variables that a continuation takes to enter the level again, how the entry writes their
values, and what must surround the native step meanwhile (modes that are switched, exceptions that are being handled).
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from .frames import Frame, Step
from .function_values import MethodValue
from .rebuild import Rebuilder
from .residual.nodes import CannotResume, manager_name
from .residual.running import Raised, Resumed
from .residual.suffix import Handling, Level, Managers, Waiting
from .signals import BREAK, CONTINUE, Returned, UserRaise
from .values import ExceptionValue, NativeValue, ObjectValue, Value

Text = Callable[[Rebuilder], str]


class Entered:
    """One context that is entered: how it is left, in the trace (`leave`) and natively (`exit`, a bound method; None for a
    mode of the tensor API)."""

    __slots__ = ("exit", "leave", "manager")

    def __init__(self, manager: Value, leave: Any, exit: Value | None) -> None:
        self.manager, self.leave, self.exit = manager, leave, exit


class Leaving:
    """A with statement that is being left through the exit of one item: what is still entered, and how the block ended."""

    __slots__ = ("done", "entered", "left")

    def __init__(self, entered: list[Entered], left: Entered, done: Any) -> None:
        self.entered, self.left, self.done = entered, left, done


class Levels:
    """The levels of a frame's path. `texts`: variable -> how the entry writes its value. `values`: what those mention.
    `around`: what the native step runs in, outermost first, as (kind, variable)."""

    def __init__(self, frame: Frame) -> None:
        self.texts: dict[str, Text] = {}
        self.values: list[Value] = []
        self.around: list[tuple[str, str]] = []
        self.own: set[str] = set()          # managers whose exit is the script's
        self.raising = ""                   # the exception that an exit is called with, or that is being matched
        self.ending: Waiting | None = None  # what an exit is followed by
        self.path = [self.level(step) for step in frame.path]

    def level(self, step: Step) -> Level:
        owner, field = step.owner, step.field
        around: Any = None
        if isinstance(owner, ast.With):
            held = step.extra.entered if isinstance(step.extra, Leaving) else step.extra or []
            around = Managers(tuple(self.manager(manager_name(item), e) for item, e in zip(owner.items, held)))
            if isinstance(step.extra, Leaving):
                self.ending = self.waiting(f"{owner.lineno}", step.extra.done)
                self.raising = self.ending.name if self.ending is not None and self.ending.kind == "raise" else ""
        elif isinstance(owner, ast.ExceptHandler):
            around = Handling(step.extra[0], self.exception(f"__error{owner.lineno}", step.extra[1]))
        elif isinstance(owner, ast.Try) and field == "handlers":
            self.raising = self.exception(f"__error{owner.lineno}", step.extra)
        elif isinstance(owner, ast.Try) and field == "finalbody":
            around = self.waiting(f"{owner.lineno}", step.extra)
        return Level(owner, field, step.index, around)

    def manager(self, name: str, entered: Entered) -> str:
        manager = entered.manager
        if entered.exit is None:
            if not isinstance(manager, NativeValue):
                raise CannotResume("the graph breaks inside a with block")
            real = manager.real
            self.texts[name] = lambda r: r.pin(real)
            self.around.append(("with", name))
            return name
        self.own.add(name)
        if isinstance(manager, ObjectValue) and issubclass(manager.cls, Resumed):
            self.texts[name] = lambda r: r.value(manager)
            self.values.append(manager)
        else:
            leave = entered.exit
            self.texts[name] = lambda r: f"{r.pin(Resumed)}({bound_text(r, leave)})"
            self.values.append(leave)
        return name

    def exception(self, name: str, value: ExceptionValue) -> str:
        self.texts[name] = lambda r: f"{r.pin(Raised)}({r.value(value)})"
        self.values.append(value)
        self.around.append(("handling", name))
        return name

    def waiting(self, line: str, done: Any) -> Waiting | None:
        if isinstance(done, UserRaise):
            return Waiting("raise", self.exception(f"__error{line}", done.value))
        if isinstance(done, Returned):
            value = done.value
            name = f"__returned{line}"
            self.texts[name] = lambda r: r.value(value)
            self.values.append(value)
            return Waiting("return", name)
        return None if done is None else Waiting({BREAK: "break", CONTINUE: "continue"}[done])

    # -- questions ------------------------------------------------------------------------------------------------------
    @property
    def protected(self) -> bool:
        """Whether an exception of the native step runs more of the function."""
        return any(self.catches(level) for level in self.path)

    def catches(self, level: Level) -> bool:
        owner, field = level.owner, level.field
        if isinstance(owner, ast.Try):
            return field == "body" or field in ("orelse", "handlers") and bool(owner.finalbody)
        if isinstance(owner, ast.ExceptHandler):
            assert isinstance(level.around, Handling)
            return bool(level.around.owner.finalbody) or owner.name is not None
        return isinstance(level.around, Managers) and not self.own.isdisjoint(level.around.names)

    def surrounded(self, lines: list[str], placed: dict[str, str], every: str) -> list[str]:
        """The native step in the modes and exceptions that surround it. `placed`: variable -> its text in the entry; `every`:
        the name of BaseException there."""
        for kind, name in reversed(self.around):
            inner = [f"    {line}" for line in lines]
            if kind == "with":
                lines = [f"with {placed[name]}:", *inner]
            else:
                lines = ["try:", f"    {placed[name]}.again()", f"except {every}:", f"    {placed[name]}.settle()", *inner]
        return lines


def bound_text(r: Rebuilder, method: Value) -> str:
    """A bound method, made of its parts: looking it up again could find something else in the instance."""
    if isinstance(method, MethodValue) and method.origin is None:
        return f"{r.pin(types.MethodType, 'Method')}({r.value(method.function)}, {r.value(method.receiver)})"
    return r.value(method)


def loop_to_hold(frame: Frame) -> ast.For | None:
    """The outermost `for` loop on the way to where a frame stands whose passes are being unrolled: a break inside it makes
    its iterator a real one."""
    for step in frame.path:
        if type(step.owner) is ast.For and step.field in ("body", "target"):
            return step.owner
    return None


__all__ = ["Entered", "Leaving", "Levels", "loop_to_hold"]
