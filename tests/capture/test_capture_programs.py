"""Captured functions give what plain Python gives: results, exceptions, what they change, and reuse on the second call."""

import copy

import pytest
from guardscope.tests.capture.harness import Engine, Policy, plain

POLICIES = {"static": {}, "dynamic": {"sizes": True}, "symbolic": {"sizes": True, "numbers": True},
            "duck": {"sizes": True, "duck": True}}


class Box:
    def __init__(self):
        self.value = 0
        self.items = [1]
        self.gone = True


def arguments(torch):
    """Makers of fresh arguments by program."""
    def m(*shape):
        n = 1
        for s in shape:
            n *= s
        return torch.arange(n, dtype=torch.float32).reshape(shape) / 2 + 0.25

    return {
        "arithmetic": lambda: (m(3, 4), m(3, 4)), "sizes": lambda: (m(3, 4),), "globals_and_math": lambda: (m(4),),
        "loops": lambda: (m(3), 3), "comprehensions": lambda: (m(2), [1, 2, 3]), "unpacking": lambda: (m(3, 2), [1, 2]),
        "calls": lambda: (m(2),), "closures": lambda: (m(2),), "recursion": lambda: (m(2), 6), "objects": lambda: (m(2), 2),
        "records": lambda: (m(2),), "strings": lambda: (m(2), "aBc"), "builtins_": lambda: (m(2), [3, 1, 2]),
        "library": lambda: (m(2),), "decorated": lambda: (m(2),), "contexts": lambda: (m(2),), "generators": lambda: (m(2),),
        "mutation": lambda: (m(2), [1, 2], {"old": 1, "k": 2}, Box()), "in_place": lambda: (m(3), m(3)),
        "sets": lambda: (m(2), ["a", "b"]), "dicts": lambda: (m(2), {"b": 1, "c": 2}), "identity_and_none": lambda: (m(2),),
        "shared": lambda: (m(2),), "slices": lambda: (m(3, 4), 2), "chained": lambda: (m(2), 3),
        "subclass_of_list": lambda: (m(2),), "keyword_only": lambda: (m(2),), "statement": lambda: (m(3),),
        "value": lambda: (m(3),), "item": lambda: (m(3),), "several": lambda: (m(3),), "branch": lambda: (m(3),),
        "boolean": lambda: (m(4),), "loop_on_data": lambda: (m(5),), "operands": lambda: (m(2),),
        "arguments": lambda: (m(3),), "method_operand": lambda: (m(2),), "attribute_store": lambda: (m(3), Box()),
        "locals_across": lambda: (m(3), 2), "in_try": lambda: (m(3),), "break_raises": lambda: (m(3),),
        "in_no_grad": lambda: (m(3), m(3)), "in_loop": lambda: (m(3),), "in_comprehension": lambda: (m(3),),
        "nested": lambda: (m(3),), "methods": lambda: (m(3),), "shared_cell": lambda: (m(3),),
        "partial_across": lambda: (m(3),), "random_number": lambda: (m(3),), "explicit": lambda: (m(3), True),
        "formatted": lambda: (m(3),), "import_inside": lambda: (m(3),), "aug_assign": lambda: (m(3),),
        "masked": lambda: (m(5),), "odd_store": lambda: (m(3),), "unpack_opaque": lambda: (m(3),),
        "unpack_result": lambda: (m(3),), "deleted": lambda: (m(3),),
    }


STRAIGHT = ["arithmetic", "sizes", "globals_and_math", "loops", "comprehensions", "unpacking", "calls", "closures",
            "recursion", "objects", "records", "strings", "builtins_", "library", "decorated", "contexts", "generators",
            "mutation", "in_place", "sets", "dicts", "identity_and_none", "shared", "slices", "chained",
            "subclass_of_list", "keyword_only"]
BREAKING = ["statement", "value", "item", "several", "branch", "boolean", "loop_on_data", "operands", "arguments",
            "method_operand", "attribute_store", "locals_across", "in_try", "break_raises", "in_no_grad", "in_loop",
            "in_comprehension", "nested", "methods", "shared_cell", "partial_across", "random_number", "explicit",
            "formatted", "import_inside", "aug_assign", "unpack_result", "deleted", "masked", "odd_store",
            "unpack_opaque"]
WHOLE = {"import_inside", "masked"}      # imported by the native run before; a masked store of a number has a fixed size


def outcome(call, args, module):
    """Value, exception, and what happened to the arguments and to the module's state."""
    log = getattr(module, "LOG", None)
    if log is not None:
        log.clear()
    if hasattr(module, "COUNT"):
        module.COUNT = 0
    counters = {n: getattr(module, n) for n in ("COUNT",) if hasattr(module, n)}
    try:
        result, error = describe(call(*args)), None
    except Exception as problem:
        result, error = None, (type(problem).__name__, str(problem))
    changed = {n: getattr(module, n) - before for n, before in counters.items()}
    return result, error, plain(args), plain(list(log)) if log is not None else None, changed


def describe(value):
    return "loop" if _cyclic(value) else plain(value)


def _cyclic(value):
    return isinstance(value, list) and any(v is value for v in value)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", STRAIGHT)
def test_without_breaks(load_program, name, policy):
    module = load_program("straight")
    check(module, name, policy, breaks=False)


@pytest.mark.parametrize("policy", ["static", "dynamic"])
@pytest.mark.parametrize("name", BREAKING)
def test_with_breaks(load_program, name, policy):
    module = load_program("breaking")
    check(module, name, policy, breaks=True)


def check(module, name, policy, breaks):
    make = arguments(module.torch)[name]
    fn = getattr(module, name)
    engine = Engine(Policy(**POLICIES[policy]))
    expected = outcome(fn, make(), module)
    assert outcome(lambda *a: engine(fn, *a), make(), module) == expected
    first = len(engine.log)
    again = outcome(fn, make(), module)
    assert outcome(lambda *a: engine(fn, *a), make(), module) == again
    assert not engine.skipped, [(s.reason, s.span) for s in engine.skipped]
    assert all(line.startswith("reuse") for line in engine.log[first:]), engine.log
    assert any(c.break_ is not None for c in engine.captured) is (breaks and name not in WHOLE)


CASES = [("exceptions", 0), ("exceptions", 1), ("exceptions", 2), ("early_exit", 2), ("early_exit", 4), ("asserts", 1),
         ("asserts", 0)]


@pytest.mark.parametrize("name,n", CASES)
def test_exceptions_and_exits(load_program, name, n):
    module = load_program("straight")
    fn = getattr(module, name)
    x = module.torch.arange(3)
    engine = Engine()
    assert outcome(lambda *a: engine(fn, *a), (x, n), module) == outcome(fn, (x, n), module)


COMMANDS = ["double", ("scale", 3), ("scale", -1), {"op": "add", "value": 2, "more": 1}, [1, 2, 3], 7, 0.5, None, b"?"]


@pytest.mark.parametrize("command", COMMANDS, ids=str)
def test_match(load_program, command):
    module = load_program("straight")
    x = module.torch.arange(3)
    engine = Engine()
    assert plain(engine(module.matching, x, copy.deepcopy(command))) == plain(module.matching(x, command))
    pair = module.Pair(2, 5)
    assert plain(engine(module.matching, x, pair)) == plain(module.matching(x, pair))


def test_other_sizes_reuse_a_dynamic_artifact(load_program):
    module = load_program("straight")
    torch = module.torch
    engine = Engine(Policy(sizes=True))
    for n in (3, 5, 9):
        x = torch.arange(n * 4, dtype=torch.float32).reshape(n, 4)
        assert plain(engine(module.globals_and_math, x)) == plain(module.globals_and_math(x))
    assert engine.log == ["compile globals_and_math", "reuse globals_and_math", "reuse globals_and_math"]


def test_functions_that_leave_keep_their_variables(load_program):
    module = load_program("straight")
    x = module.torch.arange(3)
    scaled, plus = Engine()(module.returned_functions, x, 4)
    assert plain(scaled(x)) == plain(x * 4 + 3)
    assert plain(plus(x)) == plain(x * 4 + 4)
    assert scaled.__closure__[0].cell_contents == 4 and scaled.__name__ == "scaled"
