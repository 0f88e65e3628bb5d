"""What a break leaves behind is called by the script's own expressions, never by the names that generated code gives it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from guardscope.core.events.reader import Session

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """import torch


@torch.compile(backend="eager")
def f(x, scale):
    y = x * 2
    print(float(y.max()) + scale)
    return y * y.sum().item() + (y.sum().item() + y.sum().item())


for n in range(3):
    f(torch.ones(2 + n), n)
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("words")
    (folder / "f.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "main.py", "run", str(folder / "f.py"), "-o", str(folder / "f.guardscope"),
                           "--quiet"], capture_output=True, text=True, cwd=ROOT, timeout=240)
    assert done.returncode == 0, done.stderr
    with Session(folder / "f.guardscope") as found:
        yield found


def test_parameters_of_resume_functions_are_expressions_of_the_script(session: Session) -> None:
    names = [name for c in session.codes if c.kind == "resume" for name in c.params]
    assert "float(y.max())" in names and "y.sum().item()" in names and "print" in names
    said = [name for number in range(session.signature_count) for name, _ in session.signature(number)]
    assert set(said) <= {name for c in session.codes for name in c.params}


def test_two_values_that_read_alike_keep_names_of_their_own(session: Session) -> None:
    for c in session.codes:
        assert len(set(c.params)) == len(c.params), c


def test_no_cause_is_called_by_a_made_up_name(session: Session) -> None:
    from guardscope.core.events.summary import advice, causes

    texts = [c.place for c in causes(session)] + [a.text for a in advice(session)]
    texts += [g.condition for a in session.artifacts for g in session.guards(a.id)]
    assert texts and not [text for text in texts if re.search(r"\b__[vt]\d", text)]
