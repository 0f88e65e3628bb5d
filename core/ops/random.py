"""Random operators. They draw from a generator in order, so they are never merged, reordered or dropped."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype as DType
from ..tensor.generator import Generator, default_generator
from ..tensor.state import STATE
from .creation import device_of, empty_like, only_strided, result_of, sizes_of
from .declare import Spec, operator, spelled, type_name
from .dims import as_int, sizes, unstar
from .op import OPS, Extern, Op, call
from .promotion import number_category
from .strides import canonical, like_strides


def _draw(name: str, schema: str, eager: Any, rule: Any, **more: Any) -> Op:
    return operator(name, schema, Extern(), eager, rule, random=True, differentiable=False, **more)


def _generator(g: Any) -> Generator:
    return default_generator if g is None else g


def _count(size: tuple) -> int:
    n = 1
    for m in size:
        n *= m
    return n


def _float_only(name: str, d: DType) -> DType:
    if d.category != 2:
        raise NotImplementedError(f'"{name}" not implemented for \'{type_name(d)}\'')
    return d


_made = lambda size, dtype, device, g: Spec(dtype, size, device=device)
RAND = _draw("rand", "size, dtype, device, generator",
             lambda size, d, device, g: _generator(g).uniform(_count(size), d.numpy).reshape(size), _made, own_device=True)
RANDN = _draw("randn", "size, dtype, device, generator",
              lambda size, d, device, g: _generator(g).normal(_count(size), d.numpy).reshape(size), _made, own_device=True)
RANDINT = _draw("randint", "low:int, high:int, size, dtype, device, generator",
                lambda low, high, size, d, device, g: _generator(g).integers(_count(size), low, high).reshape(size),
                lambda low, high, size, dtype, device, g: Spec(dtype, size, device=device), own_device=True)
RANDPERM = _draw("randperm", "n:int, dtype, device, generator", lambda n, d, device, g: _generator(g).permutation(n),
                 lambda n, dtype, device, g: Spec(dtype, (n,), device=device), own_device=True)


def _sized(name: str, op: Op) -> None:
    def make(*sizes: Any, size: Any = None, generator: Any = None, out: Any = None, dtype: Any = None,
             layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Any:
        only_strided(layout)
        d = dtype or STATE.mode.default_dtype
        if d.category == 3:
            parts = call(op, ((*unstar(sizes, size), 2), dt.REAL_OF[d], device_of(device), generator))
            made = call(OPS["view_as_complex"], (parts * 0.5 ** 0.5 if name == "randn" else parts,))
            return result_of(out, made, requires_grad)
        return result_of(out, call(op, (sizes_of(unstar(sizes, size)), _float_only(name, d), device_of(device), generator)),
                         requires_grad)

    def like(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
             memory_format: Any = None, generator: Any = None) -> Any:
        only_strided(layout)
        d = dtype or input.dtype
        if d.category != 3:
            _float_only("normal_kernel_cpu" if name == "randn" else "check_uniform_bounds", d)
        if not canonical(input.shape, like_strides(input._meta)) and d.category == 2:
            made = empty_like(input, dtype=dtype, device=device)
            return result_of(
                None, getattr(made, "uniform_" if name == "rand" else "normal_")(generator=generator), requires_grad
            )
        if d.category == 3:
            return make(
                tuple(input.shape),
                dtype=d,
                device=input.device if device is None else device,
                requires_grad=requires_grad,
                generator=generator,
            )
        where = input.device if device is None else device_of(device)
        made = call(op, (tuple(input.shape), d, where, generator))
        return result_of(None, made if memory_format is None else made.contiguous(memory_format=memory_format), requires_grad)

    make.__name__, like.__name__ = name, f"{name}_like"
    make.__doc__ = f"{'Uniform numbers in [0, 1)' if name == 'rand' else 'Standard normal numbers'} of the given size."
    like.__doc__ = f"{name} of the size and dtype of `input`."
    spelled(name, "", op)(make)
    spelled(f"{name}_like", "", op)(like)


_sized("rand", RAND)
_sized("randn", RANDN)


@spelled("randint", "", RANDINT)
def randint(*args: Any, low: Any = 0, high: Any = None, size: Any = None, generator: Any = None, out: Any = None,
            dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Integers in [low, high): randint(high, size) or randint(low, high, size)."""
    only_strided(layout)
    rest = list(args)
    if rest and isinstance(rest[-1], (tuple, list)) and size is None:
        size = rest.pop()
    if len(rest) == 2:
        low, high = rest
    elif len(rest) == 1:
        low, high = (low, rest[0]) if high is None else (rest[0], high)
    low, high = as_int(low, "low"), as_int(high, "high")
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    made = call(RANDINT, (low, high, sizes_of(sizes(size)), dtype or dt.int64, device_of(device), generator))
    return result_of(out, made, requires_grad)


@spelled("randint_like", "", RANDINT)
def randint_like(input: Any, *bounds: Any, low: Any = 0, high: Any = None, dtype: Any = None, device: Any = None,
                 layout: Any = None, requires_grad: bool = False) -> Any:
    """randint of the size and dtype of `input`."""
    only_strided(layout)
    if len(bounds) == 2:
        low, high = bounds
    elif bounds:
        high = bounds[0]
    where = input.device if device is None else device_of(device)
    made = call(RANDINT, (low, high, tuple(input.shape), dtype or input.dtype, where, None))
    return result_of(None, made, requires_grad)


@spelled("randperm", "", RANDPERM)
def randperm(n: Any, *, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
             requires_grad: bool = False, pin_memory: bool = False) -> Any:
    """0 .. n-1 in random order."""
    only_strided(layout)
    if as_int(n, "n") < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    return result_of(out, call(RANDPERM, (as_int(n, "n"), dtype or dt.int64, device_of(device), generator)), requires_grad)


@spelled("normal", "", RANDN)
def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None, out: Any = None, dtype: Any = None,
           device: Any = None) -> Any:
    """Normal numbers with the given mean and deviation (numbers or tensors)."""
    like = mean if hasattr(mean, "dtype") else std if hasattr(std, "dtype") else None
    if size is None and like is None:
        raise TypeError("normal() needs a size when mean and std are numbers")
    if number_category(std) is not None and std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    shape = sizes(size) if like is None else tuple(like.shape)
    d = dtype or (like.dtype if like is not None else STATE.mode.default_dtype)
    return result_of(out, call(RANDN, (shape, d, device_of(device), generator)) * std + mean)


# -- in place --------------------------------------------------------------------------------------------------------
def _filler(name: str, schema: str, draw: Any, *, floating: bool = True, check: Any = None) -> Op:
    def eager(a: np.ndarray, *args: Any) -> None:
        *rest, g = args
        kind = a.dtype if a.dtype.kind in "fV" else np.dtype(np.float32)       # V: bfloat16
        order = sorted(range(a.ndim), key=lambda i: -a.strides[i])
        inside = a.transpose(order)                     # elements are drawn in the order of memory
        inside[...] = draw(_generator(g), a, kind, *rest).reshape(inside.shape)

    def rule(m: Any, *rest: Any) -> Any:
        if floating:
            _float_only(name, m.dtype)
        if check is not None:
            check(m, *rest)
        return m

    return _draw(name, schema, eager, rule, mutates=(0,), methods=name)


_filler("uniform_", "input, from_=0.0, to=1.0, *, generator=None",
        lambda g, a, d, low, high: _uniform(g, a.size, d, low, high),
        check=lambda m, low, high, g: _needs(low <= high, f"uniform_ expects to return a [from, to) range, but found "
                                                          f"from={low} > "
                                                          f"to={high}"))
_filler("normal_", "input, mean=0.0, std=1.0, *, generator=None",
        lambda g, a, d, mean, std: g.normal(a.size, d, a.flags.c_contiguous, mean, std),
        check=lambda m, mean, std, g: _needs(std >= 0, f"normal expects std >= 0.0, but found std {std}"))
_filler("exponential_", "input, lambd=1.0, *, generator=None",
        lambda g, a, d, lambd: (-np.log1p(-g.uniform(a.size, np.dtype(np.float64))) / lambd).astype(d),
        check=lambda m, lambd, g: _needs(lambd > 0, f"exponential_ expects lambda > 0.0, but found lambda={lambd}"))
_filler("log_normal_", "input, mean=1.0, std=2.0, *, generator=None",
        lambda g, a, d, mean, std: np.exp(g.normal(a.size, np.dtype(np.float64), False) * std + mean).astype(d),
        check=lambda m, mean, std, g: _needs(std > 0, f"log_normal_ expects std > 0.0, but found std={std}"))
_filler("cauchy_", "input, median=0.0, sigma=1.0, *, generator=None",
        lambda g, a, d, median, sigma: (median + sigma * np.tan(np.pi * (g.uniform(a.size,
                                                                                   np.dtype(np.float64)) - 0.5))).astype(d))


def _geometric_check(m: Any, p: Any, g: Any) -> None:
    _needs(0 < p < 1, f"geometric_ expects p to be in (0, 1), but got p={p}")
    _no_bool("geometric_cpu", m)


_filler("geometric_", "input, p, *, generator=None", check=_geometric_check, floating=False,
        draw=lambda g, a, d, p: np.ceil(np.log(g.uniform(a.size, np.dtype(np.float64))) / np.log1p(-p)))


def _uniform(g: Generator, n: int, d: np.dtype, low: Any, high: Any) -> np.ndarray:
    if d.itemsize > 2:
        return g.uniform(n, d) * d.type(high - low) + d.type(low)
    found = (g.uniform(n, np.dtype(np.float32)) * np.float32(high - low) + np.float32(low)).astype(d)
    return np.where(found == d.type(high), d.type(low), found)


def _needs(condition: Any, message: str) -> None:
    if not condition:
        raise RuntimeError(message)


def _no_bool(name: str, m: Any) -> None:
    if m.dtype.category == 0:
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")


def _bits(a: np.ndarray) -> tuple[int, int]:
    if a.dtype.kind == "b":
        return 0, 2
    if a.dtype.kind == "V":
        return 0, 2 ** 8 + 1
    if a.dtype.kind == "f":
        return 0, 2 ** {2: 11, 4: 24, 8: 53}[a.dtype.itemsize] + 1
    return 0, int(np.iinfo(a.dtype).max) + 1


def _random(g: Generator, a: np.ndarray, d: np.dtype, low: Any, high: Any) -> np.ndarray:
    if high is None and low is None:
        top = _bits(a)[1]
        return ((g.long_words(a.size) if a.itemsize == 8 else g.words(a.size)) % np.uint64(top)).astype(np.int64)
    if high is None:
        low, high = 0, low
    return g.integers(a.size, int(low), int(high))


_filler("random_", "input, from_:any=None, to:any=None, *, generator=None", _random, floating=False)


def _chosen(g: Any, p: np.ndarray) -> np.ndarray:
    """Which elements happen. A probability drawn against has its own precision: float32 ones draw 24 bits."""
    kind = np.dtype(np.float64) if p.dtype == np.float64 else np.dtype(np.float32)
    return _generator(g).uniform(p.size, kind).reshape(p.shape) < p


def _chosen_by_tensor(p: np.ndarray, g: Any) -> np.ndarray:
    if p.size and not (p.min() >= 0 and p.max() <= 1):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    return _chosen(g, p).astype(p.dtype)


BERNOULLI = _draw("bernoulli", "input, *, generator=None", _chosen_by_tensor,
                  lambda m, g: Spec(_float_only("bernoulli_tensor_cpu_p_", m.dtype), m.shape, like_strides(m)),
                  functions="bernoulli", out=True)


@spelled("", "bernoulli", BERNOULLI)
def bernoulli(self: Any, p: float | None = None, *, generator: Any = None) -> Any:
    """1 with probability self (or p), else 0."""
    if p is not None:
        return call(OPS["bernoulli_"], (self.clone(), p, generator))
    return call(BERNOULLI, (self, generator))


def _fill_bernoulli(g: Generator, a: np.ndarray, d: np.dtype, p: Any) -> np.ndarray:
    if not isinstance(p, np.ndarray):
        p = np.asarray(p, np.float64)
    return _chosen(g, np.broadcast_to(p, a.shape))


_filler("bernoulli_", "input, p:operand=0.5, *, generator=None", _fill_bernoulli, floating=False,
        check=lambda m, p, g: _needs(hasattr(p, "dtype") or 0 <= p <= 1, f"bernoulli_ expects p to be in [0, 1], but got "
                                                                         f"p={p}"))


def _dropout(a: np.ndarray, p: float, g: Any) -> np.ndarray:
    order = sorted(range(a.ndim), key=lambda i: -a.strides[i])         # drawn in the order of memory
    keep = np.empty([a.shape[i] for i in order], bool)
    keep[...] = _chosen(g, np.broadcast_to(np.float64(1 - p), keep.shape))
    keep = keep.transpose(np.argsort(order))
    return np.where(keep, a / a.dtype.type(1 - p) if p < 1 else 0, 0).astype(a.dtype)


DROPOUT = operator("dropout", "input, p, generator=None", Extern(), _dropout, lambda m, p,
                   g: Spec(m.dtype, m.shape, like_strides(m)),
                   random=True)


def _probability(p: float) -> None:
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


@spelled("F.dropout dropout", "", DROPOUT)
def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Elements zeroed with probability p and the rest scaled by 1 / (1 - p) while training; else `input` itself."""
    from .op import OPS

    _probability(p)
    if not training or p == 0:
        return input
    out = call(DROPOUT, (input, p, None))
    return call(OPS["copy_"], (input, out, False)) if inplace else out


@spelled("F.dropout1d F.dropout2d F.dropout3d", "", DROPOUT)
def dropout_channels(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """dropout of whole channels (dimension 1)."""
    _probability(p)
    if not training or p == 0:
        return input
    mask = call(DROPOUT, (input.new_ones(tuple(input.shape[:2]) + (1,) * (input.ndim - 2)), p, None))
    return input.mul_(mask) if inplace else input * mask


def _multinomial(p: np.ndarray, n: int, replacement: bool, g: Any) -> np.ndarray:
    rows = np.atleast_2d(p).astype(np.float64)
    if (rows < 0).any() or not np.isfinite(rows).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (rows.sum(1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    source = _generator(g)
    if replacement and n > 1:      # one draw takes the path without replacement, as in PyTorch
        edges = np.cumsum(rows / rows.sum(1, keepdims=True), axis=1)
        u = source.uniform(rows.shape[0] * n, np.dtype(np.float64)).reshape(rows.shape[0], n)
        out = np.minimum(np.stack([np.searchsorted(e, v, side="right") for e, v in zip(edges, u)]), rows.shape[1] - 1)
    else:
        if ((rows > 0).sum(1) < n).any():
            raise RuntimeError("invalid multinomial distribution (with replacement=False, not enough non-negative category "
                               "to sample)")
        q = -np.log1p(-source.uniform(rows.size, np.dtype(np.float64)).reshape(rows.shape))
        out = np.argsort(-(rows / q), axis=1, kind="stable")[:, :n]
    return out.reshape((*p.shape[:-1], n)).astype(np.int64)


def _multinomial_spec(m: Any, n: Any, replacement: bool, g: Any) -> Spec:
    if n <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    return Spec(dt.int64, (*m.shape[:-1], n))


MULTINOMIAL = _draw("multinomial", "input, num_samples:int, replacement:bool=False, *, generator=None", _multinomial,
                    _multinomial_spec, functions="multinomial", methods="multinomial",
                    out=True)


# -- Poisson ---------------------------------------------------------------------------------------------------------
def _poisson_one(rate: float, draw: Any) -> int:
    """Knuth's product of uniform numbers below 10; above, Hoermann's transformed rejection (1993)."""
    if rate == 0:
        return 0
    if rate < 10:
        limit, count, product = math.exp(-rate), 0, 1.0
        while True:
            product *= draw()
            if product <= limit:
                return count
            count += 1
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse, accept = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    while True:
        u = draw() - 0.5
        v = draw()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= accept:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        if math.log(v) + math.log(inverse) - math.log(a / (us * us) + b) <= -rate + k * math.log(rate) - math.lgamma(k + 1):
            return k


def _poisson(rates: np.ndarray, g: Any) -> np.ndarray:
    source = _generator(g)
    if rates.size and not rates.min() >= 0:
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")

    def draw() -> float:
        return float(source.uniform(1, np.dtype(np.float64))[0])

    return np.array([_poisson_one(float(r), draw) for r in rates.reshape(-1)], rates.dtype).reshape(rates.shape)


POISSON = _draw("poisson", "input, generator=None", _poisson, lambda m, g: Spec(_float_only("poisson_cpu", m.dtype), m.shape),
                functions="poisson")
