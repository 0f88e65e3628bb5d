"""The meter of used places: however long its words are, the boxes end before them."""

from __future__ import annotations

from typing import Any

import pytest
from guardscope.gui.models.tree import Row, TreeModel
from guardscope.gui.widgets import meter
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QTreeView


@pytest.mark.parametrize(("value", "of"), [(3, 8), (15, 16), (1000, 1000)])
def test_boxes_end_before_the_words(qtbot: Any, monkeypatch: pytest.MonkeyPatch, value: int, of: int) -> None:
    drawn: list[QRectF] = []
    monkeypatch.setattr(meter, "draw_meter", lambda p, rect, *amount: drawn.append(QRectF(rect)))
    model = TreeModel([("function", "", False), ("used", "", True)], meter_column=1)
    words = f"{value} of {of}"
    model.set_rows([Row("f", ["f", words], meter=(value, of))])
    tree = QTreeView()
    qtbot.addWidget(tree)
    tree.setModel(model)
    tree.setItemDelegate(meter.MeterDelegate(tree))
    tree.setColumnWidth(0, 60)
    tree.resize(260, 80)
    tree.header().setStretchLastSection(True)
    tree.show()
    tree.grab()
    assert drawn
    right = tree.visualRect(model.index(0, 1)).right() - 6
    assert drawn[-1].right() <= right - QFontMetricsF(tree.font()).horizontalAdvance(words)
