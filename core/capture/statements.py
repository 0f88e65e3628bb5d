"""Statements: one rule per kind. A rule returns how it ended: None, BREAK, CONTINUE, or Returned(value)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..guards.origin import AttrOrigin
from .attribute_stores import delete_attribute, set_attribute
from .attributes import get_attribute
from .calls import call
from .expressions import evaluate, load_name, make_function, store_name, test
from .frames import Frame, Operand, Step
from .importing import import_, import_from
from .iterate import iterate, unpack
from .masked_updates import update_where
from .operators import inplace
from .patterns import matches
from .raising import handles, in_context, raise_, seen_by_script
from .residual.nodes import Again, Once, Passes, Settle, Unbind, stored_exception
from .scopes import mangle
from .signals import BREAK, CONTINUE, Break, Done, Returned, UserRaise
from .subscripts import delete_item, get_item, set_item
from .values import NONE, ExceptionValue, ObjectValue, Value

Rule = Callable[[Any, Frame, Any], Done]


def execute_block(ev: Any, frame: Frame, owner: Any, field: str, extra: Any = None) -> Done:
    """The statements of `owner.field` in order, until one does not end normally."""
    depth = len(frame.path)
    for index, statement in enumerate(getattr(owner, field)):
        frame.here = statement
        if frame.track:
            frame.path.append(Step(owner, field, index, extra))
            begin(frame, statement)
        rule = STATEMENTS.get(type(statement))
        if rule is None:
            frame.at(statement, "statement")
            raise Break("syntax", what=f"the statement {type(statement).__name__}")
        done = rule(ev, frame, statement)
        del frame.path[depth:]
        if done is not None:
            return done
    return None


def begin(frame: Frame, statement: ast.AST) -> None:
    """No operand of the statement is finished."""
    frame.here = statement
    if frame.track:
        frame.stack = [Operand(statement)]
        frame.point = None


# -- simple statements ----
def expression(ev: Any, frame: Frame, s: ast.Expr) -> Done:
    evaluate(ev, frame, s.value)
    return None


def nothing(ev: Any, frame: Frame, s: ast.stmt) -> Done:
    return None


def return_(ev: Any, frame: Frame, s: ast.Return) -> Done:
    return Returned(evaluate(ev, frame, s.value) if s.value is not None else NONE)


def break_(ev: Any, frame: Frame, s: ast.Break) -> Done:
    return BREAK


def continue_(ev: Any, frame: Frame, s: ast.Continue) -> Done:
    return CONTINUE


def assignment(ev: Any, frame: Frame, s: ast.Assign) -> Done:
    value = evaluate(ev, frame, s.value)
    for target in s.targets:
        assign(ev, frame, target, value)
    return None


def annotated(ev: Any, frame: Frame, s: ast.AnnAssign) -> Done:
    if s.value is not None:
        assign(ev, frame, s.target, evaluate(ev, frame, s.value))
    return None


def assign(ev: Any, frame: Frame, target: ast.expr, value: Value) -> None:
    """Store a value into a name, attribute, subscript, or a tuple of targets."""
    if isinstance(target, ast.Name):
        store_name(ev, frame, mangle(target.id, frame.class_name), value)
        ev.name_node(value, target.id)
    elif isinstance(target, ast.Attribute):
        obj = evaluate(ev, frame, target.value)
        frame.at(target, "store")
        set_attribute(ev, obj, mangle(target.attr, frame.class_name), value)
    elif isinstance(target, ast.Subscript):
        obj = evaluate(ev, frame, target.value)
        key = evaluate(ev, frame, target.slice)
        frame.at(target, "store")
        set_item(ev, obj, key, value)
    elif isinstance(target, ast.Tuple | ast.List):
        star = next((i for i, e in enumerate(target.elts) if isinstance(e, ast.Starred)), None)
        frame.at(target, "unpack")
        items = unpack(ev, value, len(target.elts), star)
        parts = [e.value if isinstance(e, ast.Starred) else e for e in target.elts]
        for part, item in zip(parts, items):
            remember(frame, part, item)
        for part, item in zip(parts, items):
            assign(ev, frame, part, item)
    else:
        raise Break("syntax", what=f"assignment to {type(target).__name__}")


def augmented(ev: Any, frame: Frame, s: ast.AugAssign) -> Done:
    """The old value is read first; object and key are evaluated once."""
    target = s.target
    if isinstance(target, ast.Name):
        old = load_name(ev, frame, mangle(target.id, frame.class_name))
        remember(frame, target, old)
        new = combined(ev, frame, s, old)
        store_name(ev, frame, mangle(target.id, frame.class_name), new)
        ev.name_node(new, target.id)
    elif isinstance(target, ast.Attribute):
        obj = evaluate(ev, frame, target.value)
        name = mangle(target.attr, frame.class_name)
        frame.at(target, "load")
        old = get_attribute(ev, obj, name)
        remember(frame, target, old)
        new = combined(ev, frame, s, old)
        remember(frame, s, new)
        frame.at(target, "store")
        set_attribute(ev, obj, name, new)
    else:
        obj = evaluate(ev, frame, target.value)
        key = evaluate(ev, frame, target.slice)
        if update_where(ev, frame, s, obj, key):
            return None
        frame.at(target, "load")
        old = get_item(ev, obj, key)
        remember(frame, target, old)
        new = combined(ev, frame, s, old)
        remember(frame, s, new)
        frame.at(target, "store")
        set_item(ev, obj, key, new)
    return None


def remember(frame: Frame, target: ast.AST, old: Value) -> None:
    if frame.track:
        frame.stack[-1].done.append((target, old))


def combined(ev: Any, frame: Frame, s: ast.AugAssign, old: Value) -> Value:
    value = evaluate(ev, frame, s.value)
    frame.at(s, "op")
    return inplace(ev, type(s.op), old, value)


def delete(ev: Any, frame: Frame, s: ast.Delete) -> Done:
    for target in s.targets:
        remove(ev, frame, target)
    return None


def remove(ev: Any, frame: Frame, target: ast.expr) -> None:
    if isinstance(target, ast.Name):
        name = mangle(target.id, frame.class_name)
        load_name(ev, frame, name)
        store_name(ev, frame, name, None)
    elif isinstance(target, ast.Attribute):
        obj = evaluate(ev, frame, target.value)
        frame.at(target, "delete")
        delete_attribute(ev, obj, mangle(target.attr, frame.class_name))
    elif isinstance(target, ast.Subscript):
        obj = evaluate(ev, frame, target.value)
        key = evaluate(ev, frame, target.slice)
        frame.at(target, "delete")
        delete_item(ev, obj, key)
    elif isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            remove(ev, frame, part)


def assertion(ev: Any, frame: Frame, s: ast.Assert) -> Done:
    if not test(ev, frame, s.test):
        message = [evaluate(ev, frame, s.msg)] if s.msg is not None else []
        raise UserRaise(ExceptionValue(AssertionError, message))
    return None


# -- definitions ----
def definition(ev: Any, frame: Frame, s: ast.FunctionDef) -> Done:
    decorators = [evaluate(ev, frame, d) for d in s.decorator_list]
    made: Value = make_function(ev, frame, s, s.name)
    for index in reversed(range(len(decorators))):
        remember(frame, s, made)
        frame.at(s, f"decorate {index}")
        made = call(ev, decorators[index], [made], {})
    store_name(ev, frame, mangle(s.name, frame.class_name), made)
    return None


def class_definition(ev: Any, frame: Frame, s: ast.ClassDef) -> Done:
    frame.at(s, "statement")
    raise Break("class-body")


# -- branches and loops ----
def if_(ev: Any, frame: Frame, s: ast.If) -> Done:
    return execute_block(ev, frame, s, "body" if test(ev, frame, s.test) else "orelse")


def while_(ev: Any, frame: Frame, s: ast.While) -> Done:
    passes = 0
    while test(ev, frame, s.test):
        passes += 1
        if passes > 10_000:
            raise Break("syntax", what="a loop of more than 10000 passes")
        done = execute_block(ev, frame, s, "body")
        if done is BREAK:
            return None
        if isinstance(done, Returned):
            return done
        begin(frame, s)
    return execute_block(ev, frame, s, "orelse")


def for_(ev: Any, frame: Frame, s: ast.For) -> Done:
    source = evaluate(ev, frame, s.iter)
    frame.at(s.iter, "iter")
    iterator = iterate(ev, source)
    while True:
        begin(frame, s)
        frame.here = s.iter
        frame.point = (s.iter, "iter")       # what breaks while the next item is made breaks the loop at its beginning
        item = iterator.step()
        if item is None:
            break
        if frame.track:
            frame.path.append(Step(s, "target", 0))
        assign(ev, frame, s.target, item)
        if frame.track:
            frame.path.pop()
        done = execute_block(ev, frame, s, "body", iterator)
        if done is BREAK:
            return None
        if isinstance(done, Returned):
            return done
    return execute_block(ev, frame, s, "orelse")


def once(ev: Any, frame: Frame, s: Once) -> Done:
    """The rest of one pass, then the loop."""
    done = execute_block(ev, frame, s, "body")
    if done is BREAK:
        return None
    return done if isinstance(done, Returned) else execute_block(ev, frame, s, "orelse")


def passes(ev: Any, frame: Frame, s: Passes) -> Done:
    """A loop over an iterator that is under way: the next item is fetched natively."""
    frame.at(s, "next")
    raise Break("loop", line=s.lineno)


def again(ev: Any, frame: Frame, s: Again) -> Done:
    held: Any = load_name(ev, frame, stored_exception(s))
    error = ev.force(ev.existing(AttrOrigin(held.origin, "error"), held.real.error))
    if not isinstance(error, ExceptionValue):
        raise Break("read", what="the exception")
    raise UserRaise(error)


def match(ev: Any, frame: Frame, s: ast.Match) -> Done:
    subject = evaluate(ev, frame, s.subject)
    frame.at(s.subject, "match")
    for index, case in enumerate(s.cases):
        if matches(ev, frame, case.pattern, subject):
            if case.guard is not None:
                if frame.track:
                    frame.path.append(Step(s, "cases", index))
                if not test(ev, frame, case.guard):
                    del frame.path[-1:]
                    continue
                del frame.path[-1:]
            return execute_block(ev, frame, case, "body")
    return None


def try_(ev: Any, frame: Frame, s: ast.Try) -> Done:
    """`finally` runs however the rest ended; if it ends abruptly itself, that wins."""
    if not s.finalbody:
        return guarded(ev, frame, s)
    depth, handling = len(frame.path), len(ev.handling)
    try:
        done = guarded(ev, frame, s)
    except UserRaise as raised:
        seen_by_script(ev, raised)
        del frame.path[depth:]
        del ev.handling[handling:]
        pending: UserRaise | None = raised
        done = None
    else:
        pending = None
    if pending is not None:
        ev.handling.append(pending.value)
        last = execute_block(ev, frame, s, "finalbody", pending)
        del ev.handling[handling:]
        if last is not None:
            return last
        raise pending
    last = execute_block(ev, frame, s, "finalbody", done)
    return last if last is not None else done


def guarded(ev: Any, frame: Frame, s: ast.Try) -> Done:
    """try, except, else."""
    depth, handling = len(frame.path), len(ev.handling)
    try:
        done = execute_block(ev, frame, s, "body")
    except UserRaise as raised:
        seen_by_script(ev, raised)
        caught = raised
    else:
        return done if done is not None or not s.orelse else execute_block(ev, frame, s, "orelse")
    del frame.path[depth:]
    del ev.handling[handling:]
    begin(frame, s)
    ev.handling.append(caught.value)
    for index, handler in enumerate(s.handlers):
        if handler.type is not None and frame.track:
            frame.path.append(Step(s, "handlers", index, caught.value))
            begin(frame, s)
        try:
            found = handler.type is None or handles(ev, frame, handler.type, caught.value)
        except UserRaise as raised:
            in_context(raised.value, ev.handling[:handling + 1])
            raise
        if found:
            del frame.path[depth:]
            if handler.name:
                store_name(ev, frame, mangle(handler.name, frame.class_name), caught.value)
            try:
                done = execute_block(ev, frame, handler, "body", (s, caught.value))
            except UserRaise as raised:
                in_context(raised.value, ev.handling[:handling + 1])
                left(ev, frame, handler, handling)
                raise
            left(ev, frame, handler, handling)
            return done
        del frame.path[depth:]
    del ev.handling[handling:]
    raise caught


def left(ev: Any, frame: Frame, handler: ast.ExceptHandler, handling: int) -> None:
    """What happens at the end of an except clause. Not at a break, where it has not ended."""
    del ev.handling[handling:]
    if handler.name:
        store_name(ev, frame, mangle(handler.name, frame.class_name), None)


# -- with ----
def with_(ev: Any, frame: Frame, s: ast.With) -> Done:
    from .contexts import run_with

    return run_with(ev, frame, s, 0, [])


def not_traced(what: str) -> Rule:
    def rule(ev: Any, frame: Frame, s: ast.stmt) -> Done:
        frame.at(s, "statement")
        raise Break("syntax", what=what)

    return rule


STATEMENTS: dict[type, Rule] = {
    ast.Expr: expression, ast.Pass: nothing, ast.Global: nothing, ast.Nonlocal: nothing, ast.Return: return_,
    ast.Break: break_, ast.Continue: continue_, ast.Assign: assignment, ast.AnnAssign: annotated,
    ast.AugAssign: augmented, ast.Delete: delete, ast.Assert: assertion, ast.FunctionDef: definition,
    ast.ClassDef: class_definition, ast.Import: import_, ast.ImportFrom: import_from, ast.If: if_, ast.While: while_,
    ast.For: for_, ast.Match: match, ast.Raise: raise_, ast.Try: try_, ast.With: with_,
    ast.AsyncFunctionDef: not_traced("async def"), ast.AsyncFor: not_traced("async for"),
    ast.AsyncWith: not_traced("async with"), ast.TryStar: not_traced("except*"),
    Once: once, Passes: passes, Again: again, Settle: nothing, Unbind: delete,
}

__all__ = ["ObjectValue", "execute_block"]
