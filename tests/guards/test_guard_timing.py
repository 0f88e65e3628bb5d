"""Costs of guards: the timed function is the one that runs, guard by guard, and it changes nothing."""

import numpy as np
from guardscope.core.guards import timing
from guardscope.core.guards.compile import build
from guardscope.core.guards.guard import Guard, TensorExpectation
from guardscope.core.guards.origin import ArgOrigin, AttrOrigin
from guardscope.core.tensor import dtypes
from guardscope.core.tensor.devices import CPU
from guardscope.core.tensor.meta import NO_MARKS
from guardscope.core.tensor.tensor import Tensor, wrap

X, C, K = ArgOrigin("x"), ArgOrigin("c"), ArgOrigin("k")


class Config:
    rate = 2.0

    def __init__(self):
        self.names = ["a"]


def f(x, c, k):
    return x


def program():
    tensor = TensorExpectation(Tensor, dtypes.float32, CPU, False, (3,), (1,), NO_MARKS)
    guards = [Guard("TENSOR_MATCH", X, tensor), Guard("TYPE_MATCH", C, Config), Guard("EQUALS_MATCH", K, 3),
              Guard("SEQUENCE_LENGTH", AttrOrigin(C, "names"), 1), Guard("NOT_IN_INSTANCE", C, "rate")]
    return build(guards, None, ["x", "c", "k"])


def call():
    return wrap(np.ones(3, np.float32)), Config(), 3


def test_every_guard_of_a_full_check_is_timed():
    made = program()
    assert set(timing.ways(made).values()) == {"test"}
    times = timing.measure(made, f, call())
    assert sorted(times) == list(range(5))
    assert all(0 < ns < 1_000_000 for ns in times.values())


def test_what_the_look_up_decides_is_not_timed():
    made = program()
    made.split(("x",))
    ways = timing.ways(made)
    tensors = {i for i, g in enumerate(made.guards) if g.kind == "TENSOR_MATCH"}
    assert {i for i, way in ways.items() if way == "look-up"} == tensors
    assert set(timing.measure(made, f, call())) == set(range(5)) - tensors


def test_nothing_is_left_to_time_when_the_look_up_decides_all():
    tensor = TensorExpectation(Tensor, dtypes.float32, CPU, False, (3,), (1,), NO_MARKS)
    made = build([Guard("TENSOR_MATCH", X, tensor)], None, ["x", "c", "k"])
    assert made.split(("x",)) is None
    assert timing.ways(made) == {0: "look-up"}
    assert timing.measure(made, f, call()) == {}


def test_a_guard_that_fails_by_now_ends_the_measuring():
    made, (x, c, k) = program(), call()
    assert timing.measure(made, f, (x, c, 4)) == {}
    del c.names
    assert timing.measure(made, f, (x, c, k)) == {}


def test_parameters_may_be_called_like_the_clock():
    made = build([Guard("EQUALS_MATCH", ArgOrigin("__clock"), 1), Guard("EQUALS_MATCH", ArgOrigin("__at_0"), 2)], None,
                 ["__clock", "__at_0"])
    assert set(timing.measure(made, lambda __clock, __at_0: None, (1, 2))) == {0, 1}


def test_what_is_left_after_the_look_up_is_compiled_once():
    made = program()
    first = made.split(("x",))
    assert made.split(["x"]) is first
    assert made.split(()) is not first
    assert made.looked_up == ()
