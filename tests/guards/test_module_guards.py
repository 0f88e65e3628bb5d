"""Guards below a module cost one test while no module changed, and are never skipped when one did."""

import gc

import numpy as np
import pytest
from guardscope.core.guards.compile import build
from guardscope.core.guards.guard import Guard, TensorExpectation
from guardscope.core.guards.origin import ArgOrigin, InstanceDictOrigin
from guardscope.core.tensor import dtypes
from guardscope.core.tensor.devices import CPU
from guardscope.core.tensor.meta import NO_MARKS
from guardscope.core.tensor.state import STATE
from guardscope.core.tensor.tensor import Tensor, wrap

SELF = ArgOrigin("self")


class Module:
    """What the guards read of an nn.Module: three dicts; whoever changes them sets a new epoch."""

    def __init__(self, n=3, size=4):
        self._parameters = {f"w{i}": wrap(np.zeros(size, np.float32)) for i in range(n)}
        self._buffers = {}
        self._modules = {}

    def put(self, name, tensor):
        self._parameters[name] = tensor
        STATE.bump_epoch()


def weight(i, of=SELF):
    return InstanceDictOrigin(of, f"w{i}", "_parameters")


def program(n=3, of=SELF):
    expected = TensorExpectation(Tensor, dtypes.float32, CPU, False, (4,), (1,), NO_MARKS)
    guards = [Guard("TYPE_MATCH", SELF, Module)]
    guards += [Guard("TENSOR_MATCH", weight(i, of), expected) for i in range(n)]
    return build(guards, None, ["self"])


def f(self):
    return self


def test_a_replaced_parameter_is_seen_at_once():
    check, m = program().check, Module()
    assert check(f, m) is None and check(f, m) is None
    m.put("w1", wrap(np.zeros(5, np.float32)))
    assert check(f, m) == 2 and check(f, m) == 2           # a failure is not remembered as a pass
    m.put("w1", wrap(np.ones(4, np.float32)))
    assert check(f, m) is None
    m._parameters.pop("w2")
    STATE.bump_epoch()
    assert check(f, m) == 3


def test_changed_metadata_is_seen_at_once():
    check, m = program().check, Module()
    assert check(f, m) is None
    w = m._parameters["w0"]
    w._meta = w._meta.replace(requires_grad=True)
    STATE.bump_epoch()
    assert check(f, m) == 1


def test_several_modules_are_told_apart():
    check, good, bad = program().check, Module(), Module(size=5)
    for _ in range(3):
        assert check(f, good) is None and check(f, bad) == 1
    assert check(f, Module()) is None


def test_a_new_module_at_an_old_address_is_not_taken_for_it():
    check = program().check
    for i in range(200):
        m = Module(size=4 + i % 2)
        assert (check(f, m) is None) == (i % 2 == 0)
        del m
    gc.collect()
    assert check(f, Module(size=5)) == 1


def test_submodules():
    inner = InstanceDictOrigin(SELF, "layer", "_modules")
    check = program(of=inner).check
    m = Module()
    m._modules["layer"] = Module()
    assert check(f, m) is None
    m._modules["layer"] = Module(size=5)
    STATE.bump_epoch()
    assert check(f, m) == 1
    assert program(of=inner).explain(f, m)[0].where == "self.layer.w0.shape[0]"


def test_types_and_plain_attributes_are_checked_at_every_call():
    guards = [Guard("TYPE_MATCH", SELF, Module), Guard("EQUALS_MATCH", InstanceDictOrigin(SELF, "scale"), 2),
              Guard("TYPE_MATCH", InstanceDictOrigin(SELF, "layer", "_modules"), Module)]
    expected = TensorExpectation(Tensor, dtypes.float32, CPU, False, (4,), (1,), NO_MARKS)
    guards += [Guard("TENSOR_MATCH", weight(i), expected) for i in range(3)]
    m = Module()
    m.scale, m._modules["layer"] = 2, Module()
    check = build(guards, None, ["self"]).check
    assert check(f, m) is None
    m.scale = 3
    assert check(f, m) is not None
    m.scale = 2

    class Other(Module):
        pass

    m._modules["layer"].__class__ = Other
    assert check(f, m) is not None


def test_the_epoch_is_read_before_the_tests():
    """A change made while the parameters are being tested must not be covered by the new epoch."""
    m = Module()

    class Racing(dict):
        def __getitem__(self, name):
            value = dict.__getitem__(self, name)
            if name == "w2" and armed:
                armed.clear()
                dict.__setitem__(self, "w0", wrap(np.zeros(5, np.float32)))
                STATE.bump_epoch()
            return value

    armed = [1]
    m._parameters = Racing(m._parameters)
    check = program().check
    assert check(f, m) is None                             # w0 changed after it was tested
    assert check(f, m) == 1


@pytest.mark.parametrize("n", [2, 50])
def test_source_says_what_is_covered(n):
    p = program(n)
    assert f"{n} guards below self hold while it is the same module" in p.source
