"""Outcomes 5, 6, 7 and 9: what was baked in, sizes and numbers over the calls, the source and its pieces, guards x versions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel

HIDDEN = (Path(__file__).parents[2] / "scripts" / "hidden_method.py").read_text()


# 5: coverage of what was baked in


def test_whatever_was_read_is_checked_an_input_or_constant(story: Any) -> None:
    story.call(14)
    rows = {r["Value read"]: r for r in story.table("coverage")}
    assert "none unprotected" in story.window.views["coverage"].says.text()
    assert (rows["RATE"]["Protected by"], rows["RATE"]["Conditions"]) == ("1 guard", "RATE == 3")
    assert rows["x"]["Protected by"] == rows["k"]["Protected by"] == "being an input"
    assert not [r for r in rows.values() if not r["Conditions"]], "every row names the condition that protects it"
    story.choose("coverage", Value_read="RATE")
    assert story.show("source").edit.current_line == 30


def test_what_is_constant_says_why(shown: Callable[[str], Any]) -> None:
    screen = shown("import math\nimport torch\n\n\n@torch.compile\ndef f(x):\n    return x * math.pi + len('abc')\n\n\n"
                   "f(torch.ones(3))\n")
    rows = screen.table("coverage")
    constant = [r for r in rows if r["Protected by"] == "being constant"]
    assert all(r["Conditions"] for r in rows), rows
    assert not [r for r in rows if r["Protected by"] == "nothing"]
    for r in constant:
        assert len(r["Conditions"].split()) > 1, "a reason in words"


def test_the_shadow_check_shows_a_wrong_call_in_red(opened: Callable[[Path], Any], tmp_path: Path, qtbot: Any) -> None:
    """Chosen in the settings, found by the run, red everywhere."""
    from guardscope.gui import theme
    from guardscope.gui.widgets.settings_dialog import SettingsDialog

    (tmp_path / "hidden.py").write_text(HIDDEN)
    screen = opened(tmp_path / "hidden.py")
    assert screen.window.commands.run("file.settings")
    dialog = screen.window.findChild(SettingsDialog)
    dialog.shadow.setValue(1)
    qtbot.keyClick(dialog.shadow, Qt.Key.Key_Return)
    screen.run("run.start")
    assert screen.chips()["error"] == "1"
    assert screen.window.views["summary"].cause.text() == "f gave a wrong result in 1 call: plain Python gives another"
    screen.call(2)
    assert "Call 2 wrong result" in screen.page("call")
    screen.run("go.first")               # what is selected is tinted
    canvas = screen.window.timeline.canvas
    picture = canvas.viewport().grab().toImage()
    from guardscope.gui.widgets.lane_painter import AXIS, GUTTER

    left, right = (round(GUTTER + canvas.scale.to_pixel(c)) for c in (2, 3))
    red = theme.active().outcome("error")
    assert any(picture.pixelColor(x, y) == red for x in range(left, right) for y in range(AXIS + 2, AXIS + 24))


# 6: sizes and numbers


@pytest.fixture
def sizes(story: Any, qtbot: Any) -> Any:
    story.call(14)
    view = story.show("sizes")
    qtbot.waitUntil(lambda: view._pg is not None)
    story.rest()
    return view


def lines(view: Any) -> list[str]:
    found = [re.sub(r"<[^>]+>|&nbsp;", " ", label.text()) for label in view.area.widget().findChildren(QLabel)]
    return [" ".join(text.split()) for text in found]


def test_values_over_the_calls_are_drawn(sizes: Any) -> None:
    assert sizes.says.text() == "sizes: 2 inputs vary"
    drawn = {}
    for plot in sizes._plots:
        dots = [item for item in plot.items if type(item).__name__ == "ScatterPlotItem"]
        drawn[plot.getAxis("left").labelText] = sorted((int(x), int(y)) for d in dots for x, y in zip(d.data["x"], d.data["y"]))
    assert drawn == {"x.shape[0]": [(10, 1), (11, 4), (12, 5), (13, 6), (14, 8)],
                     "k": [(10, 2), (11, 2), (12, 2), (13, 2), (14, 5)]}


def test_each_dimension_has_a_state_and_one_is_marked(sizes: Any) -> None:
    found = lines(sizes)
    size = next(t for t in found if t.startswith("x.shape[0]"))
    assert "version 0 fixed at 1 1 is special" in size
    assert re.search(r"versions 1.2 dynamic: 4 or more", size)
    number = next(t for t in found if t.startswith("k"))
    assert number == "k : version 1 fixed at 2; version 2 dynamic: any value"


def test_a_pinned_size_leads_to_its_line(story: Any, qtbot: Any) -> None:
    story.call(22)
    view = story.show("sizes")
    qtbot.waitUntil(lambda: view._pg is not None)
    story.rest()
    text = next(t for t in lines(view) if t.startswith("x.shape[1]"))
    assert "version 0 fixed at 2; version 1 pinned to 3 by line 23" in text
    label = next(w for w in view.area.widget().findChildren(QLabel) if "line:23" in w.text())
    label.setFocus()
    qtbot.keyClick(label, Qt.Key.Key_Tab)
    qtbot.keyClick(label, Qt.Key.Key_Return)
    assert story.window.views["source"].front
    assert story.window.views["source"].edit.current_line == 23


# 7: the source


def test_pieces_are_told_apart_with_time_and_count(story: Any) -> None:
    marks = story.marks()
    assert [marks[n].bar for n in (34, 35, 36, 37, 38)] == ["graph0", "graph0", "python", "graph1", "graph1"]
    assert [marks[n].bar for n in (42, 43)] == ["skipped", "skipped"]
    assert re.fullmatch(r"3× [\d.]+ (µs|ms)", marks[33].count)
    assert re.fullmatch(r"10× [\d.]+ (µs|ms)", marks[12].count)
    assert (marks[36].sign, marks[41].sign, marks[13].sign, marks[30].sign) == ("break", "not_compiled", "failed", "guard")
    assert "Graph break: Tensor.item() needs the elements of a tensor" in marks[36].tip
    assert "RATE == 3" in marks[30].tip


def test_a_click_in_the_source_goes_to_the_function(story: Any, qtbot: Any) -> None:
    view = story.show("source")
    view.edit.show_line(38)
    block = view.edit.document().findBlockByNumber(37)
    place = view.edit.blockBoundingGeometry(block).translated(view.edit.contentOffset()).center().toPoint()
    qtbot.mouseClick(view.edit.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, place.y()))
    story.rest()
    index = story.window.views["functions"].tree.currentIndex()
    assert (index.parent().data(), index.data()) == ("cut", "version 0")
    story.choose("guards", What="x")
    assert story.show("source").edit.current_line == 35


def test_notes_in_the_source_are_not_cut(story: Any) -> None:
    """At 1280 pixels a note is seen whole, or a short one is; the line is told in full below, once it is selected."""
    view = story.show("source")
    marks = view.edit.marks
    written = {line: view.edit.note_at(line) for line, mark in marks.items() if mark.note}
    assert set(written) == {13, 23, 28, 29, 36, 41, 49}
    assert all(text in (marks[line].note, marks[line].short) for line, text in written.items()), written
    assert marks[13].note == "turned a version down 44 times"
    assert marks[23].note == "turned a version down 1 time", "however many of its guards failed"
    story.call(15)
    story.click("call", "Line 36")
    told = view.about.toPlainText()
    assert "Graph break: Tensor.item() needs the elements of a tensor.\nKeep the value as a tensor" in told
    assert "print() writes output, which a graph cannot do." in told
    assert view.about.isVisible()
    story.window.resize(2000, 900)
    story.rest()
    assert view.edit.note_at(36) == "graph break: Tensor.item() needs the elements of a tensor"


# 9: guards x versions, and what guards cost


def test_the_matrix_shows_what_tells_versions_apart(story: Any, qtbot: Any) -> None:
    story.call(14)
    view = story.show("matrix")
    m, up, across = view.table.model(), Qt.Orientation.Vertical, Qt.Orientation.Horizontal
    grid = {str(m.headerData(r, up)).split("   ")[0]: [m.index(r, c).data() for c in range(m.columnCount())]
            for r in range(m.rowCount())}
    assert [m.headerData(c, across) for c in range(3)] == ["version 0", "version 1", "version 2"]
    assert grid["x.shape[0]"] == ["1", "any, > 3", "any, > 3"]
    assert grid["k"] == ["–", "2", "–"]
    assert "RATE" not in grid, "what is equal in all of them is folded away"
    qtbot.mouseClick(view.every, Qt.MouseButton.LeftButton, pos=QPoint(8, view.every.height() // 2))
    assert "RATE" in [m.headerData(r, up) for r in range(m.rowCount())]


def test_guards_tell_checks_failures_cost_and_marks(shown: Callable[[str], Any]) -> None:
    screen = shown("""import torch


@torch.compile
def f(x, mask, k):
    if mask is not None:
        x = x + 1
    return x * k if x.shape[0] > 2 and x.shape[0] > 1 else x


for n in (2, 3, 4, 4, 4):
    f(torch.ones(5), torch.ones(n), 2)
""")
    screen.call(4)
    rows = {r["What"]: r for r in screen.table("guards")}
    assert {"Checks", "Failures", "Cost", "Mark"} <= set(rows["mask"])
    assert rows["k"]["Failures"] == "never"
    assert int(rows["k"]["Checks"]) == 3
    assert re.fullmatch(r"[\d.]+ (ns|µs)", rows["k"]["Cost"])
    assert rows["mask"]["Mark"] == "guarded but never read"
    screen.window.views["guards"].filter.setText("never read")
    assert [r["What"] for r in screen.table("guards")] == ["mask"]


def test_a_guard_that_another_implies_is_marked(shown: Callable[[str], Any]) -> None:
    screen = shown("""import torch


@torch.compile(dynamic=True)
def f(x):
    if x.shape[0] > 2 and x.shape[0] > 4:
        return x + 1
    return x


f(torch.ones(7))
""")
    marked = {r["Condition"]: r.get("Mark", "") for r in screen.table("guards")}
    implied = {c: m for c, m in marked.items() if m.startswith("implied by")}
    assert implied or not any("> 2" in c for c in marked), marked


def test_every_guard_names_what_it_looks_at(story: Any) -> None:
    for call in (0, 14, 15, 22):
        story.call(call)
        versions = story.show("guards").versions
        versions.setCurrentIndex(versions.count() - 1)
        versions.activated.emit(versions.currentIndex())
        assert not [r for r in story.table("guards") if not r["What"]]


def test_long_names_leave_room_for_what_they_are(shown: Callable[[str], Any]) -> None:
    screen = shown("""import torch


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.past_keys_of_this_layer = None
        self.position_in_the_sequence = 0

    def forward(self, x):
        old = self.past_keys_of_this_layer
        self.past_keys_of_this_layer = x if old is None else torch.cat([old, x])
        self.position_in_the_sequence += 1
        return self.past_keys_of_this_layer * self.position_in_the_sequence


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.transformer_blocks = torch.nn.ModuleList([Attention() for _ in range(2)])

    def forward(self, x):
        for block in self.transformer_blocks:
            x = block(x)
        return x


net = torch.compile(Net())
for n in range(3):
    net(torch.ones(1, 2))
""")
    name = "self.transformer_blocks.1.past_keys_of_this_layer"
    screen.call(1)
    assert re.search(rf"{re.escape(name)} None float32\[\d, 2\] ", screen.page("call"))
    text = screen.page("causes")
    assert re.search(r"changed together: \d versions of Net\.forward", text), text
    assert f"{name}: None, float32[" in text
    view = screen.show("matrix")
    assert view.table.verticalHeader().width() <= view.table.width() // 2 + 1
    seen = {r["What"]: r["Seen"] for r in screen.table("guards")}
    assert seen[name].startswith("float32[")


def test_a_long_condition_has_a_line_of_its_own(shown: Callable[[str], Any]) -> None:
    screen = shown("""import torch


@torch.compile
def f(x):
    if (x.shape[0] * 3 + 7) // 2 % 5 == 1 and x.shape[0] <= 90:
        return x + 1
    return x * 2


for n in (8, 18, 12):
    f(torch.ones(n))
""")
    screen.call(2)
    text = screen.page("call").partition("Why no kept version of f fitted")[2].partition("What was decided")[0]
    assert re.search(r"version 1 nearest x\.shape\[0\] 12 needed .*% 5 != 1", text), text


def test_a_number_that_any_value_of_a_dtype_fits_says_so(shown: Callable[[str], Any]) -> None:
    screen = shown("""import torch


def make(low):
    @torch.compile
    def f(x):
        return x.clamp(min=low) * 2
    return f


for low in (-1.0, -0.5, 0.25):
    make(low)(torch.ones(3))
""")
    screen.call(1)
    assert "In version 1 of f, low may be any value of float32 (f0)." in screen.page("call")
    m = screen.show("matrix").table.model()
    rows = [str(m.headerData(r, Qt.Orientation.Vertical)) for r in range(m.rowCount())]
    assert rows.count("low is a value of float32") == 1 and not any("e+38" in row for row in rows), rows
