"""decide() against brute force: a static answer holds for every allowed value, and the guards that were recorded
admit only assignments on which every decision comes out the same."""

import itertools

import pytest
from guardscope.core.graph.node import Span
from guardscope.core.guards.origin import ArgOrigin, SizeOrigin
from guardscope.core.symbolic import expr as E
from guardscope.core.symbolic.expr import const, sym
from guardscope.core.symbolic.relations import BUILD, and_, or_
from guardscope.core.symbolic.shape_env import ShapeEnv, stride_expressions
from guardscope.core.symbolic.symint import SymInt, sym_sqrt
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

X, Y = ArgOrigin("x"), ArgOrigin("y")

leaves = st.one_of(st.sampled_from(["s0", "s1", "s2"]), st.integers(-4, 9))
INTEGER = {"+": E.add, "-": E.sub, "*": E.mul, "//": E.floordiv, "%": E.mod, "max": E.maximum, "min": E.minimum}
trees = st.recursive(leaves, lambda kids: st.tuples(st.sampled_from(sorted(INTEGER)), kids, kids), max_leaves=4)
relations = st.tuples(st.sampled_from(["eq", "ne", "lt", "le"]), trees, trees)


def build(tree):
    if isinstance(tree, tuple):
        return INTEGER[tree[0]](build(tree[1]), build(tree[2]))
    return sym(tree) if isinstance(tree, str) else const(tree)


def relation(r):
    return BUILD[r[0]](build(r[1]), build(r[2]))


def env_with(s0, s1, s2):
    env = ShapeEnv()
    env.new_symbol(SizeOrigin(X, 0), s0)
    env.new_symbol(SizeOrigin(X, 1), s1)
    env.new_symbol(ArgOrigin("n"), s2, "int")
    return env


def outcome(e, numbers):
    try:
        return bool(e.evaluate(numbers))
    except ZeroDivisionError:
        return None


@given(st.lists(st.tuples(relations, st.one_of(st.none(), relations)), min_size=1, max_size=5), st.integers(2, 8),
       st.integers(2, 8), st.integers(-3, 8))
@example([(("eq", "s0", ("%", "s0", ("%", "s0", "s1"))), ("eq", ("%", "s0", "s0"), ("*", "s0", "s2"))),
          (("eq", "s2", "s1"), None)], 2, 3, 3)
@settings(max_examples=400, deadline=None)
def test_guards_admit_only_calls_with_the_same_decisions(asked, s0, s1, s2):
    env = env_with(s0, s1, s2)
    here = {"s0": s0, "s1": s1, "s2": s2}
    made = [relation(a) if b is None else (or_ if i % 2 else and_)(relation(a), relation(b))
            for i, (a, b) in enumerate(asked)]
    assume(all(outcome(r, here) is not None for r in made))
    decided = [(r, env.decide(r)) for r in made]
    for r, answer in decided:
        assert answer == outcome(r, here)
    guards = [g.relation for g in env.guards()]
    everything = [g.relation for g in env.recorded]
    for values in itertools.product(range(1, 11), range(1, 11), range(-4, 10)):
        numbers = dict(zip(("s0", "s1", "s2"), values))
        accepted, outcomes = all(outcome(g, numbers) for g in guards), [outcome(g, numbers) for g in everything]
        if None not in outcomes:                     # numbers of scripts guard against the division by zero where they divide
            assert accepted == (values[0] >= 2 and values[1] >= 2 and all(outcomes))
        if accepted:
            for r, answer in decided:
                assert outcome(r, numbers) in (answer, None), (str(r), numbers)


@given(trees, st.lists(relations, max_size=3), st.integers(2, 8), st.integers(2, 8), st.integers(-3, 8))
@example(("-", "s0", ("//", "s0", 0)), [], 2, 2, 0)          # bounds through a // n were taken for n <= 0 too
@example(("+", "s0", ("//", "s0", -2)), [], 3, 2, 0)
@settings(max_examples=300, deadline=None)
def test_ranges_and_rewriting_hold_for_all_allowed_values(tree, asked, s0, s1, s2):
    env = env_with(s0, s1, s2)
    here = {"s0": s0, "s1": s1, "s2": s2}
    made = [relation(a) for a in asked]
    assume(all(outcome(r, here) is not None for r in made))
    for r in made:
        env.decide(r)
    e = build(tree)
    low, high = env.facts.range(e)
    simple = env.facts.simplify(e)
    allowed = [g.relation for g in env.guards()]
    for values in itertools.product(range(2, 10), range(2, 10), range(-4, 10)):
        numbers = dict(zip(("s0", "s1", "s2"), values))
        if all(outcome(g, numbers) for g in allowed):
            try:
                value = e.evaluate(numbers)
            except ZeroDivisionError:
                continue
            assert low <= value <= high
            assert simple.evaluate(numbers) == value


def size(env, hint, dim=0, of=X):
    return env.new_symbol(SizeOrigin(of, dim), hint)


def texts(env):
    return [g.text(env.names()) for g in env.guards()]


def test_what_follows_needs_no_guard():
    env = ShapeEnv()
    n = size(env, 6)
    assert n > 1 and n * 2 >= 4 and n + 1 != 0 and not n < 2 and n * n > n and n // 1 == n
    assert n is not None and n != "6" and (n == None) is False                           # noqa: E711
    assert texts(env) == ["x.shape[0] >= 2"]


def test_a_branch_becomes_a_guard_with_its_place():
    env = ShapeEnv()
    env.span = lambda: Span("model.py", 7)
    n = size(env, 20)
    assert n > 10
    assert n > 5                                           # follows
    guard, = env.guards()
    assert (guard.text(env.names()), guard.span.line) == ("x.shape[0] > 10", 7)


def test_the_base_bound_joins_an_upper_bound():
    env = ShapeEnv()
    n = size(env, 20)
    assert n <= 31
    env2 = ShapeEnv()
    env2.span = lambda: Span("model.py", 3)
    assert size(env2, 20) < 32
    assert texts(env2) == ["2 <= x.shape[0] < 32"]
    assert n.env.range("s0") == (2, 31)


def test_equal_symbols_are_written_as_one():
    env = ShapeEnv()
    a, b = size(env, 6), size(env, 6, 1)
    assert a == b
    assert str(b) == "s0" and str(a * b) == "s0**2" and a - b == 0
    assert texts(env) == ["x.shape[0] >= 2", "x.shape[0] == x.shape[1]"]


def test_divisibility_is_remembered():
    env = ShapeEnv()
    n = size(env, 12)
    assert n % 4 == 0
    before = len(env.recorded)
    assert n // 4 * 4 == n and n % 4 == 0
    assert len(env.recorded) == before


@pytest.mark.parametrize(("ask", "guards"), [
    (lambda n, m: n // 2 <= n and (n + 1) // 2 <= n and n // 3 * 3 <= n, []),
    (lambda n, m: (n * m) % (2 * m) == 0 and n // 2 * 2 == n, ["x.shape[0] % 2 == 0"]),
    (lambda n, m: (n + 3) // 4 == 2 and n >= 5 and n <= 8, ["(x.shape[0] + 3)//4 == 2"]),
    (lambda n, m: n * m > m and n * m - m >= m and max(n * m, 1) == n * m, []),
    (lambda n, m: (n ** 0.5) != 0 and sym_sqrt(n) > 0.5, []),
    (lambda n, m: n % 100 < 100 and n % m >= 0 and n % 7 >= 0, []),
])
def test_consequences_need_no_guard_of_their_own(ask, guards):
    env = ShapeEnv()
    n, m = size(env, 8), size(env, 5, 1)
    assert ask(n, m)
    assert [t for t in texts(env) if not t.endswith(">= 2")] == guards


def test_a_pinned_symbol_names_the_decisions():
    env = ShapeEnv()
    a, b = size(env, 6), size(env, 6, 1)
    assert a == b
    assert list(range(b)) == [0, 1, 2, 3, 4, 5]
    assert [str(g.relation) for g in env.pinned("s1")] == ["s0 == s1", "s0 == 6"]
    assert env.pinned("s0") and str(a) == "6"
    assert ShapeEnv().duck is False and env.pinned("s9" if "s9" in env.hints else "s0")


def test_an_int_is_unbounded():
    env = ShapeEnv()
    n = env.new_symbol(ArgOrigin("n"), 5, "int")
    assert texts(env) == []
    assert n > 0
    assert texts(env) == ["n > 0"]
    assert n != 0
    assert texts(env) == ["n > 0"]


def test_duck_sizes_share_a_symbol():
    env = ShapeEnv(duck=True)
    a, b, c = size(env, 6), size(env, 6, 1), size(env, 7, 0, Y)
    assert str(a) == str(b) == "s0" and str(c) == "s1"
    assert [o.text for o in env.sources("s0")] == ["x.shape[0]", "x.shape[1]"]
    assert "x.shape[0] == x.shape[1]" in texts(env)


def test_strides_follow_from_sizes():
    env = ShapeEnv()
    a, b = size(env, 6), size(env, 8, 1)
    assert str(stride_expressions((a, b), (8, 1), env, X)) == "(s1, 1)"
    assert "x.shape[1] == x.stride(0)" in texts(env)
    assert str(stride_expressions((4, a, b), (48, 8, 1), env, Y)) == "(s0*s1, s1, 1)"
    assert stride_expressions((a, 16), (16, 1), env, Y) == (16, 1)
    transposed = ShapeEnv()
    a, b = size(transposed, 6), size(transposed, 8, 1)
    assert str(stride_expressions((a, b), (1, 6), transposed, X)) == "(1, s0)"


def test_an_unrelated_stride_that_varies_gets_a_symbol():
    env = ShapeEnv()
    (stride, one) = stride_expressions((4, 8), (50, 1), env, X, varying={0})
    assert isinstance(stride, SymInt) and one == 1
    assert env.bindings[str(stride)] == SizeOrigin(X, 0, "stride")
    assert stride_expressions((4, 8), (50, 1), ShapeEnv(), X) == (50, 1)


@pytest.mark.parametrize("hint", [0.0, -0.0, 2.5, float("nan")])
def test_a_specialised_float_admits_that_float_only(hint):
    env = ShapeEnv()
    f = env.new_symbol(ArgOrigin("k"), hint, "float")
    got = float(f)
    assert str(got) == str(hint)
    others = [0.0, -0.0, 2.5, float("nan"), 1.0]
    accepted = [str(v) for v in others if all(outcome(g.relation, {"f0": v}) for g in env.guards())]
    assert accepted == [str(hint)]
