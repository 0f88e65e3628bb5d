"""Ranges, identity matrices and triangles: tensors made from a few numbers by a rule."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from ..tensor.dtypes import dtype as DType
from ..tensor.state import STATE
from ..tensor.tensor import Tensor
from .creation import TENSOR, device_of, made_by, only_strided, result_of, sizes_of, tensor
from .declare import Spec, operator, spelled
from .dims import as_int
from .op import Composite, Op, call
from .promotion import number_category


# -- ranges ----------------------------------------------------------------------------------------------------------
def _arange_length(start: Any, end: Any, step: Any) -> Any:
    if all(number_category(v) == 1 for v in (start, end, step)):
        span, s = (end - start, step) if step > 0 else (start - end, -step)
        n = (span + s - 1) // s
    else:
        n = math.ceil((end - start) / step)
    return n


def _arange_rule(start: Any, end: Any, step: Any, dtype: DType, device: Any) -> Spec:
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if any(isinstance(v, float) and not math.isfinite(v) for v in (start, end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (step > 0 and start > end) or (step < 0 and start < end):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    return Spec(dtype, (_arange_length(start, end, step),), device=device)


def _arange(start: Any, end: Any, step: Any, dtype: DType, device: Any) -> np.ndarray:
    n = int(_arange_length(start, end, step))
    kind: Any = np.float64 if dtype.category == 2 else np.int64
    return (kind(start) + np.arange(n, dtype=kind) * kind(step)).astype(dtype.numpy)


ARANGE = made_by("arange", "start, end, step, dtype, device", _arange, _arange_rule)


@spelled("arange", "", ARANGE)
def arange(*bounds: Any, start: Any = None, end: Any = None, step: Any = None, out: Any = None, dtype: Any = None,
           layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Any:
    """Numbers from start (0) up to end, end excluded, in steps of step (1)."""
    only_strided(layout)
    values = [v.item() if isinstance(v, Tensor) else v for v in bounds]
    if len(values) == 1 and end is None:
        end = values[0]
    elif values:
        start = values[0] if start is None else start
        end = values[1] if len(values) > 1 else end
        step = values[2] if len(values) > 2 else step
    if end is None:
        raise TypeError("arange() missing 1 required argument: 'end'")
    start = 0 if start is None else start.item() if isinstance(start, Tensor) else start
    end = end.item() if isinstance(end, Tensor) else end
    step = 1 if step is None else step.item() if isinstance(step, Tensor) else step
    if dtype is None:
        floating = any(number_category(v) == 2 for v in (start, end, step))
        dtype = STATE.mode.default_dtype if floating else dt.int64
    elif dtype.category < 2:
        start, end, step = (int(v) if number_category(v) == 2 else v for v in (start, end, step))
    return result_of(out, call(ARANGE, (start, end, step, dtype, device_of(device))), requires_grad)


def _linspace(start: Any, end: Any, steps: int, dtype: DType, device: Any) -> np.ndarray:
    kind = np.float64 if dtype.category != 2 else dtype.numpy.type if dtype is not dt.float16 else np.float32
    if steps == 1:
        return np.array([start]).astype(dtype.numpy)
    step = kind((kind(end) - kind(start)) / kind(max(steps - 1, 1)))
    i = np.arange(steps)
    wide = float(step)                          # the product is not rounded before the sum (a fused multiply-add)
    up = (float(kind(start)) + wide * i).astype(kind)
    down = (float(kind(end)) - wide * (steps - 1 - i)).astype(kind)
    return np.where(i < steps // 2, up, down).astype(dtype.numpy)


def _steps(start: Any, end: Any, steps: Any, dtype: DType, device: Any) -> Spec:
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return Spec(dtype, (steps,), device=device)


LINSPACE = made_by("linspace", "start, end, steps:int, dtype, device", _linspace, _steps)


@spelled("linspace", "", LINSPACE)
def linspace(start: Any, end: Any, steps: Any, *, out: Any = None, dtype: Any = None, layout: Any = None,
             device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Any:
    """`steps` numbers evenly spaced from start to end, both included."""
    only_strided(layout)
    start = start.item() if isinstance(start, Tensor) else start
    end = end.item() if isinstance(end, Tensor) else end
    made = call(LINSPACE, (start, end, as_int(steps, "steps"), dtype or STATE.mode.default_dtype, device_of(device)))
    return result_of(out, made, requires_grad)


@spelled("range", "", ARANGE)
def range_(start: Any = 0, end: Any = None, step: Any = 1, *, out: Any = None, dtype: Any = None, layout: Any = None,
           device: Any = None, requires_grad: bool = False) -> Any:
    """Numbers from start to end, end included (arange is preferred)."""
    only_strided(layout)
    import warnings

    warnings.warn("torch.range is deprecated because its behavior is inconsistent with Python's range builtin: use "
                  "torch.arange, "
                  "which excludes the end", UserWarning, stacklevel=2)
    kind = dtype or STATE.mode.default_dtype
    count = int(math.floor((end - start) / step)) + 1
    return result_of(out, arange(count, dtype=kind, device=device) * step + start, requires_grad)


@spelled("logspace", "", LINSPACE)
def logspace(start: Any, end: Any, steps: Any, base: float = 10.0, *, out: Any = None, dtype: Any = None,
             layout: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """base ** linspace(start, end, steps)."""
    only_strided(layout)
    return result_of(out, base ** linspace(start, end, steps, dtype=dtype, device=device), requires_grad)


# -- matrices --------------------------------------------------------------------------------------------------------
EYE = made_by("eye", "n:int, m:int, dtype, device", lambda n, m, dtype, device: np.eye(n, m, dtype=dtype.numpy),
            lambda n, m, dtype, device: Spec(dtype, sizes_of((n, m)), device=device))


@spelled("eye", "", EYE)
def eye(n: Any, m: Any = None, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
        requires_grad: bool = False, pin_memory: bool = False) -> Any:
    """A matrix with ones on the diagonal."""
    only_strided(layout)
    made = call(EYE, (as_int(n, "n"), as_int(n if m is None else m, "m"), dtype or STATE.mode.default_dtype,
                      device_of(device)))
    return result_of(out, made, requires_grad)


FAR = 2**62                     # beyond every matrix; NumPy adds sizes to it


def _triangle(name: str, keep_lower: bool) -> Op:
    def composite(input: Any, diagonal: Any) -> Any:
        where = input.device
        rows = arange(input.shape[-2], device=where).unsqueeze(-1)
        cols = arange(input.shape[-1], device=where)
        mask = cols - rows <= diagonal if keep_lower else cols - rows >= diagonal
        return input.where(mask, 0)

    def rule(m: Any, diagonal: Any) -> Spec:
        if len(m.shape) < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return Spec(m.dtype, m.shape)

    def eager(a: np.ndarray, diagonal: int) -> np.ndarray:
        return (np.tril if keep_lower else np.triu)(a, min(max(diagonal, -FAR), FAR))

    return operator(name, "input, diagonal:int=0", Composite(composite), eager, rule, functions=name, methods=name, out=True)


TRIL = _triangle("tril", True)
TRIU = _triangle("triu", False)


def _triangle_indices(name: str, f: Any) -> None:
    def make(row: int, col: int, offset: int = 0, *, dtype: Any = dt.int64, device: Any = None, layout: Any = None) -> Any:
        only_strided(layout)
        return tensor(np.stack(f(row, offset, col)), dtype=dtype, device=device)

    make.__name__ = name
    make.__doc__ = f"Row and column indices of {name[:4]}(ones(row, col), offset), as a 2 x N tensor."
    spelled(name, "", TENSOR)(make)


_triangle_indices("tril_indices", np.tril_indices)
_triangle_indices("triu_indices", np.triu_indices)
