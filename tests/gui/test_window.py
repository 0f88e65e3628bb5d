"""Opening files good and bad, live growth, jobs, start-up imports, screenshots."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from guardscope.gui.jobs import Jobs
from PySide6.QtCore import QEvent, QObject

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("name", "content", "says"), [
    ("missing.py", None, "there is no script"),
    ("missing.guardscope", None, "there is no"),
    ("bad.guardscope", b"not a database", "is not a Guardscope session"),
    ("cut.guardscope", b"SQLite format 3\x00" + b"\x10\x00" * 40, ""),
    ("binary.py", b"\x00\x01\x02", "is not a Python script"),
])
def test_a_file_that_cannot_be_opened_gets_a_sentence(make_window: Any, tmp_path: Path, name: str, content: bytes | None,
                                                      says: str) -> None:
    window = make_window()
    said: list[str] = []
    window.problem.connect(said.append)
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert not window.open_path(path)
    assert len(said) == 1
    assert says in said[0]
    assert "\n" not in said[0]
    assert "Traceback" not in said[0]


def test_a_folder_gets_a_sentence(make_window: Any, tmp_path: Path) -> None:
    window = make_window()
    said: list[str] = []
    window.problem.connect(said.append)
    assert not window.open_path(tmp_path)
    assert "is a folder" in said[0]


def test_a_script_opens_without_being_run(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    script = tmp_path / "model.py"
    script.write_text("print('hello')\n")
    window = make_window()
    assert window.open_path(script)
    qtbot.waitUntil(lambda: window.views["source"]._content is not None)
    assert "print('hello')" in window.views["source"].edit.toPlainText()
    assert window.commands["run.start"].blocked() == ""
    assert not window.control.running
    assert window.recent() == [str(script)]


def test_the_start_page_shows_examples_and_recent_files(make_window: Any, tmp_path: Path) -> None:
    from guardscope.gui.examples import examples
    from PySide6.QtWidgets import QLabel

    script = tmp_path / "mine.py"
    script.write_text("\n")
    window = make_window()
    window.open_path(script)
    window.commands.run("file.close")
    texts = " ".join(label.text() for label in window._start_page.findChildren(QLabel))
    assert all(e.title in texts for e in examples())
    assert "mine.py" in texts
    assert len(examples()) >= 4


def test_rows_that_arrive_later_are_shown(make_window: Any, fake: ModuleType, qtbot: Any) -> None:
    whole, session = fake.synthetic(12), fake.synthetic(1)
    session.state = "running"
    window = make_window(session)
    window.model.select(call=2)
    for name in ("codes", "artifacts", "breaks", "kernels", "phases", "decisions", "misses", "limits", "not_compiled",
                 "_guards", "_nodes", "_signatures", "_output", "_runs", "_calls", "_launches"):
        setattr(session, name, getattr(whole, name))
    session.freeze()
    window.timeline._next_build = 0.0
    assert window.model.poll()
    assert window.timeline.canvas.scale.high == 48
    assert window.model.selection.call == 2
    assert "9 recompiled" in window.views["summary"].chips.chips["recompile"].text()
    assert not window.model.poll()


def test_a_newer_job_replaces_a_queued_one(qtbot: Any) -> None:
    import threading

    jobs, gate, got, started = Jobs(), threading.Event(), [], threading.Event()

    def slow() -> str:
        started.set()
        gate.wait(10)
        return "slow"

    jobs.submit("other", slow, got.append)
    assert started.wait(10)
    jobs.submit("a", lambda: "first", got.append)
    jobs.submit("a", lambda: "second", got.append)
    gate.set()
    qtbot.waitUntil(lambda: jobs.idle)
    assert got == ["slow", "second"]
    jobs.close()


def test_a_job_that_raises_reports_and_the_next_one_runs(qtbot: Any) -> None:
    jobs, got, errors = Jobs(), [], []
    jobs.submit("a", lambda: 1 / 0, got.append, errors.append)
    jobs.submit("b", lambda: 2, got.append)
    qtbot.waitUntil(lambda: jobs.idle)
    assert got == [2]
    assert "ZeroDivisionError" in errors[0]
    jobs.close()


def test_nothing_heavy_is_imported_before_the_first_paint(tmp_path: Path) -> None:
    code = (f"import sys; sys.path.insert(0, {str(ROOT)!r}); import main\n"
            "from guardscope.gui.app import make_app\nfrom guardscope.gui.main_window import MainWindow\n"
            "from guardscope.gui.first_paint import AfterFirstPaint\nfrom PySide6.QtCore import QSettings\n"
            f"settings = QSettings({str(tmp_path / 'settings.ini')!r}, QSettings.Format.IniFormat)\n"
            "app = make_app('light'); w = MainWindow(settings)\n"
            "heavy = ('numpy', 'pyqtgraph', 'networkx', 'pyopencl', 'pygments', 'sqlite3')\n"
            "AfterFirstPaint(w, lambda: (print([m for m in heavy if m in sys.modules]), w.close()))\n"
            "w.show(); app.exec()")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240,
                          env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    assert done.stdout.strip() == "[]", done.stderr


def test_the_gui_does_not_import_the_compiler() -> None:
    code = (f"import sys; sys.path.insert(0, {str(ROOT)!r}); import main\n"
            "import guardscope.gui.app, guardscope.gui.docks, guardscope.gui.screenshot\n"
            "from guardscope.gui.views import Views\nfrom guardscope.gui.jobs import Jobs\n"
            "from guardscope.gui.session_model import SessionModel\nfrom PySide6.QtWidgets import QApplication\n"
            "app = QApplication([]); Views(SessionModel(), Jobs(), id).make_all()\n"
            "parts = ('capture', 'opencl', 'ops', 'graph', 'guards', 'symbolic', 'torch_api', 'tensor', 'source')\n"
            "print([m for m in sys.modules if any(m.startswith(f'guardscope.core.{p}') for p in parts)])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240,
                          env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    assert done.stdout.strip() == "[]", done.stderr


def test_a_running_script_is_followed_and_can_be_stopped(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    script = tmp_path / "endless.py"
    script.write_text("import sys\nprint('begin', flush=True)\nwhile True:\n    pass\n")
    window = make_window()
    assert window.open_path(script, run=True)
    assert window.control.running
    qtbot.waitUntil(lambda: "begin" in window.views["output"].plain())
    assert window.commands["run.start"].blocked() == "a script is running"
    window.commands.run("run.stop")
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching)
    assert "stopped" in window.banner.text()
    assert "begin" in window.views["output"].plain()
    shown = [place for place in window.docks.layout["docks"] if not place.get("hidden")]
    tabs = [1 + sum(place.get("tab_of") == first for place in shown) for first in ("call", "causes")]
    assert sorted(b.count() for b in window.docks._tab_bars() if b.isVisible()) == sorted(tabs)


def test_screenshot_sizes_and_bad_selections(tmp_path: Path) -> None:
    from guardscope.core.errors import ScriptError
    from guardscope.gui.screenshot import parse_size

    assert parse_size("1400x900") == (1400, 900)
    for bad in ("1400", "axb", "10x10", "99999x900", "-5x900"):
        with pytest.raises(ScriptError, match="is not a size"):
            parse_size(bad)


def test_devices_are_asked_for_when_the_list_is_opened(make_window: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from guardscope.gui.widgets import device_box

    monkeypatch.setattr(device_box, "device_names", lambda: ["basic-cpu", "some gpu"])
    window = make_window()
    assert window.device.count() == 1
    window.device.showPopup()
    qtbot.waitUntil(lambda: window.device.count() == 3)
    window.device.hidePopup()
    window.device.setCurrentIndex(2)
    window.device.activated.emit(2)
    assert window.control.settings() == {"device": "some gpu"}
    window.control.options["dynamic"] = "false"
    assert window.control.settings() == {"device": "some gpu", "dynamic": False}


def test_a_label_with_padding_shows_its_text_whole(qapp: Any) -> None:
    from guardscope.gui.widgets.elided import ElidedLabel

    label = ElidedLabel("finished in 1.02 s, 36 calls")
    label.setStyleSheet("padding: 0 9px")
    label.ensurePolished()
    label.resize(label.sizeHint())
    label.resize(label.sizeHint())
    assert label.fontMetrics().horizontalAdvance(label.text()) <= label.contentsRect().width()
    label.deleteLater()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_what_does_not_fit_the_toolbar_is_behind_a_button_that_can_be_seen(make_window: Any, qapp: Any, name: str) -> None:
    from guardscope.gui import theme
    from PySide6.QtWidgets import QToolBar, QToolButton

    theme.apply(qapp, name)
    window = make_window(size=(600, 400))
    qapp.processEvents()
    button = window.findChild(QToolBar).findChild(QToolButton, "qt_toolbar_ext_button")
    assert button.isVisible()
    image = button.grab().toImage()
    lightness = [image.pixelColor(x, y).lightness() for x in range(2, image.width() - 2) for y in range(4, image.height() - 4)]
    assert max(lightness) - min(lightness) > 80


class AtFirstPaint(QObject):
    """Calls `look` when a widget is painted the first time, before it is."""

    def __init__(self, widget: Any, look: Any) -> None:
        super().__init__()
        self.seen: Any = None
        self.look = look
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self.seen is None:
            self.seen = self.look()
        return False


def test_what_opening_needs_is_made_while_the_start_page_is_read(make_window: Any, qtbot: Any) -> None:
    window = make_window()
    qtbot.waitUntil(lambda: window.docks is not None)
    assert not any(dock.isVisible() for dock in window.docks.docks.values())
    assert window.center.currentWidget() is window._start_page


def test_the_timeline_and_the_counts_come_first_and_are_right(make_window: Any, qtbot: Any, recorded_file: Path) -> None:
    window = make_window()
    qtbot.waitUntil(lambda: window.docks is not None)
    strip = window.views["summary"]

    def look() -> tuple[Any, ...]:
        shown = [v.name for v in window.views.values() if v._content is not None and v.name not in ("summary", "timeline")]
        return (strip.totals.text(), strip.chips.chips["recompile"].text(), strip.cause.text(),
                len(window.timeline.canvas.lanes), shown, len(window.model.whole._made["miss"]))

    spy = AtFirstPaint(window.timeline.canvas.viewport(), look)
    assert window.open_path(recorded_file)
    qtbot.waitUntil(lambda: window.settled and not window.control.watching)
    totals, recompiled, cause, lanes, shown, misses = spy.seen
    assert totals == "3 calls \N{MIDDLE DOT} 2 versions" and strip.totals.text().startswith(totals)
    assert strip.totals.text().endswith("compiling")         # adding that up can wait
    assert recompiled == strip.chips.chips["recompile"].text() == " 1 recompiled"
    assert lanes == len(window.timeline.canvas.lanes)
    assert shown == []
    assert misses == 0                            # not even read
    assert len(window.model.whole.misses) == 1
    assert cause == "looking for causes\N{HORIZONTAL ELLIPSIS}"
    assert strip.cause.text().startswith("x.shape[0] took 2 values")
    assert window.views["causes"]._content is not None


def test_no_view_shows_the_session_before_while_another_is_opened(make_window: Any, qtbot: Any, fake: ModuleType,
                                                                  recorded_file: Path) -> None:
    window = make_window(fake.synthetic(3))
    names = [n for n, v in window.views.items() if v.isVisible() and n not in ("summary", "timeline")]
    assert {"functions", "causes", "call", "output"} <= set(names)
    spy = AtFirstPaint(window.timeline.canvas.viewport(), lambda: [
        n for n in names if (content := window.views[n]._content) is not None and content.isVisible()])
    assert window.open_path(recorded_file)
    qtbot.waitUntil(lambda: window.settled)
    assert spy.seen == []
    assert all(window.views[n]._content.isVisible() for n in ("functions", "causes", "call", "output"))
    assert "scale" in window.views["causes"].page.toPlainText()


def test_a_script_opened_after_a_session_is_shown_whole(make_window: Any, qtbot: Any, recorded_file: Path, tmp_path: Path
                                                        ) -> None:
    (tmp_path / "model.py").write_text("print('hello')\n")
    window = make_window()
    assert window.open_path(recorded_file)
    assert window.open_path(tmp_path / "model.py")            # before the session was painted
    qtbot.waitUntil(lambda: window.settled)
    assert "print('hello')" in window.views["source"].edit.toPlainText()
    assert window.model.whole.path == tmp_path / "model.py"
    assert not window.control.watching


def test_what_cannot_be_read_is_said_when_the_rest_is_shown(make_window: Any, qtbot: Any, recorded_file: Path, tmp_path: Path
                                                            ) -> None:
    import shutil
    import sqlite3

    copy = Path(shutil.copy(recorded_file, tmp_path / "s.guardscope"))
    db = sqlite3.connect(copy)
    db.execute("UPDATE miss SET failures = '{}'")
    db.commit()
    db.close()
    window = make_window()
    said: list[str] = []
    window.problem.connect(said.append)
    assert window.open_path(copy)
    qtbot.waitUntil(lambda: window.settled and bool(said))
    assert said == ["miss: row 0 cannot be used (failures is dict, not tuple)"]
    assert window.model.facts.n_calls == 3


def test_a_session_closed_while_its_causes_are_looked_for(make_window: Any, qtbot: Any, recorded_file: Path,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    from guardscope.gui import opening

    real, started, gate, found = opening.find_causes, threading.Event(), threading.Event(), []

    def slow(session: Any) -> Any:
        started.set()
        assert gate.wait(60)
        found.append(real(session))                   # from a file that is closed by now
        return found[-1]

    monkeypatch.setattr(opening, "find_causes", slow)
    window = make_window()
    assert window.open_path(recorded_file)
    qtbot.waitUntil(started.is_set)
    assert window.views["functions"].isVisible()
    assert window.views["causes"].held
    assert window.commands.run("file.close")
    assert window.model.whole is None
    gate.set()
    qtbot.waitUntil(lambda: window.jobs.idle)
    assert len(found) == 1
    assert window.center.currentWidget() is window._start_page
    assert window.open_path(recorded_file)
    qtbot.waitUntil(lambda: window.settled and not window.control.watching)
    assert window.views["summary"].cause.text().startswith("x.shape[0] took 2 values")
