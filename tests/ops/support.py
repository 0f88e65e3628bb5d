"""What the operator tests share: the API as a namespace, arrays in every layout, comparison with exact metadata."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
from guardscope.core.tensor.tensor import Tensor
from guardscope.core.torch_api import functions

torch = types.SimpleNamespace(**functions.names(), **functions.submodules())
F = types.SimpleNamespace(**functions.functional_names())

FLOATS = ("float32", "float64", "float16")
INTS = ("int64", "int32", "int16", "int8", "uint8")
ALL = (*FLOATS, *INTS, "bool")
LAYOUTS = ("contiguous", "transposed", "sliced", "expanded", "zero-d", "empty")
TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-12}


def array(dtype: str, layout: str = "contiguous", shape: tuple[int, ...] = (3, 4), seed: int = 0) -> np.ndarray:
    """A deterministic array: small values, no zeros among floats."""
    rng = np.random.default_rng(seed)

    def make(s: tuple[int, ...]) -> np.ndarray:
        if dtype == "bool":
            return np.asarray(rng.integers(0, 2, s)).astype(bool)
        if dtype == "uint8":
            return np.asarray(rng.integers(1, 7, s)).astype(np.uint8)
        if "int" in dtype:
            return np.asarray(rng.integers(-4, 5, s)).astype(dtype)
        return np.asarray(rng.normal(size=s) * 2 + 0.1).astype(dtype)

    if layout == "transposed":
        return make(shape[::-1]).T
    if layout == "sliced":
        return make(tuple(2 * n for n in shape))[tuple(slice(None, None, 2) for _ in shape)]
    if layout == "expanded":
        return np.broadcast_to(make((1, *shape[1:])), shape)
    if layout == "zero-d":
        return make(())
    if layout == "empty":
        return make((0, *shape[1:]))
    return make(shape)


def tensor(a: Any) -> Tensor:
    """A tensor over an array, with the array's strides."""
    a = np.asarray(a)
    return torch.from_numpy(a if a.flags.writeable else np.lib.stride_tricks.as_strided(a, writeable=False))


def consistent(t: Tensor) -> None:
    """The array of a tensor is what its metadata says."""
    got = t._array
    assert got is not None
    assert got.shape == tuple(t.shape)
    assert got.dtype == t.dtype.numpy
    for n, step, stated in zip(got.shape, got.strides, t.stride()):
        if n > 1 and got.size:
            assert step == stated * got.itemsize, f"strides {t.stride()} stated, {got.strides} bytes real"


def equal(t: Any, expected: Any, tolerance: float | None = None, dtype: str | None = None) -> None:
    """Values (and, if given, the dtype) of a result; its metadata must be consistent."""
    consistent(t)
    expected = np.asarray(expected)
    assert tuple(t.shape) == expected.shape
    if dtype is not None:
        assert t.dtype.name == dtype
    if t.dtype.name in TOLERANCE:
        limit = TOLERANCE[t.dtype.name] if tolerance is None else tolerance
        np.testing.assert_allclose(t._array.astype(np.float64), expected.astype(np.float64), rtol=limit, atol=limit)
    else:
        np.testing.assert_array_equal(t._array, expected)
