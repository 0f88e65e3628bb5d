"""All versions of a function side by side: what each expects of every checked thing, and which things tell them apart."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QTableView, QWidget

from .. import theme
from ..models.matrix import Matrix, MatrixRow, matrix
from ..numbers import plural
from ..widgets.elided import ElidedLabel
from ..widgets.plain_table import page_with_table, plain_table
from .base import View

Index = QModelIndex | QPersistentModelIndex
WIDEST = 122                    # pixels of a column; the rest of a text is in its tooltip
NAMES = 0.5                     # of the table's width at most, for the names of the rows
ABSENT = "\N{EN DASH}"
KINDS = {"value": "value", "size": "size", "stride": "stride", "dtype": "dtype", "relation": "relation of sizes",
         "mode": "mode"}


class MatrixModel(QAbstractTableModel):
    """A row per checked thing, named in the header, which stays in view; a column per version, the newest last."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.matrix: Matrix | None = None
        self.rows: list[MatrixRow] = []
        self.artifact: int | None = None     # the selected version

    def show_matrix(self, shown: Matrix | None, every: bool) -> None:
        self.beginResetModel()
        self.matrix = shown
        self.rows = [r for r in shown.rows if every or r.differs] if shown is not None else []
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self.matrix is None else len(self.matrix.versions)

    def column_of(self, artifact: int) -> int | None:
        """The column of a version."""
        versions = self.matrix.versions if self.matrix is not None else ()
        return next((i for i, a in enumerate(versions) if a.id == artifact), None)

    def version_at(self, column: int) -> int | None:
        """The artifact id of a column."""
        return self.matrix.versions[column].id if self.matrix is not None and column < len(self.matrix.versions) else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.matrix is None:
            return None
        if orientation == Qt.Orientation.Vertical:
            return self._row_header(self.rows[section], role)
        if role == Qt.ItemDataRole.DisplayRole:
            return f"version {self.matrix.versions[section].version}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return "What this version expects; click to select it."
        if role == Qt.ItemDataRole.FontRole:
            font = QFont()
            font.setBold(self.matrix.versions[section].id == self.artifact)
            return font
        return None

    @staticmethod
    def _row_header(row: MatrixRow, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return row.place + (f"   is {row.seen}" if row.seen else "")
        if role == Qt.ItemDataRole.FontRole:
            font = theme.fixed_font()
            font.setBold(row.differs)
            return font
        if role == Qt.ItemDataRole.ForegroundRole:
            t = theme.active()
            return QColor(t.bad if row.seen else t.text if row.differs else t.text_muted)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            kind = f"{row.place} ({KINDS.get(row.kind, row.kind)})"
            return kind + (f"\nThe selected call had {row.seen}." if row.seen else
                           "" if row.differs else "\nIt is the same in every version.")
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self.matrix is None:
            return None
        row, artifact, t = self.rows[index.row()], self.matrix.versions[index.column()].id, theme.active()
        cell = row.cells.get(artifact)
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text if cell is not None else ABSENT
        if role == Qt.ItemDataRole.FontRole:
            font = theme.fixed_font()
            font.setBold(cell is not None and cell.failing)
            return font
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(t.bad if cell is not None and cell.failing else
                          t.text if row.differs and cell is not None else t.text_muted)
        if role == Qt.ItemDataRole.BackgroundRole:
            if cell is not None and cell.failing:
                return QColor(t.bad_back)
            return QColor(t.current_line) if artifact == self.artifact else None
        if role == Qt.ItemDataRole.ToolTipRole:
            if cell is None:
                return "This version does not look at it."
            return f"{row.place}: {cell.text}" + (f"\nThe selected call had {row.seen}." if cell.failing and row.seen else "")
        return None


class MatrixView(View):
    """A table of the selected function's versions; a cell selects its version and guard."""

    name = "matrix"

    def build(self) -> QWidget:
        self.table_model = MatrixModel(self)
        self.table: QTableView = plain_table(self.table_model)
        self.table.setSortingEnabled(False)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.table.setAccessibleName("Versions side by side")
        self.table.horizontalHeader().setStretchLastSection(False)
        self.table.verticalHeader().show()
        self.table.verticalHeader().setHighlightSections(False)
        self.table.verticalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.setCornerButtonEnabled(False)
        self.table.horizontalHeader().sectionClicked.connect(self.contained(self._version_clicked))
        self.table.clicked.connect(self.contained(self._cell_clicked))
        self.table.activated.connect(self.contained(self._cell_clicked))
        self.says = ElidedLabel()
        self.says.setObjectName("muted")
        self.every = QCheckBox("Also what is equal")
        self.every.setToolTip("Show the rows that are the same in every version as well.")
        self.every.toggled.connect(self.contained(lambda _: self._fill()))
        self._shown: object = None
        return page_with_table(self.table, (self.says, 1), (self.every, 0))

    def update_view(self, what: set[str]) -> None:
        facts, s = self.model.facts, self.model.selection
        shown = (id(facts), facts.revision, s.code, s.call) if facts is not None else None
        if shown != self._shown or "theme" in what:
            self._shown = shown
            self._fill()
        self.table_model.artifact = s.artifact
        self.table.viewport().update()
        self.table.horizontalHeader().viewport().update()
        column = self.table_model.column_of(s.artifact) if s.artifact is not None and self.table_model.matrix else None
        if column is not None and self.table_model.rows:
            self.table.scrollTo(self.table_model.index(0, column), QAbstractItemView.ScrollHint.PositionAtCenter)

    def _fill(self) -> None:
        facts, s = self.model.facts, self.model.selection
        if facts is None or s.code is None or not facts.artifacts_of(s.code):
            self.table_model.show_matrix(None, False)
            self.says.setText("Select a function that has versions." if facts is not None else "")
            self.every.setVisible(False)
            return
        shown = matrix(facts, s.code, s.call)
        equal = len(shown.rows) - shown.telling
        self.every.setVisible(equal > 0)
        self.every.setText(f"Also the {equal} that are equal")
        self.table_model.show_matrix(shown, self.every.isChecked() or not shown.telling)
        if self.model.as_of is None:
            self._fit()
        else:
            self.after_pause(self._fit)
        title = facts.title(s.code)
        if len(shown.versions) == 1:
            self.says.setText(f"{title} has one version; {plural(len(shown.rows), 'thing')} are checked before it is used")
        else:
            left = f"; the {shown.left_out} oldest are left out" if shown.left_out else ""
            versions = f"the {len(shown.versions)} versions of {title} apart"
            what = plural(shown.telling, "thing tells", "things tell") if shown.telling else "only the objects themselves tell"
            self.says.setText(f"{what} {versions}{left}")

    def _fit(self) -> None:
        self.table.resizeColumnsToContents()
        header = self.table.verticalHeader()
        header.setMaximumWidth(max(160, round(self.table.width() * NAMES)))
        for i in range(self.table_model.columnCount()):
            self.table.setColumnWidth(i, min(WIDEST, max(76, self.table.columnWidth(i) + 10)))

    def _version_clicked(self, column: int) -> None:
        artifact = self.table_model.version_at(column)
        if artifact is not None:
            self.model.select(artifact=artifact)

    def _cell_clicked(self, index: QModelIndex) -> None:
        artifact = self.table_model.version_at(index.column())
        cell = self.table_model.rows[index.row()].cells.get(artifact) if artifact is not None else None
        if artifact is not None:
            chosen = {"guard": cell.guard} if cell is not None else {}
            self.model.select(artifact=artifact, **chosen)
