# Advice on real recordings: the cure that is named is applied to the script, and the versions are counted again.
import subprocess
import sys
from pathlib import Path

import pytest
from guardscope.core.events import summary
from guardscope.core.events.advice import several
from guardscope.core.events.reader import Session

ROOT = Path(__file__).resolve().parents[2]
COUNTER = """import torch
class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0
    def forward(self, x):
        self.seen += 1
        return x / self.seen
meter = torch.compile(Meter())
for n in range(1, 13):
    print(meter(torch.ones(3)).sum().item() * n)
"""
OPERATORS = """import torch
def make(op):
    def apply(a, b):
        return op(a, b)
    return torch.compile(apply)
for op in (torch.add, torch.mul, torch.Tensor.__add__, torch.div):
    make(op)(torch.ones(3), torch.ones(3))
"""
READ_OUT = """import torch
@torch.compile
def gate(x):
    top = x.sum().item()
    return x * top
for n in range(3):
    gate(torch.ones(4) * (n + 1))
"""
LOOP = """import torch
@torch.compile
def window(x, first):
    for k in range(first, 6):
        x = x + k
    return x
for n in (2, 3, 4, 5):
    window(torch.ones(3), n)
"""


@pytest.fixture
def record(tmp_path):
    opened = []

    def run(text, name="script"):
        script, target = tmp_path / f"{name}.py", tmp_path / f"{name}.guardscope"
        script.write_text(text)
        done = subprocess.run([sys.executable, "main.py", "run", str(script), "-o", str(target), "--quiet", "--backend",
                               "eager"], capture_output=True, text=True, cwd=ROOT, timeout=120)
        assert done.returncode == 0, done.stderr
        opened.append(Session(target))
        return opened[-1]

    yield run
    for session in opened:
        session.close()


def test_a_counter_is_cured_by_the_line_that_is_named(record):
    session = record(COUNTER)
    (advice,) = summary.advice(session)
    assert advice.text.startswith("self.seen took 12 values in Meter.forward and cost 7 more versions")
    assert "then the recompile limit" in advice.text
    assert advice.line == "self.seen = torch.tensor(0)" and "line 5" in advice.cure
    cured = record(COUNTER.replace("self.seen = 0", advice.line), "cured")
    assert summary.outcome_totals(cured) == {"compile": 1, "recompile": 0, "reuse": 11, "eager_limit": 0,
                                             "not_compiled": 0, "error": 0}
    said = ["".join(text for _, stream, text in s.output(0) if stream == "stdout") for s in (session, cured)]
    assert said[0] == said[1] and said[0].count("\n") == 12


def test_different_operators_keep_their_versions(record):
    session = record(OPERATORS)
    (cause,) = [c for c in summary.causes(session) if c.versions]
    assert cause.seen == ["torch.add", "torch.mul", "Tensor.__add__", "torch.div"]
    assert "nothing to change" in summary.advise(session, cause).cure


def test_a_number_read_out_of_a_tensor_is_named_as_the_script_writes_it(record):
    session = record(READ_OUT)
    places = {c.place for c in summary.causes(session)}
    assert places == {"x.sum().item()"}
    assert all("__r" not in a.text for a in summary.advice(session))


def test_a_loop_bound_is_not_called_curable_by_a_tensor(record):
    session = record(LOOP)
    (cause,) = [c for c in summary.causes(session) if c.versions]
    assert cause.place == "first" and cause.pinned and cause.versions == 3
    assert "exact value" in summary.advise(session, cause).cure


FREEZE = """import torch
from torch import nn
net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 2))
@torch.compile
def freeze(v, k):
    for i, p in enumerate(net.parameters()):
        p.requires_grad_(i >= k)
    return net(v)
for k in (2, 3):
    freeze(torch.ones(2, 3), k)
"""


def test_one_value_whose_words_have_a_comma_is_not_a_relation(record):
    session = record(FREEZE)
    advised = {c.place: summary.advise(session, c).cure for c in summary.causes(session) if c.versions}
    assert "one dtype, device, rank and layout" in advised["(i, p)[1].ndim"]
    assert not any("related" in cure for cure in advised.values())


def test_modules_keep_their_own_books_uncompiled(record):
    """Once a loop over parameters() runs natively, what finds the parameters is no function to compile: it took 48 versions."""
    session = record(FREEZE)
    assert {session.codes[a.code].title.split(" ")[0] for a in session.artifacts} == {"freeze"}


@pytest.mark.parametrize("place, related", [("x.shape[0]", False), ("x.shape[0], y.shape[0]", True), ("(i, p)[1].ndim", False),
                                            ("(i, p)[1].shape[0], n", True), ("it's, odd", True), ("", False)])
def test_places_that_name_several_values(place, related):
    assert several(place) is related
