"""What was read while the selected version was traced, and what protects each of it: the coverage of the guards.

A value is checked by guards, is an input of the graph, or is proven constant with a reason. Anything else would be a
value that is built in and never looked at again; it would stand first, in red.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from .. import theme
from ..facts import ReadLine
from ..models.table import Column, SortedTable, TableModel
from ..numbers import plural
from ..widgets.elided import ElidedLabel
from ..widgets.plain_table import page_with_table, plain_table
from .base import View

HOW = {"checked": "Guards compare it before the version is used again.",
       "input": "It is passed to the graph; any value of its kind gives the right result.",
       "constant": "It cannot change, for the reason given.",
       "unprotected": "It was built into the version, and nothing looks at it again."}
ORDER = {"unprotected": 0, "constant": 1, "checked": 2, "input": 3}
MARKS = {"checked": "reuse", "input": "compile", "constant": "not_compiled", "unprotected": "error"}
WIDEST = {"Value read": 210, "Protected by": 100, "Conditions": 100, "Line": 48}


class CoverageView(View):
    """A line with the counts and a table; a row selects the guard that checks it."""

    name = "coverage"

    def build(self) -> QWidget:
        bad = lambda r: theme.active().bad if r.how == "unprotected" else ""
        back = lambda r: theme.active().bad_back if r.how == "unprotected" else ""
        self.table_model = TableModel([
            Column("", lambda r: "", "What protects the value.", back=back,
                   sort=lambda r: f"{ORDER[r.how]} {r.line == 0:d} {r.origin}",          # what the script reads by itself first
                   icon=lambda r: theme.mark_icon(MARKS[r.how]), cell_tip=lambda r: HOW[r.how]),
            Column("Value read", lambda r: r.origin, "As your script writes it.", fixed=True, color=bad, back=back),
            Column("Protected by", protection,
                   "\n".join(f"{name}: {text}" for name, text in HOW.items()), color=bad, back=back,
                   sort=lambda r: ORDER[r.how] * 1000 + r.guards, cell_tip=lambda r: HOW[r.how]),
            Column("Line", lambda r: str(r.line or ""), "Where your script read the value first.", True,
                   sort=lambda r: r.line, back=back),
            Column("Conditions", lambda r: r.why or "; ".join(r.conditions), "What must hold, or why it cannot change.",
                   fixed=True, back=back, cell_tip=lambda r: r.why or "\n".join(r.conditions)),
        ], self)
        self.table_model.fixed_font = theme.fixed_font()
        self.sorted = SortedTable(self.table_model, self)
        self.table = plain_table(self.sorted)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)        # names often differ at their end
        self.table.selectionModel().currentRowChanged.connect(self.contained(self._chosen))
        self.says = ElidedLabel()
        self.says.setObjectName("muted")
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter")
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(180)
        self.filter.textChanged.connect(self.sorted.setFilterFixedString)
        self._shown: object = None
        return page_with_table(self.table, (self.says, 1), (self.filter, 0))

    def update_view(self, what: set[str]) -> None:
        if "theme" in what:
            self.table_model.recolor()
        facts, s = self.model.facts, self.model.selection
        if facts is None or s.artifact is None:
            self.table_model.set_rows([])
            self._shown = None
            self.says.setText("Select a version or a call to see what was read for it." if facts is not None else "")
            return
        artifact = facts.session.artifacts[s.artifact]
        rows = facts.coverage(s.artifact)
        shown = (id(facts), s.artifact, len(rows))
        if shown != self._shown:
            self._shown = shown
            self.table_model.set_rows(rows)
            self.table.fit([c.title for c in self.table_model.columns], WIDEST)
            self.says.setText(f"{counted(rows)}. {facts.title(artifact.code)}, version {artifact.version}")

    def _chosen(self, index: QModelIndex, _: QModelIndex) -> None:
        if index.isValid():
            row = self.table_model.rows[self.sorted.mapToSource(index).row()]
            if row.guard >= 0:
                self.model.select(artifact=self.model.selection.artifact, guard=row.guard)


def protection(row: ReadLine) -> str:
    """What protects a value, in two or three words."""
    if row.how == "checked":
        return plural(row.guards, "guard") if row.guards else "guards"
    return {"input": "being an input", "constant": "being constant"}.get(row.how, "nothing")


def counted(rows: list[ReadLine]) -> str:
    """"4 values read: 2 checked, 2 inputs; none unprotected"."""
    if not rows:
        return "no value was read"
    n = {how: sum(r.how == how for r in rows) for how in ORDER}
    parts = [f"{n['checked']} checked", plural(n["input"], "input")]
    parts += [plural(n["constant"], "constant")] if n["constant"] else []
    return (f"{plural(len(rows), 'value')} read: {', '.join(parts)}; "
            f"{plural(n['unprotected'], 'value') if n['unprotected'] else 'none'} unprotected")
