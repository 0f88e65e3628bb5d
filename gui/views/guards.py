"""The guards of a version, failing ones first, or every failing guard of all versions in the selected call."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from .. import theme
from ..glossary import GUARD_KINDS, explain
from ..models.guard_lines import COSTS, miss_lines, version_lines
from ..models.table import Column, SortedTable, TableModel
from ..numbers import number
from ..session_model import Selection
from ..widgets.elided import ElidedLabel
from ..widgets.plain_table import page_with_table, plain_table
from ..words import version_title
from .base import View

MISS = -1                       # stands for "the selected call" among the versions
WIDEST = {"": 30, "Version": 82, "What": 150, "Condition": 250, "Expected": 130, "Seen": 150, "Checks": 62, "Failures": 68,
          "Cost": 74, "Mark": 220, "Line": 48, "Why": 240, "Kind": 190}


class GuardsView(View):
    """A chooser (the selected call's misses, or a version), a filter, and the table."""

    name = "guards"

    def build(self) -> QWidget:
        t = theme.active
        mark = lambda r: t().bad if r.rank == 0 else t().warn if r.rank == 1 else ""
        back = lambda r: t().bad_back if r.rank == 0 else ""
        ranks = ("Fails in the selected call.", "Failed in another call.", "Never failed.",
                 "Failed in no recorded call; whether it turned away a call that another version took is not known.")
        self.table_model = TableModel([
            Column("", lambda r: "", "Failing in the selected call, or failed before.", sort=lambda r: r.place,
                   icon=lambda r: theme.mark_icon(("error", "recompile", "reuse")[r.rank]) if r.rank < 3 else None, back=back,
                   cell_tip=lambda r: ranks[r.rank]),
            Column("Version", lambda r: f"version {r.version}", explain("artifact"), sort=lambda r: r.version,
                   back=back),
            Column("What", lambda r: r.origin, "The value that is checked, as your script writes it.", fixed=True,
                   color=mark, back=back),
            Column("Expected", lambda r: r.expected, explain("expected"), fixed=True, back=back),
            Column("Seen", lambda r: r.seen, explain("last seen"), fixed=True, color=mark, back=back),
            Column("Checks", lambda r: number(r.checks) if r.checks else "", explain("checks"), True,
                   sort=lambda r: r.checks, back=back, cell_tip=lambda r: r.checks_tip),
            Column("Failures", lambda r: number(r.failures) if r.failures else "never" if r.rank == 2 else "",
                   explain("failures"), True, sort=lambda r: r.failures, back=back,
                   color=lambda r: "" if r.failures else t().text_muted),
            Column("Cost", lambda r: r.cost, explain("cost of a guard"), True, sort=lambda r: max(r.ns, 0), back=back,
                   cell_tip=lambda r: COSTS.get(r.way if r.way != "test" or r.ns >= 0 else "", "")),
            Column("Line", lambda r: str(r.line or ""), "Where your script read the value.", True,
                   sort=lambda r: r.line, back=back),
            Column("Mark", lambda r: r.mark, explain("mark of a guard"), back=back, cell_tip=lambda r: r.mark_tip,
                   color=lambda r: t().warn),
            Column("Condition", lambda r: r.condition, explain("guard"), fixed=True, back=back),
            Column("Why", lambda r: r.why, "Why this became a condition.", back=back),
            Column("Kind", lambda r: r.kind, "The guard's kind, as TorchDynamo names it.", back=back,
                   color=lambda r: t().text_muted, cell_tip=lambda r: f"{r.kind}: {GUARD_KINDS.get(r.kind, '')}"),
        ], self)
        self.table_model.fixed_font = theme.fixed_font()
        self.sorted = SortedTable(self.table_model, self)
        self._make_table()
        self.versions = QComboBox()
        self.versions.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.versions.setMinimumWidth(120)
        self.versions.setMaximumWidth(360)
        self.versions.setAccessibleName("Version")
        self.versions.activated.connect(self.contained(lambda i: self._version_chosen(self.versions.itemData(i))))
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter")
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(180)
        self.filter.textChanged.connect(self.sorted.setFilterFixedString)
        self.says = ElidedLabel()
        self.says.setObjectName("muted")
        self._shown: tuple[object, ...] = ()
        self._misses = False
        self._selection = Selection()
        return page_with_table(self.table, (self.versions, 0), (self.says, 1), (self.filter, 0))

    def _make_table(self) -> None:
        self.table = plain_table(self.sorted)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)        # names often differ at their end
        self.table.selectionModel().currentRowChanged.connect(self.contained(self._chosen))

    def update_view(self, what: set[str]) -> None:
        facts, s = self.model.facts, self.model.selection
        if "theme" in what:
            self.table_model.recolor()
        has_misses = facts is not None and s.call is not None and bool(facts.failures_of_call(s.call))
        if s != self._selection:
            by = self.model.asked
            if "call" in by or s.call != self._selection.call and "artifact" not in by:
                self._misses = has_misses        # a newly chosen call shows what failed in it
            elif "artifact" in by and not by & {"guard", "node"}:
                self._misses = False             # a newly chosen version shows its conditions
            self._selection = s
        self._misses = self._misses and has_misses
        if facts is None or (s.artifact is None and not self._misses):
            self._fill_versions(has_misses)
            self.table_model.set_rows([])
            self._shown = ()
            self.says.setText("Select a version or a call to see its conditions." if facts is not None else "")
            return
        self._fill_versions(has_misses)
        shown = (self._misses, s.call, None if self._misses else s.artifact, facts.revision)
        if shown != self._shown:
            refit = shown[:3] != self._shown[:3]
            self._shown = shown
            assert s.call is not None or s.artifact is not None
            rows, says = miss_lines(facts, s.call) if self._misses and s.call is not None else \
                version_lines(facts, s.artifact, s.call)         # type: ignore[arg-type]
            self.table_model.set_rows(rows)
            self.says.setText(says)
            self.table.setColumnHidden(1, not self._misses)
            self.table.setColumnHidden(4, not any(r.seen for r in rows))
            for column in (5, 7):            # how often it was asked, and what that cost, is no news about a call that missed
                self.table.setColumnHidden(column, self._misses)
            self.table.setColumnHidden(9, not any(r.mark for r in rows))
            if refit and self.model.as_of is None:
                self._fit()
            elif refit:
                self.after_pause(self._fit)
        self._show_selection()

    def _fit(self) -> None:
        self.table.fit([c.title for c in self.table_model.columns], WIDEST, seen="Seen" if self._misses else "Cost")

    def _fill_versions(self, has_misses: bool) -> None:
        facts, s = self.model.facts, self.model.selection
        self.versions.blockSignals(True)
        self.versions.clear()
        if has_misses:
            self.versions.addItem(f"Call {s.call}: what did not fit", MISS)
        if facts is not None and s.code is not None:
            title = facts.title(s.code)
            for a in facts.artifacts_of(s.code):
                self.versions.addItem(f"{title}, {version_title(a)}", a.id)
        self.versions.setCurrentIndex(self.versions.findData(MISS if self._misses else s.artifact))
        self.versions.setVisible(self.versions.count() > 0)
        self.versions.blockSignals(False)

    def _version_chosen(self, artifact: int) -> None:
        if artifact not in (MISS, self.model.selection.artifact):
            self.model.select(artifact=artifact)
        self._misses = artifact == MISS
        self.update_view({"selection"})

    def _show_selection(self) -> None:
        s = self.model.selection
        chooser = self.table.selectionModel()
        chooser.blockSignals(True)
        self.table.clearSelection()
        for row, line in enumerate(self.table_model.rows if s.guard is not None else []):
            if (line.artifact, line.index) == (s.artifact, s.guard):
                index = self.sorted.mapFromSource(self.table_model.index(row, 0))
                self.table.selectRow(index.row())
                self.table.scrollTo(index)
                break
        chooser.blockSignals(False)
        self.table.viewport().update()

    def _chosen(self, index: QModelIndex, _: QModelIndex) -> None:
        if index.isValid():
            line = self.table_model.rows[self.sorted.mapToSource(index).row()]
            self.model.select(artifact=line.artifact, guard=line.index)

