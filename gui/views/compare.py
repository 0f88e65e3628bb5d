"""Two sessions by causes: what is gone, new, more or fewer in the shown session, and the first call that went differently.

The shown session is always B, the one after; a click on a cause marks its calls in it.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...core.events.compare import KIND_WORDS, Change, Comparison, FunctionChange
from ..numbers import duration, number, plural
from ..widgets.page import Page, code, esc, link
from .base import View

TITLES = {"new": "New causes", "more": "More than before", "fewer": "Fewer than before", "gone": "Gone"}
CLASSES = {"new": "bad", "more": "bad", "fewer": "good", "gone": "good"}
TOTALS = (("calls", "Calls", False), ("artifacts", "Versions", True), ("recompiles", "Recompiled", True),
          ("eager", "Eager after the limit", True), ("not_compiled", "Functions not compiled", True),
          ("breaks", "Graph breaks", True), ("errors", "Errors", True), ("compile_ns", "Compile time", False),
          ("kernel_ns", "Kernel time", False), ("run_ns", "Whole run", False))
MOST = 40


class CompareView(View):
    """`wanted(what)`: "choose" for another session, "swap" to show A as B."""

    name = "compare"
    cares = frozenset({"session", "tools", "theme"})
    wanted = Signal(str)

    def build(self) -> QWidget:
        self.page = Page(self.model)
        self.page.setAccessibleName("Comparison of two sessions")
        self.page.followed.connect(self.contained(self._followed))
        return self.page

    def update_view(self, what: set[str]) -> None:
        found = self.model.comparison
        if found is None:
            self.page.show_html("<p class='muted'>Nothing is compared. " + link("choose", "Choose a session")
                                + " to see what was different before. Functions are matched by their place in the source.</p>")
        else:
            self.page.show_html(self.body(found), keep_place="tools" not in what)

    def body(self, found: Comparison) -> str:
        """The page's HTML."""
        a, b = (Path(p).name for p in found.paths)
        links = f"{link('choose', 'Another session')} &nbsp;·&nbsp; {link('swap', 'Swap')}"
        parts = [f"<h1>{esc(verdict(found))}</h1>"
                 f"<p class='muted'>A (before): {esc(a)}<br>B (after, shown): {esc(b)} &nbsp;·&nbsp; {links}</p>"]
        if found.first is not None:
            f = found.first
            parts.append(f"<h2>First call that differs: {link(f'call:{f.call}', f'call {f.call}')}</h2>"
                         "<table cellspacing='0' cellpadding='3'>"
                         f"<tr><td>A</td><td>{code(f.a)}</td></tr><tr><td>B</td><td>{code(f.b)}</td></tr></table>")
        for state, title in TITLES.items():
            rows = [(i, c) for i, c in enumerate(found.changes) if c.state == state]
            if rows:
                parts.append(f"<h2>{title}</h2>" + "".join(self._change(i, c) for i, c in rows[:MOST]))
                if len(rows) > MOST:
                    parts.append(f"<p class='muted'>and {len(rows) - MOST} more</p>")
        same = len(found.of("same"))
        if same:
            parts.append(f"<p class='muted'>{plural(same, 'cause')} the same in both.</p>")
        return "".join(parts) + self._totals(found) + self._functions(found)

    def _change(self, place: int, c: Change) -> str:
        before, after = (duration(side.cost_ns) if side.cost_ns else "no time" for side in (c.a, c.b))
        cost = f" &nbsp;·&nbsp; {before}, then {after}" if c.a.cost_ns or c.b.cost_ns else ""
        notes = [KIND_WORDS[c.kind] + cost]
        notes += [link(f"change:{place}", plural(len(c.b.calls), "call"))] if c.b.calls else []
        notes += [link(f"line:{c.line}", f"line {c.line}")] if c.line and c.b.count else []
        return (f"<p><span class='{CLASSES[c.state]}'><b>{esc(c.sentence)}</b></span><br>"
                f"<span class='muted'>{' &nbsp;·&nbsp; '.join(notes)}</span></p>")

    def _totals(self, found: Comparison) -> str:
        rows = []
        for key, title, better in TOTALS:
            a, b = next(((x, y) for name, x, y in found.totals if name == key), (0, 0))
            if not a and not b:
                continue
            time = key.endswith("_ns")
            texts = [duration(v) if time else number(v) for v in (a, b)]
            style = ("bad" if b > a else "good") if better and a != b else ""
            rows.append(f"<tr><td>{title}</td><td align='right'>{texts[0]}</td>"
                        f"<td align='right'><span class='{style}'>{texts[1]}</span></td></tr>")
        return ("<h2>In numbers</h2><table cellspacing='0' cellpadding='3'><tr><th>&nbsp;</th><th align='right'>A</th>"
                f"<th align='right'>B</th></tr>{''.join(rows)}</table>")

    def _functions(self, found: Comparison) -> str:
        rows = [self._function(f) for f in found.functions[:MOST] if f.a is None or f.b is None
                or (f.a.outcomes, f.a.artifacts) != (f.b.outcomes, f.b.artifacts)]
        if not rows:
            return ""
        return ("<h2>Functions that went differently</h2><table cellspacing='0' cellpadding='3'><tr><th>function</th>"
                "<th>runs</th><th>versions</th><th>recompiled</th><th>compile time</th></tr>" + "".join(rows) + "</table>")

    def _function(self, f: FunctionChange) -> str:
        def pair(value: object) -> str:
            texts = [str(value(side)) if side is not None else "\N{EN DASH}" for side in (f.a, f.b)]  # type: ignore[operator]
            return texts[0] if texts[0] == texts[1] else f"{texts[0]} \N{RIGHTWARDS ARROW} {texts[1]}"

        cells = [pair(lambda s: s.calls), pair(lambda s: s.artifacts), pair(lambda s: s.outcomes["recompile"]),
                 pair(lambda s: duration(s.compile_ns))]
        return "<tr>" + "".join(f"<td style='white-space:pre'>{c}</td>" for c in (code(f.function), *map(esc, cells))) + "</tr>"

    def _followed(self, kind: str, parts: list[str]) -> None:
        found = self.model.comparison
        if kind == "change" and found is not None and self.model.facts is not None:
            calls = [c for c in found.changes[int(parts[0])].b.calls if c < self.model.facts.n_calls]
            if calls:
                self.model.select(call=calls[0])
                self.model.set_highlight(calls)
        elif kind in ("choose", "swap"):
            self.wanted.emit(kind)


def verdict(found: Comparison) -> str:
    """The comparison in one line."""
    counts = [(len(found.of(state)), word) for state, word in (("new", "new"), ("more", "with more"), ("fewer", "with fewer"),
                                                               ("gone", "gone"))]
    said = [f"{n} {word}" for n, word in counts if n]
    if not said:
        return "The same causes in both" if found.changes else "No cause of recompilation in either"
    return "Causes: " + ", ".join(said)
