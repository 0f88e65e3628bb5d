# Programs on tensors with breaks of every kind: compiled and plain, the same calls in the same order.
import copy
import inspect
import warnings
from pathlib import Path

import pytest
import residual_support as support
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

SUBJECT = support.import_path(Path(__file__).with_name("tensor_programs.py"), "residual_tensor_programs")
PROGRAMS = [name for name, f in vars(SUBJECT).items() if inspect.isfunction(f) and f.__module__ == SUBJECT.__name__
            and list(inspect.signature(f).parameters) == ["x", "n"]]
CALLS = [([1.0, 2.0, 3.0], 2), ([1.0, 2.0, 3.0], 2), ([-1.0, -2.0, 0.5], 2), ([4.0, 5.0, 6.0], 3), ([1.0, 2.0, 3.0], 2)]


def run(function):
    """What every call gives: value or exception, the log, the argument and the state left behind."""
    SUBJECT.SEEN.clear()
    SUBJECT.SEEN["count"] = 0
    out = []
    for values, n in CALLS:
        x = torch.tensor(values)
        SUBJECT.LOG.clear()
        try:
            result = ("value", support.plain(function(x, n)))
        except Exception as problem:
            result = ("raised", support.chain(problem))
        out.append((result, copy.deepcopy(SUBJECT.LOG), x.tolist(), dict(SUBJECT.SEEN)))
    return out


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_tensor_program(name, dynamic):
    torch._dynamo.reset()
    function = getattr(SUBJECT, name)
    wanted = run(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert run(torch.compile(function, backend="eager", dynamic=dynamic)) == wanted
