"""Folding of graphs by module and kernel: nothing is lost, nothing makes a cycle, and two thousand nodes stay small."""

from __future__ import annotations

from typing import Any

import pytest
from guardscope.core.events.schema import NodeRow
from guardscope.gui.models.graph_fold import FOLD_ABOVE, Folding, automatic, fold
from guardscope.gui.models.graph_layout import acyclic, digraph
from guardscope.gui.models.graph_picture import GraphPart, Picture, draw
from hypothesis import given, settings
from hypothesis import strategies as st

WIDTH = lambda text: 7.0 * len(text)


def chain(count: int, modules: list[str]) -> tuple[NodeRow, ...]:
    """x, then `count` operations in a row, each with a weight of its own; modules in turn."""
    rows = [NodeRow(0, "input", "", "x", dtype="float32", shape="4", users=(count + 1,))]
    rows += [NodeRow(1 + i, "input", "", f"w{i}", dtype="float32", shape="4", users=(count + 1 + i,)) for i in range(count)]
    for i in range(count):
        users = (count + 2 + i,) if i < count - 1 else ()
        rows.append(NodeRow(count + 1 + i, "op" if users else "output", "add", f"y{i}", dtype="float32", shape="4",
                            module=modules[i * len(modules) // count], users=users))
    return tuple(rows)


def origins(count: int) -> dict[str, str]:
    return {"x": "x", **{f"w{i}": f"self.layers[{i}].weight" for i in range(count)}}


def layers(n: int) -> list[str]:
    return [f"layers.{i}.{part}" for i in range(n) for part in ("norm", "mlp.up", "mlp.down")]


def test_small_graphs_are_not_folded() -> None:
    nodes = chain(10, layers(2))
    folding = automatic(nodes, True)
    assert folding == Folding("nothing", weights=True)
    assert [i.node for i in fold(nodes, (), folding, origins(10)).items] == [n.index for n in nodes]


def test_large_graphs_are_folded_to_a_readable_size() -> None:
    nodes = chain(2000, layers(50))
    folding = automatic(nodes, True)
    assert (folding.by, folding.weights) == ("module", False)
    found = fold(nodes, (), folding, origins(2000))
    assert found.hidden_weights == 2000
    assert 20 < len(found.items) <= FOLD_ABOVE
    assert {i.group for i in found.items if i.group} == {f"layers.{i}" for i in range(50)}
    assert len(found.edges) == len(found.items) - 1


def test_groups_open_and_close() -> None:
    nodes = chain(2000, layers(50))
    folding = automatic(nodes, True)
    opened = folding.toggled("layers.3", False)
    found = fold(nodes, (), opened, origins(2000))
    assert {i.group for i in found.items} >= {"layers.2", "layers.3.norm", "layers.3.mlp", "layers.4"}
    assert [title for _, title, _ in found.boxes] == ["layers", "layers.3", "layers"]
    closed = opened.toggled("layers.3", True)
    assert [i.group for i in fold(nodes, (), closed, {}).items] == [i.group for i in fold(nodes, (), folding, {}).items]
    whole = folding.toggled("layers", True)
    assert [i.group for i in fold(nodes, (), whole, origins(2000)).items] == ["", "layers"]


def test_a_module_that_runs_twice_is_two_blocks() -> None:
    nodes = chain(200, ["a.x", "b.x", "a.x"])
    found = fold(nodes, (), Folding("module", closed=frozenset({"a", "b"}), weights=False), origins(200))
    assert [i.group for i in found.items] == ["", "a", "b", "a"]


def test_by_kernel() -> None:
    nodes = chain(200, [""])
    kernels = ((7, "k_add", tuple(range(201, 301))), (8, "k_more", tuple(range(301, 401))))
    folding = automatic(nodes, True)
    assert folding.by == "kernel"
    found = fold(nodes, kernels, folding, origins(200))
    assert [i.title.partition("  ")[0] for i in found.items] == ["", "k_add", "k_more"]
    opened = fold(nodes, kernels, folding.toggled("kernel 7", False), origins(200))
    assert len(opened.items) == 102


@given(st.lists(st.sampled_from(["", "a", "a.b", "a.b.c", "a.d", "e", "e.f"]), min_size=1, max_size=40),
       st.lists(st.tuples(st.integers(0, 39), st.integers(0, 39)), max_size=60),
       st.sets(st.sampled_from(["a", "a.b", "a.d", "e"])), st.sets(st.sampled_from(["a", "a.b", "e.f"])))
@settings(deadline=None, max_examples=200)
def test_nothing_is_lost_and_no_cycle_made(modules: list[str], pairs: list[tuple[int, int]], opened: set[str],
                                           closed: set[str]) -> None:
    count = len(modules)
    users: dict[int, set[int]] = {i: set() for i in range(count)}
    for a, b in pairs:
        if a < b < count:
            users[a].add(b)
    nodes = tuple(NodeRow(i, "op", "add", f"y{i}", module=m, users=tuple(users[i])) for i, m in enumerate(modules))
    found = fold(nodes, (), Folding("module", frozenset(opened), frozenset(closed)), {})
    assert sorted(m for item in found.items for m in item.members) == list(range(count))
    assert acyclic(digraph([i.key for i in found.items], found.edges))
    owner = {m: i.key for i in found.items for m in i.members}
    expected = {(owner[a], owner[b]) for a, more in users.items() for b in more if owner[a] != owner[b]}
    assert set(found.edges) == expected


def test_a_picture_of_folded_graphs() -> None:
    nodes = chain(2000, layers(50))
    part = GraphPart(5, "f, version 0", nodes, (), "", origins(2000))
    picture: Picture = draw([part], WIDTH, WIDTH, automatic(nodes, False))
    assert len(picture.nodes) <= FOLD_ABOVE
    shape = picture.shape_of(5, 2500)
    assert shape is not None and shape.kind == "group" and 2500 in shape.members
    assert picture.hidden_weights == 2000


def test_dead_ends_and_views_are_told_apart() -> None:
    nodes = (NodeRow(0, "input", "", "x", users=(1, 2)), NodeRow(1, "op", "transpose", "t", users=(3,), view=True),
             NodeRow(2, "op", "exp", "e"), NodeRow(3, "output", "add", "out"))
    picture = draw([GraphPart(0, "f", nodes, ())], WIDTH, WIDTH)
    assert [n.kind for n in picture.nodes] == ["input", "view", "dead", "output"]


@pytest.fixture
def deep(make_window: Any, tmp_path: Any, qtbot: Any) -> Any:
    """A window on a model of 30 blocks that the real compiler ran."""
    import subprocess
    import sys
    from pathlib import Path

    from guardscope.core.events.reader import Session

    (tmp_path / "deep.py").write_text(DEEP)
    target = tmp_path / "deep.guardscope"
    done = subprocess.run([sys.executable, "main.py", "run", str(tmp_path / "deep.py"), "-o", str(target), "--quiet",
                           "--backend", "eager"], capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=240)
    assert done.returncode == 0, done.stderr
    window = make_window(Session(target))
    window.model.select(artifact=0)
    window.show_view("graph")
    qtbot.waitUntil(lambda: window.jobs.idle and window.views["graph"].has_picture())
    return window


DEEP = """import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.n = torch.nn.Linear(4, 4), torch.nn.LayerNorm(4)

    def forward(self, x):
        return x + torch.relu(self.a(self.n(x)))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([Block() for _ in range(30)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x.sum()


torch.compile(Net())(torch.ones(2, 4))
"""


def test_folding_finding_and_walking_in_the_window(deep: Any, qtbot: Any) -> None:
    from PySide6.QtCore import Qt

    view = deep.views["graph"]
    canvas = view.canvas
    rest = lambda: qtbot.waitUntil(lambda: deep.jobs.idle)
    assert view.fold.currentData() == "module"
    assert {n.group for n in canvas.picture.nodes if n.group} == {f"layers.{i}" for i in range(30)}
    canvas.group_clicked.emit("layers.4", False)
    rest()
    assert any(n.group == "layers.4.n" or n.title.startswith("layer_norm") for n in canvas.picture.nodes)
    assert "layers.4" in {b.group for b in canvas.picture.boxes}
    canvas.group_clicked.emit("layers.4", True)
    rest()
    assert "layers.4" in {n.group for n in canvas.picture.nodes}
    view.search.setText("layer_norm")
    assert view.hits.text() == "30"
    qtbot.keyClick(view.search, Qt.Key.Key_Return)
    rest()
    node = deep.model.selection.node
    shape = canvas.picture.shape_of(0, node)
    assert shape is not None and not shape.group, "what was found is opened"
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    assert deep.model.selection.node != node
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    assert deep.model.selection.node == node
    view.fold.setCurrentIndex(view.fold.findData("nothing"))
    view.fold.activated.emit(view.fold.currentIndex())
    rest()
    assert not any(n.group for n in canvas.picture.nodes)
    assert not any(n.title.endswith("_weight") for n in canvas.picture.nodes)
    view.weights.click()
    rest()
    assert sum(n.title.endswith("_weight") for n in canvas.picture.nodes) == 60


def test_the_map_moves_the_view(deep: Any, qtbot: Any) -> None:
    from PySide6.QtCore import QPoint, Qt

    canvas = deep.views["graph"].canvas
    room = canvas.map_rect()
    assert room is not None
    before = canvas.origin.y()
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(round(room.center().x()), round(room.bottom() - 3)))
    assert canvas.origin.y() < before - 100
    for _ in range(50):
        canvas.zoom(0.8)
    assert canvas.map_rect() is None
