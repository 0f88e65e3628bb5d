"""What happened in the selected call: every failing guard of every version, decisions, breaks, time by phase."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ...core.events.notes import notes
from ...core.events.schema import OUTCOME_WORDS, OUTCOMES, FailureRow
from ...core.events.summary import place_of
from ..models.size_states import states_of
from ..numbers import duration, number, plural, short_numbers
from ..widgets.page import Page, code, esc, guard_cells, guard_head, link, mark
from ..words import bound_to, call_sentence, call_title, nearly_full, no_calls, outcome_words, signature
from .base import View

MOST_VERSIONS = 16
MOST_DIFFERENCES = 40
MOST_ALIKE = 4               # sizes or numbers of which the same is said, that are named


class CallView(View):
    """A page about the selected call; without one, about how to choose one."""

    name = "call"
    cares = frozenset({"session", "rows", "selection", "highlight", "theme"})

    def build(self) -> QWidget:
        self.page = Page(self.model)
        return self.page

    def update_view(self, what: set[str]) -> None:
        facts, call = self.model.facts, self.model.selection.call
        if facts is None:
            self.page.show_html("")
        elif call is None or call >= facts.n_calls:
            n = facts.n_calls
            self.page.show_html(
                "<p class='muted'>Choose a call on the timeline: click a bar, or press the arrow keys. "
                "Ctrl with an arrow key jumps to the next call that was not simply reused.</p>" if n else
                f"<p class='muted'>{esc(no_calls(facts.session))}</p>")
        else:
            self.page.show_html(self.body(call), keep_place="session" not in what and "selection" not in what)

    def body(self, call: int) -> str:
        """The page's HTML."""
        parts = [self._head(call), self._misses(call), self._decisions(call), self._breaks(call),
                 self._notes(call), self._phases(call),
                 self._runs(call), self._arguments(call), self._differences(call)]
        return "".join(p for p in parts if p)

    def _head(self, call: int) -> str:
        facts = self.model.facts
        assert facts is not None
        outcome = facts.outcome(call)
        calls = facts.session.calls
        took = duration(int(calls["end"][call]) - int(calls["start"][call]))
        line = int(calls["line"][call])
        where = f" &nbsp;·&nbsp; called on line {line}" if line else ""
        return (f"<h1>{mark(outcome)}&nbsp; Call {number(call)} &nbsp;{esc(outcome_words(facts, call))}</h1>"
                f"<p>{code(call_title(facts, call))}</p>"
                f"<p>{esc(call_sentence(facts, call))}</p>"
                f"<p class='muted'>took {took}{where}</p>")

    def _misses(self, call: int) -> str:
        facts = self.model.facts
        assert facts is not None
        out = []
        for code_id, groups in facts.failures_of_call(call):
            name = facts.title(code_id)
            out.append(f"<h2>Why no kept version of {esc(name)} fitted</h2>")
            out.append("<table width='100%' cellspacing='0' cellpadding='4'>" + guard_head(
                "this call", ((place_of(f), short_numbers(f.expected), short_numbers(f.seen))
                              for _, failures in groups[:MOST_VERSIONS] for f in failures)))
            for place, (artifact, failures) in enumerate(groups[:MOST_VERSIONS]):
                out.append(self._version_rows(artifact, failures, place == 0 and len(groups) > 1))
            out.append("</table>")
            if note := bound_to(place_of(f) for _, failures in groups for f in failures):
                out.append(f"<p class='muted'>{esc(note)}</p>")
            if len(groups) > MOST_VERSIONS:
                out.append(f"<p class='muted'>and {plural(len(groups) - MOST_VERSIONS, 'more version')}</p>")
        return "".join(out)

    def _version_rows(self, artifact: int, failures: list[FailureRow], nearest: bool) -> str:
        facts = self.model.facts
        assert facts is not None
        version = facts.session.artifacts[artifact].version
        rows = []
        for f in failures:
            rows += guard_cells(f"guard:{artifact}:{f.index}", place_of(f), short_numbers(f.expected), short_numbers(f.seen))
        title = link(f"artifact:{artifact}", f"version {version}") + \
            ("<br><span class='muted'>nearest</span>" if nearest else "")
        head = f"<td rowspan='{len(rows)}' valign='top' style='white-space:pre'>{title}</td>"
        return "".join(f"<tr class='failed'>{head if i == 0 else ''}{row}</tr>" for i, row in enumerate(rows))

    def _decisions(self, call: int) -> str:
        facts = self.model.facts
        assert facts is not None
        found = dict.fromkeys(facts.spelled(d.code, d.text) for d in facts.session.decisions if d.call == call)
        items = "".join(f"<p>→ {esc(short_numbers(text))}</p>" for text in found)
        made = {r["artifact"] for r in facts.call_runs(call) if r["artifact"] >= 0
                and OUTCOMES[r["outcome"]] in ("compile", "recompile")}
        for a in sorted(made):
            artifact = facts.session.artifacts[a]
            own = {place: s for place, states in states_of(facts, artifact.code).items() for v, s in states
                   if v == artifact.version}
            alike: dict[str, list[tuple[str, str]]] = {}
            for source, dim, symbol in artifact.dynamic_dims:
                place = facts.spelled(artifact.code, source if dim is None else f"{source}.shape[{dim}]")
                state = own.get(place)
                may = state.text.removeprefix("dynamic: ") if state is not None and state.kind == "open" else "any value"
                alike.setdefault(may, []).append((place, symbol))
            said = [_may_be(open_ones, may) for may, open_ones in alike.items()]
            wanted = " ".join(d.text for d in facts.session.decisions if d.code == artifact.code)
            said += [f"{code(place)} is {esc(s.text)}" + (f" by {link(f'line:{s.line}', f'line {s.line}')}" if s.line else "")
                     for place, s in own.items() if s.kind == "pinned" and place in wanted]
            items += "".join(f"<p class='muted'>In {link(f'artifact:{a}', f'version {artifact.version}')} of "
                             f"{esc(facts.title(artifact.code))}, {what}.</p>" for what in said)
        return f"<h2>What was decided</h2>{items}" if items else ""

    def _breaks(self, call: int) -> str:
        facts = self.model.facts
        assert facts is not None
        out = []
        for b in facts.session.breaks:
            if b.call == call:
                hint = f"<br><span class='muted'>{esc(b.hint[:1].upper() + b.hint[1:])}.</span>" if b.hint else ""
                out.append(f"<p>{link(f'line:{b.line}', f'Line {b.line}')}: {esc(b.sentence)}.{hint}</p>")
        for n in facts.session.not_compiled:
            if n.call == call:
                out.append(f"<p>{link(f'line:{n.line}', f'Line {n.line}')}: {esc(n.why)}. "
                           f"<span class='warn'>{esc(facts.title(n.code))} is not compiled.</span></p>")
        for reached in facts.session.limits:
            if reached.call == call:
                causes = ", ".join(f"{c[0]} ({c[1]})" if isinstance(c, tuple | list) and len(c) > 1 else str(c)
                                   for c in reached.causes)
                out.append(f"<p class='bad'>{esc(facts.title(reached.code))} reached the limit of "
                           f"{reached.limit} versions"
                           + (f"; used up by {esc(causes)}" if causes else "") + ".</p>")
        out += [f"<p class='warn'>{esc(text)}</p>" for text in nearly_full(facts, call)]
        return f"<h2>Breaks and limits</h2>{''.join(out)}" if out else ""

    def _notes(self, call: int) -> str:
        facts = self.model.facts
        assert facts is not None
        found = [n for n in notes(facts.session) if call in n.calls and n.kind != "uncaught"]
        return "<h2>Also happened</h2>" + "".join(f"<p>{esc(n.words)}</p>" for n in found) if found else ""

    def _phases(self, call: int) -> str:
        facts = self.model.facts
        assert facts is not None
        phases = facts.phases_of(call=call)
        if not phases:
            return ""
        most = max(ns for _, ns in phases)
        total = sum(ns for _, ns in phases)
        rows = "".join(
            f"<tr><td style='white-space:pre'>{esc(name)}</td><td align='right' style='white-space:pre'>{duration(ns)}</td>"
            f"<td><img src='bar:{max(1, round(ns / most * 100))}:{esc(name)}'></td></tr>" for name, ns in phases)
        return f"<h2>Compile time, {duration(total)}</h2><table cellspacing='0' cellpadding='3'>{rows}</table>"

    def _runs(self, call: int) -> str:
        facts = self.model.facts
        assert facts is not None
        runs = facts.call_runs(call)
        if len(runs) < 2:
            return ""
        rows = []
        for r in runs[:40]:
            outcome = OUTCOMES[r["outcome"]]
            a = r["artifact"]
            version = link(f"artifact:{a}", f"version {facts.session.artifacts[a].version}") if a >= 0 else ""
            indent = "&nbsp;" * 4 * r["depth"]
            goes_to = link(f"code:{r['code']}", facts.title(r["code"]))
            rows.append(f"<tr><td>{indent}{mark(outcome)}&nbsp;{goes_to}</td>"
                        f"<td>{esc(OUTCOME_WORDS[outcome])}</td><td>{version}</td>"
                        f"<td align='right'>{duration(r['end'] - r['start'])}</td></tr>")
        more = f"<p class='muted'>and {plural(len(runs) - 40, 'more run')}</p>" if len(runs) > 40 else ""
        return f"<h2>What ran</h2><table cellspacing='0' cellpadding='3'>{''.join(rows)}</table>{more}"

    def _arguments(self, call: int) -> str:
        facts = self.model.facts
        assert facts is not None
        values = signature(facts, call)
        if not values:
            return ""
        rows = "".join(f"<tr><td>{code(name)}</td><td>{code(text)}</td></tr>" for name, text in values[:40])
        return f"<h2>Called with</h2><table cellspacing='0' cellpadding='3'>{rows}</table>"

    def _differences(self, call: int) -> str:
        """What is different from the marked call, or from the one before of the same function."""
        from ..models.state_diff import differences, previous

        facts, marked = self.model.facts, self.model.marked
        assert facts is not None
        code_of = facts.session.calls["code"]
        if marked is not None and marked != call and code_of[marked] == code_of[call]:
            other, which = marked, "the marked call"
        else:
            before = previous(facts, call)
            if before is None:
                return ""
            other, which = before, "the call before"
        found = differences(facts, other, call)
        title = f"<h2>Different from {link(f'call:{other}', f'call {number(other)}')}, {which}</h2>"
        if not found:
            return title + "<p class='muted'>Nothing that was looked at.</p>"
        rows = []
        for d in found[:MOST_DIFFERENCES]:
            place = link(f"guard:{d.known.artifact}:{d.known.guard}", d.place) if d.known.guard >= 0 else esc(d.place)
            rows.append(f"<tr><td class='code'>{place}</td><td>{code(short_numbers(d.before))}</td>"
                        f"<td>{code(short_numbers(d.now))}</td><td class='muted'>{esc(d.known.how)}</td></tr>")
        more = len(found) - MOST_DIFFERENCES
        tail = f"<p class='muted'>and {more} more</p>" if more > 0 else ""
        return (f"{title}<table cellspacing='0' cellpadding='3'><tr><th>value</th><th>call {number(other)}</th>"
                f"<th>this call</th><th>&nbsp;</th></tr>{''.join(rows)}</table>{tail}")


def _may_be(found: list[tuple[str, str]], may: str) -> str:
    """`x.shape[0] may be 4 or more (s0)`, for several (place, symbol) at once; as HTML."""
    if len(found) == 1:
        values, tied, relation = may.partition(", where ")
        return f"{code(found[0][0])} may be {esc(values)} ({esc(found[0][1])}){esc(tied + relation)}"
    listed = ", ".join(f"{code(place)} ({esc(symbol)})" for place, symbol in found[:MOST_ALIKE])
    more = f" and {len(found) - MOST_ALIKE} more" if len(found) > MOST_ALIKE else ""
    return f"{listed}{more} may be {esc(may)}"
