"""The guards of a version, failing ones first, or every failing guard of all versions in the selected call."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from ...core.events.summary import place_of
from .. import theme
from ..facts import GuardHistory
from ..glossary import GUARD_KINDS, explain
from ..models.table import Column, SortedTable, TableModel
from ..numbers import plural
from ..widgets.elided import ElidedLabel
from ..widgets.plain_table import fit_columns, page_with_table, plain_table
from .base import View

MISS = -1                       # stands for "the selected call" among the versions
WIDEST = {"": 30, "Version": 82, "What": 190, "Condition": 250, "Expected": 170, "Seen": 170, "Failures": 72,
          "Line": 52, "Why": 240, "Kind": 190}


@dataclass(frozen=True, slots=True)
class GuardLine:
    """One row. rank: 0 fails in the selected call, 1 failed in another call, 2 never failed."""

    artifact: int
    version: int
    index: int
    kind: str
    origin: str
    condition: str
    expected: str
    seen: str
    failures: int
    line: int
    why: str
    rank: int
    place: int


class GuardsView(View):
    """A chooser (the selected call's misses, or a version), a filter, and the table."""

    name = "guards"
    title = "Guards"

    def build(self) -> QWidget:
        t = theme.active
        mark = lambda r: t().bad if r.rank == 0 else t().warn if r.rank == 1 else ""
        back = lambda r: t().bad_back if r.rank == 0 else ""
        ranks = ("Fails in the selected call.", "Failed in another call.", "Never failed.")
        self.table_model = TableModel([
            Column("", lambda r: "", "Failing in the selected call, or failed before.", sort=lambda r: r.place,
                   icon=lambda r: theme.mark_icon(("error", "recompile", "reuse")[r.rank]), back=back,
                   cell_tip=lambda r: ranks[r.rank]),
            Column("Version", lambda r: f"version {r.version}", explain("artifact"), sort=lambda r: r.version,
                   back=back),
            Column("What", lambda r: r.origin, "The value that is checked, as your script writes it.", fixed=True,
                   color=mark, back=back),
            Column("Expected", lambda r: r.expected, explain("expected"), fixed=True, back=back),
            Column("Seen", lambda r: r.seen, explain("last seen"), fixed=True, color=mark, back=back),
            Column("Failures", lambda r: str(r.failures or ""), explain("failures"), True, sort=lambda r: r.failures,
                   back=back),
            Column("Line", lambda r: str(r.line or ""), "Where your script read the value.", True,
                   sort=lambda r: r.line, back=back),
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
        self._call: int | None = None
        return page_with_table(self.table, (self.versions, 0), (self.says, 1), (self.filter, 0))

    def _make_table(self) -> None:
        self.table = plain_table(self.sorted)
        self.table.selectionModel().currentRowChanged.connect(self.contained(self._chosen))

    def update_view(self, what: set[str]) -> None:
        facts, s = self.model.facts, self.model.selection
        if "theme" in what:
            self.table_model.layoutChanged.emit()
        has_misses = facts is not None and s.call is not None and bool(facts.failures_of_call(s.call))
        if s.call != self._call:                 # a newly chosen call shows what failed in it
            self._call, self._misses = s.call, has_misses
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
            self.table_model.set_rows(self.miss_lines() if self._misses else self.version_lines())
            self.table.setColumnHidden(1, not self._misses)
            if refit:
                fit_columns(self.table, [c.title for c in self.table_model.columns], WIDEST)
        self._show_selection()

    def version_lines(self) -> list[GuardLine]:
        """Every guard of the selected version, failing ones first."""
        facts, s = self.model.facts, self.model.selection
        assert facts is not None and s.artifact is not None
        now = set()
        for _, groups in facts.failures_of_call(s.call) if s.call is not None else []:
            now |= {f.index for artifact, failures in groups if artifact == s.artifact for f in failures}
        history = facts.guard_history(s.artifact)
        version = facts.session.artifacts[s.artifact].version
        rows = []
        for g in facts.guards(s.artifact):
            h = history.get(g.index, GuardHistory())
            rank = 0 if g.index in now else 1 if h.failures else 2
            seen = h.seen if h.origin in ("", g.origin) else f"{h.origin} = {h.seen}"
            what = g.origin or {"GLOBAL_STATE": "(modes)", "NAMES_UNCHANGED": "(names)"}.get(g.kind, "")
            rows.append(GuardLine(s.artifact, version, g.index, g.kind, what, g.condition, g.expected, seen,
                                  h.failures, g.line, g.why, rank, 0))
        rows.sort(key=lambda r: (r.rank, -r.failures, r.index))
        failed = sum(r.failures > 0 for r in rows)
        self.says.setText(f"{plural(len(rows), 'condition')}, {f'{failed} of them' if failed else 'none'} failed")
        return _placed(rows)

    def miss_lines(self) -> list[GuardLine]:
        """Every failing guard of every version in the selected call, nearest version first."""
        facts, s = self.model.facts, self.model.selection
        assert facts is not None and s.call is not None
        rows, versions = [], 0
        for _, groups in facts.failures_of_call(s.call):
            for artifact, failures in groups:
                versions += 1
                version = facts.session.artifacts[artifact].version
                history = facts.guard_history(artifact)
                for f in failures:
                    g = facts.guard(artifact, f.index)
                    rows.append(GuardLine(
                        artifact, version, f.index, f.kind, place_of(f), g.condition if g is not None else "", f.expected,
                        f.seen, history.get(f.index, GuardHistory()).failures, g.line if g is not None else 0,
                        g.why if g is not None else "", 0, 0))
        self.says.setText(f"{plural(len(rows), 'condition')} not met, over {plural(versions, 'version')}")
        return _placed(rows)

    def _fill_versions(self, has_misses: bool) -> None:
        facts, s = self.model.facts, self.model.selection
        self.versions.blockSignals(True)
        self.versions.clear()
        if has_misses:
            self.versions.addItem(f"Call {s.call}: what did not fit", MISS)
        if facts is not None and s.code is not None:
            title = facts.title(s.code)
            for a in facts.artifacts_of(s.code):
                symbols = ", ".join(str(d[2]) for d in a.dynamic_dims)
                self.versions.addItem(f"{title}, version {a.version}" + (f" [{symbols}]" if symbols else ""), a.id)
        self.versions.setCurrentIndex(self.versions.findData(MISS if self._misses else s.artifact))
        self.versions.setVisible(self.versions.count() > 0)
        self.versions.blockSignals(False)

    def _version_chosen(self, artifact: int) -> None:
        self._misses = artifact == MISS
        if not self._misses and artifact != self.model.selection.artifact:
            self.model.select(artifact=artifact)
        else:
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


def _placed(rows: list[GuardLine]) -> list[GuardLine]:
    from dataclasses import replace

    return [replace(r, place=i) for i, r in enumerate(rows)]
