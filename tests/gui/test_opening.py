"""What opening a session makes, and when: the timeline and the counts first, from as little as they need."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def window_on(qapp: Any, tmp_path: Path) -> Iterator[Any]:
    """A function that makes a window as the command line does: shown, and about to open a file."""
    from guardscope.gui.main_window import MainWindow
    from PySide6.QtCore import QSettings

    made = []

    def make(path: Path) -> Any:
        window = MainWindow(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat), opening=str(path))
        window.say_in_dialogs = False
        window.show()
        made.append(window)
        return window

    yield make
    for window in made:
        window.close()
        window.deleteLater()


def test_only_what_the_first_paint_shows_is_made_before_it(window_on: Any, recorded_file: Path, qtbot: Any) -> None:
    from guardscope.gui.first_paint import AfterFirstPaint

    window = window_on(recorded_file)
    assert window.open_path(recorded_file)
    made: list[list[str]] = []
    AfterFirstPaint(window.timeline.canvas.viewport(), lambda: made.append(list(window.views)))
    qtbot.waitUntil(lambda: bool(made))
    assert sorted(made[0]) == ["replay", "summary", "timeline"]
    qtbot.waitUntil(lambda: window.settled and not window.control.watching)
    assert window.views.complete
    assert [v.name for v in window.docks.views if v.isVisible() and v.front and v._content is None] == []
    assert window.views["functions"].isVisible() and window.views["causes"].front


def test_a_view_that_is_asked_for_early_is_made_then(window_on: Any, recorded_file: Path, qtbot: Any) -> None:
    window = window_on(recorded_file)
    assert window.open_path(recorded_file)
    window.commands.run("view.guards")               # before anything else was painted
    assert "guards" in window.views
    qtbot.waitUntil(lambda: window.settled and not window.control.watching)
    assert window.views["guards"].isVisible() and not window.views["guards"].failed


def test_running_at_once_shows_every_view(window_on: Any, tmp_path: Path, qtbot: Any) -> None:
    script = tmp_path / "two.py"
    script.write_text("import torch\n\n\n@torch.compile\ndef two(x):\n    return x * 2\n\n\ntwo(torch.ones(3))\n")
    window = window_on(script)
    window.control.folder = tmp_path / "sessions"
    assert window.open_path(script, run=True)
    assert window.views.complete
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching and window.settled)
    assert window.model.facts.n_calls == 1


@pytest.mark.parametrize(("height", "waits"), [(600, False), (110, True)])
def test_lanes_out_of_view_are_left_for_later(fake: ModuleType, qtbot: Any, height: int, waits: bool) -> None:
    from guardscope.gui.facts import Facts
    from guardscope.gui.models.lanes import AmountLane
    from guardscope.gui.widgets.timeline_canvas import TimelineCanvas

    canvas = TimelineCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(800, height)
    canvas.show()
    facts = Facts(fake.synthetic())
    canvas.set_facts(facts, keep_view=False, hurry=True)
    assert canvas.complete != waits
    assert any(isinstance(lane, AmountLane) for lane in canvas.lanes) != waits
    seen = list(canvas.lanes)
    canvas.set_facts(facts, keep_view=True)
    assert canvas.complete and canvas.lanes[:len(seen)] == seen
    assert [lane.key for lane in canvas.lanes if isinstance(lane, AmountLane)][:1] == [("compile",)]


def test_imports_after_the_application_read_no_sources() -> None:
    code = (f"import sys; sys.path.insert(0, {str(ROOT)!r}); import main, inspect\n"
            "from PySide6.QtWidgets import QApplication\n"
            "from guardscope.gui.app import read_no_sources\n"
            "read, old = [], inspect.getsource\n"
            "def watched(module):\n    read.append(module.__name__)\n    return old(module)\n"
            "inspect.getsource = watched\n"
            "import colorsys\nfirst = list(read)\n"
            "read_no_sources()\nimport chunk\nprint('colorsys' in first, read == first)")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=240)
    assert done.stdout.split() == ["True", "True"], done.stderr


@pytest.mark.parametrize("turns", range(0, 24, 2))
def test_the_window_can_be_closed_at_any_moment_of_opening(window_on: Any, recorded_file: Path, qapp: Any, turns: int) -> None:
    """Rows that are made when they are asked for were asked for, while the window closed, from a session that was gone."""
    window = window_on(recorded_file)
    assert window.open_path(recorded_file)
    for _ in range(turns):
        qapp.processEvents()
    window.close()
    for _ in range(3):
        qapp.processEvents()
    assert window.model.session is None
    assert window.settings.value("window/state") is not None


def test_the_start_page_takes_the_place_of_a_session_whose_rows_were_not_all_asked_for(
        window_on: Any, recorded_file: Path, qapp: Any, qtbot: Any) -> None:
    window = window_on(recorded_file)
    for turns in range(0, 24, 4):
        assert window.open_path(recorded_file)
        for _ in range(turns):
            qapp.processEvents()
        assert window.commands.run("help.start")
        assert window.model.session is None and window.center.currentWidget() is window._start_page
    assert window.open_path(recorded_file)
    qtbot.waitUntil(lambda: window.settled and not window.control.watching)
    assert window.views["functions"].tree_model.rowCount() == 1
