"""Causes, not events: what in the script led to recompilations, breaks and uncompiled calls, with advice.

The dearest stands first. Clicking a cause selects its place and marks its calls on the timeline.
"""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ...core.events.notes import notes
from ...core.events.summary import shadow
from ..models.causes import MOST_CALLS, CauseRow, nothing_to_report
from ..numbers import duration, plural, short_numbers
from ..widgets.page import Page, code, esc, link, mark
from ..words import bound_to, near_limit
from .base import View

MOST = 60


class CausesView(View):
    """A page with one block per cause."""

    name = "causes"
    cares = frozenset({"session", "rows", "selection", "theme", "tools"})

    def build(self) -> QWidget:
        self.page = Page(self.model)
        self.page.followed.connect(self.contained(self._followed))
        return self.page

    def update_view(self, what: set[str]) -> None:
        facts = self.model.facts
        if facts is None:
            self.page.show_html("")
            return
        if what == {"selection"}:
            self._mark_calls()
        self.page.show_html(self.body(), keep_place="session" not in what)

    def body(self) -> str:
        """The page's HTML."""
        facts = self.model.facts
        assert facts is not None
        causes = self.model.causes()
        if not causes:
            head, text = nothing_to_report(facts.session, facts.outcome_counts())
            return (f"<p><b>{esc(head)}</b></p>" if head else "") + f"<p class='muted'>{esc(text)}</p>" + self._also()
        most = max(c.cost_ns for c in causes) or 1
        rows = "".join(self._block(i, c, most) for i, c in enumerate(causes[:MOST]))
        more = f"<p class='muted'>and {len(causes) - MOST} more</p>" if len(causes) > MOST else ""
        return rows + more + self._also()

    def _also(self) -> str:
        """What happened beside the causes: fallbacks, resets, the shadow check."""
        session = self.model.session
        parts = [f"<p>{link(f'call:{at[0]}', n.words) if (at := [c for c in n.calls if c >= 0]) else esc(n.words)}</p>"
                 for n in notes(session)[:MOST] if n.kind != "uncaught"]
        check = shadow(session)
        if check is not None:
            found = f"{check.different} gave something else" if check.different else "all gave the same"
            parts.append(f"<p>shadow check: {plural(check.checked, 'reused call')} repeated in plain Python, {found}</p>")
            parts += [f"<p class='muted'>{plural(n, 'reused call')} not repeated: {esc(why)}</p>"
                      for why, n in check.skipped.items()]
        return f"<h2>Also happened</h2>{''.join(parts)}" if parts else ""

    def _block(self, place: int, c: CauseRow, most: int) -> str:
        chosen = " class='box'" if self.model.selection.cause == place else ""
        facts = [f"<img src='bar:{max(2, round(c.cost_ns / most * 90))}:{c.mark}'>&nbsp; {duration(c.cost_ns)}"] \
            if c.cost_ns else []
        first = "the first " if len(c.calls) >= MOST_CALLS else ""
        facts += [link(f"cause:{place}", first + plural(len(c.calls), "call"))] if c.calls else []
        facts += [link(f"place:{place}", f"line {c.line}")] if c.line else []
        detail = "<br>".join(esc(line) for line in short_numbers(c.detail).splitlines())
        detail = f"<p class='muted'>{detail}</p>" if detail else ""
        if note := bound_to((c.place, *c.others)):
            detail += f"<p class='muted'>{esc(note)}</p>"
        known = self.model.facts
        if known is not None and c.place and c.code is not None and (warning := near_limit(known, c.code)):
            detail += f"<p class='warn'>{esc(warning)}</p>"
        advice = f"<p><span class='good'>→</span> {esc(c.advice)}</p>" if c.advice else ""
        fix = "".join(f"<p>&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;<b>{code(line)}</b></p>" for line in c.fix.splitlines())
        fix += self._tried(c)
        return (f"<table width='100%' cellspacing='0' cellpadding='6'{chosen}><tr>"
                f"<td width='18' valign='top'>{mark(c.mark)}</td>"
                f"<td><p><a class='head' href='cause:{place}'><b>{esc(c.headline)}</b></a></p>"
                f"<p class='muted'>{' &nbsp;·&nbsp; '.join(facts)}</p>{detail}{advice}{fix}</td></tr></table>")

    def _tried(self, c: CauseRow) -> str:
        """What the policy lab found when it tried the cure, or the offer to try it."""
        trial = self.model.tried(c)
        if trial is None:
            lab, session = self.model.lab, self.model.session
            known = lab is not None and str(lab.script) == str(session.info.get("script"))
            return f"<p>{link('lab', 'Try it')}</p>" if c.place and c.fix and not known else ""
        worth = "good" if trial.worth else "warn"
        return (f"<p><span class='{worth}'>Tried: {esc(trial.policy.name)}: <b>{esc(trial.effect)}</b></span> &nbsp;·&nbsp; "
                f"{link('lab_show', 'the change')}</p>")

    def _followed(self, kind: str, parts: list[str]) -> None:
        if kind in ("lab", "lab_show"):
            self.model.lab_wanted.emit(kind)
        if kind not in ("cause", "place"):
            return
        c = self.model.causes()[int(parts[0])]
        if kind == "place":
            self.model.show_line(c.file, c.line)
            return
        if c.calls:
            self.model.select(call=c.calls[0], cause=int(parts[0]))
        elif c.code is not None:
            self.model.select(code=c.code, cause=int(parts[0]))
        self.model.set_highlight(c.calls)

    def _mark_calls(self) -> None:
        chosen, causes = self.model.selection.cause, self.model.causes()
        if chosen is None or chosen >= len(causes):
            self.model.set_highlight(())
