# state_dict and load_state_dict, with PyTorch 2.13's messages.
import guardscope.core.torch_api as torch
import pytest
from guardscope.core.torch_api import nn


def loading(module, state, **kwargs):
    with pytest.raises(RuntimeError) as caught:
        module.load_state_dict(state, **kwargs)
    return str(caught.value)


def test_round_trip_copies_values_in_place():
    a, b = nn.Linear(2, 3), nn.Linear(2, 3)
    weight = b.weight
    assert repr(b.load_state_dict(a.state_dict())) == "<All keys matched successfully>"
    assert b.weight is weight and b.weight.tolist() == a.weight.tolist() and b.weight is not a.weight


def test_state_shares_memory_and_is_detached():
    m = nn.Linear(1, 1)
    state = m.state_dict(prefix="x.")
    assert list(state) == ["x.weight", "x.bias"] and not state["x.weight"].requires_grad
    with torch.no_grad():
        m.weight.fill_(9.0)
    assert state["x.weight"].tolist() == [[9.0]]
    assert m.state_dict(keep_vars=True)["weight"] is m.weight
    assert dict(nn.Sequential(m).state_dict()._metadata) == {"": {"version": 1}, "0": {"version": 1}}


def test_missing_and_unexpected_keys():
    two = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 2))
    text = loading(nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 1)), two.state_dict())
    assert text == (
        'Error(s) in loading state_dict for Sequential:\n\tMissing key(s) in state_dict: "2.weight", "2.bias". \n'
        '\tUnexpected key(s) in state_dict: "1.weight", "1.bias". \n'
        "\tsize mismatch for 0.weight: copying a param with shape torch.Size([1, 1]) from checkpoint, the shape in "
        "current model is torch.Size([2, 1]).\n"
        "\tsize mismatch for 0.bias: copying a param with shape torch.Size([1]) from checkpoint, the shape in current "
        "model is torch.Size([2]).")
    got = nn.Sequential(nn.Linear(1, 1)).load_state_dict(two.state_dict(), strict=False)
    assert got.missing_keys == [] and got.unexpected_keys == ["1.weight", "1.bias"]
    assert repr(got) == "_IncompatibleKeys(missing_keys=[], unexpected_keys=['1.weight', '1.bias'])"


def test_what_is_no_tensor_and_no_dict():
    text = loading(nn.Linear(1, 1, bias=False), {"weight": 3})
    assert 'While copying the parameter named "weight", expected torch.Tensor or Tensor-like object' in text
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got <class 'int'>."):
        nn.Linear(1, 1).load_state_dict(3)


def test_assign_puts_the_tensors_in_place():
    m, other = nn.Linear(1, 1), nn.Linear(1, 1)
    old = m.weight
    m.load_state_dict(other.state_dict(), assign=True)
    assert m.weight is not old and isinstance(m.weight, nn.Parameter) and m.weight.requires_grad


def test_extra_state_and_hooks():
    class Extra(nn.Module):
        def __init__(self, k):
            super().__init__()
            self.k = k

        def get_extra_state(self):
            return {"k": self.k}

        def set_extra_state(self, state):
            self.k = state["k"]

    a, b = Extra(7), Extra(1)
    seen = []
    b._register_load_state_dict_pre_hook(lambda state, prefix, *rest: seen.append(list(state)))
    b.load_state_dict(a.state_dict())
    assert b.k == 7 and seen == [["_extra_state"]]
    assert 'Missing key(s) in state_dict: "_extra_state".' in loading(b, {})
