"""`with`: the script's own context managers are traced; the tensor API's mode switches are entered for real meanwhile."""

from __future__ import annotations

import ast
from typing import Any

from ..guards.origin import AttrOrigin
from ..tensor.state import STATE
from .calls import call
from .expressions import evaluate
from .frames import Frame, Step
from .levels import Entered, Leaving
from .raising import in_context
from .residual.running import Resumed
from .signals import Break, Done, UserRaise
from .special_methods import special
from .statements import assign, begin, execute_block, remember
from .truth import truth
from .values import FALSE, NONE, ClassValue, NativeValue, ObjectValue, OpaqueValue, Value

SWITCHES = ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "autocast")
IGNORED = ("record_function", "nvtx", "range", "emit_nvtx")


def run_with(ev: Any, frame: Frame, s: ast.With, at: int, entered: list[Entered]) -> Done:
    """Item `at` of the statement, then the next ones, then the body."""
    if at == len(s.items):
        return execute_block(ev, frame, s, "body", list(entered))
    item = s.items[at]
    depth, handling = len(frame.path), len(ev.handling)
    stand(frame, s, at, list(entered))
    manager = ev.force(evaluate(ev, frame, item.context_expr))
    frame.at(item.context_expr, "enter")
    here, value = enter(ev, manager)
    del frame.path[depth:]
    try:
        if item.optional_vars is not None:
            stand(frame, s, at, [*entered, here])
            remember(frame, item, value)
            assign(ev, frame, item.optional_vars, value)
            del frame.path[depth:]
        done = run_with(ev, frame, s, at + 1, [*entered, here])
    except UserRaise as raised:
        caught = raised
        in_context(caught.value, ev.handling[:handling])
    else:
        stand(frame, s, at, Leaving(entered, here, done))
        frame.at(s, "exit")
        here.leave([NONE, NONE, NONE])
        del frame.path[depth:]
        return done
    del frame.path[depth:]
    del ev.handling[handling:]
    ev.handling.append(caught.value)
    stand(frame, s, at, Leaving(entered, here, caught))
    frame.at(s, "exit")
    try:
        swallowed = here.leave([ClassValue(caught.value.cls, ev.pin(caught.value.cls)), caught.value, NONE])
    except UserRaise as raised:
        in_context(raised.value, ev.handling[:handling + 1])
        raise
    finally:
        del ev.handling[handling:]
    del frame.path[depth:]
    if not swallowed:
        raise caught
    return None


def stand(frame: Frame, s: ast.With, at: int, extra: Any) -> None:
    """The frame stands at an item of the statement, with no operand finished."""
    if frame.track:
        frame.path.append(Step(s, "items", at, extra))
    begin(frame, s)


def enter(ev: Any, manager: Value) -> tuple[Entered, Value]:
    """Enter a context manager: how it is left, and what `as` binds. Leaving says whether an exception is swallowed."""
    if isinstance(manager, NativeValue):
        return enter_native(ev, manager)
    if isinstance(manager, ObjectValue) and issubclass(manager.cls, Resumed):
        assert manager.origin is not None
        exit_: Value | None = ev.existing(AttrOrigin(manager.origin, "exit"), manager.real.exit)
        enter_ = None
    else:
        exit_, enter_ = special(ev, manager, "__exit__"), special(ev, manager, "__enter__")
        if isinstance(manager, OpaqueValue):
            raise Break("context", what=f"an object of class {manager.type.__name__}")
        if exit_ is None or enter_ is None:
            missed = " (missed __exit__ method)" if enter_ is not None else ""
            ev.raise_error(TypeError, f"'{manager.c_name}' object does not support the context manager protocol{missed}")
            raise AssertionError
    assert exit_ is not None
    bound = exit_

    def leave(exc: list[Value]) -> bool:
        return truth(ev, call(ev, bound, exc, {}))

    return Entered(manager, leave, bound), manager if enter_ is None else call(ev, enter_, [], {})


def enter_native(ev: Any, manager: NativeValue) -> tuple[Entered, Value]:
    """A switch of the tensor API: the mode really changes while the block is traced, and is part of what is inferred."""
    real = manager.real
    name = type(real).__name__
    if name in IGNORED:
        return Entered(manager, lambda exc: False, None), manager
    if name not in SWITCHES and not any(c.__name__ == "_ModeSwitch" for c in type(real).__mro__):
        raise Break("context", what=name)
    ev.native(real.__enter__)
    ev.contexts.append(manager)

    def leave(exc: list[Value]) -> bool:
        real.__exit__(None, None, None)
        ev.contexts.remove(manager)
        return False

    return Entered(manager, leave, None), manager


__all__ = ["FALSE", "STATE", "run_with"]
