# The recorder and the writer: what is recorded arrives, in order, whatever happens to the process or the disk.
import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from guardscope.core.errors import EnvironmentProblem, ScriptError
from guardscope.core.events.reader import Session
from guardscope.core.events.recorder import Recorder, TypeName
from guardscope.core.events.schema import CHUNK, OUTCOMES
from guardscope.core.tensor.devices import CPU
from guardscope.core.tensor.dtypes import float32
from guardscope.core.tensor.meta import TensorMeta, contiguous_strides
from guardscope.core.tensor.tensor import Tensor

ROOT = Path(__file__).resolve().parents[2]


def tensor(*shape):
    return TensorMeta.of(Tensor, float32, CPU, shape, contiguous_strides(shape))


@pytest.fixture
def recorder(tmp_path):
    r = Recorder()
    r.open(tmp_path / "s.guardscope")
    yield r
    r.close()


def simple(r, params=("x",)):
    """A code with one artifact, compiled in call 0."""
    code = r.code("f", "f", "/a.py", 1, 3, params=params)
    r.append(("begin", time.perf_counter_ns(), code, 9))
    artifact = r.artifact(code, 0)
    r.append(("end", time.perf_counter_ns(), artifact, "compile", None, None))
    return code, artifact


def finished(r):
    path = r.path
    r.close()
    return Session(path)


def test_nothing_is_kept_before_open():
    r = Recorder()
    r.append((1, 2, 3, ()))
    assert r.code("f", "f", "/a.py", 1, 2) == 0
    assert r.code("g", "g", "/a.py", 3, 4) == 1
    assert not r.active


def test_calls_are_numbered_and_nested_runs_belong_to_them(recorder):
    code, artifact = simple(recorder)
    t = time.perf_counter_ns()
    recorder.append(("begin", t, code, 11))
    recorder.append((artifact, t + 10, t + 20, (tensor(2),)))
    recorder.append(("begin", t + 30, code, 0))
    recorder.append((artifact, t + 40, t + 50, (tensor(3),)))
    recorder.append(("end", t + 60, artifact, "reuse", (tensor(2),), None))
    recorder.append(("end", t + 70, artifact, "reuse", (tensor(2),), None))
    recorder.append((artifact, t + 80, t + 90, (tensor(2),)))
    s = finished(recorder)
    assert s.runs.call.tolist() == [0, 1, 1, 1, 1, 2]
    assert s.runs.depth.tolist() == [0, 0, 1, 1, 2, 0]
    assert np.diff(s.runs.start[1:]).tolist() == [10, 20, 10, 40]
    assert s.calls.first_run.tolist() == [0, 1, 5]
    assert s.calls.n_runs.tolist() == [1, 4, 1]
    assert s.calls.line.tolist() == [9, 11, 0]
    assert s.calls.graphs_run.tolist() == [1, 4, 1]
    assert s.calls.new_graphs.tolist() == [1, 0, 0]


@pytest.mark.parametrize(("inner", "outer", "whole"), [
    (["compile", "recompile"], "compile", "recompile"),
    (["compile"], "reuse", "compile"),
    (["reuse"], "not_compiled", "reuse"),
    (["eager_limit"], "not_compiled", "eager_limit"),
    ([], "not_compiled", "not_compiled"),
    (["recompile"], "error", "error"),
    (["error"], "reuse", "reuse"),
])
def test_outcome_of_a_whole_call(recorder, inner, outer, whole):
    code = recorder.code("f", "f", "/a.py", 1, 3)
    t = time.perf_counter_ns()
    recorder.append(("begin", t, code, 1))
    for i, outcome in enumerate(inner):
        recorder.append(("begin", t + 10 * i + 1, code, 0))
        recorder.append(("end", t + 10 * i + 2, -1, outcome, (), ("E", "m") if outcome == "error" else None))
    recorder.append(("end", t + 100, -1, outer, (), ("E", "m") if outer == "error" else None))
    s = finished(recorder)
    assert [OUTCOMES[i] for i in s.calls.outcome] == [whole]


def test_signatures_tell_one_from_true_and_from_one_point_zero(recorder):
    code, artifact = simple(recorder, ("x", "k"))
    t = time.perf_counter_ns()
    for k in (1, True, 1.0, "1", None, TypeName("list"), dict, [1, 2]):
        recorder.append((artifact, t, t + 1, (tensor(4, 5), k)))
    s = finished(recorder)
    texts = [dict(s.signature(i))["k"] for i in s.runs.signature[1:]]
    assert texts == ["1", "True", "1.0", "'1'", "None", "list", "dict", "list"]
    assert s.signature(s.runs.signature[1])[0] == ("x", "float32[4, 5]")
    assert s.signature(-1) == [] and s.signature(10_000) == []


def test_many_rows_become_full_chunks(recorder):
    _, artifact = simple(recorder)
    n = CHUNK + 1000
    t = time.perf_counter_ns()
    values = (tensor(2),)
    for i in range(n):
        recorder.append((artifact, t + 10 * i, t + 10 * i + 5, values))
    s = finished(recorder)
    assert len(s.calls) == n + 1
    assert np.array_equal(s.calls.start[1:] - s.calls.start[1], 10 * np.arange(n))
    with sqlite3.connect(s.path) as db:
        counts = [c for (c,) in db.execute("SELECT count FROM run_chunk ORDER BY first")]
    db.close()
    assert counts == [CHUNK, 1001]


def test_the_reader_follows_while_it_is_written(recorder):
    code, artifact = simple(recorder)
    with Session(wait_for(recorder.path, 1)) as s:
        assert s.state == "running"
        t = time.perf_counter_ns()
        for i in range(5):
            recorder.append((artifact, t + i, t + i + 1, ()))
        poll(lambda: s.refresh() and len(s.calls) == 6)
        recorder.append(("begin", t + 100, code, 5))
        poll(lambda: s.refresh() and len(s.live) == 1)
        assert s.live[0]["call"] == 6 and s.live[0]["line"] == 5
        assert not s.refresh()
        recorder.append((artifact, t + 101, t + 102, ()))
        poll(lambda: s.refresh() and len(s.runs) == 7)
        assert len(s.calls) == 6
        recorder.append(("end", t + 103, -1, "not_compiled", (), None))
        poll(lambda: s.refresh() and len(s.calls) == 7)
        assert s.calls.n_runs[-1] == 2 and s.calls.outcome[-1] == OUTCOMES.index("reuse")
        assert s.runs.depth[-2:].tolist() == [0, 1]
        recorder.close()
        s.refresh()
        assert s.state == "finished" and s.live == []


def poll(condition, seconds=20.0):
    """Wait until the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        os.sched_yield()


def wait_for(path, runs):
    """The path, once that many runs are stored."""
    def there():
        with Session(path) as s:
            return len(s.runs) >= runs
    poll(there)
    return path


def test_phases_and_misses_find_their_artifact(recorder):
    code = recorder.code("f", "f", "/a.py", 1, 3)
    t = time.perf_counter_ns()
    recorder.append(("begin", t, code, 1))
    recorder.phase(None, code, "capture", t, t + 5)
    first = recorder.artifact(code, 0)
    recorder.append(("end", t + 10, first, "compile", (), None))
    recorder.append(("begin", t + 20, code, 1))
    recorder.failures(code, [{"artifact": first, "index": 0, "kind": "EQUALS_MATCH", "origin": "k", "expected": "1",
                              "seen": "2", "dim": None}])
    recorder.phase(None, code, "capture", t + 20, t + 27)
    second = recorder.artifact(code, 1)
    recorder.append(("end", t + 30, second, "recompile", (), None))
    recorder.append(("begin", t + 40, code, 1))
    recorder.phase(None, code, "capture", t + 40, t + 49)
    recorder.append(("end", t + 50, -1, "not_compiled", (), None))
    s = finished(recorder)
    assert [(p.artifact, p.end - p.start, p.call) for p in s.phases] == [(0, 5, 0), (1, 7, 1), (None, 9, 2)]
    assert s.miss_of(s.artifacts[0]) is None
    assert s.miss_of(s.artifacts[1]).failures[0].seen == "2"
    assert [f.origin for f in s.failures(1)] == ["k"] and s.failures(0) == []


def test_lost_rows_are_told_and_the_rest_goes_on(tmp_path, monkeypatch):
    from guardscope.core.events import recorder as module

    monkeypatch.setattr(module, "BOUND", 100)
    monkeypatch.setattr(module, "INTERVAL", 3600.0)
    r = Recorder()
    r.open(tmp_path / "s.guardscope")
    code, artifact = simple(r)
    t = time.perf_counter_ns()
    r._wake.set()
    poll(lambda: not r._rows)
    r._wake.clear()
    r.append(("begin", t, code, 1))
    for i in range(500):
        r.append((artifact, t + i, t + i + 1, ()))
    r.append(("end", t + 600, artifact, "reuse", (), None))
    s = finished(r)
    assert [e.kind for e in s.events] == ["lost"]
    assert "not recorded" in s.events[0].text
    assert 1 < len(s.calls) <= 101


def test_a_malformed_row_is_told_and_does_no_harm(recorder):
    _, artifact = simple(recorder)
    recorder.append(("nonsense", 1))
    recorder.append(("end",))
    t = time.perf_counter_ns()
    recorder.append((artifact, t, t + 1, ()))
    s = finished(recorder)
    assert [e.kind for e in s.events] == ["internal", "internal"]
    assert len(s.calls) == 2


def test_text_that_utf8_cannot_hold(recorder):
    code, artifact = simple(recorder, ("k",))
    recorder.decision(code, "bad \udcff text")
    t = time.perf_counter_ns()
    recorder.append((artifact, t, t + 1, ("\udcff",)))
    s = finished(recorder)
    assert s.decisions[0].text == "bad \\udcff text"
    assert "udcff" in s.signature(s.runs.signature[1])[0][1]


def test_an_unwritable_place_is_a_sentence(tmp_path):
    with pytest.raises(EnvironmentProblem, match="cannot be written"):
        Recorder().open(tmp_path / "no" / "such" / "s.guardscope")
    with pytest.raises(ScriptError, match="folder"):
        Recorder().open(tmp_path)
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    with pytest.raises(ScriptError, match="not overwritten"):
        Recorder().open(other)
    assert other.read_text() == "mine"


def test_a_failing_disk_ends_the_recording_with_a_message_and_not_the_script(recorder, capfd):
    _, artifact = simple(recorder)
    wait_for(recorder.path, 1)
    recorder._writer.connection.execute("PRAGMA query_only = ON")
    t = time.perf_counter_ns()
    recorder.append((artifact, t, t + 1, ()))
    poll(lambda: not recorder.active)
    recorder.append((artifact, t, t + 1, ()))
    recorder.close()
    said = capfd.readouterr().err
    assert "cannot be written" in said and "the script goes on" in said
    assert len(Session(recorder.path).calls) == 1


CHILD = """
    import sys, os, time
    sys.path.insert(0, {root!r})
    import main
    from guardscope.core.events.recorder import RECORDER as r
    r.open({path!r})
    code = r.code("f", "f", "/a.py", 1, 3)
    artifact = r.artifact(code, 0)
    t = time.perf_counter_ns()
    {body}
"""


def python(tmp_path, body, **more):
    path = str(tmp_path / "s.guardscope")
    text = textwrap.dedent(CHILD).format(root=str(ROOT), path=path, body=textwrap.dedent(body))
    return path, [sys.executable, "-c", text], more


def test_kill_9_keeps_what_was_recorded(tmp_path):
    path, command, _ = python(tmp_path, "r.append((artifact, t, t + 1, ()))\nprint('go', flush=True)\nwhile True: pass")
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"go\n"
        wait_for(path, 1)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    with Session(path) as s:
        assert len(s.calls) == 1 and s.state == "killed" and not s.problems


def test_a_forked_child_writes_nothing(tmp_path):
    path, command, _ = python(tmp_path, """
r.append((artifact, t, t + 1, ()))
append = r.append
pid = os.fork()
if pid == 0:
    for i in range(10000):
        append((artifact, t, t + 1, ()))
        r.append((artifact, t, t + 1, ()))
    assert not r.active
    r.close()
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
r.append((artifact, t + 2, t + 3, ()))
""")
    subprocess.run(command, check=True, timeout=60)
    with Session(path) as s:
        assert len(s.calls) == 2 and s.state == "finished" and not s.problems


def test_a_step_at_once_is_stored_when_it_returns(recorder, tmp_path, monkeypatch):
    from guardscope.core.events import recorder as module

    monkeypatch.setattr(module, "PATIENCE", 30.0)
    code = recorder.code("f", "f", "/x.py", 1, 2)
    recorder.append(("begin", time.perf_counter_ns(), code, 3, threading.get_ident()))
    for n in range(5):
        recorder.step(f"building kernel {n}", at_once=True)
        with Session(tmp_path / "s.guardscope") as session:
            assert [frame["step"] for frame in session.live] == [f"building kernel {n}"]
    recorder.close()
    recorder.step("nothing is recorded any more", at_once=True)
