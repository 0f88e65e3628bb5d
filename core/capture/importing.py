"""Import statements: of modules that are imported already."""

from __future__ import annotations

import ast
import importlib.util
import sys
from typing import Any

from .attributes import get_attribute
from .expressions import store_name
from .frames import Frame
from .reading import of_constant
from .relied import note
from .signals import Break, Done


def import_(ev: Any, frame: Frame, s: ast.Import) -> Done:
    frame.at(s, "statement")
    for alias in s.names:
        module = loaded(ev, alias.name)
        if alias.asname is None:
            module = loaded(ev, alias.name.split(".")[0])
        store_name(ev, frame, alias.asname or alias.name.split(".")[0], of_constant(ev, module, ev.pin(module)))
    return None


def import_from(ev: Any, frame: Frame, s: ast.ImportFrom) -> Done:
    frame.at(s, "statement")
    name = s.module or ""
    if s.level:
        package = frame.globals.real.get("__package__") or ""
        name = importlib.util.resolve_name("." * s.level + name, package)
    module = loaded(ev, name)
    value = of_constant(ev, module, ev.pin(module))
    for alias in s.names:
        if alias.name == "*":
            raise Break("import", what=f"everything in {name}")
        full = f"{name}.{alias.name}"
        found = of_constant(ev, sys.modules[full], ev.pin(sys.modules[full])) \
            if full in sys.modules and not hasattr(module, alias.name) else get_attribute(ev, value, alias.name)
        store_name(ev, frame, alias.asname or alias.name, found)
    return None


def loaded(ev: Any, name: str) -> Any:
    """A module that is imported already; that it stays the one is a condition."""
    module = sys.modules.get(name)
    if module is None:
        raise Break("import", what=name)
    note(ev, sys.modules, sys.modules, name, module, f"sys.modules.{name}")
    return module


