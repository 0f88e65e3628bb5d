"""Scripts with several threads: equal results, one artifact per need, and runs that nest in their own thread."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from guardscope.core.events.reader import Session

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", params=["eager", "opencl"])
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    path = tmp_path_factory.mktemp("threads") / "t.guardscope"
    done = subprocess.run([sys.executable, str(ROOT / "main.py"), "run", str(ROOT / "tests" / "scripts" / "threads.py"), "-o",
                           str(path), "--backend", request.param, "--quiet"], capture_output=True, text=True, timeout=240)
    assert done.stdout == "wrong [] False\n", done.stdout + done.stderr
    assert done.returncode == 0
    return Session(path)


def test_every_call_of_every_thread_is_recorded(session: Session) -> None:
    assert not session.problems
    assert [t.name for t in session.threads[:1]] == ["MainThread"]
    assert {t.name for t in session.threads[1:]} <= {f"worker {n}" for n in range(1, 5)}
    assert len(session.calls) == 4 * 40 * 3
    counts = {session.codes[c].name: int((session.calls["code"] == c).sum()) for c in np.unique(session.calls["code"])}
    assert counts == {"f": 160, "g": 160, "in_mode": 160}


def test_no_thread_compiles_what_another_has_compiled(session: Session) -> None:
    """Two artifacts of one code never have the same guards: the second thread waits for the first one's."""
    for code in range(len(session.codes)):
        conditions = [tuple(g.condition for g in session.guards(a.id)) for a in session.artifacts if a.code == code]
        assert len(set(conditions)) == len(conditions), session.codes[code].title


def test_runs_nest_within_their_thread(session: Session) -> None:
    runs = session.runs
    for thread in np.unique(runs["thread"]):
        own = np.flatnonzero(runs["thread"] == thread)
        own = own[np.lexsort((runs["depth"][own], runs["start"][own]))]
        ends: list[int] = []
        for i in own.tolist():
            while ends and ends[-1] <= runs["start"][i]:
                ends.pop()
            assert runs["depth"][i] == len(ends)
            ends.append(int(runs["end"][i]))
