"""`check`: budgets with reasons, JSON, JUnit, baselines and exit statuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """import sys
import torch


@torch.compile
def f(x, k):
    return x * k


step = 0


@torch.compile
def g(x):
    return x + step


for step in range(int(sys.argv[1])):
    f(torch.ones(2), 1)
    g(torch.ones(2))
    print("printed", step)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("check")
    (place / "model.py").write_text(SCRIPT)
    return place


def check(folder: Path, *arguments: str, steps: str = "4") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(ROOT / "main.py"), "check", *arguments, "--", steps], capture_output=True,
                          text=True, cwd=folder, timeout=240)


def test_within_and_beyond_the_budget(folder: Path) -> None:
    good = check(folder, "model.py", "--backend", "eager", "--max-recompiles", "3", "--no-breaks", "-o", "s.guardscope")
    assert good.returncode == 0, good.stderr
    assert "printed 3" in good.stdout
    assert "guardscope: ok: 3 recompilations, at most 3 allowed" in good.stderr
    bad = check(folder, "s.guardscope", "--max-recompiles", "2", "--junit", "j.xml", "--json")
    assert bad.returncode == 1
    data = json.loads(bad.stdout)
    assert (data["ok"], data["exit_status"]) == (False, 0)
    assert data["checks"][0]["value"] == 3
    assert data["checks"][0]["reasons"][0].startswith("step took 4 values in g and cost 3 more versions")
    assert data["causes"] == {"recompilation: step in g": 3}
    suite = ElementTree.parse(folder / "j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    assert "step took 4 values" in (suite[0][0].text or "")


def test_a_baseline_allows_what_was_there(folder: Path) -> None:
    assert check(folder, "model.py", "--backend", "eager", "--write-baseline", "b.json", "-o", "s4.guardscope").returncode == 0
    assert check(folder, "s4.guardscope", "--baseline", "b.json").returncode == 0
    more = check(folder, "model.py", "--backend", "eager", "--baseline", "b.json", "--json", steps="6")
    assert more.returncode == 1
    assert "recompilation: step in g: 5, 3 in the baseline" in more.stderr
    assert json.loads(more.stdout)["checks"][0]["name"] == "baseline"          # the script's output went to stderr
    assert "printed 5" in more.stderr


@pytest.mark.parametrize(("arguments", "says"), [
    (("model.py", "--baseline", "none.json"), "the baseline none.json cannot be read"),
    (("model.py", "--baseline", "model.py"), "is not JSON"),
    (("model.py", "--max-breaks", "-1"), "-1 is not a number from 0 on"),
    (("model.py", "--max-breaks", "x"), "x is not a number from 0 on"), (("model.py", "--nonsense",), "no option --nonsense"),
    (("nowhere.py",), "there is no script")])
def test_what_cannot_be_checked_gets_a_sentence(folder: Path, arguments: tuple[str, ...], says: str) -> None:
    done = check(folder, *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_scripts_own_status_comes_through(folder: Path) -> None:
    (folder / "ends.py").write_text("raise SystemExit(7)\n")
    assert check(folder, "ends.py").returncode == 7
    (folder / "raises.py").write_text("raise ValueError('no')\n")
    assert check(folder, "raises.py").returncode == 1


def test_the_shadow_check_counts(folder: Path) -> None:
    """Every reused call is repeated; none of them differs."""
    (folder / "stale.py").write_text("""import torch


@torch.compile(backend="eager")
def f(x):
    return x * 2


for n in range(4):
    f(torch.ones(2))
""")
    done = check(folder, "stale.py", "--shadow", "1", "--json", "-o", "shadow.guardscope")
    assert done.returncode == 0, done.stderr
    checks = {c["name"]: c for c in json.loads(done.stdout)["checks"]}
    assert (checks["shadow"]["value"], checks["shadow"]["ok"]) == (0, True)
    from guardscope.core.events import summary
    from guardscope.core.events.reader import Session

    with Session(folder / "shadow.guardscope") as session:
        found = summary.shadow(session)
    assert found is not None
    assert found.checked == 3
