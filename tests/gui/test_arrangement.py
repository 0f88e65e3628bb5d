"""What the user arranged is there again when a session is opened the next time."""

from typing import Any

from PySide6.QtCore import Qt


def widths(window: Any) -> dict[str, tuple[int, int]]:
    return {name: (window.docks.docks[name].width(), window.docks.docks[name].height()) for name in ("functions", "causes")}


def test_sizes_of_docks_are_kept(make_window: Any, fake: Any, qtbot: Any) -> None:
    window = make_window(fake.synthetic(), size=(1400, 900))
    qtbot.waitUntil(lambda: window.settled)
    docks = window.docks.docks
    before = widths(window)
    window.resizeDocks([docks["functions"]], [before["functions"][0] + 150], Qt.Orientation.Horizontal)
    window.resizeDocks([docks["causes"]], [before["causes"][1] + 90], Qt.Orientation.Vertical)
    qtbot.waitUntil(lambda: widths(window) != before)
    left = widths(window)
    window.close()
    again = make_window(fake.synthetic(), size=(1400, 900))
    qtbot.waitUntil(lambda: again.settled)
    qtbot.wait(0)
    assert widths(again) == left
    again.docks.reset()
    qtbot.waitUntil(lambda: widths(again) == before)


def test_sizes_of_docks_are_kept_over_the_start_page(make_window: Any, fake: Any, qtbot: Any) -> None:
    window = make_window(fake.synthetic(), size=(1400, 900))
    before = widths(window)
    window.resizeDocks([window.docks.docks["functions"]], [before["functions"][0] + 150], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: widths(window) != before)
    left = widths(window)
    window.go_home()
    window.opening.show(fake.synthetic())
    qtbot.waitUntil(lambda: window.settled)
    qtbot.waitUntil(lambda: widths(window) == left)
