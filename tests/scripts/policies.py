# The same sizes under the three policies.
import torch


def affine(t):
    return t * 3 + 1


for dynamic in (False, None, True):
    torch._dynamo.reset()
    fast = torch.compile(affine, dynamic=dynamic)
    for rows in (4, 8, 12, 16, 4):
        print(dynamic, rows, fast(torch.arange(rows * 3.0).reshape(rows, 3)).sum().item())
