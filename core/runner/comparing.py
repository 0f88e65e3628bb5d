"""`main.py compare A B`: two sessions by causes, as text or JSON, with an exit status for builds."""

from __future__ import annotations

import json
import sys
from typing import IO

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..events.compare import KIND_WORDS, Comparison, compare
from ..events.reader import Session
from ..events.summary import duration

TITLES = {"new": "New causes", "more": "More than before", "fewer": "Fewer than before", "gone": "Gone"}
COLOURS = {"new": "red", "more": "yellow", "fewer": "green", "gone": "green"}
TOTALS = {"calls": "calls", "artifacts": "versions", "compiles": "first compilations", "recompiles": "recompilations",
          "breaks": "graph breaks", "eager": "eager after the limit", "not_compiled": "functions not compiled",
          "errors": "errors", "compile_ns": "compile time", "kernel_ns": "kernel time", "run_ns": "whole run"}
MOST = 50


def compare_sessions(a: str, b: str, as_json: bool, file: IO[str] | None = None) -> Comparison:
    """Read both sessions, write the comparison to `file` (standard output) and return it."""
    file = file if file is not None else sys.stdout
    with Session(a) as left, Session(b) as right:
        found = compare(left, right)
    if as_json:
        json.dump(found.as_dict(), file, indent=1)
        file.write("\n")
    else:
        print_comparison(found, file)
    return found


def print_comparison(found: Comparison, file: IO[str]) -> None:
    """The comparison for people; readable without colours."""
    console = Console(file=file, highlight=False, soft_wrap=True, emoji=False, width=None if file.isatty() else 160)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("", "A", "B", ""):
        table.add_column(title, justify="right" if title else "left", no_wrap=True)
    for name, a, b in found.totals:
        if a or b:
            time = name.endswith("_ns")
            change = "" if time or a == b else f"{b - a:+d}"
            table.add_row(TOTALS.get(name, name), *(duration(v) if time else str(v) for v in (a, b)), change)
    console.print(f"A {found.paths[0]}\nB {found.paths[1]}\n", markup=False)
    console.print(table)
    for state, title in TITLES.items():
        rows = found.of(state)
        if rows:
            console.print(f"\n[bold]{title}[/bold]")
        for c in rows[:MOST]:
            where = f", line {c.line}" if c.line else ""
            cost = f", {duration(c.a.cost_ns)} then {duration(c.b.cost_ns)}" if c.a.cost_ns or c.b.cost_ns else ""
            console.print(f"{KIND_WORDS[c.kind]}: {c.sentence}{cost}{where}", style=COLOURS[state], markup=False)
        if len(rows) > MOST:
            console.print(f"... and {len(rows) - MOST} more")
    same = len(found.of("same"))
    if not found.of("new", "more", "fewer", "gone"):
        console.print("\nThe same causes in both." if same else "\nNo cause of recompilation in either.")
    elif same:
        console.print(f"\n{same} {'cause' if same == 1 else 'causes'} the same in both.")
    if found.first is not None:
        first = found.first
        console.print(f"\n[bold]First call that differs: call {first.call}[/bold]")
        console.print(f"A  {escape(first.a)}\nB  {escape(first.b)}")
    else:
        console.print("\nEvery call went the same way in both.")
