"""Versions side by side: a tensor's guard taken apart, what differs first, what failed in the selected call marked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from guardscope.core.events.reader import Session
from guardscope.gui.facts import Facts
from guardscope.gui.models.matrix import matrix

SCRIPT = """import torch


@torch.compile(dynamic=False)
def scale(x, rate, label):
    return torch.relu(x) * rate if label == "a" else x + rate


for n, rate, label in ((3, 2, "a"), (4, 2, "a"), (4, 2, "b"), (4, 2, "b")):
    scale(torch.ones(n, 5), rate, label)


@torch.compile
def once(x):
    return x + 1


once(torch.ones(2))
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matrix")
    (folder / "scale.py").write_text(SCRIPT)
    target = folder / "scale.guardscope"
    done = subprocess.run([sys.executable, "main.py", "run", str(folder / "scale.py"), "-o", str(target), "--quiet",
                           "--backend", "eager"], capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=240)
    assert done.returncode == 0, done.stderr
    return target


def test_what_tells_versions_apart(recorded: Path) -> None:
    with Session(recorded) as session:
        found = matrix(Facts(session), 0, 2)
        assert len(found.versions) == 3
        telling = {r.place: [r.cells[a.id].text if a.id in r.cells else "" for a in found.versions]
                   for r in found.rows if r.differs}
        assert list(telling.items())[:2] == [("x.shape[0]", ["3", "4", "4"]), ("label", ["'a'", "'a'", "'b'"])]
        assert telling["torch"][2] == ""         # the third version adds and never looks at torch.relu
        equal = {r.place: r.cells[0].text for r in found.rows if not r.differs}
        assert equal["x.shape[1]"] == "5" and equal["x.dtype"] == "float32" and equal["rate"] == "2"
        assert equal["grad mode"] == "True"
        assert [r.differs for r in found.rows] == sorted((r.differs for r in found.rows), reverse=True)


def test_failures_of_the_selected_call(recorded: Path) -> None:
    with Session(recorded) as session:
        rows = {r.place: r for r in matrix(Facts(session), 0, 2).rows}
        assert {a: c.failing for a, c in rows["x.shape[0]"].cells.items()} == {0: True, 1: False, 2: False}
        assert {a: c.failing for a, c in rows["label"].cells.items()} == {0: True, 1: True, 2: False}
        assert (rows["x.shape[0]"].seen, rows["label"].seen, rows["x.shape[1]"].seen) == ("4", "'b'", "")
        assert not any(c.failing for r in matrix(Facts(session), 0, 3).rows for c in r.cells.values())


def test_the_view_selects_a_version_and_its_guard(make_window: Any, recorded: Path) -> None:
    window = make_window(Session(recorded))
    window.model.select(call=2)
    window.show_view("matrix")
    view = window.views["matrix"]
    assert "things tell the 3 versions" in view.says.text()
    places = [r.place for r in view.table_model.rows]
    assert places[:2] == ["x.shape[0]", "label"]
    view.every.setChecked(True)
    assert len(view.table_model.rows) > 10
    view.table.clicked.emit(view.table_model.index(places.index("label"), 1))
    s = window.model.selection
    assert s.artifact == 1 and window.model.facts.guard(1, s.guard).origin == "label" and s.call == 2
    view._version_clicked(0)
    assert window.model.selection.artifact == 0
    window.model.select(code=1)
    assert "one version" in view.says.text()


def test_a_function_without_versions(make_window: Any, fake: Any) -> None:
    window = make_window(fake.synthetic())
    window.show_view("matrix")
    view = window.views["matrix"]
    for code in range(len(window.model.session.codes)):
        window.model.select(code=code)
        assert not view.failed
        assert view.says.text()


def test_what_was_different_between_two_calls(recorded: Path) -> None:
    from guardscope.gui.models.state_diff import differences, previous

    with Session(recorded) as session:
        facts = Facts(session)
        found = {d.place: (d.before, d.now, d.known.how) for d in differences(facts, 0, 2)}
        assert found == {"x.shape[0]": ("3", "4", "checked"), "label": ("'a'", "'b'", "checked")}
        assert differences(facts, 2, 3) == []
        assert previous(facts, 2) == 1 and previous(facts, 0) is None and previous(facts, 4) is None


def test_the_call_view_says_what_was_different(make_window: Any, recorded: Path) -> None:
    window = make_window(Session(recorded))
    page = window.views["call"].page
    window.model.select(call=2)
    assert "Different from call 1, the call before" in page.toPlainText()
    assert "label" in page.toPlainText().partition("Different from")[2]
    window.model.select(call=0)
    assert "Different from" not in page.toPlainText()
    window.commands.run("go.mark")
    window.model.select(call=3)
    text = page.toPlainText().partition("Different from")[2]
    assert text.startswith(" call 0, the marked call") and "x.shape[0]" in text
    window.commands.run("go.mark")
    window.commands.run("go.mark")
    assert "the call before" in page.toPlainText()
    assert "Nothing that was looked at" in page.toPlainText()


def test_every_guard_has_a_place(recorded: Path, recorded_session: Any) -> None:
    """Several guards of one kind on one origin must not cover each other."""
    from guardscope.gui.models.matrix import SIZE, parts_of
    from guardscope.gui.models.size_states import between

    for session in (Session(recorded), recorded_session):
        facts = Facts(session)
        for artifact in session.artifacts:
            guards = facts.guards(artifact.id)
            parts = parts_of(guards)
            places = [(place, kind) for place, kind, *_ in parts]
            assert len(set(places)) == len(places)
            merged = {g.index for g in guards if g.kind == "SHAPE_ENV"
                      and (SIZE.match(g.condition) or between(g.condition))}
            assert {index for *_, index in parts} | merged == {g.index for g in guards}
        session.close()


def test_a_range_stands_in_the_row_of_its_size() -> None:
    from guardscope.core.events.schema import GuardRow
    from guardscope.gui.models.matrix import parts_of

    facts = {"cls": "Tensor", "dtype": "float32", "device": "cpu", "requires_grad": False, "sizes": [None, 3],
             "strides": [3, 1]}
    tensor = GuardRow(0, "TENSOR_MATCH", "x", "x: float32[any, 3]", facts=facts)
    bound = GuardRow(1, "SHAPE_ENV", "x", "2 <= x.shape[0] < 64")
    other = GuardRow(2, "SHAPE_ENV", "n", "1 <= n <= 9")
    rows = {place: text for place, _, _, text, _ in parts_of([tensor, bound, other])}
    assert rows["x.shape[0]"] == "any, 2 to 63"
    assert "2 <= x.shape[0] < 64" not in rows
    assert "1 <= n <= 9" in rows                     # no tensor's size: a row of its own
