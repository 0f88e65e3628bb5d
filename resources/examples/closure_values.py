"""Values captured by a closure: which one moved?

Functions made by one factory share their code and so their versions. A captured number is a condition like any other;
a captured tensor is an input and may change freely.
"""

import torch


def clipper(low, high, scale):
    def clip(x):
        return torch.clamp(x, low, high) * scale

    return clip


x = torch.linspace(-2.0, 2.0, 32)
settings = [(-1.0, 1.0, 1.0), (-1.0, 1.0, 2.0), (-0.5, 1.0, 2.0), (-0.5, 1.5, 2.0), (-1.0, 1.0, 1.0)]
for low, high, scale in settings:
    plain = clipper(low, high, torch.tensor(scale))
    fast = torch.compile(plain)
    got = fast(x)
    print(f"low={low} high={high} scale={scale}: sum {got.sum().item():.4f}, equal {torch.allclose(got, plain(x))}")
