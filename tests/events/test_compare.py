"""Comparing sessions: causes are matched by source, whatever was inserted above or compiled before."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from guardscope.core.events.compare import Comparison, compare
from guardscope.core.events.reader import Session

ROOT = Path(__file__).resolve().parents[2]
BEFORE = """import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return x / self.seen


meter = torch.compile(Meter())


@torch.compile
def gate(x):
    y = torch.relu(x)
    print("top", y.shape)
    return y + y.max().item()


for n in range(1, 11):
    meter(torch.ones(3))
    gate(torch.ones(2 + n % 2))
"""
# The counter is cured; functions that were not there before are compiled first; lines are inserted above.
AFTER = BEFORE.replace("self.seen = 0", "self.seen = torch.tensor(0)").replace(
    "meter = torch", "\n\n@torch.compile\ndef other(x, k):\n    return x * k\n\n\nfor k in (1.0, 'a' and 2.0, 3.0):\n"
    "    other(torch.ones(2), k)\nmeter = torch")


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    folder = tmp_path_factory.mktemp("compare")

    def run(name: str, text: str) -> Path:
        target = folder / f"{name}.guardscope"
        if not target.exists():
            (folder / name).mkdir()
            (folder / name / "model.py").write_text(text)
            done = subprocess.run([sys.executable, "main.py", "run", str(folder / name / "model.py"), "-o", str(target),
                                   "--quiet", "--backend", "eager"], capture_output=True, text=True, cwd=ROOT, timeout=120)
            assert done.returncode == 0, done.stderr
        return target

    return run


def compared(a: Path, b: Path) -> Comparison:
    with Session(a) as left, Session(b) as right:
        return compare(left, right)


def test_gone_new_and_same(record: Callable[[str, str], Path]) -> None:
    found = compared(record("before", BEFORE), record("after", AFTER))
    states = {(c.kind, c.function, c.place.partition(" (")[0]): c.state for c in found.changes}
    assert states["recompile", "Meter.forward", "self.seen"] == "gone"
    assert states["limit", "Meter.forward", "the limit of 8 versions"] == "gone"
    assert states["recompile", "other", "k"] == "new"
    assert [s for (kind, function, _), s in states.items() if kind == "break" and function == "gate"] == ["same"]
    gone = next(c for c in found.of("gone") if c.kind == "recompile")
    assert gone.sentence == "self.seen in Meter.forward: 7 versions, now none"
    assert (gone.a.count, gone.a.values[:3], gone.b.count) == (7, ("0", "1", "2"), 0)
    assert found.worse
    totals = {name: (a, b) for name, a, b in found.totals}
    assert totals["eager"] == (2, 0)
    assert totals["calls"] == (20, 23)


def test_the_first_call_that_differs(record: Callable[[str, str], Path]) -> None:
    found = compared(record("before", BEFORE), record("after", AFTER))
    assert found.first is not None
    assert (found.first.call, found.first.why) == (0, "function")
    assert found.first.a == "Meter.forward compiled (x: float32[3])"
    assert found.first.b == "other compiled (x: float32[2], k: 1.0)"


def test_a_session_does_not_differ_from_itself(record: Callable[[str, str], Path]) -> None:
    found = compared(record("before", BEFORE), record("before", BEFORE))
    assert {c.state for c in found.changes} == {"same"}
    assert found.first is None
    assert not found.worse


def test_more_fewer_arguments_and_length(record: Callable[[str, str], Path]) -> None:
    fewer = record("fewer", BEFORE.replace("range(1, 11)", "range(1, 5)"))
    found = compared(record("before", BEFORE), fewer)
    assert {c.place: c.state for c in found.changes if c.kind == "recompile"}["self.seen"] == "fewer"
    assert (found.first.call, found.first.why, found.first.b) == (8, "length", "no call 8: the session has 8")  # type: ignore[union-attr]
    assert compared(fewer, record("before", BEFORE)).of("more")[0].place == "self.seen"
    other = record("arguments", BEFORE.replace("meter(torch.ones(3))", "meter(torch.ones(4))"))
    first = compared(record("before", BEFORE), other).first
    assert first is not None
    assert (first.call, first.why) == (0, "arguments")


def test_functions_are_matched_by_name(record: Callable[[str, str], Path]) -> None:
    found = compared(record("before", BEFORE), record("after", AFTER))
    rows = {f.function: f for f in found.functions}
    assert rows["other"].a is None
    assert (rows["Meter.forward"].a.artifacts, rows["Meter.forward"].b.artifacts) == (8, 1)  # type: ignore[union-attr]
    resumed = [f for f in found.functions if "after line" in f.function]
    assert resumed
    assert all(f.a is not None and f.b is not None for f in resumed)


def test_the_command_line(record: Callable[[str, str], Path]) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "main.py", "compare", *map(str, arguments)], capture_output=True, text=True,
                              cwd=ROOT, timeout=60)

    a, b = str(record("before", BEFORE)), str(record("after", AFTER))
    text = run(a, b)
    assert (text.returncode, text.stderr) == (0, "")
    assert "Gone" in text.stdout
    assert "self.seen in Meter.forward: 7 versions, now none" in text.stdout
    assert "First call that differs: call 0" in text.stdout
    data = json.loads(run(a, b, "--json").stdout)
    assert data["worse"] is True
    assert {c["state"] for c in data["changes"]} == {"gone", "new", "same"}
    assert run(a, b, "--fail-on-worse").returncode == 1
    assert run(a, a, "--fail-on-worse").returncode == 0
    missing = run(a, "nowhere.guardscope")
    assert missing.returncode == 2
    assert missing.stderr.startswith("guardscope: there is no file nowhere.guardscope")


def test_empty_sessions(tmp_path: Path) -> None:
    from guardscope.core.events.database import create

    for name in ("a", "b"):
        create(tmp_path / f"{name}.guardscope", {})
    found = compared(tmp_path / "a.guardscope", tmp_path / "b.guardscope")
    assert (found.changes, found.functions, found.first) == ((), (), None)
