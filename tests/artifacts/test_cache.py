# What torch.compile gives back: dispatch, order of artifacts, limits, marks, stances, signatures, exceptions. Results are
# always compared with the uncompiled function.
import inspect
import traceback
import types
import warnings

import numpy as np
import pytest
from guardscope.core.artifacts.cache import CodeState
from guardscope.core.capture.unit import unit_of
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402


def compiled(fn, **options):
    return torch.compile(fn, **{"backend": "eager", **options})


def state(fn):
    return CodeState.of(unit_of(fn), fn.__globals__)


def versions(fn):
    """Versions of the artifacts that have a graph, most recently used first."""
    return [a.version for a in sorted(state(fn).compiled, key=lambda a: -a.stamp)]


def x_of(*shape):
    return torch.arange(int(np.prod(shape)), dtype=torch.float32).reshape(shape)


def same(got, wanted):
    if isinstance(wanted, torch.Tensor):
        assert isinstance(got, torch.Tensor)
        assert (got.dtype, got.shape, got.stride()) == (wanted.dtype, wanted.shape, wanted.stride())
        assert got.tolist() == wanted.tolist()
    elif isinstance(wanted, tuple | list):
        assert type(got) is type(wanted) and len(got) == len(wanted)
        for g, w in zip(got, wanted):
            same(g, w)
    elif isinstance(wanted, dict):
        assert list(got) == list(wanted)
        same(list(got.values()), list(wanted.values()))
    else:
        assert type(got) is type(wanted) and got == wanted


def check(fn, calls, **options):
    """Every call twice, compiled and plain."""
    g = compiled(fn, **options)
    for args in [*calls, *calls]:
        same(g(*args), fn(*args))
    return g


# -- artifacts and their order --
def test_one_artifact_serves_equal_calls(m):
    g = check(m.scaled, [(x_of(3),), (x_of(3) + 1,)])
    assert versions(m.scaled) == [0]
    assert g is not m.scaled


def test_each_dtype_and_rank_has_its_artifact_and_the_last_used_comes_first(m):
    g = compiled(m.scaled, dynamic=False)
    args = [x_of(3), x_of(3).double(), x_of(3, 2), x_of(3).int()]
    for a in args:
        same(g(a), m.scaled(a))
    assert versions(m.scaled) == [3, 2, 1, 0]
    g(args[1])
    assert versions(m.scaled) == [1, 3, 2, 0]
    g(args[1])
    g(args[0])
    assert versions(m.scaled) == [0, 1, 3, 2]


def test_what_metadata_cannot_tell_apart_is_checked_again(m):
    calls = [(x_of(3), 2), (x_of(3), True), (x_of(3), 2.5), (x_of(3), 7)]
    check(m.times, calls, dynamic=False)
    assert len(versions(m.times)) == 4


def test_the_fast_path_takes_the_last_used_of_several_that_fit(m):
    g = compiled(m.add_size)
    for n in (3, 4, 5):
        same(g(x_of(n)), m.add_size(x_of(n)))
    assert versions(m.add_size) == [1, 0]         # static 3, then dynamic
    g(x_of(3))                                    # both fit; the dynamic one was used last
    assert versions(m.add_size) == [1, 0]


def test_a_tensor_that_becomes_something_else_is_no_hit(m):
    g = compiled(m.times)
    same(g(x_of(3), 2), m.times(x_of(3), 2))
    same(g(4, x_of(3)), m.times(4, x_of(3)))
    same(g(x_of(3), x_of(3)), m.times(x_of(3), x_of(3)))
    same(g(3, 4), 12)


def test_globals_are_read_at_each_call(m):
    g = compiled(m.reads_global)
    x = x_of(3)
    for factor in (2.0, 3.0, 3.0, -1.5, 2, True):
        m.FACTOR = factor
        same(g(x), m.reads_global(x))
    del m.FACTOR
    with pytest.raises(NameError, match="name 'FACTOR' is not defined"):
        g(x)
    m.FACTOR = 9.0
    same(g(x), m.reads_global(x))


def test_closures_of_one_code_share_artifacts_but_not_cells(m):
    three, four = m.make(3), m.make(4)
    gs = [compiled(f) for f in (three, four)]
    for _ in range(2):
        for g, f in zip(gs, (three, four)):
            same(g(x_of(2)), f(x_of(2)))
    assert state(three) is state(four)


# -- recompile limit --
def test_beyond_the_limit_one_warning_and_plain_python(m):
    torch._dynamo.config.recompile_limit = 2
    g = compiled(m.times, dynamic=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in range(6):
            same(g(x_of(2), n), m.times(x_of(2), n))
    assert len(caught) == 1
    assert "recompile_limit (2)" in str(caught[0].message) and "times" in str(caught[0].message)
    assert len(versions(m.times)) == 2
    same(g(x_of(2), 1), m.times(x_of(2), 1))      # what was compiled is still used


def test_limit_of_one_compile_call(m):
    g = compiled(m.times, dynamic=False, recompile_limit=1)
    with pytest.warns(UserWarning, match="limit"):
        for n in (2, 3):
            same(g(x_of(2), n), m.times(x_of(2), n))


def test_fullgraph_beyond_the_limit_is_an_error(m):
    torch._dynamo.config.recompile_limit = 1
    g = compiled(m.times, dynamic=False, fullgraph=True)
    g(x_of(2), 2)
    with pytest.warns(UserWarning), pytest.raises(Exception, match="recompile limit") as caught:
        g(x_of(2), 3)
    assert type(caught.value).__name__ == "FailOnRecompileLimitHit"


# -- fullgraph --
def test_fullgraph_names_the_break_and_its_line(m):
    line = m.breaks.__code__.co_firstlineno + 2
    with pytest.raises(Exception, match=rf"graph_break.*cache_subject.py:{line}"):
        compiled(m.breaks, fullgraph=True)(x_of(2))
    same(compiled(m.breaks)(x_of(2)), m.breaks(x_of(2)))


def test_fullgraph_without_source_is_refused_at_once():
    scope = {}
    exec("def made(x):\n    return x + 1", scope)
    with pytest.raises(Exception, match="made.*cannot be captured"):
        compiled(scope["made"], fullgraph=True)
    same(compiled(scope["made"])(x_of(2)), scope["made"](x_of(2)))


def test_fullgraph_refuses_a_generator(m):
    with pytest.raises(Exception, match="generator"):
        list(compiled(m.generator, fullgraph=True)(x_of(2)))


# -- sizes --
def sizes_seen(fn, sizes, **options):
    g = compiled(fn, **options)
    counts = []
    for n in sizes:
        same(g(x_of(n)), fn(x_of(n)))
        counts.append(len(versions(fn)))
    return counts


def test_automatic_dynamic_from_the_second_size_on(m):
    assert sizes_seen(m.add_size, [3, 4, 5, 6, 3]) == [1, 2, 2, 2, 2]


def test_dynamic_true_from_the_first(m):
    assert sizes_seen(m.add_size, [3, 4, 5], dynamic=True) == [1, 1, 1]


def test_dynamic_false_never(m):
    assert sizes_seen(m.add_size, [3, 4, 5, 4], dynamic=False) == [1, 2, 3, 3]


def test_sizes_zero_and_one_stand_alone(m):
    assert sizes_seen(m.add_size, [3, 4, 1, 0, 9, 1], dynamic=None) == [1, 2, 3, 4, 4, 4]


def test_automatic_dynamic_can_be_switched_off(m):
    torch._dynamo.config.automatic_dynamic_shapes = False
    assert sizes_seen(m.add_size, [3, 4, 5]) == [1, 2, 3]


def test_equal_sizes_of_two_tensors(m):
    check(m.two_sizes, [(x_of(3), x_of(3)), (x_of(4), x_of(4)), (x_of(4), x_of(5)), (x_of(6), x_of(2))])
    torch._dynamo.reset()
    check(m.two_sizes, [(x_of(3), x_of(3)), (x_of(4), x_of(4)), (x_of(4), x_of(5))], dynamic=True)


def test_mark_dynamic(m):
    g = compiled(m.add_size)
    first = x_of(3)
    torch._dynamo.mark_dynamic(first, 0)
    same(g(first), m.add_size(first))
    same(g(x_of(5)), m.add_size(x_of(5)))
    assert versions(m.add_size) == [0]


def test_mark_dynamic_that_the_script_contradicts(m):
    x = x_of(4)
    torch._dynamo.mark_dynamic(x, 0)
    line = m.specialises.__code__.co_firstlineno + 1
    with pytest.raises(Exception, match=f":{line}") as caught:
        compiled(m.specialises)(x)
    assert type(caught.value).__name__ == "ConstraintViolationError"
    torch._dynamo.reset()
    soft = x_of(4)
    torch._dynamo.maybe_mark_dynamic(soft, 0)
    same(compiled(m.specialises)(soft), m.specialises(soft))


def test_mark_static(m):
    g = compiled(m.add_size)
    for n, count in ((3, 1), (4, 2), (5, 3)):
        x = x_of(n)
        torch._dynamo.mark_static(x, 0)
        same(g(x), m.add_size(x))
        assert len(versions(m.add_size)) == count


@pytest.mark.parametrize("dim", [1, -2])
def test_a_mark_beyond_the_rank(dim):
    with pytest.raises(IndexError, match="1 dimension"):
        torch._dynamo.mark_dynamic(x_of(3), dim)


def test_numbers_become_symbols_when_they_change(m):
    check(m.times, [(x_of(2), n) for n in (2, 3, 4, 5, 0, 1, -1)])
    assert len(versions(m.times)) <= 4


# -- reset, stances --
def test_reset_forgets_and_wrappers_go_on(m):
    g = compiled(m.add_size)
    for n in (3, 4):
        g(x_of(n))
    torch._dynamo.reset()
    assert versions(m.add_size) == []
    same(g(x_of(3)), m.add_size(x_of(3)))
    same(g(x_of(3)), m.add_size(x_of(3)))
    assert versions(m.add_size) == [2] or len(versions(m.add_size)) == 1


def test_force_eager(m):
    g = compiled(m.add_size)
    with torch.compiler.set_stance("force_eager"):
        same(g(x_of(3)), m.add_size(x_of(3)))
        assert versions(m.add_size) == []
    same(g(x_of(3)), m.add_size(x_of(3)))
    assert versions(m.add_size) == [0]


def test_eager_on_recompile(m):
    g = compiled(m.add_size)
    g(x_of(3))
    with torch.compiler.set_stance("eager_on_recompile"):
        same(g(x_of(4)), m.add_size(x_of(4)))
        same(g(x_of(3)), m.add_size(x_of(3)))
    assert versions(m.add_size) == [0]


def test_fail_on_recompile(m):
    g = compiled(m.add_size)
    g(x_of(3))
    with torch.compiler.set_stance("fail_on_recompile"):
        same(g(x_of(3)), m.add_size(x_of(3)))
        with pytest.raises(RuntimeError, match=r"x.shape\[0\] was 3, is 4"):
            g(x_of(4))
    same(g(x_of(4)), m.add_size(x_of(4)))


def outcomes(fn, calls, **options):
    """Number of artifacts after each call; every result is compared."""
    g, counts = compiled(fn, **options), []
    for args in calls:
        same(g(*args), fn(*args))
        counts.append(len(state(fn).compiled))
    return counts


@pytest.mark.parametrize("stance", ["eager_then_compile", "aot_eager_then_compile"])
def test_a_first_call_that_runs_eagerly_counts_as_seen(m, stance):
    with torch.compiler.set_stance(stance):
        counts = outcomes(m.times, [(x_of(3), 1), (x_of(4), 2), (x_of(5), 3), (x_of(6), 4)])
    assert counts == [0, 1, 1, 1]


def test_a_forced_backend_makes_versions_of_its_own(m):
    seen = []

    def backend(gm, inputs):
        seen.append(gm.graph.name)
        return gm.forward

    g = compiled(m.times)
    g(x_of(3), 2)
    with torch.compiler.set_stance("default", force_backend=backend):
        same(g(x_of(3), 2), m.times(x_of(3), 2))
        same(g(x_of(3), 2), m.times(x_of(3), 2))
    same(g(x_of(3), 2), m.times(x_of(3), 2))
    assert len(seen) == 1 and len(state(m.times).compiled) == 2


@pytest.mark.parametrize(("stance", "backend", "said"), [
    ("force_eager", "eager", "goes with the stance 'default'"), ("default", "no such", "no such")])
def test_a_forced_backend_that_cannot_be(stance, backend, said):
    with pytest.raises((RuntimeError, torch._dynamo.exc.InvalidBackend), match=said):
        torch.compiler.set_stance(stance, force_backend=backend)


def test_stances_undone_in_order(m):
    g = compiled(m.add_size)
    with torch.compiler.set_stance("force_eager"):
        with torch.compiler.set_stance("default"):
            g(x_of(3))
        assert len(state(m.add_size).compiled) == 1
        g(x_of(4))
    assert len(state(m.add_size).compiled) == 1


def test_the_accumulated_limit_counts_all_wrappers(m):
    torch._dynamo.config.recompile_limit = 2
    torch._dynamo.config.accumulated_recompile_limit = 5
    first, second, third = (compiled(m.times, isolate_recompiles=True, dynamic=False) for _ in range(3))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in (1, 2, 3):
            for g in (first, second, third):
                same(g(x_of(2), k), m.times(x_of(2), k))
    assert len(state(m.times).compiled) == 5
    assert any("hit config." in str(w.message) for w in caught)


def test_the_limit_says_what_used_it_up(m):
    torch._dynamo.config.recompile_limit = 3
    g = compiled(m.times, dynamic=False)
    with pytest.warns(UserWarning, match=r"what used it up: n \(2\)"):
        for k in range(5):
            g(x_of(2), k)


def test_a_limit_of_zero_compiles_nothing(m):
    with pytest.warns(UserWarning, match=r"recompile_limit \(0\)"):
        assert outcomes(m.add_size, [(x_of(2),)], recompile_limit=0) == [0]


def test_an_isolated_wrapper_uses_what_all_may_use(m):
    compiled(m.add_size)(x_of(3))
    assert outcomes(m.add_size, [(x_of(3),)], isolate_recompiles=True) == [1]


@pytest.mark.parametrize(("recursive", "compiled_too"), [(True, False), (False, True)])
def test_what_a_disabled_function_calls(m, recursive, compiled_too):
    off = torch.compiler.disable(m.raises_deep, recursive=recursive)
    assert off.__name__ == "raises_deep"
    for _ in range(2):
        with pytest.raises(LookupError, match="deep down"):
            off(x_of(2))
    assert versions(m.helper) == []                            # nothing is compiled outside of compiled code

    def calls_off(x):
        return off(x + 1)

    with pytest.raises(LookupError, match="deep down"):
        compiled(m.calls_it)(x_of(2), off)
    assert bool(state(m.helper).refusals) is compiled_too
    assert versions(m.calls_it) == [0]


def test_a_disabled_module_keeps_its_parameters(m):
    holder = m.Holder(torch.compiler.disable(m.Net()))
    assert [n for n, _ in holder.named_parameters()] == ["inner._orig_mod.weight"]
    g = torch.compile(holder, backend="eager")
    same(g(x_of(3)), holder(x_of(3)))
    assert versions(m.Net.forward) == [] and versions(m.Holder.forward) == [0]
    same(torch.compile(holder.inner, backend="eager")(x_of(3)), holder.inner(x_of(3)))
    assert versions(m.Net.forward) == [0]


def test_a_disabled_class(m):
    cls = torch.compiler.disable(m.Scaler)
    assert cls is m.Scaler
    check(m.calls_it, [(x_of(3), cls(2)), (x_of(3), cls(3))])
    assert not any(s.unit.qualname == "Scaler.__call__" for s in CodeState._all.values())


def test_compiling_what_was_disabled_compiles_the_original(m):
    check(torch.compiler.disable(m.add_size), [(x_of(3),)])
    assert versions(m.add_size) == [0]


def test_disable_of_what_cannot_be_called():
    with pytest.raises(TypeError, match="got int"):
        torch.compiler.disable(3)


def test_unknown_stance():
    with pytest.raises(RuntimeError, match="stance"):
        torch.compiler.set_stance("fast")


def test_error_on_recompile(m):
    torch._dynamo.config.error_on_recompile = True
    g = compiled(m.add_size)
    g(x_of(3))
    with pytest.raises(Exception, match="recompil"):
        g(x_of(4))


def test_compilation_switched_off(m):
    assert torch.compile(m.add_size, disable=True) is m.add_size
    torch._dynamo.config.disable = True
    same(compiled(m.add_size)(x_of(3)), m.add_size(x_of(3)))
    assert versions(m.add_size) == []


# -- signatures --
def test_the_signature_is_the_functions_own(m):
    for fn in (m.signature, m.scaled, m.varargs):
        g = compiled(fn)
        assert inspect.signature(g) == inspect.signature(fn)
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            assert getattr(g, name) == getattr(fn, name)


def test_all_kinds_of_parameters(m):
    x = x_of(2)
    g = compiled(m.signature)
    for args, kwargs in [((x,), {"d": 1}), ((x, 2), {"d": 3, "c": 4}), ((x, 2, 3, 4, 5), {"d": x}),
                         ((x, 2, 3), {"d": 1, "e": 2, "z": 3, "y": x}), ((1,), {"d": x}), ((x,), {"d": 1, "a": 5, "b": 6})]:
        for _ in range(2):
            same(g(*args, **kwargs), m.signature(*args, **kwargs))


def test_varargs_of_different_lengths(m):
    check(m.varargs, [(x_of(2),), (x_of(2), x_of(2)), (x_of(2), 1, 2)])
    same(compiled(m.varargs)(x_of(2), b=1, a=2), m.varargs(x_of(2), b=1, a=2))


@pytest.mark.parametrize(("args", "kwargs"), [((), {}), ((1, 2, 3), {}), ((1,), {"factor": 2, "wrong": 3}),
                                              ((1, 2), {"factor": 3}), ((), {"factor": 1})])
def test_wrong_calls_raise_pythons_own_type_error(m, args, kwargs):
    with pytest.raises(TypeError) as wanted:
        m.scaled(*args, **kwargs)
    with pytest.raises(TypeError) as got:
        compiled(m.scaled)(*args, **kwargs)
    assert str(got.value) == str(wanted.value)


def test_defaults_replaced_at_run_time(m):
    g = compiled(m.scaled)
    x = x_of(3)
    same(g(x), m.scaled(x))
    m.scaled.__defaults__ = (5,)
    same(g(x), m.scaled(x))
    m.scaled.__kwdefaults__ = {"shift": 7}
    same(g(x), m.scaled(x))
    same(g(x, shift=1), m.scaled(x, shift=1))


def test_a_default_that_is_a_tensor(m):
    check(m.default_tensor, [(x_of(2),), (x_of(2), x_of(2))])


def test_defaults_removed_at_run_time(m):
    g = compiled(m.scaled)
    x = x_of(3)
    g(x)
    m.scaled.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'factor'"):
        g(x)


def test_the_code_replaced_at_run_time(m):
    g = compiled(m.scaled)
    x = x_of(3)
    same(g(x), m.scaled(x))
    m.scaled.__code__ = (lambda x, factor=2, *, shift=0: x - factor + shift).__code__
    for _ in range(2):
        same(g(x), m.scaled(x))
        same(g(x, shift=4), m.scaled(x, shift=4))
        same(g(factor=3, x=x), m.scaled(factor=3, x=x))


# -- what can be compiled --
def test_methods_lambdas_and_callable_objects(m):
    s, t = m.Scaler(3), m.Scaler(4)
    x = x_of(2)
    for fn in (s.method, t.method, s, t, s.static, s.klass, m.doubled, m.Scaler.static, m.make(6), m.Scaler.klass):
        g = compiled(fn)
        for _ in range(2):
            same(g(x), fn(x))
    g = compiled(s.method)
    same(g(x, extra=2), s.method(x, extra=2))
    s.by = 10
    same(g(x), s.method(x))


def test_a_method_compiled_in_its_class(m):
    m.Scaler.method = compiled(m.Scaler.method)
    for by in (2, 3, 2):
        s = m.Scaler(by)
        same(s.method(x_of(2), 1), x_of(2) * by + 1)


def test_decorator_with_and_without_arguments(m):
    plain = torch.compile(m.add_size)
    with_options = torch.compile(backend="eager", dynamic=True)(m.add_size)
    for g in (plain, with_options):
        same(g(x_of(3)), m.add_size(x_of(3)))


def test_compiling_twice_compiles_once(m):
    g = compiled(compiled(m.add_size))
    same(g(x_of(3)), m.add_size(x_of(3)))
    assert versions(m.add_size) == [0]


def test_torch_functions_and_builtins(m):
    for fn in (torch.sin, torch.relu):
        same(compiled(fn)(x_of(3)), fn(x_of(3)))
    with pytest.raises(Exception, match="expected a function"):
        compiled(3)


def test_a_module(m):
    net = m.Net()
    g = compiled(net)
    x = x_of(3)
    for k in (2, 2, 5):
        net.k = k
        assert g(x).tolist() == net(x).tolist()
    assert g(x, flip=True).tolist() == net(x, flip=True).tolist()
    assert list(g.state_dict()) == ["_orig_mod.weight"] or list(g.state_dict()) == ["weight"]
    assert g.weight is net.weight
    with torch.no_grad():
        net.weight.mul_(3)
    assert g(x).tolist() == net(x).tolist()


def test_a_hook_on_a_compiled_module(m):
    net = m.Net()
    g = compiled(net)
    g(x_of(3))
    handle = net.register_forward_hook(lambda module, args, out: out + 1000)
    assert g(x_of(3)).tolist() == net(x_of(3)).tolist()
    handle.remove()
    assert g(x_of(3)).tolist() == net(x_of(3)).tolist()


def test_nested_compiled_functions(m):
    m.inner_compiled = compiled(m.scaled)
    outer = compiled(m.calls_other)
    for n in (3, 3, 4):
        wanted = m.scaled(x_of(n)) + 1
        same(outer(x_of(n)), wanted)


def test_recursion(m):
    check(m.recursive, [(x_of(2), 0), (x_of(2), 3), (x_of(2), 60)])


def test_results_of_every_kind(m):
    check(m.returns_tuple, [(x_of(3),)])
    x = x_of(3)
    assert compiled(m.returns_tuple)(x)[0] is x


def test_no_tensors_at_all(m):
    check(m.no_tensors, [(1, 2), ("a", "b"), ([1], [2]), (1.5, True)])


def test_changes_of_arguments_are_seen(m):
    g = compiled(m.changes_input)
    for _ in range(3):
        x, y = x_of(3), x_of(3)
        a, b = [], []
        same(g(x, a), m.changes_input(y, b))
        same(x, y)
        same(a, b)


def test_generators_run_as_they_are(m):
    got = compiled(m.generator)(x_of(2))
    assert isinstance(got, types.GeneratorType)
    same(list(got), list(m.generator(x_of(2))))


def test_an_inlined_argument_of_the_wrappers_own_names(tmp_path):
    # parameters named like the wrapper's own helpers
    import importlib.util

    path = tmp_path / "names_subject.py"
    path.write_text("def f(run, dispatch, args, result=2, *, fn=3, kwargs=4):\n"
                    "    return run * dispatch + args - result * fn + kwargs\n")
    spec = importlib.util.spec_from_file_location("names_subject", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    check(module.f, [(x_of(2), 2, 3), (x_of(2), 2, 3, 4)])


# -- exceptions --
def raised(fn, *args):
    try:
        fn(*args)
    except Exception as problem:
        frames = [(f.filename.rsplit("/", 1)[-1], f.name, f.lineno) for f in traceback.extract_tb(problem.__traceback__)
                  if f.filename.endswith("cache_subject.py")]
        return type(problem), str(problem), frames[-1], problem.__context__ is None, problem.__cause__ is None
    return None


@pytest.mark.parametrize(("name", "good", "bad"), [
    ("divides", (2,), (0,)), ("looks_up", ({"a": 1}, "a"), ({"a": 1}, "b")), ("looks_up", ([1, 2], 1), ([1, 2], 5)),
    ("raises_after_break", None, ()), ("raises_deep", None, ()), ("wrong_shapes", (torch.ones(3, 2),), (torch.ones(2, 2),)),
    ("times", (2,), ("text",)), ("times", (2,), (None,)),
])
def test_exceptions_pass_unchanged(m, name, good, bad):
    fn = getattr(m, name)
    g = compiled(fn)
    x = x_of(2, 3)
    wanted = raised(fn, x, *bad)
    assert wanted is not None
    for _ in range(2):
        got = raised(g, x, *bad)
        assert got[:3] == wanted[:3] or (got[:2], got[2][0], got[2][2]) == (wanted[:2], wanted[2][0], wanted[2][2])
        assert got[3:] == wanted[3:]
        if good is not None:
            same(g(x, *good), fn(x, *good))


def test_a_call_that_raises_does_not_spoil_the_next(m):
    g = compiled(m.divides)
    for n in (1, 0, 1, 0, 1):
        if n:
            same(g(x_of(2), n), m.divides(x_of(2), n))
        else:
            with pytest.raises(ZeroDivisionError, match="integer division or modulo by zero"):
                g(x_of(2), n)


def test_no_artifact_is_left_by_a_capture_that_failed(m):
    g = compiled(m.wrong_shapes)
    with pytest.raises(RuntimeError):
        g(x_of(2, 3), torch.ones(2, 2))
    assert versions(m.wrong_shapes) == []


def test_an_error_of_symbolic_sizes_that_leaves_the_function_breaks_nothing(m):
    g = compiled(m.added, dynamic=True)
    same(g(x_of(5), x_of(5)), m.added(x_of(5), x_of(5)))
    assert raised(g, x_of(4), x_of(6))[:2] == raised(m.added, x_of(4), x_of(6))[:2]
    same(g(x_of(3), x_of(3)), m.added(x_of(3), x_of(3)))
    assert versions(m.added) == [0]


def test_a_handler_sees_the_text_of_an_error_of_symbolic_sizes(m):
    check(m.says_what_failed, [(x_of(4), x_of(6)), (x_of(5), x_of(5)), (x_of(3), x_of(7))], dynamic=True)


# -- numbers read out of tensors --
@pytest.mark.parametrize("backend", ["eager", "inductor"])
@pytest.mark.parametrize("name", ["reads_written", "reads_in_loop", "reads_int", "reads_nothing_else"])
def test_fullgraph_keeps_numbers_read_out_of_tensors_in_one_graph(m, name, backend):
    fn = getattr(m, name)
    check(fn, [(x_of(4),), (x_of(4) * 2,), (x_of(4) - 3,)], backend=backend, fullgraph=True)
    assert versions(fn) == [0]


def test_fullgraph_names_the_line_that_decides_by_an_element(m):
    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"a branch depends on the elements .*cache_subject.py:"):
        compiled(m.decides_by_element, fullgraph=True)(x_of(4))


def test_capture_scalar_outputs_without_fullgraph(m):
    torch._dynamo.config.capture_scalar_outputs = True
    check(m.reads_written, [(x_of(4),), (x_of(4) * 2,)])
    assert versions(m.reads_written) == [0]
    check(m.decides_by_element, [(x_of(4),), (x_of(2),)])


# -- options --
def test_other_options_have_their_own_artifacts(m):
    a, b = compiled(m.add_size), compiled(m.add_size, dynamic=True)
    a(x_of(3))
    b(x_of(3))
    assert len(state(m.add_size).compiled) == 2
    same(a(x_of(3)), m.add_size(x_of(3)))
    assert len(state(m.add_size).compiled) == 2


def test_a_backend_of_the_users(m):
    seen = []

    def backend(graph, inputs):
        seen.append(len(inputs))
        return graph

    g = torch.compile(m.times, backend=backend)
    same(g(x_of(3), x_of(3)), m.times(x_of(3), x_of(3)))
    assert seen == [2]


def failing(gm, inputs):
    raise ValueError("cannot lower")


@pytest.mark.parametrize(("backend", "said"), [(failing, "backend='failing' raised ValueError: cannot lower"),
                                               (lambda gm, inputs: 3, "returned int")])
def test_a_backend_that_fails(m, backend, said):
    g = torch.compile(m.add_size, backend=backend)
    for _ in range(2):
        with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=said):
            g(x_of(3))
    with torch._dynamo.config.patch(suppress_errors=True):
        for _ in range(2):
            same(g(x_of(3)), m.add_size(x_of(3)))
    assert state(m.add_size).compiled == [] and "backend=" in state(m.add_size).skipped


def test_what_a_backend_made_raises_at_a_call(m):
    def backend(gm, inputs):
        def run(*args):
            raise ValueError("at run time")

        return run

    with pytest.raises(ValueError, match="at run time"):
        torch.compile(m.add_size, backend=backend)(x_of(3))


def test_unknown_backend(m):
    with pytest.raises(Exception, match="nothing") as caught:
        torch.compile(m.times, backend="nothing")
    assert "Backend" in type(caught.value).__name__


def test_mode_and_options_together(m):
    with pytest.raises(Exception, match="mode"):
        torch.compile(m.times, mode="reduce-overhead", options={"a": 1})


@pytest.mark.parametrize("setting", ["recompile_limits", "nothing_like_it"])
def test_unknown_setting(setting):
    with pytest.raises(AttributeError, match="no setting"):
        setattr(torch._dynamo.config, setting, 1)


def test_settings_patched_for_a_block():
    before = torch._dynamo.config.cache_size_limit
    with torch._dynamo.config.patch(cache_size_limit=3):
        assert torch._dynamo.config.recompile_limit == 3
    assert torch._dynamo.config.recompile_limit == before
