"""The tables of cases (tests/ops/differential) under PyTorch and under Guardscope, and eager against compiled.

The comparison with PyTorch needs an interpreter that has it: `GUARDSCOPE_TORCH_PYTHON=/path/to/python pytest ...`. Without
one it is skipped. Differences that docs/make_comparison.py has recorded are allowed; any other one fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from guardscope.tests.ops.differential import outcomes, run

REFERENCE = os.environ.get("GUARDSCOPE_TORCH_PYTHON", "")


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("table", run.TABLES)
def test_cases_come_out_as_under_pytorch(table: str, tmp_path: Path) -> None:
    if not REFERENCE:
        pytest.skip("GUARDSCOPE_TORCH_PYTHON names no interpreter with PyTorch")
    theirs = outcomes.outcomes(REFERENCE, "reference", tmp_path, (table,))
    ours = outcomes.outcomes(sys.executable, "ours", tmp_path, (table,))
    allowed = {text: sum(count for count, _ in kinds.values()) for text, kinds in outcomes.known()[table]["differ"].items()}
    found: Counter[str] = Counter()
    words: dict[str, str] = {}
    for _, (text, inputs), what in outcomes.differences(theirs, ours):
        if what is not None:
            found[text] += 1
            words[text] = f"{inputs}: {what}"
    new = {text: words[text] for text, count in found.items() if count > allowed.get(text, 0)}
    assert not new, "\n".join(f"{text}   {what}" for text, what in new.items())


def test_every_table_has_cases_and_their_count_is_recorded() -> None:
    """A table that grew needs a new comparison: `python docs/make_comparison.py PYTHON TABLE`."""
    recorded = outcomes.known()
    assert {t: len(c) for t, c in run.all_cases().items()} == {t: recorded[t]["cases"] for t in run.TABLES}


def test_the_page_is_what_the_record_says() -> None:
    code = "import sys; sys.path.insert(0, 'docs'); import make_comparison as m; sys.stdout.write(m.page(m.outcomes.known()))"
    root = outcomes.HERE.parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout == (root / "docs" / "torch_comparison.md").read_text(encoding="utf-8")


@pytest.mark.timeout(600)
def test_compiled_outcomes_equal_eager_ones() -> None:
    """A sample of all tables, each case as it is and under torch.compile, in a process of its own."""
    done = subprocess.run(
        [sys.executable, str(outcomes.HERE / "compiled.py"), "601", "17"], capture_output=True, text=True, timeout=590
    )
    assert done.returncode == 0, done.stderr[-2000:]
    *lines, last = done.stdout.splitlines()
    assert lines == []
    assert int(last.split()[0]) > 50


@pytest.mark.timeout(600)
def test_what_depends_on_a_number_is_decided_for_every_number() -> None:
    """A sample of all tables, whose numbers are arguments and change from call to call."""
    done = subprocess.run(
        [sys.executable, str(outcomes.HERE / "varied.py"), "601", "23"], capture_output=True, text=True, timeout=590
    )
    assert done.returncode == 0, done.stderr[-2000:]
    *lines, last = done.stdout.splitlines()
    assert lines == []
    assert int(last.split()[0]) > 50
