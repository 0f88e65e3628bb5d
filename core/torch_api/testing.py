"""torch.testing: assert_close, with PyTorch's default tolerances per dtype."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..tensor import dtypes as dt
from ..tensor.tensor import Tensor
from .naming import module_getattr, present
from .toplevel import as_tensor

_TOLERANCES = {dt.float16: (1e-3, 1e-5), dt.float32: (1.3e-6, 1e-5), dt.float64: (1e-7, 1e-7)}


def assert_close(actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None,
                 atol: float | None = None, equal_nan: bool = False, check_device: bool = True,
                 check_dtype: bool = True, check_layout: bool = True, check_stride: bool = False,
                 msg: str | Callable[[str], str] | None = None) -> None:
    """Raises AssertionError unless |actual - expected| <= atol + rtol * |expected| everywhere, and sizes, dtypes and
    devices agree. Sequences and mappings are compared item by item."""
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")
    options: dict[str, Any] = {"rtol": rtol, "atol": atol, "equal_nan": equal_nan, "check_device": check_device,
               "check_dtype": check_dtype, "check_stride": check_stride, "msg": msg}
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            _fail(f"The keys of the mappings do not match: {sorted(set(actual) ^ set(expected), key=str)}", msg)
        for key in actual:
            assert_close(actual[key], expected[key], **options)
        return
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            _fail(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", msg)
        for a, e in zip(actual, expected):
            assert_close(a, e, **options)
        return
    _compare(as_tensor(actual), as_tensor(expected), options)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _compare(actual: Tensor, expected: Tensor, options: dict[str, Any]) -> None:
    msg = options["msg"]
    if tuple(actual.shape) != tuple(expected.shape):
        _fail(f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}.", msg)
    if options["check_device"] and actual.device is not expected.device:
        _fail(f"The values for attribute 'device' do not match: {actual.device} != {expected.device}.", msg)
    if options["check_dtype"] and actual.dtype is not expected.dtype:
        _fail(f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}.", msg)
    if options["check_stride"] and actual.stride() != expected.stride():
        _fail(f"The values for attribute 'stride()' do not match: {actual.stride()} != {expected.stride()}.", msg)
    usual = [_TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in (actual, expected)]
    rtol = max(u[0] for u in usual) if options["rtol"] is None else options["rtol"]
    atol = max(u[1] for u in usual) if options["atol"] is None else options["atol"]
    a, e = (np.asarray(t.detach().numpy(), np.float64 if t.dtype.is_floating_point else None) for t in (actual, expected))
    same = np.isclose(a, e, rtol, atol, options["equal_nan"])
    if same.all():
        return
    difference = np.abs(np.asarray(a, np.float64) - np.asarray(e, np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = difference / np.abs(np.asarray(e, np.float64))
    if a.ndim == 0:
        _fail(f"Scalars are not {'close' if rtol or atol else 'equal'}!\n\n"
              f"Expected {expected.item()} but got {actual.item()}.\n"
              f"Absolute difference: {difference} (up to {atol} allowed)\n"
              f"Relative difference: {relative} (up to {rtol} allowed)", msg)
    wrong = int((~same).sum())
    worst = tuple(int(i) for i in np.unravel_index(np.nanargmax(np.where(same, -1, difference)), a.shape))
    most = tuple(int(i) for i in np.unravel_index(np.nanargmax(np.where(same, -1, relative)), a.shape))
    _fail(f"Tensor-likes are not {'close' if rtol or atol else 'equal'}!\n\n"
          f"Mismatched elements: {wrong} / {a.size} ({100 * wrong / a.size:.1f}%)\n"
          f"Greatest absolute difference: {difference[worst]} at index {worst} (up to {atol} allowed)\n"
          f"Greatest relative difference: {relative[most]} at index {most} (up to {rtol} allowed)", msg)


def _fail(text: str, msg: Any) -> None:
    raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg)


present(globals())
__getattr__ = module_getattr(globals())
