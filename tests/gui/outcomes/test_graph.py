"""Outcome 8: a graph of two thousand nodes that stays readable, by mouse and by keyboard, and as a picture."""

from __future__ import annotations

import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt

DEEP = """import torch


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, width)
        self.down = torch.nn.Linear(width, width)

    def forward(self, x):
        y = self.norm(x)
        y = torch.relu(self.up(y))
        y = torch.tanh(self.down(y) * 0.5) + 1.0
        unused = y * 3.0
        return (x + y).view(x.shape[0], -1)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([Block(4) for _ in range(130)])

    def forward(self, x):
        for block in self.blocks[:65]:
            x = block(x)
        print("half way")
        for block in self.blocks[65:]:
            x = block(x)
        return x.sum()


net = torch.compile(Net())
net(torch.ones(2, 4))
net(torch.ones(3, 4))
"""


@pytest.fixture(scope="module")
def deep_file(tmp_path_factory: pytest.TempPathFactory, record: Callable[..., Path]) -> Path:
    return record(tmp_path_factory.mktemp("deep") / "deep.py", DEEP)


@pytest.fixture
def deep(opened: Callable[[Path], Any], deep_file: Path) -> Any:
    """The large graph of the version with symbolic sizes, shown."""
    screen = opened(deep_file)
    screen.run("go.last")
    screen.run("view.graph")
    return screen


def key(screen: Any, key: Qt.Key, times: int = 1) -> None:
    for _ in range(times):
        screen.qtbot.keyClick(screen.window.views["graph"].canvas, key)
        screen.rest()


def test_two_thousand_nodes_are_folded_and_laid_out_elsewhere(opened: Callable[[Path], Any], deep_file: Path,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    from guardscope.gui.views import graph

    threads, real = [], graph.draw

    def seen(*args: Any) -> Any:
        threads.append(threading.current_thread())
        return real(*args)

    monkeypatch.setattr(graph, "draw", seen)
    screen = opened(deep_file)
    screen.run("go.last")
    screen.run("view.graph")
    view = screen.window.views["graph"]
    assert int(re.match(r"\d+", view.says.text())[0]) > 2000         # type: ignore[index]
    assert threads and threading.main_thread() not in threads
    assert 100 < len(view.canvas.picture.nodes) < 200, "readable: one block for each module"
    assert "\n" in view.says.toolTip() and "\\n" not in view.says.toolTip()


def test_the_border_between_the_graphs_names_the_break(deep: Any) -> None:
    picture = deep.window.views["graph"].canvas.picture
    assert [text for _, text in picture.borders] == ["graph break, line 27: print() writes output, which a graph cannot do"]
    assert [text for _, _, text in picture.titles] == ["Net.forward, version 1", "Net.forward after line 27, version 1"]


def test_everything_is_reached_by_keyboard(deep: Any, qtbot: Any) -> None:
    """The search finds and opens, arrows follow the edges, Return opens and closes, signs zoom."""
    view = deep.window.views["graph"]
    canvas = view.canvas
    view.search.setFocus()
    qtbot.keyClicks(view.search, "blocks.5.")
    assert int(view.hits.text()) == 3
    qtbot.keyClick(view.search, Qt.Key.Key_Return)
    deep.rest()
    assert canvas.selected is not None
    shape = canvas.picture.shape_of(*canvas.selected)
    assert not shape.group, "what was found is opened"
    found = canvas.selected
    canvas.setFocus()
    key(deep, Qt.Key.Key_Down)
    assert canvas.selected != found
    key(deep, Qt.Key.Key_Up)
    assert canvas.selected == found
    scale = canvas.scale
    key(deep, Qt.Key.Key_Plus)
    assert canvas.scale > scale
    key(deep, Qt.Key.Key_0)
    key(deep, Qt.Key.Key_Up, 40)
    before = len(canvas.picture.nodes)
    while not canvas.picture.shape_of(*canvas.selected).group:
        key(deep, Qt.Key.Key_Down)
    key(deep, Qt.Key.Key_Return)
    assert len(canvas.picture.nodes) > before


def test_kinds_of_nodes_and_sizes_on_edges(deep: Any) -> None:
    view = deep.window.views["graph"]
    view.search.setText("blocks.1.")
    view.search.returnPressed.emit()
    deep.rest()
    picture = view.canvas.picture
    kinds = {n.kind for n in picture.nodes}
    assert {"input", "view", "dead", "group", "op"} <= kinds, kinds
    assert any("s0" in n.detail for n in picture.nodes if n.group)
    assert any(re.search(r"\bs0\b", e.label) for e in picture.edges), {e.label for e in picture.edges}


def test_the_small_map_goes_there(deep: Any, qtbot: Any) -> None:
    canvas = deep.window.views["graph"].canvas
    room = canvas.map_rect()
    before = canvas.origin.y()
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(round(room.center().x()), round(room.bottom() - 4)))
    assert canvas.origin.y() < before - 1000
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(round(room.center().x()), round(room.top() + 2)))
    assert canvas.origin.y() > before - 1000


def test_a_node_leads_to_its_line_and_back(deep: Any) -> None:
    view = deep.window.views["graph"]
    view.search.setText("tanh")
    view.search.returnPressed.emit()
    deep.rest()
    assert deep.show("source").edit.current_line == 14


def test_pictures_hold_the_whole_graph(deep: Any, tmp_path: Path, qtbot: Any) -> None:
    from guardscope.gui.export import FORMS
    from guardscope.gui.widgets.export_dialog import ExportDialog
    from PySide6.QtGui import QImage

    for form in (f for f in FORMS if f.name == "graph"):
        assert deep.window.commands.run("file.export")
        dialog = deep.window.findChild(ExportDialog)
        dialog.choose(form)
        dialog.path.setText(str(tmp_path / f"deep{form.ending}"))
        dialog.go.click()
        qtbot.waitUntil(lambda: deep.window.findChild(ExportDialog) is None)
    drawing = ET.parse(tmp_path / "deep.graph.svg").getroot()
    words = {"".join(e.itertext()).strip() for e in drawing.iter() if e.tag.endswith("text")}
    assert sum(w.startswith("blocks.") for w in words) == 130
    image = QImage(str(tmp_path / "deep.graph.png"))
    assert image.height() > 3000


def test_from_a_fused_kernel_to_its_text_and_back_to_the_source(shown: Callable[[str], Any], qtbot: Any) -> None:
    screen = shown("""import torch


@torch.compile
def f(x):
    y = torch.relu(x) * 2 + 1
    return torch.tanh(y).sum()


f(torch.ones(64))
f(torch.ones(64))
""")
    screen.run("view.graph")
    view = screen.window.views["graph"]
    assert "kernel" in view.says.text()
    view.fold.setFocus()
    while view.fold.currentText() != "by kernel":
        qtbot.keyClick(view.fold, Qt.Key.Key_Down)
        view.fold.activated.emit(view.fold.currentIndex())
    screen.rest()
    groups = [n for n in view.canvas.picture.nodes if n.group]
    assert len(groups) == 1 and "operations" in groups[0].title, "what one kernel computes is one block"
    place = view.canvas._on_canvas(QRectF(groups[0].x, groups[0].y, groups[0].w, groups[0].h)).center().toPoint()
    qtbot.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=place)
    screen.rest()
    assert {"relu", "tanh"} <= {word for n in view.canvas.picture.nodes for word in re.findall(r"\w+", n.title)}
    text = screen.show("kernel").edit.toPlainText()
    assert "__kernel void" in text
    assert "model.py:6" in text and "model.py:7" in text, "the script's lines stand beside what computes them"
    lanes = [lane.title for lane in screen.window.timeline.canvas.lanes]
    assert any(title.startswith("Kernels on ") for title in lanes), lanes
    view.search.setText("tanh")
    view.search.returnPressed.emit()
    screen.rest()
    assert screen.show("source").edit.current_line == 7
