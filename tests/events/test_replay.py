"""A session as of a call is what the same script records when it stops after that call."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from guardscope.core.events import summary
from guardscope.core.events.reader import Session
from guardscope.core.events.replay import SessionAt

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """import sys
import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return x / self.seen


@torch.compile(backend="eager")
def gate(x):
    y = torch.relu(x)
    return y * y.sum().item()


meter = torch.compile(Meter(), backend="eager")
for n in range(int(sys.argv[1])):
    print("step", n)
    if n % 3 == 2:
        gate(torch.ones(n))
    else:
        meter(torch.ones(3))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("replay")
    (place / "model.py").write_text(SCRIPT)
    for steps in (1, 4, 12, 16):
        done = subprocess.run([sys.executable, "main.py", "run", str(place / "model.py"), "-o",
                               str(place / f"{steps}.guardscope"), "--quiet", "--", str(steps)], capture_output=True, text=True,
                              cwd=ROOT, timeout=120)
        assert done.returncode == 0, done.stderr
    return place


def facts(session: Any) -> dict[str, Any]:
    """Everything but times, and the orders that follow from them: causes of equal weight are sorted by their cost."""
    return {
        "codes": [c.title for c in session.codes],
        "artifacts": [(a.code, a.version, a.call, a.miss) for a in session.artifacts],
        "misses": [(m.call, m.failures) for m in session.misses], "breaks": [(b.code, b.line) for b in session.breaks],
        "limits": [(n.code, n.limit) for n in session.limits], "kernels": len(session.kernels),
        "phases": [(p.name, p.artifact) for p in session.phases], "decisions": [d.text for d in session.decisions],
        "calls": session.calls["outcome"].tolist(), "runs": session.runs["artifact"].tolist(),
        "causes": sorted((c.place, c.versions, c.seen) for c in summary.causes(session)),
        "totals": summary.totals(session), "failures": session.failures(len(session.calls) - 1),
        "meters": [(m.code, m.entries, m.reached) for m in summary.meters(session)]}


def printed_by(session: Any) -> str:
    return "".join(text for _, stream, text in session.output() if stream == "stdout")


@pytest.mark.parametrize("steps", [1, 4, 12, 16])
def test_the_past_is_what_a_shorter_run_records(folder: Path, steps: int) -> None:
    with Session(folder / "16.guardscope") as whole, Session(folder / f"{steps}.guardscope") as short:
        past = SessionAt(whole, steps - 1)
        expected = facts(short)
        assert len(expected["calls"]) == steps
        assert facts(past) == expected
        printed, before = printed_by(whole), printed_by(past)
        assert printed.startswith(before)                # how late the pipe was read depends on the machine
        assert printed.startswith("step 0\n")
        assert not past.refresh()
        past.close()
        assert whole.guards(0)


def test_what_a_past_session_does_not_have(folder: Path) -> None:
    with Session(folder / "4.guardscope") as whole:
        past = SessionAt(whole, 0)
        assert past.runs.row(0)["call"] == 0
        assert past.calls.outcome.tolist() == [0]
        assert len(past.runs["call"]) == len(past.runs)
        assert "line" in past.calls
        with pytest.raises(AttributeError, match="as of a call has no 'save_copy'"):
            past.save_copy("x")
        with pytest.raises(AttributeError, match="no column 'nothing'"):
            _ = past.calls.nothing
