"""`with`: the script's own context managers are traced; the tensor API's mode switches are entered for real meanwhile."""

from __future__ import annotations

import ast
from typing import Any

from ..tensor.state import STATE
from .calls import call
from .expressions import evaluate
from .frames import Frame
from .operators import special, truth
from .signals import Break, Completion, UserRaise
from .statements import assign, begin, execute_block, seen_by_script
from .values import FALSE, NONE, ClassValue, NativeValue, OpaqueValue, Value

Done = Completion | None
SWITCHES = ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "autocast")
IGNORED = ("record_function", "nvtx", "range", "emit_nvtx")


class Entered:
    """One context that is entered: how it is left, in the trace and in generated code."""

    __slots__ = ("manager", "leave")

    def __init__(self, manager: Value, leave: Any) -> None:
        self.manager, self.leave = manager, leave


def run_with(ev: Any, frame: Frame, s: ast.With, at: int, entered: list[Entered]) -> Done:
    """Item `at` of the statement, then the next ones, then the body."""
    if at == len(s.items):
        return execute_block(ev, frame, s, "body", list(entered))
    item = s.items[at]
    manager = ev.force(evaluate(ev, frame, item.context_expr))
    frame.at(item.context_expr, "enter")
    leave, value = enter(ev, manager)
    depth, handling = len(frame.path), len(ev.handling)
    try:
        if item.optional_vars is not None:
            assign(ev, frame, item.optional_vars, value)
        done = run_with(ev, frame, s, at + 1, [*entered, Entered(manager, leave)])
    except UserRaise as raised:
        if not isinstance(manager, NativeValue):
            seen_by_script(ev, raised)
        caught = raised
    else:
        begin(frame, s)
        leave([NONE, NONE, NONE])
        return done
    del frame.path[depth:]
    del ev.handling[handling:]
    begin(frame, s)
    ev.handling.append(caught.value)
    swallowed = leave([ClassValue(caught.value.cls, ev.pin(caught.value.cls)), caught.value, NONE])
    del ev.handling[handling:]
    if not swallowed:
        raise caught
    return None


def enter(ev: Any, manager: Value) -> tuple[Any, Value]:
    """Enter a context manager: (how to leave it, what `as` binds). Leaving says whether an exception is swallowed."""
    if isinstance(manager, NativeValue):
        return enter_native(ev, manager)
    exit_, enter_ = special(ev, manager, "__exit__"), special(ev, manager, "__enter__")
    if exit_ is None or enter_ is None:
        if isinstance(manager, OpaqueValue):
            raise Break("context", what=f"an object of class {manager.type.__name__}")
        ev.raise_error(TypeError, f"'{manager.type.__name__}' object does not support the context manager protocol")
        raise AssertionError
    value = call(ev, enter_, [], {})

    def leave(exc: list[Value]) -> bool:
        return truth(ev, call(ev, exit_, exc, {}))

    return leave, value


def enter_native(ev: Any, manager: NativeValue) -> tuple[Any, Value]:
    """A switch of the tensor API: the mode really changes while the block is traced, and is part of what is inferred."""
    real = manager.real
    name = type(real).__name__
    if name in IGNORED:
        return lambda exc: False, manager
    if name not in SWITCHES and not any(c.__name__ == "_ModeSwitch" for c in type(real).__mro__):
        raise Break("context", what=name)
    ev.native(real.__enter__)
    ev.contexts.append(manager)

    def leave(exc: list[Value]) -> bool:
        real.__exit__(None, None, None)
        ev.contexts.remove(manager)
        return False

    return leave, manager


__all__ = ["FALSE", "STATE", "run_with"]
