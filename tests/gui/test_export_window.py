"""The Export dialog and what it writes: texts with and without source and values, pictures of the timeline and a graph."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from guardscope.gui.export import FORMS, form_of


@pytest.fixture
def window(make_window: Any, fake: Any) -> Any:
    return make_window(fake.synthetic(12))


def dialog_of(window: Any) -> Any:
    from guardscope.gui.widgets.export_dialog import ExportDialog

    window.commands.run("file.export")
    found = window.findChildren(ExportDialog)
    assert len(found) == 1
    return found[0]


def test_every_form_has_its_own_ending() -> None:
    for form in FORMS:
        assert form_of(f"some/file{form.ending}") == (f"some/file{form.ending}", form)
    assert form_of("plain")[0] == "plain.html"


def test_the_dialog_follows_the_form(window: Any) -> None:
    dialog = dialog_of(window)
    assert dialog.path.text().endswith(".html")
    dialog.choose(FORMS[1])
    assert dialog.path.text().endswith(".trace.json")
    assert dialog.source.isEnabled()
    dialog.choose(FORMS[4])
    assert not dialog.source.isEnabled()
    dialog.path.setText("/tmp/mine.png")
    dialog.path.textEdited.emit("/tmp/mine.png")
    dialog.choose(FORMS[5])
    assert dialog.path.text() == "/tmp/mine.svg"
    dialog.path.textEdited.emit("")
    assert not dialog.go.isEnabled()
    dialog.reject()


def test_a_graph_that_is_not_drawn_cannot_be_chosen(window: Any, qtbot: Any) -> None:
    dialog = dialog_of(window)
    graph = next(i for i, f in enumerate(FORMS) if f.name == "graph")
    assert not dialog.group.button(graph).isEnabled()
    assert "Graph view" in dialog.group.button(graph).toolTip()
    dialog.reject()


@pytest.mark.parametrize("name", ["timeline", "graph"])
def test_pictures(window: Any, qtbot: Any, tmp_path: Path, name: str) -> None:
    from PySide6.QtGui import QImage

    window.show_view("graph")
    window.model.select(artifact=0)
    qtbot.waitUntil(lambda: window.jobs.idle and window.views["graph"].has_picture())
    for form in (f for f in FORMS if f.name == name):
        dialog = dialog_of(window)
        dialog.choose(form)
        target = tmp_path / f"picture{form.ending}"
        dialog.path.setText(str(target))
        dialog.go.click()
        assert "exported" in window.banner.text()
        if form.ending.endswith(".svg"):
            text = target.read_text()
            words = set(re.findall(r">([^<>\n]+)</text>", text))
            assert "</svg>" in text
            assert any(window.model.facts.script_name() in w for w in words)
            assert ("recompiled" in text) == (name == "timeline")
        else:
            image = QImage(str(target))
            assert image.width() > 300
            colours = {image.pixel(x, y) for x in range(0, image.width(), 5) for y in range(0, image.height(), 3)}
            assert len(colours) > 5
        qtbot.waitUntil(lambda: not window.findChildren(type(dialog)))


def test_a_picture_that_cannot_be_written_says_one_sentence(window: Any, tmp_path: Path) -> None:
    said: list[str] = []
    window.problem.connect(said.append)
    for ending in (".png", ".svg"):
        window.exports.to(str(tmp_path / "no such folder" / f"x{ending}"))
    (tmp_path / "file").write_text("kept")
    window.exports.to(str(tmp_path / "file" / "x.png"))        # below something that is no folder
    assert len(said) == 3
    assert all("cannot be written" in s for s in said)
    assert [p.name for p in tmp_path.iterdir() if p.name != "sessions"] == ["file"]
    dialog = dialog_of(window)
    dialog.choose(FORMS[4])
    dialog.path.setText(str(tmp_path))
    dialog.go.click()
    assert "not a plain file" in said[-1]


def test_the_switches_reach_the_file(make_window: Any, qtbot: Any, tmp_path: Path, recorded_session: Any) -> None:
    window = make_window(recorded_session)
    for source in (True, False):
        dialog = dialog_of(window)
        dialog.choose(next(f for f in FORMS if f.name == "json"))
        dialog.source.setChecked(source)
        dialog.values.setChecked(source)
        target = tmp_path / f"{source}.json"
        dialog.path.setText(str(target))
        dialog.go.click()
        qtbot.waitUntil(lambda: window.jobs.idle)
        found = json.loads(target.read_text())
        assert bool(found["sources"]) == source
        assert ("12.5" in target.read_text()) == source
        qtbot.waitUntil(lambda: not window.findChildren(type(dialog)))
