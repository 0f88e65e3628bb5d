# The rest of a half-done statement, as text: finished operands by name (v0, v1, ... in order of evaluation), r the result of
# the broken step. Expected texts follow from Python's order of evaluation.
import ast
import copy

import pytest
from guardscope.core.capture.residual.liveness import live_names, stored_names
from guardscope.core.capture.residual.native import native
from guardscope.core.capture.residual.rest import CannotResume, Rest
from guardscope.core.capture.residual.suffix import Handling, Level, Managers, Waiting, suffix


def parse(text):
    return ast.parse(text).body[0]


def find(tree, text):
    """The innermost node that reads as `text`."""
    found = [n for n in ast.walk(tree) if isinstance(n, ast.expr) and ast.unparse(n) == text]
    return found[-1]


def rest_of(statement, broken, finished=(), role="op"):
    node = parse(statement)
    names = {id(find(node, text)): f"v{i}" for i, text in enumerate(finished)}
    return "\n".join(ast.unparse(s) for s in Rest(find(node, broken), "r", names, role).statement(node))


@pytest.mark.parametrize(("statement", "broken", "finished", "expected"), [
    ("g()", "g()", [], ""),
    ("f(g())", "g()", ["f"], "v0(r)"),
    ("return g()", "g()", [], "return r"),
    ("return a + g() * b", "g()", ["a"], "return v0 + r * b"),
    ("return -g()", "g()", [], "return -r"),
    ("y = f(a, g(), b, *c, k=d)", "g()", ["f", "a"], "y = v0(v1, r, b, *c, k=d)"),
    ("y = f(*s, g(), k=h)", "g()", ["f", "s"], "y = v0(*v1, r, k=h)"),
    ("y = f(a, k=b, **g())", "g()", ["f", "a", "b"], "y = v0(v1, k=v2, **r)"),
    ("y = x.m(g())", "g()", ["x.m"], "y = v0(r)"),
    ("y = [a, *s, g(), b]", "g()", ["a", "s"], "y = [v0, *v1, r, b]"),
    ("y = {a: g(), b: c}", "g()", ["a"], "y = {v0: r, b: c}"),
    ("y = {g(), a}", "g()", [], "y = {r, a}"),
    ("y = o[a:g():b]", "g()", ["o", "a"], "y = v0[v1:r:b]"),
    ("y = a or g() or b", "g()", [], "y = r or b"),
    ("y = a and b and g()", "g()", [], "y = r"),
    ("y = g() and a", "g()", [], "y = r and a"),
    ("y = (a or g()) and b", "g()", [], "y = r and b"),
    ("y = g() if t else b", "g()", [], "y = r"),
    ("y = a if g() else b", "g()", [], "y = a if r else b"),
    ("y = a if t else b + g()", "g()", ["b"], "y = v0 + r"),
    ("y = a < g() < b < c", "g()", ["a"], "y = v0 < r < b < c"),
    ("y = a < b < g() < c", "g()", ["a", "b"], "y = v1 < r < c"),
    ("y = g() is not b", "g()", [], "y = r is not b"),
    ("y = (z := a) + g()", "g()", ["(z := a)"], "y = v0 + r"),
    ("y = (z := g()) + z", "g()", [], "y = (z := r) + z"),
    ("x += g()", "g()", ["x"], "v0 += r\nx = v0"),
    ("o.a += b + g()", "g()", ["o", "o.a", "b"], "v1 += v2 + r\nv0.a = v1"),
    ("o[i] += g()", "g()", ["o", "i", "o[i]"], "v2 += r\nv0[v1] = v2"),
    ("o[g()] += b", "g()", ["o"], "v0[r] += b"),
    ("a.x = b[i] = g()", "g()", [], "a.x = b[i] = r"),
    ("a.x = b[g()] = c = d", "g()", ["d", "a", "b"], "v2[r] = v0\nc = v0"),
    ("y: int = g()", "g()", [], "y = r"),
    ("assert g(), m", "g()", [], "assert r, m"),
    ("raise g() from c", "g()", [], "raise r from c"),
    ("raise e from g()", "g()", ["e"], "raise v0 from r"),
    ("del a[g()], b.c", "g()", ["a"], "del v0[r], b.c"),
    ("del a[i], b[g()]", "g()", ["a", "i", "b"], "del v2[r]"),
    ("if g() > a: pass\nelse: b()", "g()", [], "if r > a:\n    pass\nelse:\n    b()"),
    ("for i in g(): f(i)", "g()", [], "for i in r:\n    f(i)"),
    ("while a + g(): f()", "g()", ["a"], "if v0 + r:\n    f()\n    while a + g():\n        f()"),
    ("while g():\n    f()\nelse:\n    h()", "g()", [],
     "if r:\n    f()\n    while g():\n        f()\n    else:\n        h()\nelse:\n    h()"),
    ("while g():\n    for i in a:\n        break", "g()", [],
     "if r:\n    for i in a:\n        break\n    while g():\n        for i in a:\n            break"),
    ("match g():\n    case 1:\n        f()", "g()", [], "match r:\n    case 1:\n        f()"),
    ("y = [i for i in g() if i]", "g()", [], "y = [i for i in r if i]"),
    ("y = f(a, sum((i for i in g())))", "g()", ["f", "a", "sum"], "y = v0(v1, v2((i for i in r)))"),
    ("y = lambda p=a, q=g(), *, k=b: p", "g()", ["a"], "y = lambda p=v0, q=r, *, k=b: p"),
    ("@d\ndef h(p=g(), *, k=b):\n    return p", "g()", ["d"], "@v0\ndef h(p=r, *, k=b):\n    return p"),
    ("while g(): break", "g()", [],
     "if r:\n    for __once in (None,):\n        break\n    else:\n        while g():\n            break"),
    ("while a + g():\n    if b:\n        continue\n    h()\nelse:\n    e()", "g()", ["a"],
     "if v0 + r:\n    for __once in (None,):\n        if b:\n            continue\n        h()\n    else:\n"
     "        while a + g():\n            if b:\n                continue\n            h()\n        else:\n            e()\n"
     "else:\n    e()"),
    ("(x, y), z = g()", "g()", [], "(x, y), z = r"),
    ("return (yes, [g(), no])", "g()", ["yes"], "return (v0, [r, no])"),
    ("return f(lambda: a, g())", "g()", ["f", "lambda: a"], "return v0(v1, r)"),
])
def test_rest_of_a_statement(statement, broken, finished, expected):
    assert rest_of(statement, broken, finished) == expected


@pytest.mark.parametrize(("statement", "broken", "expected"), [
    ("y = a and b", "a", "y = b if r else v0"),
    ("y = a or b", "a", "y = v0 if r else b"),
    ("y = a or b or c", "a", "y = v0 if r else b or c"),
    ("y = a or b or c", "b", "y = v0 if r else c"),
    ("y = f(a and b, c)", "a", "y = f(b if r else v0, c)"),
    ("y = b if a else c", "a", "y = b if r else c"),
    ("if a:\n    x()", "a", "if r:\n    x()"),
    ("assert a, m", "a", "assert r, m"),
])
def test_rest_after_a_truth_test(statement, broken, expected):
    assert rest_of(statement, broken, [broken], "truth") == expected


@pytest.mark.parametrize(("link", "finished", "expected"), [
    (0, ["a", "b"], "y = r and v1 < c < d"), (1, ["b", "c"], "y = r and v1 < d")])
def test_rest_after_a_link_of_a_chain(link, finished, expected):
    assert rest_of("y = a < b < c < d", "a < b < c < d", finished, f"op {link}") == expected


@pytest.mark.parametrize(("statement", "broken", "finished"), [
    ("match a:\n    case 1 if g():\n        pass", "g()", []),
    ("for i in a:\n    pass\nelse:\n    g()", "g()", []),
    ("y = [g() for i in a]", "g()", []),
    ("x += g()", "g()", []),                        # the old value is not at hand
])
def test_places_without_a_rest(statement, broken, finished):
    with pytest.raises(CannotResume):
        rest_of(statement, broken, finished)


def test_a_finished_field_of_an_fstring_stays_text():
    node = parse("y = f'{a:>4}|{g()!r}|{b}'")
    field = node.value.values[0]
    rest = Rest(find(node, "g()"), "r", {id(field): "v0"}).statement(node)
    assert ast.unparse(rest[0]) == "y = f'{v0}|{r!r}|{b}'"


def test_the_source_tree_is_not_changed():
    node = parse("o[i] += f(a, g(), [b])")
    before = ast.dump(node)
    names = {id(find(node, t)): n for t, n in (("o", "v0"), ("i", "v1"), ("o[i]", "v2"), ("f", "v3"), ("a", "v4"))}
    Rest(find(node, "g()"), "r", names).statement(node)
    assert ast.dump(node) == before


@pytest.mark.parametrize(("expression", "operands", "expected"), [
    ("f(a, *s, k=b, **d)", ["f", "a", "s", "b", "d"], "__rt.call(v0, v1, *v2, k=v3, **v4)"),
    ("a + b", ["a", "b"], "v0 + v1"),
    ("a[b:c]", ["a", "b", "c"], "v0[v1:v2]"),
    ("a.name", ["a"], "v0.name"),
    ("not a", ["a"], "not v0"),
    ("a in b", ["a", "b"], "v0 in v1"),
    ("f(1, 'x')", ["f"], "__rt.call(v0, 1, 'x')"),
])
def test_the_broken_step_on_finished_operands(expression, operands, expected):
    node = ast.parse(expression, mode="eval").body
    assert native(node, "op", {id(find(node, t)): f"v{i}" for i, t in enumerate(operands)}) == expected


def test_a_link_of_a_chain_as_a_native_step():
    node = ast.parse("a < b <= c", mode="eval").body
    names = {id(node.left): "v0", id(node.comparators[0]): "v1", id(node.comparators[1]): "v2"}
    assert (native(node, "op 0", names), native(node, "op 1", names)) == ("v0 < v1", "v1 <= v2")


def test_a_field_with_a_finished_format():
    field = ast.parse("f'{a:.2f}'", mode="eval").body.values[0]
    assert native(field, "op", {id(field.value): "v0", id(field.format_spec): "v1"}) == "f'{v0:{v1}}'"


@pytest.mark.parametrize("name", ["locals", "eval", "super", "vars"])
def test_calls_that_look_at_their_frame_are_no_native_step(name):
    node = ast.parse(f"{name}()", mode="eval").body
    with pytest.raises(CannotResume):
        native(node, "op", {id(node.func): "v0"})


# -- the rest of the function ----
def suffix_text(text, marker="HERE", around=()):
    """The suffix after the statement `HERE`. around: what the levels that need something hold on to, outermost first."""
    function = parse(text)
    path = []
    given = iter(around)

    def look(owner):
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            block = getattr(owner, field, None)
            for index, s in enumerate(block if isinstance(block, list) else []):
                if isinstance(s, ast.stmt):
                    path.append((owner, field, index))
                    if ast.unparse(s) == marker or look(s):
                        return True
                    path.pop()
                elif look(s):
                    return True
        return False

    assert look(function)
    levels = []
    for n, (owner, field, index) in enumerate(path):
        held = None
        if isinstance(owner, ast.ExceptHandler):
            before, name, at = path[n - 1]
            held = Handling(getattr(before, name)[at], "e0")
        elif isinstance(owner, ast.With) or field == "finalbody":
            held = next(given, None)
        levels.append(Level(owner, field, index, held))
    return "\n".join(ast.unparse(s) for s in suffix(levels, [parse("rest()")]))


@pytest.mark.parametrize(("text", "expected"), [
    ("def f():\n a()\n HERE\n b()\n return c", "rest()\nb()\nreturn c"),
    ("def f():\n if t:\n  HERE\n  b()\n else:\n  c()\n d()", "rest()\nb()\nd()"),
    ("def f():\n if t:\n  a()\n elif u:\n  HERE\n else:\n  c()\n d()", "rest()\nd()"),
    ("def f():\n try:\n  a()\n  HERE\n  b()\n except E:\n  c()\n else:\n  e()\n finally:\n  d()\n z()",
     "try:\n    rest()\n    b()\nexcept E:\n    c()\nelse:\n    e()\nfinally:\n    d()\nz()"),
    ("def f():\n try:\n  a()\n except E:\n  c()\n else:\n  HERE\n finally:\n  d()", "try:\n    rest()\nfinally:\n    d()"),
    ("def f():\n try:\n  a()\n except E:\n  c()\n else:\n  HERE\n d()", "rest()\nd()"),
    ("def f():\n match x:\n  case 1:\n   HERE\n  case 2:\n   a()\n b()", "rest()\nb()"),
    ("def f():\n while x:\n  HERE\n  b()\n c()", "rest()\nb()\nwhile x:\n    HERE\n    b()\nc()"),
    ("def f():\n while x:\n  HERE\n  if y:\n   break\n else:\n  e()\n c()",
     "for __once in (None,):\n    rest()\n    if y:\n        break\nelse:\n    while x:\n        HERE\n        if y:\n"
     "            break\n    else:\n        e()\nc()"),
    ("def f():\n for i in x:\n  a()\n else:\n  HERE\n  b()\n c()", "rest()\nb()\nc()"),
    ("def f():\n try:\n  a()\n except E:\n  HERE\n  b()\n finally:\n  c()\n d()",
     "try:\n    e0.again()\nexcept:\n    e0.settle()\n    rest()\n    b()\nfinally:\n    c()\nd()"),
    ("def f():\n try:\n  a()\n except E as e:\n  HERE\n  b(e)\n d()",
     "try:\n    e0.again()\nexcept:\n    e0.settle()\n    try:\n        rest()\n        b(e)\n    finally:\n        e = None\n"
     "        del e\nd()"),
    ("def f():\n try:\n  a()\n finally:\n  HERE\n  b()\n c()", "rest()\nb()\nc()"),
])
def test_the_rest_of_a_function(text, expected):
    assert suffix_text(text) == expected


@pytest.mark.parametrize(("text", "around", "expected"), [
    ("def f():\n with a as b, c:\n  HERE\n  d()\n e()", Managers(("m0", "m1")), "with m0, m1:\n    rest()\n    d()\ne()"),
    ("def f():\n try:\n  a()\n finally:\n  HERE\n  b()\n c()", Waiting("return", "v"),
     "try:\n    return v\nfinally:\n    rest()\n    b()\nc()"),
    ("def f():\n try:\n  a()\n finally:\n  HERE\n c()", Waiting("raise", "e0"),
     "try:\n    e0.again()\nfinally:\n    e0.settle()\n    rest()\nc()"),
    ("def f():\n while x:\n  try:\n   a()\n  finally:\n   HERE\n c()", Waiting("continue"),
     "for __once in (None,):\n    try:\n        continue\n    finally:\n        rest()\nelse:\n    while x:\n        try:\n"
     "            a()\n        finally:\n            HERE\nc()"),
])
def test_levels_that_hold_something(text, around, expected):
    assert suffix_text(text, around=[around]) == expected


def test_a_for_loop_is_only_entered_through_its_iterator():
    with pytest.raises(CannotResume):
        suffix_text("def f():\n for i in x:\n  HERE")


# -- live names ----
@pytest.mark.parametrize(("text", "live"), [
    ("y = x\nz = y", {"x"}),
    ("x = 1\ny = x", set()),
    ("x += 1", {"x"}),
    ("o.a = v", {"o", "v"}),
    ("o[i] += 1", {"o", "i"}),
    ("del x", {"x"}),
    ("if t:\n    y = 1\nz = y", {"t", "y"}),
    ("if t:\n    y = 1\nelse:\n    y = 2\nz = y", {"t"}),
    ("for i in s:\n    y = i\nz = y", {"s", "y"}),
    ("for i in s:\n    pass\nz = i", {"s", "i"}),
    ("while t:\n    t = u", {"t", "u"}),
    ("while t:\n    a = b\n    b = 1", {"t", "b"}),
    ("try:\n    y = f()\nexcept E as e:\n    g(e, y)", {"f", "E", "g", "y"}),
    ("try:\n    y = 1\nfinally:\n    z = 2\nw = y + z", {"y"}),
    ("with c as y:\n    z = y", {"c"}),
    ("with c:\n    z = 1\nw = z", {"c", "z"}),
    ("def g(a, b=d):\n    return a + h", {"d", "h"}),
    ("k = lambda a: a + b", {"b"}),
    ("y = [i + n for i in s if m]", {"n", "s", "m"}),
    ("y = (n := a) + n", {"a"}),
    ("y = t and (n := 1)\nz = n", {"t", "n"}),
    ("import os\nos.path", set()),
    ("match s:\n    case [a, *b] if c:\n        a, b\nb", {"s", "c", "b"}),
    ("a, (b, *c) = v\na, b, c", {"v"}),
    ("x: int = v\nx", {"v"}),
    ("x: int\ny = x", {"x"}),
    ("class C(B):\n    k = v", {"B", "v"}),
    ("assert a, b", {"a", "b"}),
    ("f'{a:{b}}'", {"a", "b"}),
    ("y = [a for a in a]", {"a"}),
    ("y = [b for a in s for b in a]", {"s"}),
    ("y = {**d, 'k': v}", {"d", "v"}),
    ("raise e from c", {"e", "c"}),
    ("def g():\n    nonlocal n\n    n = 1", {"n"}),
    ("del x\ny = x", {"x"}),
    ("try:\n    pass\nexcept E as e:\n    pass\ny = e", {"E", "e"}),
])
def test_names_read_before_they_are_stored(text, live):
    assert live_names(ast.parse(text).body) == live


def test_names_stored_here_and_not_in_functions_inside():
    body = ast.parse("x = 1\nfor i in s: pass\ndef g(): y = 2\nwith c as w: pass\nimport a.b as ab\n(z := 3)").body
    assert stored_names(copy.deepcopy(body)) == {"x", "i", "g", "w", "ab", "z"}
