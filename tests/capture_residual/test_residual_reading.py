# What people see of a function that breaks: the text of its parts, how often they are compiled, the lines they are at.
import ast
import dis
import subprocess
import sys
from pathlib import Path

import pytest
from guardscope.core.artifacts.cache import CodeState
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

note = torch._dynamo.disable(lambda *values: None)


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


def looping(x, w):
    for i in range(6):
        x = x * w
        note(i)
        if x.shape[0] > 100:
            continue
        x = x + 1
    return x


def guarded(x, w):
    try:
        x = x + w
        note(1)
        x = x * 2
    except ValueError as e:
        note(e)
        x = x - 1
    finally:
        note(2)
        x = x / 2
    return x


def parts_of(function):
    """The function's own state and those of its continuations."""
    return [s for s in CodeState._all.values() if s.unit.original.code is function.__code__ and s.artifacts]


def test_every_pass_of_a_loop_runs_the_same_artifacts():
    compiled = torch.compile(looping, backend="eager")
    x, w = torch.ones(3), torch.full((3,), 0.5)
    assert compiled(x, w).tolist() == looping(x, w).tolist()
    parts = parts_of(looping)
    assert {len(s.artifacts) for s in parts} == {1}
    graphs = [s for s in parts if s.artifacts[0].graph is not None]
    assert len(graphs) == 2                                     # before the break and after it
    made = sum(s.versions for s in parts)
    compiled(x + 1, w)
    assert sum(s.versions for s in parts_of(looping)) == made


@pytest.mark.parametrize("function", [looping, guarded])
def test_every_part_is_python_text_at_the_scripts_lines(function):
    torch.compile(function, backend="eager")(torch.ones(3), torch.ones(3))
    lines = range(function.__code__.co_firstlineno, function.__code__.co_firstlineno + 15)
    for state in parts_of(function):
        text = state.artifacts[0].captured.text
        names = [n.name for n in ast.parse(text).body]
        assert names[0] == "entry" and all(n.startswith("resume_in_") for n in names[1:])
        code = state.unit.code
        assert code.co_filename == __file__ and code.co_name == function.__name__
        assert all(line in lines for _, line in dis.findlinestarts(code) if line is not None)


def test_continuations_do_not_depend_on_the_order_of_sets():
    """The parameters of a continuation have an order of their own: passes of one loop share it."""
    torch.compile(looping, backend="eager")(torch.ones(3), torch.ones(3))
    for state in parts_of(looping)[1:]:
        taken = [p for p in state.unit.params if not p.startswith("__r")]
        assert taken == sorted(taken)


STEPPED = """
import sys
sys.path.insert(0, {root!r})
import main
main.make_importable()
from guardscope.core.torch_api.importing import install
install()
import linecache, torch

def f(x):
    y = x + 1
    print("between")
    return y * 2

seen = []
def tracer(frame, event, arg):
    if event == "line" and frame.f_code.co_filename.startswith("<entry "):
        seen.append(linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip())
    return tracer

c = torch.compile(f, backend="eager")
c(torch.ones(2))
sys.settrace(tracer)
c(torch.ones(2))
sys.settrace(None)
print(*seen, sep="\\n")
"""


def test_a_debugger_can_step_through_an_entry(tmp_path):
    script = tmp_path / "stepped.py"
    script.write_text(STEPPED.format(root=str(Path(__file__).parents[2])))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True,
                          env={"GUARDSCOPE_STEP": "1", "PATH": ""})
    assert "y, = __graph(x)" in done.stdout and "__r0 = __rt.call(__print, 'between')" in done.stdout
