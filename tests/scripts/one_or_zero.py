# Sizes 0 and 1 always have an artifact of their own.
import torch


@torch.compile(dynamic=True)
def f(t):
    return t.sum() + t.shape[0]


for n in (5, 1, 0, 8, 1):
    print(f(torch.arange(n * 2.0).reshape(n, 2)).item())
