"""The part of a statement that is still to be done when the graph breaks in the middle of it.

Given the node at which evaluation stopped, the name that holds that node's result, and the names that hold the operands
finished before it, what remains is purely syntactic: finished children become their names, the broken node becomes its
result, untouched children stay as written. Short circuits, chains and assignments drop what is already decided.
The order of evaluation is Python's, checked by tests/capture_residual against plain Python.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from copy import copy  # Python's own, whatever the script puts in their places
from typing import Any

from .nodes import CannotResume, again, contains, load, rest_of_pass, store


def flat(targets: Sequence[ast.expr]) -> list[ast.expr]:
    """Targets of `del`, without the parentheses."""
    return [part for t in targets for part in (flat(t.elts) if isinstance(t, ast.Tuple | ast.List) else [t])]


class Rest:
    """What is left of expressions and statements around `broken`.

    names: id of a finished node -> variable that holds its value. result: variable that holds what the native step gave.
    role: "op" (the value of the broken node), "truth" (the truth of the broken node, whose own value is finished),
    "op 0", "op 1", ... (one link of a chained comparison), "store" and "delete" (of a target, which is done), "unpack"
    (result holds the items for the targets), "decorate 0", ... (a decorator's result). owner, error: the statement around an
    item of a with statement, an except clause or a case, and the variable of the exception to be matched.
    """

    def __init__(self, broken: ast.AST, result: str, names: Mapping[int, str], role: str = "op", owner: Any = None,
                 error: str = "") -> None:
        self.broken, self.result, self.names, self.role = broken, result, dict(names), role
        self.owner, self.error = owner, error
        if role in ("op", "load", "iter"):
            self.names[id(broken.value if role == "iter" and isinstance(broken, ast.Starred) else broken)] = result

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
        made = copy(node)
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
        made, clause = copy(node), copy(first)
        clause.iter = self.expr(first.iter)
        made.generators = [clause, *others]
        return made

    expr_ListComp = expr_SetComp = expr_DictComp = expr_GeneratorExp = comprehension

    def expr_Lambda(self, node: ast.Lambda) -> ast.expr:
        return ast.copy_location(ast.Lambda(self.defaults(node.args), node.body), node)

    def defaults(self, args: ast.arguments) -> ast.arguments:
        """The parameters of a function whose defaults are being evaluated."""
        made = copy(args)
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
        return [ast.copy_location(s, node) if hasattr(node, "lineno") else s for s in handler(node)]

    def stmt_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        return [] if node.value is self.broken else [ast.Expr(self.expr(node.value))]

    def stmt_Return(self, node: ast.Return) -> list[ast.stmt]:
        return [ast.Return(self.expr(node.value))]

    def stmt_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        if self.has(node.value):
            return [ast.Assign(node.targets, self.expr(node.value))]
        out: list[ast.stmt] = []
        value = self.expr(node.value)
        at = next(i for i, t in enumerate(node.targets) if self.has(t))      # targets before the broken one are done
        out += self.target(node.targets[at], value)
        return out + [ast.Assign([t], value) for t in node.targets[at + 1:]]

    def target(self, node: Any, value: Any) -> list[ast.stmt]:
        """What remains of an assignment to a target that holds the broken node."""
        if node is self.broken and self.role == "store":
            return []
        parts = [e.value if isinstance(e, ast.Starred) else e for e in getattr(node, "elts", ())]
        if node is self.broken and self.role == "unpack":
            def item(i: int) -> ast.expr:
                return ast.copy_location(ast.Subscript(
                    load(self.result, node), ast.copy_location(ast.Constant(i), node), ast.Load()), node)

            return [ast.copy_location(ast.Assign([p], item(i)), node) for i, p in enumerate(parts)]
        if parts:
            at = next(i for i, p in enumerate(parts) if self.has(p))
            items = [load(self.names[id(p)], p) for p in parts[at:]]
            return self.target(parts[at], items[0]) + [ast.copy_location(ast.Assign([p], v), p)
                                                       for p, v in zip(parts[at + 1:], items[1:])]
        return [ast.copy_location(ast.Assign([self.rebuilt(node)], value), node)]

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        value = self.expr(node.value)
        return [ast.Assign([node.target], value)] if self.has(node.value) else self.target(node.target, value)

    def stmt_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        target = node.target
        if self.role == "store":
            return []
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
        return [ast.If(self.expr(node.test), rest_of_pass(node.body, node), node.orelse)]

    def stmt_Match(self, node: ast.Match) -> list[ast.stmt]:
        if not self.has(node.subject):
            raise CannotResume("the graph breaks inside a match statement")
        return [ast.Match(self.expr(node.subject), node.cases)]

    def stmt_match_case(self, node: ast.match_case) -> list[ast.stmt]:
        """The guard of a case: its names are bound already."""
        match = self.owner
        if not self.has(node.guard):
            raise CannotResume("the graph breaks inside a pattern")
        later = match.cases[match.cases.index(node) + 1:]
        others: list[ast.stmt] = [ast.copy_location(ast.Match(self.expr(match.subject), later), match)] if later else []
        return [ast.copy_location(ast.If(self.expr(node.guard), node.body, others), match)]

    def stmt_ExceptHandler(self, node: ast.ExceptHandler) -> list[ast.stmt]:
        """The type of an except clause; the clauses before it did not match."""
        later = self.owner.handlers[self.owner.handlers.index(node) + 1:]
        here = ast.copy_location(ast.ExceptHandler(self.expr(node.type), node.name, node.body), node)
        raising = ast.copy_location(ast.Try([again(self.error, node)], [here, *later], [], []), self.owner)
        return [raising]

    def stmt_FunctionDef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        if self.role.startswith("decorate "):
            value: ast.expr = load(self.result, node)
            for decorator in reversed(node.decorator_list[:int(self.role.split()[1])]):
                value = ast.copy_location(ast.Call(load(self.names[id(decorator)], decorator), [value], []), decorator)
            return [ast.Assign([store(node.name, node)], value)]
        if self.has([a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg)]) or self.has(node.returns):
            raise CannotResume("the graph breaks inside an annotation")
        made = copy(node)
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
        targets = flat(node.targets)
        at = next(i for i, t in enumerate(targets) if self.has(t))
        here = [] if targets[at] is self.broken else [self.rebuilt(targets[at])]
        left = [*here, *targets[at + 1:]]
        return [ast.Delete(left)] if left else []

    def stmt_withitem(self, node: ast.withitem) -> list[ast.stmt]:
        """One item of a with statement; those before it are entered, which is not seen to here."""
        statement = self.owner
        later = statement.items[statement.items.index(node) + 1:]
        if self.has(node.optional_vars):
            targets = self.target(node.optional_vars, load(self.names[id(node)], statement))
            return [*targets, *(ast.copy_location(ast.With(later, statement.body), statement),)] if later else \
                [*targets, *statement.body]
        here = ast.withitem(self.expr(node.context_expr), node.optional_vars)
        return [ast.copy_location(ast.With([here, *later], statement.body), statement)]
