"""Qt's table plumbing once: rows are plain values, a column says how to read one from a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor, QIcon

Index = QModelIndex | QPersistentModelIndex
SORT_ROLE = Qt.ItemDataRole.UserRole + 3


@dataclass(frozen=True, slots=True)
class Column:
    """`text(row)` is shown; `sort(row)` orders (the text unless given); colours are theme values or ""."""

    title: str
    text: Callable[[Any], str]
    tip: str = ""
    right: bool = False
    fixed: bool = False
    sort: Callable[[Any], Any] | None = None
    color: Callable[[Any], str] = lambda row: ""
    back: Callable[[Any], str] = lambda row: ""
    icon: Callable[[Any], QIcon | None] = lambda row: None
    cell_tip: Callable[[Any], str] | None = None


class TableModel(QAbstractTableModel):
    """Shows `rows` through `columns`. `fixed_font` is a QFont for columns marked `fixed`."""

    def __init__(self, columns: list[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns
        self.rows: list[Any] = []
        self.fixed_font: Any = None

    def set_rows(self, rows: list[Any]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def recolor(self) -> None:
        """Colours and icons are others now (another theme)."""
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.columns) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _align(column.right)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return (column.cell_tip(row) if column.cell_tip is not None else column.text(row)) or None
        if role == Qt.ItemDataRole.ForegroundRole:
            color = column.color(row)
            return QColor(color) if color else None
        if role == Qt.ItemDataRole.BackgroundRole:
            back = column.back(row)
            return QColor(back) if back else None
        if role == Qt.ItemDataRole.DecorationRole:
            return column.icon(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _align(column.right)
        if role == Qt.ItemDataRole.FontRole and column.fixed:
            return self.fixed_font
        if role == SORT_ROLE:
            return column.sort(row) if column.sort is not None else column.text(row)
        return None


class SortedTable(QSortFilterProxyModel):
    """Sorts by the columns' own order and filters rows by a text in any column."""

    def __init__(self, source: TableModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setSortRole(SORT_ROLE)
        self.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterKeyColumn(-1)
        self.setSourceModel(source)


def _align(right: bool) -> int:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
