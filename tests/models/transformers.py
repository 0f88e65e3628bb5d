"""Transformers of our own writing: a decoder with a key-value cache, an encoder-decoder, a vision transformer."""

import math

import guardscope.core.torch_api as torch
import guardscope.core.torch_api.nn.functional as F
from guardscope.core.torch_api import nn


class CachedAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width)

    def forward(self, x, cache=None):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        past = 0
        if cache is not None:
            past = cache[0].shape[2]
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        mask = torch.ones(t, past + t, dtype=torch.bool).tril(past)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).reshape(b, t, c)), (k, v)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.RMSNorm(width)
        self.attention = CachedAttention(width, heads)
        self.mlp = nn.ModuleDict({"up": nn.Linear(width, 2 * width), "gate": nn.Linear(width, 2 * width),
                                  "down": nn.Linear(2 * width, width)})

    def forward(self, x, cache=None):
        y, cache = self.attention(self.norm1(x), cache)
        x = x + y
        h = self.norm2(x)
        return x + self.mlp["down"](F.silu(self.mlp["gate"](h)) * self.mlp["up"](h)), cache


class Decoder(nn.Module):
    """Tokens -> logits and the cache to go on with."""

    def __init__(self, vocabulary=29, width=16, heads=2, depth=2):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(depth)])
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("frequencies", 1.0 / 100 ** (torch.arange(0, width, 2) / width), persistent=False)

    def forward(self, tokens, caches=None):
        past = caches[0][0].shape[2] if caches is not None else 0
        at = torch.arange(past, past + tokens.shape[1]).unsqueeze(1) * self.frequencies
        x = self.embed(tokens) + torch.cat([at.sin(), at.cos()], -1)
        kept = []
        for i, block in enumerate(self.blocks):
            x, cache = block(x, None if caches is None else caches[i])
            kept.append(cache)
        return self.head(x[:, -1:]), kept


class Translator(nn.Module):
    """Encoder and decoder with padding masks, on nn.Transformer's layers."""

    def __init__(self, vocabulary=23, width=16):
        super().__init__()
        self.source, self.target = nn.Embedding(vocabulary, width, padding_idx=0), nn.Embedding(vocabulary, width)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, 2, 32, 0.0, batch_first=True), 2)
        layer = nn.TransformerDecoderLayer(width, 2, 32, 0.0, batch_first=True, norm_first=True)
        self.decoder = nn.TransformerDecoder(layer, 2)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, source, target):
        padding = source == 0
        memory = self.encoder(self.source(source), src_key_padding_mask=padding)
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        out = self.decoder(self.target(target), memory, tgt_mask=causal, memory_key_padding_mask=padding, tgt_is_causal=True)
        return F.log_softmax(self.head(out), -1)


class VisionTransformer(nn.Module):
    """Patches, a class token, and positions that are interpolated to the image's size."""

    def __init__(self, width=16, patch=4, side=4):
        super().__init__()
        self.patch, self.side = patch, side
        self.embed = nn.Conv2d(3, width, patch, stride=patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, 1 + side * side, width) * 0.1)
        self.layers = nn.ModuleList([nn.MultiheadAttention(width, 2, batch_first=True) for _ in range(2)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 5)

    def positions_for(self, h, w):
        if h == self.side and w == self.side:
            return self.positions
        first, rest = self.positions[:, :1], self.positions[:, 1:]
        grid = rest.reshape(1, self.side, self.side, -1).permute(0, 3, 1, 2)
        grid = F.interpolate(grid, size=(h, w), mode="bilinear", align_corners=False)
        return torch.cat([first, grid.flatten(2).transpose(1, 2)], 1)

    def forward(self, image):
        x = self.embed(image)
        h, w = x.shape[-2:]
        x = x.flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions_for(h, w)
        weights = None
        for layer in self.layers:
            n = self.norm(x)
            y, weights = layer(n, n, n, need_weights=True)
            x = x + y * math.sqrt(0.5)
        return self.head(x[:, 0]), weights
