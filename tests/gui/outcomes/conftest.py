"""What the scenarios share: scripts that the real compiler runs, and a way to use the window as a person does.

`Screen` reads only what is shown and acts only by commands, keys, clicks and links.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
STORY = '''"""Everything that can become of a call, in one small script."""
import torch

RATE = 3


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return x / self.seen


class Two(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = torch.nn.Linear(width, width)

    def forward(self, x):
        return self.inner(x)


@torch.compile
def sizes(x, k):
    if x.shape[0] > 3:
        x = x + k
    return torch.relu(x) * RATE


@torch.compile
def cut(x):
    y = x.relu()
    print("sum", y.sum().item())
    z = y + 1
    return z * 2


@torch.compile
def never(x):
    exec("a = 1")
    return x + 1


@torch.compile
def fails(x):
    return x @ torch.ones(7)


meter = torch.compile(Meter())
for n in range(10):
    meter(torch.ones(3))
for n in (1, 4, 5, 6):
    sizes(torch.ones(n), 2)
sizes(torch.ones(8), 5)
for n in range(3):
    cut(torch.ones(4))
never(torch.ones(2))
never(torch.ones(2))
try:
    fails(torch.ones(3))
except Exception as problem:
    print("caught", type(problem).__name__)
parts = [torch.compile(Two(width)) for width in (2, 3)]
for n in range(2):
    for width, part in enumerate(parts, 2):
        part(torch.ones(1, width))
'''


class Screen:
    """The window as a person sees and uses it."""

    def __init__(self, window: Any, qtbot: Any) -> None:
        self.window, self.qtbot = window, qtbot

    # acting

    def run(self, command: str) -> None:
        """Run a command, and wait until everything shows what it led to."""
        assert self.window.commands.run(command), self.window.commands[command].blocked()
        self.rest()

    def rest(self) -> None:
        w = self.window
        self.qtbot.waitUntil(lambda: not w.control.running and not w.control.watching and w.settled
                             and not w.tools.lab.running and not w.tools.lab._timer.isActive())

    def call(self, number: int) -> None:
        """Go to a call with the keys: to the first, then on."""
        self.run("go.first")
        for _ in range(number):
            assert self.window.commands.run("go.next")
        self.rest()

    def show(self, view: str) -> Any:
        self.window.show_view(view)
        self.rest()
        return self.window.views[view]

    def click(self, view: str, text: str, nth: int = 0) -> None:
        """Click on a link of a page."""
        from PySide6.QtCore import QPoint, Qt
        from PySide6.QtGui import QTextCursor

        page = self.show(view).page
        at = QTextCursor(page.document())
        found = []
        while not (at := page.document().find(text, at)).isNull():
            if at.charFormat().isAnchor():
                found.append(QTextCursor(at))
        assert len(found) > nth, f"{view} has no link {text!r}: {self.page(view)}"
        middle = QTextCursor(page.document())
        middle.setPosition((found[nth].selectionStart() + found[nth].selectionEnd()) // 2)
        page.setTextCursor(middle)
        page.ensureCursorVisible()
        place: QPoint = page.cursorRect(middle).center()
        self.qtbot.mouseClick(page.viewport(), Qt.MouseButton.LeftButton, pos=place)
        self.rest()

    def choose(self, view: str, **cells: str) -> None:
        """Click on the first row of a table that shows these texts in these columns (`_` stands for a space)."""
        from PySide6.QtCore import Qt

        table = self.show(view).table
        wanted = {k.replace("_", " "): v for k, v in cells.items()}
        place = next(i for i, row in enumerate(self.table(view)) if all(row[k] == v for k, v in wanted.items()))
        index = table.model().index(place, [self.head(table, i) for i in range(table.model().columnCount())].index(
            next(iter(wanted))))
        table.scrollTo(index)
        self.qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())
        self.rest()

    # reading

    def page(self, view: str) -> str:
        """A page's text, every row of its tables in one line."""
        from PySide6.QtGui import QTextDocument

        page = self.show(view).page
        text = page.document().toRawText() if isinstance(page.document(), QTextDocument) else ""
        for sign in ("\xa0", "\ufdd0", "\ufdd1", "\ufffc"):      # spaces, the ends of cells and tables, pictures
            text = text.replace(sign, " ")
        return " ".join(text.split())

    @staticmethod
    def head(table: Any, column: int) -> str:
        from PySide6.QtCore import Qt

        return str(table.model().headerData(column, Qt.Orientation.Horizontal) or "")

    def table(self, view: str) -> list[dict[str, str]]:
        """The rows of a table in the order they stand in, by the title of their columns; hidden columns are not there."""
        table = self.show(view).table
        m = table.model()
        shown = [c for c in range(m.columnCount()) if not table.isColumnHidden(c)]
        return [{self.head(table, c): str(m.index(r, c).data() or "") for c in shown} for r in range(m.rowCount())]

    def tips(self, view: str, column: str, row: int) -> str:
        """The tooltip of a cell."""
        from PySide6.QtCore import Qt

        table = self.show(view).table
        place = next(c for c in range(table.model().columnCount()) if self.head(table, c) == column)
        return str(table.model().index(row, place).data(Qt.ItemDataRole.ToolTipRole) or "")

    def tree(self) -> dict[str, dict[str, str]]:
        """The tree of functions: the path to a row ("sizes/version 1 [s0]") -> calls, versions, tip."""
        from PySide6.QtCore import QModelIndex, Qt

        tree = self.window.views["functions"].tree
        m = tree.model()
        found: dict[str, dict[str, str]] = {}

        def walk(parent: QModelIndex, path: str) -> None:
            for r in range(m.rowCount(parent)):
                cells = [str(m.index(r, c, parent).data() or "") for c in range(m.columnCount(parent))]
                here = f"{path}{cells[0]}"
                found[here] = {"calls": cells[1], "versions": cells[2],
                               "tip": str(m.index(r, 0, parent).data(Qt.ItemDataRole.ToolTipRole) or "")}
                walk(m.index(r, 0, parent), f"{here}/")

        walk(QModelIndex(), "")
        return found

    def chips(self) -> dict[str, str]:
        """The counters that are seen: "recompiled" -> "10"."""
        shown = [c.text().split(None, 1) for c in self.window.views["summary"].chips.chips.values() if c.isVisible()]
        return {word: count for count, word in shown}

    def marks(self) -> dict[int, Any]:
        """The margin of the source by line."""
        return dict(self.show("source").edit.marks)

    @property
    def said(self) -> str:
        """What the status bar says."""
        return str(self.window.banner.text())

    @property
    def here(self) -> int | None:
        """The call that the timeline marks."""
        return self.window.timeline.canvas.selected_call         # type: ignore[no-any-return]


def record_script(script: Path, text: str, *options: str) -> Path:
    """Write a script and let the real program record it."""
    script.write_text(text)
    target = script.with_suffix(".guardscope")
    done = subprocess.run([sys.executable, "main.py", "run", str(script), "-o", str(target), "--quiet", "--backend", "eager",
                           *options], capture_output=True, text=True, cwd=ROOT, timeout=240)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="session")
def record() -> Callable[..., Path]:
    """The function that records."""
    return record_script


@pytest.fixture(scope="session")
def story_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The session of the story, its reused calls repeated in plain Python."""
    return record_script(tmp_path_factory.mktemp("story") / "story.py", STORY, "--shadow")


@pytest.fixture
def opened(make_window: Any, qtbot: Any) -> Callable[[Path], Screen]:
    """A function that opens a file in a new window and gives its screen."""
    def go(path: Path) -> Screen:
        screen = Screen(make_window(), qtbot)
        assert screen.window.open_path(path)
        screen.rest()
        return screen

    return go


@pytest.fixture
def story(opened: Callable[[Path], Screen], story_file: Path) -> Screen:
    """The story, opened."""
    return opened(story_file)


@pytest.fixture
def shown(opened: Callable[[Path], Screen], tmp_path: Path) -> Callable[[str], Screen]:
    """A function that opens a script in a new window and runs it by the Run command."""
    def go(text: str) -> Screen:
        (tmp_path / "model.py").write_text(text)
        screen = opened(tmp_path / "model.py")
        screen.run("run.start")
        return screen

    return go
