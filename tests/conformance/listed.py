"""The list of calls in docs/differences.md that differ from the records, and whether it is what was measured.

A row is `| script | calls | line | TorchDynamo | here | reason |`. TorchDynamo and here are "outcome, new graphs / graphs run
/ new breaks"; the reason is the name of a paragraph of the same file. The rows stand between two comment lines; the rest
of the file is written by hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .compare import call_differences

FILE = Path(__file__).resolve().parents[2] / "docs" / "differences.md"
BEGIN, END = "<!-- calls that differ: begin -->", "<!-- calls that differ: end -->"
HEAD = "| script | call | line | TorchDynamo | here | reason |\n|---|---|---|---|---|---|\n"


@dataclass(frozen=True)
class Row:
    """One call that differs. `here` is "not reached" when the script ended before it."""

    script: str
    call: int
    line: int
    theirs: str
    here: str

    @property
    def key(self) -> tuple[str, int]:
        return self.script, self.call


def said(call: dict[str, Any]) -> str:
    return f"{call['outcome']}, {call['new_graphs']} / {call['graphs_run']} / {call['new_breaks']}"


def measured(script: str, expected: dict, actual: dict) -> list[Row]:
    """The calls of one script that differ at level 1."""
    rows = []
    for i, want in enumerate(expected["calls"]):
        got = actual["calls"][i] if i < len(actual["calls"]) else None
        if got is None or call_differences(want, got):
            rows.append(Row(script, i, want["line"], said(want), said(got) if got is not None else "not reached"))
    return rows


def listed(file: Path = FILE) -> dict[Row, str]:
    """The rows of the file with their reasons. Raises ValueError for a row that cannot be read."""
    inside = file.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    found: dict[Row, str] = {}
    for line in inside.strip().splitlines()[2:]:
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if len(cells) != 6 or not cells[1].isdigit() or not cells[2].isdigit():
            raise ValueError(f"{file.name}: {line!r} is no row of the list, expected {HEAD.splitlines()[0]}")
        found[Row(cells[0], int(cells[1]), int(cells[2]), cells[3], cells[4])] = cells[5]
    return found


def disagreements(rows: list[Row], scripts: set[str], file: Path = FILE) -> list[str]:
    """What is measured and not listed, or listed for one of `scripts` and not measured, or listed with a reason that no
    paragraph of the file explains."""
    there = listed(file)
    explained = set(re.findall(r"^\*\*([\w -]+)\.\*\*", file.read_text(encoding="utf-8"), re.MULTILINE))
    out = [f"{r.script} call {r.call}: TorchDynamo {r.theirs}; here {r.here}; not listed in {file.name}"
           for r in rows if r not in there]
    out += [f"{r.script} call {r.call} is listed with the reason {why!r}, which no paragraph explains; there are "
            f"{', '.join(sorted(explained))}" for r, why in there.items() if r.script in scripts and why not in explained]
    return out + [f"{r.script} call {r.call} is listed in {file.name} as {r.here}, which is not what was measured"
                  for r in there if r.script in scripts and r not in set(rows)]


def rewrite(rows: list[Row], scripts: set[str], file: Path = FILE) -> None:
    """Put what was measured in place of the rows of `scripts`; reasons stay with their calls, a new row gets "unexplained"."""
    text = file.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    old = {r.key: (r, why) for r, why in listed(file).items()}
    kept = [r for r, _ in old.values() if r.script not in scripts]
    lines = [f"| {r.script} | {r.call} | {r.line} | {r.theirs} | {r.here} | {old.get(r.key, (r, 'unexplained'))[1]} |"
             for r in sorted([*kept, *rows], key=lambda r: r.key)]
    file.write_text(f"{before}{BEGIN}\n{HEAD}" + "".join(f"{line}\n" for line in lines) + END + after, encoding="utf-8")
