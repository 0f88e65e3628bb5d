"""The output pane: colours, and a flood that stays bounded."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from guardscope.gui.views.output import LINES, last_lines, split_ansi


def test_ansi_colours_become_roles() -> None:
    parts, role = split_ansi("plain \x1b[31mred\x1b[0m \x1b[1;32mgreen")
    assert parts == [("plain ", "", False), ("red", "bad", False), (" ", "", False), ("green", "good", True)]
    assert role == "good"


def test_other_escapes_are_dropped() -> None:
    parts, _ = split_ansi("a\x1b[2Kb\x1b[1;5Hc")
    assert "".join(p[0] for p in parts) == "abc"


def test_last_lines() -> None:
    text = "".join(f"{i}\n" for i in range(10))
    assert last_lines(text, 3) == ("7\n8\n9\n", 7)
    assert last_lines(text, 100) == (text, 0)


def test_a_million_lines_keep_the_last(make_window: Any, fake: ModuleType, qtbot: Any) -> None:
    session = fake.synthetic(1)
    session._output = [(0, "stdout", "".join(f"line {k * 1000 + i}\n" for i in range(1000))) for k in range(1000)]
    window = make_window(session)
    view = window.views["output"]
    qtbot.waitUntil(lambda: not view._queue)
    shown = view.plain().rstrip("\n").split("\n")
    assert shown[-1] == "line 999999"
    assert len(shown) <= LINES
    assert not view.says.isHidden()
