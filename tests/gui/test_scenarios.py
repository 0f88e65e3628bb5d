"""What a stranger finds within seconds: real scripts run from the window by its commands, and only what it shows is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from guardscope.core.events.schema import Artifact
from guardscope.gui.words import version_title

COUNTER = """import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return x / self.seen


meter = torch.compile(Meter())
for n in range(12):
    meter(torch.ones(3))
"""
OPERATORS = """import torch


def pairwise(op):
    def apply(a, b):
        return op(a, b)
    return torch.compile(apply)


a, b = torch.ones(3), torch.ones(3) * 2
for op in (torch.add, torch.mul, torch.Tensor.__add__, torch.div):
    print(pairwise(op)(a, b))
"""
FORMAT = """import torch


@torch.compile
def with_format(x):
    y = torch.relu(x)
    note = f"sum {y.sum()}"
    return y * len(note)


with_format(torch.ones(3))
with_format(torch.ones(3))
"""
RANGES = """import torch


@torch.compile
def f(x):
    return x * 2 if x.shape[0] > 3 else x


for n in (8, 16, 32):
    f(torch.ones(n))
"""


@pytest.fixture
def shown(make_window: Any, tmp_path: Path, qtbot: Any) -> Any:
    """A function that opens a script, runs it by the Run command, and gives the window once it is over."""
    def go(text: str) -> Any:
        (tmp_path / "model.py").write_text(text)
        window = make_window()
        assert window.open_path(tmp_path / "model.py")
        assert window.commands.run("run.start")
        qtbot.waitUntil(lambda: not window.control.running and not window.control.watching and window.settled)
        return window

    return go


def page(window: Any, view: str) -> str:
    window.show_view(view)
    return window.views[view].page.toPlainText().replace("\xa0", " ")


def test_a_counter_its_limit_and_the_cure(shown: Any) -> None:
    window = shown(COUNTER)
    strip = window.views["summary"]
    assert strip.cause.text() == "self.seen took 12 values: 8 versions of Meter.forward, then plain Python for 4 calls"
    assert strip.cure.text().endswith("self.seen = torch.tensor(0)")
    chips = {name: chip.text().split()[0] for name, chip in strip.chips.chips.items() if chip.isVisible()}
    assert chips == {"compile": "1", "recompile": "7", "reuse": "0", "eager_limit": "4"}
    tree = window.views["functions"].tree_model
    assert tree.row_of(("code", window.model.selection.code)).cells[2] == "8 of 8"


def test_an_operator_that_changes_is_seen_at_its_call(shown: Any) -> None:
    window = shown(OPERATORS)
    outcomes = [window.model.facts.outcome(n) for n in range(4)]
    assert outcomes == ["compile", "recompile", "recompile", "recompile"]
    window.model.select(call=2)
    text = page(window, "call")
    assert "op" in text and "torch.mul" in text and "Tensor.__add__" in text
    assert window.views["output"].text.toPlainText().splitlines()[2] == "tensor([3., 3., 3.])"      # 1 + 2, not 1 * 2


def test_what_cannot_be_in_a_graph_is_named_with_its_line(shown: Any) -> None:
    window = shown(FORMAT)
    text = page(window, "causes")
    assert "with_format is cut in two at line 7" in text
    assert "formatting a tensor needs its elements" in text
    window.show_view("source")
    marks = window.views["source"].edit.marks
    assert (marks[7].sign, marks[7].bar) == ("break", "python")


def test_decisions_tell_the_range(shown: Any) -> None:
    window = shown(RANGES)
    window.commands.run("go.first")
    window.commands.run("go.next_miss")
    assert "x.shape[0] may be 4 or more (s0)" in page(window, "call")


def test_versions_are_named_shortly() -> None:
    plain = Artifact(0, 0, 3)
    assert version_title(plain) == "version 3"
    two = Artifact(0, 0, 1, dynamic_dims=(("x", 0, "s0"), ("y", 0, "s0"), ("n", None, "s1")))
    assert version_title(two) == "version 1 [s0, s1]"
    many = Artifact(0, 0, 1, dynamic_dims=tuple(("x", d, f"s{d}") for d in range(4)))
    assert version_title(many) == "version 1 [4 dynamic]"


def test_the_meter_tells_what_used_the_places_and_warns_before_the_limit(shown: Any) -> None:
    window = shown(COUNTER.replace("range(12)", "range(7)"))
    tree = window.views["functions"].tree_model
    tip = tree.row_of(("code", window.model.selection.code)).tip()
    assert "places used up by self.seen (6)" in tip
    assert "Near the limit: after 1 more version it runs as plain Python where none fits." in tip
    assert "Near the limit" not in shown(COUNTER.replace("range(12)", "range(3)")).views["functions"].tree_model.row_of(
        ("code", 0)).tip()


def test_a_recompilation_for_what_is_never_read_is_called_so(shown: Any) -> None:
    window = shown("import torch\n\n\n@torch.compile\ndef f(x, mask):\n    if mask is not None:\n        x = x + 1\n"
                   "    return x * 2\n\n\nfor n in (2, 3, 4):\n    f(torch.ones(3), torch.ones(n))\n")
    text = page(window, "causes")
    assert "mask.shape[0] took 2 values: 2 versions of f" in text
    assert "guarded, but never read: no element, size or dtype of it is used, only that it is a tensor" in text
