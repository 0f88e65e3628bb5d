"""Stepping through calls: what is found from the step before is what is found anew, whichever way one goes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from guardscope.core.events.reader import Session
from guardscope.core.events.replay import PrefixCounts, SessionAt
from guardscope.gui.facts import Facts
from guardscope.gui.facts_at import FactsAt
from guardscope.gui.models.causes import cause_rows
from guardscope.gui.models.line_marks import line_marks
from guardscope.gui.models.pieces import pieces
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return x / self.seen


@torch.compile(backend="eager")
def cut(x):
    y = torch.relu(x)
    print("sum", y.sum().item())
    return y * 2


@torch.compile(backend="eager")
def never(x):
    exec("a = 1")
    return x


@torch.compile(backend="eager")
def sized(x, n):
    return x * n


meter = torch.compile(Meter(), backend="eager")
for n in range(11):
    meter(torch.ones(3))
    sized(torch.ones(1 + n % 4, 2), n % 3)
    sized(torch.ones(1 + n % 4, 2), n % 3)
    if n % 2:
        cut(torch.ones(n))
    if n > 4:
        never(torch.ones(2))
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("steps")
    (folder / "model.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "main.py", "run", str(folder / "model.py"), "-o", str(folder / "s.guardscope"),
                           "--quiet"], capture_output=True, text=True, cwd=ROOT, timeout=240)
    assert done.returncode == 0, done.stderr
    return folder / "s.guardscope"


@pytest.fixture
def session(recorded: Path) -> Iterator[Session]:
    with Session(recorded) as found:
        yield found


def answers(facts: Facts) -> dict[str, Any]:
    """Whatever moves along or is taken over from the step before."""
    session = facts.session
    file = str(session.info["script"])
    return {
        "outcomes": facts.outcome_counts(), "codes": facts.code_outcomes().tolist(), "uses": facts.artifact_uses().tolist(),
        "artifacts": {c.id: [a.id for a in facts.artifacts_of(c.id)] for c in session.codes},
        "resumes": {c.id: [r.id for r in facts.resumes_of(c.id)] for c in session.codes},
        "limits": {c.id: (facts.limit(c.id), facts.kept(c.id), facts.compile_ns(code=c.id)) for c in session.codes},
        "given up": facts.given_up(), "history": [facts.guard_history(a.id) for a in session.artifacts],
        "misses": [facts.failures_of_call(call) for call in range(facts.n_calls)],
        "causes": cause_rows(facts), "pieces": pieces(facts, file), "marks": line_marks(facts, file)}


def test_a_step_finds_what_is_found_anew(session: Session) -> None:
    whole, before = Facts(session), None
    n = whole.n_calls
    assert n > 40 and len(session.artifacts) > 8 and session.breaks and session.not_compiled and session.limits
    shared = 0
    for call in [0, 1, 2, 3, 9, 30, *range(n - 1, n - 12, -1), 7, 6, n - 2, n - 1, 20, 21, 22, 20]:
        step = FactsAt(SessionAt(session, call), whole, before)
        shared += before is not None and step.same_tables(before)
        assert answers(step) == answers(Facts(SessionAt(session, call))), call
        before = step
    assert shared > 5                            # among reused calls the tables' answers were taken over
    last = FactsAt(SessionAt(session, n - 1), whole, before)
    assert {k: v for k, v in answers(last).items() if k != "causes"} == {
        k: v for k, v in answers(Facts(session)).items() if k != "causes"}


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1 << 40)), max_size=30), st.lists(st.integers(0, 30), max_size=12))
@settings(deadline=None)
def test_counts_over_the_first_rows(rows: list[tuple[int, int]], stops: list[int]) -> None:
    keys, weights = (np.array([row[i] for row in rows], np.int64) for i in (0, 1))
    counts = PrefixCounts(lambda low, high: keys[low:high], 5)
    sums = PrefixCounts(lambda low, high: keys[low:high], 5, weights)
    for stop in (min(stop, len(rows)) for stop in stops):
        assert counts.upto(stop).tolist() == [sum(k == i for k, _ in rows[:stop]) for i in range(5)]
        assert sums.upto(stop).tolist() == [sum(w for k, w in rows[:stop] if k == i) for i in range(5)]


def texts(window: Any) -> dict[str, Any]:
    """What the views that were stepped through show."""
    views = window.views

    def tree(rows: list[Any]) -> list[Any]:
        return [(r.key, r.cells, r.meter, r.tip(), tree(r.children)) for r in rows]

    table = views["guards"].table_model
    return {"functions": tree(views["functions"].tree_model._top.children), "causes": views["causes"].body(),
            "guards": [[c.text(row) for c in table.columns] for row in table.rows], "output": views["output"].plain(),
            "call": views["call"].page.toPlainText(), "summary": views["summary"].cause.text(),
            "what if": views["what_if"].body(), "source": views["source"].says.text(),
            "marks": views["source"].edit.marks}


def test_after_any_steps_the_views_show_what_a_jump_shows(make_window: Any, recorded: Path, qtbot: Any) -> None:
    def opened() -> Any:
        window = make_window()
        assert window.open_path(recorded)
        qtbot.waitUntil(lambda: window.settled and not window.control.watching)
        return window

    def go(window: Any, call: int) -> None:
        window.model.select(call=call)
        qtbot.waitUntil(lambda: window.settled)

    def shown(window: Any) -> dict[str, Any]:
        for name in ("what_if", "call", "guards", "source", "causes"):     # each comes to the front in turn
            window.show_view(name)
            qtbot.waitUntil(lambda: window.settled)
        return texts(window)

    walked, jumped = opened(), opened()
    for window in (walked, jumped):
        window.model.select(call=0)
        assert window.commands.run("replay.toggle")
    for name, last in (("causes", 6), ("guards", 18), ("source", 30), ("what_if", 38), ("output", 33), ("functions", 21)):
        walked.show_view(name)
        while walked.model.as_of != last:
            assert walked.commands.run("go.next" if walked.model.as_of < last else "go.previous")
        qtbot.waitUntil(lambda: walked.settled)
        go(jumped, 2)
        go(jumped, last)
        assert shown(walked) == shown(jumped), name
    assert not any(view.failed for view in walked.views.values())
