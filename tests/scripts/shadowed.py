# What a stale graph would get wrong: a shadowed layer, a rebound closure, another operator behind the same code.
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Identity()

    def forward(self, t):
        return self.layer(t) * 1


def pair(op):
    def apply(a, b):
        return op(a, b)
    return apply


t = torch.arange(3.0)
net = Net()
fast = torch.compile(net)
print(fast(t).tolist())
net.__dict__["layer"] = lambda v: v * 10
print(fast(t).tolist())
for op in (torch.add, torch.mul, torch.Tensor.__sub__):
    print(torch.compile(pair(op))(t, t + 1).tolist())
