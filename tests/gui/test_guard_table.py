"""The guard table: checks, failures, cost and marks of a version that the real compiler made."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from guardscope.core.events.schema import GuardRow
from PySide6.QtCore import Qt


def cells(view: Any, title: str) -> dict[str, str]:
    """Condition -> the text in a column."""
    titles = [c.title for c in view.table_model.columns]
    column = titles.index(title)
    return {r.condition: view.table_model.index(i, column).data() for i, r in enumerate(view.table_model.rows)}


def test_a_recorded_version_shows_checks_costs_and_marks(make_window: Any, recorded_session: Any) -> None:
    window = make_window(recorded_session)
    window.show_view("guards")
    view = window.views["guards"]
    view._version_chosen(1)
    assert "per reused call" in view.says.text()
    checks, costs, marks = cells(view, "Checks"), cells(view, "Cost"), cells(view, "Mark")
    assert set(checks.values()) == {"1"}                      # calls 0 and 1 compile, call 2 reuses version 1
    tensor = next(c for c in costs if c.startswith("x: float32"))
    assert costs[tensor] == "look-up"
    assert costs["rate == 12.5"].endswith("ns")
    assert marks[tensor] == marks["rate == 12.5"] == ""
    assert view.table.isColumnHidden([c.title for c in view.table_model.columns].index("Mark"))
    failures = cells(view, "Failures")
    assert failures[tensor] == failures["rate == 12.5"] == "never"
    column = [c.title for c in view.table_model.columns].index("Checks")
    tips = {view.table_model.rows[i].condition: view.table_model.index(i, column).data(Qt.ItemDataRole.ToolTipRole)
            for i in range(len(view.table_model.rows))}
    assert tips[tensor].startswith("It held in 1 call that this version took.")


def test_a_session_without_costs_shows_none(make_window: Any, fake: ModuleType) -> None:
    window = make_window(fake.synthetic())
    window.model.select(artifact=0)
    window.show_view("guards")
    view = window.views["guards"]
    view._version_chosen(0)
    assert set(cells(view, "Cost").values()) == {""}
    assert "per reused call" not in view.says.text()
    assert cells(view, "Checks")


def test_a_chosen_version_shows_its_conditions_and_a_chosen_call_what_failed(make_window: Any, fake: ModuleType) -> None:
    window = make_window(fake.synthetic())
    window.show_view("guards")
    view = window.views["guards"]
    window.model.select(call=8)
    assert {r.version for r in view.table_model.rows} == {0, 1}
    assert view.versions.currentText() == "Call 8: what did not fit"
    window.model.select(artifact=0)
    assert view.versions.currentText().endswith("version 0")
    assert len(view.table_model.rows) == len(window.model.facts.guards(0))
    window.model.select(call=8)
    row = view.table_model.rows[0]
    window.model.select(artifact=row.artifact, guard=row.index)                # a click on one of the failing conditions
    assert view.versions.currentText() == "Call 8: what did not fit"
    view._version_chosen(row.artifact)
    assert view.versions.currentText().endswith(f"version {row.version}")


def test_marks_are_found_by_the_filter(make_window: Any, fake: ModuleType) -> None:
    session = fake.synthetic()
    session._guards[0] = [GuardRow(0, "SHAPE_ENV", "n", "n == 4"), GuardRow(1, "SHAPE_ENV", "n", "n >= 2")]
    window = make_window(session)
    window.model.select(artifact=0)
    window.show_view("guards")
    view = window.views["guards"]
    view._version_chosen(0)
    view.filter.setText("implied by n == 4")
    assert view.sorted.rowCount() == 1
    assert view.sorted.index(0, 2).data() == "n"


def test_the_guards_of_a_live_session_come_later_than_the_version(make_window: Any, recorded_file: Path,
                                                                  recorded_session: Any, monkeypatch: Any) -> None:
    real = recorded_session.guards
    monkeypatch.setattr(recorded_session, "guards", lambda artifact: [])
    window = make_window(recorded_session)
    window.show_view("guards")
    view = window.views["guards"]
    view._version_chosen(1)
    assert view.table_model.rows == []
    monkeypatch.setattr(recorded_session, "guards", real)
    window.model.facts.renew()
    view.update_view({"rows"})
    assert view.table_model.rows


def test_what_matters_is_seen_without_scrolling(make_window: Any, recorded_session: Any, qapp: Any) -> None:
    window = make_window(recorded_session)
    window.show_view("guards")
    window.model.select(artifact=1)
    qapp.processEvents()
    view = window.views["guards"]
    header, titles = view.table.horizontalHeader(), [c.title for c in view.table_model.columns]

    def end(title: str) -> int:
        return int(header.sectionViewportPosition(titles.index(title)) + header.sectionSize(titles.index(title)))

    assert "look-up" in cells(view, "Cost").values()
    assert end("Cost") <= view.table.viewport().width()
    roomy = header.sectionSize(titles.index("Expected"))
    window.resize(1000, 700)
    qapp.processEvents()
    assert end("Cost") <= view.table.viewport().width()
    assert header.sectionSize(titles.index("Expected")) <= roomy
    header.resizeSection(titles.index("Expected"), 200)                  # the user wants it so
    window.resize(1280, 800)
    qapp.processEvents()
    assert header.sectionSize(titles.index("Expected")) == 200
