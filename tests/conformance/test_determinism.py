"""What is compiled does not depend on the order in which Python's sets happen to hold names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from guardscope.core.events.reader import Session

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """import torch

def show(step):
    print("step", step)

@torch.compile
def run(first, second, third, scale):
    total = first + second
    offset = third * scale
    for index in range(3):
        total = torch.sin(total) + index * offset
        show(index)
    values = [total * show(k) if k > 5 else total + k for k in range(3)]
    return sum(values) + offset

x = torch.arange(4.0)
run(x, x + 1, x + 2, 2.0)
run(x, x + 1, x + 2, 2.0)
"""


def compiled(folder: Path, seed: int) -> list[tuple[str, int, bool, str]]:
    """The artifacts of one run: function, version, whether it has a graph, and its Python."""
    script, target = folder / "script.py", folder / f"{seed}.guardscope"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, "main.py", "run", str(script), "-o", str(target), "--quiet", "--backend", "eager"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300,
                          env={**os.environ, "PYTHONHASHSEED": str(seed)})
    assert done.returncode == 0, done.stderr
    session = Session(target)
    session.refresh()
    found = [(session.codes[a.code].qualname, a.version, a.has_graph, a.python_text) for a in session.artifacts]
    session.close()
    return found


def test_the_order_of_names_in_sets_changes_nothing(tmp_path: Path) -> None:
    first, *others = [compiled(tmp_path, seed) for seed in range(4)]
    assert len(first) >= 4
    for other in others:
        assert [row[:3] for row in other] == [row[:3] for row in first]
        assert other == first
