# torch._dynamo.explain and the counters of torch._dynamo.utils, on functions whose graphs and breaks are known.
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402


def test_explain_counts_graphs_and_names_breaks(m):
    found = torch._dynamo.explain(m.breaks)(torch.ones(3))
    assert (found.graph_count, found.graph_break_count, found.op_count) == (2, 1, 2)
    assert found.ops_per_graph == [["add"], ["mul"]]
    broken, = found.break_reasons
    assert "torch._dynamo.graph_break()" in broken.reason
    assert broken.user_stack[-1].line == "torch._dynamo.graph_break()"
    text = str(found)
    assert "Graph Count: 2" in text and "torch.mul(" in text and "cache_subject.py:" in text
    assert any(guard.startswith("x: float32[3]") for guard in found.out_guards)


def test_explain_of_a_function_without_breaks_and_of_one_that_computes_nothing(m):
    whole = torch._dynamo.explain(m.add_size, torch.ones(3))
    assert (whole.graph_count, whole.graph_break_count) == (1, 0)
    nothing = torch._dynamo.explain(m.specialises)(torch.ones(3))
    assert (nothing.graph_count, nothing.graph_break_count, nothing.op_count) == (0, 0, 0)
    assert "Graph Count: 0" in str(nothing)


def test_explain_leaves_what_is_compiled_alone(m):
    fast = torch.compile(m.add_size, backend="eager")
    fast(torch.ones(3))
    torch._dynamo.explain(fast)(torch.ones(3))
    with torch.compiler.set_stance("fail_on_recompile"):
        fast(torch.ones(3))


def test_explain_passes_an_exception_on(m):
    try:
        torch._dynamo.explain(m.divides)(torch.ones(3), 0)
    except ZeroDivisionError:
        pass
    else:
        raise AssertionError("the exception was lost")
    from guardscope.core.artifacts.logs import OBSERVERS

    assert OBSERVERS == []


def test_counters(m):
    counters = torch._dynamo.utils.counters
    counters.clear()
    fast = torch.compile(m.breaks, backend="eager")
    fast(torch.ones(3))
    fast(torch.ones(3))
    assert counters["stats"] == {"unique_graphs": 2, "calls_captured": 2}
    assert sum(counters["graph_break"].values()) == 1
    counters.clear()
    assert not counters["stats"]
