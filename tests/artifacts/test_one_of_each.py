# What is made once per key is one object, also when two threads find it missing at the same moment.
import threading

import pytest
from guardscope.core.artifacts.artifact import Options
from guardscope.core.artifacts.cache import CodeState
from guardscope.core.artifacts.runtime import Runtime
from guardscope.core.capture import unit as units
from guardscope.core.source import locate as sources
from guardscope.core.tensor.devices import CPU, device
from guardscope.core.tensor.dtypes import float32
from guardscope.core.tensor.meta import TensorMeta
from guardscope.core.tensor.tensor import Tensor
from guardscope.core.tensor.threads import own


class Late(dict):
    """A table in which look-ups find nothing: the other thread has not stored its object yet. Storing meets it."""

    def get(self, key, default=None):
        return default


def looked_at(x):
    return x


def test_metadata(monkeypatch):
    monkeypatch.setattr(TensorMeta, "_all", Late())
    made = [TensorMeta.of(Tensor, float32, CPU, (3, 5), (5, 1)) for _ in range(2)]
    assert made[0] is made[1]


def test_devices(monkeypatch):
    monkeypatch.setattr(device, "_all", Late())
    assert device("cpu") is device("cpu")


def test_source_and_units(monkeypatch):
    monkeypatch.setattr(sources, "_known", Late())
    monkeypatch.setattr(units, "_units", Late())
    assert sources.locate(looked_at) is sources.locate(looked_at)
    assert units.unit_of(looked_at) is units.unit_of(looked_at)


def test_states_and_dispatchers(monkeypatch):
    monkeypatch.setattr(CodeState, "_all", Late())
    unit = units.unit_of(looked_at)
    names = looked_at.__globals__
    state = CodeState.of(unit, names)
    assert CodeState.of(unit, names) is state
    state.dispatchers = Late()
    runtime = Runtime(Options())
    assert runtime.dispatcher(unit, names) is runtime.dispatcher(unit, names)


@pytest.mark.parametrize("threads", [2, 5])
def test_a_code_object_gets_one_number(monkeypatch, threads):
    """Every thread is held inside the registration until the others have asked as well."""
    from guardscope.core.artifacts import cache

    asked, numbers = threading.Semaphore(0), []

    def code(**_):
        for _ in range(threads - 1):
            assert asked.acquire(timeout=30)
        numbers.append(len(numbers))
        return numbers[-1]

    monkeypatch.setattr(cache.RECORDER, "code", code)
    state = CodeState(units.unit_of(looked_at), looked_at.__globals__)
    # Threads of our own: the script, which is this process, has none.
    first = own(threading.Thread(target=lambda: state.code_id))
    first.start()
    rest = [own(threading.Thread(target=lambda: (asked.release(), state.code_id))) for _ in range(threads - 1)]
    for thread in rest:
        thread.start()
    for thread in (first, *rest):
        thread.join(30)
    assert numbers == [0] and state.code_id == 0
