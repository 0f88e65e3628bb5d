"""Runs that end badly, early, or without a call: the window says what happened, and nothing claims what is not so."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

# Ends the process as soon as the session tells that call 0 is under way; text without a file, so that it runs as it is.
BOOM = """
import os, sqlite3
from guardscope.core.events.recorder import RECORDER
def boom(x):
    session = sqlite3.connect(RECORDER.path)
    while '"call":0' not in str(session.execute("SELECT data FROM live").fetchall()):
        pass
    os.abort()
"""
COMPILED = "import torch\n\n\n@torch.compile(backend='eager')\ndef f(x):\n    return x * 2\n\n\n"


@pytest.fixture
def run(make_window: Any, tmp_path: Path, qtbot: Any) -> Any:
    """A function that runs a script in the window to its end."""
    def go(text: str, name: str = "script.py") -> Any:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        window = make_window()
        assert window.open_path(tmp_path / name, run=True)
        qtbot.waitUntil(lambda: not window.control.running and not window.control.watching and window.settled)
        for view in window.views:
            window.show_view(view)
        assert not [name for name, view in window.views.items() if view.failed]
        return window

    return go


def text_of(window: Any, view: str) -> str:
    window.show_view(view)
    return window.views[view].page.toPlainText().replace("\xa0", " ").replace("\N{OBJECT REPLACEMENT CHARACTER}", "").strip()


@pytest.mark.parametrize("text", ["", "print('hello')\n", "import torch\nprint(torch.ones(2))\n"])
def test_a_script_without_compiled_functions(run: Any, text: str) -> None:
    window = run(text)
    said = "The script called no compiled function. Use torch.compile on a function or a module."
    assert text_of(window, "causes") == text_of(window, "call") == window.timeline.canvas.empty == said
    assert window.views["summary"].totals.text() == "no calls"
    assert window.commands["run.again"].blocked() == ""


def test_a_syntax_error_is_the_first_cause(run: Any) -> None:
    window = run("import torch\ndef f(:\n")
    assert text_of(window, "causes").startswith("The script ended with SyntaxError on line 2")
    assert window.views["summary"].cause.text() == "The script ended with SyntaxError on line 2"
    assert window.timeline.canvas.empty == "The script ended with an exception before it called a compiled function."


def test_an_exception_of_an_operator_is_placed_in_the_script(run: Any) -> None:
    window = run(COMPILED.replace("x * 2", "x @ torch.ones(7)") + "f(torch.ones(3))\n")
    text = text_of(window, "causes")
    assert text.startswith("The script ended with RuntimeError on line 6")
    assert "f is never compiled\n" in text              # no run as plain Python ended, so none is counted
    printed = window.views["output"].plain()
    assert "line 6, in f" in printed and "guardscope" not in printed.replace("guardscope-", "")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_crash_is_the_first_cause_and_names_what_ran(run: Any) -> None:
    window = run(COMPILED.replace("return x * 2", "return boom(x)").replace(
        "@torch", f"space = {{}}\nexec({BOOM!r}, space)\nboom = space['boom']\n\n\n@torch") + "f(torch.ones(2))\n")
    text = text_of(window, "causes")
    assert text.startswith("The script crashed by SIGABRT: an abort")
    assert "while call 0 of" in text
    assert "ended before a call of a compiled function was over" in window.timeline.canvas.empty


def test_a_script_that_is_only_opened(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    (tmp_path / "s.py").write_text(COMPILED)
    window = make_window()
    assert window.open_path(tmp_path / "s.py")
    qtbot.waitUntil(lambda: window.settled)
    assert text_of(window, "causes") == "The script has not been run yet; press Run."
    assert window.commands["run.again"].blocked() == "it has not been run yet"


def test_names_that_are_not_ascii(run: Any) -> None:
    window = run(COMPILED.replace("def f", "def größe") + "print(größe(torch.ones(2)), 'żółć 漢字')\n", "ä ö/skript ñ.py")
    assert window.model.facts.n_calls == 1
    assert window.model.facts.script_name() == "skript ñ.py"
    assert "żółć 漢字" in window.views["output"].text.toPlainText()
    assert "größe was compiled for the first time" in text_of(window, "call")


def test_opening_while_a_script_runs_is_refused_with_a_sentence(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    (tmp_path / "endless.py").write_text(COMPILED + "f(torch.ones(2))\nwhile True:\n    pass\n")
    (tmp_path / "other.py").write_text("")
    window = make_window()
    said: list[str] = []
    window.problem.connect(said.append)
    assert window.open_path(tmp_path / "endless.py", run=True)
    qtbot.waitUntil(lambda: window.model.facts.n_calls == 1)
    assert not window.open_path(tmp_path / "other.py")
    assert said == [f"{tmp_path / 'endless.py'} is still running; stop it before opening other.py."]
    window.resize(320, 240)                                   # as small as it gets, while it runs
    process = window.control.process
    window.close()
    qtbot.waitUntil(lambda: not process.running)


def test_a_session_whose_middle_is_damaged_shows_what_came_before(make_window: Any, recorded_file: Path, tmp_path: Path,
                                                                  qtbot: Any) -> None:
    copy = tmp_path / "damaged.guardscope"
    copy.write_bytes(recorded_file.read_bytes())
    with sqlite3.connect(copy) as db:
        db.execute("UPDATE artifact SET code = 99 WHERE id = 1")
        db.execute("UPDATE guards SET data = '[{\"index\": \"x\"}]'")
    db.close()
    window = make_window()
    said: list[str] = []
    window.problem.connect(said.append)
    assert window.open_path(copy)
    qtbot.waitUntil(lambda: window.settled)
    for view in window.views:
        window.show_view(view)
    assert not [name for name, view in window.views.items() if view.failed]
    assert said and "artifact: row 1 cannot be used (there is no code 99)" in said[0]
    assert len(window.model.session.artifacts) == 1


def test_a_session_of_an_older_version(make_window: Any, recorded_file: Path, tmp_path: Path, qtbot: Any) -> None:
    copy = tmp_path / "old.guardscope"
    copy.write_bytes(recorded_file.read_bytes())
    with sqlite3.connect(copy) as db:
        db.execute("PRAGMA user_version = 65536")             # 1.0: no threads, no owners, no costs
        db.execute("DROP TABLE thread")
        db.execute("ALTER TABLE artifact DROP COLUMN owner")
        db.execute("ALTER TABLE run_chunk DROP COLUMN thread")
    db.close()
    window = make_window()
    assert window.open_path(copy)
    qtbot.waitUntil(lambda: window.settled)
    for view in window.views:
        window.show_view(view)
    assert not [name for name, view in window.views.items() if view.failed]
    assert window.model.session.problems == []
    assert window.model.facts.n_calls == 3


def test_an_exceptions_message_does_not_look_like_advice(make_window: Any, fake: Any) -> None:
    from guardscope.core.events.schema import CallError, Event

    session = fake.synthetic()
    session.errors.append(CallError(0, 1, "KeyError", "'volume'", call=5))
    session.events.append(Event(len(session.events), "uncaught", "", data={"type": "KeyError"}))
    window = make_window(session)
    strip = window.views["summary"]
    assert strip.cause.text() == "The script ended with KeyError"
    window.show_view("causes")
    assert "scale raised KeyError in 1 run" in window.views["causes"].page.toPlainText()
    assert not strip.cure.text().startswith("\N{RIGHTWARDS ARROW}")
    session.errors.clear()
    session.events.pop()
    window.model.facts.renew()
    strip.ask("rows")
    assert strip.cure.text().startswith("\N{RIGHTWARDS ARROW} ")
