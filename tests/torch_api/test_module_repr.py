# How modules print: facts of PyTorch 2.13.
import guardscope.core.torch_api as torch
import pytest
from guardscope.core.torch_api import nn


@pytest.mark.parametrize(("module", "text"), [
    (nn.Linear(2, 3, bias=False), "Linear(in_features=2, out_features=3, bias=False)"),
    (nn.Embedding(5, 3, padding_idx=-2), "Embedding(5, 3, padding_idx=3)"),
    (nn.LayerNorm(6), "LayerNorm((6,), eps=1e-05, elementwise_affine=True, bias=True)"),
    (nn.RMSNorm((2, 3)), "RMSNorm((2, 3), eps=None, elementwise_affine=True)"),
    (nn.GroupNorm(2, 6), "GroupNorm(2, 6, eps=1e-05, affine=True, bias=True)"),
    (nn.BatchNorm1d(5), "BatchNorm1d(5, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"),
    (nn.Conv2d(3, 8, 3, padding=1, stride=2), "Conv2d(3, 8, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1))"),
    (nn.Conv1d(4, 6, 3, groups=2, bias=False),
     "Conv1d(4, 6, kernel_size=(3,), stride=(1,), groups=2, bias=False)"),
    (nn.MaxPool2d(2), "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"),
    (nn.AvgPool1d(2), "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))"),
    (nn.Dropout(0.25), "Dropout(p=0.25, inplace=False)"),
    (nn.GELU("tanh"), "GELU(approximate='tanh')"),
    (nn.ReLU(inplace=True), "ReLU(inplace=True)"),
    (nn.Softmax(dim=1), "Softmax(dim=1)"),
    (nn.Upsample(scale_factor=2), "Upsample(scale_factor=2.0, mode='nearest')"),
    (nn.Flatten(), "Flatten(start_dim=1, end_dim=-1)"),
    (nn.Sequential(), "Sequential()"),
    (nn.ModuleList([nn.Linear(1, 1), nn.Linear(1, 1), nn.ReLU()]),
     "ModuleList(\n  (0-1): 2 x Linear(in_features=1, out_features=1, bias=True)\n  (2): ReLU()\n)"),
    (nn.ParameterList([torch.ones(2, 3)]),
     "ParameterList(  (0): Parameter containing: [torch.float32 of size 2x3])"),
])
def test_layers(module, text):
    assert repr(module) == text


def test_nested_with_extra_lines():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.ReLU())

        def extra_repr(self):
            return "a=1\nb=2"

    assert repr(Outer()) == "Outer(\n  a=1\n  b=2\n  (body): Sequential(\n    (0): ReLU()\n  )\n)"


def test_classes_say_they_are_torch():
    assert repr(nn.Linear) == "<class 'torch.nn.modules.linear.Linear'>"
    assert repr(nn.Parameter) == "<class 'torch.nn.parameter.Parameter'>"
    assert nn.functional.relu.__module__ == "torch.nn.functional" and torch.where.__module__ == "torch"
    assert repr(nn.Parameter(torch.ones(2))) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
