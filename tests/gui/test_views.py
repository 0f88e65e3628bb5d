"""Views over a made-up session: selecting anything shows everywhere, a view that raises does not harm the others."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt


def text_of(window: Any, view: str) -> str:
    window.show_view(view)
    return window.views[view].page.toPlainText()


def test_selection_reaches_every_view(make_window: Any, fake: ModuleType, qtbot: Any) -> None:
    window = make_window(fake.synthetic())
    window.model.select(call=8)
    assert "Call 8" in text_of(window, "call")
    assert "self.seen" in text_of(window, "call")
    window.show_view("guards")
    guards = window.views["guards"]
    assert [(r.version, r.origin, r.seen) for r in guards.table_model.rows] == [
        (1, "self.seen", "2"), (1, "x.shape[0]", "96"), (0, "self.seen", "2"), (0, "x.shape[0]", "96")]
    assert window.timeline.canvas.selected_call == 8
    window.show_view("source")
    assert window.views["source"].edit.current_line == 11
    window.show_view("python")
    assert "forward_v2" in window.views["python"].edit.toPlainText()
    window.show_view("kernel")
    assert "relu_sub_2" in window.views["kernel"].edit.toPlainText()
    window.show_view("graph")
    qtbot.waitUntil(lambda: window.jobs.idle)
    assert len(window.views["graph"].canvas.picture.nodes) == 7
    tree = window.views["functions"]
    assert tree.tree_model.key_of(tree.tree.currentIndex()) == ("artifact", window.model.selection.artifact)


def test_clicking_a_guard_shows_its_source_line(make_window: Any, fake: ModuleType, qtbot: Any) -> None:
    window = make_window(fake.synthetic())
    window.model.select(artifact=0)
    window.show_view("guards")
    view = window.views["guards"]
    row = next(i for i, r in enumerate(view.table_model.rows) if r.origin == "self.seen")
    view.table.selectRow(view.sorted.mapFromSource(view.table_model.index(row, 0)).row())
    window.show_view("source")
    assert window.views["source"].edit.current_line == 12


def test_clicking_the_timeline_selects_the_call_under_the_pointer(make_window: Any, fake: ModuleType, qtbot: Any) -> None:
    from guardscope.gui.widgets.lane_painter import AXIS, GUTTER

    window = make_window(fake.synthetic())
    canvas = window.timeline.canvas
    for call in (0, 7, 30, 47):
        x = GUTTER + canvas.scale.to_pixel(call + 0.5)
        assert canvas.call_at(x) == call
        qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(round(x), AXIS + 12))
        assert window.model.selection.call == call
    assert canvas.call_at(GUTTER - 5) is None


def test_keys_on_the_timeline(make_window: Any, fake: ModuleType, qtbot: Any) -> None:
    window = make_window(fake.synthetic())
    canvas = window.timeline.canvas
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert window.model.selection.call == 0
    qtbot.keyClick(canvas, Qt.Key.Key_End)
    assert window.model.selection.call == 47
    before = canvas.scale.span
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.scale.span < before
    assert canvas.scale.start <= 47 < canvas.scale.end + 1
    qtbot.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.scale.span == before


def test_clock_axis_picks_the_call_at_a_time(make_window: Any, fake: ModuleType) -> None:
    from guardscope.gui.widgets.lane_painter import GUTTER

    window = make_window(fake.synthetic())
    window.timeline.set_axis("time")
    canvas, calls = window.timeline.canvas, window.model.session.calls
    middle = (int(calls["start"][4]) + int(calls["end"][4])) / 2
    assert canvas.call_at(GUTTER + canvas.scale.to_pixel(middle)) == 4


def test_the_filter_chips_filter_and_clear(make_window: Any, fake: ModuleType) -> None:
    window = make_window(fake.synthetic())
    chips = window.views["summary"].chips.chips
    assert "9 recompiled" in chips["recompile"].text()
    chips["recompile"].click()
    assert window.model.filter == {"recompile"}
    assert len(window.timeline.canvas.shown) == 1
    chips["recompile"].click()
    assert window.model.filter == frozenset()


def test_a_view_that_raises_shows_an_error_and_the_others_go_on(make_window: Any, fake: ModuleType,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    window = make_window(fake.synthetic())
    view = window.views["call"]
    monkeypatch.setattr(view, "body", lambda call: 1 / 0)
    window.model.select(call=3)
    assert view.failed
    assert "division by zero" in view._error.sentence.text()
    assert window.timeline.canvas.selected_call == 3
    monkeypatch.undo()
    view.retry()
    assert not view.failed


def test_a_hidden_view_waits_until_it_is_shown(make_window: Any, fake: ModuleType) -> None:
    window = make_window(fake.synthetic())
    python = window.views["python"]
    assert python._content is None
    window.model.select(call=0)
    assert python._content is None
    window.show_view("python")
    assert "forward_v0" in python.edit.toPlainText()


def test_causes_link_to_calls(make_window: Any, fake: ModuleType) -> None:
    window = make_window(fake.synthetic())
    text = text_of(window, "causes")
    assert "self.seen and x.shape[0] changed together: 8 versions" in text
    assert "never compiled" in text
    window.views["causes"]._followed("cause", ["0"])
    assert window.model.selection.call == 4
    assert 4 in window.model.highlight
    assert set(window.timeline.canvas.highlight.tolist()) == set(window.model.highlight)
    window.model.select(call=1)
    assert not window.model.highlight


def test_graphs_of_a_function_and_its_resume_function_with_the_break_between(make_window: Any, fake: ModuleType,
                                                                            qtbot: Any) -> None:
    window = make_window(fake.synthetic())
    window.show_view("graph")
    window.model.select(call=2)
    qtbot.waitUntil(lambda: window.jobs.idle)
    picture = window.views["graph"].canvas.picture
    assert [t for _, _, t in picture.titles] == ["report, version 0", "report after line 23, version 0"]
    assert len(picture.borders) == 1
    assert "line 23" in picture.borders[0][1]


def test_qt_models_are_consistent(make_window: Any, fake: ModuleType) -> None:
    from PySide6.QtTest import QAbstractItemModelTester

    window = make_window(fake.synthetic())
    window.show_view("guards")
    fatal = QAbstractItemModelTester.FailureReportingMode.Warning
    testers = [QAbstractItemModelTester(window.views["functions"].tree_model, fatal),
               QAbstractItemModelTester(window.views["guards"].table_model, fatal)]
    window.model.select(call=8)
    window.model.select(artifact=0)
    window.model.grown.emit()
    assert len(testers) == 2


@pytest.mark.parametrize("name", ["light", "dark"])
def test_text_can_be_read_in_both_themes(name: str) -> None:
    from guardscope.gui.theme import THEMES

    t = THEMES[name]

    def luminance(color: str) -> float:
        parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    def contrast(a: str, b: str) -> float:
        high, low = sorted((luminance(a), luminance(b)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    pairs = [(t.text, t.window), (t.text, t.base), (t.text_muted, t.window), (t.text_muted, t.base),
             (t.text_muted, t.raised), (t.accent, t.base), (t.on_accent, t.accent), (t.selection_text, t.selection),
             (t.bad, t.base), (t.bad, t.bad_back), (t.warn, t.base), (t.good, t.base),
             *((c, t.base) for c in t.code.values())]
    assert [(a, b, round(contrast(a, b), 2)) for a, b in pairs if contrast(a, b) < 4.5] == []
    assert [n for n, c in t.outcomes.items() if contrast(c, t.base) < 2.6] == []


def test_outcomes_differ_without_colour(qapp: Any) -> None:
    """The shapes of outcomes, in one colour, are different pictures."""
    from guardscope.gui import theme

    shapes = set()
    for name in theme.IMPORTANCE:
        image = theme.mark_pixmap(name, 14).toImage()
        shapes.add(bytes(image.pixelColor(x, y).alpha() > 100 for y in range(image.height()) for x in range(image.width())))
    assert len(shapes) == len(theme.IMPORTANCE)
