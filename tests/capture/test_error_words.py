# Errors of Python's own have its own words: classes written in C are named with their module. Expected: plain Python.
import array
import collections
import datetime

import numpy as np
import pytest
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

A, D, Q = array.array("i", [1]), datetime.date(2020, 1, 1), collections.deque([1])
WRONG = [
    lambda: A.foo,
    lambda: Q.foo,
    lambda: Q+1,
    lambda: 1+Q,
    lambda: -Q,
    lambda: Q(),
    lambda: {Q:1},
    lambda: Q<1,
    lambda: D + 1,
    lambda: A+1,
    lambda: array.array.foo,
    lambda: collections.OrderedDict.foo,
    lambda: [1][Q],
    lambda: "abc"[D],
    lambda: ",".join([D]),
    lambda: len(D),
    lambda: [*D],
    lambda: next(Q),
    lambda: {**Q},
    lambda: int(Q),
    lambda: float(D),
    lambda: divmod(Q,1),
    lambda: Q in "abc",
    lambda: reversed(D),
    lambda: f"{Q:5}",
    lambda: D[0],
    lambda: Q.append(1,2),
    lambda: setattr(D,'x',1),
    lambda: collections.deque.nothing,
    lambda: range(Q),
    lambda: [1]*Q,
    lambda: [1]+Q,
    lambda: np.float32(1).foo,
    lambda: {}[Q],
    lambda: Q @ 1,
    lambda: isinstance(1,Q),
    lambda: sum(D),
    lambda: max(D),
    lambda: abs(Q),
    lambda: round(D),
    lambda: hash(Q),
    lambda: Q["a"],
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_python_says(number):
    torch._dynamo.reset()
    function = WRONG[number]
    with pytest.raises(Exception) as plain:
        function()
    with pytest.raises(type(plain.value)) as found:
        torch.compile(function, backend="eager")()
    assert str(found.value) == str(plain.value)
