"""The pieces of a function in its source: borders, counts and times, on a session that the real compiler recorded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from guardscope.core.events.reader import Session
from guardscope.gui.facts import Facts
from guardscope.gui.models.pieces import by_line, own_ns, pieces

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """import torch


@torch.compile
def cut(x):
    y = x.relu()
    print("one",
          1)
    y = y * 2
    z = y.sum().item()
    return y + z


@torch.compile
def loop(x):
    for i in range(2):
        x = x * 2
        print(i)
        x = x + 1
    return x


@torch.compile
def never(x):
    exec("a = 1")
    return x


def outer():
    @torch.compile
    def inner(x):
        return x * 3
    return inner(torch.ones(3))


for k in range(3):
    cut(torch.ones(3))
    loop(torch.ones(3))
    never(torch.ones(2))
    outer()
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pieces")
    (folder / "cut.py").write_text(SCRIPT)
    target = folder / "s.guardscope"
    done = subprocess.run([sys.executable, "main.py", "run", str(folder / "cut.py"), "-o", str(target), "--quiet",
                           "--backend", "eager"], capture_output=True, text=True, cwd=ROOT, timeout=240)
    assert done.returncode == 0, done.stderr
    return folder / "s.guardscope"


@pytest.fixture
def facts(path: Path) -> Any:
    session = Session(path)
    yield Facts(session)
    session.close()


def test_breaks_cut_a_function_into_pieces(facts: Facts) -> None:
    found = [(p.kind, p.first, p.last, p.runs) for p in pieces(facts, facts.files()[0])]
    assert [p for p in found if p[1] < 13] == [
        ("graph", 4, 6, 3), ("python", 7, 8, 0), ("graph", 9, 9, 3), ("python", 10, 10, 0), ("graph", 11, 11, 3)]
    assert [p for p in found if 13 < p[1] < 22] == [("graph", 14, 17, 3), ("python", 18, 18, 0), ("graph", 19, 20, 6)]
    assert [p for p in found if p[1] > 22] == [("skipped", 23, 26, 3), ("graph", 30, 32, 3)]
    assert {line: p.kind for line, p in by_line(pieces(facts, facts.files()[0])).items()}[31] == "graph"


def test_times_are_those_of_the_runs_without_what_runs_inside(facts: Facts) -> None:
    runs, own = facts.session.runs, own_ns(facts)
    whole = int((runs["end"] - runs["start"])[runs["depth"] == 0].sum())
    assert own.min() >= 0
    assert int(own.sum()) == whole                            # nothing is counted twice, nothing is lost
    compiling = sum(facts.compile_ns(code=c.id) for c in facts.session.codes)
    told = sum(p.ns for p in pieces(facts, facts.files()[0]))
    assert abs(told - (whole - compiling)) <= len(facts.session.codes)


def test_the_margin_tells_pieces_apart(make_window: Any, path: Path, qtbot: Any) -> None:
    window = make_window()
    assert window.open_path(path)
    qtbot.waitUntil(lambda: window.settled)
    window.show_view("source")
    marks = window.views["source"].edit.marks
    assert [marks[n].bar for n in (4, 7, 8, 9, 10, 11, 23)] == [
        "graph0", "python", "python", "graph1", "python", "graph0", "skipped"]
    assert marks[9].count.startswith("3× ")
    assert marks[5].count == ""
    assert "piece 2 of its function. Ran 3 times" in marks[9].tip
    assert "never compiled" in marks[24].tip


def test_a_session_without_runs(tmp_path: Path, path: Path) -> None:
    session = Session(path)
    facts = Facts(session)
    empty = {name: np.empty(0, session.runs[name].dtype) for name in session.runs.names}

    class NoRuns:
        runs, codes, artifacts, breaks, not_compiled, phases = empty, session.codes, session.artifacts, session.breaks, \
            session.not_compiled, session.phases

    assert all(p.runs == 0 for p in pieces(Facts(NoRuns()), facts.files()[0]))
    session.close()


def test_many_versions_are_read_a_little_at_a_time(make_window: Any, path: Path, qtbot: Any,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    from guardscope.gui.views import source

    monkeypatch.setattr(source, "AT_ONCE", 0.0)
    monkeypatch.setattr(source, "A_WHILE", 0.0)
    window = make_window()
    assert window.open_path(path)
    qtbot.waitUntil(lambda: window.settled)
    window.show_view("source")
    view = window.views["source"]
    assert "reading what happened" in view.says.text()
    assert view.edit.marks[7].bar == "python" and view.edit.marks[7].sign == ""
    qtbot.waitUntil(lambda: "reading what happened" not in view.says.text())
    assert view.edit.marks[7].sign == "break"
