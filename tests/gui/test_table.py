"""The sorted table: by Qt's rules for models it shows the rows that pass, in the order of a column; a selected row stays so."""

from __future__ import annotations

from collections.abc import Callable

from guardscope.gui.models.table import Column, SortedTable, TableModel
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

Rows = list[tuple[int, str]]
rows = st.lists(st.tuples(st.integers(-3, 20), st.sampled_from(["a", "B", "ab", ""])), max_size=12)
orders = st.tuples(st.sampled_from([0, 1]), st.booleans())
steps = st.lists(st.one_of(rows, orders, st.sampled_from(["", "A", "2"])), max_size=6)


def tables() -> tuple[TableModel, SortedTable, QAbstractItemModelTester]:
    source = TableModel([Column("number", lambda r: str(r[0]), right=True, sort=lambda r: r[0]),
                         Column("text", lambda r: r[1])])
    shown = SortedTable(source)
    return source, shown, QAbstractItemModelTester(shown, QAbstractItemModelTester.FailureReportingMode.Fatal)


@given(steps)
@settings(deadline=None, max_examples=80)
def test_rows_are_those_that_pass_in_order(done: list[object]) -> None:
    source, shown, tester = tables()
    now: Rows = []
    column, down, text = -1, False, ""
    keys: list[Callable[[tuple[int, str]], object]] = [lambda r: r[0], lambda r: r[1]]
    for step in done:
        if isinstance(step, list):
            now = step
            source.set_rows(now)
        elif isinstance(step, tuple):
            column, down = step
            shown.sort(column, Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder)
        else:
            text = str(step)
            shown.setFilterFixedString(text)
        wanted = [r for r in now if not text or text.casefold() in str(r[0]) or text.casefold() in r[1].casefold()]
        if column >= 0:
            wanted = sorted(wanted, key=keys[column], reverse=down)  # type: ignore[arg-type]
        found = [(int(shown.index(i, 0).data()), shown.index(i, 1).data()) for i in range(shown.rowCount())]
        assert found == wanted
        assert [source.rows[shown.mapToSource(shown.index(i, 0)).row()] for i in range(shown.rowCount())] == wanted
    del tester


def test_a_selected_row_stays_selected_when_the_order_changes() -> None:
    source, shown, tester = tables()
    source.set_rows([(3, "a"), (1, "b"), (2, "c")])
    kept = QPersistentModelIndex(shown.index(0, 1))
    shown.sort(0)
    assert (kept.row(), kept.data()) == (2, "a")
    shown.sort(0, Qt.SortOrder.DescendingOrder)
    assert (kept.row(), kept.data()) == (0, "a")
    shown.setFilterFixedString("c")
    assert shown.mapFromSource(source.index(2, 0)).row() == 0
    assert not shown.mapFromSource(source.index(0, 0)).isValid()
    del tester


def test_a_key_is_asked_for_once_per_row() -> None:
    asked: list[int] = []
    source = TableModel([Column("number", str, sort=lambda r: asked.append(r) or r)])  # type: ignore[func-returns-value]
    shown = SortedTable(source)
    shown.sort(0)
    source.set_rows(list(range(500, 0, -1)))
    assert len(asked) == 500
