"""The command registry: unique ids and keys, reasons for what cannot run, the palette's matching."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from guardscope.gui.commands import Command, Registry, match


def test_a_shortcut_or_id_is_used_once(qapp: Any) -> None:
    r = Registry()
    r.add(Command("a", "A", lambda: None, shortcut="Ctrl+A"))
    with pytest.raises(ValueError, match="share the shortcut"):
        r.add(Command("b", "B", lambda: None, shortcut="Ctrl+A"))
    with pytest.raises(ValueError, match="registered twice"):
        r.add(Command("a", "A again", lambda: None))


def test_a_blocked_command_does_not_run_and_says_why(qapp: Any) -> None:
    ran: list[int] = []
    r = Registry()
    r.add(Command("a", "A", lambda: ran.append(1), blocked=lambda: "" if len(ran) < 1 else "once is enough"))
    action = r.action("a")
    assert r.run("a")
    assert not r.run("a")
    assert ran == [1]
    assert not action.isEnabled()
    assert "once is enough" in action.toolTip()


def test_every_command_of_the_window(make_window: Any) -> None:
    from PySide6.QtGui import QKeySequence

    window = make_window()
    keys = [QKeySequence(c.shortcut).toString() for c in window.commands if c.shortcut]
    assert all(keys)
    assert len(set(keys)) == len(keys)
    for c in window.commands:
        why = c.blocked()
        assert not why.endswith(".")
        assert c.text
        assert c.tip != c.text
    assert window.commands["run.start"].blocked() == "no script is open"
    in_menus = [a for m in window.menuBar().actions() for a in m.menu().actions() if not a.isSeparator()]
    assert len(in_menus) == sum(bool(c.menu) for c in window.commands)


def test_commands_are_harmless_on_any_session(make_window: Any, fake: ModuleType, qtbot: Any) -> None:
    """Everything that opens no dialog runs twice without breaking a view."""
    window = make_window(fake.synthetic(3))
    for _ in range(2):
        for c in list(window.commands):
            if c.id.startswith(("go.", "timeline.", "filter.", "view.")):
                window.commands.run(c.id)
    qtbot.waitUntil(lambda: window.jobs.idle)
    assert [v.name for v in window.views.values() if v.failed] == []


def test_matching_prefers_beginnings() -> None:
    names = ["Zoom out", "Zoom in", "Show all calls", "Re-run", "Run"]
    commands = [Command(n, n, lambda: None) for n in names]
    assert [c.text for c in match(commands, "run")][:2] == ["Run", "Re-run"] or \
        {c.text for c in match(commands, "run")[:2]} == {"Run", "Re-run"}
    assert match(commands, "zmi")[0].text == "Zoom in"
    assert match(commands, "qqq") == []
    assert len(match(commands, "")) == len(names)


def test_the_palette_runs_a_command(make_window: Any, fake: ModuleType, qtbot: Any) -> None:
    from guardscope.gui.widgets.palette import Palette
    from PySide6.QtCore import Qt

    window = make_window(fake.synthetic(2))
    palette = Palette(window.commands, window)
    palette.open()
    palette.line.setText("next call")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert window.model.selection.call == 0
    palette.line.setText("stop")
    palette.show()
    assert "no script is running" in palette.says.text()
    palette.close()
    palette.deleteLater()


def test_every_word_must_match_and_tips_count_least() -> None:
    commands = [Command("a", "Compare with a session", lambda: None, "Tools", tip="Choose the session before"),
                Command("b", "Next call", lambda: None, "Go"),
                Command("c", "Next call that was not reused", lambda: None, "Go"),
                Command("d", "Export", lambda: None, "File", tip="Write the session")]
    said = lambda typed: [c.id for c in match(commands, typed)]
    assert said("call not") == ["c"]
    assert said("go next") == ["b", "c"]
    assert said("session") == ["a", "d"]
    assert said("cws")[0] == "a"
    assert said("next call") == ["b", "c"]
    assert said("next nothing") == []


def test_commands_can_be_replaced(qapp: Any) -> None:
    r = Registry()
    told: list[int] = []
    r.rebuilt.connect(lambda: told.append(1))
    r.add(Command("x", "X", lambda: None))
    r.replace("recent.", [Command("recent.1", "one", lambda: None)])
    action = r.action("recent.1")
    r.replace("recent.", [Command("recent.1", "one", lambda: None)])
    assert r.action("recent.1") is action
    r.replace("recent.", [Command("recent.1", "other", lambda: None), Command("recent.2", "two", lambda: None)])
    assert [c.text for c in r] == ["X", "other", "two"]
    assert r.action("recent.1").text() == "other"
    assert len(told) == 2


def test_the_palette_offers_what_was_used_last(make_window: Any, fake: ModuleType) -> None:
    from guardscope.gui.widgets.palette import Palette

    window = make_window(fake.synthetic(2))
    window.commands.run("go.next")
    window.commands.run("timeline.zoom_in")
    window.commands.used.insert(0, "help.palette")             # by which one comes here
    palette = Palette(window.commands, window)
    palette.open()
    assert [palette.list.topLevelItem(i).text(0) for i in (0, 1)] == ["Timeline: Zoom in", "Go: Next call"]
    palette.line.setText("qqqq")
    assert palette.says.text() == "No command matches."
    palette.close()


def test_the_help_page_is_made_from_the_registry(make_window: Any, qtbot: Any) -> None:
    from guardscope.gui.widgets.help_dialog import HelpDialog

    window = make_window()
    dialog = HelpDialog(window.commands, window)
    dialog.show()
    text = dialog.text.toPlainText()
    for c in window.commands:
        assert c.text in text
    assert "Ctrl+Shift+P" in text
    dialog.line.setText("zoom in")
    assert dialog.text.toPlainText().split()[:2] == ["Zoom", "in"]
    dialog.line.setText("no such thing at all")
    assert "No command matches." in dialog.text.toPlainText()
    dialog.close()


def test_layouts_are_saved_used_and_forgotten(make_window: Any, fake: ModuleType) -> None:
    window = make_window(fake.synthetic(2))
    window.show_view("lab")
    window.docks.docks["output"].hide()
    window.layouts.save(" side/by side ")
    assert window.layouts.names() == ["side by side"]
    window.commands.run("view.reset")
    assert window.docks.docks["output"].isVisible()
    assert window.docks.docks["lab"].isHidden()
    assert window.commands.run("layout.use.side by side")
    assert not window.docks.docks["output"].isVisible()
    assert not window.docks.docks["lab"].isHidden()
    assert "Layout: side by side" in [a.text() for m in window.menuBar().actions() for a in m.menu().actions()]
    assert [v.name for v in window.views.values() if v.failed] == []
    said: list[str] = []
    window.problem.connect(said.append)
    window.layouts.save(" / ")
    window.settings.setValue("layouts/broken", b"nonsense")
    window.layouts.use("broken")
    window.layouts.use("never saved")
    assert [s.partition(";")[0] for s in said] == ["a layout needs a name", "the layout broken cannot be used",
                                                   "the layout never saved cannot be used"]
    window.layouts.forget("side by side")
    assert "layout.use.side by side" not in window.commands


def test_recent_files_are_commands(make_window: Any, tmp_path: Any, qtbot: Any) -> None:
    from PySide6.QtWidgets import QMenu

    for name in ("a.py", "b.py", "gone.py"):
        (tmp_path / name).write_text("")
    window = make_window()
    for name in ("a.py", "b.py", "gone.py"):
        window.open_path(tmp_path / name)
    (tmp_path / "gone.py").unlink()
    window.open_path(tmp_path / "a.py")
    recent = [c for c in window.commands if c.id.startswith("file.recent.")]
    assert [c.text for c in recent] == ["1  a.py", "2  b.py"]
    window.commands.action("file.recent.2").trigger()              # rebuilds the menu it stands in
    assert window.windowTitle().startswith("b.py")
    qtbot.waitUntil(lambda: len(window.menuBar().findChildren(QMenu)) == len(window.commands.menus()))
    assert window.commands["file.recent.1"].tip == str(tmp_path / "b.py")


def test_files_are_dropped(make_window: Any, tmp_path: Any, qtbot: Any) -> None:
    from guardscope.gui.moving import dropped_files
    from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
    from PySide6.QtGui import QDragEnterEvent, QDropEvent

    window = make_window()
    script = tmp_path / "dropped.py"
    script.write_text("")

    def drop(*urls: str) -> bool:
        data = QMimeData()
        data.setUrls([QUrl(u) for u in urls])
        keys, buttons = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
        entered = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, buttons, keys)
        entered.ignore()
        window.dragEnterEvent(entered)
        if entered.isAccepted():
            window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys))
        return entered.isAccepted()

    assert not drop("https://example.com/a.py")
    assert not drop()
    assert drop(script.as_uri())
    assert window.windowTitle().startswith("dropped.py")
    said: list[str] = []
    window.problem.connect(said.append)
    assert drop((tmp_path / "none.guardscope").as_uri())
    assert "there is no" in said[0]
    assert dropped_files(QMimeData()) == []


def test_everything_is_reached_by_keyboard_and_has_a_name(make_window: Any, fake: ModuleType, qtbot: Any) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QWidget

    window = make_window(fake.synthetic(3))
    window.activateWindow()
    for name in [*window.docks.docks, "timeline"]:
        if f"view.{name}" in window.commands:
            assert window.commands.run(f"view.{name}")
        else:
            window.focus_view(name)
        assert window.focusWidget() is window.views[name] or window.views[name].isAncestorOf(window.focusWidget()), name
        qtbot.waitUntil(lambda: window.jobs.idle)
    nameless = [f"{type(w).__name__} {w.objectName()}" for v in window.views.values() for w in v.findChildren(QWidget)
                if w.focusPolicy() != Qt.FocusPolicy.NoFocus and w.isVisibleTo(v)
                and not (w.accessibleName() or getattr(w, "text", str)())]
    assert nameless == []
    window.commands.run("view.reset")
    window.focus_view("functions")
    met = []
    for _ in range(8):
        assert window.commands.run("go.next_view")
        holder = next((v.name for v in window.views.values() if v.isAncestorOf(window.focusWidget())), "")
        met.append(holder)
    assert set(met) >= {"functions", "output", "timeline", "causes", "call"}
    forward = met[-1]
    window.commands.run("go.next_view")
    window.commands.run("go.previous_view")
    assert next(v.name for v in window.views.values() if v.isAncestorOf(window.focusWidget())) == forward
