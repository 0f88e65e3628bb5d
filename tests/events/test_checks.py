# Rows and JSON of a session file as records: what does not fit ends a table there, and is said.
import dataclasses
import sqlite3

import pytest
from guardscope.core.events.checks import Damaged, decode, from_dicts
from guardscope.core.events.reader import Session
from guardscope.core.events.recorder import Recorder
from guardscope.core.events.schema import Artifact, FailureRow, GuardRow, Miss, NodeRow, Phase


def phases(*changes):
    """Five rows of the table of phases; changes: (row, column, value)."""
    rows = [[n, None if n % 2 else n, 0, "build", 10 * n, 10 * n + 5, n] for n in range(5)]
    for row, column, value in changes:
        rows[row][column] = value
    return [tuple(row) for row in rows]


def test_good_rows_become_records():
    records, wrong = decode(Phase, phases())
    assert wrong == ""
    assert records == [Phase(n, None if n % 2 else n, 0, "build", 10 * n, 10 * n + 5, n) for n in range(5)]
    assert decode(Phase, []) == ([], "")


@pytest.mark.parametrize(("changes", "good", "wrong"), [
    ([(3, 3, None)], 3, "name is NoneType, not str"),
    ([(0, 4, "soon")], 0, "start is str, not int"),
    ([(4, 5, 1.0)], 4, "end is float, not int"),
    ([(2, 1, b"x")], 2, "artifact is bytes, not int"),
    ([(4, 0, "four"), (1, 6, "one"), (3, 3, 3)], 1, "call is str, not int"),       # the first row counts, not the first column
    ([(1, 3, 5), (1, 4, "x")], 1, "name is int, not str"),
])
def test_a_table_ends_before_the_first_row_that_does_not_fit(changes, good, wrong):
    assert decode(Phase, phases(*changes)) == (decode(Phase, phases())[0][:good], wrong)


def artifact(number, **changes):
    row = {**dataclasses.asdict(Artifact(number, 0, number)), "has_graph": 1, "dynamic_dims": "[]", "inputs": "[]",
           "reads": "[]", **changes}
    return tuple(row.values())


@pytest.mark.parametrize(("name", "text", "value"), [
    ("dynamic_dims", '[["x", 0, "s0"], ["n", null, "s1"]]', (("x", 0, "s0"), ("n", None, "s1"))),
    ("reads", '[{"origin": "x"}]', ({"origin": "x"},)),
    ("has_graph", 0, False),
])
def test_lists_and_truth_values_of_a_table(name, text, value):
    records, wrong = decode(Artifact, [artifact(0), artifact(1, **{name: text})])
    assert wrong == "" and getattr(records[1], name) == value


@pytest.mark.parametrize(("name", "text", "wrong"), [
    ("dynamic_dims", '[["x", "0", "s0"]]', "dynamic_dims has an entry of the wrong kind"),
    ("inputs", '["x"]', "inputs has an entry of the wrong kind"),
    ("reads", '{"origin": "x"}', "reads is dict, not tuple"),
    ("reads", "[", "not JSON: JSONDecodeError"),
    ("reads", None, "text was expected"),
    ("has_graph", 2, "has_graph is int, not bool"),
])
def test_lists_and_truth_values_that_do_not_fit(name, text, wrong):
    assert decode(Artifact, [artifact(0), artifact(1, **{name: text}), artifact(2)]) == ([Artifact(0, 0, 0)], wrong)


def test_a_miss_whose_failures_do_not_fit_ends_the_misses():
    good = ('[{"artifact": 0, "index": 1, "kind": "K", "origin": "x", "dim": 0}, '
            '{"artifact": 1, "index": 2, "kind": "L", "origin": ""}]')
    first = Miss(0, 0, 3, 7, (FailureRow(0, 1, "K", "x", dim=0), FailureRow(1, 2, "L", "")))
    assert decode(Miss, [(0, 0, 3, 7, good), (1, 0, 4, 8, "[]")]) == ([first, Miss(1, 0, 4, 8)], "")
    for bad in ('[{"artifact": "0", "index": 1, "kind": "K", "origin": "x"}]', "[[]]", "[1]", "{}"):
        records, wrong = decode(Miss, [(0, 0, 3, 7, good), (1, 0, 4, 8, bad), (2, 0, 5, 9, good)])
        assert records == [first] and wrong


def test_records_of_a_list_keep_their_order_whatever_keys_they_have():
    rows = [{"index": n, "kind": "op", "op": "mul", "name": f"y{n}", **({"view": True, "users": [n + 1]} if n % 3 else {}),
             "unheard_of": n} for n in range(7)]
    found = from_dicts(NodeRow, rows)
    assert found == [NodeRow(n, "op", "mul", f"y{n}", users=(n + 1,) if n % 3 else (), view=bool(n % 3)) for n in range(7)]


@pytest.mark.parametrize(("change", "wrong"), [
    ({"index": True}, "index is bool, not int"),
    ({"index": 1 << 70}, "index is too large"),
    ({"origin": None}, "origin is NoneType, not str"),
    ({"facts": []}, "facts is list, not dict"),
])
def test_a_list_with_a_record_that_does_not_fit(change, wrong):
    row = {"index": 0, "kind": "K", "origin": "x", "condition": "c"}
    with pytest.raises(Damaged, match=wrong):
        from_dicts(GuardRow, [row, {**row, **change}])
    del row["condition"]
    with pytest.raises(Damaged, match="condition is missing"):
        from_dicts(GuardRow, [row])


@pytest.fixture
def file(tmp_path):
    """A session of one function with four versions: one that was compiled and three that were recompiled."""
    recorder = Recorder()
    recorder.open(tmp_path / "s.guardscope")
    code = recorder.code("f", "f", "/a.py", 1, 3)
    made = []
    for n in range(4):
        recorder.append(("begin", n, code, 9))
        if made:
            recorder.failures(code, [{"artifact": a, "index": 0, "kind": "K", "origin": "n"} for a in reversed(made)])
        made.append(recorder.artifact(code, n))
        recorder.append(("end", n, made[-1], "recompile" if n else "compile", None, None))
    recorder.close()
    return tmp_path / "s.guardscope"


def damage(file, statement, *values):
    db = sqlite3.connect(file)
    db.execute(statement, values)
    db.commit()
    db.close()


def test_what_is_wrong_with_a_table_is_known_before_anybody_asks_for_it(file):
    damage(file, "UPDATE miss SET time = 'late' WHERE id = 1")
    with Session(file) as session:
        assert session.problems == ["miss: row 1 cannot be used (time is str, not int)"]
        assert len(session.misses) == 1 and len(session.artifacts) == len(session.calls) == 4


@pytest.mark.parametrize(("statement", "problem"), [
    ("UPDATE miss SET code = 1 WHERE id = 2", "miss: row 2 cannot be used (there is no code 1)"),
    ("UPDATE miss SET failures = replace(failures, '\"artifact\":2', '\"artifact\":4')",
     "miss: row 2 cannot be used (a failure names an artifact that is not there)"),
    ("DELETE FROM miss WHERE id = 1", "miss: row 1 cannot be used (row 1 is missing)"),
    ("UPDATE code SET resume_of = 0", "code: row 0 cannot be used (there is no code 0)"),        # not even itself
])
def test_a_row_that_refers_to_what_is_not_there_ends_its_table(file, statement, problem):
    damage(file, statement)
    with Session(file) as session:
        assert problem in session.problems
        assert len(session.misses) == (0 if problem.startswith("code") else int(problem.split()[2]))


def test_what_the_file_holds_stays_usable_after_closing(file):
    session = Session(file)
    session.close()
    assert [m.call for m in session.misses] == [1, 2, 3] and len(session.artifacts) == 4
    assert session.calls.outcome.tolist() == [0, 1, 1, 1] and session.problems == []
    session.close()


def test_a_session_that_is_dropped_lets_go_of_the_file_without_reading_the_rest(file, monkeypatch):
    import gc

    from guardscope.core.events import reader

    session, released = Session(file), []
    real = reader.release
    monkeypatch.setattr(reader, "release", lambda ticket: (released.append(ticket), real(ticket)))
    made = session._made
    del session
    gc.collect()
    assert len(released) == 1 and made["miss"] == []


def test_records_are_made_as_their_class_makes_them():
    from guardscope.core.events.checks import FIELDS, made_of

    for cls, fields in FIELDS.items():
        rows = [[f"{name} {n}" for name, _, _ in fields] for n in range(3)]
        made = made_of(cls, 3, list(zip(*rows)))
        assert made == [cls(*row) for row in rows]
        assert len({repr(record) for record in made}) == 3
        with pytest.raises(AttributeError):
            setattr(made[0], fields[0][0], 1)
