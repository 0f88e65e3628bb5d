"""The line about what a running script does now, and the strip that shows it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from guardscope.gui.live import live_state

CODE = SimpleNamespace(id=0, name="forward", qualname="Net.forward", kind="function")


def model(live: list[dict[str, Any]], calls: int = 41) -> Any:
    facts = SimpleNamespace(n_calls=calls, artifacts_of=lambda code: [SimpleNamespace(call=c) for c in (0, 5, 7)])
    return SimpleNamespace(whole=SimpleNamespace(live=live, codes=[CODE], info={"start_ns": 1000}), whole_facts=facts)


def said(frame: dict[str, Any], expected: int = 0) -> str:
    return live_state(model([{"call": 41, "code": 0, "since": 500, **frame}]), expected, 1_200_001_500).text


def test_what_is_said() -> None:
    assert said({}) == "call 41: running Net.forward, 1.2 s"
    assert said({"step": "tracing"}) == "call 41: compiling version 3 of Net.forward, tracing, 1.2 s"
    assert said({"done": ["capture"], "step": "building 9 kernels"}) == \
        "call 41: compiling version 3 of Net.forward, building 9 kernels, 1.2 s"
    assert said({"done": ["capture"], "step": ""}).endswith("version 3 of Net.forward, turning it into kernels, 1.2 s")
    assert said({"done": ["capture", "lowering", "build"], "step": ""}).endswith("making guards, 1.2 s")
    assert said({"call": 7, "step": "building kernel 4 of 9"}) == \
        "call 7: compiling version 2 of Net.forward, building kernel 4 of 9, 1.2 s"
    assert said({"call": 7, "step": "building 1 kernel"}).startswith("call 7: compiling version 2 of Net.forward, building 1 ")
    assert said({"step": "tracing"}, 100) == "call 41 of about 100: compiling version 3 of Net.forward, tracing, 1.2 s"


def test_between_calls_and_before_the_first() -> None:
    assert live_state(model([]), 100) == live_state(model([]), 100)
    assert live_state(model([])).text == "running · 41 calls so far"
    assert live_state(model([]), 82).share == 0.5
    assert live_state(model([], 90), 82).share == 1.0
    assert live_state(model([], 0)).text == "starting…"
    assert live_state(SimpleNamespace(whole=None, whole_facts=None)).text == ""


@pytest.mark.parametrize("frame", [{"code": 7}, {"code": "x"}, {"code": 0, "since": "x", "done": 3, "step": 5, "call": None}])
def test_a_damaged_live_row_does_no_harm(frame: dict[str, Any]) -> None:
    assert live_state(model([frame])).text


def test_the_run_that_began_last_counts() -> None:
    frames = [{"call": 1, "code": 0, "since": 900, "step": "tracing"}, {"call": 2, "code": 0, "since": 100}]
    assert live_state(model(frames), 0, 2000).text.startswith("call 1: compiling")


def test_the_strip_shows_the_run_and_stops_it(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    """A function that is being traced for ever: the line says so, the button in it ends the run."""
    script = tmp_path / "endless.py"
    script.write_text("import torch\n\n\n@torch.compile(backend='eager')\ndef f(x, n):\n    while True:\n        n = n + 1\n"
                      "    return x * n\n\n\nf(torch.ones(2), 1)\n")
    window = make_window()
    assert window.open_path(script, run=True)
    qtbot.waitUntil(lambda: "call 0: " in window.banner.text())
    assert " f, " in window.banner.text()
    assert window.strip.stop.isVisible()
    assert not window.strip.bar.isVisible()              # the number of calls is not known
    window.strip.stop.click()
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching)
    assert not window.strip.stop.isVisible()
    assert "stopped" in window.banner.text()


def test_a_second_run_knows_how_far_it_is(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    script = tmp_path / "twice.py"
    gate = tmp_path / "go"
    script.write_text("import os, torch\n\n\n@torch.compile(backend='eager')\ndef f(x):\n    return x * 2\n\n\n"
                      f"for n in range(4):\n    f(torch.ones(2))\n    while n == 1 and os.path.exists({str(gate)!r}):\n"
                      "        pass\n")
    window = make_window()
    assert window.open_path(script, run=True)
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching)
    gate.write_text("")
    assert window.commands.run("run.again")
    qtbot.waitUntil(lambda: window.model.whole_facts.n_calls == 2 and window.strip.bar.isVisible())
    window.control.poll()
    assert window.strip.bar.value() == 500
    assert window.banner.text() == "running · 2 calls of about 4 so far"
    gate.unlink()
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching)
    assert not window.strip.bar.isVisible()
