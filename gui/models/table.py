"""Qt's table plumbing once: rows are plain values, a column says how to read one from a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QIcon

Index = QModelIndex | QPersistentModelIndex


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
        return self.value(index.row(), index.column(), role)

    def value(self, place: int, number: int, role: int) -> Any:
        """What `data` gives for a row and a column."""
        row, column = self.rows[place], self.columns[number]
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
        return None


class SortedTable(QAbstractTableModel):
    """A table's rows sorted by its columns' own order, those alone in which a text stands in some column. Keys are asked for
    once per row: Qt's own proxy asks at every comparison, which takes long for thousands of rows."""

    def __init__(self, source: TableModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.source = source
        self._column, self._down, self._text = -1, False, ""
        self._order: list[int] = []          # row shown -> row of the source
        self._place: dict[int, int] = {}
        source.modelAboutToBeReset.connect(self.beginResetModel)
        source.modelReset.connect(self._reset)
        source.dataChanged.connect(lambda *_: self._changed())
        self._arrange()

    def setFilterFixedString(self, text: str) -> None:
        """Show only rows in which the text stands, whatever the case of its letters; "" shows all."""
        self.beginResetModel()
        self._text = text.casefold()
        self._reset()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        held = [(self._order[i.row()], i.column()) for i in old]
        self._column, self._down = column, order == Qt.SortOrder.DescendingOrder
        self._arrange()
        self.changePersistentIndexList(old, [self.index(self._place[row], c) for row, c in held])
        self.layoutChanged.emit()

    def mapToSource(self, index: Index) -> QModelIndex:
        return self.source.index(self._order[index.row()], index.column()) if index.isValid() else QModelIndex()

    def mapFromSource(self, index: Index) -> QModelIndex:
        place = self._place.get(index.row()) if index.isValid() else None
        return self.index(place, index.column()) if place is not None else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return self.source.columnCount(parent)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return self.source.headerData(section, orientation, role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return self.source.value(self._order[index.row()], index.column(), role) if index.isValid() else None

    def _arrange(self) -> None:
        rows, columns = self.source.rows, self.source.columns
        order: list[int] = [i for i, row in enumerate(rows) if any(self._text in c.text(row).casefold() for c in columns)] \
            if self._text else list(range(len(rows)))
        if 0 <= self._column < len(columns):
            by = columns[self._column]
            key = by.sort or by.text
            order.sort(key=lambda i: key(rows[i]), reverse=self._down)
        self._order, self._place = order, {row: place for place, row in enumerate(order)}

    def _reset(self) -> None:
        self._arrange()
        self.endResetModel()

    def _changed(self) -> None:
        if self._order:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._order) - 1, len(self.source.columns) - 1))


def _align(right: bool) -> int:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
