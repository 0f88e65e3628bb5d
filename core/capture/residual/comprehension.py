"""A comprehension that the graph breaks in, as a function of its own; a generator expression, as a generator function.

    parts = [y * show(i) for i in range(3)]      becomes      def listcomp_in_f_at_13(items, y):
                                                                  out = []
                                                                  for i in items:
                                                                      item = y * show(i)
                                                                      out.append(item)
                                                                  return out

The functions are compiled like any other that natively run code calls, so they keep their graphs around the break.
"""

from __future__ import annotations

import ast
from copy import deepcopy  # Python's own, whatever the script puts in their places
from dataclasses import dataclass
from typing import Any

from ..scopes import free_names, walrus_names
from ..unit import Unit, parameter_count, register
from .build import code_in_factory, empty_arguments, function_node
from .nodes import CannotResume, load, reserved, store

WORDS = {ast.ListComp: "listcomp", ast.SetComp: "setcomp", ast.DictComp: "dictcomp", ast.GeneratorExp: "genexpr"}
SHARING = (ast.Lambda, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Comprehension:
    """The function of one comprehension: after its first iterable it takes the variables `taken`; `shared` are its free
    variables."""

    unit: Unit
    taken: tuple[str, ...]
    shared: tuple[str, ...]


_known: dict[tuple, Comprehension] = {}


def _looks_at_variables(node: ast.AST) -> bool:
    """locals(), vars() and dir() without arguments, eval and exec."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) \
        and (node.func.id in ("eval", "exec") or node.func.id in ("locals", "vars", "dir") and not node.args)


def comprehension_unit(unit: Unit, node: Any, local: set[str]) -> Comprehension:
    """The function for comprehension `node` of `unit`. `local`: names that are variables there. What functions made inside
    it see, what it binds with `:=`, and whatever a generator expression mentions, it shares with the function around it."""
    if any(isinstance(n, ast.Await) or isinstance(n, ast.comprehension) and n.is_async for n in ast.walk(node)):
        raise CannotResume("the comprehension is asynchronous")
    if any(map(_looks_at_variables, ast.walk(node))):
        raise CannotResume("the comprehension looks at its own variables")
    own = {n.id for clause in node.generators for n in ast.walk(clause.target) if isinstance(n, ast.Name)}
    outside = {id(n) for n in ast.walk(node.generators[0].iter)}
    inside = [n for n in ast.walk(node) if id(n) not in outside]
    used = {n.id for n in inside if isinstance(n, ast.Name)} - own
    assigned = walrus_names(node)
    shared = set(assigned) | {name for n in inside if isinstance(n, SHARING) and n is not node for name in free_names(n)}
    if isinstance(node, ast.GeneratorExp):
        shared |= used
    free = tuple(sorted((shared & local | assigned) - own))
    taken = tuple(sorted(used & local - set(free)))
    key = (id(unit.original.code), node.lineno, node.col_offset, taken, free)
    found = _known.get(key)
    if found is None:
        found = _known[key] = Comprehension(_make(unit, node, used | own, taken, free, assigned), taken, free)
    return found


def _make(unit: Unit, node: Any, names: set[str], taken: tuple[str, ...], free: tuple[str, ...], assigned: set[str]) -> Unit:
    source, out, item = (reserved(n, sorted(names)) for n in ("items", "out", "item"))
    body = [ast.copy_location(s, node) for s in element(node, out, item)]
    for i, clause in reversed(list(enumerate(deepcopy(node.generators)))):
        for condition in reversed(clause.ifs):
            body = [ast.copy_location(ast.If(condition, body, []), condition)]
        iterable = clause.iter if i else load(source, clause.iter)
        body = [ast.copy_location(ast.For(clause.target, iterable, body, []), clause.target)]
    word = WORDS[type(node)]
    if not isinstance(node, ast.GeneratorExp):
        empty: ast.expr = ast.List([], ast.Load()) if isinstance(node, ast.ListComp) else ast.Dict([], []) \
            if isinstance(node, ast.DictComp) else ast.Set([ast.Starred(ast.Tuple([], ast.Load()), ast.Load())])
        body = [ast.copy_location(ast.Assign([store(out, node)], empty), node), *body,
                ast.copy_location(ast.Return(load(out, node)), node)]
    if assigned:
        body.insert(0, ast.copy_location(ast.Nonlocal(sorted(assigned)), node))
    name = f"{word}_in_{unit.original.name.strip('<>')}_at_{node.lineno}"
    made = function_node(name, empty_arguments([source, *taken]), body, node)
    ast.fix_missing_locations(made)
    code = code_in_factory(made, free, unit.file, f"{unit.original.qualname}.<locals>.<{word}>")
    return register(Unit(name=name, qualname=f"{unit.original.qualname}.<locals>.<{word}>", kind="function", node=made,
                         params=code.co_varnames[:parameter_count(code)], code=code, freevars=code.co_freevars,
                         file=unit.file, first_line=node.lineno, class_name=None, located=unit.located))


def element(node: Any, out: str, item: str) -> list[ast.stmt]:
    """What happens with one element; the key of a dict is evaluated before the value."""
    made = deepcopy(node)
    if isinstance(made, ast.GeneratorExp):
        return [ast.Expr(ast.copy_location(ast.Yield(made.elt), made.elt))]
    if isinstance(made, ast.DictComp):
        return [ast.Assign([store(item, made.key)], made.key),
                ast.Assign([ast.Subscript(load(out, made), load(item, made), ast.Store())], made.value)]
    method = ast.Attribute(load(out, made), "append" if isinstance(made, ast.ListComp) else "add", ast.Load())
    return [ast.Assign([store(item, made)], made.elt), ast.Expr(ast.Call(method, [load(item, made)], []))]
