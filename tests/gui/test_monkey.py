"""A monkey at the window: random commands, selections, sizes and themes on recorded sessions. No view may fail.

The seed is printed; `GUARDSCOPE_SEED=n` plays a game again.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
STEPS = 140
# Commands that wait for an answer in a dialog, start processes, or end the game.
LEFT_OUT = ("file.", "run.", "help.", "layout.", "tools.lab", "tools.compare")
SCRIPTS = {
    "causes": """import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0
        self.inner = torch.nn.Linear(2, 2)

    def forward(self, x):
        self.seen += 1
        return self.inner(x) / self.seen


@torch.compile
def cut(x, n):
    y = x.relu() * n
    print(y.sum().item())
    return y + 1


@torch.compile
def never(x):
    exec("a = 1")
    return x


@torch.compile
def fails(x):
    return x @ torch.ones(7)


meter = torch.compile(Meter())
for n in range(10):
    meter(torch.ones(1 + n % 3, 2))
    cut(torch.ones(n), n)
    never(torch.ones(2))
try:
    fails(torch.ones(3))
except Exception as problem:
    print(problem)
torch._dynamo.reset()
meter(torch.ones(2, 2))
""",
    "nothing": "print('no calls')\n",
    "died": "import torch\n\n\n@torch.compile\ndef f(x):\n    return x * 2\n\n\nf(torch.ones(2))\nraise SystemExit(3)\n",
}


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("monkey")
    for name, text in SCRIPTS.items():
        (folder / f"{name}.py").write_text(text)
        target = folder / f"{name}.guardscope"
        subprocess.run([sys.executable, "main.py", "run", str(folder / f"{name}.py"), "-o", str(target), "--quiet",
                        "--backend", "eager"], capture_output=True, cwd=ROOT, timeout=240)
    return [folder / f"{name}.guardscope" for name in SCRIPTS]


def actions(window: Any, rng: random.Random) -> list[Callable[[], Any]]:
    """What can be done now."""
    model, session = window.model, window.model.session
    commands = [c.id for c in window.commands if not c.id.startswith(LEFT_OUT)]
    canvas = window.timeline.canvas

    def select() -> None:
        counts = {"call": model.facts.n_calls, "artifact": len(session.artifacts), "code": len(session.codes),
                  "kernel": len(session.kernels)}
        name = rng.choice([n for n, count in counts.items() if count] or ["line"])
        model.select(**{name: rng.randrange(counts[name]) if name in counts else 1})

    def guard() -> None:
        if session.artifacts:
            artifact = rng.randrange(len(session.artifacts))
            guards = model.facts.guards(artifact)
            if guards:
                model.select(artifact=artifact, guard=rng.choice(guards).index)

    def sort() -> None:
        view = window.views["guards"]
        if hasattr(view, "table"):
            view.table.sortByColumn(rng.randrange(len(view.table_model.columns)), rng.choice(list(sort_orders())))

    return [
        lambda: window.commands.run(rng.choice(commands)), lambda: window.commands.run(rng.choice(commands)),
        select, select, guard, lambda: window.show_view(rng.choice(list(window.views))), sort,
        lambda: model.show_line(None, rng.randint(1, 40)), lambda: canvas.zoom(rng.choice([0.3, 2.0, 5.0]), rng.random() * 900),
        lambda: canvas.pan(rng.randint(-500, 500)), lambda: window.resize(rng.randint(200, 1700), rng.randint(150, 1000)),
        lambda: model.set_filter(rng.sample(["compile", "recompile", "reuse", "error"], rng.randint(0, 3))),
        lambda: model.mark(rng.randrange(model.facts.n_calls) if model.facts.n_calls else None), model.go_back, model.go_ahead,
        lambda: window.views["guards"].filter.setText(rng.choice(["", "x", "never", "implied"]))
        if hasattr(window.views["guards"], "filter") else None,
    ]


def sort_orders() -> Any:
    from PySide6.QtCore import Qt

    return Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


@pytest.mark.parametrize("place", range(len(SCRIPTS)))
def test_nothing_falls_over(make_window: Any, sessions: list[Path], qapp: Any, qtbot: Any, place: int) -> None:
    seed = int(os.environ.get("GUARDSCOPE_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"GUARDSCOPE_SEED={seed}")
    rng = random.Random(seed)
    window = make_window()
    assert window.open_path(sessions[place])
    qtbot.waitUntil(lambda: window.settled)
    for step in range(STEPS):
        if window.model.session is None:
            break
        rng.choice(actions(window, rng))()
        if rng.random() < 0.4:
            qapp.processEvents()
        failed = {name: view._error.sentence.text() for name, view in window.views.items() if view.failed}
        assert not failed, f"seed {seed}, step {step}: {failed}"
    qtbot.waitUntil(lambda: window.jobs.idle)
