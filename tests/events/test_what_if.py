"""What-if: answers about calls that were made are what happened; answers about others follow from the recorded guards."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from guardscope.core.errors import ScriptError
from guardscope.core.events.conditions import NotKnown, evaluate
from guardscope.core.events.reader import Session
from guardscope.core.events.schema import OUTCOMES, GuardRow, Value
from guardscope.core.events.value_text import DTYPES, contiguous, parse_signature, parse_value, text_of
from guardscope.core.events.what_if import Guards, ask, situation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(3))
        self.seen = 0

    def forward(self, x, k, mode=None):
        y = x * k + self.w
        return y.relu() if mode == "relu" else y


net = Net()
run = torch.compile(net)
for n, k, mode in ((2, 1, None), (2, 1, "relu"), (4, 1, None), (5, 2, None), (5, 3, None), (6, 3, "relu"), (1, 3, None),
                   (2, 1, "relu"), (9, 2.5, None), (9, 2.5, None)):
    run(torch.ones(n, 3), k, mode)
run(torch.ones(3, 4).t(), 1)
with torch.no_grad():
    run(torch.ones(4, 3), 1)
run(torch.ones(4, 3, dtype=torch.float64), 1)


@torch.compile
def pair(f, a, b):
    return f(a) + b


one = torch.ones(2)
for f in (torch.sin, torch.cos):
    pair(f, one, one)
    pair(f, one, torch.ones(2))
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("what_if")
    (folder / "net.py").write_text(SCRIPT)
    target = folder / "net.guardscope"
    done = subprocess.run([sys.executable, "main.py", "run", str(folder / "net.py"), "-o", str(target), "--quiet",
                           "--backend", "eager", "--recompile-limit", "30"], capture_output=True, text=True, cwd=ROOT,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return Session(target)


def took(session: Session, call: int) -> int:
    return int(session.runs["artifact"][session.calls["first_run"][call]])


def test_what_was_recorded_is_what_is_answered(session: Session) -> None:
    """Every call, unchanged: the version that ran it takes it; those that a miss named refuse with the same failures."""
    outcomes = set()
    for call in range(len(session.calls)):
        outcomes.add(OUTCOMES[int(session.calls["outcome"][call])])
        s = situation(session, call)
        verdicts = {v.artifact: v for v in ask(session, s).verdicts}
        assert verdicts[took(session, call)].takes
        recorded = session.failures(call)
        for artifact in {f.artifact for f in recorded}:
            assert list(verdicts[artifact].failures) == [f for f in recorded if f.artifact == artifact]
    assert outcomes == {"compile", "recompile", "reuse"}


def test_another_calls_values_are_answered_as_that_call_went(session: Session) -> None:
    """Ask from every call for the values and modes of every other call of the module: the version that really ran it
    must not refuse, the versions that refused then must refuse, and what is said to take it must be what ran, where it
    existed at that time."""
    calls = [c for c in range(len(session.calls)) if session.codes[int(session.calls["code"][c])].name == "forward"]
    asked = 0
    for start in calls:
        for other in calls:
            s = situation(session, start)
            there = situation(session, other)
            wanted = {p: there.values[p] for p in ("x", "k", "mode")}
            wanted |= {name: parse_value(text) for name, text in there.modes.items() if name == "grad mode"}
            answer = ask(session, s.with_values(wanted))
            verdicts = {v.artifact: v for v in answer.verdicts}
            assert not verdicts[took(session, other)].failures, (start, other, verdicts[took(session, other)])
            refused = {f.artifact for f in session.failures(other)}
            assert all(verdicts[a].failures for a in refused), (start, other)
            if answer.outcome == "reuse":
                assert answer.artifact not in refused
                asked += 1
    assert asked > len(calls) ** 2 // 2


def test_failures_name_place_expected_and_seen(session: Session) -> None:
    s = situation(session, 0)
    answer = ask(session, s.with_values(parse_signature("float16[2, 3], 1, None", s.positional)))
    assert answer.outcome == "recompile"
    own = next(v for v in answer.verdicts if v.artifact == took(session, 0))
    assert [(f.where, f.expected, f.seen) for f in own.failures] == [("x.dtype", "float32", "float16")]
    assert len(answer.verdicts[0].failures) <= len(answer.verdicts[-1].failures)
    assert "would be compiled" in answer.sentence


def test_strides_types_and_modes_are_told_apart(session: Session) -> None:
    s = situation(session, 0)

    def failures(**changes: str) -> set[str]:
        answer = ask(session, s.with_values({k.replace("_", " ") if k == "grad_mode" else k: parse_value(v)
                                             for k, v in changes.items()}))
        return {f.where for v in answer.verdicts if v.artifact == took(session, 0) for f in v.failures}

    assert failures() == set()
    assert failures(x="float32[2, 3] strides (1, 2)") == {"x.stride(0)", "x.stride(1)"}
    assert failures(k="1.0") == {"k"}
    assert failures(k="True") == {"k"}
    assert failures(mode="'relu'") == {"mode"}
    assert failures(grad_mode="False") == {"grad mode"}
    assert failures(x="None") == {"x"}
    assert failures(x="float32[2, 3, 1]") == {"x.ndim"}


def test_functions_and_aliasing_follow_from_the_start_call(session: Session) -> None:
    """Objects cannot be typed: the run that the question starts from says which they are."""
    calls = [c for c in range(len(session.calls)) if session.codes[int(session.calls["code"][c])].name == "pair"]
    for start in calls:
        verdicts = ask(session, situation(session, start)).verdicts
        assert [v.artifact for v in verdicts if v.takes] == [took(session, start)]


def test_typed_values_are_objects_of_their_own(session: Session) -> None:
    """In the first call of pair both tensors are one object: its version refuses two that are typed."""
    first, second = [c for c in range(len(session.calls))
                     if session.codes[int(session.calls["code"][c])].name == "pair"][:2]
    s = situation(session, first)
    same = {"a": parse_value("float32[2]"), "b": parse_value("float32[2]")}
    assert ask(session, s.with_values(same)).artifact == took(session, first)          # nothing was changed
    other = {"a": parse_value("float32[2]"), "b": parse_value("float32[2] strides (2)")}
    verdicts = {v.artifact: v for v in ask(session, s.with_values(other)).verdicts}
    assert "aliasing" in {f.aspect for f in verdicts[took(session, first)].failures}
    assert "aliasing" not in {f.aspect for f in verdicts[took(session, second)].failures}


def test_a_session_without_facts_tells_what_its_texts_tell(session: Session) -> None:
    known = Guards(session)
    s = situation(session, 0)
    for artifact in s.group:
        known[artifact] = [replace(g, facts={}) for g in session.guards(artifact)]
    answer = ask(session, s.with_values(parse_signature("float16[2, 3], 1", ["x", "k"])), known)
    own = next(v for v in answer.verdicts if v.artifact == took(session, 0))
    assert [(f.where, f.expected, f.seen) for f in own.failures] == [("x.dtype", "float32", "float16")]
    answer = ask(session, s.with_values(parse_signature("float32[2, 3] strides (1, 2), 1", ["x", "k"])), known)
    own = next(v for v in answer.verdicts if v.artifact == took(session, 0))
    assert not own.failures
    assert [why for _, why in own.unknown] == ["the session does not hold its strides"]


def test_a_place_nobody_reads_gets_a_sentence(session: Session) -> None:
    with pytest.raises(ScriptError, match="no version reads q; what can be changed: self, x, k, mode"):
        situation(session, 0).with_values({"q": Value("value", "int", 3)})
    with pytest.raises(ScriptError, match="there is no call 99"):
        situation(session, 99)


@pytest.mark.parametrize("text", ["float32[64, 32]", "float16[1] @cuda grad", "int64[]", "bool[0, 3]", "3", "-2.5", "True",
                                  "None", "'relu, x'", "a Meter", "nan", "-inf", "float32[2, 3] strides (1, 2)"])
def test_values_are_read_as_they_are_written(text: str) -> None:
    assert text_of(parse_value(text)) == text


@pytest.mark.parametrize(("text", "says"), [
    ("", "a value is missing"), ("float33[2]", "did you mean float32"), ("float32[a]", "not 'a'"), ("float32[-1]", "not '-1'"),
    ("float32[2] gpu", "'gpu' after the sizes"), ("float32[2] strides (1, 2)", "1 sizes and 2 strides"),
    ("[1, 2]", "is a list"), ("__import__('os')", "is not a value"), ("x + 1", "is not a value"),
    ("float32[" + "9" * 400 + "]", "needs whole numbers"), ("(" * 5000, "is not a value"),
    ("float32[" + ", ".join(["1"] * 65) + "]", "at most 64")])
def test_what_is_no_value_gets_a_sentence(text: str, says: str) -> None:
    with pytest.raises(ScriptError) as problem:
        parse_value(text)
    assert says in str(problem.value)
    assert len(str(problem.value)) < 250


def test_signatures() -> None:
    found = parse_signature("scale(float32[1, 32], 'a, b', self.seen=4, xs[0]=None)", ["x", "s"])
    assert {k: text_of(v) for k, v in found.items()} == {"x": "float32[1, 32]", "s": "'a, b'", "self.seen": "4",
                                                         "xs[0]": "None"}
    for text, says in (("1, 2", "one value too many"), ("x=1, x=2", "given twice"), ("x=1, 2", "comes after one with a name")):
        with pytest.raises(ScriptError, match=says):
            parse_signature(text, ["x"])


def test_dtypes_are_those_of_the_engine() -> None:
    from guardscope.core.tensor import dtypes
    from guardscope.core.tensor.meta import contiguous_strides

    assert all(getattr(dtypes, "bool_" if name == "bool" else name).name == name for name in DTYPES)
    for shape in ((), (2, 3), (4, 0, 5), (1, 1)):
        assert contiguous(shape) == contiguous_strides(shape)


def test_conditions_compute_and_never_run_code() -> None:
    sizes = {"x.shape[0]": 6, "n": 2}
    assert evaluate("2 <= x.shape[0] <= 6 and x.shape[0] % n == 0", sizes.__getitem__)[0]
    assert not evaluate("x.shape[0]//n == 4 or not n", sizes.__getitem__)[0]
    assert evaluate("max(n, math.floor(2.5))**2 == 4", sizes.__getitem__)[0]
    assert evaluate("n % 0 == 1", sizes.__getitem__) == (False, {"n": 2})
    for bad in ("__import__('os').getcwd()", "9**9**9 == 1", "y > 1", "x.shape[0", "[n for n in (1,)]", "'a' * 10**9 == 1",
                "((" * 9000, "open('/etc/passwd')", "math.factorial(n)"):
        with pytest.raises(NotKnown):
            evaluate(bad, sizes.__getitem__)


TEXTS = st.sampled_from(["", "x", "x.shape[0]", "x.shape[9]", "len(x)", "k", "k == 1", "x.shape[0] >= 2", "x is not k",
                         "x is k", "float32[2]", "1", "None", "nan", "torch", "((", "x" * 3000, "x.shape[0] == len(k) ** 99",
                         "a.b[0]['c'].d"])
VALUES = st.one_of(st.none(), st.booleans(), st.integers(-3, 1 << 70), st.floats(), TEXTS,
                   st.lists(st.one_of(st.integers(0, 3), st.none(), TEXTS), max_size=3))
FACTS = st.dictionaries(st.sampled_from(["cls", "dtype", "device", "requires_grad", "sizes", "strides", "type", "value",
                                         "length", "modes"]), VALUES, max_size=8)
KINDS = st.sampled_from(["TENSOR_MATCH", "TYPE_MATCH", "EQUALS_MATCH", "CONSTANT_MATCH", "SEQUENCE_LENGTH", "GLOBAL_STATE",
                         "SHAPE_ENV", "FLOAT_NOT_NAN", "OBJECT_ALIASING", "NOT_ALIASING", "STORAGE_OVERLAP", "ID_MATCH",
                         "NAMES_UNCHANGED", "DICT_KEYS", "PRESENT", "no such kind"])


@given(st.lists(st.builds(GuardRow, index=st.integers(0, 30), kind=KINDS, origin=TEXTS, condition=TEXTS, expected=TEXTS,
                          facts=FACTS), max_size=4), st.sampled_from(["1, 2", "float32[2, 3], 1", "None, 'relu'", "nan, -0.0"]))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_guards_of_any_file_give_an_answer(session: Session, guards: list[GuardRow], typed: str) -> None:
    """What stands in the file may be nonsense; the answer is then that it cannot be told, never an exception."""
    known = Guards(session)
    s = situation(session, 0)
    known.update(dict.fromkeys(s.group, guards))
    asked = s.with_values(parse_signature(typed, ["x", "k"]))
    answer = ask(session, asked, known)
    assert answer.sentence
    assert all(len(v.failures) + len(v.unknown) + len(v.assumed) <= 40 for v in answer.verdicts)
