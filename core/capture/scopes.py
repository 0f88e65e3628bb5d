"""Which names of a function are its own, by Python's scoping rules, from the syntax tree alone."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from weakref import WeakKeyDictionary

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, *COMPREHENSIONS)


@dataclass(frozen=True, slots=True)
class ScopeNames:
    """`local`: parameters and stored names. `declared_global`, `declared_nonlocal`: names under those statements."""

    local: frozenset[str]
    declared_global: frozenset[str]
    declared_nonlocal: frozenset[str]
    is_generator: bool


_known: WeakKeyDictionary[ast.AST, ScopeNames] = WeakKeyDictionary()


def names_of(node: ast.AST) -> ScopeNames:
    """The scope of a function, lambda or comprehension; computed once per node."""
    found = _known.get(node)
    if found is None:
        found = _known[node] = _analyse(node)
    return found


def parameters(args: ast.arguments) -> list[str]:
    """Parameter names in the order of the code's variables: positional, keyword-only, *args, **kwargs."""
    out = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    out += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
    return out


def _analyse(node: ast.AST) -> ScopeNames:
    stored: set[str] = set()
    made_global: set[str] = set()
    made_nonlocal: set[str] = set()
    yields = False

    def visit(n: ast.AST) -> None:
        nonlocal yields
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            stored.add(n.name)
            for part in _evaluated_outside(n):
                visit(part)
            return
        if isinstance(n, ast.Lambda):
            for part in _evaluated_outside(n):
                visit(part)
            return
        if isinstance(n, COMPREHENSIONS):
            visit(n.generators[0].iter)
            stored.update(walrus_names(n))
            return
        if isinstance(n, ast.Global):
            made_global.update(n.names)
        elif isinstance(n, ast.Nonlocal):
            made_nonlocal.update(n.names)
        elif isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            stored.add(n.id)
        elif isinstance(n, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and n.name:
            stored.add(n.name)
        elif isinstance(n, ast.MatchMapping) and n.rest:
            stored.add(n.rest)
        elif isinstance(n, ast.Import | ast.ImportFrom):
            stored.update((a.asname or a.name.split(".")[0]) for a in n.names)
        elif isinstance(n, ast.Yield | ast.YieldFrom):
            yields = True
        for child in ast.iter_child_nodes(n):
            visit(child)

    if isinstance(node, COMPREHENSIONS):
        for i, clause in enumerate(node.generators):
            stored.update(x.id for x in ast.walk(clause.target) if isinstance(x, ast.Name))
            if i:
                visit(clause.iter)
        return ScopeNames(frozenset(stored), frozenset(), frozenset(), False)
    if isinstance(node, ast.Lambda):
        stored.update(parameters(node.args))
        visit(node.body)
    else:
        stored.update(parameters(node.args))  # type: ignore[attr-defined]
        for statement in node.body:  # type: ignore[attr-defined]
            visit(statement)
    local = stored - made_global - made_nonlocal
    return ScopeNames(frozenset(local), frozenset(made_global), frozenset(made_nonlocal), yields)


def _evaluated_outside(n: ast.AST) -> list[ast.AST]:
    """The parts of a nested definition that are evaluated in the scope that holds it."""
    if isinstance(n, ast.ClassDef):
        return [*n.decorator_list, *n.bases, *(k.value for k in n.keywords)]
    args = n.args  # type: ignore[attr-defined]
    parts = [*args.defaults, *(d for d in args.kw_defaults if d is not None)]
    return [*getattr(n, "decorator_list", []), *parts]


def walrus_names(comprehension: ast.AST) -> set[str]:
    """Names that `:=` inside a comprehension binds in the scope around it."""
    return {n.target.id for n in ast.walk(comprehension) if isinstance(n, ast.NamedExpr)}


def free_names(node: ast.AST) -> frozenset[str]:
    """Names that a nested function mentions and may find in an enclosing function."""
    names = names_of(node)
    mentioned = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Nonlocal):
            mentioned.update(inner.names)
    if any(isinstance(n, ast.Name) and n.id == "super" for n in ast.walk(node)):
        mentioned.add("__class__")
    return frozenset((mentioned | names.declared_nonlocal) - names.local - names.declared_global)


def mangle(name: str, class_name: str | None) -> str:
    """Private-name mangling: `__x` in class C is `_C__x`."""
    if class_name is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = class_name.lstrip("_")
    return f"_{stripped}{name}" if stripped else name
