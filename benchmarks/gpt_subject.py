"""The model that bench_capture.py compiles: a small GPT in plain PyTorch, without random weights."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        t, width = x.shape
        q, k, v = (part.view(t, self.heads, width // self.heads).transpose(0, 1)
                   for part in self.qkv(self.norm1(x)).split(width, dim=-1))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(width // self.heads)
        scores = scores.masked_fill(torch.triu(torch.ones(t, t), 1).bool(), float("-inf"))
        mixed = (torch.softmax(scores, -1) @ v).transpose(0, 1).reshape(t, width)
        x = x + self.out(mixed)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    def __init__(self, vocab=13, width=16, heads=2, layers=4, context=16):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocab, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab, bias=False)
        with torch.no_grad():
            for i, p in enumerate(self.parameters()):
                p.copy_(torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).reshape(p.shape) * 0.5)

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[0]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
