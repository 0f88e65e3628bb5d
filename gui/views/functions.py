"""The tree of functions: each with its resume functions and kept versions, calls, and the meter of used versions."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from ...core.events.schema import OUTCOME_WORDS, OUTCOMES, Artifact, Code
from .. import theme
from ..facts import Facts, code_name
from ..glossary import explain
from ..models.tree import Row, TreeModel
from ..numbers import duration, number, plural
from ..widgets.meter import MeterDelegate
from ..words import near_limit, version_title
from .base import View

MARGIN = 8                       # pixels beside a number
METER, NARROW = 102, 300         # pixels of the column of meters; of a tree in which it is less
OPENED = 12                      # functions at most that are shown with their versions from the start


class FunctionsView(View):
    """Keys of rows: ("code", id), ("artifact", id) and ("owner", (code id, owner))."""

    name = "functions"

    def build(self) -> QWidget:
        self.tree_model = TreeModel([
            ("Function", "Compiled functions, their resume functions and kept versions.", False),
            ("Calls", "How often it ran.", True),
            ("Versions", explain("artifact") + "\n" + explain("recompile limit"), True)], meter_column=2, parent=self)
        self._before: tuple[Facts, np.ndarray] | None = None       # what the rows were made from, and the runs of each code
        self._shown: dict[int, tuple[object, ...]] = {}      # what the row of a function was made from
        tree = self.tree = QTreeView()
        tree.setModel(self.tree_model)
        tree.setItemDelegate(MeterDelegate(tree))
        tree.setUniformRowHeights(True)
        tree.setIndentation(13)
        tree.setMinimumWidth(262)
        tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header = tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Fixed)
        tree.setColumnWidth(2, METER)
        header.setMinimumSectionSize(40)
        tree.selectionModel().currentChanged.connect(self.contained(self._chosen))
        return tree

    def blank(self) -> None:
        super().blank()
        if self._content is not None:
            self.tree_model.set_rows([])     # they make those below them when these are asked for, from their session

    def update_view(self, what: set[str]) -> None:
        if "session" in what or "rows" in what or "theme" in what:
            if "session" in what or "theme" in what:
                self._shown.clear()
            rows = self._rows()
            new = rows if "session" in what else [r for r in rows if self.tree_model.row_of(r.key) is None]
            if "session" in what:
                self.tree_model.set_rows(rows)
            else:
                self.tree_model.update_rows(rows)
            for row in new if len(rows) <= OPENED else ():
                self.tree.expand(self.tree_model.index_of(row))
            self._fit_calls(rows)
        self._show_selection()

    def _fit_calls(self, rows: list[Row]) -> None:
        """Make the column of calls as wide as its longest number; Qt would measure rows again at every change."""
        header, metrics = self.tree.header(), self.tree.fontMetrics()
        longest = max((metrics.horizontalAdvance(row.cells[1]) for row in rows), default=0)
        self.tree.setColumnWidth(1, max(longest + 2 * MARGIN, header.sectionSizeHint(1)))

    def _rows(self) -> list[Row]:
        """One row per function; those of which nothing has changed are the ones that are shown."""
        facts = self.model.facts
        rows: list[Row] = []
        if facts is None:
            return rows
        runs, before = facts.code_outcomes().sum(axis=1), self._before
        ran = None                           # functions that ran, where nothing else can have changed
        if before is not None and self._shown and before[0] is not facts and facts.same_tables(before[0]):
            ran = {facts.root(int(code)) for code in np.flatnonzero(runs != before[1])}
        self._before = facts, runs
        for c in facts.session.codes:
            if c.kind != "resume":
                shown = self.tree_model.row_of(("code", c.id))
                if ran is None or c.id in ran:
                    key = self._state(c)
                    shown = shown if self._shown.get(c.id) == key else None
                    self._shown[c.id] = key
                rows.append(shown if shown is not None else self._code_row(c))
        return rows

    def _state(self, c: Code) -> tuple[object, ...]:
        """Everything that the row of a function and those below it show."""
        facts = self.model.facts
        assert facts is not None
        runs, uses = facts.keep("run lists", lambda: (facts.code_outcomes().sum(axis=1).tolist(),
                                                      facts.artifact_uses().tolist()))
        found: list[object] = []
        for d in (c, *facts.resumes_of(c.id)):
            own = facts.artifacts_of(d.id)
            found += [d.id, runs[d.id], facts.limit(d.id), facts.kept(d.id), d.id in facts.given_up(),
                      *(uses[a.id] if a.id < len(uses) else 0 for a in own), facts.compile_ns(code=d.id)]
        return tuple(found)

    def _code_row(self, c: Code) -> Row:
        facts = self.model.facts
        assert facts is not None
        own = facts.artifacts_of(c.id)
        resume = c.kind == "resume"
        title = facts.resume_title(c) if resume else code_name(c)
        kept, limit = facts.kept(c.id), facts.limit(c.id)
        given_up = c.id in facts.given_up()
        below: list[Row] | partial[list[Row]] = []
        if own or not resume and facts.resumes_of(c.id):
            below = partial(self._rows_below, c)
        versions = "not compiled" if given_up else f"{kept} of {limit}" if own else "none"
        return Row(("code", c.id), [title, number(int(facts.code_outcomes()[c.id].sum())), versions],
                   below, partial(self._code_tip, c), theme.icon("resume" if resume else "function"),
                   theme.active().text_muted if given_up else "", not resume, (kept, limit) if own else None)

    def _rows_below(self, c: Code) -> list[Row]:
        facts = self.model.facts
        assert facts is not None
        resumes = facts.resumes_of(c.id) if c.kind != "resume" else []
        return self._version_rows(c.id, facts.artifacts_of(c.id)) + [self._code_row(r) for r in resumes]

    def _code_tip(self, c: Code) -> str:
        facts = self.model.facts
        assert facts is not None
        outcomes, own = facts.code_outcomes()[c.id], facts.artifacts_of(c.id)
        kept, limit = facts.kept(c.id), facts.limit(c.id)
        tips = [f"{c.qualname}, line {c.first_line}"]
        tips += [f"{plural(int(outcomes[i]), 'run')} {OUTCOME_WORDS[n]}" for i, n in enumerate(OUTCOMES) if outcomes[i]]
        if c.kind == "resume":
            tips.append(explain("resume function"))
        tips += [f"Not compiled: {n.why}" for n in facts.session.not_compiled if n.code == c.id][:1]
        if facts.limit_reached(c.id):
            tips.append(f"The limit of {limit} versions is reached: " + explain("eager_limit"))
        used = [(cause.name, cause.versions) for cause in self.model.causes() if cause.place and cause.code == c.id]
        if used:
            tips.append("places used up by " + ", ".join(f"{place} ({n})" for place, n in used[:4]))
        if warning := near_limit(facts, c.id):
            tips.append(warning)
        if kept < len(own):
            tips.append(f"{plural(len(own), 'version')} made; {kept} of them since the caches were last reset")
        return "\n".join(tips)

    def _version_rows(self, code: int, own: list[Artifact]) -> list[Row]:
        """The versions; below their owners (module or closure) where several share the places of one code object."""
        owners = dict.fromkeys(a.owner for a in own)
        if len(owners) < 2:
            return [self._artifact_row(a) for a in own]
        facts = self.model.facts
        assert facts is not None
        rows = []
        for owner in owners:
            mine = [a for a in own if a.owner == owner]
            below = [self._artifact_row(a) for a in mine]
            runs = sum(map(self._uses, mine))
            tip = (f"{plural(len(mine), 'version')} made for {owner or 'others'}; {len(owners)} owners share the "
                   f"{facts.limit(code)} places of this function")
            name = owner.replace(", ", " ") or "others"          # every letter counts: owners often differ in the last ones
            rows.append(Row(("owner", (code, owner)), [name, number(runs), plural(len(mine), "version")],
                            below, partial(str, tip), theme.icon("owner")))
        return rows

    def _artifact_row(self, a: Artifact) -> Row:
        facts = self.model.facts
        assert facts is not None
        title = version_title(a) + ("" if a.has_graph else " (no graph)")
        return Row(("artifact", a.id), [title, number(self._uses(a)), duration(facts.compile_ns(artifact=a.id))], [],
                   partial(self._artifact_tip, a), theme.mark_icon("compile" if a.miss < 0 else "recompile"))

    def _artifact_tip(self, a: Artifact) -> str:
        facts = self.model.facts
        assert facts is not None
        tip = [f"Version {a.version}, " + (f"made in call {a.call}" if a.call >= 0 else "made outside any call"),
               f"served {plural(self._uses(a), 'run')}", f"compile time {duration(facts.compile_ns(artifact=a.id))}"]
        tip += [f"{source}{'' if dim is None else f', dimension {dim}'}: any value ({symbol})"
                for source, dim, symbol in a.dynamic_dims]
        return "\n".join(tip)

    def _uses(self, a: Artifact) -> int:
        """Runs that a version served."""
        facts = self.model.facts
        assert facts is not None
        uses = facts.artifact_uses()
        return int(uses[a.id]) if a.id < len(uses) else 0

    def _open(self, code: int) -> None:
        """Let the tree make the rows of a function and below it."""
        facts = self.model.facts
        for c in (facts.root(code), code) if facts is not None else ():
            row = self.tree_model.row_of(("code", c))
            for child in row.children if row is not None else ():
                if child.key[0] == "owner":  # type: ignore[index]
                    child.children  # noqa: B018   makes them

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._content is not None:        # names need the room more than the meters
            self.tree.setColumnWidth(2, METER if self.width() >= NARROW else METER - 12)

    def _show_selection(self) -> None:
        s = self.model.selection
        if s.code is not None:
            self._open(s.code)
        row = self.tree_model.row_of(("artifact", s.artifact)) if s.artifact is not None else None
        if row is None and s.code is not None:
            row = self.tree_model.row_of(("code", s.code))
        index = self.tree_model.index_of(row)
        if index != self.tree.currentIndex():
            chooser = self.tree.selectionModel()
            chooser.blockSignals(True)
            chooser.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect
                                    | QItemSelectionModel.SelectionFlag.Rows)
            chooser.blockSignals(False)
            if index.isValid():
                self.tree.scrollTo(index)
            self.tree.viewport().update()

    def _chosen(self, index: QModelIndex, _: QModelIndex) -> None:
        key = self.tree_model.key_of(index)
        if key is not None and key[0] != "owner":
            self.model.select(**{key[0]: key[1]})
