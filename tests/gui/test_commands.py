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
