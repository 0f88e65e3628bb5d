# What a person reads of real recordings: why no version fitted, where a graph broke, what used the limit up, what was never
# compiled. Read from the session file through the report and the JSON export; the expectations are in the scripts' words.
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from guardscope.core.events import summary
from guardscope.core.events.reader import Session
from guardscope.core.events.report import print_report

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def record(tmp_path):
    """Run a script and give (session, report with every version, JSON export)."""
    opened = []

    def run(text):
        script, target, export = tmp_path / "script.py", tmp_path / "s.guardscope", tmp_path / "s.json"
        script.write_text("import torch\n" + text)
        command = [sys.executable, "main.py"]
        done = subprocess.run([*command, "run", str(script), "-o", str(target), "--quiet", "--backend", "eager"],
                              capture_output=True, text=True, cwd=ROOT, timeout=300)
        assert done.returncode == 0, done.stderr
        done = subprocess.run([*command, "export", str(target), "--format", "json", "-o", str(export)],
                              capture_output=True, text=True, cwd=ROOT, timeout=300)
        assert done.returncode == 0, done.stderr
        session = Session(target)
        session.refresh()
        opened.append(session)
        out = io.StringIO()
        print_report(session, out, every_version=True)
        return session, out.getvalue(), json.loads(export.read_text())

    yield run
    for session in opened:
        session.close()


def after(report, start):
    """The lines below the call that starts so, up to the next call."""
    lines = report.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(start))
    below = []
    for line in lines[at + 1:]:
        if not line.startswith("    "):
            break
        below.append(line.strip())
    return below


def test_every_version_is_told_nearest_first_with_all_that_failed(record):
    session, report, export = record("""
@torch.compile(dynamic=False)
def f(x, k, name):
    return x * k + len(name)
f(torch.ones(3), 1, "a")
f(torch.ones(4), 2, "a")
f(torch.ones(4), 3, "b")
""")
    assert after(report, "call 2") == [
        "artifact 1 did not fit: k was 2, is 3 (line 5); name was 'a', is 'b' (line 5)",
        "artifact 0 did not fit: x.shape[0] was 3, is 4 (line 5); k was 1, is 3 (line 5); name was 'a', is 'b' (line 5)"]
    failing = [(f["artifact"], f["where"], f["expected"], f["seen"]) for f in export["misses"][1]["failures"]]
    assert failing == [(1, "k", "2", "3"), (1, "name", "'a'", "'b'"), (0, "x.shape[0]", "3", "4"), (0, "k", "1", "3"),
                       (0, "name", "'a'", "'b'")]


def test_a_loop_bound_says_so_and_the_limit_says_what_used_it_up(record):
    session, report, export = record("""
torch._dynamo.config.recompile_limit = 3
@torch.compile
def window(rows, first):
    for k in range(first, 8):
        rows = rows + k
    return rows
for first in range(5):
    window(torch.ones(2), first)
""")
    assert "artifact 1 did not fit: first == 1 was needed, first is 2 (line 6: loop bound)" in after(report, "call 2")
    limit, = session.limits
    assert limit.causes in ((("first", 2),), (["first", 2],))
    assert [list(c) for c in export["limits"][0]["causes"]] == [["first", 2]]
    assert "window: 3 of 3 versions, recompile limit reached (versions by cause: first 2)" in report


def test_a_pinned_size_tells_the_chain_of_lines(record):
    _, report, _ = record("""
@torch.compile(dynamic=True)
def f(x, y):
    z = x + y
    if y.shape[0] == 4:
        return z * 2
    return z
for n in (4, 5):
    f(torch.ones(n), torch.ones(n))
""")
    assert after(report, "call 1") == [
        "artifact 0 did not fit: x.shape[0] == 4 was needed, x.shape[0] is 5 (line 6: compared here; with "
        "x.shape[0] == y.shape[0] (line 5: equal sizes share one symbol))"]


def test_closure_variables_and_lambdas_go_by_name_and_place(record):
    _, report, _ = record("""
def make(low, high):
    def clip(v):
        return torch.clamp(v, min=low, max=high)
    return clip
@torch.compile
def apply(fn, v):
    return fn(v) * 2
x = torch.ones(3)
apply(make(0, 1), x)
apply(make(0, 2), x)
for fn in (lambda v: v + 1, lambda v: v * 3):
    apply(fn, x)
""")
    assert after(report, "call 1")[:2] == ["artifact 0 did not fit: high was 1, is 2 (line 5)",
                                           "closure variable high of fn is dynamic from now on: it was 1, then 2"]
    assert after(report, "call 3")[0] == ("artifact 2 did not fit: fn was lambda of script.py:13 at column 22, is lambda of "
                                          "script.py:13 at column 39 (line 9)")


def test_values_from_before_a_break_go_by_their_expression(record):
    session, report, _ = record("""
@torch.compile
def gate(x):
    top = x.max().item() + x.sum()
    return x * top
for n in (1, 2):
    gate(torch.ones(3) * n)
""")
    assert "artifact 1 did not fit: x.max().item() was 1.0, is 2.0 (line 5)" in after(report, "call 1")
    assert "x.max().item() is dynamic from now on: it was 1.0, then 2.0" in after(report, "call 1")
    made_up = re.compile(r"__[rv]\d")
    assert not made_up.search(report)
    assert not any(made_up.search(g.condition) for a in session.artifacts for g in session.guards(a.id))


def test_a_break_has_an_id_a_sentence_a_hint_and_the_exact_span(record):
    session, report, export = record("""
@torch.compile
def f(x):
    y = x + 1
    return y * len(str(print("now", x.shape[0])))
f(torch.ones(3))
""")
    broken, = session.breaks
    assert (broken.name, broken.effect) == ("call-output", "resume") and broken.hint
    assert summary.span_text(session, broken) == 'print("now", x.shape[0])'
    assert summary.place_text(broken) == "line 6, columns 24-47"
    assert '    print("now", x.shape[0])' in report.splitlines()
    assert export["breaks"][0]["line"] == 6 and export["breaks"][0]["end_col"] == 47


def test_what_is_never_compiled_says_why_and_counts_its_own_runs(record):
    session, report, _ = record("""
@torch.compile
def looks(x):
    return x + len(locals())
@torch.compile
def passes_on(x, flag):
    return x * 2 if flag else x
for _ in range(3):
    looks(torch.ones(3))
for flag in (False, False, True, True):
    passes_on(torch.ones(3), flag)
""")
    rows = {row.title: row for row in summary.given_up(session)}
    assert "locals" in rows["looks"].why and rows["looks"].calls == 3
    assert rows["passes_on"].why == "it computes nothing on tensors" and rows["passes_on"].calls == 2
    assert report.count("it computes nothing on tensors (runs as plain Python, 2 runs)") == 1


def test_a_break_of_several_versions_is_told_once(record):
    session, report, _ = record("""
@torch.compile(dynamic=False)
def scale(x):
    y = x * 2
    print("working")
    return y + 1

for n in (2, 3, 4):
    scale(torch.ones(n))
""")
    assert len(session.breaks) == 3
    told = [line for line in report.splitlines() if "print() writes output" in line and line.startswith("scale")]
    assert told == ["scale  line 6, columns 5-20: print() writes output, which a graph cannot do [call-output, resume] "
                    "in 3 versions"]
