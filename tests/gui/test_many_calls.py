"""A long session in the window: what is counted, filtered and stepped through is right, and a step reads nothing anew."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from guardscope.core.events.schema import OUTCOME_NUMBER, OUTCOME_WORDS, OUTCOMES

CALLS = 60_000


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = Path(__file__).parents[1] / "events" / "synthetic.py"
    spec = importlib.util.spec_from_file_location("synthetic_of_many_calls", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found: Path = module.make_session(tmp_path_factory.mktemp("many") / "many.guardscope", calls=CALLS, functions=8)
    return found


@pytest.fixture
def window(make_window: Any, path: Path, qtbot: Any) -> Any:
    made = make_window()
    assert made.open_path(path)
    qtbot.waitUntil(lambda: made.settled and not made.control.watching)
    return made


def test_every_outcome_is_counted_and_filters(window: Any, qtbot: Any) -> None:
    outcomes = window.model.session.calls["outcome"]
    assert len(outcomes) == CALLS
    assert window.views["summary"].totals.text().startswith("60\N{NARROW NO-BREAK SPACE}000 calls")
    chips = window.views["summary"].chips.chips
    for name in OUTCOMES:
        n = int(np.count_nonzero(outcomes == OUTCOME_NUMBER[name]))
        text = chips[name].text().replace("\N{NARROW NO-BREAK SPACE}", "")
        assert text == f" {n} {OUTCOME_WORDS[name]}"
        assert chips[name].isEnabled() == (n > 0)
        if n:
            chips[name].click()
            assert window.model.filter == {name}
            window.model.select(call=0)
            window.commands.run("go.last")
            window.commands.run("go.previous")
            last = np.flatnonzero(outcomes[:-1] == OUTCOME_NUMBER[name])[-1]
            assert window.model.selection.call == last
            chips[name].click()
    window.model.select(call=CALLS - 1)
    window.commands.run("go.previous_miss")
    assert window.model.selection.call == np.flatnonzero(outcomes != OUTCOME_NUMBER["reuse"])[-1]


def test_a_step_of_replay_reads_nothing_that_was_read_before(window: Any, qtbot: Any,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    window.model.select(call=CALLS // 2)
    assert window.commands.run("replay.toggle")
    seen = ("guards", "matrix", "coverage", "graph", "source", "python", "kernel", "what_if", "call", "causes")
    for name in seen:
        window.show_view(name)
        qtbot.waitUntil(lambda: window.settled)
    asked: list[str] = []
    real = type(window.model.whole)._query
    monkeypatch.setattr(type(window.model.whole), "_query",
                        lambda self, what, *rest: asked.append(what) or real(self, what, *rest))
    for name in seen:
        window.show_view(name)
        for by in ("next", "next", "previous"):
            before = window.model.as_of
            assert window.commands.run(f"go.{by}")
            assert window.model.as_of == before + (1 if by == "next" else -1)
            qtbot.waitUntil(lambda: window.settled)
    assert set(asked) <= {"output times"}        # whether more was printed
    facts = window.model.facts
    assert sum(facts.outcome_counts().values()) == facts.n_calls == window.model.as_of + 1
    assert facts.outcome_counts()["reuse"] == np.count_nonzero(
        window.model.whole.calls["outcome"][:facts.n_calls] == OUTCOME_NUMBER["reuse"])
    assert not any(view.failed for view in window.views.values())


def test_a_cause_with_more_calls_than_can_be_marked_says_so(window: Any, qtbot: Any) -> None:
    window.show_view("causes")
    text = window.views["causes"].page.toPlainText().replace("\N{NO-BREAK SPACE}", " ")
    row = next(c for c in window.model.causes() if c.mark == "not_compiled")
    assert len(row.calls) == 3 and "3 calls" in text
    code = next(c.id for c in window.model.session.codes if c.name == "f0")
    calls = np.flatnonzero(window.model.session.calls["code"] == code)
    assert len(calls) > 1000
    assert list(window.model.facts.first_calls(code, 1000, top=True)) == calls[:1000].tolist()
    assert list(window.model.facts.first_calls(code, 5)) == calls[:5].tolist()
    from guardscope.gui.models.causes import MOST_CALLS, CauseRow

    block = window.views["causes"]._block
    assert f">the first {MOST_CALLS} calls<" in block(0, CauseRow("break", "cut", calls=tuple(range(MOST_CALLS))), 1)
    assert f">{MOST_CALLS - 1} calls<" in block(0, CauseRow("break", "cut", calls=tuple(range(MOST_CALLS - 1))), 1)
