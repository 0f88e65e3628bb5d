"""Selection: what follows from what, history, stepping; facts derived from a session."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from guardscope.gui.models.line_marks import line_marks
from guardscope.gui.session_model import Selection, SessionModel
from guardscope.gui.words import call_sentence, call_title, failure_sentence, short_path


@pytest.fixture
def model(fake: ModuleType, qapp: Any) -> SessionModel:
    m = SessionModel()
    m.open(fake.synthetic())
    return m


def test_a_call_selects_its_function_and_the_version_it_made(model: SessionModel) -> None:
    model.select(call=8)
    s = model.selection
    assert (s.call, s.code, s.artifact) == (8, 0, model.facts.call_runs(8)[0]["artifact"])
    assert model.session.artifacts[s.artifact].version == 2


def test_a_version_selects_the_call_that_made_it(model: SessionModel) -> None:
    model.select(artifact=1)
    assert model.selection.call == model.session.artifacts[1].call == 1


def test_a_guard_selects_its_line(model: SessionModel) -> None:
    model.select(artifact=0, guard=1)
    assert (model.selection.artifact, model.selection.guard, model.selection.line) == (0, 1, 12)


def test_a_node_selects_its_kernel_and_line_and_a_kernel_its_first_node(model: SessionModel) -> None:
    model.select(artifact=0, node=5)
    assert model.session.kernels[model.selection.kernel].name == "sum_0"
    assert model.selection.line == 13
    model.select(kernel=0)
    assert (model.selection.node, model.selection.artifact) == (1, 0)


def test_a_source_line_selects_the_function_around_it(model: SessionModel) -> None:
    model.select(code=0)
    model.select(line=17)
    assert model.facts.code(model.selection.code).name == "scale"
    assert model.selection.line == 17


def test_the_call_is_kept_when_the_new_selection_took_part_in_it(model: SessionModel) -> None:
    model.select(call=2)
    resume = next(c for c in model.session.codes if c.kind == "resume")
    model.select(code=resume.id)
    assert model.selection.call == 2
    model.select(code=1)
    assert model.selection.call is None


def test_back_and_forward(model: SessionModel) -> None:
    model.select(call=0)
    model.select(call=5)
    model.go_back()
    assert model.selection.call == 0
    model.go_ahead()
    assert model.selection.call == 5
    model.go_back()
    model.go_back()
    assert model.selection == Selection()
    assert not model.can_go_back


def test_stepping_respects_the_filter_and_finds_misses(model: SessionModel) -> None:
    model.set_filter({"eager_limit"})
    model.step(1)
    assert model.facts.outcome(model.selection.call) == "eager_limit"
    first = model.selection.call
    model.step(1)
    assert model.selection.call > first
    model.step(-1)
    assert model.selection.call == first
    model.set_filter(())
    model.select(call=9)
    model.step(1, only_misses=True)
    assert model.facts.outcome(model.selection.call) != "reuse"


def test_signals_once_per_change(model: SessionModel, qtbot: Any) -> None:
    heard: list[tuple[Selection, Selection]] = []
    model.selection_changed.connect(lambda old, new: heard.append((old, new)))
    model.select(call=3)
    model.select(call=3)
    assert len(heard) == 1
    assert heard[0][1].call == 3


def test_facts_of_the_story(model: SessionModel) -> None:
    facts = model.facts
    assert facts.outcome_counts() == {"compile": 3, "recompile": 9, "reuse": 20, "eager_limit": 4, "not_compiled": 12,
                                      "error": 0}
    assert len(facts.artifacts_of(0)) == facts.limit(0) == 8
    assert facts.guard_history(0)[1].failures == 7
    assert facts.guard_history(0)[1].seen == "7"
    assert [c.resume_line for c in facts.resumes_of(2)] == [23]
    marks = line_marks(facts, facts.files()[0])
    assert marks[23].breaks[0][0].startswith("print()")
    assert marks[28].not_compiled


def test_all_failures_of_all_versions_nearest_first(model: SessionModel) -> None:
    [(code, groups)] = model.facts.failures_of_call(8)
    assert code == 0
    versions = [model.session.artifacts[a].version for a, _ in groups]
    assert versions == [1, 0]
    assert [(f.origin, f.expected, f.seen) for f in groups[0][1]] == [("self.seen", "1", "2"), ("x.shape[0]", "64", "96")]


def test_sentences(model: SessionModel) -> None:
    assert call_title(model.facts, 5) == "scale(float32[64, 32])"
    assert "the one kept version did not fit" in call_sentence(model.facts, 5).lower()
    assert "limit of 8 versions" in call_sentence(model.facts, 44)
    assert "never compiled" in call_sentence(model.facts, 3)
    assert failure_sentence(model.session.failures(5)[0]) == "x.shape[0] was 64, this version needs 32"


def test_files_are_named_from_where_one_is(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path.parent))
    assert short_path(str(tmp_path / "a" / "model.py")) == "a/model.py"
    assert short_path(str(tmp_path.parent / "model.py")) == "~/model.py"
    assert short_path("/elsewhere/model.py") == "/elsewhere/model.py"


def test_causes_name_the_value_the_versions_and_what_followed(model: SessionModel) -> None:
    rows = model.causes()
    assert rows[0].headline == ("self.seen and x.shape[0] changed together: 8 versions of Meter.forward, then plain Python "
                                "for 4 calls")
    assert rows[0].line == 12
    assert rows[0].advice
    given_up = next(r for r in rows if r.mark == "not_compiled")
    assert "with_format is never compiled" in given_up.headline
    assert given_up.line == 28
    assert any(r.mark == "break" and r.line == 23 for r in rows)
