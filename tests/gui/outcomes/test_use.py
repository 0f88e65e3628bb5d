"""Outcomes 15, 16 and 19: commands, keyboard, layouts, the first start, words, and views that fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QWidget

ROOT = Path(__file__).resolve().parents[3]


def palette(screen: Any, typed: str) -> str:
    """Run a command by a few letters in the palette; what it was."""
    from guardscope.gui.widgets.palette import Palette

    assert screen.window.commands.run("help.palette")
    popup = screen.window.findChild(Palette)
    screen.qtbot.keyClicks(popup.line, typed)
    chosen = popup.list.currentItem().text(0)
    screen.qtbot.keyClick(popup.line, Qt.Key.Key_Return)
    screen.qtbot.waitUntil(lambda: screen.window.findChild(Palette) is None)
    screen.rest()
    return str(chosen).partition(": ")[2]


# 15: commands


def test_a_few_letters_run_any_command(story: Any) -> None:
    assert palette(story, "not reused") == "Next call that was not reused"
    first = story.here
    assert first is not None
    assert palette(story, "dark") == "Dark theme"
    assert story.window.commands["view.dark"].checked()
    assert palette(story, "light th") == "Light theme"
    assert palette(story, "covrg") == "Coverage"
    assert story.window.views["coverage"].front


def test_the_palette_says_why_a_command_cannot_run(story: Any, qtbot: Any) -> None:
    from guardscope.gui.widgets.palette import Palette

    assert story.window.commands.run("help.palette")
    popup = story.window.findChild(Palette)
    qtbot.keyClicks(popup.line, "swap comp")
    assert "nothing is compared" in popup.says.text()
    qtbot.keyClick(popup.line, Qt.Key.Key_Return)
    assert popup.isVisible(), "there is nothing to go on with"
    popup.close()


def test_menus_toolbar_help_and_palette_have_the_same_commands(story: Any) -> None:
    from guardscope.gui.widgets.help_dialog import HelpDialog

    w = story.window
    in_menus = {a.objectName() for m in w.menuBar().actions() for a in m.menu().actions() if a.objectName()}
    assert in_menus == {c.id for c in w.commands if c.menu}
    assert w.commands.run("help.commands")
    dialog = w.findChild(HelpDialog)
    text = " ".join(dialog.text.toPlainText().split())
    assert [c.text for c in w.commands if " ".join(c.text.split()) not in text] == []
    dialog.reject()
    assert all(len(c.tip or c.text) > 3 for c in w.commands)


def test_a_whole_inquiry_by_keyboard(story: Any, qtbot: Any) -> None:
    """From the timeline to the failing guard and its line without touching the mouse."""
    w = story.window
    w.activateWindow()
    w.focus_view("timeline")
    canvas = w.timeline.canvas
    qtbot.keyClick(canvas, Qt.Key.Key_Home)
    qtbot.keyClick(canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    story.rest()
    assert story.here == 1
    story.run("view.guards")
    table = w.views["guards"].table
    assert table.hasFocus()
    qtbot.keyClick(table, Qt.Key.Key_Down)
    story.rest()
    story.run("view.source")
    assert w.views["source"].edit.current_line == 13
    story.run("view.call")
    assert w.views["call"].page.hasFocus()
    story.run("go.next_view")
    assert w.focusWidget() is not w.views["call"].page


def test_everything_has_a_name_for_a_screen_reader(story: Any) -> None:
    story.call(14)
    for name in story.window.views:
        if name not in ("summary", "timeline", "replay"):
            story.show(name)
    nameless = [f"{type(part).__name__} in {view.name}" for view in story.window.views.values()
                for part in view.findChildren(QWidget)
                if part.focusPolicy() != Qt.FocusPolicy.NoFocus and part.isVisibleTo(view)
                and not (part.accessibleName() or getattr(part, "text", str)())]
    assert nameless == []


def test_layouts_are_kept_under_names_and_reset(story: Any, qtbot: Any) -> None:
    from PySide6.QtWidgets import QInputDialog

    w = story.window
    w.docks.docks["output"].hide()
    assert w.commands.run("layout.save")
    dialog = w.findChild(QInputDialog)
    dialog.setTextValue("narrow")
    dialog.accept()
    story.run("view.reset")
    assert w.docks.docks["output"].isVisible()
    assert palette(story, "layout: narrow") == "Layout: narrow"
    assert not w.docks.docks["output"].isVisible()


def test_recent_files_and_dropped_ones(story: Any, story_file: Path, tmp_path: Path, qtbot: Any) -> None:
    from PySide6.QtCore import QMimeData, QPointF, QUrl
    from PySide6.QtGui import QDropEvent

    script = tmp_path / "other.py"
    script.write_text("print('hello')\n")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(script))])
    story.window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
                                      Qt.KeyboardModifier.NoModifier))
    story.rest()
    assert story.window.windowTitle().startswith("other.py")
    recent = {c.text: c.id for c in story.window.commands if c.id.startswith("file.recent.")}
    story.run(recent["2  story.guardscope"])
    assert story.chips()["recompiled"] == "10"


# 16: first start, words, no dead buttons


def test_the_first_page_says_what_this_is_and_opens_an_example(make_window: Any, qtbot: Any) -> None:
    from guardscope.gui.views.start_page import Card

    window = make_window()
    page = window.center.currentWidget()
    texts = [label.text() for label in page.findChildren(QLabel)]
    at = texts.index("Guardscope")
    assert all(len(line.split()) > 8 for line in texts[at + 1:at + 4]), "three lines"
    cards = page.findChildren(Card)
    assert len(cards) >= 4
    card = next(c for c in cards if "module_counter.py" in [w.text() for w in c.findChildren(QLabel)])
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_Return)
    assert window.commands.run("run.start")
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching and window.settled)
    assert "self.seen took" in window.views["summary"].cause.text()
    assert window.commands.run("help.start")
    texts = [label.text() for label in window.center.currentWidget().findChildren(QLabel)]
    assert any(t.startswith("module_counter.py   ") for t in texts), "it is a recent file now"


def unexplained(widget: QWidget) -> list[str]:
    """Buttons and fields that cannot be used and do not say why."""
    return [f"{type(w).__name__} {getattr(w, 'text', str)()!r} ({w.toolTip()!r})" for w in widget.findChildren(QWidget)
            if isinstance(w, QAbstractButton | QComboBox | QLineEdit) and w.isVisibleTo(widget) and not w.isEnabledTo(widget)
            and not w.objectName().startswith("qt_") and "Not now: " not in w.toolTip()
            and not (isinstance(w, QAbstractButton) and w.actions())]


def test_what_is_disabled_says_why(story: Any, make_window: Any) -> None:
    from guardscope.gui.widgets.export_dialog import ExportDialog
    from guardscope.gui.widgets.settings_dialog import SettingsDialog

    for view in story.window.views:
        if view not in ("summary", "timeline", "replay"):
            story.show(view)
        assert unexplained(story.window.views[view]) == [], view
    story.run("go.first")
    story.run("replay.toggle")
    assert unexplained(story.window.views["replay"]) == []
    story.run("go.last")
    assert unexplained(story.window.views["replay"]) == []
    assert "this is the last call" in story.window.views["replay"].buttons["next"].toolTip()
    story.run("replay.toggle")
    for command, kind in (("file.export", ExportDialog), ("file.settings", SettingsDialog)):
        assert story.window.commands.run(command)
        dialog = story.window.findChild(kind)
        assert unexplained(dialog) == []
        dialog.reject()
    empty = make_window()
    assert unexplained(empty) == []
    for command in empty.commands:
        why = command.blocked()
        assert not why or (why[0].islower() and len(why) > 8), command.id
        assert not why or f"Not now: {why}" in empty.commands.action(command.id).toolTip()


def test_terms_are_explained_where_they_stand(story: Any) -> None:
    from guardscope.gui.glossary import TERMS

    for name, chip in story.window.views["summary"].chips.chips.items():
        assert TERMS[name] in chip.toolTip()
    for view in ("guards", "coverage", "lab"):
        model = story.show(view).table.model()
        for column in range(model.columnCount()):
            tip = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
            assert tip and len(str(tip).split()) > 1, (view, column)
    tree = story.window.views["functions"].tree.model()
    for column in range(tree.columnCount()):
        assert tree.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)


# 19: it does not fall over


def test_a_view_that_raises_shows_a_pane_and_the_others_go_on(story: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from guardscope.gui.facts import Facts

    monkeypatch.setattr(Facts, "coverage", lambda *args: 1 / 0)
    story.call(14)
    view = story.show("coverage")
    assert view.failed
    assert "Coverage cannot be shown: division by zero" in view._error.sentence.text()
    assert "ZeroDivisionError" in view._error.details.toPlainText()
    for other in story.window.views:
        if other not in ("coverage", "replay"):
            if other not in ("summary", "timeline"):
                story.show(other)
            assert not story.window.views[other].failed, other
    monkeypatch.undo()
    story.show("coverage")
    button = next(b for b in view.findChildren(QAbstractButton) if b.text() == "Try again")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert not view.failed
    assert len(story.table("coverage")) == 9


def test_the_command_line_opens_a_session_and_ctrl_c_closes_it(story_file: Path, tmp_path: Path, qtbot: Any) -> None:
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}
    settings = tmp_path / "guardscope" / "guardscope.conf"
    process = subprocess.Popen([sys.executable, "main.py", str(story_file)], cwd=ROOT, env=env, stderr=subprocess.PIPE)
    try:
        qtbot.waitUntil(lambda: process.poll() is not None or settings.is_file() and story_file.name in settings.read_text())
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=120)[1].decode()
        assert process.returncode == 0 and "Traceback" not in said, said
    finally:
        process.kill()
        process.wait()
    assert "state=" in settings.read_text(), f"where the views were is kept; {said}"
