"""What if, the policy lab and comparing, driven through the window's commands on sessions of the real compiler."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
COUNTER = """import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return x / self.seen


meter = torch.compile(Meter(), backend="eager")
for n in range(1, 11):
    meter(torch.ones(3))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tools")
    (place / "meter.py").write_text(COUNTER)
    (place / "cured").mkdir()
    (place / "cured" / "meter.py").write_text(COUNTER.replace("self.seen = 0", "self.seen = torch.tensor(0)"))
    for name in ("", "cured"):
        done = subprocess.run([sys.executable, "main.py", "run", str(place / name / "meter.py"), "-o",
                               str(place / f"meter{name}.guardscope"), "--quiet"], capture_output=True, text=True, cwd=ROOT,
                              timeout=240)
        assert done.returncode == 0, done.stderr
    return place


@pytest.fixture
def window(make_window: Any, folder: Path, qtbot: Any) -> Any:
    (folder / "meter.py").write_text(COUNTER)
    made = make_window()
    assert made.open_path(folder / "meter.guardscope")
    qtbot.waitUntil(lambda: made.settled and not made.control.watching)
    return made


def shown(view: Any) -> str:
    return " ".join(view.page.toPlainText().split())


def test_what_if(window: Any, qtbot: Any) -> None:
    from PySide6.QtCore import Qt

    window.model.select(call=9)
    assert window.commands.run("tools.what_if")
    view = window.views["what_if"]
    assert view.front
    qtbot.keyClicks(view.line, "float32[3], self.seen=4")
    qtbot.keyClick(view.line, Qt.Key.Key_Return)
    assert view.answer.outcome == "reuse"
    assert "A kept version would be used again" in shown(view)
    assert "version 4 takes it: all" in shown(view)
    window.model.select(call=0)                       # another call: the question stays
    assert view.answer.outcome == "reuse"
    assert view.edits.keys() == {"self.seen"}
    rows = {view.table.item(r, 0).text(): r for r in range(view.table.rowCount())}
    view.table.item(rows["x"], 2).setText("float16[1, 2]")
    qtbot.waitUntil(lambda: view.answer.outcome == "eager_limit")
    assert "x.dtype float32 float16" in shown(view)
    assert "would run as plain Python" in shown(view)
    view.table.item(rows["x"], 2).setText("float17[1]")
    qtbot.waitUntil(lambda: "there is no dtype 'float17'; did you mean float16?" in shown(view))
    view.reset.click()
    assert (view.edits, view.problem, view.line.text()) == ({}, "", "")
    assert view.answer.artifact == 0
    assert not view.failed


def test_what_if_needs_a_call(make_window: Any, folder: Path) -> None:
    window = make_window()
    assert window.commands["tools.what_if"].blocked() == "no script or session is open"
    window.open_path(folder / "meter.py")
    assert window.commands["tools.what_if"].blocked() == "no call was recorded"


def test_the_lab_tries_and_writes_when_told(window: Any, folder: Path, qtbot: Any) -> None:
    from PySide6.QtGui import QGuiApplication

    window.show_view("causes")
    window.views["causes"].page.followed.emit("lab", [""])
    assert window.tools.lab.running
    assert window.commands["tools.lab"].blocked() == "the policy lab is running"
    view = window.views["lab"]
    assert view.front
    qtbot.waitUntil(lambda: not window.tools.lab.running and not window.tools.lab._timer.isActive())
    names = [t.policy.name for t in view.table_model.rows]
    assert names == ["as it is", "dynamic=True", "dynamic=False", "limit 64", "keep self.seen as a tensor"]
    assert "8 versions → 1, all 10 results equal" in shown(view)              # the best is chosen
    assert "self.seen = torch.tensor(0)" in shown(view)
    assert "8 versions → 1, all 10 results equal" in window.views["summary"].cure.text()
    assert "8 versions → 1" in window.banner.text()
    view.page.followed.emit("copy", [""])
    assert QGuiApplication.clipboard().text() == "self.seen = torch.tensor(0)"
    assert (folder / "meter.py").read_text() == COUNTER
    view.page.followed.emit("write", [""])
    assert (folder / "meter.py").read_text() == COUNTER.replace("self.seen = 0", "self.seen = torch.tensor(0)")
    assert "Written into meter.py" in shown(view)
    view.page.followed.emit("write", [""])                                   # takes it back
    assert (folder / "meter.py").read_text() == COUNTER
    window.show_view("causes")
    assert "Tried: keep self.seen as a tensor: 8 versions → 1, all 10 results equal" in shown(window.views["causes"])
    view.page.followed.emit("compare", [""])
    qtbot.waitUntil(lambda: window.model.comparison is not None and window.settled)
    assert "self.seen in Meter.forward: 7 versions, now none" in shown(window.views["compare"])


def test_a_changed_script_is_not_written_over(window: Any, folder: Path, qtbot: Any) -> None:
    said: list[str] = []
    window.problem.connect(said.append)
    assert window.commands.run("tools.lab")
    qtbot.waitUntil(lambda: not window.tools.lab.running and not window.tools.lab._timer.isActive())
    (folder / "meter.py").write_text(COUNTER + "# more\n")
    window.views["lab"].page.followed.emit("write", [""])
    assert said
    assert "has changed since it was tried" in said[0]
    assert (folder / "meter.py").read_text() == COUNTER + "# more\n"


def test_the_lab_is_stopped(window: Any, folder: Path, qtbot: Any) -> None:
    (folder / "meter.py").write_text(COUNTER + "while True:\n    pass\n")
    assert window.commands.run("tools.lab")
    qtbot.waitUntil(lambda: "as it is" in window.views["lab"].says.text())
    assert window.commands.run("tools.lab_stop")
    qtbot.waitUntil(lambda: not window.tools.lab.running)
    window.tools.lab.poll()
    assert {t.state for t in window.model.lab.trials} == {"stopped"}
    assert window.commands["tools.lab_stop"].blocked()


def test_compare_two_sessions(window: Any, folder: Path, qtbot: Any) -> None:
    window.tools.compare_with(folder / "metercured.guardscope")
    qtbot.waitUntil(lambda: window.model.comparison is not None)
    assert window.banner.text().startswith("finished in ")
    view = window.views["compare"]
    assert view.front
    text = shown(view)
    assert "Causes: 2 new" in text
    assert "self.seen in Meter.forward: no versions, now 7 versions" in text
    assert "First call that differs: call 1" in text
    place = next(i for i, c in enumerate(window.model.comparison.changes) if c.kind == "recompile")
    view.page.followed.emit("change", [str(place)])
    assert window.model.selection.call == 1
    assert window.model.highlight == frozenset(range(1, 8))
    assert window.commands.run("tools.compare_swap")
    qtbot.waitUntil(lambda: window.jobs.idle and "gone" in shown(view))
    assert window.model.session.path == folder / "metercured.guardscope"


def test_what_a_run_became_does_not_hide_that_sessions_are_compared(window: Any, folder: Path, qtbot: Any,
                                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    """As after Compare in the lab: a session is opened, and compared with another at once."""
    from guardscope.gui import tools

    gate, real = threading.Event(), tools.compare_files

    def slow(before: Path, after: Path) -> Any:
        assert gate.wait(120)
        return real(before, after)

    monkeypatch.setattr(tools, "compare_files", slow)
    said: list[str] = []
    window.control.banner_changed.connect(lambda text, live: said.append(text))
    try:
        assert window.open_path(folder / "metercured.guardscope")
        window.tools.compare_with(folder / "meter.guardscope")
        assert window.banner.text() == "comparing with meter.guardscope\N{HORIZONTAL ELLIPSIS}"
        window.control.watch()               # which tells, as it does once the session is shown
        assert said[-1].startswith("finished in ")
        assert window.banner.text() == "comparing with meter.guardscope\N{HORIZONTAL ELLIPSIS}"
    finally:
        gate.set()
    qtbot.waitUntil(lambda: window.model.comparison is not None and window.settled and not window.control.watching)
    assert window.banner.text().startswith("finished in ")


def test_compare_with_the_run_before(window: Any, folder: Path, qtbot: Any) -> None:
    assert window.commands["tools.compare_last"].blocked() == "the script was run once only"
    (folder / "meter.py").write_text(COUNTER.replace("range(1, 11)", "range(1, 4)"))
    assert window.commands.run("run.start")
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching)
    assert window.commands.run("tools.compare_last")
    qtbot.waitUntil(lambda: window.model.comparison is not None and window.jobs.idle)
    assert "self.seen in Meter.forward: 7 versions, now 2 versions" in shown(window.views["compare"])


def test_what_cannot_be_compared_gets_a_sentence(window: Any, tmp_path: Path, qtbot: Any) -> None:
    said: list[str] = []
    window.problem.connect(said.append)
    window.tools.compare_with(tmp_path / "none.guardscope")
    qtbot.waitUntil(lambda: bool(said))
    assert "there is no file" in said[0]
    assert window.views["compare"].front
    assert "Nothing is compared." in shown(window.views["compare"])


def test_replay_shows_every_view_as_of_the_call(window: Any, qtbot: Any) -> None:
    from PySide6.QtCore import Qt

    m = window.model
    whole = m.session
    m.select(call=2)
    assert window.commands["replay.play"].blocked() == "replay is off"
    assert window.commands.run("replay.toggle")
    assert window.commands.action("replay.toggle").isChecked()
    bar = window.views["replay"]
    assert bar.isVisible()
    assert (len(m.session.artifacts), m.as_of, m.whole) == (3, 2, whole)
    assert window.views["summary"].chips.chips["recompile"].text().strip().startswith("2 ")
    window.timeline.canvas.setFocus()
    qtbot.keyClick(window.timeline.canvas, Qt.Key.Key_Right)
    assert (m.as_of, m.selection.call, len(m.session.artifacts)) == (3, 3, 4)
    assert "as of call 3 of 9" in bar.says.text()
    assert window.timeline.canvas.facts.n_calls == 10                         # the future stays on the timeline
    assert window.timeline.canvas.now == 3
    assert "took 4 values: 4 versions" in window.views["summary"].cause.text()
    assert window.commands.run("go.last")
    assert "then plain Python for 2 calls" in window.views["summary"].cause.text()
    assert window.commands.run("go.back")
    assert (m.as_of, m.selection.call) == (3, 3)
    bar.slider.setValue(0)
    assert (m.as_of, len(m.session.artifacts), m.selection.artifact) == (0, 1, 0)
    assert window.views["summary"].cause.text() == "Nothing was compiled again."
    m.select(call=8)
    m.select(artifact=7)
    assert m.as_of == 8
    for name in window.docks.docks:
        window.show_view(name)
        m.select(call=4)
        m.select(call=1)
    qtbot.waitUntil(lambda: window.jobs.idle)
    assert [v.name for v in window.views.values() if v.failed] == []
    assert window.commands.run("replay.toggle")
    assert not bar.isVisible()
    assert m.session is whole
    assert "8 versions of Meter.forward" in window.views["summary"].cause.text()


def test_replay_plays_to_the_end(window: Any, qtbot: Any) -> None:
    window.model.select(call=6)
    window.commands.run("replay.toggle")
    bar = window.views["replay"]
    bar.ticks.setInterval(1)
    assert window.commands.run("replay.play")
    qtbot.waitUntil(lambda: not bar.ticks.isActive())
    assert window.model.as_of == 9
    assert bar.buttons["play"].text() == "Play"
    window.commands.run("file.close")
    assert window.model.as_of is None


def test_replay_while_the_script_runs(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    """The past stays as it was while more is recorded, and the end of the run is noticed."""
    gate = tmp_path / "go"
    gate.write_text("")
    script = tmp_path / "live.py"
    script.write_text("import os, torch\n\n\n@torch.compile(backend='eager')\ndef f(x, k):\n    return x * k\n\n\n"
                      f"for n in range(6):\n    f(torch.ones(2), n)\n    while n == 2 and os.path.exists({str(gate)!r}):\n"
                      "        pass\n")
    window = make_window()
    assert window.open_path(script, run=True)
    m = window.model
    qtbot.waitUntil(lambda: m.whole_facts is not None and m.whole_facts.n_calls == 3)
    m.select(call=1)
    assert window.commands.run("replay.toggle")
    gate.unlink()
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching)
    assert m.whole_facts.n_calls == 6
    assert (m.as_of, m.facts.n_calls) == (1, 2)
    assert "6 calls" in window.banner.text()
    assert window.views["replay"].slider.maximum() == 5
    assert window.commands.run("go.last")
    assert m.facts.n_calls == 6
    assert [v.name for v in window.views.values() if v.failed] == []


def test_values_of_a_call_are_shown_whole_in_a_small_window(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    from PySide6.QtGui import QFontMetrics

    script = tmp_path / "wide.py"
    script.write_text("import torch\n\n\n@torch.compile(backend='eager')\ndef wide(x):\n    return x * 2\n\n\n"
                      "wide(torch.ones(64, 32))\nwide(torch.ones(128, 32))\n")
    window = make_window(size=(1280, 800))
    assert window.open_path(script, run=True)
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching and window.settled)
    window.model.select(call=0)
    assert window.commands.run("tools.what_if")
    qtbot.waitUntil(lambda: window.settled)
    table = window.views["what_if"].table
    place = next(row for row in range(table.rowCount()) if table.item(row, 0).text() == "x")
    for column in (1, 2):
        item = table.item(place, column)
        assert item.text() == "float32[64, 32]"
        assert QFontMetrics(item.font()).horizontalAdvance(item.text()) + 16 <= table.columnWidth(column)
    assert sum(table.columnWidth(column) for column in range(3)) <= table.viewport().width()
    docks = window.docks
    bars = [bar for bar in docks._tab_bars() if bar.isVisible()]
    for bar in bars:                         # whichever tab is bold, all fit
        for tab in range(bar.count()):
            bar.setCurrentIndex(tab)
            assert bar.tabRect(bar.count() - 1).right() <= bar.width()
