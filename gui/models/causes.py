"""Causes of recompilation as the window shows them: one line each, dearest first, with what to change.

The ledger itself comes from core/events/summary.py; here it gets its sentences and its place in the source.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.events import summary
from ...core.events.guard_use import unread
from ...core.events.schema import OUTCOME_NUMBER, WRONG_RESULT
from ..facts import Facts, code_name, code_title, plain_tensors
from ..live import innermost
from ..numbers import plural
from ..words import no_calls

MOST_VALUES = 8
MOST_TOGETHER = 6                # of what changed at once, that are told with their values
UNREAD = "guarded, but never read"
MOST_CALLS = 1000                # of a cause, that can be marked on the timeline


@dataclass(frozen=True, slots=True)
class CauseRow:
    """`mark` picks the shape; `headline` is a line by itself; `calls` are the calls it led to; `cost_ns` is compile
    time; `code` and `line` say where; `advice` is what to change, `fix` the lines to write (either may be ""); `place`: the
    value that varies, as the ledger calls it, "" for other kinds of causes, `others`: those that always changed with it,
    `name`: all of them; `versions`: recompilations it led to."""

    mark: str
    headline: str
    detail: str = ""
    advice: str = ""
    fix: str = ""
    cost_ns: int = 0
    calls: tuple[int, ...] = ()
    code: int | None = None
    file: str = ""
    line: int = 0
    place: str = ""
    versions: int = 0
    others: tuple[str, ...] = ()
    name: str = ""


def cause_rows(facts: Facts) -> list[CauseRow]:
    """What ended the script and wrong results, recompilation causes by cost, exceptions that the script caught, functions that
    are never compiled, graph breaks."""
    first, caught = facts.keep_rows("error rows", lambda: _error_rows(facts.session))
    return [*first, *_recompile_rows(facts), *caught, *_given_up_rows(facts), *_break_rows(facts)]


def _recompile_rows(facts: Facts) -> list[CauseRow]:
    """What led to recompilations. Found again only when a table has new rows or another call ran eagerly after a limit, and
    then of those causes alone that have changed."""
    session, eager = facts.session, facts.outcome_counts()["eager_limit"]
    kept: dict[int, list[CauseRow]] = facts.keep_rows("recompile rows", dict)
    if eager not in kept:
        made = Counter(a.code for a in session.artifacts)
        calls = np.flatnonzero(session.calls["outcome"] == OUTCOME_NUMBER["eager_limit"]) if eager else np.zeros(0, np.int64)
        code = session.calls["code"][calls]
        ledger = summary.causes(session, facts.lasting.setdefault("failing", {}))
        kept.clear()
        kept[eager] = [_joined(own, [_known_row(facts, c, made[c.code], calls[code == c.code]) for c in own])
                       for own in summary.together(session, [c for c in ledger if c.versions])]
    return kept[eager]


def _joined(own: list[summary.Cause], rows: list[CauseRow]) -> CauseRow:
    """One row for what always changed at once."""
    first = rows[0]
    if len(own) == 1:
        return first
    alike = [row for row in rows if row.advice == first.advice]
    detail = [f"{c.place}: {_values(c, 56)}" + (f" ({UNREAD})" if UNREAD in row.detail else "")
              for c, row in zip(own[:MOST_TOGETHER], rows)]
    detail += [f"and {len(own) - MOST_TOGETHER} more"] if len(own) > MOST_TOGETHER else []
    return replace(first, others=tuple(row.place for row in rows[1:]), name=summary.named(own),
                   headline=f"{summary.named(own)} changed together: {first.headline.rpartition(': ')[2]}",
                   detail="\n".join(detail),
                   fix="\n".join(dict.fromkeys(row.fix for row in alike[:MOST_TOGETHER] if row.fix)))


def _values(c: summary.Cause, longest: int = 400) -> str:
    """The values that a cause took, as many as fit into about `longest` characters."""
    shown: list[str] = []
    for value in c.seen[:MOST_VALUES]:
        if shown and len(", ".join((*shown, value))) > longest:
            break
        shown.append(plain_tensors(value))
    more = f", \N{HORIZONTAL ELLIPSIS} ({len(c.seen)} in all)" if len(c.seen) > len(shown) else ""
    return ", ".join(shown) + more


def _known_row(facts: Facts, c: summary.Cause, own: int, eager: np.ndarray) -> CauseRow:
    """The row of a cause, the one made before if the cause is as it was then. (While the script runs none is kept: guards
    may be still to come.)"""
    state = (c.misses, c.versions, c.alone, c.compile_ns, len(c.seen), c.reached_limit, c.pinned, own, len(eager))
    rows = facts.lasting.setdefault("cause rows", {}) if facts.session.state != "running" else {}
    before = rows.get((c.code, c.place, c.kind, c.artifact, c.guard))
    if before is None or before[0] != state:
        before = rows[c.code, c.place, c.kind, c.artifact, c.guard] = state, _recompile_row(
            facts.session, c, own, eager, _place(facts, c))
    return before[1]


def _place(facts: Facts, c: summary.Cause) -> tuple[str, int, str]:
    """(file, line, "" or what of the value is not used) of the guard that stands for a cause. It never changes once written,
    and reading the guards of a version takes long."""
    known = facts.lasting.setdefault("cause places", {})
    found = known.get((c.artifact, c.guard))
    if found is None:
        guards = facts.session.guards(c.artifact) if c.artifact >= 0 else []
        guard = next((g for g in guards if g.index == c.guard), None)
        unused = unread(facts.session, c.artifact, guards).get(c.guard, "") if guards else ""
        found = (guard.file, guard.line, unused) if guard is not None else ("", 0, unused)
        if guard is not None:
            known[c.artifact, c.guard] = found
    return found


def _recompile_row(session: Any, c: summary.Cause, own: int, eager: np.ndarray, place: tuple[str, int, str]) -> CauseRow:
    """own: versions of the function; eager: its calls that ran eagerly after a limit; place: as from `_place`."""
    title = code_title(session.codes[c.code])
    # The first version was made for the first value, so a cause of k recompilations accounts for k + 1 versions.
    versions = min(c.versions + 1, own)
    headline = f"{c.place} took {len(c.seen)} values" if len(c.seen) > 1 else f"{c.place} changed"
    headline += f": {plural(versions, 'version')} of {title}"
    if c.reached_limit and len(eager):
        headline += f", then plain Python for {plural(len(eager), 'call')}"
    shared = c.versions - c.alone
    detail = f"values: {_values(c)}" if c.seen else ""
    if shared and c.alone:
        detail += f"; in {shared} of {c.versions} recompilations something else had changed as well"
    elif shared:
        detail += "; never the only thing that had changed"
    advice = summary.advise(session, c)
    cure = advice.cure if advice is not None else ""
    file, line, unused = place
    if unused:
        detail += f"{'; ' if detail else ''}{UNREAD}: {unused}"
    calls = tuple(sorted({x for x in c.calls if x >= 0}))
    return CauseRow("eager_limit" if c.reached_limit else "recompile", headline, detail,
                    cure[:1].upper() + cure[1:], advice.line if advice is not None else "", c.compile_ns,
                    calls + (tuple(int(x) for x in eager[:MOST_CALLS]) if c.reached_limit else ()), c.code,
                    file, line, c.place,
                    c.versions, name=c.place)


def _error_rows(session: Any) -> tuple[list[CauseRow], list[CauseRow]]:
    """(what ended the script, and wrong results; exceptions that did not end it)."""
    caught: list[CauseRow] = []
    fatal = {str(e.data.get("type")) for e in session.events if e.kind == "uncaught"}
    found = [CauseRow("error", f"The script ended with {e.data.get('type', 'an exception')}"
                      + (f" on line {e.data['line']}" if e.data.get("line") else ""), str(e.data.get("message", e.text)),
                      file=str(e.data.get("file", "")), line=int(e.data.get("line") or 0))
             for e in session.events if e.kind == "uncaught"]
    if session.state in ("crashed", "killed"):
        said = session.info.get("ending") or ("crashed" if session.state == "crashed" else "was killed")
        frame = innermost(session)
        during = f"while call {frame.get('call')} of {code_name(session.codes[frame['code']])} was running" if frame else ""
        found.append(CauseRow("error", f"The script {said}", during, code=frame["code"] if frame else None))
    rows: dict[tuple[int, str, str], list[int]] = {}
    outer = {(e.call, e.type, e.message): e for e in session.errors}      # inner runs raise first, the call last
    for e in outer.values():
        rows.setdefault((e.code, e.type, e.message), []).append(e.call)
    for (code, kind, message), calls in rows.items():
        first = message.partition("\n")[0]
        title = code_title(session.codes[code])
        said = f"{title} raised {kind} in {plural(len(calls), 'run')}"
        if kind == WRONG_RESULT:
            said = f"{title} gave a wrong result in {plural(len(calls), 'call')}: plain Python gives another"
        row = CauseRow("error", said, first, calls=tuple(sorted({c for c in calls if c >= 0})), code=code,
                       file=session.codes[code].file, line=session.codes[code].first_line)
        (found if kind == WRONG_RESULT or kind in fatal else caught).append(row)
    return found, caught


def nothing_to_report(session: Any, counts: dict[str, int]) -> tuple[str, str]:
    """(headline, explanation) for a session without any cause."""
    if not sum(counts.values()):
        return "", no_calls(session)
    if counts["compile"] or counts["reuse"]:
        return ("Nothing was compiled again.", "Every function was compiled once, and its version was used for every later "
                "call.")
    return ("Nothing was compiled.", "No call could use a compiled version; the timeline shows what became of each.")


def _given_up_rows(facts: Facts) -> list[CauseRow]:
    rows, session = [], facts.session
    for g in summary.given_up(session, facts.code_outcomes()[:, OUTCOME_NUMBER["not_compiled"]].tolist()):
        ran = f": {plural(g.calls, 'run')} as plain Python" if g.calls else ""
        rows.append(CauseRow("not_compiled", f"{code_title(session.codes[g.code])} is never compiled{ran}",
                             f"because {g.why}" if g.why else "", "", "", 0, facts.first_calls(g.code, MOST_CALLS, top=True),
                             g.code, g.file, g.line))
    return rows


def _break_rows(facts: Facts) -> list[CauseRow]:
    rows: dict[tuple[str, int, str], CauseRow] = {}
    for b in facts.session.breaks:
        key = (b.file, b.line, b.sentence)
        if key in rows:
            continue
        root = facts.session.codes[b.code]
        ran = int(facts.code_outcomes()[b.code].sum())
        hint = b.hint[:1].upper() + b.hint[1:]
        rows[key] = CauseRow("break", f"{code_name(root)} is cut in two at line {b.line}: {b.sentence}",
                             f"reached in {plural(ran, 'run')}", hint, "", 0,
                             facts.first_calls(b.code, MOST_CALLS), b.code, b.file, b.line)
    return list(rows.values())
