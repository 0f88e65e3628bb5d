# Runs of several threads: each nests in its own, calls stay numbered without gaps, older files are still read.
import sqlite3
import threading
import time

import numpy as np
import pytest
from guardscope.core.events.reader import Session
from guardscope.core.events.recorder import Recorder
from guardscope.core.events.schema import OUTCOMES

MAIN, OTHER, THIRD = None, 10**9 + 1, 10**9 + 2


@pytest.fixture
def recorder(tmp_path):
    r = Recorder()
    r.open(tmp_path / "s.guardscope")
    yield r
    r.close()


def finished(r):
    path = r.path
    r.close()
    return Session(path)


class Script:
    """Appends rows as compiled code does, on a clock that ticks once per row."""

    def __init__(self, recorder):
        self.r = recorder
        self.zero = time.perf_counter_ns()
        self.ticks = 0
        self.f = recorder.code("f", "f", "/a.py", 1, 3)
        self.g = recorder.code("g", "g", "/a.py", 5, 7)
        self.artifact = recorder.artifact(self.f, 0)

    def now(self):
        self.ticks += 1000
        return self.zero + self.ticks

    def begin(self, code, *thread):
        self.r.append(("begin", self.now(), code, 1, *thread))

    def end(self, *thread, artifact=-1, outcome="not_compiled"):
        self.r.append(("end", self.now(), artifact, outcome, None, None, *thread))

    def leaf(self, *thread):
        self.r.append((self.artifact, self.now(), self.now(), (), *thread))


def test_runs_nest_in_their_own_thread(recorder):
    s = Script(recorder)
    s.begin(s.g)                      # call 0, the thread that opened the recorder
    s.begin(s.f, OTHER)               # call 1 overlaps it
    s.leaf()                          # inside call 0
    s.leaf(OTHER)                     # inside call 1
    s.end(OTHER)
    s.leaf(OTHER)                     # call 2, before call 0 has ended
    s.end()
    session = finished(recorder)
    runs = [(r["call"], r["thread"], r["depth"], r["code"]) for r in map(session.runs.row, range(len(session.runs)))]
    assert runs == [(0, 0, 0, 1), (0, 0, 1, 0), (1, 1, 0, 0), (1, 1, 1, 0), (2, 1, 0, 0)]
    assert [t.id for t in session.threads] == [0, 1]
    assert session.threads[0].name == "MainThread"
    assert len(session.calls) == 3 and not session.problems
    assert session.calls["n_runs"].tolist() == [2, 2, 1]


def test_what_happens_in_a_call_belongs_to_the_call_of_its_thread(recorder):
    s = Script(recorder)
    s.begin(s.g, OTHER)
    s.begin(s.f)
    second = []

    def elsewhere():
        recorder.append(("begin", s.now(), s.f, 1, threading.get_ident()))
        second.append(recorder.artifact(s.f, 1))
        recorder.decision(s.f, "in the third call")
        recorder.append(("end", s.now(), second[0], "compile", None, None, threading.get_ident()))

    worker = threading.Thread(target=elsewhere, name="worker")
    worker.start()
    worker.join()
    recorder.decision(s.f, "in the second call")
    s.end()
    s.end(OTHER)
    session = finished(recorder)
    assert session.artifacts[1].call == 2
    assert [(d.text, d.call) for d in session.decisions] == [("in the third call", 2), ("in the second call", 1)]


def test_a_call_that_never_ended_leaves_no_gap(recorder):
    s = Script(recorder)
    s.begin(s.g, OTHER)               # call 0: the process dies in it
    s.leaf(OTHER)
    s.begin(s.g, THIRD)               # call 1: as well, with nothing inside
    for _ in range(5):
        s.leaf()                      # calls 2 to 6
    session = finished(recorder)
    assert len(session.calls) == 7
    words = [OUTCOMES[o] for o in session.calls["outcome"]]
    assert words == ["error", "error", *["reuse"] * 5]
    assert session.calls["code"].tolist() == [1, 1, 0, 0, 0, 0, 0]
    assert (session.runs["call"][session.calls["first_run"]] == np.arange(7)).all()


def test_a_call_is_waited_for_while_it_runs(recorder):
    s = Script(recorder)
    s.begin(s.g, OTHER)
    s.leaf()
    path = recorder.path
    with Session(path) as session:
        until = time.monotonic() + 20
        while not len(session.runs) and time.monotonic() < until:
            session.refresh()
        assert len(session.runs) == 1 and not len(session.calls)       # call 1 is complete, call 0 is not
        s.end(OTHER)
        while len(session.calls) < 2 and time.monotonic() < until:
            session.refresh()
        assert session.calls["code"].tolist() == [1, 0]
        assert session.runs["call"].tolist() == [0, 1]


def test_many_interleaved_leaves_keep_their_threads(recorder):
    s = Script(recorder)
    threads = np.random.default_rng(3).integers(0, 3, 5000)
    for t in threads:
        s.leaf(*([] if t == 0 else [OTHER + int(t)]))
    session = finished(recorder)
    seen = session.runs["thread"]
    order = {int(t): n for n, t in enumerate(dict.fromkeys(t for t in threads if t), 1)} | {0: 0}
    assert seen.tolist() == [order[int(t)] for t in threads]
    assert session.calls["first_run"].tolist() == list(range(5000))


def test_files_from_before_threads_are_read(recorder):
    s = Script(recorder)
    s.begin(s.f)
    s.leaf()
    s.end()
    path = recorder.path
    recorder.close()
    with sqlite3.connect(path) as db:
        db.execute("ALTER TABLE run_chunk DROP COLUMN thread")
        db.execute("DROP TABLE thread")
        db.execute("PRAGMA user_version = 65536")
    session = Session(path)
    assert len(session.calls) == 1 and not session.problems
    assert session.runs["thread"].tolist() == [0, 0] and session.threads == []


def test_a_file_that_says_threads_must_have_them(recorder):
    Script(recorder).leaf()
    path = recorder.path
    recorder.close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE run_chunk SET thread = ?", (np.array([7], "<u2").tobytes(),))
    session = Session(path)
    assert not len(session.runs) and "thread" in session.problems[0]
