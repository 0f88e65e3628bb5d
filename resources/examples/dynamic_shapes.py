"""Sizes that vary: fixed, automatic, dynamic.

One function is called with 32, 64, 128, 256 and again 32 rows, under dynamic=False, None and True. Compare how many
versions each needs.
"""

import torch

ROWS = (32, 64, 128, 256, 32)


def build(dynamic):
    # A fresh function each time, so that the three runs do not share versions.
    torch._dynamo.reset()

    def normalise(x):
        centred = x - x.mean(dim=0)
        return torch.relu(centred) * 2.0 + 1.0

    return normalise, torch.compile(normalise, dynamic=dynamic)


for dynamic in (False, None, True):
    plain, fast = build(dynamic)
    print(f"dynamic={dynamic}")
    for rows in ROWS:
        x = torch.arange(rows * 32.0).reshape(rows, 32) / (rows * 32.0)
        got = fast(x)
        same = torch.allclose(got, plain(x), rtol=1e-5, atol=1e-6)
        print(f"  ({rows:3d}, 32) -> {tuple(got.shape)}, sum {got.sum().item():.4f}, equal to plain Python: {same}")
