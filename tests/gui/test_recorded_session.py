"""Coverage of reads, sizes over calls, exports, the start page, the words of causes."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from guardscope.gui.facts import Facts
from guardscope.gui.numbers import short_numbers

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return x / self.seen


meter = torch.compile(Meter())
for n in range(1, 13):
    meter(torch.ones(3))


@torch.compile
def gate(x):
    y = torch.relu(x)
    return y * y.sum().item()


for n in (4, 5, 6):
    gate(torch.ones(n))
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session recorded by the real compiler."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "meter.py").write_text(SCRIPT)
    target = folder / "meter.guardscope"
    done = subprocess.run([sys.executable, "main.py", "run", str(folder / "meter.py"), "-o", str(target), "--quiet",
                           "--backend", "eager"], capture_output=True, text=True, cwd=ROOT, timeout=240)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def window(make_window: Any, recorded: Path, qtbot: Any) -> Any:
    made = make_window()
    assert made.open_path(recorded)
    qtbot.waitUntil(lambda: made.settled and not made.control.watching)
    return made


def test_the_counter_is_told_at_a_glance(window: Any) -> None:
    strip = window.views["summary"]
    assert strip.cause.text() == "self.seen took 12 values: 8 versions of Meter.forward, then plain Python for 4 calls"
    assert strip.cure.text().endswith("self.seen = torch.tensor(0)")
    assert "line 7" in strip.cure.toolTip()
    assert "1 graph break" in strip.totals.text()
    assert "4 eager" in strip.chips.chips["eager_limit"].text()


def test_values_read_out_of_tensors_are_spelled_as_in_the_script(window: Any) -> None:
    facts = window.model.facts
    texts = [g.origin + g.condition for a in facts.session.artifacts for g in facts.guards(a.id)]
    assert any("y.sum().item()" in t for t in texts)
    assert not any("__r" in t for t in texts)
    assert not any("__r" in f.where + f.origin for call in range(facts.n_calls) for _, groups in facts.failures_of_call(call)
                   for _, failures in groups for f in failures)


def test_coverage_lists_what_was_read(window: Any) -> None:
    window.show_view("coverage")
    window.model.select(artifact=1)
    view = window.views["coverage"]
    rows = {r.origin: r for r in view.table_model.rows}
    assert rows["self.seen"].how == "checked"
    assert rows["self.seen"].conditions == ("self.seen == 1",)
    assert rows["x"].how == "input"
    assert "none unprotected" in view.says.text()
    shown = [view.table_model.rows[view.sorted.mapToSource(view.sorted.index(i, 0)).row()] for i in range(len(rows))]
    assert [r.how for r in shown] == ["checked"] * (len(rows) - 1) + ["input"]
    placed = [bool(r.line) for r in shown[:-1]]
    assert any(placed) and placed == sorted(placed, reverse=True)        # what a line reads stands before names of libraries
    place = next(i for i, r in enumerate(view.table_model.rows) if r.origin == "self.seen")
    view.table.selectRow(view.sorted.mapFromSource(view.table_model.index(place, 0)).row())
    assert window.model.selection.guard == rows["self.seen"].guard


def test_names_of_libraries_are_covered_by_the_guard_that_lists_them(window: Any) -> None:
    facts = window.model.facts
    gate = next(a.id for a in facts.session.artifacts if facts.code(a.code).qualname == "gate")
    relu = next(r for r in facts.coverage(gate) if r.origin == "torch.relu")
    assert (relu.how, relu.guards, relu.conditions) == ("checked", 1, ("torch.relu as it was",))


def test_a_value_nothing_protects_stands_out(fake: ModuleType) -> None:
    from dataclasses import replace

    from guardscope.gui.views.coverage import ORDER, counted

    session = fake.synthetic()
    session.artifacts[0] = replace(session.artifacts[0], reads=(
        {"origin": "x", "protected": "input"}, {"origin": "self.flag", "protected": "nothing"},
        {"origin": "math.pi", "protected": "constant: a module's number"}))
    rows = Facts(session).coverage(0)
    assert [(r.how, r.why) for r in rows] == [("input", ""), ("unprotected", ""), ("constant", "a module's number")]
    assert min(rows, key=lambda r: ORDER[r.how]).origin == "self.flag"
    assert counted(rows) == "3 values read: 0 checked, 1 input, 1 constant; 1 value unprotected"


def test_sizes_are_plotted_and_a_point_selects_its_call(window: Any, qtbot: Any) -> None:
    from guardscope.gui.models.sizes import series_of

    facts = window.model.facts
    gate = next(c.id for c in facts.session.codes if c.qualname == "gate")
    (series,) = series_of(facts, gate)
    assert (series.name, series.values.tolist(), series.versions.tolist()) == ("x.shape[0]", [4, 5, 6], [0, 1, 1])
    window.model.select(code=gate)
    window.show_view("sizes")
    view = window.views["sizes"]
    qtbot.waitUntil(lambda: view._pg is not None and bool(view._plots))
    dots = [item for item in view._plots[0].items if type(item).__name__ == "ScatterPlotItem"]
    assert sorted(x for d in dots for x in d.data["x"]) == [12, 13, 14]
    first = next(d for d in dots if 12 in d.data["x"])
    first.sigClicked.emit(first, first.points(), None)
    assert window.model.selection.call == 12
    assert view._lines[0].value() == 12
    assert not view.failed


def test_what_never_varies_is_said_in_words(window: Any, qtbot: Any) -> None:
    window.show_view("sizes")
    window.model.select(call=0)
    view = window.views["sizes"]
    qtbot.waitUntil(lambda: view._pg is not None and "same sizes" in view.message.text())
    assert "x.shape[0] = 3" in view.message.text()


def test_long_series_are_thinned_but_keep_their_ends() -> None:
    from guardscope.gui.models.sizes import MOST_POINTS, Series, thinned

    n = 100_000
    values = np.where(np.arange(n) == 70_003, 9.0, 1.0)
    series = Series("x.shape[0]", np.arange(n), values, np.zeros(n, int), np.zeros(n, int), 2)
    keep = thinned(series)
    assert len(keep) <= MOST_POINTS
    assert {0, n - 1, 70_003} <= set(keep.tolist())


@pytest.mark.parametrize(("ending", "form"), [(".json", "json"), (".csv", "csv"), (".trace.json", "chrome")])
def test_exports(window: Any, qtbot: Any, tmp_path: Path, ending: str, form: str) -> None:
    target = tmp_path / f"out{ending}"
    window.exports.to(str(target))
    qtbot.waitUntil(lambda: window.jobs.idle)
    assert "exported" in window.banner.text()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith("out") or p.name.endswith(".part")] == [target.name]
    text = target.read_text()
    if form == "csv":
        assert len(list(csv.reader(text.splitlines()))) == 1 + 15
    else:
        assert ("traceEvents" in json.loads(text)) == (form == "chrome")


def test_an_export_that_fails_says_one_sentence(window: Any, qtbot: Any, tmp_path: Path) -> None:
    said: list[str] = []
    window.problem.connect(said.append)
    window.exports.to(str(tmp_path / "no such folder" / "x.json"))
    qtbot.waitUntil(lambda: window.jobs.idle)
    assert len(said) == 1
    assert "cannot be written" in said[0]
    assert "x.json" in said[0]


def test_the_start_page_is_a_command(window: Any) -> None:
    assert window.commands["help.start"].blocked() == ""
    window.commands.run("help.start")
    assert window.model.session is None
    assert window.center.currentWidget() is window._start_page
    assert window.commands["help.start"].blocked()
    assert window.commands["file.export"].blocked()


def test_long_decimals_are_cut() -> None:
    assert short_numbers("1.8918883800506592, 3") == "1.89189, 3"
    assert short_numbers("torch.float32 v1.2.3 0.5") == "torch.float32 v1.2.3 0.5"


def test_pyqtgraph_and_networkx_are_not_imported_with_a_session(recorded: Path, tmp_path: Path) -> None:
    code = (f"import sys; sys.path.insert(0, {str(ROOT)!r}); import main\n"
            "from guardscope.gui.app import make_app\nfrom guardscope.gui.main_window import MainWindow\n"
            "from PySide6.QtCore import QSettings\n"
            f"settings = QSettings({str(tmp_path / 'settings.ini')!r}, QSettings.Format.IniFormat)\n"
            "app = make_app('light'); w = MainWindow(settings); w.show()\n"
            f"w.open_path({str(recorded)!r}); app.processEvents(); app.processEvents()\n"
            "print([m for m in ('pyqtgraph', 'networkx', 'pyopencl') if m in sys.modules]); w.close()")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240,
                          env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    assert done.stdout.strip() == "[]", done.stderr


def test_an_uncaught_exception_is_the_first_cause(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    script = tmp_path / "ends.py"
    script.write_text("import torch\n@torch.compile\ndef f(x):\n    return x + 1\nf(torch.ones(2))\nraise KeyError('gone')\n")
    window = make_window()
    assert window.open_path(script, run=True)
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching)
    assert window.views["summary"].cause.text() == "The script ended with KeyError on line 6"
    window.show_view("causes")
    window.views["causes"]._followed("place", ["0"])
    assert (window.model.selection.file, window.model.selection.line) == (str(script), 6)
    assert window.views["source"].front


def test_conditions_on_one_symbol_read_as_values() -> None:
    from guardscope.core.events.schema import FailureRow
    from guardscope.gui.facts import plainer

    one = plainer(FailureRow(0, 1, "SHAPE_ENV", "n", "s0 == 4, that is n == 4", "n is 5", where="n", aspect="symbolic"))
    assert (one.expected, one.seen) == ("4", "5")
    two = plainer(FailureRow(0, 1, "SHAPE_ENV", "a, b", "s0 == s1, that is a == b", "a is 5; b is 4", where="a, b",
                             aspect="symbolic"))
    assert (two.expected, two.seen) == ("a == b", "a is 5; b is 4")


def test_a_window_that_will_open_a_file_paints_its_name_first(qapp: Any, tmp_path: Path, qtbot: Any) -> None:
    from guardscope.gui.main_window import MainWindow
    from PySide6.QtCore import QSettings

    window = MainWindow(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat), opening="some/model.py")
    assert window._start_page is None
    assert window.windowTitle().startswith("model.py")
    window.close()
    window.deleteLater()
