"""Rows of the guard table: of every guard of a version, or of every guard that failed in a call, what people want to know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...core.events.guard_use import Asked, asked, implied, never_failed, unread
from ...core.events.schema import GuardRow
from ...core.events.summary import place_of
from ..facts import Facts, GuardHistory
from ..numbers import duration, plural

NAMELESS = {"GLOBAL_STATE": "(modes)", "NAMES_UNCHANGED": "(names)"}
NEVER_FAILED = "never failed"
COSTS = {"look-up": "Nothing of its own: the metadata of all tensors among the arguments is looked up once per call.",
         "module": "Nothing of its own while no module changes: it is tested again, with all guards below that module, only "
                   "after one did.",
         "test": "What this test takes in a call that the version takes, measured when the version was made. Other work on the "
                 "machine at that moment shows in it.",
         "": "Not recorded: the session is from an older version of Guardscope, or the run ended before."}


@dataclass(frozen=True, slots=True)
class GuardLine:
    """One row. rank: 0 fails in the selected call, 1 failed in another call, 2 never failed, 3 failed in no recorded call.
    checks: times it was asked, as far as recorded. ns: what its own test takes, -1 if unknown. marks: (mark, what it means),
    beside that it never failed."""

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
    place: int = 0
    checks: int = 0
    checks_tip: str = ""
    way: str = ""
    ns: int = -1
    marks: tuple[tuple[str, str], ...] = ()

    @property
    def cost(self) -> str:
        if self.way == "test" and self.ns >= 0:
            return duration(self.ns)
        return {"look-up": "look-up", "module": "shared"}.get(self.way, "")

    @property
    def mark(self) -> str:
        return "; ".join(mark for mark, _ in self.marks)

    @property
    def mark_tip(self) -> str:
        return "\n".join(f"{mark}: {tip}" for mark, tip in self.marks)


def version_lines(facts: Facts, artifact: int, call: int | None) -> tuple[list[GuardLine], str]:
    """Every guard of a version, those first that fail in `call`, and a sentence about them."""
    now = set()
    for _, groups in facts.failures_of_call(call) if call is not None else []:
        now |= {f.index for a, failures in groups if a == artifact for f in failures}
    make = _Lines(facts, artifact)
    rows = [make.line(g, now) for g in facts.guards(artifact)]
    rows.sort(key=lambda r: (min(r.rank, 2), -r.failures, r.index))
    failed = sum(r.failures > 0 for r in rows)
    says = f"{plural(len(rows), 'condition')}, {f'{failed} of them' if failed else 'none'} failed"
    tested = sum(r.ns for r in rows if r.way == "test" and r.ns >= 0)
    if tested:
        says += f" \N{MIDDLE DOT} {duration(tested)} per reused call"
    return _placed(rows), says


def miss_lines(facts: Facts, call: int) -> tuple[list[GuardLine], str]:
    """Every failing guard of every version in a call, nearest version first, and a sentence about them."""
    rows, versions = [], 0
    for _, groups in facts.failures_of_call(call):
        for artifact, failures in groups:
            versions += 1
            make = _Lines(facts, artifact)
            for f in failures:
                g = facts.guard(artifact, f.index) or GuardRow(f.index, f.kind, f.origin, "")
                rows.append(replace(make.line(g, {f.index}), origin=place_of(f), expected=f.expected, seen=f.seen))
    return _placed(rows), f"{plural(len(rows), 'condition')} not met, over {plural(versions, 'version')}"


class _Lines:
    """Makes the rows of one version; what holds for all of them is asked for once."""

    def __init__(self, facts: Facts, artifact: int) -> None:
        self.artifact, self.version = artifact, facts.session.artifacts[artifact].version
        self.use, self.marks = asked_of(facts, artifact), marks(facts, artifact)
        self.tip, self.history = _checks_tip(self.use), facts.guard_history(artifact)

    def line(self, g: GuardRow, now: set[int]) -> GuardLine:
        """now: indices of the guards that fail in the selected call."""
        h, own = self.history.get(g.index, GuardHistory()), tuple(self.marks.get(g.index, ()))
        seen = h.seen if h.origin in ("", g.origin) else f"{h.origin} = {h.seen}"
        never = any(m == NEVER_FAILED for m, _ in own)
        rank = 0 if g.index in now else 1 if h.failures else 2 if never else 3
        return GuardLine(self.artifact, self.version, g.index, g.kind, _what(g), g.condition,
                         g.expected, seen, h.failures, g.line, g.why, rank, checks=self.use.times, checks_tip=self.tip,
                         way=g.way, ns=g.ns,
                         marks=tuple((mark, tip) for mark, tip in own if mark != NEVER_FAILED))


def _what(g: GuardRow) -> str:
    """What a guard looks at."""
    return g.origin or NAMELESS.get(g.kind) or re.split(r" is | not in | runs | == ", g.condition)[0]


def _placed(rows: list[GuardLine]) -> list[GuardLine]:
    return [replace(r, place=i) for i, r in enumerate(rows)]


def asked_of(facts: Facts, artifact: int) -> Asked:
    """How often a version was asked."""
    return facts.keep(("asked", artifact), lambda: asked(facts.session, artifact))


def _checks_tip(use: Asked) -> str:
    lines = [f"It held in {plural(use.held, 'call')} that this version took.",
             f"It was asked in {plural(use.refused, 'call')} that no kept version took; what failed then is recorded."]
    if use.others:
        lines.append(f"Not counted: other versions took {plural(use.others, 'call')} after this one was made. In some of them "
                     "this one may have been asked first; that is not recorded, so that reuse stays fast.")
    return "\n".join(lines)


def marks(facts: Facts, artifact: int) -> dict[int, list[tuple[str, str]]]:
    """Guard index -> what is remarkable about it: (mark, sentence). Only what the recorded facts prove."""
    return facts.keep(("marks of guards", artifact), lambda: _marks(facts, artifact))


def _marks(facts: Facts, artifact: int) -> dict[int, list[tuple[str, str]]]:
    session, guards = facts.session, facts.session.guards(artifact)
    said = {g.index: g.condition for g in facts.guards(artifact)}
    found: dict[int, list[tuple[str, str]]] = {g.index: [] for g in guards}
    for index, what in unread(session, artifact, guards).items():
        found[index].append(("guarded but never read", f"while this version was traced, {what}"))
    for index, others in implied(guards).items():
        found[index].append((f"implied by {_listed([said[i] for i in others])}",
                             "whenever that holds, so does this; it adds nothing"))
    for index in never_failed(session, artifact, guards, asked_of(facts, artifact), session.guards):
        found[index].append((NEVER_FAILED, "no call of this run was turned away by it"))
    return found


def _listed(conditions: Sequence[str]) -> str:
    return " and ".join(c if len(c) <= 40 else c[:39].rstrip() + "\N{HORIZONTAL ELLIPSIS}" for c in conditions)


__all__ = ["COSTS", "NEVER_FAILED", "GuardLine", "asked_of", "marks", "miss_lines", "version_lines"]
