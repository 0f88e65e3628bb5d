"""A print in the middle: a graph break.

Printing a tensor's value cannot be compiled. The function is cut there: a graph before it, the print as plain Python, a
resume function after it.
"""

import torch


def smooth(x):
    low = torch.relu(x - 0.5)
    print("peak", round(low.max().item(), 4))
    return torch.tanh(low) * 2.0


def smooth_quietly(x):
    low = torch.relu(x - 0.5)
    return torch.tanh(low) * 2.0, low.max()


fast = torch.compile(smooth)
quiet = torch.compile(smooth_quietly)
for step in range(4):
    x = torch.linspace(0.0, 1.0 + step, 64)
    noisy = fast(x)
    result, peak = quiet(x)
    print(f"step {step}: equal {torch.allclose(noisy, result)}, peak {peak.item():.4f}")
