# The scoping rules that the evaluator works by, against Python's own symbol tables, over the standard library.
import ast
import symtable
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest
from guardscope.core.capture.scopes import mangle, names_of

STDLIB = Path(sysconfig.get_paths()["stdlib"])
MODULES = ["argparse", "ast", "bisect", "collections/__init__", "contextlib", "copy", "dataclasses", "dis",
           "doctest", "enum", "functools", "heapq", "inspect", "json/decoder", "logging/__init__", "pdb",
           "pickle", "random", "statistics", "tarfile", "textwrap", "threading", "traceback", "typing",
           "unittest/mock", "warnings", "zipimport"]


def functions(table):
    for child in table.get_children():
        if isinstance(child, symtable.Function) and child.get_name() not in ("listcomp", "setcomp", "dictcomp", "genexpr"):
            yield child
        yield from functions(child)


def by_line(path):
    tables = {}
    for table in functions(symtable.symtable(path.read_text(encoding="utf-8"), str(path), "exec")):
        tables.setdefault((table.get_name(), table.get_lineno()), []).append(table)
    return {key: found[0] for key, found in tables.items() if len(found) == 1}


def comprehension_variables(node):
    if sys.version_info < (3, 12):
        return set()
    return {n.id for c in ast.walk(node) if isinstance(c, ast.comprehension) for n in ast.walk(c.target)
            if isinstance(n, ast.Name)}


@pytest.mark.parametrize("module", MODULES)
def test_against_symbol_tables(module):
    path = STDLIB / f"{module}.py"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = by_line(path)
        tree = ast.parse(path.read_text(encoding="utf-8"))
    checked = 0

    # private names are compared unmangled
    def visit(node, class_name):
        nonlocal checked
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            table = tables.get((getattr(node, "name", "lambda"), node.lineno)) or \
                tables.get((getattr(node, "name", "lambda"), first))
            if table is not None:
                checked += 1
                names = names_of(node)
                wanted = {s.get_name() for s in table.get_symbols() if s.is_local() and not s.is_global()}
                if "__class__" in wanted:
                    wanted.discard("__class__")
                extra = wanted - {mangle(n, class_name) for n in names.local}
                assert {mangle(n, class_name) for n in names.local} <= wanted, (module, node.lineno)
                assert extra <= comprehension_variables(node), (module, node.lineno)       # inlined from Python 3.12 on
                declared = {s.get_name() for s in table.get_symbols() if s.is_declared_global()}
                assert {mangle(n, class_name) for n in names.declared_global} == declared, (module, node.lineno)
        for child in ast.iter_child_nodes(node):
            visit(child, node.name if isinstance(node, ast.ClassDef) else class_name)

    visit(tree, None)
    assert checked > 0
