"""The tree's model: changing what is different leaves the same tree as replacing everything, by Qt's own rules for models."""

from __future__ import annotations

from typing import Any

from guardscope.gui.models.tree import Row, TreeModel
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex
from PySide6.QtTest import QAbstractItemModelTester

Shape = list[tuple[int, str, list[Any]]]
shapes = st.recursive(st.just([]), lambda below: st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(["a", "b"]), below), max_size=4, unique_by=lambda row: row[0]), max_leaves=12)


def rows_of(shape: Shape, above: tuple[int, ...] = ()) -> list[Row]:
    return [Row((*above, key), [text, str(len(below))], rows_of(below, (*above, key)), meter=(key, 5))
            for key, text, below in shape]


def content(model: TreeModel, parent: Any = None) -> list[Any]:
    """What a view of the model gets to see."""
    from PySide6.QtCore import QModelIndex

    parent = parent if parent is not None else QModelIndex()
    return [(model.key_of(i), model.data(i), model.data(model.index(i.row(), 1, parent)), content(model, i))
            for i in (model.index(n, 0, parent) for n in range(model.rowCount(parent)))]


@given(st.lists(shapes, min_size=2, max_size=4))
@settings(deadline=None, max_examples=60)
def test_changing_what_is_different_gives_the_same_tree(steps: list[Shape]) -> None:
    model = TreeModel([("a", "", False), ("b", "", True)])
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for shape in steps:
        model.update_rows(rows_of(shape))
        whole = TreeModel([("a", "", False), ("b", "", True)])
        whole.set_rows(rows_of(shape))
        assert content(model) == content(whole)
        assert sorted(model._by_key) == sorted(whole._by_key)
    del tester


def test_a_row_that_is_handed_over_again_stays() -> None:
    model = TreeModel([("a", "", False), ("b", "", True)])
    model.update_rows(rows_of([(0, "a", [(0, "b", [])]), (1, "b", [])]))
    below = model.index(0, 0, model.index(0, 0))
    kept, changed = QPersistentModelIndex(below), []
    model.dataChanged.connect(lambda first, last, _: changed.append((model.key_of(first), model.key_of(last))))
    first = model.row_of((0,))
    assert first is not None
    model.update_rows([first, *rows_of([(0, "x", []), (1, "c", [])])[1:]])
    assert kept.isValid() and model.key_of(kept) == (0, 0)
    assert changed == [((1,), (1,))]
    assert model.data(model.index(1, 0)) == "c"
