"""The reference scripts of kind a, where the folder with them lies beside the checkout (or is named by
GUARDSCOPE_REFERENCE): every call as recorded from TorchDynamo."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from .compare import differences, dimension_differences
from .record import record

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("GUARDSCOPE_REFERENCE", ROOT.parent / "shared" / "dynamo_reference"))
SCRIPTS = sorted((FOLDER / "scripts").glob("a*.py"))


@pytest.mark.skipif(not SCRIPTS, reason="the folder with the reference scripts is not here")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_equal_call_by_call(script: Path) -> None:
    expected = json.loads((FOLDER / "facts" / f"{script.stem}.json").read_text(encoding="utf-8"))
    actual = record(script)
    assert differences(expected, actual) == []
    assert dimension_differences(expected, actual) == []
