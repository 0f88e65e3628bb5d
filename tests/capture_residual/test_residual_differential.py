# Every program, with a graph break at every gb() in turn, compiled and as plain Python: equal results, exceptions, logs.
import ast
import warnings
from pathlib import Path

import pytest
import residual_support as support
from guardscope.core.artifacts.cache import CodeState
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

HERE = Path(__file__).parent
PROGRAMS = [n for n in support.load_programs(HERE / "programs.py").body if isinstance(n, ast.FunctionDef)]
SQUARE = next(n for n in support.load_programs(HERE / "classes.py").body if isinstance(n, ast.ClassDef))
METHODS = [n.name for n in SQUARE.body if isinstance(n, ast.FunctionDef) and support.breaks_in(n)]
GLOBALS = {"g_count": 0, "g_name": 1}
OPAQUE = torch._dynamo.disable(support.opaque)


def cases():
    for node in PROGRAMS:
        for k in range(1, support.breaks_in(node) + 1):
            yield pytest.param(node, k, id=f"{node.name}-{k}")
        yield pytest.param(node, None, id=f"{node.name}-all")


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def arguments_of(node):
    return [(2,), (2,), (-1,), (2,)]


def run_all(function, namespace, calls):
    results = []
    for arguments in calls:
        namespace.update(GLOBALS)
        results.append(support.outcome(function, namespace, arguments))
    return results


@pytest.mark.parametrize(("node", "k"), list(cases()))
def test_program(node, k):
    text = support.text_of(node, k)
    name = f"{node.name}_{k}"
    namespace = support.build(text, name, {"gb": support.traced, "opaque_gb": OPAQUE, **GLOBALS})
    function = namespace[node.name]
    wanted = run_all(function, namespace, arguments_of(node))
    compiled = torch.compile(function, backend="eager")
    assert run_all(compiled, namespace, arguments_of(node)) == wanted


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


@pytest.mark.parametrize("node", PROGRAMS, ids=lambda n: n.name)
def test_resumed_wherever_it_can_be(node):
    reasons = []
    for k in range(1, support.breaks_in(node) + 1):
        name = f"resumed_{node.name}_{k}"
        namespace = support.build(support.text_of(node, k), name, {"gb": support.traced, "opaque_gb": OPAQUE, **GLOBALS})
        support.outcome(torch.compile(namespace[node.name], backend="eager"), namespace, (2,))
        reasons += [s.skipped for s in states_of(name) if s.skipped is not None]
    wanted = NATIVE.get(node.name)
    if wanted is None:
        assert reasons == []
    else:
        assert any(wanted in reason for reason in reasons), reasons
