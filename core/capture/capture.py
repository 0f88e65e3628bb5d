"""Capture one call of a unit: evaluate it symbolically, and write the artifact's entry.

When something cannot be traced, the evaluation starts again with the break decided in advance at that point of the
function being compiled: the first attempt is thrown away whole, so nothing of it can leak into graph, guards or effects.
"""

from __future__ import annotations

import ast
import collections
import sys
import types
from dataclasses import replace
from typing import Any

from ..graph.fake import NeedsData
from ..graph.node import Span
from ..guards.origin import ArgOrigin, FunctionOrigin
from ..tensor.tensor import Tensor
from .breaks import BreakInfo, make
from .calls import FRAME_READERS
from .context import CaptureContext, Captured
from .entry import finish, finish_with_break
from .evaluator import Evaluator
from .frames import Frame
from .function_values import FunctionValue
from .levels import loop_to_hold
from .reading import closure_variables
from .rebuild import CannotRebuild
from .residual.nodes import CannotResume, is_entered
from .signals import Break, Returned, SkipFrame, UserRaise
from .unit import Unit
from .values import NONE, Value

RECURSION = 20_000
ATTEMPTS = 16


class InternalFault(SkipFrame):
    """The evaluator itself failed: the frame runs natively, so that results are right, and the fault is reported."""


FAULTS: collections.deque[tuple[str, Exception]] = collections.deque(maxlen=8)       # of this process, for tests to find


class UserError(SkipFrame):
    """An exception of the script's leaves the function: the frame runs natively, where it is raised again."""


def capture(unit: Unit, fn: types.FunctionType, arguments: dict[str, Any], context: CaptureContext) -> Captured:
    """Trace `fn` (of `unit`) called with `arguments` by parameter name.

    Raises SkipFrame when the frame has to run natively, with the reason.
    """
    refuse_hopeless(unit)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION))
    broken: dict[tuple[int, str], BreakInfo] = {}
    try:
        for _ in range(ATTEMPTS):
            attempt = Attempt(unit, fn, arguments, context, broken)
            outcome = attempt.run()
            if isinstance(outcome, Captured):
                return outcome
            point, info = outcome
            broken[point] = info
        raise SkipFrame("it breaks in too many ways", None)
    except SkipFrame:
        raise
    except Exception as fault:
        if context.strict:
            raise
        FAULTS.append((unit.qualname, fault))
        raise InternalFault(f"Guardscope failed to trace it ({type(fault).__name__}: {fault}); please report this",
                            Span(unit.file, unit.first_line)) from fault
    finally:
        sys.setrecursionlimit(limit)


def refuse_hopeless(unit: Unit) -> None:
    """Functions that no continuation can be made for, or that look at their own frame."""
    code = unit.code
    if code.co_flags & (0x80 | 0x200):
        raise SkipFrame("it is a coroutine", Span(unit.file, unit.first_line))
    for name in FRAME_READERS:
        if name in code.co_names:
            raise SkipFrame(f"it uses {name}(), which looks at the frame it runs in", Span(unit.file, unit.first_line))


class Attempt:
    """One evaluation from the beginning, with the breaks that are known by now."""

    def __init__(self, unit: Unit, fn: types.FunctionType, arguments: dict[str, Any], context: CaptureContext,
                 broken: dict[tuple[int, str], BreakInfo]) -> None:
        self.unit, self.fn, self.arguments, self.context, self.broken = unit, fn, arguments, context, broken
        self.ev = Evaluator(unit, fn, context, frozenset(broken))
        self.ev.kinds = kinds_of(arguments)
        self.frame = self.main_frame()

    def main_frame(self) -> Frame:
        ev, unit, fn = self.ev, self.unit, self.fn
        function = FunctionValue(FunctionOrigin(), fn)
        frame = Frame(unit, unit.node, ev.globals_of(fn.__globals__), None, None, function, track=True)
        frame.free = closure_variables(ev, function)
        frame.broken = frozenset(self.broken)
        frame.is_user = True
        for name in unit.params:
            frame.variables[name].value = ev.existing(ArgOrigin(name, unit.words.get(name, "")), self.arguments[name])
        ev.main = frame
        return frame

    def run(self) -> Captured | tuple[tuple[int, str], BreakInfo]:
        """The artifact, or the point at which the next attempt has to break."""
        ev, frame = self.ev, self.frame
        ev.guard("GLOBAL_STATE", None, ev.mode, "modes decide what is computed")
        pending: Break | None = None
        result: Value = NONE
        try:
            try:
                result = self.evaluate()
            except Break as signal:
                pending = signal
            except NeedsData as needs:                 # a number read out of a tensor was to decide something
                pending = Break("data-branch") if not needs.what else Break("data-item", what=needs.what)
            except UserRaise as raised:
                span = ev.span()
                info = BreakInfo("exception", f"{raised.value.cls.__name__} leaves the function", "catch it inside",
                                 span or Span(self.unit.file, self.unit.first_line), "skip_frame")
                known = None if raised.value.of_api else info
                raise UserError(f"{raised.value.cls.__name__} leaves the function", span, known) from None
            left = [g for g in ev.generators if g.abandoned]
            if left:
                for call in (ev.born.get(id(g.iterator)) for g in left):
                    if call is not None and (id(call), "op") not in self.broken:
                        info = make("rebuild", {"what": "a generator that is left before its end"}, frame.span(call), "held")
                        return (id(call), "op"), info
                raise SkipFrame("it leaves a generator before its end, whose clean-up would run in between", ev.span())
            if pending is None:
                try:
                    return finish(ev, frame, result)
                except CannotRebuild as problem:
                    made = [ev.born[id(v)] for v in problem.values if id(v) in ev.born]
                    point = next(((id(n), "op") for n in made if (id(n), "op") not in self.broken), None)
                    if point is None:
                        raise SkipFrame(f"it returns {problem.what}", ev.span()) from None
                    return point, make("rebuild", {"what": problem.what}, frame.span(made[0]), "held")
            return self.after_break(pending)
        finally:
            ev.close()

    def evaluate(self) -> Value:
        from .statements import execute_block

        ev, frame = self.ev, self.frame
        ev.frame = frame
        done = execute_block(ev, frame, frame.node, "body")
        return done.value if isinstance(done, Returned) else NONE

    def after_break(self, signal: Break) -> Captured | tuple[tuple[int, str], BreakInfo]:
        ev, frame = self.ev, self.frame
        if signal.id != "decided":
            span = ev.span() or frame.span()
            info = make(signal.id, signal.facts, span)
            loop = loop_to_hold(frame)
            if loop is not None:
                return (id(loop.iter), "iter"), replace(info, effect="held")
            if frame.point is None:
                raise SkipFrame(info.sentence, span, make(signal.id, signal.facts, span, "skip_frame"))
            node, role = frame.point
            held = role in ("next", "yield") or isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp)) and role == "op"
            return (id(node), role), replace(info, effect="held") if held else info
        assert frame.point is not None
        node, role = frame.point
        info = self.broken[(id(node), role)]
        try:
            return finish_with_break(ev, frame, node, role, info)
        except (CannotResume, CannotRebuild) as problem:
            for earlier, kind in earlier_points(ev, frame, problem):
                if (id(earlier), kind) not in self.broken:
                    return (id(earlier), kind), replace(info, effect="held")
            why = problem.reason if isinstance(problem, CannotResume) else f"{problem.what} is alive there"
            skipped = BreakInfo(info.id, info.sentence, info.hint, info.span, "skip_frame")
            raise SkipFrame(f"{info.sentence}, and {why}", info.span, skipped) from None


def earlier_points(ev: Evaluator, frame: Frame, problem: CannotResume | CannotRebuild) -> list[tuple[ast.AST, str]]:
    """Where to break instead, when a continuation cannot be made: the call that made what cannot be carried across, the
    beginning of a loop or with statement."""
    out: list[tuple[ast.AST, str]] = []
    if isinstance(problem, CannotRebuild):
        out += [(ev.born[id(v)], "op") for v in problem.values if id(v) in ev.born]
    loop = loop_to_hold(frame)
    if loop is not None:
        out.append((loop.iter, "iter"))
    for step in frame.path:
        if isinstance(step.owner, ast.With) and step.field == "body":
            out += [(item.context_expr, "enter") for item in step.owner.items if not is_entered(item)]
    return out


def kinds_of(arguments: dict[str, Any]) -> dict[str, str]:
    """How a call's arguments are recorded."""
    out = {}
    for name, value in arguments.items():
        if isinstance(value, Tensor):
            out[name] = "tensor"
        elif value is None or type(value) in (int, float, bool, str):
            out[name] = "plain"
        else:
            out[name] = type(value).__name__
    return out


__all__ = ["FAULTS", "CaptureContext", "Captured", "InternalFault", "SkipFrame", "UserError", "capture"]
