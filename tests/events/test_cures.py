"""Where in a script a change goes: found by the recorded calls and the source, on odd sources too."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from guardscope.core.events import cures as module
from guardscope.core.events.cures import cures, torch_name
from guardscope.core.events.schema import Artifact, Code, FailureRow, Miss

PLACES = {"size": ("TENSOR_MATCH", "x", "x.shape[0]", "size", ("2", "3", "4")),
          "number": ("EQUALS_MATCH", "k", "k", "value", ("1", "2", "3")),
          "state": ("EQUALS_MATCH", "self.n", "self.n", "value", ("0", "1", "2"))}


def session(text: str, what: str, lines: tuple[int, ...], name: str = "f") -> Any:
    """A recorded run of `f(x, k)` that was called on these lines and compiled three times because of one place."""
    kind, origin, where, aspect, seen = PLACES[what]
    misses = [Miss(i, 0, i + 1, 0, (FailureRow(i, 1, kind, origin, seen[i], seen[i + 1], 0 if what == "size" else None, where,
                                               aspect),)) for i in range(2)]
    calls = {"code": np.zeros(3, int), "line": np.array((lines * 3)[:3]), "outcome": np.ones(3, int)}
    return SimpleNamespace(
        info={"script": "/s/model.py"}, codes=[Code(0, name, name, "/s/model.py", 1, 2, params=("self", "x", "k"))],
        artifacts=[Artifact(i, 0, i, i, i - 1) for i in range(3)], misses=misses, phases=[], limits=[], breaks=[],
        sources={"/s/model.py": text}, calls=calls, guards=lambda artifact: [], not_compiled=[], events=[])


def texts(text: str, what: str, *lines: int, name: str = "f") -> list[str]:
    return [c.text for c in cures(session(text, what, lines, name), text)]


def test_a_mark_goes_before_the_statement() -> None:
    text = "import torch as th\n@th.compile\ndef f(x, k): return x * k\nfor n in (2, 3):\n\tx = th.ones(n)\n\tf(x, 1)\n"
    marked, dynamic = texts(text, "size", 6)
    assert marked == text.replace("\tf(x, 1)", "\tth._dynamo.mark_dynamic(x, 0)\n\tf(x, 1)")
    assert dynamic == text.replace("@th.compile", "@th.compile(dynamic=True)")


@pytest.mark.parametrize("call", ["if n: pass\nelif fast(x, 1) is None: pass", "a = 1; fast(x, 1)", "fast(make(), 1)",
                                  "[fast(y, 1) for y in z]", "fast(*x, 1)"])
def test_where_no_mark_can_stand_only_the_compile_call_is_changed(call: str) -> None:
    text = f"import torch\nfast = torch.compile(f, mode=m)\n{call}\n"
    found = texts(text, "size", text.count("\n"), text.count("\n") - 1)
    assert [t for t in found if "dynamic=True" in t] == [text.replace("mode=m)", "mode=m, dynamic=True)")]
    for t in found:
        ast.parse(t)
        assert "mark_dynamic" not in t


def test_arguments_are_wrapped_where_they_are_passed() -> None:
    text = "import torch\nfast = torch.compile(f)\nother(x, 1); fast(x, k := 'ä' and 3)\nfast(\n    x,\n    k=step * 2,\n)\n"
    (found,) = texts(text, "number", 3, 4)
    assert "fast(x, torch.tensor(k := 'ä' and 3))" in found
    assert "k=torch.tensor(step * 2)," in found
    assert "other(x, 1)" in found


def test_the_first_value_is_found_once_or_not_at_all() -> None:
    text = "import torch\nclass M:\n    def __init__(self):\n        self.n = 0  # calls\n        self.m = 0\n"
    assert texts(text, "state", 4) == [text.replace("self.n = 0  # calls", "self.n = torch.tensor(0)")]
    assert texts(text + "        self.n = 0\n", "state", 4) == []


def test_a_compile_call_that_says_dynamic_stays() -> None:
    text = "import torch\nfast = torch.compile(f, dynamic=False)\nfast(make(), 1)\n"
    assert texts(text, "size", 3) == []
    assert texts("import re\nfast = re.compile('f')\n", "size", 2) == []


@pytest.mark.parametrize("text", ["", "def f(:\n", "\x00", "x = " + "(" * 300, "import torch\n" + "f(x, 1)\n" * 50])
def test_any_text_is_taken(text: str) -> None:
    for what in PLACES:
        for found in texts(text, what, 1, 2, 3):
            ast.parse(found)


def test_what_torch_is_called() -> None:
    assert torch_name(ast.parse("import os, torch as T\n")) == "T"
    assert torch_name(ast.parse("import torch.nn as nn\n")) == "torch"
    assert module.MOST_CURES >= 4
