# Sessions that are complete, cut off, foreign, too new, damaged or made to do harm.
import importlib.util
import io
import json
import random
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from guardscope.core.errors import EnvironmentProblem, GuardscopeError, ScriptError
from guardscope.core.events.exports import FORMATS
from guardscope.core.events.reader import Session
from guardscope.core.events.report import print_report
from guardscope.core.events.schema import APPLICATION_ID, MAJOR, OTHER, OUTCOMES, STREAMS, TABLES, VERSION, fields_of


def load_synthetic():
    spec = importlib.util.spec_from_file_location("synthetic_session", Path(__file__).with_name("synthetic.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


synthetic = load_synthetic()


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return synthetic.make_session(tmp_path_factory.mktemp("session") / "s.guardscope", calls=3000, functions=5)


@pytest.fixture
def copy(original, tmp_path):
    return Path(shutil.copy(original, tmp_path / "copy.guardscope"))


def use_everything(session):
    """What the window and the command line do with a session."""
    print_report(session, io.StringIO())
    for write in FORMATS.values():
        write(session, io.StringIO())
    session.output()
    for call in range(min(50, len(session.calls))):
        session.failures(call)


def test_a_whole_session(original):
    with Session(original) as s:
        assert s.state == "finished" and s.problems == []
        assert len(s.calls) == 3000
        counts = np.bincount(s.calls.outcome, minlength=6)
        # f0: compile, recompile, error; f1: compile, 7 recompiles, 4 eager; f2: 3 not compiled; f3, f4: compile, reuse
        assert dict(zip(OUTCOMES, counts.tolist())) == {
            "compile": 4, "recompile": 8, "reuse": 3000 - 20, "eager_limit": 4, "not_compiled": 3, "error": 1}
        assert [c.title for c in s.codes] == ["f0", "f1", "f2", "f3", "f4", "f3 (after line 24)",
                                              "f4 (after line 30)"]
        assert s.artifacts[1].dynamic_dims == (("x", 0, "s0"),)
        assert [g.kind for g in s.guards(1)] == ["TENSOR_MATCH", "EQUALS_MATCH"]
        assert s.nodes(1)[1].users == (2,)
        assert [n.op for n in s.nodes(1)] == ["", "mul", "relu"]
        assert s.sources == {synthetic.SCRIPT: synthetic.SOURCE}
        assert s.limits[0].causes == (("step", 7),)
        assert s.breaks[0].line == 24 and s.artifacts[10].ends_in_break == 0
        assert len(s.launches) == 14 and s.kernels[3].nodes == (1, 2)
        assert s.calls.new_breaks.sum() == 2 and s.calls.new_graphs.sum() == 14
        assert not s.refresh()
        use_everything(s)


def test_missing_folder_text_and_foreign_database(tmp_path):
    with pytest.raises(ScriptError, match="there is no file"):
        Session(tmp_path / "none.guardscope")
    with pytest.raises(ScriptError, match="folder"):
        Session(tmp_path)
    for content in (b"", b"hello", bytes(range(256)) * 20):
        path = tmp_path / "garbage.guardscope"
        path.write_bytes(content)
        with pytest.raises(ScriptError, match="not a Guardscope session"):
            Session(path)
    db = sqlite3.connect(tmp_path / "other.db")
    db.execute("CREATE TABLE t (a)")
    db.commit()
    db.close()
    with pytest.raises(ScriptError, match="another program"):
        Session(tmp_path / "other.db")


def alter(path, *statements):
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(*statement) if isinstance(statement, tuple) else db.execute(statement)
    db.commit()
    db.close()


def test_a_newer_format_is_refused_and_a_newer_minor_is_read(copy):
    alter(copy, f"PRAGMA user_version = {VERSION + 1}")
    assert len(Session(copy).calls) == 3000
    alter(copy, f"PRAGMA user_version = {MAJOR + 1 << 16}")
    with pytest.raises(EnvironmentProblem, match="newer Guardscope"):
        Session(copy)


def test_a_damaged_text_is_read_as_far_as_it_can_be(copy):
    alter(copy, "UPDATE artifact SET graph_text = CAST(x'61ff62' AS TEXT) WHERE id = 1",
          "UPDATE source SET text = CAST(x'78fe79' AS TEXT)")
    with Session(copy) as session:
        assert session.artifacts[1].graph_text == "a\ufffdb"
        assert set(session.sources.values()) == {"x\ufffdy"}
        assert len(session.artifacts) > 2 and session.problems == []


def test_a_file_in_a_folder_where_nothing_may_be_written(copy):
    copy.chmod(0o444)
    copy.parent.chmod(0o555)
    try:
        assert len(Session(copy).calls) == 3000
    finally:
        copy.parent.chmod(0o755)


def test_cut_off_at_many_places(original, tmp_path):
    data = original.read_bytes()
    read = []
    for part in range(1, 41):
        path = tmp_path / f"cut{part}.guardscope"
        path.write_bytes(data[:len(data) * part // 40 - 7])
        try:
            with Session(path) as s:
                use_everything(s)
                read.append(len(s.calls))
                assert s.problems or len(s.calls) == 3000
        except GuardscopeError as problem:
            assert str(path) in str(problem) and "\n" not in str(problem)
    assert read, "not one cut file could be opened"


def test_damaged_at_random(original, tmp_path):
    data = original.read_bytes()
    opened = 0
    for seed in range(60):
        chance = random.Random(seed)
        broken = bytearray(data)
        for _ in range(chance.choice([1, 5, 50, 500])):
            broken[chance.randrange(100, len(broken))] = chance.randrange(256)
        path = tmp_path / f"broken{seed}.guardscope"
        path.write_bytes(broken)
        try:
            with Session(path) as s:
                opened += 1
                use_everything(s)
        except GuardscopeError:
            pass
    assert opened > 10


@pytest.mark.parametrize("statement", [
    "UPDATE run_chunk SET count = 7",
    "UPDATE run_chunk SET count = 1 << 40",
    "UPDATE run_chunk SET call = zeroblob(3)",
    "UPDATE run_chunk SET code = 'text'",
    "UPDATE run_chunk SET first = 5",
    ("UPDATE run_chunk SET code = ?", (np.full(3004, 99, "<i4").tobytes(),)),
    ("UPDATE run_chunk SET signature = ?", (np.full(3004, -5, "<i4").tobytes(),)),
    ("UPDATE run_chunk SET outcome = ?", (np.full(3004, 6, "u1").tobytes(),)),
    ("UPDATE run_chunk SET call = ?", (np.arange(3004, 0, -1).astype("<i4").tobytes(),)),
    ("UPDATE run_chunk SET \"end\" = ?", (np.full(3004, -1, "<i8").tobytes(),)),
    "UPDATE code SET params = '[1, {}]'",
    "UPDATE code SET params = ?".replace("?", "'" + "[" * 100_000 + "'"),
    "UPDATE code SET resume_of = 77 WHERE id = 5",
    "UPDATE code SET first_line = x'00'",
    "DELETE FROM code WHERE id = 1",
    "UPDATE artifact SET code = -1",
    "UPDATE artifact SET dynamic_dims = '[[1]]'",
    "UPDATE artifact SET ends_in_break = 1000000",
    "UPDATE miss SET failures = '[{\"artifact\": 999, \"index\": 0, \"kind\": \"\", \"origin\": \"\"}]'",
    "UPDATE miss SET failures = '{}'",
    "UPDATE guards SET data = '[{\"index\": \"0\"}]'",
    "UPDATE nodes SET data = 'null'",
    "UPDATE signature SET data = '[[\"x\", {\"kind\": \"tensor\", \"type\": \"T\", \"shape\": [[], {}]}]]'",
    "UPDATE signature SET data = '5'",
    "UPDATE signature SET id = id + 1000000",
    "UPDATE info SET value = 'not json'",
    "UPDATE info SET value = '{\"a\": []}'",
    "INSERT INTO live VALUES (0, '[1]')",
    "INSERT INTO output VALUES (1, 'x', 5, x'ff')",
    "UPDATE kernel SET artifact = -3",
    "UPDATE launch_chunk SET kernel = zeroblob(56)",
])
def test_made_to_do_harm(copy, statement):
    alter(copy, statement)
    try:
        with Session(copy) as s:
            use_everything(s)
            for i in range(s.signature_count):
                s.values(i)
    except GuardscopeError:
        pass


@pytest.mark.parametrize("evil", [
    "CREATE VIEW run_chunk AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "CREATE TABLE run_chunk (first INTEGER, count AS (zeroblob(1000000000)))",
    None,
])
def test_a_schema_made_to_do_harm_is_refused(copy, evil):
    alter(copy, "DROP TABLE run_chunk", *([evil] if evil else []))
    with pytest.raises(ScriptError, match="not a usable session: its table 'run_chunk'"):
        Session(copy)


def test_every_table_is_documented():
    page = (Path(__file__).resolve().parents[2] / "docs" / "session_file.md").read_text()
    for table, cls in TABLES.items():
        assert f"### `{table}`" in page
        section = page.split(f"### `{table}`")[1].split("\n### ")[0]
        for name, _, _ in fields_of(cls):
            assert f"`{name}`" in section, f"{table}.{name}"
    for table in OTHER:
        assert f"### `{table}`" in page
    for stream, columns in STREAMS.items():
        section = page.split(f"### `{stream}_chunk`")[1].split("\n### ")[0]
        for name, _, _ in columns:
            assert f"`{name}`" in section
    assert hex(APPLICATION_ID) in page.lower()


def test_json_export_is_json_and_consistent(original):
    out = io.StringIO()
    with Session(original) as s:
        FORMATS["json"](s, out)
    whole = json.loads(out.getvalue(), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert len(whole["calls"]["outcome"]) == 3000
    assert whole["totals"]["recompiles"] == 8
    assert whole["artifacts"][1]["guards"][0]["origin"] == "x"


def test_csv_export_has_one_row_per_call(original):
    out = io.StringIO()
    with Session(original) as s:
        FORMATS["csv"](s, out)
    lines = out.getvalue().splitlines()
    assert len(lines) == 3001
    assert lines[2].startswith('1,f0,60,recompile,1,')
    assert lines[2].endswith('"x=float32[128, 32], scale=2.0, step=0"')


def test_chrome_export_is_a_trace(original):
    out = io.StringIO()
    with Session(original) as s:
        FORMATS["chrome"](s, out)
    events = json.loads(out.getvalue())["traceEvents"]
    assert sum(e["ph"] == "X" and e["pid"] == 1 for e in events) == 3004
    assert sum(e.get("cat") == "kernel" for e in events) == 14
    assert all(e["dur"] >= 0 for e in events if e["ph"] == "X")
