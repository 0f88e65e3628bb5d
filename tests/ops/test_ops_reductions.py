"""Reductions, softmax and its kin, norms and cumulative operators against NumPy formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from guardscope.tests.ops.support import ALL, FLOATS, INTS, F, array, equal, tensor, torch

DIMS = (None, 0, 1, -1, (0, 2), (1, 2), (0, 1, 2))
SIMPLE = {"sum": np.sum, "amax": np.max, "amin": np.min, "any": np.any, "all": np.all, "mean": np.mean}
LAYOUTS = ("contiguous", "transposed", "sliced", "expanded")
LIMIT = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-12}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", SIMPLE)
def test_reductions_over_dimensions(name: str, layout: str) -> None:
    for dtype in ALL:
        if name == "mean" and dtype not in FLOATS:
            continue
        a = array(dtype, layout, (2, 3, 4))
        wide = a.astype(np.float64) if dtype in FLOATS else a
        for dim in DIMS:
            expected = SIMPLE[name](wide, axis=dim)
            got = getattr(torch, name)(tensor(a)) if dim is None else getattr(torch, name)(tensor(a), dim)
            equal(got, expected if dtype != "uint8" or name not in ("any", "all") else expected.astype(np.uint8),
                  LIMIT.get(dtype))
            kept = SIMPLE[name](wide, axis=dim, keepdims=True)
            if dim is not None:
                assert tuple(getattr(tensor(a), name)(dim=dim, keepdim=True).shape) == kept.shape


@pytest.mark.parametrize("dtype", ("float32", "float64", "int64", "int8"))
def test_max_min_with_indices(dtype: str) -> None:
    a = array(dtype, "transposed", (2, 3, 4))
    x = tensor(a)
    equal(x.max(), a.max(), 0, dtype)
    for d in (0, 1, 2):
        found = x.max(d)
        equal(found.values, a.max(d), 0, dtype)
        equal(found.indices, a.argmax(d), dtype="int64")
        values, indices = torch.min(x, d, True)
        equal(values, a.min(d, keepdims=True), 0, dtype)
        equal(indices, a.argmin(d, keepdims=True))
    equal(torch.max(x, x * 0), np.maximum(a, 0), 0, dtype)
    equal(x.argmax(), a.argmax(), dtype="int64")
    equal(x.argmin(1), a.argmin(1))
    assert type(x.max(0)).__name__ == "max"


def test_nan_wins_in_extremes() -> None:
    a = np.array([[1.0, math.nan, 3.0], [2.0, 5.0, 4.0]])
    equal(tensor(a).amax(1), [math.nan, 5])
    equal(tensor(a).max(1).indices, [1, 1])
    equal(tensor(a).nansum(1), [4, 11])


@pytest.mark.parametrize("dtype", FLOATS)
def test_variance_and_deviation(dtype: str) -> None:
    a = array(dtype, "contiguous", (3, 5))
    wide = a.astype(np.float64)
    for c in (0, 1):
        equal(torch.var(tensor(a), 1, correction=c), wide.var(1, ddof=c), LIMIT[dtype], dtype)
        equal(tensor(a).std(correction=c), wide.std(ddof=c), LIMIT[dtype], dtype)
    equal(tensor(a).var(1, False), wide.var(1), LIMIT[dtype])
    equal(torch.var(tensor(a), unbiased=False), wide.var(), LIMIT[dtype])
    variance, mean = torch.var_mean(tensor(a), 0)
    equal(variance, wide.var(0, ddof=1), LIMIT[dtype])
    equal(mean, wide.mean(0), LIMIT[dtype])


def _soft(a: np.ndarray, d: int) -> np.ndarray:
    e = np.exp(a - a.max(d, keepdims=True))
    return e / e.sum(d, keepdims=True)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax_family(dtype: str, layout: str) -> None:
    a = array(dtype, layout, (2, 3, 4))
    wide = a.astype(np.float64)
    for d in (0, 1, 2):
        equal(torch.softmax(tensor(a), d), _soft(wide, d), LIMIT[dtype], dtype)
        equal(F.softmax(tensor(a), dim=d - 3), _soft(wide, d), LIMIT[dtype], dtype)
        equal(F.log_softmax(tensor(a), d), np.log(_soft(wide, d)), LIMIT[dtype] * 3, dtype)
        equal(torch.logsumexp(tensor(a), d), np.log(np.exp(wide).sum(d)), LIMIT[dtype] * 3, dtype)
    big = torch.tensor([1000.0, 1001.0])
    equal(torch.softmax(big, 0), _soft(np.array([0.0, 1.0]), 0), 1e-6)
    equal(torch.softmax(torch.tensor([[-math.inf, 0.0]]), 1), [[0, 1]])


def test_norms() -> None:
    a = array("float64", "contiguous", (3, 4))
    x = tensor(a)
    for p in (1, 2, 3, math.inf, -math.inf, 0):
        equal(torch.linalg.vector_norm(x, p, 1), np.linalg.norm(a, p, 1), 1e-12)
    equal(x.norm(), np.linalg.norm(a), 1e-12)
    equal(torch.norm(x, p=1, dim=0), np.abs(a).sum(0), 1e-12)
    equal(F.normalize(x, dim=1), a / np.linalg.norm(a, axis=1, keepdims=True), 1e-12)


@pytest.mark.parametrize("dtype", [d for d in ALL if d != "float16"])
def test_cumulative(dtype: str) -> None:
    a = array(dtype, "transposed", (3, 4))
    wide = a if dtype in FLOATS else a.astype(np.int64)
    for d in (0, 1):
        equal(tensor(a).cumsum(d), wide.cumsum(d), 1e-5)
        equal(torch.cumprod(tensor(a), d), wide.cumprod(d), 1e-4)
        if dtype != "bool":
            values, indices = torch.cummax(tensor(a), d)
            equal(values, np.maximum.accumulate(a, d), 0)
            equal(torch.gather(tensor(a), d, indices), values._array, 0)


def test_empty_reductions() -> None:
    x = torch.zeros(0, 3)
    equal(x.sum(), 0.0)
    equal(x.sum(0), [0, 0, 0])
    equal(x.prod(0), [1, 1, 1])
    equal(x.mean(1), np.zeros(0))
    equal(x.mean(0), [math.nan] * 3)
    with pytest.raises(IndexError, match="non-zero size"):
        x.max(0)
    with pytest.raises(IndexError, match="non-zero size"):
        x.amax(0)


def test_errors_of_dimensions() -> None:
    x = torch.zeros(2, 3)
    with pytest.raises(IndexError, match=r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 2\)"):
        x.sum(2)
    with pytest.raises(RuntimeError, match="dim 0 appears multiple times"):
        x.sum((0, -2))
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        torch.arange(3).mean()


@pytest.mark.parametrize("dtype", (*FLOATS, *INTS))
def test_zero_d_tensors_reduce_to_themselves(dtype: str) -> None:
    a = array(dtype, "zero-d")
    equal(tensor(a).sum(), a)
    equal(tensor(a).sum(0), a)
    equal(tensor(a).amax(-1), a)
    equal(tensor(a).argmax(), 0)


def test_sorting() -> None:
    a = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 4.0]])
    x = tensor(a)
    values, order = x.sort()
    equal(values, np.sort(a))
    equal(order, [[1, 2, 0], [2, 0, 1]])
    equal(x.argsort(descending=True, stable=True), [[0, 2, 1], [0, 1, 2]])
    top = x.topk(2)
    equal(top.values, [[3, 2], [5, 5]])
    equal(x.median(1).values, [2, 5])
    equal(torch.kthvalue(x, 1, 1).values, [1, 4])
    equal(torch.quantile(x, 0.5, 0), np.quantile(a, 0.5, 0))
    equal(torch.searchsorted(tensor(np.array([1.0, 2.0, 3.0])), tensor(np.array([0.5, 2.0, 9.0]))), [0, 1, 3])
    equal(torch.unique(tensor(np.array([3, 1, 3]))), [1, 3])
    equal(torch.bincount(tensor(np.array([0, 2, 2]))), [1, 0, 2])
