"""How often guards were asked, and the marks on them: each claim is compared with what really ran, and near misses get none."""

import subprocess
import sys
from pathlib import Path

import pytest
from guardscope.core.events.guard_use import asked, implied, never_failed, unread
from guardscope.core.events.reader import Session
from guardscope.core.events.schema import GuardRow

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """import torch

class Settings:
    def __init__(self):
        self.names, self.sizes, self.empty = ["a", "b"], [1, 2, 3], []

settings = Settings()

def f(x, given, seen, table, rate, step):
    if given is not None:
        x = x + 1
    if seen.shape[0] > 1:
        x = x - 1
    for name in table:
        x = x + table[name]
    x = x * len(settings.names) * settings.sizes[0] + len(settings.sizes) + len(settings.empty)
    if rate > 2.0:
        x = x * rate
    return x * step

g = torch.compile(f)
seen = torch.ones(3)
for n, step in enumerate((1, 1, 2, 1, 2, 2, 1, 3)):
    g(torch.ones(4), torch.ones(2), seen, {"a": 1, "b": 2}, 2.5 + n, step)
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guard_use")
    (folder / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "main.py", "run", str(folder / "script.py"), "-o", str(folder / "s.guardscope"),
                           "--quiet", "--backend", "eager"], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stderr
    opened = Session(folder / "s.guardscope")
    yield opened
    opened.close()


def named(session, artifact, marks):
    said = {g.index: g.condition for g in session.guards(artifact)}
    return {said[index]: value for index, value in marks.items()}


def test_checks_are_the_calls_a_version_took_and_those_nobody_took(session):
    taken = {a.id: 0 for a in session.artifacts}
    for artifact, outcome in zip(session.runs["artifact"].tolist(), session.runs["outcome"].tolist()):
        if outcome == 2:
            taken[artifact] += 1
    assert sum(taken.values()) == len(session.calls) - len(session.artifacts)
    for a in session.artifacts:
        use = asked(session, a.id)
        assert use.held == taken[a.id]
        assert use.refused == sum(any(f.artifact == a.id for f in m.failures) for m in session.misses)
        later = [n for n in taken if n != a.id]
        assert 0 <= use.others <= sum(taken[n] for n in later)


def test_a_number_that_turned_calls_away_without_a_record_is_not_called_innocent(session):
    for a in session.artifacts:
        guards = session.guards(a.id)
        quiet = never_failed(session, a.id, guards, asked(session, a.id), session.guards)
        failed = {f.index for m in session.misses for f in m.failures if f.artifact == a.id}
        assert not quiet & failed
        if asked(session, a.id).others:
            assert not any(g.index in quiet for g in guards if g.condition.startswith("step == "))
    kinds = {g.kind for a in session.artifacts for g in session.guards(a.id)
             if g.index in never_failed(session, a.id, session.guards(a.id), asked(session, a.id), session.guards)}
    assert {"GLOBAL_STATE", "TENSOR_MATCH"} <= kinds


def test_what_other_conditions_say_already(session):
    found = named(session, 1, implied(session.guards(1)))
    assert {"len(table) == 2", "'a' in table", "'b' in table", "rate: not NaN"} <= set(found)
    assert not any(c.startswith(("type(", "x:", "step ==", "table: keys")) for c in found)
    said = {g.index: g.condition for g in session.guards(1)}
    assert [said[i] for i in found["rate: not NaN"]] == ["rate > 2.0"]


def test_what_was_guarded_and_not_read(session):
    found = named(session, 0, unread(session, 0, session.guards(0)))
    assert set(found) == {"given: float32[2] on cpu", "len(settings.names) == 2"}
    assert "only that it is a tensor" in found["given: float32[2] on cpu"]


def test_nothing_is_claimed_of_what_an_empty_dict_does_not_hold(session):
    found = {expected: unread(session, 0, [GuardRow(0, "DICT_KEYS", "settings.names", "", expected)])
             for expected in ("keys 'a'", "no keys")}
    assert found["keys 'a'"] and not found["no keys"]


def test_costs_are_recorded_with_the_way_a_reused_call_decides(session):
    ways = {g.condition.partition(":")[0]: (g.way, g.ns) for g in session.guards(0)}
    assert ways["x"] == ways["given"] == ways["seen"] == ("look-up", -1)
    tests = [g for g in session.guards(0) if g.way == "test"]
    assert len(tests) > 8
    assert all(0 < g.ns < 1_000_000 for g in tests)


def row(index, kind, origin, condition, **facts):
    return GuardRow(index, kind, origin, condition, facts=facts)


def tensor(index, origin, sizes, strides, dtype="float32"):
    return row(index, "TENSOR_MATCH", origin, f"{origin}: ...", cls="Tensor", dtype=dtype, device="cpu", requires_grad=False,
               sizes=sizes, strides=strides)


ALIAS = row(0, "NOT_ALIASING", "a", "a is not b")


@pytest.mark.parametrize(("guards", "expected"), [
    ([ALIAS, tensor(1, "a", [3], [1]), tensor(2, "b", [4], [1])], {0: (1, 2)}),
    ([ALIAS, tensor(1, "a", [3], [1]), tensor(2, "b", [3], [1])], {}),
    ([ALIAS, tensor(1, "a", [None], [1]), tensor(2, "b", [4], [1])], {}),
    ([ALIAS, tensor(1, "a", [None], [1]), tensor(2, "b", [4], [1], "int64")], {0: (1, 2)}),
    ([ALIAS, tensor(1, "a", [3], [1])], {}),
    ([ALIAS, row(1, "TYPE_MATCH", "a", "type(a) is X", type="X"), row(2, "TYPE_MATCH", "b", "type(b) is X", type="X")], {}),
    ([row(0, "SHAPE_ENV", "n", "n >= 2"), row(1, "SHAPE_ENV", "n", "n == 7")], {0: (1,)}),
    ([row(0, "SHAPE_ENV", "n", "n >= 8"), row(1, "SHAPE_ENV", "n", "n == 7")], {}),
    ([row(0, "SHAPE_ENV", "n", "n >= m"), row(1, "SHAPE_ENV", "n", "n == 7")], {}),
    ([row(0, "SHAPE_ENV", "n", "n == 7"), row(1, "SHAPE_ENV", "n", "n == 7")], {0: (1,)}),
    ([row(0, "FLOAT_NOT_NAN", "r", "r: not NaN"), row(1, "SHAPE_ENV", "r", "r != 2.0")], {}),
    ([row(0, "FLOAT_NOT_NAN", "r", "r: not NaN"), row(1, "SHAPE_ENV", "r", "r < 2.0")], {0: (1,)}),
    ([row(0, "TYPE_MATCH", "k", "type(k) is int", type="int"), row(1, "EQUALS_MATCH", "k", "k == 3", type="int", value=3)],
     {0: (1,)}),
    ([row(0, "TYPE_MATCH", "k", "type(k) is int", type="int"), row(1, "SHAPE_ENV", "k", "k == 3")], {}),
    ([row(0, "TYPE_MATCH", "m", "type(m) is M", type="M"), row(1, "ID_MATCH", "m", "m is a M")], {}),
    ([row(0, "DICT_CONTAINS", "d", "'a' in d"), row(1, "DICT_KEYS", "d.e", "d.e: keys 'a'")], {}),
])
def test_only_what_follows_is_called_implied(guards, expected):
    assert implied(guards) == expected


def test_a_hostile_condition_is_no_proof():
    guards = [row(0, "SHAPE_ENV", "n", "n >= __import__('os').getpid()"), row(1, "SHAPE_ENV", "n", "n == " + "9" * 400),
              row(2, "FLOAT_NOT_NAN", "m", "m: not NaN"), row(3, "NOT_ALIASING", "n", "")]
    assert implied(guards) == {}


def test_the_html_report_has_the_costs(session):
    from guardscope.core.events.html_report import report_data

    rows = report_data(session)["artifacts"][0]["guards"]
    assert [row[-1] for row in rows] == [g.ns if g.way == "test" else 0 for g in session.guards(0)]
    assert any(row[-1] > 0 for row in rows)
