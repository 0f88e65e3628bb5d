"""LoRA adapters that are swapped between calls, and the sampler loop of a diffusion model."""

import math

import guardscope.core.torch_api as torch
from guardscope.core.torch_api import nn


class LoRALinear(nn.Module):
    """A frozen linear layer plus one of several low-rank updates, or none."""

    def __init__(self, base, rank=2, names=("a", "b")):
        super().__init__()
        self.base = base
        for p in base.parameters():
            p.requires_grad_(False)
        self.down = nn.ParameterDict({n: torch.randn(rank, base.in_features) * 0.3 for n in names})
        self.up = nn.ParameterDict({n: torch.randn(base.out_features, rank) * 0.3 for n in names})
        self.active = None
        self.scale = 1.0

    def forward(self, x):
        y = self.base(x)
        if self.active is not None:
            y = y + (x @ self.down[self.active].T) @ self.up[self.active].T * self.scale
        return y


class Adapted(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
        for i in (0, 2):
            self.net[i] = LoRALinear(self.net[i])

    def use(self, name):
        for m in self.modules():
            if isinstance(m, LoRALinear):
                m.active = name

    def forward(self, x):
        return self.net(x)


class Denoiser(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2 * width))
        self.inp, self.out = nn.Linear(3, width), nn.Linear(width, 3)
        self.width = width

    def forward(self, x, t):
        half = self.width // 2
        frequencies = torch.exp(-math.log(1000) * torch.arange(half) / half)
        angles = t[:, None].float() * frequencies
        scale, shift = self.time(torch.cat([angles.cos(), angles.sin()], -1)).chunk(2, -1)
        return self.out(torch.tanh(self.inp(x) * (1 + scale) + shift))


class Sampler(nn.Module):
    """Ancestral sampling: `step` is what gets compiled, or the whole loop."""

    def __init__(self, steps=4):
        super().__init__()
        self.model = Denoiser()
        beta = torch.linspace(1e-2, 0.3, steps)
        self.register_buffer("alpha", 1 - beta)
        self.register_buffer("product", torch.cumprod(1 - beta, 0))
        self.steps = steps

    def step(self, x, t, noise):
        index = torch.full((x.shape[0],), t)
        predicted = self.model(x, index)
        a, p = self.alpha[t], self.product[t]
        mean = (x - (1 - a) / (1 - p).sqrt() * predicted) / a.sqrt()
        return mean + (1 - a).sqrt() * noise if t > 0 else mean

    def forward(self, x, noises):
        for t in reversed(range(self.steps)):
            x = self.step(x, t, noises[t])
        return x.clamp(-3, 3)
