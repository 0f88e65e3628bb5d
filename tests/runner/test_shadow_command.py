# `--shadow` and `--fail-on-shadow`: end to end, with a reuse that no guard can see (docs/unguarded.md).
import subprocess
import sys
from pathlib import Path

import pytest
from guardscope.core.errors import ScriptError
from guardscope.core.events.reader import Session
from guardscope.core.events.schema import OUTCOMES
from guardscope.core.runner import cli

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = ROOT / "tests" / "scripts" / "hidden_method.py"


def run(session, *options):
    return subprocess.run([sys.executable, str(ROOT / "main.py"), "run", *options, str(HIDDEN), "-o", str(session)],
                          capture_output=True, text=True, timeout=240)


def test_a_difference_fails_the_build_and_is_told_everywhere(tmp_path):
    done = run(tmp_path / "s.guardscope", "--shadow", "1", "--fail-on-shadow")
    assert done.returncode == 1
    assert done.stdout == "[2.0, 2.0, 2.0]\n"                        # the script goes on with what the reused version gave
    assert "2 reused calls repeated in plain Python: 1 gave something else" in done.stderr
    assert "result['out'][0]: the reused version gave 2.0, plain Python 1.0" in done.stderr
    assert "--fail-on: shadow is 1" in done.stderr
    session = Session(tmp_path / "s.guardscope")
    assert [OUTCOMES[o] for o in session.calls["outcome"]] == ["compile", "reuse", "error"]      # red in the timeline


def test_without_the_option_nothing_is_repeated(tmp_path):
    done = run(tmp_path / "s.guardscope")
    assert done.returncode == 0 and "Shadow check" not in done.stderr
    session = Session(tmp_path / "s.guardscope")
    assert [OUTCOMES[o] for o in session.calls["outcome"]] == ["compile", "reuse", "reuse"]
    assert "shadow" not in session.info


@pytest.mark.parametrize(("words", "every"), [
    (["--shadow", "a.py"], cli.SHADOW_EVERY), (["a.py", "--shadow"], cli.SHADOW_EVERY), (["--shadow", "7", "a.py"], 7),
    (["a.py"], 0), (["a.py", "--fail-on-shadow"], cli.SHADOW_EVERY), (["--shadow=3", "a.py"], 3)])
def test_how_often(words, every):
    options, rest = cli.run_parser().parse_known_intermixed_args(cli.with_number(words))
    assert (options.script, rest, cli.shadow_of(options)[0]) == ("a.py", [], every)


@pytest.mark.parametrize("words", [["a.py", "--shadow", "0"], ["a.py", "--shadow=-2"], ["a.py", "--shadow=x"]])
def test_a_number_that_is_none(words):
    with pytest.raises(ScriptError, match="--shadow"):
        cli.run_parser().parse_known_intermixed_args(cli.with_number(words))
