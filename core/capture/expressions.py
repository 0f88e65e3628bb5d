"""Expressions: one rule per kind of syntax node. Operands are evaluated in Python's order; then the operation.

In the function being compiled, finished operands are kept (`frame.stack`), so that a break in the middle of a statement can
go on with them. `frame.at(node)` marks the point between operands and operation, where a graph may end.
"""

from __future__ import annotations
import __future__

import ast
from collections.abc import Callable
from typing import Any

from ..tensor.tensor import Tensor
from .attributes import get_attribute
from .calls import call
from .comparing import compare
from .containers import complete, dict_set, list_items, new_dict
from .formatting import format_value, repr_of, text_of
from .frames import Frame, Operand
from .function_values import FunctionValue, GeneratorExpression, IteratorValue
from .generators import Coroutine, make_generator
from .iterate import items_of, iterate
from .operators import binary, unary
from .scopes import free_names, mangle
from .signals import Break, UserRaise
from .subscripts import get_item
from .truth import truth
from .values import NONE, Const, DictValue, Keywords, Lazy, ListValue, ObjectValue, SliceValue, TupleValue, Value

Rule = Callable[[Any, Frame, Any], Value]


def evaluate(ev: Any, frame: Frame, node: ast.expr) -> Value:
    """The value of an expression."""
    rule = EXPRESSIONS.get(type(node))
    if rule is None:
        frame.at(node)
        raise Break("syntax", what=f"the expression {type(node).__name__}")
    if not frame.track:
        return rule(ev, frame, node)
    frame.stack.append(Operand(node))
    frame.point = None
    value = rule(ev, frame, node)
    frame.stack.pop()
    frame.stack[-1].done.append((node, value))
    return value


def test(ev: Any, frame: Frame, node: ast.expr) -> bool:
    """Evaluate an expression and take its truth."""
    value = evaluate(ev, frame, node)
    told_by_kind(ev, node, value)
    frame.at(node, "truth")
    return truth(ev, value)


def told_by_kind(ev: Any, node: ast.AST, value: Value) -> None:
    """Guard the class of what a name holds before its truth is asked for. Whether that breaks depends on it, and after such a
    break the statement reads as before, but for another name: without the guard what follows could be taken for it again,
    without an end."""
    if isinstance(node, ast.Name) and type(value) is Lazy and not isinstance(value.real, Tensor):
        ev.force(value)


# -- atoms ----
def constant(ev: Any, frame: Frame, node: ast.Constant) -> Value:
    return NONE if node.value is None else Const(node.value)


def load_name(ev: Any, frame: Frame, name: str) -> Value:
    """The value that a name has here."""
    variable = frame.lookup(name)
    if variable is None:
        return ev.load_global(frame.globals, name)
    if variable.value is None:
        if variable.cell is not None and not variable.stored:
            raise Break("read", what=f"the empty closure variable {name}")
        own = name in frame.variables
        ev.raise_error(UnboundLocalError if own else NameError,
                       f"cannot access local variable '{name}' where it is not associated with a value" if own else
                       f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope")
        raise AssertionError
    if variable.cell is not None and type(variable.value) is Lazy:
        ev.named.add(variable.value.origin)
    return variable.value


def store_name(ev: Any, frame: Frame, name: str, value: Value | None) -> None:
    """Assign to a name; None unbinds it."""
    variable = frame.lookup(name)
    if variable is None:
        frame.globals.stored.pop(name, None)
        frame.globals.stored[name] = value
        return
    variable.value = value
    variable.stored = True
    if variable.cell is not None and variable not in ev.written:
        ev.written.append(variable)


def name(ev: Any, frame: Frame, node: ast.Name) -> Value:
    frame.here = node
    return load_name(ev, frame, mangle(node.id, frame.class_name))


def attribute(ev: Any, frame: Frame, node: ast.Attribute) -> Value:
    obj = evaluate(ev, frame, node.value)
    frame.at(node)
    return get_attribute(ev, obj, mangle(node.attr, frame.class_name))


def subscript(ev: Any, frame: Frame, node: ast.Subscript) -> Value:
    obj = evaluate(ev, frame, node.value)
    key = evaluate(ev, frame, node.slice)
    frame.at(node)
    return get_item(ev, obj, key)


def slice_(ev: Any, frame: Frame, node: ast.Slice) -> Value:
    return SliceValue(*(evaluate(ev, frame, part) if part is not None else NONE
                        for part in (node.lower, node.upper, node.step)))


# -- operators ----
def binary_operation(ev: Any, frame: Frame, node: ast.BinOp) -> Value:
    a = evaluate(ev, frame, node.left)
    b = evaluate(ev, frame, node.right)
    frame.at(node)
    return binary(ev, type(node.op), a, b)


def unary_operation(ev: Any, frame: Frame, node: ast.UnaryOp) -> Value:
    a = evaluate(ev, frame, node.operand)
    frame.at(node)
    return unary(ev, type(node.op), a)


def bool_operation(ev: Any, frame: Frame, node: ast.BoolOp) -> Value:
    wanted = isinstance(node.op, ast.Or)
    for part in node.values[:-1]:
        value = evaluate(ev, frame, part)
        told_by_kind(ev, part, value)
        frame.at(part, "truth")
        if truth(ev, value) is wanted:
            return value
    return evaluate(ev, frame, node.values[-1])


def conditional(ev: Any, frame: Frame, node: ast.IfExp) -> Value:
    return evaluate(ev, frame, node.body if test(ev, frame, node.test) else node.orelse)


def comparison(ev: Any, frame: Frame, node: ast.Compare) -> Value:
    left = evaluate(ev, frame, node.left)
    last = len(node.ops) - 1
    for i, (op, comparator) in enumerate(zip(node.ops, node.comparators)):
        right = evaluate(ev, frame, comparator)
        frame.at(node, "op" if last == 0 else f"op {i}")
        result = compare(ev, type(op), left, right)
        if i == last or not truth(ev, result):
            return result
        left = right
    raise AssertionError


def walrus(ev: Any, frame: Frame, node: ast.NamedExpr) -> Value:
    value = evaluate(ev, frame, node.value)
    holder = frame
    while isinstance(holder.node, COMPREHENSION_NODES) and holder.lexical is not None:
        holder = holder.lexical
    store_name(ev, holder, mangle(node.target.id, frame.class_name), value)
    ev.name_node(value, node.target.id)
    return value


# -- displays ----
def sequence(ev: Any, frame: Frame, nodes: list[ast.expr]) -> list[Value]:
    """The items of a display or the positional arguments of a call; `*s` is iterated in place."""
    items: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            source = evaluate(ev, frame, node.value)
            frame.at(node, "iter")
            more = items_of(ev, source)
            finished(frame, node.value, TupleValue(list(more)))
            items.extend(more)
        else:
            items.append(evaluate(ev, frame, node))
    return items


def finished(frame: Frame, node: ast.AST, value: Value) -> None:
    """Replace the finished parts of `node` by the finished node."""
    if frame.track:
        inside = {id(n) for n in ast.walk(node)}
        top = frame.stack[-1]
        top.done = [(n, v) for n, v in top.done if id(n) not in inside] + [(node, value)]


def list_display(ev: Any, frame: Frame, node: ast.List) -> Value:
    return ListValue(sequence(ev, frame, node.elts))


def tuple_display(ev: Any, frame: Frame, node: ast.Tuple) -> Value:
    return TupleValue(sequence(ev, frame, node.elts))


def set_display(ev: Any, frame: Frame, node: ast.Set) -> Value:
    from .containers import new_set

    items = sequence(ev, frame, node.elts)
    frame.at(node)
    return new_set(ev, items)


def dict_display(ev: Any, frame: Frame, node: ast.Dict) -> Value:
    out = DictValue({})
    for key, value in zip(node.keys, node.values):
        if key is None:
            source = ev.force(evaluate(ev, frame, value))
            frame.at(value, "iter")
            for k, v in mapping_items(ev, source):
                dict_set(ev, out, k, v)
            out.unordered += getattr(source, "unordered", ())
        else:
            k = evaluate(ev, frame, key)
            v = evaluate(ev, frame, value)
            frame.at(node)
            dict_set(ev, out, k, v)
    return out


def mapping_items(ev: Any, source: Value) -> list[tuple[Value, Value]]:
    """The pairs of a `**mapping`."""
    source = ev.force(source)
    payload = getattr(source, "payload", None)
    if isinstance(payload, DictValue):
        source = payload
    if isinstance(source, DictValue):
        return [(ev.force(e.key), e.value) for e in complete(ev, source, False).values()]
    try:
        keys = get_attribute(ev, source, "keys")
    except UserRaise as raised:
        if raised.value.cls is not AttributeError:
            raise
        ev.raise_error(TypeError, f"'{source.c_name}' object is not a mapping")
    return [(ev.force(k), get_item(ev, source, k)) for k in items_of(ev, call(ev, keys, [], {}))]


def joined_text(ev: Any, frame: Frame, node: ast.JoinedStr) -> Value:
    parts = []
    for part in node.values:
        value = evaluate(ev, frame, part)
        parts.append(str(value.value))  # type: ignore[attr-defined]
    return Const("".join(parts))


def formatted_value(ev: Any, frame: Frame, node: ast.FormattedValue) -> Value:
    value = evaluate(ev, frame, node.value)
    spec = evaluate(ev, frame, node.format_spec) if node.format_spec is not None else Const("")
    frame.at(node)
    if node.conversion == 115:
        value = Const(text_of(ev, value))
    elif node.conversion in (114, 97):
        text = repr_of(ev, value)
        value = Const(text if node.conversion == 114 else text.encode("ascii", "backslashreplace").decode())
    return Const(format_value(ev, value, spec.value))  # type: ignore[attr-defined]


# -- calls ----
def call_expression(ev: Any, frame: Frame, node: ast.Call) -> Value:
    callee = evaluate(ev, frame, node.func)
    first = node.args[0] if len(node.args) == 1 and node.keywords else None
    lone = first if isinstance(first, ast.Starred) else None
    if lone is not None:                        # f(*s, k=v): the call itself iterates s, after the keywords
        starred_value = evaluate(ev, frame, lone.value)
    else:
        args = sequence(ev, frame, node.args)
    kwargs = Keywords()
    for keyword in node.keywords:
        if keyword.arg is None:
            source = evaluate(ev, frame, keyword.value)
            frame.at(keyword.value, "iter")
            for key, value in mapping_items(ev, source):
                if not isinstance(key, Const) or not isinstance(key.value, str):
                    ev.raise_error(TypeError, "keywords must be strings")
                    raise AssertionError
                if key.value in kwargs:
                    ev.raise_error(TypeError, f"got multiple values for keyword argument '{key.value}'")
                kwargs[key.value] = value
            kwargs.unordered += getattr(ev.force(source), "unordered", ())
        else:
            kwargs[mangle(keyword.arg, frame.class_name)] = evaluate(ev, frame, keyword.value)
    if lone is not None:
        frame.at(lone, "iter")
        args = items_of(ev, starred_value)
        finished(frame, lone.value, TupleValue(list(args)))
    frame.at(node)
    result = call(ev, callee, args, kwargs)
    if frame.track and isinstance(result, IteratorValue | ObjectValue):
        ev.born[id(result)] = node
        ev.keep.append(result)
    return result


def lambda_(ev: Any, frame: Frame, node: ast.Lambda) -> Value:
    return make_function(ev, frame, node, "<lambda>")


def make_function(ev: Any, frame: Frame, node: Any, name: str) -> FunctionValue:
    """The function that a `def` or `lambda` makes: defaults now, body later."""
    made = FunctionValue()
    made.node, made.unit, made.scope, made.globals = node, frame.unit, frame, frame.globals
    made.defaults = [evaluate(ev, frame, d) for d in node.args.defaults]
    made.kwdefaults = {a.arg: evaluate(ev, frame, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults)
                       if d is not None}
    made.name = name
    if isinstance(node, ast.FunctionDef):
        annotate(ev, frame, node, made)
    ev.captured |= free_names(node)
    outer = frame
    while isinstance(outer.node, COMPREHENSION_NODES) and outer.lexical is not None:
        outer = outer.lexical
    around = outer.function.qualname if outer.function is not None else frame.unit.qualname
    made.qualname = f"{around}.<locals>.{name}"
    return made


def annotate(ev: Any, frame: Frame, node: ast.FunctionDef, made: FunctionValue) -> None:
    """The annotations of a `def`, evaluated as the compiler orders them; text under `from __future__ import annotations`."""
    spec = node.args
    found = [(a.arg, a.annotation) for a in (*spec.args, *spec.posonlyargs)]
    found += [(a.arg, a.annotation) for a in (spec.vararg, *spec.kwonlyargs, spec.kwarg) if a is not None]
    pairs: list[tuple[Value, Value]] = []
    for name, annotation in [*found, ("return", node.returns)]:
        if annotation is not None:
            text = bool(frame.unit.code.co_flags & __future__.annotations.compiler_flag)
            pairs.append((Const(name), Const(ast.unparse(annotation)) if text else evaluate(ev, frame, annotation)))
    if pairs:
        made.attributes["__annotations__"] = new_dict(ev, pairs)


# -- comprehensions ----
COMPREHENSION_NODES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def inner_frame(ev: Any, frame: Frame, node: Any) -> Frame:
    """The scope of a comprehension."""
    inner = Frame(frame.unit, node, frame.globals, frame, frame)
    inner.is_user = frame.is_user
    inner.function = None
    return inner


def run_clauses(ev: Any, inner: Frame, node: Any, first: IteratorValue, emit: Callable[[], None], at: int = 0) -> None:
    """The nested loops of a comprehension; `emit` runs for every element."""
    from .statements import assign

    clause = node.generators[at]
    if clause.is_async:
        raise Break("syntax", what="an asynchronous comprehension")
    iterator = first if at == 0 else iterate(ev, evaluate(ev, inner, clause.iter))
    while (item := iterator.step()) is not None:
        assign(ev, inner, clause.target, item)
        if all(test(ev, inner, condition) for condition in clause.ifs):
            if at + 1 < len(node.generators):
                run_clauses(ev, inner, node, first, emit, at + 1)
            else:
                emit()


def comprehension(ev: Any, frame: Frame, node: Any) -> Value:
    source = evaluate(ev, frame, node.generators[0].iter)
    frame.at(node)
    first = iterate(ev, source)
    inner = inner_frame(ev, frame, node)
    outer, ev.frame = ev.frame, inner
    items: list[Value] = []
    out = DictValue({})

    def emit() -> None:
        if isinstance(node, ast.DictComp):
            key = evaluate(ev, inner, node.key)
            dict_set(ev, out, key, evaluate(ev, inner, node.value))
        else:
            items.append(evaluate(ev, inner, node.elt))

    try:
        run_clauses(ev, inner, node, first, emit)
    finally:
        ev.frame = outer
    if isinstance(node, ast.DictComp):
        return out
    if isinstance(node, ast.SetComp):
        from .containers import new_set

        return new_set(ev, items)
    return ListValue(items)


def generator_expression(ev: Any, frame: Frame, node: ast.GeneratorExp) -> Value:
    source = evaluate(ev, frame, node.generators[0].iter)
    frame.at(node)
    first = iterate(ev, source)
    inner = inner_frame(ev, frame, node)

    def body(coroutine: Coroutine) -> Value:
        ev.frame = inner
        run_clauses(ev, inner, node, first, lambda: void(coroutine.give(evaluate(ev, inner, node.elt))))
        return NONE

    made = make_generator(ev, body)
    made.recipe = GeneratorExpression(node, frame, source)
    if frame.track:
        ev.born[id(made)] = node
        ev.keep.append(made)
    return made


def void(_: Any) -> None:
    return None


# -- generators ----
def yield_(ev: Any, frame: Frame, node: ast.Yield) -> Value:
    value = evaluate(ev, frame, node.value) if node.value is not None else NONE
    if frame.generator is None:
        frame.at(node, "yield")
        raise Break("yield", line=node.lineno)
    return frame.generator.give(value)


def yield_from(ev: Any, frame: Frame, node: ast.YieldFrom) -> Value:
    whole = evaluate(ev, frame, node.value)
    if frame.generator is None:
        frame.at(node, "yield")
        raise Break("yield", line=node.lineno)
    source = iterate(ev, whole)
    while (item := source.step()) is not None:
        frame.generator.give(item)
    return source.returned


def starred(ev: Any, frame: Frame, node: ast.Starred) -> Value:
    return TupleValue(items_of(ev, evaluate(ev, frame, node.value)))


EXPRESSIONS: dict[type, Rule] = {
    ast.Constant: constant, ast.Name: name, ast.Attribute: attribute, ast.Subscript: subscript, ast.Slice: slice_,
    ast.BinOp: binary_operation, ast.UnaryOp: unary_operation, ast.BoolOp: bool_operation, ast.IfExp: conditional,
    ast.Compare: comparison, ast.NamedExpr: walrus, ast.List: list_display, ast.Tuple: tuple_display,
    ast.Set: set_display, ast.Dict: dict_display, ast.JoinedStr: joined_text, ast.FormattedValue: formatted_value,
    ast.Call: call_expression, ast.Lambda: lambda_, ast.ListComp: comprehension, ast.SetComp: comprehension,
    ast.DictComp: comprehension, ast.GeneratorExp: generator_expression, ast.Yield: yield_, ast.YieldFrom: yield_from,
    ast.Starred: starred,
}

__all__ = ["evaluate", "list_items", "test"]
