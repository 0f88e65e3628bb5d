"""Graphs, guards and generated Python as people read them. `--update-golden` rewrites the files; read the difference."""

import importlib
from pathlib import Path

import pytest
from guardscope.core.graph.printer import graph_text
from guardscope.core.guards import compile as guard_compiler
from guardscope.tests.capture.harness import Engine, Policy

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "capture"
CASES = ["straight", "before_and_after", "by_data", "effects", "closure"]


def text_of(captured, unit_params):
    program = guard_compiler.build(captured.guards, captured.env, unit_params, captured.globals_slots)
    guards = "\n".join(f"{kind:16} {origin:24} {condition}   # {why}"
                       for kind, origin, condition, _, _, why in program.describe())
    broke = f"\n# ends in a break: {captured.break_.sentence}" if captured.break_ is not None else ""
    return f"{graph_text(captured.graph)}\n{guards}\n\n{captured.entry_source}{broke}\n"


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", CASES)
def test_golden(load_program, request, name, dynamic):
    importlib.import_module("torch._dynamo")            # under the name that scripts know, whoever imported it before
    m = load_program("golden")
    torch = m.torch
    x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    args = {"straight": (x, torch.ones(4, 2)), "effects": (x, m.Box(), [], {"k": 1}), "closure": (x, 3)}.get(name, (x,))
    engine = Engine(Policy(sizes=dynamic))
    engine(getattr(m, name), *args)
    params = [list(unit.params) for unit in dict.fromkeys(engine.keep)]
    text = "\n".join(text_of(c, p) for c, p in zip(engine.captured, params))
    path = GOLDEN / f"{name}_{'dynamic' if dynamic else 'static'}.txt"
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_places_are_those_of_the_script(load_program):
    m = load_program("golden")
    engine = Engine()
    engine(m.before_and_after, m.torch.arange(3, dtype=m.torch.float32))
    first, second = engine.captured
    lines = Path(m.__file__).read_text(encoding="utf-8").splitlines()
    assert "graph_break()" in lines[first.break_.span.line - 1]
    spans = [n.span for c in (first, second) for n in c.graph.operations]
    texts = [lines[s.line - 1][s.col:s.end_col] for s in spans]
    assert texts == ["x - 3", "torch.relu(x - 3)", "y * 2", "z + 1"]
    assert [n.name for n in first.graph.operations][-1] == "y"


def test_everything_read_is_accounted_for(load_program):
    m = load_program("golden")
    engine = Engine()
    engine(m.straight, m.torch.ones(3, 4), m.torch.ones(4, 2))
    reads = dict(engine.captured[0].reads)
    assert reads["x"] == "input" and reads["w"] == "input" and reads["SCALE"] == "checked" and reads["torch"] == "checked"
    assert reads["torch.relu"] == "checked"
