"""The part of a statement that is still to be done when the graph breaks in the middle of it.

Given the node at which evaluation stopped, the name that holds that node's result, and the names that hold the operands
finished before it, what remains is purely syntactic: finished children become their names, the broken node becomes its
result, untouched children stay as written. Short circuits, chains and assignments drop what is already decided.
The order of evaluation is Python's, checked by tests/capture_residual against plain Python.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import Any


class CannotResume(Exception):
    """No continuation can be made for a break at this place; the whole frame has to run natively."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def load(name: str, like: ast.AST) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Load()), like)


def store(name: str, like: ast.AST) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Store()), like)


def contains(tree: Any, node: ast.AST) -> bool:
    if tree is None:
        return False
    if isinstance(tree, list):
        return any(contains(t, node) for t in tree)
    return any(n is node for n in ast.walk(tree))


def leaves_loop(body: Sequence[ast.AST]) -> bool:
    """Whether a `break` or `continue` in these statements belongs to the loop around them."""
    for s in body:
        if isinstance(s, ast.Break | ast.Continue):
            return True
        if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            continue
        fields = ("orelse",) if isinstance(s, ast.For | ast.AsyncFor | ast.While) else \
            ("body", "orelse", "finalbody", "handlers", "cases")
        if any(leaves_loop(getattr(s, field, ())) for field in fields):
            return True
    return False


class Rest:
    """What is left of expressions and statements around `broken`.

    names: id of a finished node -> variable that holds its value. result: variable that holds what the native step gave.
    role: "op" (the value of the broken node), "truth" (the truth of the broken node, whose own value is finished), or
    "op 0", "op 1", ... (one link of a chained comparison).
    """

    def __init__(self, broken: ast.AST, result: str, names: Mapping[int, str], role: str = "op") -> None:
        self.broken, self.result, self.names, self.role = broken, result, dict(names), role
        if role == "op":
            self.names[id(broken)] = result

    def has(self, node: Any) -> bool:
        return contains(node, self.broken)

    # -- expressions --------------------------------------------------------------------------------------------------
    def expr(self, node: Any) -> Any:
        """What remains of an expression."""
        if isinstance(node, ast.Constant):
            return node
        if isinstance(node, ast.Starred):
            return ast.copy_location(ast.Starred(self.expr(node.value), node.ctx), node)
        if id(node) in self.names and not (node is self.broken and self.role == "truth"):
            return load(self.names[id(node)], node)
        if node is self.broken:                                # role "truth": the place takes the bool
            return self.links(node) if isinstance(node, ast.Compare) and self.role.startswith("op ") else \
                load(self.result, node)
        if not self.has(node):
            return node
        handler = getattr(self, f"expr_{type(node).__name__}", None)
        return handler(node) if handler is not None else self.rebuilt(node)

    def rebuilt(self, node: Any) -> Any:
        """The node with its finished and broken children replaced."""
        made = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(made, name, self.expr(value))
            elif isinstance(value, list):
                setattr(made, name, [self._item(v) for v in value])
        return made

    def _item(self, value: Any) -> Any:
        if isinstance(value, ast.keyword):
            return ast.copy_location(ast.keyword(value.arg, self.expr(value.value)), value)
        if isinstance(value, ast.FormattedValue):
            rest = self.expr(value)
            if isinstance(rest, ast.FormattedValue):
                return rest
            return ast.copy_location(ast.FormattedValue(rest, -1, None), value)     # a finished field is a string already
        return self.expr(value) if isinstance(value, ast.expr) else value

    def comprehension(self, node: Any) -> Any:
        """Only the first iterable is evaluated outside."""
        first, *others = node.generators
        if not self.has(first.iter):
            raise CannotResume("the graph breaks inside a comprehension")
        made, clause = copy.copy(node), copy.copy(first)
        clause.iter = self.expr(first.iter)
        made.generators = [clause, *others]
        return made

    expr_ListComp = expr_SetComp = expr_DictComp = expr_GeneratorExp = comprehension

    def expr_Lambda(self, node: ast.Lambda) -> ast.expr:
        return ast.copy_location(ast.Lambda(self.defaults(node.args), node.body), node)

    def defaults(self, args: ast.arguments) -> ast.arguments:
        """The parameters of a function whose defaults are being evaluated."""
        made = copy.copy(args)
        made.defaults = [self.expr(d) for d in args.defaults]
        made.kw_defaults = [None if d is None else self.expr(d) for d in args.kw_defaults]
        return made

    def links(self, node: ast.Compare) -> ast.expr:
        """a < b < c after a < b: `r and b < c`, with b evaluated once."""
        at = int(self.role.split()[1])
        later = ast.Compare(self.expr(node.comparators[at]), node.ops[at + 1:], node.comparators[at + 1:])
        return ast.copy_location(ast.BoolOp(ast.And(), [load(self.result, node), ast.copy_location(later, node)]), node)

    def expr_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        at = next(i for i, v in enumerate(node.values) if self.has(v))
        after = node.values[at + 1:]
        here = node.values[at]
        if here is self.broken and self.role == "truth":       # a and b: the value of a is known, its truth is the result
            known = load(self.names[id(here)], here) if id(here) in self.names else load(self.result, here)
            if not after:
                return known
            later = after[0] if len(after) == 1 else ast.copy_location(ast.BoolOp(node.op, after), node)
            parts = (later, known) if isinstance(node.op, ast.And) else (known, later)
            return ast.copy_location(ast.IfExp(load(self.result, here), *parts), node)
        values = [self.expr(here), *after]
        return values[0] if len(values) == 1 else ast.copy_location(ast.BoolOp(node.op, values), node)

    def expr_IfExp(self, node: ast.IfExp) -> ast.expr:
        if self.has(node.test):
            return ast.copy_location(ast.IfExp(self.expr(node.test), node.body, node.orelse), node)
        return self.expr(node.body) if self.has(node.body) else self.expr(node.orelse)

    def expr_Compare(self, node: ast.Compare) -> ast.expr:
        if self.has(node.left):
            return ast.copy_location(ast.Compare(self.expr(node.left), node.ops, node.comparators), node)
        at = next(i for i, c in enumerate(node.comparators) if self.has(c))
        left = node.left if at == 0 else node.comparators[at - 1]
        rest = [self.expr(node.comparators[at]), *node.comparators[at + 1:]]
        return ast.copy_location(ast.Compare(self.expr(left), node.ops[at:], rest), node)

    def expr_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        if self.has(node.value):
            return ast.copy_location(ast.FormattedValue(self.expr(node.value), node.conversion, node.format_spec), node)
        return ast.copy_location(
            ast.FormattedValue(self.expr(node.value), node.conversion, self.expr(node.format_spec)), node)

    # -- statements ---------------------------------------------------------------------------------------------------
    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """What remains of the statement. Raises CannotResume for a place that has no continuation."""
        handler = getattr(self, f"stmt_{type(node).__name__}", None)
        if handler is None:
            raise CannotResume(f"the graph breaks inside a {type(node).__name__.lower()} statement")
        return [ast.copy_location(s, node) for s in handler(node)]

    def stmt_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        return [] if node.value is self.broken else [ast.Expr(self.expr(node.value))]

    def stmt_Return(self, node: ast.Return) -> list[ast.stmt]:
        return [ast.Return(self.expr(node.value))]

    def stmt_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        if self.has(node.value):
            return [ast.Assign(node.targets, self.expr(node.value))]
        out: list[ast.stmt] = []
        value = self.expr(node.value)
        for target in node.targets:                             # targets before the broken one are done
            if self.has(target):
                if isinstance(target, ast.Tuple | ast.List):
                    raise CannotResume("the graph breaks inside a tuple of assignment targets")
                out.append(ast.Assign([self.rebuilt(target)], value))
            elif out:
                out.append(ast.Assign([target], value))
        return out

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        if not self.has(node.value):
            raise CannotResume("the graph breaks inside an annotated assignment target")
        return [ast.Assign([node.target], self.expr(node.value))]

    def stmt_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        target = node.target
        if self.has(target) and target is not self.broken:
            return [ast.AugAssign(self.rebuilt(target), node.op, node.value)]
        old = self.names.get(id(target))
        if old is None:
            raise CannotResume("the old value of an augmented assignment is not at hand")
        if isinstance(target, ast.Name):
            place: ast.expr = target
        elif isinstance(target, ast.Attribute):
            place = ast.Attribute(self.expr(target.value), target.attr, ast.Store())
        else:
            assert isinstance(target, ast.Subscript)
            place = ast.Subscript(self.expr(target.value), self.expr(target.slice), ast.Store())
        return [ast.AugAssign(store(old, target), node.op, self.expr(node.value)),
                ast.Assign([place], load(old, target))]

    def stmt_If(self, node: ast.If) -> list[ast.stmt]:
        return [ast.If(self.expr(node.test), node.body, node.orelse)]

    def stmt_For(self, node: ast.For) -> list[ast.stmt]:
        if not self.has(node.iter):
            raise CannotResume("the graph breaks inside a loop target")
        return [ast.For(node.target, self.expr(node.iter), node.body, node.orelse)]

    def stmt_While(self, node: ast.While) -> list[ast.stmt]:
        if leaves_loop(node.body):
            raise CannotResume("the graph breaks in the condition of a loop with break or continue")
        return [ast.If(self.expr(node.test), [*node.body, node], node.orelse)]

    def stmt_Match(self, node: ast.Match) -> list[ast.stmt]:
        if not self.has(node.subject):
            raise CannotResume("the graph breaks inside a match statement")
        return [ast.Match(self.expr(node.subject), node.cases)]

    def stmt_FunctionDef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        made = copy.copy(node)
        made.decorator_list = [self.expr(d) for d in node.decorator_list]
        made.args = self.defaults(node.args)
        return [made]

    def stmt_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        if self.has(node.test):
            return [ast.Assert(self.expr(node.test), node.msg)]
        error = ast.copy_location(ast.Call(load("AssertionError", node), [self.expr(node.msg)], []), node)
        return [ast.Raise(error, None)]

    def stmt_Raise(self, node: ast.Raise) -> list[ast.stmt]:
        if self.has(node.exc):
            return [ast.Raise(self.expr(node.exc), node.cause)]
        return [ast.Raise(self.expr(node.exc), self.expr(node.cause))]

    def stmt_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        at = next(i for i, t in enumerate(node.targets) if self.has(t))
        return [ast.Delete([self.rebuilt(node.targets[at]), *node.targets[at + 1:]])]

    def stmt_With(self, node: ast.With) -> list[ast.stmt]:
        if not self.has(node.items[0].context_expr):
            raise CannotResume("the graph breaks after the first item of a with statement")
        first = ast.withitem(self.expr(node.items[0].context_expr), node.items[0].optional_vars)
        return [ast.With([first, *node.items[1:]], node.body)]
