"""A module that counts its calls: the recompile limit.

A plain int attribute that changes with every call is fixed into each version, so each call needs another one until the
limit is reached. The second module keeps the count in a tensor and needs one version.
"""

import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(-1.0, 1.0, 6).reshape(2, 3), requires_grad=False)
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return (x @ self.weight) / self.seen


class TensorMeter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(-1.0, 1.0, 6).reshape(2, 3), requires_grad=False)
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x):
        self.seen += 1
        return (x @ self.weight) / self.seen


x = torch.arange(8.0).reshape(4, 2) / 8
for kind in (Meter, TensorMeter):
    plain, meter = kind(), kind()
    fast = torch.compile(meter)
    for call in range(12):
        got, want = fast(x), plain(x)
        print(f"{kind.__name__}, call {call}: sum {got.sum().item():.5f}, equal {torch.allclose(got, want)}")
