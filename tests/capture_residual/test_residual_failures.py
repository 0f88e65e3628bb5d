# What happens when something fails that had been traced: an operator at run time, an exception handled around the call, the
# evaluator itself. Expected values are those of plain Python.
import traceback

import pytest
from guardscope.core.artifacts.cache import CodeState
from guardscope.core.capture import capture
from guardscope.core.events.recorder import RECORDER
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

BACKENDS = ["eager", "inductor"]
LOG: list = []
note = torch._dynamo.disable(LOG.append)


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    LOG.clear()


def effects_before(log, x, at):
    log.append("before")
    y = x[at]
    log.append("after")
    return y


def handled(log, x, at):
    try:
        y = x * 2
        y = y[at]
        log.append("fine")
    except IndexError as e:
        log.append(str(e))
        y = x
    finally:
        log.append("finally")
    return y + 1


def handled_outside(log, x, at):
    def inner():
        return x[at] * 2

    try:
        return inner()
    except IndexError:
        log.append("outside")
        note("native")
        return x - 1


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [effects_before, handled, handled_outside])
def test_an_operator_that_fails_on_its_elements(function, backend):
    """The graph was traced without the failure; effects before it happen, handlers of the script's run."""
    def outcomes(f):
        out = []
        for at in ([0, 1], [2, 5], [1, 2], [7, 7]):
            log = []
            LOG.clear()
            try:
                result = f(log, torch.arange(3.0), torch.tensor(at)).tolist()
            except IndexError as e:
                result = (str(e), repr(e.__context__), repr(e.__cause__))
            out.append((result, log, list(LOG)))
        return out

    assert outcomes(torch.compile(function, backend=backend)) == outcomes(function)


def deep(x, at):
    y = x * 2
    return picked(y, at) + 1


def picked(y, at):
    return y[at]


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_traceback_names_the_operators_line(backend):
    compiled = torch.compile(deep, backend=backend)
    compiled(torch.arange(3.0), torch.tensor([0]))
    with pytest.raises(IndexError) as caught:
        compiled(torch.arange(3.0), torch.tensor([9]))
    lines = [(f.name, f.lineno) for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == __file__]
    first = deep.__code__.co_firstlineno
    assert ("deep", first + 2) in lines and lines[-1] == ("picked", picked.__code__.co_firstlineno + 1)


def broken_in_loop(x):
    for i in range(3):
        x = x + 1
        note(i)
        if i == 1:
            raise KeyError("one")
    return x


def test_the_traceback_of_a_function_that_breaks_shows_it_once_per_frame():
    with pytest.raises(KeyError) as caught:
        torch.compile(broken_in_loop, backend="eager")(torch.arange(3.0))
    lines = [(f.name, f.lineno) for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == __file__]
    assert lines[-1] == ("broken_in_loop", broken_in_loop.__code__.co_firstlineno + 5)
    assert [name for name, _ in lines].count("broken_in_loop") == 1


def test_a_backend_of_the_scripts_may_raise():
    def backend(graph, examples):
        def run(*inputs):
            raise ValueError("mine")

        return run

    with pytest.raises(ValueError, match="mine"):
        torch.compile(lambda x: x + 1, backend=backend)(torch.arange(3.0))


def inside_handler(function):
    """Calls a function while an exception of the caller's is handled."""
    try:
        raise LookupError("outer")
    except LookupError:
        return function(torch.arange(3.0))


def chained(x):
    x = x + 1
    try:
        note("a")
        fails()
    except KeyError as e:
        note(repr(e.__context__))
        raise ValueError("second") from e
    return x


@torch._dynamo.disable
def fails():
    try:
        raise ZeroDivisionError("deep")
    except ZeroDivisionError:
        raise KeyError("first")  # noqa: B904


def passes_on(x):
    x = x + 1
    try:
        note("a")
        fails()
    finally:
        note("b")
    return x


def reraised(x):
    try:
        x = x + 1
        fails()
    except KeyError:
        note("handling")
        raise


@pytest.mark.parametrize("function", [chained, passes_on, reraised])
def test_contexts_while_the_caller_handles_an_exception(function):
    def chain_of(f):
        LOG.clear()
        with pytest.raises((KeyError, ValueError)) as caught:
            inside_handler(f)
        found, error = [], caught.value
        while error is not None:
            found.append((type(error), str(error), repr(error.__cause__), error.__suppress_context__))
            error = error.__context__
        names = [f.name for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == __file__]
        return found, list(LOG), names[-1]

    assert chain_of(torch.compile(function, backend="eager")) == chain_of(function)


def test_a_fault_of_the_evaluator_is_told(monkeypatch):
    """The function runs as plain Python, with the right result, and the session says so."""
    told = []
    monkeypatch.setattr(RECORDER, "event", lambda kind, text, data=None: told.append((kind, text, data)))

    def broken(ev, *_):
        raise ArithmeticError("a fault")

    from guardscope.core.capture import statements

    monkeypatch.setitem(statements.STATEMENTS, statements.ast.Assign, broken)

    def f(x):
        y = x + 1
        return y * 1

    assert torch.compile(f, backend="eager")(torch.arange(2.0)).tolist() == [1.0, 2.0]
    assert [kind for kind, _, _ in told] == ["internal_error"]
    assert "ArithmeticError: a fault" in told[0][1] and "a fault" in told[0][2]["traceback"]
    assert [str(fault) for _, fault in capture.FAULTS] == ["a fault"]
    capture.FAULTS.clear()
    state = next(s for s in CodeState._all.values() if s.unit.qualname.endswith("told.<locals>.f"))
    assert "report" in (state.skipped or "")
