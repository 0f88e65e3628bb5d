"""The pictures of the documentation: every view has one."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def test_every_view_has_pictures(make_window: Any, fake: Any) -> None:
    spec = importlib.util.spec_from_file_location("make_screenshots", ROOT / "docs" / "make_screenshots.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    always_seen = {"summary", "timeline", "functions", "output", "replay"}
    assert set(module.SHOWN) == set(make_window(fake.synthetic()).views) - always_seen
    assert {example for example, _ in module.SHOWN.values()} <= set(module.EXAMPLES)
    assert {p.stem for p in (ROOT / "resources" / "examples").glob("*.py")} == set(module.EXAMPLES)
