"""The look that tables of the window share: no grid, whole rows selected, sorted by a click, a line of tools above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QTableView, QVBoxLayout, QWidget

LOOKED_AT = 80                   # rows, beside those in view, by whose texts a column is made as wide
LEAST = 84                       # pixels that a column keeps when room is short


class PlainTable(QTableView):
    """A table whose columns are as wide as their content, within limits; when it gets another width they follow, until one
    of them is dragged."""

    def __init__(self) -> None:
        super().__init__()
        self._limits: tuple[Sequence[str], Mapping[str, int], str] | None = None
        self._fitting = self._dragged = False
        self.horizontalHeader().sectionResized.connect(self._resized)
        self.horizontalHeader().setResizeContentsPrecision(LOOKED_AT)

    def fit(self, titles: Sequence[str], widest: Mapping[str, int], seen: str = "") -> None:
        """Columns as wide as their content, up to `widest` pixels by title ("" for a column of marks). Where the column
        `seen` would not be seen whole, the widest before it become narrower."""
        self._limits, self._dragged = (titles, widest, seen), False
        self._fit()

    def _fit(self) -> None:
        if self._limits is None:
            return
        titles, widest, seen = self._limits
        header, self._fitting = self.horizontalHeader(), True
        self.resizeColumnsToContents()
        sizes = [min(widest.get(title, 30), header.sectionSize(i) + (6 if i else 0)) for i, title in enumerate(titles)]
        first = [i for i in range(titles.index(seen) + 1 if seen else 0) if not self.isColumnHidden(i)]
        over = sum(sizes[i] for i in first) - self.viewport().width()
        while over > 0 and sizes[longest := max(first, key=sizes.__getitem__)] > LEAST:
            sizes[longest] -= 1
            over -= 1
        for i, size in enumerate(sizes):
            header.resizeSection(i, size)
        self._fitting = False

    def _resized(self) -> None:
        self._dragged |= not self._fitting

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._dragged and event.size().width() != event.oldSize().width():
            self._fit()


def plain_table(model: QAbstractItemModel) -> PlainTable:
    """A table on a sortable model, sorted by its first column."""
    table = PlainTable()
    table.setModel(model)
    table.setSortingEnabled(True)
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(26)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    header.setStretchLastSection(True)
    return table


def page_with_table(table: QTableView, *tools: tuple[QWidget, int]) -> QWidget:
    """A widget with a line of (widget, stretch) above the table."""
    top = QHBoxLayout()
    top.setContentsMargins(10, 7, 10, 7)
    top.setSpacing(10)
    for widget, stretch in tools:
        top.addWidget(widget, stretch)
    box = QWidget()
    layout = QVBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    layout.addLayout(top)
    layout.addWidget(table, 1)
    return box
