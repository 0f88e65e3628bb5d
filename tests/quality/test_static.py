"""The code itself: lint, types, the list of packages, and the borders between folders."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [p for folder in ("core", "gui", "resources", "opencl_kernels") for p in sorted((ROOT / folder).rglob("*.py"))]


def run(*command: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=ROOT, **more)  # type: ignore


def test_ruff_finds_nothing() -> None:
    done = run("ruff", "check", "--quiet", ".")
    assert done.returncode == 0, done.stdout


@pytest.mark.timeout(600)
def test_types_are_right(tmp_path: Path) -> None:
    (tmp_path / "guardscope").symlink_to(ROOT)
    done = run("mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache"),
               "-p", "guardscope.core", "-p", "guardscope.gui", env={**os.environ, "MYPYPATH": str(tmp_path)})
    assert done.returncode == 0, done.stdout


def test_every_package_is_listed() -> None:
    """A folder that is not listed would be missing from the installed program."""
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {"guardscope", *("guardscope." + ".".join(p.parent.relative_to(ROOT).parts) for p in SOURCES
                             if p.name == "__init__.py")}
    assert found == listed


def imports(path: Path) -> list[tuple[int, str]]:
    """(level, module) of every import in a file; level counts the leading dots."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module or ""))
    return found


def test_core_never_imports_qt() -> None:
    bad = [(p.name, name) for p in SOURCES if ROOT / "core" in p.parents for level, name in imports(p)
           if level == 0 and name.split(".")[0] in ("PySide6", "pyqtgraph", "shiboken6")]
    assert bad == []


def test_inner_imports_are_relative() -> None:
    """A script under inspection may have modules called core or gui; an absolute import of ours would meet those."""
    bad = [(p.name, name) for p in SOURCES if p.parts[len(ROOT.parts)] in ("core", "gui") for level, name in imports(p)
           if level == 0 and name.split(".")[0] in ("core", "gui", "resources", "torch")]
    assert bad == []
