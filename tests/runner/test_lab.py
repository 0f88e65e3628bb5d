"""The policy lab: policies and cures are run, results are compared, and nothing is written unless asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from guardscope.core.errors import ScriptError
from guardscope.core.runner.lab import POLICIES, Lab, Policy, Trial, write_cure
from guardscope.core.runner.results import same_results

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {"backend": "eager"}
COUNTER = """import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return x / self.seen


meter = torch.compile(Meter())
x = torch.ones(3)
for n in range(12):
    meter(x)
"""
SIZES = """import torch


@torch.compile(dynamic=False)
def area(x, k):
    return (x * k).sum(dim=0)


for n in range(2, 8):
    ä = "é"; x = torch.ones(n, 2)
    area(x, 1)
    area(torch.ones(2, 2), k=n)
"""


def lab(folder: Path, text: str, **more: Any) -> Lab:
    (folder / "model.py").write_text(text)
    made = Lab(folder / "model.py", folder=folder / "runs", settings=SETTINGS, **more).start()
    assert made.wait(180)
    return made


def by_name(made: Lab) -> dict[str, Trial]:
    return {t.policy.name: t for t in made.trials}


def test_a_counter(tmp_path: Path) -> None:
    seen: list[str] = []
    made = lab(tmp_path, COUNTER, on_change=lambda: seen.append("change"))
    trials = by_name(made)
    assert [t.state for t in made.trials] == ["done"] * 5
    assert (trials["as it is"].numbers["artifacts"], trials["as it is"].numbers["eager"]) == (8, 4)
    assert (trials["limit 64"].numbers["artifacts"], trials["limit 64"].equal) == (12, True)
    cure = trials["keep self.seen as a tensor"]
    assert cure.effect == "8 versions → 1, all 12 results equal"
    assert cure.worth
    assert not trials["limit 64"].worth
    assert cure.policy.cure is not None
    assert cure.policy.cure.lines == ("self.seen = torch.tensor(0)",)
    assert len(seen) >= 10
    assert (tmp_path / "model.py").read_text() == COUNTER
    diff = cure.policy.cure.diff(made.text, "model.py")
    assert "-        self.seen = 0\n+        self.seen = torch.tensor(0)\n" in diff
    write_cure(tmp_path / "model.py", cure.policy.cure, made.text)
    assert (tmp_path / "model.py").read_text() == COUNTER.replace("self.seen = 0", "self.seen = torch.tensor(0)")
    with pytest.raises(ScriptError, match="has changed since it was tried"):
        write_cure(tmp_path / "model.py", cure.policy.cure, made.text)


def test_sizes_and_arguments(tmp_path: Path) -> None:
    """A mark needs a line of its own and a name at every call; an argument may be any expression; columns count in bytes."""
    made = lab(tmp_path, SIZES, policies=())
    trials = by_name(made)
    assert "mark dimension 0 of x dynamic" not in trials          # one of the calls makes its tensor on the spot
    tensor = trials["pass k as a tensor"]
    assert tensor.policy.cure is not None
    assert "area(x, torch.tensor(1))" in tensor.policy.cure.text
    assert "k=torch.tensor(n))" in tensor.policy.cure.text
    assert tensor.state == "done"


def test_a_cure_that_changes_results_is_not_worth_it(tmp_path: Path) -> None:
    """Truncating a counter that is a tensor differs from truncating an int that may exceed its type."""
    text = COUNTER.replace("return x / self.seen", "return x * (self.seen if type(self.seen) is int else 5)")
    made = lab(tmp_path, text, policies=())
    trial = by_name(made)["keep self.seen as a tensor"]
    assert by_name(made)["as it is, again"].equal is True
    assert trial.equal is False
    assert "but results differ (result 0: sum 3, then 15)" in trial.effect
    assert not trial.worth


def test_results_that_are_never_the_same_say_nothing(tmp_path: Path) -> None:
    text = COUNTER.replace("import torch\n", "import time\nimport torch\n").replace(
        "x = torch.ones(3)", "x = torch.ones(3) * (time.time_ns() % 999_983)")
    made = lab(tmp_path, text, policies=POLICIES[1:2])
    assert [t.policy.name for t in made.trials] == ["as it is", "dynamic=True", "keep self.seen as a tensor",
                                                    "as it is, again"]
    assert [t.equal for t in made.trials] == [None] * 4
    cure = made.trials[2]
    assert cure.effect == "8 versions → 1, the script's own results differ from run to run"
    assert not cure.worth


def test_a_cure_that_breaks_the_script_says_so(tmp_path: Path) -> None:
    text = COUNTER + "assert type(meter.seen) is int, 'a counter is an int'\n"
    trial = by_name(lab(tmp_path, text, policies=()))["keep self.seen as a tensor"]
    assert trial.state == "failed"
    assert "a counter is an int" in trial.detail


def test_stop(tmp_path: Path) -> None:
    import threading

    (tmp_path / "endless.py").write_text("print('on', flush=True)\nwhile True:\n    pass\n")
    looked = threading.Event()
    made = Lab(tmp_path / "endless.py", folder=tmp_path / "runs", settings=SETTINGS)
    made.on_change = lambda: looked.set() if made.progress else None
    made.start()
    assert looked.wait(60)
    assert made.progress.startswith("run 1 of 4, as it is: 0 calls")
    made.stop()
    assert made.wait(30)
    assert {t.state for t in made.trials} == {"stopped"}


def test_a_script_that_cannot_be_run_is_not_compared(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="there is no script"):
        Lab(tmp_path / "nowhere.py", folder=tmp_path)


def test_policies_that_change_nothing_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    made = Lab(tmp_path / "a.py", folder=tmp_path, settings={"dynamic": True, "recompile_limit": 64})
    assert [t.policy.name for t in made.trials] == ["as it is", "dynamic=None", "dynamic=False"]
    assert Policy("a", "b").cure is None


def results(*rows: list[dict[str, Any]], printed: str = "") -> Any:
    return SimpleNamespace(results=[SimpleNamespace(sums={"tensors": r}) for r in rows],
                           output=lambda: [(0, "stdout", printed)] if printed else [])


def test_results() -> None:
    one = [{"dtype": "float32", "shape": [2], "sum": 3.0, "abs_sum": 5.0, "wsum": 2.0}]
    near = [{**one[0], "sum": 3.0001}]
    assert same_results(results(one, one), results(one, near)) == (True, "all 2 results equal")
    assert same_results(results(one), results([{**one[0], "sum": 3.1}]))[0] is False
    assert same_results(results(one), results([{**one[0], "dtype": "float64"}]))[1] == "result 0: dtype float32, then float64"
    assert same_results(results(one), results(one, one)) == (False, "1 results, then 2")
    nan = [{**one[0], "sum": float("nan"), "abs_sum": float("nan"), "wsum": float("nan")}]
    assert same_results(results(nan), results(nan))[0] is True
    assert same_results(results(nan), results(one))[0] is False
    inf = [{**one[0], "sum": float("inf"), "abs_sum": float("inf")}]
    assert same_results(results(inf), results(one))[0] is False
    assert same_results(results([]), results([])) == (None, "no call returned a tensor and nothing was printed")
    assert same_results(results(printed="a"), results(printed="b")) == (False, "other output")


def test_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "model.py").write_text(COUNTER + "open('count.txt', 'a').write('.')\n")
    done = subprocess.run([sys.executable, str(ROOT / "main.py"), "lab", "deeper/model.py", "--backend", "eager", "--json",
                           "--keep", "kept"], capture_output=True, text=True, cwd=tmp_path, timeout=240)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [r["state"] for r in rows] == ["done"] * 5
    assert rows[-1]["effect"] == "8 versions → 1, all 12 results equal"
    assert len(list((tmp_path / "kept").glob("*.guardscope"))) == 5
    assert (tmp_path / "count.txt").read_text() == "....."               # where the command was given, as with run
    assert not list((tmp_path / "kept").glob("*.py"))
