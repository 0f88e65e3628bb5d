"""A comprehension that the graph breaks in, as a function of its own that runs in one native step.

    parts = [y * show(i) for i in range(3)]      becomes      parts = comprehension_in_f_at_13(range(3), y)

The function is compiled like any other that natively run code calls; what it calls is compiled on its own.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from ..unit import Unit, parameter_count, register
from .build import Mangle, code_in_factory, empty_arguments, function_node
from .rest import CannotResume

WORDS = {ast.ListComp: "listcomp", ast.SetComp: "setcomp", ast.DictComp: "dictcomp"}
SOURCE = "items"
_units: dict[tuple[int, int, int], tuple[Unit, tuple[str, ...]]] = {}


def comprehension_unit(unit: Unit, node: Any, local: set[str]) -> tuple[Unit, tuple[str, ...]]:
    """The function for comprehension `node` of `unit`, and the variables it takes after its first iterable. `local`: names
    that are variables there. Raises CannotResume where the comprehension binds or shares variables of the function."""
    if any(unit is made for made, _ in _units.values()):
        raise CannotResume("the graph breaks inside a comprehension")
    if any(isinstance(n, ast.NamedExpr | ast.Lambda | ast.Await | ast.GeneratorExp) for n in ast.walk(node)):
        raise CannotResume("the comprehension binds or shares variables of the function")
    key = (id(unit.code), node.lineno, node.col_offset)
    known = _units.get(key)
    if known is not None:
        return known
    own = {n.id for clause in node.generators for n in ast.walk(clause.target) if isinstance(n, ast.Name)}
    outside = {id(n) for n in ast.walk(node.generators[0].iter)}
    used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in outside} - own
    taken = tuple(sorted(used & local))
    source = SOURCE
    while source in used | own:
        source += "_"
    inner = copy.deepcopy(node)
    inner.generators[0].iter = ast.copy_location(ast.Name(source, ast.Load()), inner)
    name = f"{WORDS[type(node)]}_in_{unit.original.name.strip('<>')}_at_{node.lineno}"
    body: list[ast.stmt] = [ast.copy_location(ast.Return(inner), node)]
    made = Mangle(unit.class_name if unit.kind != "resume" else None).visit(
        function_node(name, empty_arguments([source, *taken]), body, node))
    ast.fix_missing_locations(made)
    code = code_in_factory(made, [], unit.file)
    result = register(Unit(name=name, qualname=f"{unit.original.qualname}.<locals>.<{WORDS[type(node)]}>", kind="function",
                           node=made, params=code.co_varnames[:parameter_count(code)], code=code, freevars=code.co_freevars,
                           file=unit.file, first_line=node.lineno, class_name=None, located=unit.located))
    _units[key] = (result, taken)
    return _units[key]
