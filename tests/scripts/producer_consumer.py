# A dynamic producer feeds a static consumer: only the consumer specialises.
import torch


@torch.compile(dynamic=True)
def produce(t):
    return torch.relu(t)


@torch.compile(dynamic=False)
def consume(t):
    return t.mean()


for n in (4, 8, 16, 4):
    print(consume(produce(torch.arange(n * 2.0).reshape(n, 2))).item())
