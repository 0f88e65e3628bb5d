# Calls that change one property of the tensor at a time.
import torch


@torch.compile
def double(t):
    return t * 2


square = torch.arange(16.0).reshape(4, 4)
for t in (square, square - 5, square.double(), square.reshape(2, 2, 4) + 0, square[:, :2] + 0, square, square.long()):
    print(double(t).sum().item())
