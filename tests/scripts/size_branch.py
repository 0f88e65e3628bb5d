# A branch on a symbolic size: each side is an artifact.
import torch


@torch.compile(dynamic=True)
def f(t):
    if t.shape[0] > 6:
        return t.sum()
    return t.max()


for n in (9, 20, 3, 7, 5, 100):
    print(n, f(torch.arange(float(n))).item())
