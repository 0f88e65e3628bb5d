"""The one object all views look at: the open session, what is selected in it, and the outcome filter.

Views never talk to each other. A view calls `select(...)`, the model completes the selection (a guard belongs to an
artifact, which belongs to a function, ...) and tells everybody. Everything here happens on the UI thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from ..core.events.compare import Comparison
    from ..core.runner.lab import Trial
    from .facts import Facts
    from .lab_control import LabState
    from .models.causes import CauseRow

HISTORY = 100


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected. Fields that do not apply are None. `guard` and `node` are indices in `artifact`; `cause` is a
    number in the list of causes; `line` is a line of `file`."""

    code: int | None = None
    artifact: int | None = None
    call: int | None = None
    guard: int | None = None
    node: int | None = None
    kernel: int | None = None
    file: str | None = None
    line: int | None = None
    cause: int | None = None


class SessionModel(QObject):
    """`opened` fires when another session (or none) is shown, `ready` when an opened one has been painted and its causes are
    known (until then `opening` is True, and nobody asks for causes), `grown` when the shown one has new rows,
    `selection_changed(old, new)` with two Selections, `filter_changed` and `highlight_changed` for the timeline,
    `source_wanted` when a link to a line was followed, `tools_changed` when the policy lab or a comparison has news,
    `lab_wanted("lab" or "lab_show")` when a suggestion should be tried, or what was tried shown.

    In replay `session` and `facts` are those as of the selected call; `whole` and `whole_facts` always know everything.
    `rewound` fires when the time they stand at has changed."""

    opened = Signal()
    ready = Signal()
    grown = Signal()
    selection_changed = Signal(object, object)
    filter_changed = Signal()
    highlight_changed = Signal()
    source_wanted = Signal()
    tools_changed = Signal()
    lab_wanted = Signal(str)
    rewound = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session: Any = None
        self.facts: Facts | None = None
        self.whole: Any = None
        self.whole_facts: Facts | None = None
        self.opening = False
        self.as_of: int | None = None        # in replay: the call after which everything is shown
        self.rewinding = False               # `selection_changed` fires, and `rewound` will at once
        self.selection = Selection()
        self.asked: frozenset[str] = frozenset()         # the fields that the last `select` was asked for
        self.filter: frozenset[str] = frozenset()
        self.highlight: frozenset[int] = frozenset()
        self.marked: int | None = None       # the call that others are compared with
        self.lab: LabState | None = None
        self.comparison: Comparison | None = None
        self._causes: tuple[int, list[CauseRow]] | None = None
        self._back: list[Selection] = []
        self._ahead: list[Selection] = []

    # the session

    def open(self, session: Any, opening: bool = False) -> None:
        """Show a session; the one shown before is closed. With `opening`, `show_all` is called once it has been painted."""
        from .facts import Facts

        self.opening = opening
        old, self.session, self.whole = self.whole, session, session
        self.facts = self.whole_facts = Facts(session) if session is not None else None
        self.as_of, self.comparison, self._causes = None, None, None
        self._back.clear()
        self._ahead.clear()
        self.marked = None
        self.selection, self.filter, self.highlight = Selection(), frozenset(), frozenset()
        if old is not None and old is not session:
            old.close()
        self.opened.emit()

    def show_all(self, causes: list[CauseRow] | None) -> None:
        """What takes longer to find out about an opened session can be asked for from now on. causes: those of the session,
        if they were looked for meanwhile."""
        if causes is not None and self.facts is not None and self.facts is self.whole_facts:
            self._causes = self.facts.revision, causes
        self.opening = False
        self.ready.emit()

    def close(self) -> None:
        self.open(None)

    @property
    def running(self) -> bool:
        return self.whole is not None and self.whole.state == "running"

    def poll(self) -> bool:
        """Look whether the session file has grown; tell everybody if so."""
        if self.whole is None or not self.whole.refresh():
            return False
        assert self.whole_facts is not None
        self.whole_facts.renew()
        self.grown.emit()
        return True

    def causes(self) -> list[CauseRow]:
        """What led to compilations and to calls that ran as plain Python, dearest first."""
        from .models.causes import cause_rows

        if self.facts is None:
            return []
        if self._causes is None or self._causes[0] != self.facts.revision:
            self._causes = self.facts.revision, cause_rows(self.facts)
        return self._causes[1]

    # replay

    def set_replay(self, on: bool) -> None:
        """Show everything as of the selected call (the first if none is selected), or as it is now."""
        if self.whole is None or on == (self.as_of is not None):
            return
        if on:
            if self.whole_facts is not None and self.whole_facts.n_calls:
                self.rewind(self.selection.call or 0)
            return
        self.session, self.facts, self.as_of, self._causes = self.whole, self.whole_facts, None, None
        self.rewound.emit()

    def rewind(self, call: int) -> None:
        """Show everything as of the end of a call, and select it."""
        self._stand_at(call)
        self.select(call=call)

    def _stand_at(self, call: int) -> None:
        from ..core.events.replay import SessionAt
        from .facts_at import FactsAt

        if call == self.as_of:
            return
        assert self.whole_facts is not None
        before = self.facts if isinstance(self.facts, FactsAt) else None
        self.session, self.as_of, self._causes = SessionAt(self.whole, call), call, None
        self.facts = FactsAt(self.session, self.whole_facts, before)
        if self.marked is not None and self.marked > call:
            self.marked = None
        # What is selected may not be there yet; nobody is told before the call itself is selected.
        self.selection = Selection()
        self.rewinding = True
        try:
            self._set(self._complete({"call": call}))
        finally:
            self.rewinding = False
        self.rewound.emit()

    # what was found out about the session by other runs

    def set_lab(self, state: LabState | None) -> None:
        """What the policy lab has found so far."""
        self.lab = state
        self.tools_changed.emit()

    def set_comparison(self, found: Comparison | None) -> None:
        """The comparison to show."""
        self.comparison = found
        self.tools_changed.emit()

    def tried(self, cause: CauseRow) -> Trial | None:
        """The best trial of a change that was suggested for a cause of the shown session."""
        if self.lab is None or self.session is None or cause.code is None or not cause.place \
                or str(self.lab.script) != str(self.session.info.get("script")):
            return None
        title = self.session.codes[cause.code].title
        found = [t for t in self.lab.trials if t.policy.cure is not None and t.effect
                 and t.policy.cure.cause in (cause.place, *cause.others) and t.policy.cure.function == title]
        return max(found, key=lambda t: (t.worth, t.numbers.get("saved", 0)), default=None)

    # selection

    def select(self, **wanted: Any) -> None:
        """Select by any of Selection's fields; what follows from them is filled in, what contradicts is dropped."""
        if self.facts is None:
            return
        before, self.asked = self.selection, frozenset(wanted)
        if self.as_of is not None and wanted.get("call") is not None:
            self._stand_at(wanted["call"])
        cause = wanted.pop("cause", None)
        new = replace(self._complete(wanted), cause=cause)
        if new == before:
            return
        self._back.append(before)
        del self._back[:-HISTORY]
        self._ahead.clear()
        if new != self.selection:            # in replay it may be selected already
            self._set(new)

    def show_line(self, file: str | None, line: int) -> None:
        """Select a line (of the selected file unless given) and bring it to the front."""
        self.select(file=file or self.selection.file or self.session.info.get("script"), line=line)
        self.source_wanted.emit()

    def select_first(self) -> None:
        """With nothing selected: the first call of the dearest cause, else the first call."""
        if self.facts is None or not self.facts.n_calls or self.selection != Selection():
            return
        known = [c for row in self.causes() for c in row.calls[:1] if 0 <= c < self.facts.n_calls]
        self._set(self._complete({"call": known[0] if known else 0}))

    def go_back(self) -> None:
        if self._back:
            self._ahead.append(self.selection)
            self._return_to(self._back.pop())

    def go_ahead(self) -> None:
        if self._ahead:
            self._back.append(self.selection)
            self._return_to(self._ahead.pop())

    def _return_to(self, old: Selection) -> None:
        self.asked = frozenset()
        if self.as_of is not None and old.call is not None:
            self._stand_at(old.call)
        self._set(old)

    @property
    def can_go_back(self) -> bool:
        return bool(self._back)

    @property
    def can_go_ahead(self) -> bool:
        return bool(self._ahead)

    def step(self, by: int, only_misses: bool = False) -> None:
        """Select the next (by=1) or previous (by=-1) call that passes the filter; with `only_misses` the next that was
        not simply reused."""
        if self.whole_facts is None or not self.whole_facts.n_calls:
            return
        from ..core.events.schema import OUTCOMES

        outcomes = self.whole.calls["outcome"]
        wanted = [n for n in OUTCOMES if (not self.filter or n in self.filter) and (not only_misses or n != "reuse")]
        numbers = [OUTCOMES.index(n) for n in wanted]
        here = self.selection.call
        at = (-1 if by > 0 else self.whole_facts.n_calls) if here is None else here
        if len(wanted) == len(OUTCOMES):     # any call will do
            if 0 <= at + by < len(outcomes):
                self.select(call=at + by)
            return
        ahead = outcomes[at + 1:] if by > 0 else outcomes[:max(at, 0)][::-1]
        import numpy as np

        hits = np.flatnonzero(np.isin(ahead, numbers))
        if len(hits):
            self.select(call=int(at + 1 + hits[0]) if by > 0 else int(at - 1 - hits[0]))

    def set_filter(self, outcomes: Iterable[str]) -> None:
        """Show only calls with these outcomes; nothing given shows all."""
        new = frozenset(outcomes)
        if new != self.filter:
            self.filter = new
            self.filter_changed.emit()

    def mark(self, call: int | None) -> None:
        """Compare every call that is selected from now on with this one (None: with the one before it)."""
        self.marked = call
        self.highlight_changed.emit()

    def set_highlight(self, calls: Iterable[int]) -> None:
        """Mark these calls on the timeline (those of a cause)."""
        new = frozenset(calls)
        if new != self.highlight:
            self.highlight = new
            self.highlight_changed.emit()

    def _set(self, new: Selection) -> None:
        old, self.selection = self.selection, new
        self.selection_changed.emit(old, new)

    def _complete(self, wanted: dict[str, Any]) -> Selection:
        facts, session, old = self.facts, self.session, self.selection
        assert facts is not None
        if "call" in wanted and wanted["call"] is not None:
            call = wanted["call"]
            runs = facts.call_runs(call)
            artifact = wanted.get("artifact")
            if artifact is None:
                made = [r["artifact"] for r in runs if r["artifact"] >= 0 and r["outcome"] != 2]
                used = [r["artifact"] for r in runs if r["artifact"] >= 0]
                artifact = next(iter(made or used), None)
            code = int(session.calls["code"][call])
            if artifact is not None:
                code = session.artifacts[artifact].code
            c = facts.code(code)
            return Selection(code=code, artifact=artifact, call=call, file=c.file, line=c.resume_line or c.first_line)
        if "kernel" in wanted and wanted["kernel"] is not None:
            kernel = session.kernels[wanted["kernel"]]
            sel = self._of_artifact(kernel.artifact, old) if kernel.artifact is not None else old
            node = kernel.nodes[0] if kernel.nodes else None
            sel = replace(sel, kernel=kernel.id, node=node, guard=None)
            return self._with_node_line(sel)
        if "node" in wanted and wanted["node"] is not None:
            sel = self._of_artifact(wanted.get("artifact", old.artifact), old)
            sel = replace(sel, node=wanted["node"], guard=None)
            return self._with_node_line(sel)
        if "guard" in wanted and wanted["guard"] is not None:
            sel = self._of_artifact(wanted.get("artifact", old.artifact), old)
            guard = facts.guard(sel.artifact, wanted["guard"]) if sel.artifact is not None else None
            sel = replace(sel, guard=wanted["guard"], node=None)
            return replace(sel, file=guard.file, line=guard.line) if guard is not None and guard.line else sel
        if wanted.get("artifact") is not None:
            return self._of_artifact(wanted["artifact"], old)
        if wanted.get("code") is not None:
            c = facts.code(wanted["code"])
            own = facts.artifacts_of(c.id)
            keep = old.call if old.call is not None and self._ran(old.call, code=c.id) else None
            return Selection(code=c.id, artifact=own[-1].id if own else None, call=keep, file=c.file,
                             line=c.resume_line or c.first_line)
        if wanted.get("line") is not None:
            file = wanted.get("file") or old.file
            found = facts.code_at(file, wanted["line"]) if file else None
            if found is None or (old.code is not None and facts.root(old.code) == found.id):
                return replace(old, file=file, line=wanted["line"], guard=None, node=None)
            own = facts.artifacts_of(found.id)
            keep = old.call if old.call is not None and self._ran(old.call, code=found.id) else None
            return Selection(code=found.id, artifact=own[-1].id if own else None, call=keep, file=file,
                             line=wanted["line"])
        return replace(old, **wanted) if wanted else Selection()

    def _of_artifact(self, artifact: int | None, old: Selection) -> Selection:
        assert self.facts is not None
        if artifact is None:
            return old
        a = self.session.artifacts[artifact]
        c = self.facts.code(a.code)
        call = old.call if old.call is not None and self._ran(old.call, code=a.code) else None
        if call is None and 0 <= a.call < self.facts.n_calls:
            call = a.call
        return Selection(code=a.code, artifact=artifact, call=call, file=c.file, line=c.resume_line or c.first_line)

    def _with_node_line(self, sel: Selection) -> Selection:
        assert self.facts is not None
        if sel.artifact is None or sel.node is None:
            return sel
        node = next((n for n in self.facts.nodes(sel.artifact) if n.index == sel.node), None)
        if node is None:
            return sel
        kernel = sel.kernel if sel.kernel is not None else node.kernel
        sel = replace(sel, kernel=kernel)
        return replace(sel, file=node.file, line=node.line) if node.line else sel

    def _ran(self, call: int, code: int) -> bool:
        assert self.facts is not None
        return call < self.facts.n_calls and any(r["code"] == code for r in self.facts.call_runs(call))
