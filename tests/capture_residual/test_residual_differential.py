# Every program, with a graph break at every gb() in turn, compiled and as plain Python: equal results, exceptions, logs.
import ast
import types
import warnings
from pathlib import Path

import differential
import pytest
import residual_support as support
from differential import OPAQUE, PROGRAMS, Case, torch
from guardscope.core.artifacts.cache import CodeState

SQUARE = next(n for n in support.load_programs(Path(__file__).with_name("classes.py")).body if isinstance(n, ast.ClassDef))
METHODS = [n.name for n in SQUARE.body if isinstance(n, ast.FunctionDef) and support.breaks_in(n)]


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    for case in differential.cases():
        if case.name == name:
            got, wanted = differential.compare(case)
            assert got == wanted, case


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 200 and sum(1 for _ in differential.cases()) >= 700


@pytest.mark.parametrize("k", [*range(1, support.breaks_in(SQUARE) + 1), None])
@pytest.mark.parametrize("method", METHODS)
def test_method(method, k):
    text = support.text_of(SQUARE, k)
    namespace = support.build(text, f"square_{k}", {"gb": support.traced, "opaque_gb": OPAQUE})
    cls = namespace["Square"]

    def calls(compiled):
        obj = cls()
        bound = getattr(obj, method)
        if compiled:
            bound = torch.compile(bound, backend="eager")
        return [(support.outcome(bound, namespace, (n,)), vars(obj)) for n in (3, 3, 4)]

    assert calls(True) == calls(False)


# Programs with a place that no continuation can enter: there, and only there, a frame runs natively.
NATIVE = {"unbound_shared": "closure variable"}


def states_of(name):
    return [s for s in CodeState._all.values() if s.unit.file == f"/virtual/{name}.py"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_resumed_wherever_it_can_be(name):
    reasons = []
    for k in range(1, support.breaks_in(PROGRAMS[name]) + 1):
        case = Case(name, k)
        namespace = differential.namespace_of(case, "resumed_")
        assert isinstance(namespace[name], types.FunctionType)
        support.outcome(torch.compile(namespace[name], backend="eager"), namespace, (2,))
        reasons += [s.skipped for s in states_of(f"resumed_{name}_{k}") if s.skipped is not None]
    wanted = NATIVE.get(name)
    if wanted is None:
        assert reasons == []
    else:
        assert any(wanted in reason for reason in reasons), reasons
