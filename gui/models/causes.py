"""Causes of recompilation as the window shows them: one line each, dearest first, with what to change.

The ledger itself comes from core/events/summary.py; here it gets its sentences and its place in the source.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.events import summary
from ...core.events.guard_use import unread
from ...core.events.schema import OUTCOME_NUMBER, WRONG_RESULT
from ..facts import code_name, code_title
from ..live import innermost
from ..numbers import plural
from ..words import no_calls

MOST_VALUES = 8


@dataclass(frozen=True, slots=True)
class CauseRow:
    """`mark` picks the shape; `headline` is a line by itself; `calls` are the calls it led to; `cost_ns` is compile
    time; `code` and `line` say where; `advice` is what to change, `fix` a line to write (either may be ""); `place`: the
    value that varies, as the ledger calls it, "" for other kinds of causes; `versions`: recompilations it led to."""

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


def cause_rows(session: Any) -> list[CauseRow]:
    """Recompilation causes by cost, then functions that are never compiled, then graph breaks."""
    made = Counter(a.code for a in session.artifacts)
    eager = np.flatnonzero(session.calls["outcome"] == OUTCOME_NUMBER["eager_limit"])
    rows = [_recompile_row(session, c, made[c.code], eager) for c in summary.causes(session) if c.versions]
    return _error_rows(session) + rows + _given_up_rows(session) + _break_rows(session)


def _recompile_row(session: Any, c: summary.Cause, own: int, eager: np.ndarray) -> CauseRow:
    """own: versions of the function; eager: all calls that ran eagerly after a limit."""
    title = code_title(session.codes[c.code])
    # The first version was made for the first value, so a cause of k recompilations accounts for k + 1 versions.
    versions = min(c.versions + 1, own)
    eager = eager[session.calls["code"][eager] == c.code]
    headline = f"{c.place} took {len(c.seen)} values" if len(c.seen) > 1 else f"{c.place} changed"
    headline += f": {plural(versions, 'version')} of {title}"
    if c.reached_limit and len(eager):
        headline += f", then plain Python for {plural(len(eager), 'call')}"
    shared = c.versions - c.alone
    detail = "values: " + ", ".join(c.seen[:MOST_VALUES]) + (
        f", \N{HORIZONTAL ELLIPSIS} ({len(c.seen)} in all)" if len(c.seen) > MOST_VALUES else "") if c.seen else ""
    if shared and c.alone:
        detail += f"; in {shared} of {c.versions} recompilations something else had changed as well"
    elif shared:
        detail += "; never the only thing that had changed"
    advice = summary.advise(session, c)
    cure = advice.cure if advice is not None else ""
    guards = session.guards(c.artifact) if c.artifact >= 0 else []
    guard = next((g for g in guards if g.index == c.guard), None)
    unused = unread(session, c.artifact, guards).get(c.guard) if guards else None
    if unused:
        detail += f"{'; ' if detail else ''}guarded, but never read: {unused}"
    calls = tuple(sorted({x for x in c.calls if x >= 0}))
    return CauseRow("eager_limit" if c.reached_limit else "recompile", headline, detail,
                    cure[:1].upper() + cure[1:], advice.line if advice is not None else "", c.compile_ns,
                    calls + (tuple(int(x) for x in eager[:1000]) if c.reached_limit else ()), c.code,
                    guard.file if guard is not None else "", guard.line if guard is not None else 0, c.place,
                    c.versions)


def _error_rows(session: Any) -> list[CauseRow]:
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
        found.append(CauseRow("error", said, first,
                              calls=tuple(sorted({c for c in calls if c >= 0})), code=code,
                              file=session.codes[code].file, line=session.codes[code].first_line))
    return found


def nothing_to_report(session: Any, counts: dict[str, int]) -> tuple[str, str]:
    """(headline, explanation) for a session without any cause."""
    if not sum(counts.values()):
        return "", no_calls(session)
    if counts["compile"] or counts["reuse"]:
        return ("Nothing was compiled again.", "Every function was compiled once, and its version was used for every later "
                "call.")
    return ("Nothing was compiled.", "No call could use a compiled version; the timeline shows what became of each.")


def _given_up_rows(session: Any) -> list[CauseRow]:
    rows = []
    for g in summary.given_up(session):
        calls = np.flatnonzero(session.calls["code"] == g.code)[:1000]
        rows.append(CauseRow("not_compiled", f"{code_title(session.codes[g.code])} is never compiled: "
                             f"{plural(g.calls, 'run')} as plain Python",
                             f"because {g.why}" if g.why else "", "", "", 0, tuple(int(c) for c in calls), g.code,
                             g.file, g.line))
    return rows


def _break_rows(session: Any) -> list[CauseRow]:
    rows: dict[tuple[str, int, str], CauseRow] = {}
    for b in session.breaks:
        key = (b.file, b.line, b.sentence)
        if key in rows:
            continue
        root = session.codes[b.code]
        ran = int(np.count_nonzero(session.runs["code"] == b.code))
        calls = np.unique(session.runs["call"][session.runs["code"] == b.code])[:1000]
        hint = b.hint[:1].upper() + b.hint[1:]
        rows[key] = CauseRow("break", f"{code_name(root)} is cut in two at line {b.line}",
                             f"{b.sentence}; reached in {plural(ran, 'run')}", hint, "", 0,
                             tuple(int(c) for c in calls), b.code, b.file, b.line)
    return list(rows.values())
