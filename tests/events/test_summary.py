# Derived facts, checked against what the scripted engine did, and the text report.
import importlib.util
import io
from pathlib import Path

import pytest
from guardscope.core.errors import ScriptError
from guardscope.core.events import summary
from guardscope.core.events.reader import Session
from guardscope.core.events.report import print_report
from guardscope.core.events.schema import FailureRow
from guardscope.core.runner.budget import parse_budgets


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("synthetic_summary", Path(__file__).with_name("synthetic.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = module.make_session(tmp_path_factory.mktemp("summary") / "s.guardscope", calls=100, functions=4)
    with Session(path) as s:
        yield s


def test_the_ledger_counts_causes(session):
    step, size = summary.causes(session)
    assert (step.place, step.kind, step.versions, step.alone) == ("step", "EQUALS_MATCH", 7, 7)
    assert step.reached_limit
    assert step.misses == 8 and step.calls == list(range(4, 11))
    assert step.compile_ns == 7 * 8_000_000
    assert (size.place, size.versions, size.seen, size.reached_limit) == ("x.shape[0]", 1, ["64", "128"], False)


def test_meters_and_sizes_and_given_up(session):
    meter = next(m for m in summary.meters(session) if m.code == 1)
    assert (meter.entries, meter.limit, meter.reached, meter.causes) == (8, 8, True, (("step", 7),))
    seen = {(s.code, s.param, s.dim): dict(s.values) for s in summary.seen(session)}
    assert seen[1, "step", None] == dict.fromkeys(range(12), 1)
    assert seen[0, "x", 0][64] >= 1 and seen[0, "x", 0][128] == 1 and seen[0, "x", 0][7] == 1
    assert set(seen[0, "x", 1]) == {32}
    (entry,) = summary.given_up(session)
    assert (entry.title, entry.line, entry.calls) == ("f2", 18, 3)


def test_advice_names_the_cure(session):
    texts = [a.text for a in summary.advice(session)]
    assert texts[0].startswith("step took 9 values in f1 and cost 7 more versions (56 ms), then the recompile limit")
    assert "pass it as a tensor" in texts[0]
    size = next(a for a in summary.advice(session) if a.kind == "size")
    assert size.line == "torch._dynamo.mark_dynamic(x, 0)"
    assert any("line 24 of f3 breaks the graph" in t for t in texts)
    assert any("f2 is not compiled because of line 18" in t for t in texts)


def test_a_stride_that_follows_from_a_size_is_not_a_cause():
    rows = (FailureRow(3, 0, "TENSOR_MATCH", "x", "64", "32", 0),
            FailureRow(3, 0, "TENSOR_MATCH", "x.stride(1)", "9", "8"),
            FailureRow(1, 0, "TENSOR_MATCH", "y", "2", "3", 0))
    assert [summary.sentence(f) for f in summary.nearest(rows)] == ["x.shape[0] was 64, is 32"]
    assert summary.nearest(()) == []


def test_the_report_reads_without_colours(session):
    out = io.StringIO()
    print_report(session, out)
    text = out.getvalue()
    assert "\x1b" not in text
    assert "call 1  f0  line 60  recompiled  x.shape[0] was 64, is 128 -> artifact 1 (x.shape[0] dynamic as s0)" in text
    assert "calls 11-14  f1  line 60  eager after the limit" in text
    assert "calls 15-17  f2  line 60  not compiled" in text
    assert "f1: 8 of 8 versions, recompile limit reached (versions by cause: step 7)" in text
    assert max(map(len, text.splitlines())) < 200


@pytest.mark.parametrize(("text", "strikes"), [
    ("recompiles>7", 1), ("recompiles>8", 0), ("recompiles>=8", 1), ("breaks", 1), ("breaks>1", 0), ("eager==4", 1),
    ("not_compiled", 1), ("errors>0", 1), ("artifacts<3", 0), ("compiles>4", 0), ("recompiles>3,breaks", 2)])
def test_budgets(session, text, strikes):
    verdicts = [v for b in parse_budgets([text]) if (v := b.verdict(session)) is not None]
    assert len(verdicts) == strikes
    assert all(" is " in v for v in verdicts)


@pytest.mark.parametrize("text", ["", "recompile>3", "recompiles>x", "recompiles=3", ">3", "recompiles>3,,", "a b"])
def test_budgets_that_mean_nothing(text):
    with pytest.raises(ScriptError, match="--fail-on"):
        parse_budgets([text])
