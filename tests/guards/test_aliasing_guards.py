"""One object or one piece of memory behind two names never fits an artifact made for two."""

import numpy as np
from guardscope.core.guards.aliasing import memory_guards, object_guards
from guardscope.core.guards.compile import build
from guardscope.core.guards.origin import ArgOrigin
from guardscope.core.tensor.tensor import wrap

A, B, C = ArgOrigin("a"), ArgOrigin("b"), ArgOrigin("c")


def f(*args):
    return args


def test_a_changed_list_must_not_be_another_list_that_was_read():
    a, b, c = [1], [1], {}
    guards = object_guards([(A, a)], [(A, a), (B, b), (C, c)])
    assert [(g.kind, g.origin, g.expected) for g in guards] == [("NOT_ALIASING", A, B)]
    program = build(guards, None, ["a", "b", "c"])
    assert program.check(f, a, b, c) is None
    assert program.check(f, a, a, c) == 0
    assert program.explain(f, a, a, c)[0].seen == "the same object as b"


def test_pairs_are_said_once():
    a, b = [1], [2]
    assert len(object_guards([(A, a), (B, b)], [(A, a), (B, b)])) == 1
    assert object_guards([(A, a)], [(A, a), (B, a)]) == []        # one object now: OBJECT_ALIASING says so


def test_memory_written_in_place():
    base = np.zeros(10, np.float32)
    x, apart, over = wrap(base[:5]), wrap(base[5:]), wrap(base[2:7])
    guards = memory_guards([(A, x)], [(A, x), (B, apart), (C, over)])
    assert [(g.expected[0], g.expected[1]) for g in guards] == [(B, False), (C, True)]
    program = build(guards, None, ["a", "b", "c"])
    assert program.check(f, x, apart, over) is None
    assert program.check(f, x, over, over) == 0 and program.check(f, x, apart, apart) == 1
    assert program.check(f, x, x, over) == 0
