"""The reference scripts, where the folder with them lies beside the checkout (or is named by GUARDSCOPE_REFERENCE): every
call as recorded from TorchDynamo, or as docs/differences.md lists it. Kind a and the scripts on the list by default; all
with GUARDSCOPE_REFERENCE_ALL=1."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from .compare import differences, dimension_differences
from .listed import disagreements, listed, measured
from .record import record

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("GUARDSCOPE_REFERENCE", ROOT.parent / "shared" / "dynamo_reference"))
ON_LIST = {row.script for row in listed()}
SCRIPTS = [p for p in sorted((FOLDER / "scripts").glob("*.py"))
           if p.stem[0] == "a" or p.stem in ON_LIST or os.environ.get("GUARDSCOPE_REFERENCE_ALL")]


@pytest.mark.skipif(not SCRIPTS, reason="the folder with the reference scripts is not here")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_every_call_as_recorded_or_as_listed(script: Path) -> None:
    expected = json.loads((FOLDER / "facts" / f"{script.stem}.json").read_text(encoding="utf-8"))
    actual = record(script)
    rows = measured(script.stem, expected, actual)
    assert disagreements(rows, {script.stem}) == []
    found = differences(expected, actual)
    assert not any("WRONG" in f for f in found)
    if not rows:
        assert found == []
    if script.stem[0] == "a":
        assert dimension_differences(expected, actual) == []
