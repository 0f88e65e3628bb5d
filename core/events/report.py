"""The text report of a session: what people read in a terminal or in the log of a build. Readable without colours."""

from __future__ import annotations

from collections import Counter
from typing import IO

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from . import summary
from .advice import result_words
from .notes import notes
from .reader import Session
from .schema import OUTCOME_NUMBER, OUTCOME_WORDS, OUTCOMES, Artifact
from .summary import duration

MOST_LINES = 200             # calls listed one by one; the rest is counted
MOST_VERSIONS = 3            # versions told of a call that none of them took
COLOURS = {"compile": "cyan", "recompile": "yellow", "reuse": "green", "eager_limit": "magenta",
           "not_compiled": "magenta", "error": "red"}
REUSE = OUTCOME_NUMBER["reuse"]


def print_report(session: Session, file: IO[str], colour: bool | None = None, most: int = MOST_LINES,
                 every_version: bool = False) -> None:
    """Write the report. colour: None decides by whether `file` is a terminal. every_version: of a miss tell all versions,
    not only the nearest few."""
    console = Console(file=file, highlight=False, soft_wrap=True, force_terminal=colour, emoji=False,
                      width=None if file.isatty() else 160)
    _head(console, session)
    if not len(session.calls) and not session.codes:
        console.print("No compiled function was called: nothing in the script used torch.compile.")
    _functions(console, session)
    _artifacts(console, session, every_version)
    _calls(console, session, most, len(session.artifacts) if every_version else MOST_VERSIONS)
    _breaks(console, session)
    _given_up(console, session)
    _causes(console, session)
    _advice(console, session)
    _shadow(console, session)
    _notes(console, session)


def dynamic(artifact: Artifact) -> list[tuple[str, str]]:
    """(place, symbol) of an artifact's symbolic sizes and numbers: ("x.shape[0]", "s0")."""
    return [(f"{source}.shape[{dim}]" if isinstance(dim, int) else str(source), str(symbol))
            for source, dim, symbol in artifact.dynamic_dims]


def _title(console: Console, text: str) -> None:
    console.print(f"\n[bold]{escape(text)}[/bold]")


def _line(console: Console, text: str, style: str | None = None) -> None:
    console.print(text, style=style, markup=False)


def _head(console: Console, session: Session) -> None:
    script = str(session.info.get("script") or session.path)
    totals = summary.outcome_totals(session)
    parts = [f"{totals[name]} {OUTCOME_WORDS[name]}" for name in OUTCOMES if totals[name]]
    _line(console, f"{script}: {session.state}{_ending(session)}", "bold")
    count = len(session.calls)
    _line(console, f"{count} {summary.plural(count, 'call')}" + (f": {', '.join(parts)}" if parts else ""))
    spent = sum(p.end - p.start for p in session.phases)
    if spent:
        _line(console, f"compile time {duration(spent)} for {len(session.artifacts)} "
                       f"{summary.plural(len(session.artifacts), 'artifact')}")


def _ending(session: Session) -> str:
    said = session.info.get("ending")
    return f" ({said})" if isinstance(said, str) and said else ""


def _functions(console: Console, session: Session) -> None:
    rows = summary.functions(session)
    if not rows:
        return
    _title(console, "Functions")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("function", "where", "runs", *(OUTCOME_WORDS[o] for o in OUTCOMES), "artifacts", "compile time"):
        table.add_column(name, justify="left" if name in ("function", "where") else "right", no_wrap=True)
    for row in rows:
        code = session.codes[row.code]
        counts = [str(row.outcomes[o]) if row.outcomes[o] else "-" for o in OUTCOMES]
        table.add_row(escape(row.title), escape(f"line {code.first_line}"), str(row.calls), *counts, str(row.artifacts),
                      duration(row.compile_ns))
    console.print(table)
    for meter in summary.meters(session):
        if meter.reached or meter.entries * 2 >= meter.limit:
            used = ", ".join(f"{place} {versions}" for place, versions in meter.causes)
            state = "recompile limit reached" if meter.reached else "on the way to the recompile limit"
            _line(console, f"{session.codes[meter.code].title}: {meter.entries} of {meter.limit} versions, {state}"
                           + (f" (versions by cause: {used})" if used else ""), "magenta")


def _artifacts(console: Console, session: Session, every_read: bool) -> None:
    if not session.artifacts:
        return
    _title(console, "Artifacts")
    spent = summary.compile_ns(session)
    used = session.runs["artifact"]
    uses = np.bincount(used[used >= 0], minlength=len(session.artifacts))
    for a in session.artifacts[:MOST_LINES]:
        dims = ", ".join(f"{place} = {symbol}" for place, symbol in dynamic(a))
        broke = ", ends in a graph break" if a.ends_in_break is not None else ""
        graph = "" if a.has_graph else ", no graph"
        _line(console, f"artifact {a.id}  {session.codes[a.code].title} version {a.version}  "
                       f"{'dynamic: ' + dims if dims else 'static'}{graph}{broke}  ran {int(uses[a.id])}x  "
                       f"compiled in {duration(spent.get(a.id, 0))}")
        _reads(console, a, every_read)
    if len(session.artifacts) > MOST_LINES:
        _line(console, f"... and {len(session.artifacts) - MOST_LINES} more")


def _reads(console: Console, artifact: Artifact, every_read: bool) -> None:
    """What was read for an artifact and how it is protected: counted, and listed when everything is asked for. What is
    protected by nothing is always told."""
    reads = summary.reads(artifact)
    if not reads:
        return
    counts = Counter(how for _, how, _ in reads)
    words = [f"{counts['checked']} checked", f"{counts['input']} {summary.plural(counts['input'], 'input')}",
             *([f"{counts['constant']} constant"] if counts["constant"] else [])]
    _line(console, f"    {len(reads)} {summary.plural(len(reads), 'value')} read: {', '.join(words)}")
    for origin, how, why in reads:
        if how == "unprotected":
            _line(console, f"    {origin}: protected by nothing, please report this", "red")
        elif every_read:
            _line(console, f"      {origin}: {how}{f' because {why}' if how == 'constant' else f' ({why})' if why else ''}")


def _calls(console: Console, session: Session, most: int, versions: int) -> None:
    calls = session.calls
    if not len(calls):
        return
    _title(console, "Calls")
    artifact = session.runs["artifact"][calls["first_run"]]
    outcome, code = calls["outcome"], calls["code"]
    reused = outcome == REUSE
    same = (reused[1:] & reused[:-1] & (code[1:] == code[:-1]) & (artifact[1:] == artifact[:-1])
            | ~reused[1:] & ~reused[:-1] & (outcome[1:] == outcome[:-1]) & (code[1:] == code[:-1])
            & np.isin(outcome[1:], [OUTCOME_NUMBER["eager_limit"], OUTCOME_NUMBER["not_compiled"]]))
    starts = np.concatenate(([0], np.flatnonzero(~same) + 1))
    ends = np.concatenate((starts[1:], [len(calls)]))
    for first, end in list(zip(starts.tolist(), ends.tolist()))[:most]:
        _call(console, session, first, end, versions)
    if len(starts) > most:
        _line(console, f"... and {len(calls) - int(starts[most])} calls more")


def _call(console: Console, session: Session, first: int, end: int, versions: int) -> None:
    """One line for a call, or for calls of the same kind that follow each other; below it what was compiled."""
    calls = session.calls
    name = OUTCOMES[int(calls["outcome"][first])]
    title = session.codes[int(calls["code"][first])].title
    line = int(calls["line"][first])
    number = f"call {first}" if end == first + 1 else f"calls {first}-{end - 1}"
    head = f"{number}  {title}" + (f"  line {line}" if line else "") + f"  {OUTCOME_WORDS[name]}"
    top = int(session.runs["artifact"][int(calls["first_run"][first])])
    if name == "reuse" and top >= 0:
        head += f"  artifact {top}"
    notes = []
    if name in ("compile", "recompile", "error", "eager_limit"):
        notes = _why(session, first)
    if len(notes) == 1:
        head += f"  {notes[0]}"
        notes = []
    _line(console, head, COLOURS[name])
    for note in notes:
        _line(console, f"    {note}")
    if name in ("compile", "recompile", "error", "eager_limit"):
        _rejected(console, session, first, versions)
        for text in dict.fromkeys(d.text for d in session.decisions if first <= d.call < end):
            _line(console, f"    {text}")
    inside = int(calls["n_runs"][first])
    if inside > 1 and end == first + 1 and name in ("compile", "recompile"):
        runs = session.runs
        begin = int(calls["first_run"][first])
        for index in range(begin + 1, min(begin + inside, begin + 20)):
            run = runs.row(index)
            result = OUTCOMES[run["outcome"]]
            which = f" artifact {run['artifact']}" if run["artifact"] >= 0 else ""
            _line(console, f"    {'  ' * (run['depth'] - 1)}inside: {session.codes[run['code']].title}  "
                           f"{OUTCOME_WORDS[result]}{which}")


def _why(session: Session, call: int) -> list[str]:
    """What failed in a call and what was compiled for it."""
    notes = []
    made = {a.miss: a for a in session.artifacts if a.call == call and a.miss >= 0}
    for miss in (m for m in session.misses if m.call == call):
        what = ", ".join(summary.sentence(f) for f in summary.nearest(miss.failures)) or "no artifact fitted"
        what = result_words(session, miss.code, what)
        artifact = made.get(miss.id)
        notes.append(f"{what} -> {_made(session, artifact.id)}" if artifact is not None else what)
    notes += [f"-> {_made(session, a.id)}" for a in session.artifacts if a.call == call and a.miss < 0]
    notes += [f"{e.type}: {e.message}" for e in session.errors if e.call == call]
    return notes


def _rejected(console: Console, session: Session, call: int, versions: int) -> None:
    """Every guard that failed on every version, nearest version first."""
    for miss in (m for m in session.misses if m.call == call):
        found = summary.by_version(miss.failures)
        for artifact, failures in list(found.items())[:versions]:
            guards = {g.index: g for g in session.guards(artifact)} if 0 <= artifact < len(session.artifacts) else {}
            said = dict.fromkeys(result_words(session, miss.code, summary.explained(f, guards.get(f.index))) for f in failures)
            _line(console, f"    artifact {artifact} did not fit: {'; '.join(said)}")
        if len(found) > versions:
            _line(console, f"    and {len(found) - versions} further {summary.plural(len(found) - versions, 'version')} "
                           "did not fit (report --all tells why)")


def _made(session: Session, artifact: int) -> str:
    dims = ", ".join(f"{place} dynamic as {symbol}" for place, symbol in dynamic(session.artifacts[artifact]))
    return f"artifact {artifact}" + (f" ({dims})" if dims else "")


def _breaks(console: Console, session: Session) -> None:
    if not session.breaks:
        return
    _title(console, "Graph breaks")
    counts = Counter((session.codes[b.code].title, summary.place_text(b), b.sentence, f"[{b.name}, {b.effect}]",
                      summary.span_text(session, b), b.hint) for b in session.breaks)       # every version breaks there
    for (title, place, sentence, kind, source, hint), versions in list(counts.items())[:MOST_LINES]:
        _line(console, f"{title}  {place}: {sentence} {kind}{f' in {versions} versions' if versions > 1 else ''}")
        if source:
            _line(console, f"    {source}")
        if hint:
            _line(console, f"    {hint}")
    if len(counts) > MOST_LINES:
        _line(console, f"... and {len(counts) - MOST_LINES} more")


def _given_up(console: Console, session: Session) -> None:
    rows = summary.given_up(session)
    skipped = [event.text for event in session.events if event.kind == "not_compiled"]
    if not rows and not skipped:
        return
    _title(console, "Not compiled")
    for row in rows:
        _line(console, f"{row.title}  line {row.line}: {row.why} (runs as plain Python, {row.calls} "
                       f"{summary.plural(row.calls, 'run')})", "magenta")
    for text in skipped:
        _line(console, text, "magenta")


def _causes(console: Console, session: Session) -> None:
    rows = [cause for cause in summary.causes(session) if cause.versions]
    if not rows:
        return
    _title(console, "Causes of recompilation")
    for cause in rows:
        values = ", ".join(cause.seen[:6]) + (f", ... ({len(cause.seen)} values)" if len(cause.seen) > 6 else "")
        limit = ", reached the limit" if cause.reached_limit else ""
        _line(console, f"{cause.place}  in {session.codes[cause.code].title}: {cause.versions} "
                       f"{summary.plural(cause.versions, 'version')}, {duration(cause.compile_ns)}{limit}"
                       + (f"  values: {values}" if values else ""))


def _advice(console: Console, session: Session) -> None:
    rows = summary.advice(session)
    if not rows:
        return
    _title(console, "Advice")
    for row in rows[:20]:
        _line(console, f"- {row.text}")
        if row.line:
            _line(console, f"      {row.line}")


def _shadow(console: Console, session: Session) -> None:
    """What the shadow check found, if it was on."""
    check = summary.shadow(session)
    if check is None:
        return
    _title(console, "Shadow check")
    result = f"{check.different} gave something else" if check.different else "all gave the same"
    _line(console, f"{check.checked} reused {summary.plural(check.checked, 'call')} repeated in plain Python: {result}",
          "red" if check.different else "green")
    for why, count in sorted(check.skipped.items(), key=lambda pair: -pair[1]):
        _line(console, f"{count} reused {summary.plural(count, 'call')} not repeated: {why}")
    for event in summary.shadow_differences(session)[:50]:
        _line(console, f"call {event.call}  {event.text}", "red")


def _notes(console: Console, session: Session) -> None:
    lines = [*(note.words for note in notes(session)), *session.problems]
    if lines:
        _title(console, "Notes")
        for line in lines[:50]:
            _line(console, line)
