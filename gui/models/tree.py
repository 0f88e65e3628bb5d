"""Qt's tree plumbing once: a view hands over rows as plain values, the model shows them and keeps identities.

`TreeModel.set_rows` replaces the content, `update_rows` changes what is different; rows with the same key count as the same.
What is below a row may be made when it is first asked for: a tree of thousands then costs what is opened of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont, QIcon

Index = QModelIndex | QPersistentModelIndex
METER_ROLE = Qt.ItemDataRole.UserRole + 1
KEY_ROLE = Qt.ItemDataRole.UserRole + 2


Rows = list["Row"]


@dataclass(slots=True, eq=False)
class Row:
    """One row. `cells` are texts by column; `below`: the rows below it, or a function that makes them (at least one);
    `tip` makes the text that is shown on hover; `meter` is (value, of) painted as a meter in column `meter_column`."""

    key: Hashable
    cells: list[str]
    below: Rows | Callable[[], Rows] = field(default_factory=list)
    tip: Callable[[], str] = str
    icon: QIcon | None = None
    color: str = ""
    bold: bool = False
    meter: tuple[int, int] | None = None
    parent: Row | None = None
    place: int = 0
    known: dict[Hashable, Row] | None = None         # the rows of the model that this one is in

    @property
    def closed(self) -> bool:
        """Whether nobody has asked for what is below."""
        return callable(self.below)

    @property
    def children(self) -> Rows:
        """The rows below, made now if they were not."""
        if callable(self.below):
            self.below = self.below()
            if self.known is not None:
                self.adopt(self.known)
        return self.below

    def adopt(self, known: dict[Hashable, Row], first: int = 0) -> None:
        """Let the rows below, from `first` on, know their places, and `known` know them."""
        self.known = known
        if callable(self.below):
            return
        for place in range(first, len(self.below)):
            child = self.below[place]
            child.parent, child.place = self, place
            known[child.key] = child
            child.adopt(known)


class TreeModel(QAbstractItemModel):
    """`columns`: (title, tooltip, right-aligned) of each column."""

    def __init__(self, columns: list[tuple[str, str, bool]], meter_column: int = -1, parent: QObject | None = None
                 ) -> None:
        super().__init__(parent)
        self.columns = columns
        self.meter_column = meter_column
        self._top = Row(None, [])
        self._by_key: dict[Hashable, Row] = {}

    def set_rows(self, rows: list[Row]) -> None:
        """Replace everything."""
        self.beginResetModel()
        self._top = Row(None, [], rows)
        self._by_key = {}
        self._top.adopt(self._by_key)
        self.endResetModel()

    def update_rows(self, rows: list[Row]) -> None:
        """Like set_rows, but what stays the same stays: where the keys agree only contents change, and a row of the model that
        is handed over again is left alone with all below it."""
        self._update(self._top, rows)

    def _update(self, parent: Row, rows: list[Row]) -> None:
        old = parent.children
        same = next((i for i, (a, b) in enumerate(zip(old, rows)) if a.key != b.key), min(len(old), len(rows)))
        if same < len(old):
            self.beginRemoveRows(self.index_of(parent), same, len(old) - 1)
            for row in old[same:]:
                self._forget(row)
            del old[same:]
            self.endRemoveRows()
        changed = [i for i in range(same) if old[i] is not rows[i]]
        for i in changed:
            row, new = old[i], rows[i]
            row.cells, row.tip, row.icon, row.color, row.bold, row.meter = \
                new.cells, new.tip, new.icon, new.color, new.bold, new.meter
            if row.closed and new.closed:
                row.below = new.below        # nobody has seen either
            else:
                self._update(row, new.children)
        if changed:
            self.dataChanged.emit(self.index_of(old[changed[0]]), self.index_of(old[changed[-1]], len(self.columns) - 1))
        if same < len(rows):
            self.beginInsertRows(self.index_of(parent), same, len(rows) - 1)
            old += rows[same:]
            parent.adopt(self._by_key, same)
            self.endInsertRows()

    def row_of(self, key: Hashable) -> Row | None:
        return self._by_key.get(key)

    def index_of(self, row: Row | None, column: int = 0) -> QModelIndex:
        if row is None or row is self._top:
            return QModelIndex()
        return self.createIndex(row.place, column, row)

    def key_of(self, index: Index) -> Any:
        return index.internalPointer().key if index.isValid() else None

    def _forget(self, row: Row) -> None:
        del self._by_key[row.key]
        for child in () if row.closed else row.children:
            self._forget(child)

    # QAbstractItemModel

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        owner = parent.internalPointer() if parent.isValid() else self._top
        return self.createIndex(row, column, owner.children[row])

    def parent(self, index: Index = QModelIndex()) -> Any:  # noqa: B008
        if not index.isValid():
            return QModelIndex()
        return self.index_of(index.internalPointer().parent)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if parent.isValid() and parent.column() > 0:
            return 0
        return len((parent.internalPointer() if parent.isValid() else self._top).children)

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:  # noqa: B008
        row = parent.internalPointer() if parent.isValid() else self._top
        return parent.column() <= 0 and (row.closed or bool(row.children))

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        title, tip, right = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return title
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _align(right)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row: Row = index.internalPointer()
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return row.cells[column] if column < len(row.cells) else ""
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tip() or None
        if role == Qt.ItemDataRole.DecorationRole:
            return row.icon if column == 0 else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _align(self.columns[column][2])
        if role == Qt.ItemDataRole.ForegroundRole and row.color:
            return QColor(row.color)
        if role == Qt.ItemDataRole.FontRole and row.bold and column == 0:
            font = QFont()
            font.setBold(True)
            return font
        if role == METER_ROLE:
            return row.meter if column == self.meter_column else None
        if role == KEY_ROLE:
            return row.key
        return None


def _align(right: bool) -> int:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
