"""SymInt and SymFloat behave as int and float, in every operator and on either side."""

import copy
import math
import operator

import numpy as np
import pytest
from guardscope.core.guards.origin import ArgOrigin
from guardscope.core.symbolic import symint as S
from guardscope.core.symbolic.shape_env import ShapeEnv
from guardscope.core.symbolic.symint import Symbolic, SymBool, SymFloat, SymInt
from hypothesis import given, settings
from hypothesis import strategies as st

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
          operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, divmod]
BITS = [operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor]
UNARY = [operator.neg, operator.pos, abs, round, math.floor, math.ceil, math.trunc, bool, int, float, S.sym_int,
         S.sym_float, S.sym_floor, S.sym_ceil, S.sym_not]
ints = st.integers(-6, 9)
floats = st.sampled_from([-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 7.25])
numbers = st.one_of(ints, floats)


def number(env, value, name):
    return env.new_symbol(ArgOrigin(name), value, "float" if isinstance(value, float) else "int")


def value_now(x, env):
    """The value at capture, which the expression must give for the hints."""
    if isinstance(x, tuple):
        return tuple(value_now(v, env) for v in x)
    if isinstance(x, Symbolic):
        v = x.expr.evaluate(env.hints)
        assert type(v) is type(x.hint) and (v == x.hint or v != v)
        return v
    return x


def run(f, *args):
    try:
        return f(*args)
    except (ZeroDivisionError, ValueError, TypeError, OverflowError) as problem:
        return type(problem)


def equal(a, b):
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    return type(a) is type(b) and (a == b or (a != a and b != b)) and repr(a) == repr(b)


@pytest.mark.parametrize("op", BINARY, ids=lambda f: f.__name__)
@given(numbers, numbers)
@settings(max_examples=60, deadline=None)
def test_binary(op, a, b):
    expected = run(op, a, b)
    for left, right in ((True, True), (True, False), (False, True)):
        env = ShapeEnv()
        x = number(env, a, "a") if left else a
        y = number(env, b, "b") if right else b
        got = value_now(run(op, x, y), env)
        assert equal(got, expected), (op, a, b, left, right, got, expected)
        for g in env.guards():                             # what was asked for holds for this very call
            assert g.relation.evaluate(env.hints)


@pytest.mark.parametrize("op", BITS, ids=lambda f: f.__name__)
@given(ints, ints)
@settings(max_examples=40, deadline=None)
def test_bits(op, a, b):
    env = ShapeEnv()
    assert equal(value_now(run(op, number(env, a, "a"), b), env), run(op, a, b))
    assert equal(value_now(run(op, a, number(env, b, "b")), env), run(op, a, b))


@pytest.mark.parametrize("op", UNARY, ids=lambda f: f.__name__)
@given(numbers)
@settings(max_examples=40, deadline=None)
def test_unary(op, a):
    env = ShapeEnv()
    plain = {S.sym_int: int, S.sym_float: float, S.sym_floor: math.floor, S.sym_ceil: math.ceil,
             S.sym_not: operator.not_}.get(op, op)
    assert equal(value_now(run(op, number(env, a, "a")), env), run(plain, a))


@given(st.lists(numbers, min_size=2, max_size=4))
@settings(max_examples=80, deadline=None)
def test_extremes(items):
    for mine, plain in ((S.sym_max, max), (S.sym_min, min)):
        env = ShapeEnv()
        got = mine(*[number(env, v, f"a{i}") if i % 2 == 0 else v for i, v in enumerate(items)])
        assert equal(value_now(got, env), plain(items))


@pytest.mark.parametrize("name", ["sqrt", "exp", "log", "log2", "log10", "sin", "cos", "tanh"])
@pytest.mark.parametrize("value", [2, 9, 0.25])
def test_functions_of_math(name, value):
    env = ShapeEnv()
    got = getattr(S, f"sym_{name}")(number(env, value, "a"))
    assert isinstance(got, SymFloat)
    assert value_now(got, env) == getattr(math, name)(value)
    assert getattr(S, f"sym_{name}")(value) == getattr(math, name)(value)


def test_square_root_of_a_negative_number_raises_as_math_does():
    with pytest.raises(ValueError):
        S.sym_sqrt(number(ShapeEnv(), -4, "a"))


@pytest.mark.parametrize("use", [
    lambda n: [10, 20, 30, 40, 50, 60][n], lambda n: list(range(n)), lambda n: {n: 1}[5], lambda n: f"{n}",
    lambda n: "ab" * n, lambda n: hash(n), lambda n: complex(n), lambda n: format(n, "03d"), lambda n: n + 1j,
])
def test_what_needs_the_number_pins_it(use):
    env = ShapeEnv()
    n = number(env, 5, "n")
    assert use(n) == use(5)
    assert [g.text(env.names()) for g in env.guards()] == ["n == 5"]


def test_comparing_decides_only_when_asked():
    env = ShapeEnv()
    n = number(env, 5, "n")
    later = n > 3
    assert isinstance(later, SymBool) and env.guards() == []
    assert (later & (n < 9)) and [g.text() for g in env.guards()] != []
    assert not S.sym_not(n > 3) and (True & (n > 4)) and ((n < 0) | (n > 1))
    assert (n > 3) + 1 == 2 and int(n > 3) == 1 and (n > 3) == True                      # noqa: E712


def test_foreign_operands():
    env = ShapeEnv()
    n = number(env, 5, "n")
    assert isinstance(np.int64(3) * n, SymInt) and str(np.int64(3) * n) == "3*s0"
    assert isinstance(n / np.float32(2), SymFloat)
    with pytest.raises(TypeError):
        n + "a"
    assert (n == "a") is False and (n != "a") is True and n != [5]
    assert copy.deepcopy(n) is n and copy.copy(n) is n
    assert n.numerator is n and n.denominator == 1 and n.is_integer() and n.real is n and n.imag == 0
    assert divmod(n, 2) == (2, 1) and pow(n, 2, 7) == 4 and n.bit_length() == 3
