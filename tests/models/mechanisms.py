"""Small modules around what models use besides layers: hooks, parametrizations, caches, parameters() in forward."""

import functools

import guardscope.core.torch_api as torch
from guardscope.core.torch_api import nn


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x):
        return self.second(self.first(x))


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.old = nn.utils.weight_norm(nn.Linear(4, 5))
        self.new = nn.utils.parametrizations.weight_norm(nn.Linear(5, 3))
        self.spectral = nn.utils.spectral_norm(nn.Linear(3, 2)).eval()

    def forward(self, x):
        return self.spectral(self.new(self.old(x)))


class LooksAtItself(nn.Module):
    """What forwards ask of their own parameters."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.layers.append(self.layers[0])
        self.register_buffer("scale", torch.ones(1))

    def forward(self, x):
        dtype = next(self.parameters()).dtype
        count = sum(p.numel() for p in self.parameters() if p.requires_grad)
        x = x.to(dtype) / count
        for name, child in self.layers.named_children():
            x = child(x) + len(name)
        return x * next(self.buffers()), len(list(self.modules()))


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))

    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(self.body, x, use_reentrant=False)


calls = []


@functools.cache
def scales(n):
    calls.append(n)
    return [n * 2.0, torch.ones(n) * n]


def uses_cache(x, n):
    kept = scales(n)
    return x * kept[0] + kept[1].sum()


@functools.cache
def mask(n):
    return torch.ones(n, n).tril()


def masked(x):
    return x * mask(x.shape[-1])


SCALE = 3.0


@functools.cache
def scaled_by_global(n):
    return n * SCALE


def uses_global(x):
    return x * scaled_by_global(x.shape[0])


@functools.cache
def accumulator(n):
    return torch.zeros(n)


def accumulates(x):
    kept = accumulator(x.shape[0])
    kept += x
    return kept.clone()


class FirstLayers(nn.Module):
    """Runs the first n of its layers: slices of containers."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))

    def forward(self, x, n):
        for i, layer in enumerate(self.layers[:n]):
            x = layer(x) + i
        return self.body[1:](x), len(self.layers[1:n])


class ActNorm(nn.Module):
    """Data-dependent initialisation: the first call sets the parameters' data."""

    def __init__(self):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(1, 3))
        self.scale = nn.Parameter(torch.zeros(1, 3))
        self.done = False

    def forward(self, x):
        if not self.done:
            self.scale.data = -torch.log(x.std(dim=0, keepdim=True)).detach()
            self.shift.data = -(x * torch.exp(self.scale)).mean(dim=0, keepdim=True).detach()
            self.done = True
            before = self.shift.sum()
        else:
            before = self.shift.sum() * 2
        return x * torch.exp(self.scale) + self.shift, before, self.shift


def masked_update(points, labels, table, bias):
    """Boolean masks in augmented assignments, as prompt encoders use them."""
    points = points * 1.0
    points[labels == -1] = 0.0
    points[labels == -1] += table[0:1]
    points[labels == 0] *= table[1]
    points[labels > 0] -= 0.5
    points[labels == 2] /= bias
    return points


def masked_in_place(points, labels, table, bias):
    view = points[1:]
    view[labels[1:] == 0] += bias
    return points.sum(), view


def masked_by_selection(points, labels, table, bias):
    n = (labels == 0).sum()
    points[labels == 0] += torch.arange(float(n)).reshape(-1, 1)          # depends on the selection
    points[points > 0.5] += 1
    return points


class Round(torch.autograd.Function):
    """A straight-through estimator, as quantisers use it."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return (x * scale).round() / scale

    @staticmethod
    def backward(ctx, grad):
        return grad, None


def quantised(x):
    return Round.apply(x, 4.0) + Round.apply(x.sum(), 2.0)


def gated(x, width):
    """Sizes that a constant tensor holds, as WaveNet's fused gates get them."""
    n = torch.IntTensor([width])[0]
    a, b = torch.tanh(x[:, :n]), torch.sigmoid(x[:, n:])
    if torch.tensor([1, 2]).sum() > 2:
        return a * b * torch.tensor([3.0, 4.0])[1].item()
    return a


def changed_constant(x):
    n = torch.tensor([1, 2])
    n[0] = 2
    n.add_(torch.ones_like(n))
    return x[:, :n[0]]
