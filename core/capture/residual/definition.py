"""A class statement as a function of its own, which runs natively on the cells of the function it stands in."""

from __future__ import annotations

import ast
import types
from copy import deepcopy  # Python's own, whatever the script puts in their places

from ..unit import Unit
from .build import code_in_factory, empty_arguments, function_node
from .liveness import live_names


def definition_code(unit: Unit, node: ast.ClassDef, known: set[str]) -> types.CodeType:
    """Code that runs the statement and returns the class. Every variable of the function (`known`) that the statement
    mentions is a free variable of the code; so is the class itself where its methods mention it."""
    shared = sorted(live_names([node]) & known)
    made = deepcopy(node)
    returned = ast.copy_location(ast.Return(ast.copy_location(ast.Name(node.name, ast.Load()), node)), node)
    body: list[ast.stmt] = [made, returned]
    if node.name in shared:
        body.insert(0, ast.copy_location(ast.Nonlocal([node.name]), node))
    function = function_node("define", empty_arguments(), body, node)
    ast.fix_missing_locations(function)
    return code_in_factory(function, shared, unit.file, unit.original.qualname)
