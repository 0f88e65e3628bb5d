"""The rows of the performance table: what each computes, written once for every engine, and its goal.

A case is PyTorch code that runs under Guardscope and under PyTorch alike, with NumPy inputs made from a fixed seed. Most
also have an array form over a NumPy-like namespace, which NumPy and JAX run. Goals are ratios to torch.compile's time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

BYTES = {"4K": 1, "64K": 16, "1M": 256, "16M": 4096, "256M": 65536}          # rows of 1024 float32 values


@dataclass(frozen=True)
class Case:
    """`make(torch)` gives the function to compile, with its modules; `inputs(rng)` its arrays. `arrays(xp)`: the same over
    a namespace such as NumPy. `each`: call it once per input, as one sample (artifacts of several shapes). `dynamic`:
    sizes to compile with before the measured one."""

    name: str
    kind: str
    goal: float
    inputs: Callable[[np.random.Generator], list[np.ndarray]]
    make: Callable[[Any], Callable[..., Any]]
    arrays: Callable[[Any], Callable[..., Any]] | None = None
    each: bool = False
    expression: str = ""                                   # for numexpr, over a and b
    options: dict[str, Any] = field(default_factory=dict)  # of torch.compile


def _normal(*shapes: tuple[int, ...]) -> Callable[[np.random.Generator], list[np.ndarray]]:
    return lambda rng: [rng.standard_normal(s, dtype=np.float32) for s in shapes]


# -- modules ---------------------------------------------------------------------------------------------------------
def _fill(torch: Any, module: Any) -> Any:
    """Parameters that are the same under every engine, and that do not require gradients."""
    rng = np.random.default_rng(1)
    for p in module.parameters():
        p.requires_grad_(False)
        scale = 0.5 / math.sqrt(max(p.shape[-1], 1))
        p.copy_(torch.from_numpy((rng.standard_normal(tuple(p.shape)) * scale).astype(np.float32)))
    return module.eval()


def _block_class(torch: Any) -> Any:
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        """A transformer block with causal self-attention."""

        def __init__(self, width: int, heads: int) -> None:
            super().__init__()
            self.heads = heads
            self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.fc, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            b, s, d = x.shape
            q, k, v = self.qkv(self.ln1(x)).split(d, dim=-1)
            q, k, v = [t.view(b, s, self.heads, d // self.heads).transpose(1, 2) for t in (q, k, v)]
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.proj(a.transpose(1, 2).reshape(b, s, d))
            return x + self.out(F.gelu(self.fc(self.ln2(x))))

    return Block


def _gpt(torch: Any, width: int = 256, heads: int = 4, layers: int = 4, vocabulary: int = 1024, length: int = 64) -> Any:
    nn = torch.nn
    block = _block_class(torch)

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList([block(width, heads) for _ in range(layers)])
            self.ln = nn.LayerNorm(width)
            self.head = nn.Linear(width, vocabulary, bias=False)

        def forward(self, tokens: Any) -> Any:
            x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
            for one in self.blocks:
                x = one(x)
            return self.head(self.ln(x))

    return _fill(torch, GPT())


def _mlp(torch: Any, width: int, hidden: int, layers: int) -> Any:
    nn = torch.nn
    sizes = [width, *[hidden] * (layers - 1), width]
    parts: list[Any] = []
    for a, b in zip(sizes, sizes[1:]):
        parts += [nn.Linear(a, b), nn.ReLU()]
    return _fill(torch, nn.Sequential(*parts[:-1]))


def _wide(torch: Any) -> Any:
    class Wide(torch.nn.Module):
        """A module whose forward reads 50 parameters."""

        def __init__(self) -> None:
            super().__init__()
            self.weights = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(32)) for _ in range(50)])

        def forward(self, x: Any) -> Any:
            for weight in self.weights:
                x = x + weight
            return x

    return _fill(torch, Wide())


def _norm_mlp(torch: Any) -> Any:
    nn = torch.nn
    return _fill(torch, nn.Sequential(nn.LayerNorm(256), nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256)))


# -- throughput ------------------------------------------------------------------------------------------------------
def _erf(xp: Any) -> Any:
    """erf of an array namespace; NumPy has none, so a polynomial of float32 accuracy stands in for it."""
    if xp.__name__.startswith("jax"):
        import jax

        return jax.scipy.special.erf

    def erf(x: Any) -> Any:
        x = xp.clip(x, -4, 4)
        y = x * x
        p = xp.float32(-2.72614225801306e-10)
        for c in (2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05, -7.34990630326855e-04,
                  -2.95459980854025e-03, -1.60960333262415e-02):
            p = p * y + xp.float32(c)
        q = xp.float32(-1.45660718464996e-05)
        for c in (-2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02):
            q = q * y + xp.float32(c)
        return x * p / q

    return erf


def _softmax(xp: Any) -> Any:
    def f(x: Any) -> Any:
        e = xp.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)
    return f


def _layer_norm(xp: Any) -> Any:
    def f(x: Any, w: Any, b: Any) -> Any:
        d = x - x.mean(-1, keepdims=True)
        return d / xp.sqrt((d * d).mean(-1, keepdims=True) + xp.float32(1e-5)) * w + b
    return f


def _gelu(xp: Any) -> Any:
    erf = _erf(xp)
    return lambda x: x * xp.float32(0.5) * (1 + erf(x * xp.float32(0.70710678)))


def _element_rows() -> list[Case]:
    rows = []
    at_4k_64k_1m = {"4K": 0, "64K": 1}

    def by_size(size: str, small: float, middle: float, large: float) -> float:
        return (small, middle, large)[at_4k_64k_1m.get(size, 2)]

    for size, n in BYTES.items():
        x, w = (n, 1024), (1024,)
        rows += [
            Case(f"pw5:{size}", "throughput", by_size(size, 0.15, 0.2, 0.6), _normal(x, x),
                 lambda t: lambda a, b: t.relu(a * b + a) * 0.5 - b,
                 lambda xp: lambda a, b: xp.maximum(a * b + a, xp.float32(0)) * xp.float32(0.5) - b,
                 expression="where(a * b + a > 0, a * b + a, 0) * 0.5 - b"),
            Case(f"gelu:{size}", "throughput", by_size(size, 0.40, 0.40, 0.40), _normal(x),
                 lambda t: lambda a: t.nn.functional.gelu(a), _gelu),
            Case(f"softmax:{size}", "throughput", 0.45, _normal(x), lambda t: lambda a: t.softmax(a, -1), _softmax),
            Case(f"layernorm:{size}", "throughput", 0.5, _normal(x, w, w),
                 lambda t: lambda a, w, b: t.nn.functional.layer_norm(a, (1024,), w, b), _layer_norm),
            Case(f"sum_all:{size}", "throughput", by_size(size, 0.15, 0.2, 1.0), _normal(x),
                 lambda t: lambda a: a.sum(), lambda xp: lambda a: a.sum()),
            Case(f"sum_d0:{size}", "throughput", 0.4, _normal(x),
                 lambda t: lambda a: a.sum(0), lambda xp: lambda a: a.sum(0)),
            Case(f"sum_d1:{size}", "throughput", by_size(size, 0.15, 0.2, 1.0), _normal(x),
                 lambda t: lambda a: a.sum(1), lambda xp: lambda a: a.sum(1)),
            Case(f"mean_mid:{size}", "throughput", 0.4 if size in ("4K", "64K", "1M") else 1.0, _normal((n, 32, 32)),
                 lambda t: lambda a: a.mean(1), lambda xp: lambda a: a.mean(1)),
            Case(f"cumsum:{size}", "throughput", 0.4, _normal(x),
                 lambda t: lambda a: a.cumsum(-1), lambda xp: lambda a: xp.cumsum(a, -1)),
        ]
    return sorted(rows, key=lambda c: list(BYTES).index(c.name.split(":")[1]))


def _product_rows() -> list[Case]:
    rows = [Case(f"matmul:{n}", "throughput", 0.3 if n == 64 else 0.9 if n <= 256 else 1.0, _normal((n, n), (n, n)),
                 lambda t: lambda a, b: a @ b, lambda xp: lambda a, b: a @ b) for n in (64, 128, 256, 512, 1024, 2048)]
    rows += [Case(f"bmm:{b}x{n}", "throughput", 1.0, _normal((b, n, n), (b, n, n)),
                  lambda t: lambda a, b: t.bmm(a, b), lambda xp: lambda a, b: a @ b) for b, n in ((64, 64), (16, 256))]
    rows += [Case(f"gemv:{n}", "throughput", 1.0, _normal((1, n), (n, n)),
                  lambda t: lambda a, b: a @ b, lambda xp: lambda a, b: a @ b) for n in (256, 1024, 4096)]

    def attention(xp: Any) -> Any:
        return lambda q, k, v: _softmax(xp)(q @ k.swapaxes(-1, -2) * xp.float32(0.125)) @ v

    rows += [Case(f"attn:{s}", "throughput", 0.95, _normal(*[(1, 8, s, 64)] * 3),
                  lambda t: lambda q, k, v: t.nn.functional.scaled_dot_product_attention(q, k, v), attention)
             for s in (128, 256, 512, 1024)]
    rows += [Case(f"conv:{b}x{i}x{o}x{n}", "throughput", 1.15, _normal((b, i, n, n), (o, i, 3, 3)),
                  lambda t: lambda a, w: t.nn.functional.conv2d(a, w, padding=1))
             for b, i, o, n in ((1, 64, 64, 56), (8, 32, 32, 64))]
    rows += [Case(f"embed:{n}", "throughput", 0.95, lambda rng, n=n: [rng.standard_normal((8192, 256), dtype=np.float32),
                                                                       rng.integers(0, 8192, n)],
                  lambda t: lambda w, i: t.nn.functional.embedding(i, w), lambda xp: lambda w, i: w[i])
             for n in (512, 8192)]
    rows += [Case(f"block:{b}x{s}x{d}x{h}", "throughput", goal, _normal((b, s, d)),
                  lambda t, d=d, h=h: _fill(t, _block_class(t)(d, h)))
             for b, s, d, h, goal in ((1, 64, 256, 4, 0.75), (4, 256, 512, 8, 0.9))]
    rows.append(Case("gpt:1x64x256x4x4", "throughput", 0.85, lambda rng: [rng.integers(0, 1024, (1, 64))],
                     lambda t: _gpt(t)))
    return rows


# -- what a reused call costs ----------------------------------------------------------------------------------------
def _overhead_rows() -> list[Case]:
    def add_all(*xs: Any) -> Any:
        total = xs[0]
        for x in xs[1:]:
            total = total + x
        return total

    eight = [(n, 32) for n in range(2, 10)]
    return [
        Case("o_add1", "overhead", 0.15, _normal((32, 32)), lambda t: lambda x: x + 1, lambda xp: lambda x: x + 1),
        Case("o_mlp6", "overhead", 0.20, _normal((4, 32)), lambda t: _mlp(t, 32, 32, 3)),
        Case("o_mod50", "overhead", 0.20, _normal((32,)), _wide),
        Case("o_args20", "overhead", 0.25, _normal(*[(256,)] * 20), lambda t: args20, lambda xp: add_all),
        Case("o_cache8", "overhead", 0.10, _normal(*eight), lambda t: lambda x: x * 2 + 1, lambda xp: lambda x: x * 2 + 1,
             each=True, options={"dynamic": False}),
    ]


def args20(a0: Any, a1: Any, a2: Any, a3: Any, a4: Any, a5: Any, a6: Any, a7: Any, a8: Any, a9: Any, b0: Any, b1: Any,
           b2: Any, b3: Any, b4: Any, b5: Any, b6: Any, b7: Any, b8: Any, b9: Any) -> Any:
    """The sum of 20 tensors."""
    return a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8 + b9


# -- first calls -----------------------------------------------------------------------------------------------------
def _first_rows() -> list[Case]:
    """`goal`: empty caches, fresh process. The goal with warm caches is WARM_GOAL."""
    return [
        Case("c_add1", "first", 0.08, _normal((64, 64)), lambda t: lambda x: x + 1),
        Case("c_pw3", "first", 0.08, _normal((64, 64), (64, 64)), lambda t: lambda a, b: t.relu(a * b + a)),
        Case("c_softmax", "first", 0.08, _normal((64, 512)), lambda t: lambda x: t.softmax(x, -1)),
        Case("c_mlp", "first", 0.08, _normal((64, 256)), _norm_mlp),
        Case("c_block", "first", 0.08, _normal((1, 64, 256)), lambda t: _fill(t, _block_class(t)(256, 4))),
        Case("c_gpt4", "first", 0.10, lambda rng: [rng.integers(0, 1024, (1, 64))], lambda t: _gpt(t)),
    ]


WARM_GOAL = 0.15                 # first call, fresh process, caches of an earlier run
AGAIN_GOAL = 0.05                # a second shape in the same process
DYNAMIC_GOAL = 1.15              # time of the dynamic artifact / time of the static one
CASES = {c.name: c for c in [*_overhead_rows(), *_element_rows(), *_product_rows(), *_first_rows()]}
DYNAMIC = ("pw5", "gelu", "softmax", "layernorm", "sum_all", "sum_d0", "sum_d1", "mean_mid", "cumsum", "matmul:256",
           "attn:256", "embed:512", "block:1x64x256x4")

# Why a row may fall short, by the start of its name (the first that fits); printed only where it does.
CALL = "a call costs about 3 us from guards to result (launch and wait 1 us), the kernel less"
PAST = "from 1 MB on results go past the caches, at what one core writes to memory (13 GB/s here)"
WHY: dict[str, str] = {
    "o_mlp6": "one launch of 5 us, most of it adding up the lanes of short dot products; 4 us are guards on five modules",
    "o_mod50": "5 us of guards: no class may have got an attribute named like one of the parameters",
    "o_args20": "20 tensors to look up, to tell apart and to find in memory",
    "o_": CALL,
    "pw5:4K": CALL, "pw5:64K": CALL, "sum_all:4K": CALL, "sum_all:64K": CALL, "sum_d1:4K": CALL, "sum_d1:64K": CALL,
    "gelu": f"19 vector operations, two at a time; {PAST}",
    "softmax": "three walks over a row; the exponential is bound by arithmetic",
    "layernorm": f"three walks over a row: mean, variance, result; {PAST}",
    "sum_d0:256M": "64 columns are read at a time, 4 KB apart: pages change faster than the processor foresees",
    "sum_d0": "reads at the speed of the cache; the goal is that of a kernel with its arguments preset",
    "mean_mid": "32 columns are two vectors, so a block is narrow",
    "pw5": "bound by memory: shares it with whatever else runs",
    "cumsum": "the carry from vector to vector is in float64, one after the other",
    "matmul": "OpenBLAS, which NumPy brings, against MKL: both near what the processor can",
    "bmm": "OpenBLAS, which NumPy brings, against MKL: both near what the processor can",
    "attn": "keys and values are rearranged first; the products are near what the processor can",
    "conv": "the input is copied with its border; where rows are short, what is computed for the border is thrown away",
    "block": "four fifths are BLAS's products, which take as long as MKL's",
    "embed": "copies of rows: memory",
    "c_": "PoCL takes 0.3 s for a process's first program, 50 ms and more for each kernel; products are timed once per machine",
}
