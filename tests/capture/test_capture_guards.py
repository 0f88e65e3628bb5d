"""Nothing that a captured function read may change without being noticed: after every change the result is plain Python's."""

import functools
import types

import pytest
from guardscope.tests.capture.harness import Engine, Policy, plain


def check(fn, first, change, second=None, policy=None, recompiles=True):
    """Capture with `first`; apply the change; the compiled result must equal the plain one, before and after."""
    engine = Engine(Policy(**(policy or {})))
    args = first()
    want = plain(fn(*args)) if not callable(getattr(first, "__self__", None)) else None
    assert plain(engine(fn, *first())) == want
    change()
    again = (second or first)
    want = plain(fn(*again()))
    assert plain(engine(fn, *again())) == want
    assert not engine.skipped, [(s.reason, s.span) for s in engine.skipped]
    compiled = [line for line in engine.log if not line.startswith("reuse")]
    assert (len(compiled) > 1) is recompiles, engine.log
    return engine


@pytest.fixture
def m(load_program):
    """The module of subjects, put back as it was after the test."""
    module = load_program("changing")
    before = dict(vars(module))
    classes = {c: dict(vars(c)) for c in (module.Settings, module.Model, module.Child, module.Net)}
    names, table, members = list(module.NAMES), dict(module.TABLE), set(module.MEMBERS)
    bias = dict(module.Settings.table)
    codes = {f: (f.__code__, f.__defaults__, f.__kwdefaults__) for f in before.values()
             if isinstance(f, types.FunctionType) and f.__module__ == module.__name__}
    yield module
    for name in set(vars(module)) - set(before):
        delattr(module, name)
    vars(module).update(before)
    module.NAMES[:] = names
    module.TABLE.clear()
    module.TABLE.update(table)
    module.MEMBERS.clear()
    module.MEMBERS.update(members)
    module.Settings.table.clear()
    module.Settings.table.update(bias)
    for cls, held in classes.items():
        for name in set(vars(cls)) - set(held):
            delattr(cls, name)
        for name, value in held.items():
            if name not in ("__dict__", "__weakref__") and vars(cls).get(name) is not value:
                setattr(cls, name, value)
    for f, (code, defaults, kwdefaults) in codes.items():
        f.__code__, f.__defaults__, f.__kwdefaults__ = code, defaults, kwdefaults


GLOBAL_CHANGES = {
    "number": ("reads_number", lambda m: setattr(m, "NUMBER", 5)),
    "number becomes float": ("reads_number", lambda m: setattr(m, "NUMBER", 2.0)),
    "list grows": ("reads_list", lambda m: m.NAMES.append("c")),
    "list item": ("reads_list", lambda m: m.NAMES.__setitem__(0, "z")),
    "list replaced by tuple": ("reads_list", lambda m: setattr(m, "NAMES", ("a", "b"))),
    "dict value": ("reads_dict", lambda m: m.TABLE.__setitem__("k", 4)),
    "dict gains a key": ("reads_dict", lambda m: m.TABLE.__setitem__("q", 4)),
    "dict gains a key that was asked for": ("reads_dict", lambda m: m.TABLE.__setitem__("z", 4)),
    "dict iterated": ("iterates_dict", lambda m: m.TABLE.__setitem__("z", 4)),
    "set": ("reads_set", lambda m: m.MEMBERS.discard(1)),
    "helper replaced": ("calls_helper", lambda m: setattr(m, "helper", m.other)),
    "helper's code replaced": ("calls_helper", lambda m: setattr(m.helper, "__code__", m.other.__code__)),
    "torch function replaced": ("calls_chosen", lambda m: setattr(m, "CHOSEN", m.torch.sin)),
    "class attribute": ("reads_class", lambda m: setattr(m.Settings, "factor", 7)),
    "dict of a class": ("reads_class", lambda m: m.Settings.table.__setitem__("bias", 9)),
    "builtin shadowed": ("uses_len", lambda m: setattr(m, "len", lambda v: 50)),
    "default": ("calls_default", lambda m: setattr(m.default, "__defaults__", (9,))),
    "keyword default": ("calls_default", lambda m: setattr(m.default, "__kwdefaults__", {"s": 8})),
}


HANDED_ON = {"list item", "nested value"}      # fetched anew by every call, and returned as it is: nothing depends on it


@pytest.mark.parametrize("case", GLOBAL_CHANGES)
def test_globals(m, case):
    name, change = GLOBAL_CHANGES[case]
    check(getattr(m, name), lambda: (m.X,), lambda: change(m), recompiles=case not in HANDED_ON)


def test_unread_global_does_not_matter(m):
    check(m.reads_number, lambda: (m.X,), lambda: m.assign("SOMETHING", 1), recompiles=False)


OBJECT_CHANGES = {
    "instance attribute": lambda m, o: setattr(o, "weight", m.torch.ones(4, dtype=m.torch.float64)),
    "instance shadows a class attribute": lambda m, o: setattr(o, "rate", 10),
    "instance shadows a method": lambda m, o: setattr(o, "apply", lambda v: v * 100),
    "class attribute": lambda m, o: setattr(m.Model, "rate", 4),
    "method": lambda m, o: setattr(m.Model, "apply", lambda self, v: v - 7),
    "property": lambda m, o: setattr(m.Model, "scaled", property(lambda self: 11)),
    "nested value": lambda m, o: o.items[0].__setitem__("v", 6),
    "nested branch": lambda m, o: o.items[0].__setitem__("on", False),
    "length": lambda m, o: setattr(m.Model, "__len__", lambda self: 9),
}


@pytest.mark.parametrize("case", OBJECT_CHANGES)
def test_objects(m, case):
    o = m.Model()
    check(m.uses_model, lambda: (m.X, o), lambda: OBJECT_CHANGES[case](m, o),
          recompiles=case not in HANDED_ON)


def test_object_attribute_that_is_not_read(m):
    o = m.Model()
    check(m.uses_model, lambda: (m.X, o), lambda: setattr(o, "note", "changed"), recompiles=False)
    check(m.uses_model, lambda: (m.X, m.Model()), lambda: None, recompiles=False)


@pytest.mark.parametrize("change", ["super's method", "another class", "override in between"])
def test_inheritance(m, change):
    o = m.Child()
    changes = {"super's method": lambda: setattr(m.Model, "apply", lambda self, v: v * 50),
               "another class": lambda: None, "override in between": lambda: setattr(m.Child, "apply", lambda self, v: v)}
    second = (lambda: (m.X, m.Model())) if change == "another class" else None
    check(m.uses_model, lambda: (m.X, o), changes[change], second)


@pytest.mark.parametrize("where", ["instance", "class"])
@pytest.mark.parametrize("name", ["extra", "other"])
def test_attributes_that_were_absent(m, where, name):
    o = m.Model()
    check(m.probes, lambda: (m.X, o), lambda: setattr(o if where == "instance" else m.Model, name, 3))


def test_slots(m):
    check(m.uses_slots, lambda: (m.X, m.Slots(2)), lambda: None, lambda: (m.X, m.Slots(3)))


def test_aliasing(m):
    x, a, b = m.X, [1], [1]
    check(m.two_lists, lambda: (x, list(a), list(b)), lambda: None, lambda: (x, *[[1]] * 2))
    check(m.two_lists, lambda: (x, *[[1]] * 2), lambda: None, lambda: (x, [1], [1]))
    p, q = m.Model(), m.Model()
    check(m.same, lambda: (x, p, q), lambda: None, lambda: (x, p, p))
    check(m.same, lambda: (x, p, p), lambda: None, lambda: (x, p, q))
    check(m.same, lambda: (x, x, m.torch.ones(4)), lambda: None, lambda: (x, x, x))
    check(m.same_list, lambda: (x, a, b), lambda: None, lambda: (x, a, a))


def test_kinds_of_arguments(m):
    x = m.X
    check(m.enumerated, lambda: (x, m.Mode.A), lambda: None, lambda: (x, m.Mode.B))
    check(m.typed, lambda: (x, 2), lambda: None, lambda: (x, 2.5))
    check(m.typed, lambda: (x, 2), lambda: None, lambda: (x, True))
    check(m.typed, lambda: (x, 2), lambda: None, lambda: (x, True), {"numbers": True})
    check(m.pairs, lambda: (x, m.Pair(1, 2)), lambda: None, lambda: (x, m.Pair(1, 3)))
    check(m.partials, lambda: (x, functools.partial(m.default, k=2)), lambda: None,
          lambda: (x, functools.partial(m.default, k=3)))
    check(m.partials, lambda: (x, m.Model().apply), lambda: None, lambda: (x, m.Child().apply))
    check(m.partials, lambda: (x, m.torch.sin), lambda: None, lambda: (x, m.torch.cos))
    check(m.raised, lambda: (x, ValueError(2)), lambda: None, lambda: (x, ValueError(3)))
    check(m.raised, lambda: (x, ValueError(2)), lambda: None, lambda: (x, KeyError(2)))


def test_symbolic_numbers_serve_all_values(m):
    check(m.typed, lambda: (m.X, 2), lambda: None, lambda: (m.X, -7), {"numbers": True}, recompiles=False)
    check(m.typed, lambda: (m.X, 2.5), lambda: None, lambda: (m.X, 0.25), {"numbers": True}, recompiles=False)


def test_closures(m):
    engine = Engine()
    for k in (2, 3, 2):
        assert plain(engine(m.through, m.X, m.make(k))) == plain(m.X * k)
    assert engine.log == ["compile through", "recompile through", "reuse through"]
    get, put = m.counters()
    assert plain(engine(m.through, m.X, get)) == plain(m.X)
    put(6)
    assert plain(engine(m.through, m.X, get)) == plain(m.X * 6)


def test_modes_and_metadata(m):
    torch = m.torch
    x = torch.ones(3, requires_grad=True)
    engine = Engine()
    assert engine(m.graded, x).requires_grad
    with torch.no_grad():
        assert not engine(m.graded, x).requires_grad
    assert not engine(m.graded, torch.ones(3)).requires_grad
    for other in (torch.ones(3, dtype=torch.int64), torch.ones(4), torch.ones(3, 1), torch.ones(2, 3).t()):
        assert plain(engine(m.graded, other)) == plain(m.graded(other))
    assert not any(line.startswith("reuse") for line in engine.log)


MODULE_CHANGES = {
    "parameter of another shape": lambda m, net: setattr(net, "lin", m.nn.Linear(4, 3)) or setattr(net, "shift",
                                                                                               m.torch.zeros(3)),
    "mode": lambda m, net: net.eval(),
    "number": lambda m, net: setattr(net, "gain", 5),
    "layer of another class": lambda m, net: net.layers.__setitem__(0, m.nn.Tanh()),
    "one more layer": lambda m, net: net.layers.append(m.nn.Tanh()),
    "forward on the instance": lambda m, net: setattr(net.lin, "forward", lambda v: v[..., :2]),
    "submodule shadowed by the instance": lambda m, net: net.__dict__.__setitem__("lin", m.nn.Identity()) or
    net.__dict__.__setitem__("shift", m.torch.zeros(4)),
    "hook": lambda m, net: net.lin.register_forward_hook(lambda mod, args, out: out * 3),
    "forward of the class": lambda m, net: setattr(m.Net, "forward", lambda self, x: x * 9),
    "buffer dtype": lambda m, net: setattr(net, "shift", m.torch.ones(2, dtype=m.torch.float64)),
}


@pytest.mark.parametrize("case", MODULE_CHANGES)
def test_modules(m, case):
    net = m.fresh(m.Net())
    x = m.torch.arange(8, dtype=m.torch.float32).reshape(2, 4)
    engine = Engine()
    assert plain(engine(m.run_net, x, net)) == plain(m.run_net(x, net))
    MODULE_CHANGES[case](m, net)
    assert plain(engine(m.run_net, x, net)) == plain(m.run_net(x, net))
    assert engine.log[0] == "compile run_net" and not engine.log[1].startswith("reuse")


def test_new_values_of_parameters_reuse(m):
    net = m.fresh(m.Net())
    x = m.torch.ones(2, 4)
    engine = Engine()
    engine(m.run_net, x, net)
    with m.torch.no_grad():
        net.lin.weight.mul_(3)
    net.shift = m.torch.zeros(2)
    assert plain(engine(m.run_net, x, net)) == plain(m.run_net(x, net))
    assert engine.log == ["compile run_net", "reuse run_net"]


def test_a_compiled_module_inside_is_traced(m):
    net = m.fresh(m.Net())
    compiled = m.torch.compile(net, backend="eager")
    x = m.torch.ones(2, 4)
    engine = Engine()
    assert plain(engine(m.run_net, x, compiled)) == plain(m.run_net(x, net))
    net.eval()
    assert plain(engine(m.run_net, x, compiled)) == plain(m.run_net(x, net))
    assert engine.log == ["compile run_net", "recompile run_net"]
    assert engine.captured[0].ops > 1
