"""Outcomes of both sides, run in interpreters of their own, and the differences between them with their kinds."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
KNOWN = HERE / "differences.json"
sys.path.insert(0, str(HERE))
from compare import difference, least_precise  # noqa: E402  beside this file

KINDS = (
    ("layout", "other strides than PyTorch's, elements equal", re.compile(r"strides |\d+ instead of \d+$")),
    ("accepted", "computed here, refused by PyTorch (mostly integers, bool and 16-bit dtypes without a kernel there)",
     re.compile(r"no \w+ \(", re.S)),
    ("error class", "refused by both with another class of error (checks in another order)",
     re.compile(r"\w+ \(.*\) instead of \w+ \(", re.S)),
    ("refused", "computed by PyTorch, refused here", re.compile(r"raises ")),
    ("memory", "a view where PyTorch has none, or none where it has one; elements equal", re.compile(r"memory of ")),
    ("elements", "other elements", re.compile(r"\d+ of \d+ elements")),
    ("other", "other results", re.compile(r"")))


def outcomes(python: str, side: str, folder: Path, tables: tuple[str, ...] = ()) -> dict[str, list]:
    """{table: [(case, outcome)]} of one side, run by the interpreter `python`."""
    path = folder / f"{side}.pickle"
    subprocess.run([python, str(HERE / "run.py"), side, str(path), *tables], check=True, cwd=HERE, timeout=1500)
    return pickle.loads(path.read_bytes())          # written by our own run.py a moment ago


def kind_of(words: str) -> str:
    """The kind of a difference, by its words."""
    return next(name for name, _, pattern in KINDS if pattern.match(words))


def differences(theirs: dict[str, list], ours: dict[str, list]) -> Iterator[tuple[str, tuple, str | None]]:
    """(table, case, what differs or None) for every case."""
    for table, cases in theirs.items():
        for (case, a), (same, b) in zip(cases, ours[table], strict=True):
            assert case == same
            yield table, case, difference(a, b, least_precise(case[1]))


def known() -> dict[str, dict[str, Any]]:
    """What docs/make_comparison.py recorded: {table: {"cases": n, "equal": n, "differ": {text: {kind: [count, example]}}}},
    and under "pytorch" the version compared with."""
    return json.loads(KNOWN.read_text(encoding="utf-8"))
