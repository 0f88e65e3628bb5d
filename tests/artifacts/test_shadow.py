"""The shadow check: finds a deliberately broken guard, finds nothing where all is well, and leaves no trace of itself."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from guardscope.core.artifacts.cache import CodeState
from guardscope.core.artifacts.settings import SETTINGS
from guardscope.core.artifacts.shadow import SHADOW
from guardscope.core.capture.evaluator import Evaluator
from guardscope.core.events.reader import Session
from guardscope.core.events.recorder import RECORDER
from guardscope.core.events.schema import OUTCOMES
from guardscope.core.tensor.threads import THREADS
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402
from torch import nn  # noqa: E402

SCALE = 2
LOG: list[Any] = []


class Counter:
    last: Any = None

    def __init__(self) -> None:
        self.k, self.seen = 1, []


@pytest.fixture
def every(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every reused call is repeated."""
    torch._dynamo.reset()
    monkeypatch.setattr(SETTINGS, "shadow", 1)
    monkeypatch.setattr(THREADS, "many", False)         # threads of other tests are not these scripts'
    SHADOW.reset()
    yield
    SHADOW.reset()
    torch._dynamo.reset()


@pytest.fixture
def unguarded(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A test double of the evaluator that forgets the guards on one place."""
    def forget(text: str) -> None:
        right = Evaluator.guard

        def guard(self: Any, kind: str, origin: Any, expected: Any, why: str = "") -> None:
            if origin is None or origin.text != text:
                right(self, kind, origin, expected, why)

        monkeypatch.setattr(Evaluator, "guard", guard)

    return forget


def differences(tmp_path: Path, calls: Any) -> Session:
    """Record `calls()`."""
    path = tmp_path / "s.guardscope"
    RECORDER.open(path)
    try:
        calls()
    finally:
        RECORDER.close()
    return Session(path)


def test_a_forgotten_guard_is_found(every: None, unguarded: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unguarded("SCALE")

    @torch.compile(backend="eager")
    def f(x: Any) -> Any:
        return {"out": [x * SCALE]}

    def calls() -> None:
        f(torch.ones(3))
        f(torch.ones(3))                                       # call 1: right
        monkeypatch.setitem(globals(), "SCALE", 5)
        stale = f(torch.ones(3))                               # call 2: reused, wrong
        assert stale["out"][0].tolist() == [2.0, 2.0, 2.0]

    session = differences(tmp_path, calls)
    [event] = [e for e in session.events if e.kind == "shadow"]
    assert event.call == 2
    assert event.data["where"] == "result['out'][0][0]"
    assert (event.data["reused"], event.data["plain"]) == ("2.0", "5.0")
    assert [OUTCOMES[o] for o in session.calls["outcome"]] == ["compile", "reuse", "error"]
    [error] = session.errors
    assert (error.call, error.type) == (2, "ShadowDifference")
    assert session.info["shadow"] == {"every": 1, "checked": 2, "different": 1, "skipped": {}}


def test_a_wrong_effect_is_found(every: None, unguarded: Any, tmp_path: Path) -> None:
    unguarded("o.k")

    @torch.compile(backend="eager")
    def f(x: Any, o: Any) -> Any:
        o.seen.append(o.k * 2)
        return x + 1

    o = Counter()

    def calls() -> None:
        f(torch.ones(3), o)
        o.k = 7
        f(torch.ones(3), o)

    session = differences(tmp_path, calls)
    [event] = [e for e in session.events if e.kind == "shadow"]
    assert "o.seen" in event.data["where"] and (event.data["reused"], event.data["plain"]) == ("2", "14")
    assert o.seen == [2, 2]                                    # what the reused version left, not what the repetition did


def test_an_exception_and_a_print_are_found_and_not_passed_on(every: None, unguarded: Any, tmp_path: Path) -> None:
    unguarded("o.k")

    @torch.compile(backend="eager")
    def f(x: Any, o: Any) -> Any:
        if o.k == 2:
            raise ValueError("two")
        if o.k == 3:
            print("three")
        return x + 1

    o, out = Counter(), io.StringIO()

    def calls() -> None:
        for o.k in (1, 2, 3):
            f(torch.ones(3), o)

    with contextlib.redirect_stdout(out):
        events = [e for e in differences(tmp_path, calls).events if e.kind == "shadow"]
    assert [e.data["where"] for e in events] == ["outcome", "what is printed"]
    assert "ValueError: two" in events[0].data["plain"] and "three" in events[1].data["plain"]
    assert out.getvalue() == ""


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("mean", torch.zeros(3))
        self.calls = 0
        self.cache: dict[str, Any] = {}

    def forward(self, x: Any) -> Any:
        self.mean.mul_(0.5).add_(x.mean(0))
        self.cache["last"] = x
        return self.lin(x) - self.mean, x[0]


@pytest.mark.usefixtures("every")
def test_nothing_is_found_where_all_is_well_and_every_effect_happens_once() -> None:
    """Compiled with the check on, and plain: equal results and equal state, whatever kind of state it is."""
    def drive(compiled: bool) -> list[Any]:
        torch.manual_seed(3)
        random.seed(3)
        net, box, items, closed = Net(), Counter(), [1], 0
        first = torch.arange(6.0).reshape(2, 3)
        Counter.last = None
        LOG.clear()

        def step(x: Any, note: str) -> Any:
            nonlocal closed
            closed += 1
            LOG.append(note)
            items.append(2)
            box.seen.append(x)
            Counter.last = x
            x.add_(1)
            y, row = net(x)
            y = y + torch.rand(3)
            return y, row, items, {"note": note, "made": [y, y]}

        run = torch.compile(step, backend="eager", dynamic=True) if compiled else step
        found = [run(first, "n") for _ in range(6)]
        return [[t.tolist() for t in (f[0], f[1])] for f in found] + [
            closed, len(LOG), items, len(box.seen), all(s is first for s in box.seen), Counter.last is first, first.tolist(),
            net.mean.tolist(), net.cache["last"] is first, found[-1][2] is items,
            found[-1][3]["made"][0] is found[-1][3]["made"][1],
            torch.rand(1).item()]

    mine = drive(compiled=True)
    checked = SHADOW.checked
    assert mine == drive(compiled=False)
    assert SHADOW.different == 0 and checked > 0, SHADOW.skipped


def test_only_every_nth_call_is_repeated(every: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SETTINGS, "shadow", 4)
    f = torch.compile(lambda x: x + 1, backend="eager")
    for _ in range(10):                                        # nine reused calls: the first, the fifth, the ninth
        f(torch.ones(2))
    assert SHADOW.checked == 3


def test_versions_with_plain_python_between_graphs_are_counted_not_repeated(every: None) -> None:
    @torch.compile(backend="eager")
    def f(x: Any) -> Any:
        x = x + 1
        print("once")
        return x * 2

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for _ in range(3):
            f(torch.ones(2))
    assert out.getvalue() == "once\n" * 3
    assert SHADOW.different == 0 and sum(SHADOW.skipped.values()) == 2
    assert SHADOW.checked == 2                                 # the rest of the function after the print


def test_what_cannot_be_put_back_is_said(every: None) -> None:
    @torch.compile(backend="eager")
    def f(x: Any, xs: Any) -> Any:
        return x + 1

    xs = iter([1, 2])
    for _ in range(3):
        f(torch.ones(2), xs)
    assert SHADOW.checked == 0
    assert SHADOW.skipped == {"xs is a list_iterator, which cannot be put back": 2}


def test_off_means_the_very_same_entry() -> None:
    torch._dynamo.reset()
    assert SETTINGS.shadow == 0
    f = torch.compile(lambda x: x - 1, backend="eager")
    f(torch.ones(2))
    assert any(state.artifacts for state in CodeState._all.values())
    assert all(SHADOW.entry(state, a) is a.entry for state in CodeState._all.values() for a in state.artifacts)
