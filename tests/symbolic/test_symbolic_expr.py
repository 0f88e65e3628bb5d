"""Expressions against plain Python: the same numbers, one object per polynomial, text that evaluates to the value."""

import ctypes
import math
import operator
import shutil
import subprocess

import pytest
from guardscope.core.symbolic import expr as E
from guardscope.core.symbolic.expr import const, sym
from guardscope.core.symbolic.relations import BUILD, and_, not_, or_
from hypothesis import assume, given, settings
from hypothesis import strategies as st

NAMES = ("s0", "s1", "s2")
OPERATORS = {
    "+": (operator.add, E.add), "-": (operator.sub, E.sub), "*": (operator.mul, E.mul),
    "//": (operator.floordiv, E.floordiv), "%": (operator.mod, E.mod),
    "max": (max, E.maximum), "min": (min, E.minimum),
}
COMPARISONS = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le}

leaves = st.one_of(st.sampled_from(NAMES), st.integers(-7, 7))
trees = st.recursive(leaves, lambda kids: st.tuples(st.sampled_from(sorted(OPERATORS)), kids, kids), max_leaves=8)
values = st.fixed_dictionaries({n: st.integers(-40, 40) for n in NAMES})


def plain(tree, numbers):
    if isinstance(tree, tuple):
        return OPERATORS[tree[0]][0](plain(tree[1], numbers), plain(tree[2], numbers))
    return numbers[tree] if isinstance(tree, str) else tree


def symbolic(tree):
    if isinstance(tree, tuple):
        return OPERATORS[tree[0]][1](symbolic(tree[1]), symbolic(tree[2]))
    return sym(tree) if isinstance(tree, str) else const(tree)


@given(trees, values)
@settings(max_examples=400, deadline=None)
def test_value_and_text_agree_with_python(tree, numbers):
    try:
        expected = plain(tree, numbers)
    except ZeroDivisionError:
        assume(False)
    e = symbolic(tree)
    assert e.evaluate(numbers) == expected
    assert eval(e.python(), dict(numbers)) == expected
    renamed = e.python({n: f"values[{n!r}]" for n in NAMES})
    assert eval(renamed, {"values": numbers}) == expected


@given(trees, trees, values)
@settings(max_examples=300, deadline=None)
def test_relations_agree_with_python(a, b, numbers):
    try:
        x, y = plain(a, numbers), plain(b, numbers)
    except ZeroDivisionError:
        assume(False)
    left, right = symbolic(a), symbolic(b)
    for name, compare in COMPARISONS.items():
        r = BUILD[name](left, right)
        assert bool(r.evaluate(numbers)) == compare(x, y)
        assert bool(not_(r).evaluate(numbers)) == (not compare(x, y))
        assert bool(eval(r.python(), dict(numbers))) == compare(x, y)
        both = and_(r, BUILD["le"](left, const(5))), or_(r, BUILD["le"](left, const(5)))
        assert bool(both[0].evaluate(numbers)) == (compare(x, y) and x <= 5)
        assert bool(both[1].evaluate(numbers)) == (compare(x, y) or x <= 5)
        assert bool(eval(both[0].python(), dict(numbers))) == (compare(x, y) and x <= 5)


@given(trees, values, values)
@settings(max_examples=150, deadline=None)
def test_substitution_is_evaluation_later(tree, numbers, shift):
    moved = {n: numbers[n] + shift[n] for n in NAMES}
    try:
        expected = plain(tree, moved)
    except ZeroDivisionError:
        assume(False)
    e = symbolic(tree).subs({n: E.add(sym(n), const(shift[n])) for n in NAMES})
    assert e.evaluate(numbers) == expected


def test_equal_polynomials_are_one_object():
    a, b = sym("s0"), sym("s1")
    square = E.mul(E.add(a, b), E.add(a, b))
    assert square is E.add(E.mul(a, a), E.mul(const(2), a, b), E.mul(b, b))
    assert E.sub(E.mul(E.add(a, const(1)), b), b) is E.mul(a, b)
    assert E.floordiv(square, E.add(a, b)) is E.add(a, b)
    assert E.sub(a, a) is E.ZERO


@pytest.mark.parametrize(("made", "text"), [
    (lambda a, b: E.floordiv(E.mul(a, b), b), "s0"),
    (lambda a, b: E.floordiv(E.add(E.mul(const(2), a), const(1)), const(2)), "s0"),
    (lambda a, b: E.floordiv(E.floordiv(a, const(2)), const(3)), "s0//6"),
    (lambda a, b: E.floordiv(E.mul(const(4), a), const(6)), "2*s0//3"),
    (lambda a, b: E.mod(E.mul(const(4), a), const(6)), "2*(2*s0 % 3)"),
    (lambda a, b: E.mod(E.mul(a, b), b), "0"),
    (lambda a, b: E.add(a, E.mul(const(-1), E.mod(a, const(2)))), "s0 - (s0 % 2)"),
    (lambda a, b: E.add(E.mul(a, b), E.mul(a, a), const(-3)), "s0**2 + s0*s1 - 3"),
    (lambda a, b: E.maximum(a, E.add(a, const(2)), const(3)), "max(s0 + 2, 3)"),
    (lambda a, b: BUILD["lt"](const(10), a), "s0 > 10"),
    (lambda a, b: BUILD["le"](E.mul(const(2), a), const(7)), "s0 <= 3"),
    (lambda a, b: BUILD["eq"](E.add(a, const(3)), b), "s0 == s1 - 3"),
    (lambda a, b: BUILD["eq"](E.mul(const(2), a), const(7)), "False"),
    (lambda a, b: BUILD["lt"](a, const(7.5)), "s0 <= 7"),
    (lambda a, b: BUILD["eq"](a, const(2.5)), "False"),
    (lambda a, b: and_(BUILD["le"](const(2), a), BUILD["lt"](a, const(32))), "2 <= s0 < 32"),
    (lambda a, b: E.apply("truediv", a, const(3)), "s0/3"),
    (lambda a, b: E.apply("sqrt", E.apply("fadd", a, const(0.5))), "math.sqrt(s0 + 0.5)"),
])
def test_normal_form_is_readable(made, text):
    assert str(made(sym("s0"), sym("s1"))) == text


def test_symbols_sort_as_numbers():
    assert str(E.add(*[sym(f"s{i}") for i in (10, 2, 1)])) == "s1 + s2 + s10"


@given(st.lists(st.sampled_from(["fadd", "fsub", "fmul", "truediv"]), min_size=1, max_size=5),
       st.floats(-1e6, 1e6), st.lists(st.floats(0.1, 1e6), min_size=5, max_size=5))
def test_float_arithmetic_keeps_the_order_of_the_script(ops, start, others):
    names = {"fadd": operator.add, "fsub": operator.sub, "fmul": operator.mul, "truediv": operator.truediv}
    e, expected = sym("f0", "float"), start
    for op, other in zip(ops, others):
        e, expected = E.apply(op, e, const(other)), names[op](expected, other)
    assert e.evaluate({"f0": start}) == expected
    assert eval(e.python(), {"f0": start}) == expected


def test_nan_relations_stay_as_written():
    f = sym("f0", "float")
    less = BUILD["lt"](f, const(1.0))
    assert not_(less).evaluate({"f0": math.nan}) is True
    assert BUILD["le"](const(1.0), f).evaluate({"f0": math.nan}) is False


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler to run the C text")
def test_c_text_agrees_with_python(tmp_path):
    a, b = sym("s0"), sym("s1")
    made = [E.floordiv(a, const(3)), E.mod(a, const(3)), E.floordiv(a, b), E.mod(a, b), E.sub(E.mul(a, b), const(7)),
            E.floordiv(E.add(a, const(-4)), E.mul(const(-2), b)), E.mod(E.sub(a, b), E.mul(const(-3), b)),
            E.maximum(a, b, const(2)), E.minimum(a, E.neg(b))]
    tests = [BUILD["lt"](a, b), BUILD["eq"](E.mod(a, const(2)), E.ZERO), not_(BUILD["le"](a, const(3)))]
    source = ["#define max(a, b) ((a) > (b) ? (a) : (b))", "#define min(a, b) ((a) < (b) ? (a) : (b))"]
    for i, e in enumerate([*made, *tests]):
        source.append(f"long e{i}(long s0, long s1) {{ return {e.c()}; }}")
        source.append(f"long p{i}(long s0, long s1) {{ return {e.c(None, lambda _: True)}; }}")
    (tmp_path / "e.c").write_text("\n".join(source))
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", tmp_path / "e.so", tmp_path / "e.c"], check=True)
    library = ctypes.CDLL(str(tmp_path / "e.so"))
    for i, e in enumerate([*made, *tests]):
        whole, positive = getattr(library, f"e{i}"), getattr(library, f"p{i}")
        whole.restype = positive.restype = ctypes.c_long
        for x in range(-9, 10):
            for y in (-5, -2, -1, 1, 2, 7):
                assert whole(ctypes.c_long(x), ctypes.c_long(y)) == int(e.evaluate({"s0": x, "s1": y})), (str(e), x, y)
    for x in range(10):
        assert library.p0(ctypes.c_long(x), ctypes.c_long(1)) == x // 3
