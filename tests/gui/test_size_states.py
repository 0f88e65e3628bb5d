"""What versions demand of sizes and numbers, on sessions that the real compiler recorded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from guardscope.core.events.reader import Session
from guardscope.gui.facts import Facts
from guardscope.gui.models.size_states import State, grouped, states_of

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """import torch


@torch.compile
def f(x, n):
    if x.shape[1] == 6:
        x = x + 1
    return x.reshape(-1, n)


f(torch.ones(1, 4), 2)
f(torch.ones(4, 4), 2)
f(torch.ones(8, 8), 2)
f(torch.ones(12, 10), 2)
f(torch.ones(12, 6), 2)
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("states")
    (folder / "f.py").write_text(SCRIPT)
    target = folder / "s.guardscope"
    done = subprocess.run([sys.executable, "main.py", "run", str(folder / "f.py"), "-o", str(target), "--quiet", "--backend",
                           "eager"], capture_output=True, text=True, cwd=ROOT, timeout=240)
    assert done.returncode == 0, done.stderr
    return target


def test_fixed_open_pinned(path: Path) -> None:
    with Session(path) as session:
        found = {name: [(v, s.kind) for v, s in states] for name, states in states_of(Facts(session), 0).items()}
        first = states_of(Facts(session), 0)["x.shape[0]"][0][1]
        versions = len(session.artifacts)
        taken = [session.signature(int(s)) for s in session.runs["signature"]]
        by_artifact = session.runs["artifact"].tolist()
    assert first == State("fixed", "fixed at 1", first.line, True)
    assert first.line in (6, 7, 8)
    assert found["x.shape[0]"][0] == (0, "fixed")
    assert found["x.shape[0]"][1][1] == "open"               # 1, then 4
    assert [kind for _, kind in found["n"]] == ["fixed"] * versions
    # What is said to be fixed or pinned was so in every call that the version took.
    with Session(path) as session:
        all_states = states_of(Facts(session), 0)
    for values, artifact in zip(taken, by_artifact):
        shape = dict(values)["x"].partition("[")[2].rstrip("]").split(", ")
        for dim, size in enumerate(shape):
            for version, state in all_states[f"x.shape[{dim}]"]:
                if version == artifact and state.kind != "open":
                    assert state.text.endswith(f" {size}")
    assert any(s.kind == "pinned" and s.line == 6 for states in all_states.values() for _, s in states)


def test_versions_with_one_state_are_one_entry() -> None:
    fixed, opened = State("fixed", "fixed at 1", 3, True), State("open", "dynamic: 2 or more")
    assert grouped([(0, fixed), (1, opened), (2, opened), (3, fixed), (4, fixed), (5, fixed)]) == [
        ("versions 0, 3–5", fixed), ("versions 1–2", opened)]
    assert grouped([(7, fixed)]) == [("version 7", fixed)]
    assert grouped([]) == []


def test_the_view_shows_them_and_leads_to_the_line(make_window: Any, path: Path, qtbot: Any) -> None:
    from PySide6.QtWidgets import QLabel

    window = make_window()
    assert window.open_path(path)
    window.model.select(call=0)
    window.show_view("sizes")
    view = window.views["sizes"]
    qtbot.waitUntil(lambda: window.jobs.idle and bool(getattr(view, "_plots", None)))
    labels = [label for label in view.area.widget().findChildren(QLabel) if "href" in label.text() or "special" in label.text()]
    text = " ".join(label.text() for label in labels)
    assert "Sizes 0 and 1 always get a version of their own." in text
    assert "pinned to 6 by" in text
    view._to_line("line:6")
    assert window.views["source"].edit.current_line == 6


def test_a_size_between_two_numbers() -> None:
    from guardscope.core.events.schema import GuardRow
    from guardscope.gui.models.size_states import _open, between

    assert between("2 <= x.shape[0] < 64") == ("x.shape[0]", 2, 63)
    assert between("-1 < n <= 9") == ("n", 0, 9)
    assert between("2 <= x.shape[0]") is None and between("x.shape[0] >= 2") is None
    rows = [GuardRow(n, "SHAPE_ENV", "x", text) for n, text in enumerate(
        ["2 <= x.shape[0] <= 64", "x.shape[0] >= 8", "0 <= x.shape[1] <= 3"])]
    state = _open("x.shape[0]", "s0", rows[:2])
    assert state is not None and state.text == "dynamic: 8 to 64"
