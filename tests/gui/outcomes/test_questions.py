"""Outcomes 10 to 14: what if, the policy lab and its suggestions, comparing, replay, and what is said while a script runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit

COUNTER = """import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return x / self.seen


meter = torch.compile(Meter(), backend="eager")
for n in range(10):
    meter(torch.ones(3))
"""
GROW = """

@torch.compile(backend="eager")
def grow(x):
    return x * 2


for n in (4, 5, 6):
    grow(torch.ones(n))
"""
CURED = COUNTER.replace("self.seen = 0", "self.seen = torch.tensor(0)")


# 10: what if


def test_a_signature_is_asked_about_and_nothing_is_run(story: Any, qtbot: Any) -> None:
    story.call(13)
    story.run("tools.what_if")
    view = story.window.views["what_if"]
    assert view.line.hasFocus()
    calls = story.window.model.facts.n_calls
    for typed, sentence in (("float32[9], 2", "Version 2 of sizes would take this call; 1 more would fit"),
                            ("float32[9], 7", "Version 2 of sizes would take this call"),
                            ("float32[1], 2", "Version 0 of sizes would take this call"),
                            ("float16[9], 2", "x.dtype float32 float16")):
        view.line.clear()
        qtbot.keyClicks(view.line, typed)
        qtbot.keyClick(view.line, Qt.Key.Key_Return)
        assert sentence in story.page("what_if"), typed
    assert story.window.model.facts.n_calls == calls
    refused = story.page("what_if")
    assert all(f"version {n}" in refused for n in (0, 1, 2)), "each version says which guards refuse"


def test_it_starts_from_any_call_and_a_value_is_edited_by_keyboard(story: Any, qtbot: Any) -> None:
    for call, value in ((3, "3"), (6, "6")):
        story.call(call)
        view = story.show("what_if")
        rows = {view.table.item(r, 0).text(): r for r in range(view.table.rowCount())}
        assert view.table.item(rows["self.seen"], 1).text() == value
    view.table.setFocus()
    view.table.setCurrentCell(rows["self.seen"], 2)
    qtbot.keyClick(view.table, Qt.Key.Key_F2)
    editor = view.table.findChild(QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, "5")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Version 5 of Meter.forward would take this call" in story.page("what_if"))
    view.table.item(rows["self.seen"], 2).setText("77")
    qtbot.waitUntil(lambda: "would run as plain Python" in story.page("what_if"))


# 11: the policy lab, and suggestions that were tried


def test_policies_in_one_table_and_a_suggestion_written_only_when_told(shown: Callable[[str], Any], tmp_path: Path) -> None:
    screen = shown(COUNTER + GROW)
    screen.click("causes", "Try it")
    rows = {r["Policy"]: r for r in screen.table("lab")}
    assert list(rows) == ["as it is", "dynamic=True", "dynamic=False", "limit 64", "keep self.seen as a tensor",
                          "compile grow with dynamic=True"]
    assert {"Versions", "Recompiled", "Compile", "Kernels", "Results"} <= set(rows["as it is"])
    assert (rows["as it is"]["Versions"], rows["as it is"]["Recompiled"]) == ("10", "8")
    assert rows["limit 64"]["Versions"] == "12"
    assert rows["dynamic=True"]["Versions"] == "9"
    assert rows["dynamic=False"]["Versions"] == "11"
    assert rows["compile grow with dynamic=True"]["What came of it"] == "2 versions → 1, all 13 results equal"
    cure = rows["keep self.seen as a tensor"]
    assert (cure["Versions"], cure["Results"]) == ("3", "equal")
    assert cure["What came of it"] == "8 versions → 1, all 13 results equal"
    assert re.fullmatch(r"[\d.]+ (µs|ms|s)", cure["Compile"])
    page = screen.page("lab")
    assert "8 versions → 1, all 13 results equal" in page, "the best is chosen"
    diff = page.partition("@@")[2]
    assert "- self.seen = 0" in diff and "+ self.seen = torch.tensor(0)" in diff
    screen.click("lab", "Copy the line")
    assert QGuiApplication.clipboard().text() == "self.seen = torch.tensor(0)"
    script = tmp_path / "model.py"
    assert script.read_text() == COUNTER + GROW, "nothing is written before the user says so"
    screen.click("lab", "Write this change into model.py")
    assert script.read_text() == CURED + GROW
    screen.click("lab", "Take the change back")
    assert script.read_text() == COUNTER + GROW
    assert "Tried: keep self.seen as a tensor: 8 versions → 1, all 13 results equal" in screen.page("causes")


# 12: comparing two sessions


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory, record: Callable[..., Path]) -> tuple[Path, Path]:
    """A script, and the same with a cure, three lines more above it, and one more cause."""
    folder = tmp_path_factory.mktemp("two")
    more = "\n\n@torch.compile\ndef f(x, k):\n    return x * k\n\n\nfor k in (1.5, 2.5):\n    f(torch.ones(2), k)\n"
    before = record(folder / "model.py", COUNTER)
    before = before.rename(folder / "before.guardscope")
    return before, record(folder / "model.py", "# one\n# two\n# three\n" + CURED + more)


def test_what_is_gone_and_new_matched_by_source(opened: Callable[[Path], Any], two: tuple[Path, Path],
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    from PySide6.QtWidgets import QFileDialog

    screen = opened(two[1])
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: (str(two[0]), ""))
    assert screen.window.commands.run("tools.compare")
    screen.qtbot.waitUntil(lambda: screen.window.model.comparison is not None)
    text = screen.page("compare")
    assert re.search(r"Causes: .*1 new.*gone", text), text
    gone, new = text.partition("Gone")[2], text.partition("New causes")[2].partition("Gone")[0]
    assert "self.seen in Meter.forward: 7 versions, now none" in gone
    assert "k in f: no versions, now 1 version" in new
    assert re.search(r"First call that differs: call 1\b", text)
    screen.click("compare", "1 call")
    assert "f(float32[2], 2.5)" in screen.page("call")
    assert screen.window.commands.run("tools.compare_swap")
    screen.qtbot.waitUntil(lambda: "now 7 versions" in screen.page("compare"))


def test_more_and_fewer(opened: Callable[[Path], Any], tmp_path: Path, record: Callable[..., Path]) -> None:
    few = record(tmp_path / "model.py", COUNTER.replace("range(10)", "range(3)")).rename(tmp_path / "few.guardscope")
    screen = opened(record(tmp_path / "model.py", COUNTER))
    screen.window.tools.compare_with(few)
    screen.qtbot.waitUntil(lambda: screen.window.model.comparison is not None)
    assert "self.seen in Meter.forward: 2 versions, now 7 versions" in screen.page("compare").partition("More than before")[2]
    assert screen.window.commands.run("tools.compare_swap")
    screen.qtbot.waitUntil(lambda: "Fewer than before" in screen.page("compare"))


# 13: replay


def test_replay_by_keyboard_shows_every_view_as_of_the_call(story: Any, qtbot: Any) -> None:
    canvas = story.window.timeline.canvas
    story.call(2)
    story.run("replay.toggle")
    assert story.window.views["replay"].isVisible()
    assert (story.chips()["recompiled"], story.tree()["Meter.forward"]["versions"]) == ("2", "3 of 8")
    assert "sizes" not in story.tree()
    assert "self.seen took 3 values: 3 versions of Meter.forward" in story.page("causes")
    for _ in range(6):
        qtbot.keyClick(canvas, Qt.Key.Key_Right)
    story.rest()
    assert story.tree()["Meter.forward"]["versions"] == "8 of 8"
    assert "then plain Python for 1 call" in story.page("causes")
    assert "as of call 8 of 24" in story.window.views["replay"].says.text()
    m = story.show("matrix").table.model()
    assert m.columnCount() == 8
    qtbot.keyClick(canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    story.rest()
    assert story.here == 7
    story.run("go.last")
    assert story.chips()["recompiled"] == "10"
    story.run("go.first")
    assert story.chips()["recompiled"] == "0"
    marks = story.marks()
    assert "13" not in {n for n, mark in marks.items() if mark.sign == "failed"}
    assert not marks[12].count.startswith("10")
    for view in ("guards", "coverage", "graph", "python", "kernel", "sizes", "call", "what_if"):
        story.show(view)
        assert not story.window.views[view].failed
    story.run("replay.toggle")
    assert story.chips()["recompiled"] == "10"


# 14: live

SLOW = """import time
import torch


@torch.compile
def f(x, n):
    return x * n + x


for n in range(400):
    f(torch.ones(3), float(n))
    print(n, flush=True)
    if n == 6:
        time.sleep(600)
"""


def test_what_is_said_while_it_runs_and_stop(opened: Callable[[Path], Any], tmp_path: Path, qtbot: Any) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    screen = opened(tmp_path / "slow.py")
    window, said = screen.window, []
    window.control.live_changed.connect(lambda state: said.append(state.text))
    assert window.commands.run("run.start")
    qtbot.waitUntil(lambda: "6" in window.views["output"].text.toPlainText().split())
    qtbot.waitUntil(lambda: window.strip.stop.isVisible())
    assert any(re.match(r"starting|running|call \d+", text) for text in said), said
    assert window.commands["run.start"].blocked() == "a script is running"
    qtbot.mouseClick(window.strip.stop, Qt.MouseButton.LeftButton)
    screen.rest()
    assert window.model.facts.n_calls == 7, "what was recorded stays"
    assert "stopped" in screen.said or "killed" in screen.said or "interrupted" in screen.said, screen.said


def test_a_compile_is_seen_while_it_lasts_and_the_second_run_knows_how_far_it_is(opened: Callable[[Path], Any],
                                                                               tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text("""import torch


@torch.compile(backend="eager")
def deep(x, k):
    for n in range(900):
        x = torch.tanh(x * k + n)
    return x


for k in (2.0, 3.0):
    deep(torch.ones(3), k)
""")
    screen = opened(tmp_path / "deep.py")
    said: list[str] = []
    shares: list[float | None] = []
    screen.window.control.live_changed.connect(lambda state: (said.append(state.text), shares.append(state.share)))
    screen.run("run.start")
    assert any(re.match(r"call 0: compiling version 0 of deep, \w+.*, [\d.]+ (ms|s)$", text) for text in said), said
    assert set(shares) == {None}, "how many calls there will be is not known the first time"
    said.clear()
    shares.clear()
    screen.run("run.again")
    assert any(share is not None for share in shares)
    assert any("of about 2" in text for text in said), said
    assert not screen.window.strip.bar.isVisible(), "nothing is left of it when the run is over"
