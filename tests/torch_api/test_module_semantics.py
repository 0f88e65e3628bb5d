# nn.Module: what is registered where, in which order, and with which messages. Messages are facts of PyTorch 2.13.
import copy
import pickle

import guardscope.core.torch_api as torch
import pytest
from guardscope.core.tensor.state import STATE
from guardscope.core.torch_api import nn
from guardscope.core.torch_api.nn.tracked import TrackedDict


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.layers = nn.ModuleList([nn.ReLU(), nn.Linear(3, 1)])
        self.again = self.first
        self.register_buffer("kept", torch.zeros(2))
        self.register_buffer("dropped", torch.ones(1), persistent=False)
        self.plain = 5

    def forward(self, x):
        return self.layers[1](self.layers[0](self.first(x)))


def raises(kind, text, action):
    with pytest.raises(kind) as caught:
        action()
    assert caught.value.args[0] == text


def test_names_in_order_and_shared_modules_once():
    net = Net()
    assert [n for n, _ in net.named_parameters()] == ["first.weight", "first.bias", "layers.1.weight", "layers.1.bias"]
    assert [n for n, _ in net.named_parameters(remove_duplicate=False)] == [
        "first.weight", "first.bias", "layers.1.weight", "layers.1.bias", "again.weight", "again.bias"]
    assert [n for n, _ in net.named_modules()] == ["", "first", "layers", "layers.0", "layers.1"]
    assert [n for n, _ in net.named_children()] == ["first", "layers"]
    assert [n for n, _ in net.named_buffers()] == ["kept", "dropped"]
    assert list(net.state_dict()) == ["kept", "first.weight", "first.bias", "layers.1.weight", "layers.1.bias",
                                      "again.weight", "again.bias"]
    assert "plain" in net.__dict__ and "first" not in net.__dict__


@pytest.mark.parametrize(("kind", "text", "action"), [
    (TypeError, "cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)",
     lambda m: setattr(m, "weight", torch.ones(3))),
    (AttributeError, "'Linear' object has no attribute 'nothere'", lambda m: m.nothere),
    (KeyError, 'buffer name can\'t contain "."', lambda m: m.register_buffer("a.b", None)),
    (KeyError, "attribute 'weight' already exists", lambda m: m.register_buffer("weight", None)),
    (TypeError, "cannot assign 'int' object to buffer 'q' (torch Tensor or None required)",
     lambda m: m.register_buffer("q", 3)),
    (TypeError, "cannot assign 'int' object to parameter 'q' (torch.nn.Parameter or None required)",
     lambda m: m.register_parameter("q", 3)),
    (TypeError, "int is not a Module subclass", lambda m: m.add_module("q", 3)),
    (KeyError, 'module name can\'t contain ".", got: q.q', lambda m: m.add_module("q.q", None)),
    (AttributeError, "`forward` is not an nn.Parameter", lambda m: m.get_parameter("forward")),
    (AttributeError, "Linear has no attribute `a`", lambda m: m.get_submodule("a.b")),
    (AttributeError, "`weight` is not a buffer", lambda m: m.get_buffer("weight")),
    (TypeError, "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int32",
     lambda m: m.to(torch.int32)),
    (ValueError, "training mode is expected to be boolean", lambda m: m.train(3)),
])
def test_messages(kind, text, action):
    raises(kind, text, lambda: action(nn.Linear(2, 3)))


def test_assigning_before_init_is_refused():
    class Early(nn.Module):
        def __init__(self, value):
            self.x = value

    raises(AttributeError, "cannot assign module before Module.__init__() call", lambda: Early(nn.ReLU()))
    raises(AttributeError, "cannot assign parameters before Module.__init__() call",
           lambda: Early(nn.Parameter(torch.ones(1))))
    raises(NotImplementedError, 'Module [Module] is missing the required "forward" function', lambda: nn.Module()(1))


def test_a_name_means_one_thing():
    net = Net()
    net.dropped = nn.Parameter(torch.ones(1))
    assert list(net._buffers) == ["kept"] and list(net._parameters) == ["dropped"]
    assert net._non_persistent_buffers_set == set()
    net.plain = nn.ReLU()
    assert "plain" not in net.__dict__ and "plain" in net._modules
    del net.plain
    assert not hasattr(net, "plain")
    net.first = None
    assert net.first is None and net._modules["first"] is None
    net.b = nn.Buffer(torch.ones(2), persistent=False)
    assert "b" in net._buffers and "b" not in net.state_dict()


def structural_changes(net):
    yield lambda: setattr(net, "new", nn.ReLU())
    yield lambda: setattr(net.first, "weight", nn.Parameter(torch.ones(3, 2)))
    yield lambda: net.first._parameters.__setitem__("bias", nn.Parameter(torch.ones(3)))
    yield lambda: net._modules.update(other=nn.Tanh())
    yield lambda: net._modules.pop("other")
    yield lambda: net._buffers.setdefault("later", torch.ones(1))
    yield lambda: net._buffers.popitem()
    yield lambda: net._buffers.clear()
    yield lambda: net.layers.append(nn.ReLU())
    yield lambda: net.layers.__delitem__(0)
    yield lambda: net.register_buffer("b", torch.ones(1))
    yield lambda: setattr(net, "b", torch.ones(1))
    yield lambda: delattr(net, "b")
    yield lambda: net.first.weight.requires_grad_(False)
    yield lambda: net.double()
    yield lambda: net.register_forward_hook(lambda *a: None).remove()
    yield lambda: setattr(net, "_modules", {"a": nn.ReLU()})


def test_every_structural_change_sets_a_new_epoch():
    for i, change in enumerate(structural_changes(Net())):
        before = STATE.epoch
        change()
        assert STATE.epoch is not before, i


def test_values_and_plain_attributes_do_not_set_a_new_epoch():
    net = Net()
    saved = net.state_dict()
    before = STATE.epoch
    net.plain += 1
    net.seen = [1]
    net.eval()
    net.kept.add_(1)
    with torch.no_grad():
        net.first.weight.mul_(2)
    net.load_state_dict(saved)
    net(torch.ones(1, 2))
    net.first._parameters["weight"] = net.first.weight
    net.first.weight = net.first.weight
    assert STATE.epoch is before


def test_tracked_dictionaries_survive_copies_and_replacement():
    net = Net()
    twin = copy.deepcopy(net)
    assert type(twin._parameters) is TrackedDict and type(twin.first._modules) is TrackedDict
    assert twin.first.weight is not net.first.weight and twin.again is twin.first
    assert isinstance(twin.first.weight, nn.Parameter) and twin.first.weight.requires_grad
    assert copy.copy(net)._parameters is net._parameters
    net._buffers = {"kept": torch.ones(2)}
    assert type(net._buffers) is TrackedDict
    assert pickle.loads(pickle.dumps(TrackedDict(a=1))) == {"a": 1}


def test_hooks():
    m = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        m.weight.fill_(3.0)
    seen = []
    before = m.register_forward_pre_hook(lambda mod, args: seen.append(len(args)))
    double = m.register_forward_pre_hook(lambda mod, args: args[0] * 2, prepend=True)
    after = m.register_forward_hook(lambda mod, args, out: out + args[0])
    assert m(torch.ones(1, 1)).tolist() == [[8.0]] and seen == [1]
    for handle in (before, double, after):
        handle.remove()
    assert not m._forward_hooks and m(torch.ones(1, 1)).tolist() == [[3.0]]
    with m.register_forward_hook(lambda mod, args, kwargs, out: out * 0, with_kwargs=True):
        assert m(input=torch.ones(1, 1)).tolist() == [[0.0]]
    m.register_forward_hook(lambda *a: seen.append("always"), always_call=True)
    with pytest.raises(TypeError):
        m(3)
    assert seen[-1] == "always"


def test_modes_conversion_and_identity_of_parameters():
    net = nn.Sequential(nn.Linear(1, 2), nn.BatchNorm1d(2))
    order = []
    net.apply(lambda m: order.append(type(m).__name__))
    assert order == ["Linear", "BatchNorm1d", "Sequential"]
    assert net.eval() is net and not net[1].training and net.train()[1].training
    weight = net[0].weight
    assert net.double()[0].weight is weight and weight.dtype is torch.float64 and isinstance(weight, nn.Parameter)
    assert net[1].num_batches_tracked.dtype is torch.int64
    assert net.half()[1].running_mean.dtype is torch.float16 and net.to(torch.ones(1))[0].weight.dtype is torch.float32
    assert not net.requires_grad_(False)[0].weight.requires_grad
    assert type(net[0].weight * 1) is torch.Tensor


def test_zero_grad():
    m = nn.Linear(1, 1)
    m.weight.grad = torch.ones(1, 1)
    m.zero_grad(set_to_none=False)
    assert m.weight.grad.tolist() == [[0.0]]
    m.zero_grad()
    assert m.weight.grad is None


def test_parameter():
    base = torch.ones(2)
    p = nn.Parameter(base)
    base.add_(1)
    assert p.tolist() == [2.0, 2.0] and p.requires_grad and p.is_leaf
    raises(RuntimeError, "Only Tensors of floating point and complex dtype can require gradients",
           lambda: nn.Parameter(torch.ones(2, dtype=torch.int64)))
    assert not nn.Parameter(torch.ones(2, dtype=torch.int64), requires_grad=False).requires_grad


def test_containers():
    s = nn.Sequential(nn.ReLU(), nn.Tanh())
    raises(IndexError, "index 3 is out of range", lambda: s[3])
    assert isinstance(s[-1], nn.Tanh) and len(s[0:1]) == 1
    assert [type(m).__name__ for m in s.insert(1, nn.GELU()).extend([nn.ELU()])] == ["ReLU", "GELU", "Tanh", "ELU"]
    assert type(s.pop(0)).__name__ == "ReLU" and list(s._modules) == ["0", "1", "2"]
    items = nn.ModuleList([nn.ReLU()])
    items += [nn.Tanh()]
    items.insert(0, nn.GELU())
    assert [type(m).__name__ for m in items] == ["GELU", "ReLU", "Tanh"] and len(items[1:]) == 2
    raises(TypeError, "ModuleList.extend should be called with an iterable, but got int", lambda: items.extend(3))
    d = nn.ModuleDict({"a": nn.ReLU()})
    d["b"] = nn.Tanh()
    assert list(d) == ["a", "b"] and "a" in d and isinstance(d.pop("a"), nn.ReLU) and len(d) == 1
    params = nn.ParameterList([torch.ones(1)])
    params.append(torch.zeros(2))
    assert [n for n, _ in params.named_parameters()] == ["0", "1"] and params[-1].tolist() == [0.0, 0.0]
    named = nn.ParameterDict({"w": torch.ones(3)})
    assert [n for n, _ in named.named_parameters()] == ["w"] and list(named.keys()) == ["w"]
