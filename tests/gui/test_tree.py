"""The tree's model: changing what is different leaves the same tree as replacing everything, by Qt's own rules for models."""

from __future__ import annotations

from functools import partial
from typing import Any

from guardscope.gui.models.tree import Row, TreeModel
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex
from PySide6.QtTest import QAbstractItemModelTester

Shape = list[tuple[int, str, list[Any]]]
shapes = st.recursive(st.just([]), lambda below: st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(["a", "b"]), below), max_size=4, unique_by=lambda row: row[0]), max_leaves=12)


def rows_of(shape: Shape, above: tuple[int, ...] = (), closed: bool = False) -> list[Row]:
    """closed: what is below a row is made when it is asked for."""
    found = []
    for key, text, below in shape:
        make = partial(rows_of, below, (*above, key), closed)
        found.append(Row((*above, key), [text, str(len(below))], make if closed and below else make(), meter=(key, 5)))
    return found


def content(model: TreeModel, parent: Any = None) -> list[Any]:
    """What a view of the model gets to see."""
    from PySide6.QtCore import QModelIndex

    parent = parent if parent is not None else QModelIndex()
    return [(model.key_of(i), model.data(i), model.data(model.index(i.row(), 1, parent)), content(model, i))
            for i in (model.index(n, 0, parent) for n in range(model.rowCount(parent)))]


@given(st.lists(shapes, min_size=2, max_size=4), st.booleans())
@settings(deadline=None, max_examples=100)
def test_changing_what_is_different_gives_the_same_tree(steps: list[Shape], closed: bool) -> None:
    model = TreeModel([("a", "", False), ("b", "", True)])
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for shape in steps:
        model.update_rows(rows_of(shape, closed=closed))
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


@given(st.lists(shapes, min_size=2, max_size=4), st.data())
@settings(deadline=None, max_examples=60)
def test_what_nobody_opened_is_made_for_the_last_content(steps: list[Shape], data: st.DataObject) -> None:
    """Between the changes a view asks for some rows only, as one does that shows closed functions."""
    model = TreeModel([("a", "", False), ("b", "", True)])
    for shape in steps:
        model.update_rows(rows_of(shape, closed=True))
        for n in range(model.rowCount()):
            index = model.index(n, 0)
            assert model.hasChildren(index) == bool(shape[n][2])
            if data.draw(st.booleans()):
                assert model.rowCount(index) == len(shape[n][2])
    whole = TreeModel([("a", "", False), ("b", "", True)])
    whole.set_rows(rows_of(steps[-1]))
    assert content(model) == content(whole)
    assert sorted(model._by_key) == sorted(whole._by_key)


def test_rows_are_made_once_and_only_when_asked_for() -> None:
    made: list[int] = []

    def below(n: int) -> list[Row]:
        made.append(n)
        return rows_of([(7, "x", [])], (n,))

    model = TreeModel([("a", "", False), ("b", "", True)])
    model.set_rows([Row((n,), ["a", ""], partial(below, n)) for n in range(3)])
    model.update_rows([Row((n,), ["b", ""], partial(below, n)) for n in range(3)])
    assert made == []
    assert model.hasChildren(model.index(1, 0))
    assert made == []
    assert model.rowCount(model.index(1, 0)) == model.rowCount(model.index(1, 0)) == 1
    assert made == [1]
    assert model.row_of((1, 7)) is not None
    assert model.row_of((2, 7)) is None
