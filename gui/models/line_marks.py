"""What happened on each line of the source: breaks, guards that read something there and how often they failed, operations.

It takes the guards and the graph of every version; `read_on` reads them a little at a time.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from ..facts import Facts

MOST_GUARDS = 12                 # conditions told of one line


@dataclass(slots=True)
class LineMarks:
    """What happened on a source line. `breaks` and `not_compiled` are sentences; `guards` are the conditions that read
    something here, `failures` how often they turned a version down; `nodes` counts graph nodes."""

    breaks: list[tuple[str, str]] = field(default_factory=list)
    not_compiled: list[str] = field(default_factory=list)
    guards: list[str] = field(default_factory=list)
    failures: int = 0
    nodes: int = 0


def line_marks(facts: Facts, file: str) -> dict[int, LineMarks]:
    """Line -> what happened there."""
    return facts.keep_rows(("marks", file), lambda: _line_marks(facts, file))


def _line_marks(facts: Facts, file: str) -> dict[int, LineMarks]:
    session = facts.session
    marks: dict[int, LineMarks] = defaultdict(LineMarks)
    for b in session.breaks:
        if b.file == file and (b.sentence, b.hint) not in marks[b.line].breaks:
            marks[b.line].breaks.append((b.sentence, b.hint))
    for n in session.not_compiled:
        if n.file == file and n.why not in marks[n.line].not_compiled:
            marks[n.line].not_compiled.append(n.why)
    line_of: dict[tuple[int, int], int] = {}                 # (artifact, guard) -> line of this file
    for a in session.artifacts:
        if session.codes[a.code].file != file and not facts.guard_history(a.id):
            continue
        guards, nodes = _places(facts, a.id)
        for index, where, line, condition in guards:
            if where == file:
                mark = marks[line]
                if len(mark.guards) < MOST_GUARDS and (said := facts.spelled(a.code, condition)) not in mark.guards:
                    mark.guards.append(said)
                line_of[a.id, index] = line
        for (where, line), count in nodes.items():
            if where == file:
                marks[line].nodes += count
    for miss in session.misses:
        turned = {(f.artifact, line_of[f.artifact, f.index]) for f in miss.failures if (f.artifact, f.index) in line_of}
        for _, line in turned:
            marks[line].failures += 1
    return dict(marks)


def ready(facts: Facts, file: str) -> bool:
    """Whether `line_marks` knows already."""
    return facts.has_rows(("marks", file))


def read_on(facts: Facts, seconds: float) -> bool:
    """Read what `line_marks` needs, for about so long; True once everything is there."""
    until = time.monotonic() + seconds
    for a in facts.session.artifacts:
        if ("places", a.id) not in facts.lasting:
            _places(facts, a.id)
            if time.monotonic() > until:
                return False
    return True


def _places(facts: Facts, artifact: int) -> tuple[list[tuple[int, str, int, str]], Counter[tuple[str, int]]]:
    """Where the source has something to do with a version: (guard index, file, line, condition), and operations by
    (file, line)."""
    found = facts.lasting.get(("places", artifact))
    if found is None:
        guards = facts.session.guards(artifact)
        found = ([(g.index, g.file, g.line, g.condition) for g in guards if g.line],
                 Counter((n.file, n.line) for n in facts.session.nodes(artifact) if n.line and n.op))
        if guards or facts.session.state != "running":       # while it runs, those of the newest are still to come
            facts.lasting["places", artifact] = found
    return found


__all__ = ["LineMarks", "line_marks", "read_on", "ready"]
