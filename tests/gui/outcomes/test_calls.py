"""Outcomes 1 to 4: what became of every call and why, what it cost, and what used the places up, read from the window."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPoint, Qt

COUNTER = """import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return x / self.seen


meter = torch.compile(Meter())
for n in range({calls}):
    meter(torch.ones(3))
"""


# 1: every call is one of six outcomes, with breaks inside it


def test_every_outcome_has_a_counter_and_a_shape(story: Any) -> None:
    assert story.chips() == {"compiled": "4", "recompiled": "10", "reused": "6", "eager after the limit": "2",
                             "not compiled": "2", "error": "1"}
    shapes = set()
    for chip in story.window.views["summary"].chips.chips.values():
        image = chip.icon().pixmap(14, 14).toImage()
        shapes.add(bytes(image.pixelColor(x, y).alpha() > 100 for y in range(image.height()) for x in range(image.width())))
    assert len(shapes) == 6, "colour is not the only sign"


def test_a_counter_filters(story: Any, qtbot: Any) -> None:
    chips, canvas = story.window.views["summary"].chips.chips, story.window.timeline.canvas
    for name, calls in (("compile", [0, 10, 15, 21]), ("not_compiled", [18, 19]), ("error", [20]), ("eager_limit", [8, 9])):
        qtbot.mouseClick(chips[name], Qt.MouseButton.LeftButton)
        assert len(canvas.shown) == 1
        story.run("go.first")
        reached = [story.here] if story.here in calls else []
        while story.window.commands.run("go.next") and story.here not in reached[-1:]:
            reached.append(story.here)
        assert reached == calls
        qtbot.mouseClick(chips[name], Qt.MouseButton.LeftButton)
    assert len(canvas.shown) == 6
    story.run("filter.recompile")
    assert chips["recompile"].isChecked()
    story.run("filter.clear")
    assert not chips["recompile"].isChecked()


def test_each_call_says_what_became_of_it(story: Any) -> None:
    said = {}
    for call in range(25):
        story.call(call) if call == 0 else story.run("go.next")
        head = story.page("call")
        said[call] = next(w for w in ("eager after the limit", "not compiled", "recompiled", "compiled", "reused", "error")
                          if re.search(rf"Call {call} {w}\b", head))
    assert [said[c] for c in (0, 7, 8, 10, 12, 18, 20, 24)] == [
        "compiled", "recompiled", "eager after the limit", "compiled", "reused", "not compiled", "error", "reused"]
    counts = [list(said.values()).count(w) for w in ("compiled", "recompiled", "reused", "eager after the limit",
                                                     "not compiled", "error")]
    assert counts == [4, 10, 6, 2, 2, 1]


def test_breaks_are_inside_their_call(story: Any) -> None:
    story.call(15)
    text = story.page("call")
    assert "Line 36: Tensor.item() needs the elements of a tensor. Keep the value as a tensor" in text
    assert "Line 36: print() writes output, which a graph cannot do." in text
    ran = text.partition("What ran")[2]
    assert re.search(r"cut.compiled.version 0.*cut after line 36 \(1\).compiled.*cut after line 36 \(2\).compiled", ran)
    story.click("call", "Line 36")
    assert story.window.views["source"].front
    assert story.window.views["source"].edit.current_line == 36


def test_an_error_names_the_exception(story: Any) -> None:
    story.call(20)
    assert "The call raised RuntimeError: inconsistent tensor size" in story.page("call")
    text = story.page("causes")
    assert text.count("fails raised RuntimeError in 1 run") == 1
    assert text.index("self.seen took") < text.index("fails raised"), "the script caught it and went on"


# 2: call details


def test_all_failures_of_all_versions_nearest_first(story: Any) -> None:
    story.call(14)
    text = story.page("call")
    part = text.partition("Why no kept version of sizes fitted")[2]
    assert re.search(r"version 1 nearest.k.2.5.version 0.x\.shape\[0\].1.8", part)
    assert "What was decided → k is dynamic from now on: it was 2, then 5" in text
    assert "In version 2 of sizes, k may be any value (s1)." in text
    story.click("call", "x.shape[0]")
    assert story.window.views["functions"].tree.currentIndex().data() == "version 0"


def test_what_a_pinned_size_came_to_is_said(story: Any) -> None:
    story.call(22)
    text = story.page("call")
    assert "x.shape[1] is dynamic from now on: it was 2, then 3" in text
    assert "In version 1 of Two.forward, x.shape[1] is pinned to 3 by line 23." in text


def test_names_stand_where_numbers_would(shown: Callable[[str], Any]) -> None:
    screen = shown("import torch\n\n\ndef make(scale, act):\n    def inner(x):\n        return act(x) * scale\n"
                   "    return torch.compile(inner)\n\n\nmake(2, torch.relu)(torch.ones(3))\n"
                   "make(3, torch.relu)(torch.ones(3))\nmake(3, torch.tanh)(torch.ones(3))\n")
    screen.call(2)
    text = screen.page("call")
    assert re.search(r"act.torch\.relu.torch\.tanh", text), text
    assert not re.search(r"0x[0-9a-f]{6}|\b\d{12,}\b|__closure__|co_freevars", text)


def test_the_bill_by_phase_adds_up(story: Any) -> None:
    story.call(15)
    title = re.search(r"Compile time, (\S+ \S+)", story.page("call"))
    assert title is not None
    bill = story.page("call").partition("Compile time, ")[2].partition("What ran")[0]
    assert [name for name in ("capture", "guards", "lowering") if f"{name}" in bill] == ["capture", "guards", "lowering"]
    units = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
    times = [float(n) * units[u] for n, u in re.findall(r"(?:capture|guards|lowering).([\d.]+) (ns|µs|ms|s)", bill)]
    number, unit = title[1].split()
    assert abs(sum(times) - float(number) * units[unit]) <= 0.02 * sum(times), bill


def test_the_state_is_compared_with_any_other_call(story: Any) -> None:
    story.call(10)
    story.run("go.mark")
    for _ in range(4):
        story.run("go.next")
    text = story.page("call")
    assert "Different from call 10, the marked call" in text
    assert re.search(r"x\.shape\[0\].1.8.checked.k.2.5.checked", text)
    story.run("go.previous")
    assert re.search(r"call 10, the marked call.*x\.shape\[0\].1.6.4 or more fits", story.page("call"))
    story.click("call", "call 10")
    assert story.here == 10


def test_a_pinned_size_does_not_fit_any_value(story: Any) -> None:
    story.call(22)
    assert re.search(r"x\.shape\[1\].2.3.checked", story.page("call").partition("Different from")[2])


# 3: the cause ledger


def test_causes_are_sentences_with_their_cost_dearest_first(story: Any) -> None:
    text = story.page("causes")
    assert "self.seen took 10 values: 8 versions of Meter.forward, then plain Python for 2 calls" in text
    assert "values: 0, 1, 2, 3" in text
    assert "x.shape[0] took 2 values: 2 versions of sizes" in text
    assert "never is never compiled: 2 runs as plain Python" in text
    units = {"µs": 1e-3, "ms": 1.0, "s": 1e3}
    costs = [float(n) * units[u] for n, u in re.findall(r"([\d.]+) (µs|ms|s) · \d+ calls?", text)]
    assert len(costs) >= 4
    assert text.startswith("self.seen took")
    assert costs[1:] == sorted(costs[1:], reverse=True), "what used up a limit stands before what only costs time"


def test_values_that_changed_together_are_one_cause(story: Any) -> None:
    text = story.page("causes")
    assert text.count("2 versions of Two.forward") == 1
    assert "x.shape[1] and 3 others changed together: 2 versions of Two.forward" in text
    for place in ("self.inner.weight.shape[0]", "self.inner.weight.shape[1]", "self.inner.bias.shape[0]"):
        assert f"{place}: 2, 3" in text


def test_a_click_on_a_cause_shows_its_calls(story: Any) -> None:
    story.click("causes", "9 calls")
    canvas = story.window.timeline.canvas
    assert canvas.highlight.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert story.here == 1
    story.click("causes", "line 13")
    assert story.window.views["source"].edit.current_line == 13


# 4: the limit


def test_the_meter_knows_places_owners_and_causes(story: Any) -> None:
    tree = story.tree()
    assert tree["Meter.forward"]["versions"] == "8 of 8"
    assert "places used up by self.seen (7)" in tree["Meter.forward"]["tip"]
    assert "The limit of 8 versions is reached" in tree["Meter.forward"]["tip"]
    assert {"Two.forward/Two 1", "Two.forward/Two 2"} <= set(tree)
    assert tree["Two.forward/Two 1"]["tip"].endswith("2 owners share the 8 places of this function")
    assert tree["sizes"]["versions"] == "3 of 8"
    assert tree["never"]["versions"] == "not compiled"


def test_owners_are_module_paths(shown: Callable[[str], Any]) -> None:
    screen = shown("""import torch


class Block(torch.nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        y = x * self.scale
        print("in")
        return y


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([Block(2.0), Block(3.0)])

    def forward(self, x):
        return self.blocks[1](self.blocks[0](x)) + 1


torch.compile(Net())(torch.ones(3))
""")
    assert {"Block.forward/blocks.0", "Block.forward/blocks.1"} <= set(screen.tree()), screen.tree()


def test_a_warning_comes_before_the_limit(shown: Callable[[str], Any]) -> None:
    screen = shown(COUNTER.format(calls=7))
    tip = screen.tree()["Meter.forward"]["tip"]
    assert "Near the limit: after 1 more version it runs as plain Python where none fits." in tip
    assert "near the limit" in screen.page("causes").casefold(), "not only in a tooltip"
    screen.call(6)
    assert "7 of 8 versions" in screen.page("call")


def test_the_timeline_is_clicked(story: Any, qtbot: Any) -> None:
    from guardscope.gui.widgets.lane_painter import AXIS, GUTTER

    canvas = story.window.timeline.canvas
    x = GUTTER + canvas.scale.to_pixel(8.5)
    qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(round(x), AXIS + 12))
    assert "Call 8 eager after the limit" in story.page("call")


def test_where_nothing_was_kept_nothing_is_said_to_have_failed(shown: Callable[[str], Any]) -> None:
    screen = shown("import torch\n\n\n@torch.compile\ndef f(x):\n    return x + 1 if x.shape[0] == 3 else x\n\n\n"
                   "for n in (2, 3):\n    f(torch.ones(n))\n")
    for call, outcome in enumerate(("not compiled", "compiled")):
        screen.call(call)
        text = screen.page("call")
        assert f"Call {call} {outcome}" in text
        assert "Why no kept version" not in text


def test_the_object_of_a_stored_method_is_explained(shown: Callable[[str], Any]) -> None:
    screen = shown("""import torch


class Stack:
    def __init__(self, k):
        self.k = k

    def push(self, x):
        return x * self.k


def make(push):
    @torch.compile
    def f(x):
        return push(x) + 1
    return f


for k in (2, 5):
    make(Stack(k).push)(torch.ones(3))
""")
    screen.call(1)
    for view in ("call", "causes"):
        text = screen.page(view)
        assert "push.__self__.k" in text
        assert "push.__self__ is the object whose method push is." in text


def test_advice_never_assigns_to_an_expression(shown: Callable[[str], Any]) -> None:
    screen = shown("""import torch


@torch.compile
def gate(x):
    y = torch.relu(x)
    if y.sum().item() > 4.0:
        y = y / y.sum()
    return y * 2.0


for k in (0.25, 0.5, 3.0):
    gate(torch.ones(3) * k)
""")
    text = screen.page("causes")
    assert "y.sum().item() took 3 values" in text
    assert "keep it a tensor" in text
    assert "y.sum().item() = " not in text and "Try it" not in text


def test_the_lane_of_what_is_selected_is_in_view(story: Any) -> None:
    from guardscope.gui.widgets.lane_painter import AXIS

    canvas = story.window.timeline.canvas
    for call, title in ((22, "Two.forward"), (0, "Meter.forward"), (15, "cut"), (20, "fails")):
        story.run("go.first")
        story.call(call)
        place = next(i for i, lane in enumerate(canvas.lanes) if lane.title == title)
        top = canvas.lane_tops()[place]
        assert top >= AXIS and top + canvas.lane_height(canvas.lanes[place]) <= canvas.viewport().height(), title
