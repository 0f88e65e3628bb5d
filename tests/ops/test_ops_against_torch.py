"""The same calls under an installed PyTorch, where there is one: values, dtypes, strides and kinds of error.

Skipped without PyTorch. Arrays of random sizes and strides go through both.
"""

from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np
import pytest
from guardscope.tests.ops.support import ALL, LAYOUTS, array, tensor, torch

try:
    importlib.metadata.version("torch")
except importlib.metadata.PackageNotFoundError:
    pytest.skip("PyTorch is not installed", allow_module_level=True)
real: Any = pytest.importorskip("torch")
if not hasattr(real, "_C"):
    pytest.skip("`torch` is not PyTorch here", allow_module_level=True)


def both(name: str, *args: Any, **kwargs: Any) -> None:
    """Call torch.name under both; compare everything."""
    def run(lib: Any, convert: Any) -> Any:
        try:
            return getattr(lib, name)(*[convert(a) if isinstance(a, np.ndarray) else a for a in args], **kwargs)
        except Exception as error:
            return error

    theirs = run(real, lambda a: real.from_numpy(a) if a.flags.writeable else real.from_numpy(a.copy()).expand(a.shape))
    ours = run(torch, tensor)
    if isinstance(theirs, Exception):
        assert isinstance(ours, type(theirs)), f"{name}: {theirs!r} against {ours!r}"
        return
    assert not isinstance(ours, Exception), f"{name}: {ours!r}"
    pairs = zip(theirs, ours) if isinstance(theirs, tuple | list) else [(theirs, ours)]
    for t, o in pairs:
        assert str(t.dtype) == str(o.dtype)
        assert tuple(t.shape) == tuple(o.shape)
        assert t.stride() == o.stride()
        limit = {"torch.float16": 4e-3, "torch.float32": 2e-5}.get(str(t.dtype), 1e-11)
        np.testing.assert_allclose(o._array.astype(np.float64), t.numpy().astype(np.float64), rtol=limit, atol=limit)


UNARY = ("exp", "log1p", "sqrt", "sin", "tanh", "sigmoid", "erf", "neg", "abs", "floor", "round", "sign", "relu", "isnan",
         "logical_not", "bitwise_not", "reciprocal", "square", "zeros_like", "clone", "sum", "mean", "prod", "amax", "any",
         "std")
BINARY = ("add", "sub", "mul", "true_divide", "maximum", "eq", "lt", "logical_and", "bitwise_and", "fmod", "atan2")


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    for dtype in ALL:
        for layout in (*LAYOUTS[:3], "zero-d"):
            both(name, np.asarray(np.abs(array(dtype, layout))))


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    for first in ALL:
        for second in ALL:
            both(name, array(first), np.abs(array(second, seed=1)) + array(second).dtype.type(1))
            both(name, array(first), np.asarray(np.abs(array(second, "zero-d")) + array(second).dtype.type(1)))


def test_layouts_of_random_operands() -> None:
    rng = np.random.default_rng(5)
    for _ in range(400):
        shape = tuple(int(n) for n in rng.choice([1, 2, 3], int(rng.integers(1, 5))))
        operands = []
        for _ in range(int(rng.integers(1, 3))):
            own = tuple(1 if rng.random() < 0.2 else n for n in shape)
            steps, step = [0] * len(own), 1
            for d in rng.permutation(len(own)):
                steps[d] = step * int(rng.choice([1, 1, 1, 2]))
                step = steps[d] * own[d]
            buffer = rng.normal(size=4000).astype(np.float32)
            operands.append(np.lib.stride_tricks.as_strided(buffer, own, [4 * s for s in steps]))
        both("add" if len(operands) == 2 else "exp", *operands)
