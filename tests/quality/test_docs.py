"""The documentation says what is so: the generated page is current, links lead somewhere, README's commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_coverage_page_is_current() -> None:
    """In a process of its own, where no test has imported or changed anything."""
    code = "import sys; sys.path.insert(0, 'docs'); import make_coverage; sys.stdout.write(make_coverage.page())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == (ROOT / "docs" / "torch_coverage.md").read_text(encoding="utf-8")


def test_links_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_named_files_exist() -> None:
    """Paths in backticks that look like files of ours."""
    missing = []
    for page in PAGES:
        for name in re.findall(r"`((?:core|gui|tests|benchmarks|docs|opencl_kernels|resources)/[\w/.]+\.\w+)`",
                               page.read_text(encoding="utf-8")):
            if not (ROOT / name).exists():
                missing.append(f"{page.name}: {name}")
    assert missing == []


def test_commands_in_readme_are_known() -> None:
    done = subprocess.run([sys.executable, "main.py", "--help"], capture_output=True, text=True, cwd=ROOT)
    for command in re.findall(r"^\| `main\.py (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.M):
        assert command in done.stdout, command
