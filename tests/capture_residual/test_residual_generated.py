# Random programs (generate.py), compiled and as plain Python, with graph breaks at some gb() of each. A failing seed is
# reproduced with generate.program(seed); what was found that way is kept below as a program of its own.
import ast

import differential
import generate
import pytest
import random_calls
import residual_support as support
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FOUND = {
    # the stored value was equal to the one in the list when captured, and the store was left out
    "store of an equal item": """
def program(x, y, u, v, s, r, d, f, z):
    a = x + 1
    l = [x, 2, 3]
    u = u * 0.5
    l[opaque_gb(-1)] = a
    return a, l, u
""",
    # a comprehension's variable is no local of the function, though Python 3.12 lists it there
    "global named like a comprehension variable": """
def program(x, y, u, v, s, r, d, f, z):
    squares = [g_n * 2 for g_n in range(3)]
    u = u * 2
    opaque_gb(1)
    return g_n, squares, u
""",
    "unbound variable shared later": """
def program(x, y, u, v, s, r, d, f, z):
    if x > 100:
        g_n = 1
    u = u * 2
    opaque_gb(1)
    f = lambda: g_n
    return f(), u
""",
    # a walrus that may not be reached does not make the variable's old value dead
    "walrus in a chain": """
def program(x, y, u, v, s, r, d, f, z):
    u = u * opaque_gb(2)
    if x < opaque_gb(0) == (y := 7):
        return 1
    return y, u
""",
    "walrus in one side": """
def program(x, y, u, v, s, r, d, f, z):
    u = u * opaque_gb(2)
    return ((y := 5) if x > opaque_gb(2) else y), u
""",
    "walrus in a message": """
def program(x, y, u, v, s, r, d, f, z):
    u = u * opaque_gb(2)
    assert x is not None, (y := 5)
    try:
        boom()
    except KeyError if x > 100 else (x := ValueError):
        return x, y, u
""",
    "names that a definition evaluates": """
def program(x, y, u, v, s, r, d, f, z):
    u = u * opaque_gb(2)

    def inner(a: y, *b: len, c: s = x) -> r:
        return a + c

    class Inner(Plain, metaclass=v.__class__ if x > 100 else type):
        pass

    r.q[0]: int
    return inner(1), sorted(inner.__annotations__), Inner(n=inner.__annotations__["a"]).n, u
""",
    # a finally block that was entered by the normal way at first, then by a return
    "two ways into finally": """
def program(x, y, u, v, s, r, d, f, z):
    try:
        if x < 0:
            return u * 2
        gb(x)
    finally:
        y = opaque_gb(y)
        v = v * y
    return v
""",
    "shared variable deleted after the break": """
def program(x, y, u, v, s, r, d, f, z):
    b = x + 1
    f = lambda: b
    u = u * 2
    opaque_gb(f())
    del b
    return b, u
""",
}


def check(text, name):
    got, wanted = random_calls.compare(text, name)
    assert got == wanted, text


@pytest.mark.parametrize("seed", range(16))
def test_generated(seed):
    for name, text in differential.generated(seed):
        check(text, name)


@settings(max_examples=15, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(random=st.randoms(use_true_random=False), chosen=st.integers(0, 40))
def test_generated_by_hypothesis(random, chosen):
    """The same programs, written from choices that Hypothesis makes, so that it can shrink them."""
    text = generate.Generator(random, 7).text()
    node = ast.parse(text).body[0]
    count = support.breaks_in(node)
    check(support.text_of(node, chosen % (count + 1) if chosen else None), "generated_by_hypothesis")


@pytest.mark.parametrize("name", FOUND)
def test_found(name):
    check(FOUND[name].lstrip(), f"found_{name.replace(' ', '_')}")
