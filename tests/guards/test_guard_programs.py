"""Generated guard functions against plain comparison: a call is accepted exactly when nothing that was read changed."""

import linecache
import math

import numpy as np
import pytest
from guardscope.core.errors import InternalError
from guardscope.core.graph.node import Span
from guardscope.core.guards.compile import build
from guardscope.core.guards.explain import kind_of_reason, sentence
from guardscope.core.guards.guard import ABSENT, KINDS, Guard, Held, TensorExpectation
from guardscope.core.guards.origin import (
    ArgOrigin,
    AttrOrigin,
    BuiltinOrigin,
    CellOrigin,
    DictKeyOrigin,
    FunctionOrigin,
    GlobalOrigin,
    InstanceDictOrigin,
    ItemOrigin,
    SizeOrigin,
    TypeOrigin,
)
from guardscope.core.symbolic.shape_env import ShapeEnv, stride_expressions
from guardscope.core.tensor import dtypes
from guardscope.core.tensor.devices import CPU, META
from guardscope.core.tensor.meta import NO_MARKS, Marks
from guardscope.core.tensor.state import STATE
from guardscope.core.tensor.tensor import Tensor, wrap
from hypothesis import given, settings
from hypothesis import strategies as st

X, Y, V = ArgOrigin("x"), ArgOrigin("y"), ArgOrigin("v")

# -- random structures ------------------------------------------------------------------------------------------------
leaves = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([0.0, -0.0, 1.0, 2.5, float("nan")]),
                   st.sampled_from(["", "a", "1"]), st.sampled_from([b"", b"a"]))
keys = st.one_of(st.sampled_from(["a", "b", "c"]), st.integers(0, 1), st.booleans())
structures = st.recursive(leaves, lambda kids: st.one_of(
    st.lists(kids, max_size=3), st.lists(kids, max_size=3).map(tuple), st.dictionaries(keys, kids, max_size=3),
    st.frozensets(st.sampled_from([1, 2, "a", True]), max_size=3)), max_leaves=8)


def canonical(v):
    """What plain Python would call the same structure, types and NaN and -0.0 told apart."""
    if isinstance(v, list | tuple):
        return type(v).__name__, [canonical(x) for x in v]
    if isinstance(v, dict):
        return "dict", [(canonical(k), canonical(x)) for k, x in v.items()]
    if isinstance(v, frozenset):
        return "frozenset", sorted((type(x).__name__, repr(x)) for x in v)
    return type(v).__name__, repr(v)


def read(origin, v, out):
    """Guards as capture records them when it looks at everything."""
    if v is None or v is True or v is False:
        out.append(Guard("CONSTANT_MATCH", origin, v))
    elif isinstance(v, list | tuple):
        out += [Guard("TYPE_MATCH", origin, type(v)), Guard("SEQUENCE_LENGTH", origin, len(v))]
        for i, item in enumerate(v):
            read(ItemOrigin(origin, i), item, out)
    elif isinstance(v, dict):
        out += [Guard("TYPE_MATCH", origin, dict), Guard("DICT_KEYS", origin, tuple(v))]
        for key, item in v.items():
            read(ItemOrigin(origin, key), item, out)
    elif isinstance(v, frozenset):
        out += [Guard("TYPE_MATCH", origin, frozenset), Guard("SET_CONTENTS", origin, v)]
    else:
        out.append(Guard("EQUALS_MATCH", origin, v))
    return out


def f(v):
    return v


@given(structures, structures)
@settings(max_examples=300, deadline=None)
def test_accepts_exactly_equal_structures(a, b):
    program = build(read(V, a, []), None, ["v"])
    for value in (a, b):
        same = canonical(value) == canonical(a)
        index = program.check(f, value)
        failures = program.explain(f, value)
        assert (index is None) == same
        assert (not failures) == same
        if not same:
            assert index == failures[0].index
            assert all(x.expected and x.seen and x.expected != x.seen for x in failures)


def paths(v, origin=V):
    """Every leaf: (origin text, function that gives the structure with another leaf in its place)."""
    if isinstance(v, list | tuple):
        for i, item in enumerate(v):
            for text, change in paths(item, ItemOrigin(origin, i)):
                yield text, lambda new, i=i, change=change: type(v)([*v[:i], change(new), *v[i + 1:]])
    elif isinstance(v, dict):
        for key, item in v.items():
            for text, change in paths(item, ItemOrigin(origin, key)):
                yield text, lambda new, key=key, change=change: {**v, key: change(new)}
    elif not isinstance(v, frozenset):
        yield origin.text, lambda new: new


@given(structures, st.data())
@settings(max_examples=200, deadline=None)
def test_a_changed_leaf_is_named(a, data):
    places = list(paths(a))
    if not places:
        return
    text, change = data.draw(st.sampled_from(places))
    mutated = change("something new")
    program = build(read(V, a, []), None, ["v"])
    assert program.check(f, mutated) is not None
    failures = program.explain(f, mutated)
    assert [x.where for x in failures] == [text]
    assert "something new" in failures[0].seen or "str" in failures[0].seen


@given(structures, st.one_of(structures, st.just(object()), st.just(type)))
@settings(max_examples=100, deadline=None)
def test_never_raises(a, b):
    class Hostile:
        def __getattr__(self, name):
            raise RuntimeError(name)

        def __eq__(self, other):
            raise RuntimeError("eq")

        def __len__(self):
            raise RuntimeError("len")

        __hash__ = None

    program = build(read(V, a, []), None, ["v"])
    for value in (b, Hostile(), [Hostile()], {"a": Hostile()}):
        program.check(f, value)
        program.explain(f, value)
        assert program.check(f, Hostile()) is not None


# -- tensors ----------------------------------------------------------------------------------------------------------
def tensor(*shape, dtype=np.float32, device=CPU, grad=False, marks=NO_MARKS):
    t = wrap(np.zeros(shape, dtype), grad, Tensor, device)
    t._meta = t._meta.replace(marks=marks)
    return t


def expectation(sizes=(4, 8), strides=(8, 1), marks=NO_MARKS, grad=False):
    return TensorExpectation(Tensor, dtypes.float32, CPU, grad, sizes, strides, marks)


def dynamic_program():
    env = ShapeEnv()
    n = env.new_symbol(SizeOrigin(X, 0), 4)
    m = env.new_symbol(SizeOrigin(X, 1), 8)
    stride_expressions((n, m), (8, 1), env, X)
    return build([Guard("TENSOR_MATCH", X, expectation((None, None), (None, 1)))], env, ["x"])


@pytest.mark.parametrize(("other", "aspect", "where", "seen", "dim"), [
    (lambda: tensor(5, 8), "size", "x.shape[0]", "5", 0),
    (lambda: tensor(4, 9), "size", "x.shape[1]", "9", 1),
    (lambda: tensor(4, 8, dtype=np.float64), "dtype", "x.dtype", "float64", None),
    (lambda: tensor(4, 8, device=META), "device", "x.device", "meta", None),
    (lambda: tensor(4, 8, grad=True), "requires_grad", "x.requires_grad", "True", None),
    (lambda: tensor(4, 8, 1), "rank", "x.ndim", "3 (shape [4, 8, 1])", None),
    (lambda: wrap(np.zeros((8, 4), np.float32).T), "stride", "x.stride(0)", "1", None),
    (lambda: tensor(4, 8, marks=Marks(dynamic=frozenset({0}))), "marks", "x", "marked dynamic [0]", None),
    (lambda: None, "none", "x", "None", None),
    (lambda: 3.0, "type", "x", "3.0", None),
])
def test_a_static_tensor(other, aspect, where, seen, dim):
    program = build([Guard("TENSOR_MATCH", X, expectation())], None, ["x"])
    assert program.check(f, tensor(4, 8)) is None and program.explain(f, tensor(4, 8)) == []
    assert program.check(f, other()) == 0
    first = program.explain(f, other())[0]
    assert (first.aspect, first.where, first.seen, first.index) == (aspect, where, seen, 0)
    assert dim is None or first.dim == dim


def test_every_differing_dimension_is_said():
    program = build([Guard("TENSOR_MATCH", X, expectation())], None, ["x"])
    failures = program.explain(f, tensor(5, 9))
    assert [sentence(x) for x in failures] == ["x.shape[0] was 4, is 5", "x.shape[1] was 8, is 9"]
    assert [kind_of_reason(x) for x in failures] == ["tensor-size", "tensor-size"]


def test_dynamic_sizes_accept_any_size_but_0_and_1():
    program = dynamic_program()
    for shape in ((4, 8), (2, 2), (100, 3)):
        assert program.check(f, tensor(*shape)) is None
    for bad in (tensor(1, 8), tensor(4, 1), tensor(0, 8), tensor(4, 8, 1), tensor(4, 8, dtype=np.int64),
                wrap(np.zeros((8, 4), np.float32).T), tensor(4, 8, grad=True)):
        assert program.check(f, bad) is not None
        assert program.explain(f, bad)
    said = [sentence(x) for x in program.explain(f, tensor(1, 8))]
    assert said == ["x.shape[0] >= 2 was needed, x.shape[0] is 1"]


def test_marks_compiled_with_are_an_upper_bound():
    both = Marks(dynamic=frozenset({0, 1}), static=frozenset({1}))
    for sizes, env in (((4, 8), None), ((None, 8), ShapeEnv())):
        if env is not None:
            env.new_symbol(SizeOrigin(X, 0), 4)
        program = build([Guard("TENSOR_MATCH", X, expectation(sizes, marks=both))], env, ["x"])
        for marks, fits in ((NO_MARKS, True), (both, True), (Marks(dynamic=frozenset({1})), True),
                            (Marks(static=frozenset({0})), False), (Marks(maybe=frozenset({1})), False)):
            assert (program.check(f, tensor(4, 8, marks=marks)) is None) == fits


# -- every other kind -------------------------------------------------------------------------------------------------
class Config:
    width = 3

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def scale(self):
        return 1


class Wide(Config):
    pass


def other_function():
    return 2


def with_cell(k):
    def inner(v):
        return k
    return inner


LIST = [1]
CASES = {
    "TYPE_MATCH": (Guard("TYPE_MATCH", V, Config), Config(), Wide(), "type"),
    "ID_MATCH": (Guard("ID_MATCH", V, LIST), LIST, [1], "identity"),
    "EQUALS_MATCH": (Guard("EQUALS_MATCH", V, (1, "a")), (1, "a"), (True, "a"), "value"),
    "CONSTANT_MATCH": (Guard("CONSTANT_MATCH", V, True), True, 1, "value"),
    "FUNCTION_MATCH": (Guard("FUNCTION_MATCH", V, f.__code__), f, other_function, "identity"),
    "SEQUENCE_LENGTH": (Guard("SEQUENCE_LENGTH", V, 2), [1, 2], [1], "length"),
    "DICT_KEYS": (Guard("DICT_KEYS", V, ("a", "b")), {"a": 1, "b": 2}, {"b": 2, "a": 1}, "keys"),
    "DICT_CONTAINS": (Guard("DICT_CONTAINS", V, ("a", False)), {"b": 1}, {"a": 1}, "keys"),
    "HASATTR": (Guard("HASATTR", V, ("extra", False)), Config(), Config(extra=1), "attribute"),
    "NOT_IN_INSTANCE": (Guard("NOT_IN_INSTANCE", V, "scale"), Config(), Config(scale=None), "attribute"),
    "OBJECT_ALIASING": (Guard("OBJECT_ALIASING", ItemOrigin(V, 0), ItemOrigin(V, 1)), [LIST, LIST], [LIST, [1]],
                        "aliasing"),
    "NOT_ALIASING": (Guard("NOT_ALIASING", ItemOrigin(V, 0), ItemOrigin(V, 1)), [LIST, [1]], [LIST, LIST], "aliasing"),
    "FLOAT_NOT_NAN": (Guard("FLOAT_NOT_NAN", V, None), 1.5, float("nan"), "value"),
    "SET_CONTENTS": (Guard("SET_CONTENTS", V, frozenset({1, 2})), {1, 2}, {True, 2}, "members"),
}


@pytest.mark.parametrize("kind", CASES)
def test_each_kind(kind):
    guard, good, bad, aspect = CASES[kind]
    program = build([guard], None, ["v"])
    assert program.check(f, good) is None and program.explain(f, good) == []
    assert program.check(f, bad) == 0
    failure, = program.explain(f, bad)
    assert failure.aspect == aspect and kind_of_reason(failure) != "other"
    (described_kind, origin, condition, expected, _, _), = program.describe()
    assert described_kind == kind and condition and expected and origin in condition


def test_all_kinds_have_a_case():
    elsewhere = {"TENSOR_MATCH", "CLASS_ATTRIBUTE", "STORAGE_OVERLAP", "SHAPE_ENV", "GLOBAL_STATE",
                 "NAMES_UNCHANGED", "PRESENT"}
    assert set(CASES) | elsewhere == set(KINDS)
    with pytest.raises(InternalError):
        build([Guard("NO_SUCH_KIND", V, 1)], None, ["v"])


def test_a_class_attribute_replaced_or_shadowed():
    found = Config.__dict__["scale"]
    guards = [Guard("TYPE_MATCH", V, Wide), Guard("CLASS_ATTRIBUTE", V, (Config, "scale", found))]
    for chosen in (guards, guards[1:]):                    # with and without knowing the object's class
        program = build(chosen, None, ["v"])
        last = len(chosen) - 1
        assert program.check(f, Wide()) is None
        Wide.scale = other_function
        try:
            assert program.check(f, Wide()) == last
            assert program.explain(f, Wide())[0].where == "v.scale"
        finally:
            del Wide.scale
        assert program.check(f, Wide()) is None
        Config.scale = other_function
        try:
            assert program.check(f, Wide()) == last
            assert "other_function" in program.explain(f, Wide())[0].seen
        finally:
            Config.scale = found
        assert program.check(f, Wide()) is None


def test_names_unchanged():
    class Low(Config):
        pass
    guard = Guard("NAMES_UNCHANGED", None, (
        Held(vars(math), "sqrt", math.sqrt, "math.sqrt"), Held(Low.__dict__, "extra", ABSENT, "Low.extra"),
        Held(Low, "__mro__", Low.__mro__, "the base classes of Low")))
    program = build([guard], None, ["v"])
    assert program.check(f, 1) is None and program.explain(f, 1) == []

    def fails(where):
        assert program.check(f, 1) == 0
        failure, = program.explain(f, 1)
        assert failure.where == where
    before = math.sqrt
    math.sqrt = math.exp
    try:
        fails("math.sqrt")
        del math.sqrt
        fails("math.sqrt")
    finally:
        math.sqrt = before
    Low.extra = None                                       # there, although it is None
    fails("Low.extra")
    del Low.extra
    Low.__bases__ = (Wide,)
    fails("the base classes of Low")
    Low.__bases__ = (Config,)
    assert program.check(f, 1) == 0                        # another tuple: compiled anew, which is never wrong


def test_present():
    program = build([Guard("PRESENT", InstanceDictOrigin(V, "scale"), None)], None, ["v"])
    assert program.check(f, Config(scale=3)) is None and program.check(f, Config()) == 0
    assert program.explain(f, Config())[0].where == "v.scale"


def test_shared_memory():
    base = np.zeros(10, np.float32)
    a, b, c = wrap(base[:5]), wrap(base[4:]), wrap(base[5:])
    apart = build([Guard("STORAGE_OVERLAP", X, (Y, False))], None, ["x", "y"])
    assert apart.check(f, a, c) is None and apart.check(f, a, b) == 0
    assert kind_of_reason(apart.explain(f, a, b)[0]) == "tensor-aliasing"
    assert build([Guard("STORAGE_OVERLAP", X, (Y, True))], None, ["x", "y"]).check(f, a, b) is None


def test_the_changed_mode_is_named():
    program = build([Guard("GLOBAL_STATE", None, STATE.mode)], None, ["v"])
    before = STATE.set(grad_enabled=False)
    try:
        assert program.check(f, 1) == 0
        failure, = program.explain(f, 1)
        assert (failure.where, failure.expected, failure.seen) == ("grad mode", "True", "False")
    finally:
        STATE.mode = before
    assert program.check(f, 1) is None


GLOBAL_K = 3


@pytest.mark.parametrize(("origin", "good", "text"), [
    (GlobalOrigin("GLOBAL_K"), 3, "GLOBAL_K"),
    (CellOrigin(FunctionOrigin(), 0, "k"), 5, "k"),
    (BuiltinOrigin("len"), len, "len"),
    (TypeOrigin(V), dict, "type(v)"),
    (DictKeyOrigin(V, 0), "a", "list(v)[0]"),
    (ItemOrigin(V, "a"), 1, "v['a']"),
    (ItemOrigin(AttrOrigin(FunctionOrigin(), "__defaults__"), 0), 7, "the function.__defaults__[0]"),
])
def test_where_a_value_can_come_from(origin, good, text):
    g = with_cell(5)
    g.__defaults__ = (7,)
    kind = "EQUALS_MATCH" if isinstance(good, int | str) else "ID_MATCH"
    assert build([Guard(kind, origin, good)], None, ["v"]).check(g, {"a": 1}) is None
    program = build([Guard("EQUALS_MATCH", origin, "something else")], None, ["v"])
    assert program.check(g, {"a": 1}) == 0
    assert program.explain(g, {"a": 1})[0].where == text


def test_parameters_may_be_called_anything():
    names = ["len", "type", "list", "__v0", "__type", "math"]
    guards = [Guard("TYPE_MATCH", ArgOrigin(n), list) for n in names]
    guards += [Guard("SEQUENCE_LENGTH", ArgOrigin(n), 1) for n in names]
    program = build([*guards, Guard("EQUALS_MATCH", DictKeyOrigin(ArgOrigin("list"), 0), "k")], None, names)
    assert program.check(f, *[["k"]] * 6) is None
    assert program.check(f, *[["k"]] * 5, []) is not None


def test_a_fetch_waits_for_the_guards_that_make_it_safe():
    touched = []

    class Lively:
        @property
        def cfg(self):
            touched.append(1)
            return Config(k=1)

    cfg = AttrOrigin(V, "cfg")
    guards = [Guard("EQUALS_MATCH", InstanceDictOrigin(cfg, "k"), 1), Guard("TYPE_MATCH", cfg, Config),
              Guard("TYPE_MATCH", V, Config)]
    program = build(guards, None, ["v"])
    assert [g.origin for g in program.guards] == [V, cfg, InstanceDictOrigin(cfg, "k")]
    assert program.check(f, Lively()) == 0
    assert [x.index for x in program.explain(f, Lively())] == [0]
    assert touched == []
    assert program.check(f, Config(cfg=Config(k=1))) is None
    missing = program.explain(f, Config())
    assert missing[0].seen == "no attribute 'cfg'" and kind_of_reason(missing[0]) == "attribute"


# -- symbols ----------------------------------------------------------------------------------------------------------
def test_relations_name_place_and_value():
    env = ShapeEnv()
    env.span = lambda: Span("/home/me/model.py", 7)
    n = env.new_symbol(SizeOrigin(X, 0), 20)
    assert n > 10
    program = build([Guard("TENSOR_MATCH", X, expectation((None, 8)))], env, ["x"])
    assert program.check(f, tensor(11, 8)) is None and program.check(f, tensor(10, 8)) == 1
    failure, = program.explain(f, tensor(5, 8))
    assert sentence(failure) == "x.shape[0] > 10 was needed, x.shape[0] is 5"
    assert (failure.dim, kind_of_reason(failure), failure.guard.span.line) == (0, "symbolic", 7)
    assert "model.py:7" in program.source


def test_a_symbolic_number_accepts_its_type_only():
    env = ShapeEnv()
    env.new_symbol(V, 5, "int")
    program = build([], env, ["v"])
    assert program.check(f, -3) is None and program.check(f, 0) is None
    assert program.check(f, True) is not None and program.check(f, 5.0) is not None


@given(st.lists(st.tuples(st.sampled_from(["<", "==", "%"]), st.integers(2, 6)), max_size=4), st.integers(2, 12),
       st.integers(2, 12))
@settings(max_examples=100, deadline=None)
def test_symbolic_programs_agree_with_the_decisions(asked, a, b):
    def decisions(n, m):
        out = []
        for op, k in asked:
            out.append(bool({"<": lambda: n < m + k, "==": lambda: n * k == m, "%": lambda: (n + m) % k == 0}[op]()))
        return out

    env = ShapeEnv()
    n, m = env.new_symbol(SizeOrigin(X, 0), a), env.new_symbol(V, b, "int")
    first = decisions(n, m)
    program = build([Guard("TENSOR_MATCH", X, TensorExpectation(Tensor, dtypes.float32, CPU, False, (None,), (1,),
                                                               NO_MARKS))], env, ["x", "v"])
    rest = program.split(("x",))
    for size in range(2, 13):
        for number in range(13):
            fits = decisions(size, number) == first
            accepted = program.check(f, tensor(size), number) is None
            assert not accepted or fits
            assert (program.explain(f, tensor(size), number) == []) == accepted
            if accepted and rest is not None:
                assert rest(f, tensor(size), number) is None
    assert program.check(f, tensor(a), b) is None


# -- split, source ----------------------------------------------------------------------------------------------------
def test_split_leaves_what_metadata_does_not_say():
    env = ShapeEnv()
    n = env.new_symbol(SizeOrigin(X, 0), 4)
    assert n > 3
    only = build([Guard("TENSOR_MATCH", X, expectation((None, 8)))], env, ["x"])
    assert only.split(("x",)) is None and only.rest is None
    assert only.split(()) is not None
    k = env.new_symbol(V, 9, "int")
    assert n < k
    more = build([Guard("TENSOR_MATCH", X, expectation((None, 8))), Guard("NOT_ALIASING", X, V),
                  Guard("GLOBAL_STATE", None, STATE.mode)], env, ["x", "v"])
    rest = more.split(("x",))
    x = tensor(4, 8)
    assert rest(f, x, 9) is None
    assert rest(f, x, 4) is not None                       # n < k is not decided by metadata
    assert more.guards[rest(f, x, x)].kind in ("TYPE_MATCH", "NOT_ALIASING")
    assert more.rest is rest


def test_source_is_readable_and_found_by_debuggers():
    guard = Guard("EQUALS_MATCH", AttrOrigin(V, "k"), 5, Span("/a/model.py", 4), "value used in a branch")
    program = build([guard], None, ["v"])
    assert program.source == '''def check(__fn, v):
    try:
        # 0  EQUALS_MATCH  v.k == 5  model.py:4: value used in a branch
        __v0 = v.k
        if __type(__v0) is not __int or __v0 != 5: return 0
        return None
    except Exception:
        return __slow(__fn, v)
'''
    assert "".join(linecache.getlines(program.check.__code__.co_filename)) == program.source
