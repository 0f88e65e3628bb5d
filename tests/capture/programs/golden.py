"""Small functions whose graph, guards and generated Python are kept under tests/golden/capture."""
import torch

SCALE = 2


def straight(x, w):
    h = torch.relu(x @ w)
    if x.shape[0] > 2:
        h = h * SCALE
    return h.sum(dim=1), x.shape[0] + 1


def before_and_after(x):
    y = torch.relu(x - 3)
    torch._dynamo.graph_break()
    z = y * 2
    return z + 1


def by_data(x):
    y = x - x.mean()
    if y.abs().max() > 2:
        return y / 2
    return y * 10


class Box:
    total = 0


def effects(x, box, log, table):
    y = x * 2
    box.total = y.sum()
    log.append(y)
    table["y"] = [y, y]
    return table["k"]


def closure(x, k):
    def scaled(v):
        return v * k
    return scaled(x), scaled
