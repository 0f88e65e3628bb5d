# mark_dynamic from the first call on; a mark that an artifact was not made for does not fit it.
import torch
from torch._dynamo import mark_dynamic, mark_static


@torch.compile
def f(t):
    return t - t.shape[1]


def grid(rows, columns):
    return torch.arange(float(rows * columns)).reshape(rows, columns) * 1.0


first = grid(3, 4)
mark_dynamic(first, 0)
print(f(first).sum().item())
print(f(grid(5, 4)).sum().item())
other = grid(5, 9)
mark_dynamic(other, 1)
print(f(other).sum().item())
print(f(grid(2, 2)).sum().item())


@torch.compile
def g(t):
    return t + 1


for n in (3, 4, 5):
    t = grid(n, 2)
    mark_static(t, 0)
    print(g(t).sum().item())
