"""What happened beside compilations: the window and the reports tell it, equal things once, wrong results in red."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from guardscope.core.events.html_report import export_html
from guardscope.core.events.notes import notes
from guardscope.core.events.reader import Session

ROOT = Path(__file__).resolve().parents[2]
RESETS = """import torch


@torch.compile
def f(x):
    return x * 2


for n in range(6):
    f(torch.ones(3 + n))
    torch._dynamo.reset()
"""


def record(script: Path, target: Path, *options: str) -> str:
    done = subprocess.run([sys.executable, "main.py", "run", *options, str(script), "-o", str(target), "--backend", "eager"],
                          capture_output=True, text=True, cwd=ROOT, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def resets(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("resets")
    (folder / "resets.py").write_text(RESETS)
    return folder / "s.guardscope", record(folder / "resets.py", folder / "s.guardscope")


def test_equal_notes_are_told_once(resets: tuple[Path, str], tmp_path: Path) -> None:
    path, report = resets
    assert report.count("reset: torch.compiler.reset forgot every artifact (×6)") == report.count("reset:") == 1
    session = Session(path)
    [note] = notes(session)
    assert (note.kind, note.count) == ("reset", 6)
    with (tmp_path / "r.html").open("w") as file:
        export_html(session, file)
    data = re.search(r'id="data">(.*?)</script>', (tmp_path / "r.html").read_text(), re.DOTALL)
    assert data is not None
    assert [n["text"] for n in json.loads(data[1])["notes"]] == ["reset: torch.compiler.reset forgot every artifact (×6)"]
    session.close()


def test_the_window_tells_them_below_the_causes(make_window: Any, resets: tuple[Path, str], qtbot: Any) -> None:
    window = make_window()
    assert window.open_path(resets[0])
    qtbot.waitUntil(lambda: window.settled and not window.control.watching)
    window.show_view("causes")
    assert "reset: torch.compiler.reset forgot every artifact (×6)" in window.views["causes"].page.toPlainText()


def test_a_wrong_result_is_red_and_called_so(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    record(ROOT / "tests" / "scripts" / "hidden_method.py", tmp_path / "s.guardscope", "--shadow", "1")
    window = make_window()
    assert window.open_path(tmp_path / "s.guardscope")
    qtbot.waitUntil(lambda: window.settled and not window.control.watching)
    assert window.views["summary"].cause.text() == "f gave a wrong result in 1 call: plain Python gives another"
    window.model.select(call=2)
    page = window.views["call"].page.toPlainText()
    assert "Call 2  wrong result" in page.replace("\xa0", " ")
    assert "the reused version gave 2.0, plain Python 1.0" in page
    assert "ShadowDifference" not in page
    window.show_view("causes")
    text = window.views["causes"].page.toPlainText()
    assert "shadow check: 2 reused calls repeated in plain Python, 1 gave something else" in text
