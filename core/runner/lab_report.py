"""`main.py lab SCRIPT`: the policy lab in a terminal."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.table import Table

from ..events.summary import duration
from .lab import Lab, Trial, as_dict

EQUAL = {True: "yes", False: "no", None: "-"}
NUMBERS = ("compiles", "recompiles", "artifacts", "eager", "breaks")
TITLES = {"artifacts": "versions"}


def lab_parser_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("script", metavar="SCRIPT")
    parser.add_argument("arguments", metavar="ARGS", nargs="*", help="arguments of the script")
    parser.add_argument("--no-cures", action="store_true", help="do not try changes of the script")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the sessions of all trials in this folder")
    parser.add_argument("--device", default="auto", help="an OpenCL device by part of its name")
    parser.add_argument("--backend", choices=["opencl", "eager"], default="opencl", help="eager runs graphs on NumPy")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run_lab(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    """Run every trial and print the table. Exit status 1 when the script could not be run as it is."""
    with tempfile.TemporaryDirectory(prefix="guardscope-lab-") as folder:
        lab = Lab(options.script, arguments, folder=Path(options.keep or folder), with_cures=not options.no_cures,
                  settings={"device": options.device, "backend": options.backend})
        terminal = sys.stderr.isatty()
        lab.start()
        try:
            while not lab.wait(0.25):
                if terminal:
                    print(f"\r{lab.progress[:100]:<100}", end="", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            lab.stop()
            lab.wait(10)
        if terminal:
            print("\r" + " " * 100 + "\r", end="", file=sys.stderr)
        if options.json:
            print(json.dumps([as_dict(t) for t in lab.trials], indent=1))
        else:
            print_trials(lab, sys.stdout)
        return 0 if lab.trials[0].state == "done" else 1


def print_trials(lab: Lab, file: IO[str]) -> None:
    """One line per trial, then the changes that were worth it."""
    console = Console(file=file, highlight=False, soft_wrap=True, emoji=False, width=None if file.isatty() else 160)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("policy")
    for title in (*NUMBERS, "compile", "kernels", "equal"):
        table.add_column(TITLES.get(title, title), justify="right", no_wrap=True)
    table.add_column("")
    for t in lab.trials:
        table.add_row(*_cells(t))
    console.print(table)
    for t in lab.trials:
        if t.worth and t.policy.cure is not None:
            console.print(f"\n{t.policy.name}: {t.effect}", markup=False)
            console.print(t.policy.cure.diff(lab.text, lab.script.name), markup=False)


def _cells(t: Trial) -> list[str]:
    n = t.numbers
    if not n:
        return [t.policy.name, *[""] * (len(NUMBERS) + 3), f"{t.state}{': ' + t.detail if t.detail else ''}"]
    said = t.detail if t.state != "done" or t.equal is False or not t.effect else t.effect.partition(",")[0]
    if t.equal and not t.effect:
        said = ""
    return [t.policy.name, *(str(n[name]) for name in NUMBERS), duration(n["compile_ns"]), duration(n["kernel_ns"]),
            "" if t.policy.name == "as it is" else EQUAL[t.equal], said if t.state == "done" else f"{t.state}: {said}"]
