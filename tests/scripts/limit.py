# Two places, four sizes: what has an artifact keeps it, the rest runs eagerly.
import torch

torch._dynamo.config.recompile_limit = 2


@torch.compile(dynamic=False)
def f(t):
    return t.cumsum(0)


for n in (2, 3, 4, 5, 2, 3):
    print(f(torch.arange(float(n))).sum().item())
