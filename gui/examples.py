"""The example scripts that come along: file, title (its docstring's first line) and what it shows (the rest)."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from .theme import RESOURCES

ORDER = ("dynamic_shapes.py", "module_counter.py", "graph_break.py", "closure_values.py")


@dataclass(frozen=True, slots=True)
class Example:
    path: Path
    title: str
    text: str


def examples() -> list[Example]:
    """Every script in resources/examples, the well-known ones first."""
    found = []
    for path in sorted((RESOURCES / "examples").glob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem
        title, _, text = doc.partition("\n")
        found.append(Example(path, title.rstrip("."), " ".join(text.split())))
    order = {name: i for i, name in enumerate(ORDER)}
    return sorted(found, key=lambda e: (order.get(e.path.name, len(order)), e.path.name))
