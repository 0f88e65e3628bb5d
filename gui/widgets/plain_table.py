"""The look that tables of the window share: no grid, whole rows selected, sorted by a click, a line of tools above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QTableView, QVBoxLayout, QWidget


def plain_table(model: QAbstractItemModel) -> QTableView:
    """A table on a sortable model, sorted by its first column."""
    table = QTableView()
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


def fit_columns(table: QTableView, titles: Sequence[str], widest: Mapping[str, int]) -> None:
    """Columns as wide as their content, up to `widest` pixels by title ("" for a column of marks)."""
    header = table.horizontalHeader()
    table.resizeColumnsToContents()
    for i, title in enumerate(titles):
        header.resizeSection(i, min(widest.get(title, 30), header.sectionSize(i) + (6 if i else 0)))


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
