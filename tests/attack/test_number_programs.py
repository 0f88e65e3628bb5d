"""A few random programs over symbolic numbers; `python -m tests.attack.number_programs SEED COUNT` tries more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_numbers_are_plain_pythons() -> None:
    command = [sys.executable, "-m", "tests.attack.number_programs", "1", "150"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.strip() == "150 programs, 0 differ"
