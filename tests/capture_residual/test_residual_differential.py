# Every program, with a graph break at every gb() in turn, compiled and as plain Python: equal results, exceptions, logs.
import ast
import warnings
from pathlib import Path

import differential
import pytest
import residual_support as support
from differential import OPAQUE, PROGRAMS, torch
from guardscope.core.artifacts.cache import CodeState

SQUARE = next(n for n in support.load_programs(Path(__file__).with_name("classes.py")).body if isinstance(n, ast.ClassDef))
METHODS = [n.name for n in SQUARE.body if isinstance(n, ast.FunctionDef) and support.breaks_in(n)]


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


# Programs with a place that no continuation can enter: there, and only there, a frame runs natively.
NATIVE = {"unbound_shared": "closure variable"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    """Equal to plain Python, and resumed wherever it can be."""
    reasons = []
    for case in differential.cases():
        if case.name == name:
            got, wanted = differential.compare(case)
            assert got == wanted, case
            reasons += [s.skipped for s in CodeState._all.values()
                        if s.unit.file == f"/virtual/{name}_{case.k}.py" and s.skipped is not None]
    if name in NATIVE:
        assert any(NATIVE[name] in reason for reason in reasons), reasons
    else:
        assert reasons == []


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
