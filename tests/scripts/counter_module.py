# A module that counts its calls in a plain int.
import torch
from torch import nn


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3), requires_grad=False)
        self.calls = 0

    def forward(self, t):
        self.calls += 1
        return (t * self.weight).sum() / self.calls


counter = Counter()
fast = torch.compile(counter)
for _ in range(10):
    print(f"{fast(torch.arange(3.0)).item():.4f} {counter.calls}")
