"""torch._utils: the few helpers that scripts import from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

from . import toplevel as T
from .naming import module_getattr, present


def _flatten_dense_tensors(tensors: Any) -> Any:
    """All elements in one vector."""
    return T.cat([t.reshape(-1) for t in tensors])


def _unflatten_dense_tensors(flat: Any, tensors: Any) -> tuple[Any, ...]:
    """Pieces of `flat` with the shapes of `tensors`."""
    out, start = [], 0
    for t in tensors:
        out.append(flat[start:start + t.numel()].view_as(t))
        start += t.numel()
    return tuple(out)


def _accumulate(iterable: Iterable[Any], fn: Any = lambda x, y: x + y) -> Iterator[Any]:
    """Running totals."""
    return accumulate(iterable, fn)


__all__ = ["_accumulate", "_flatten_dense_tensors", "_unflatten_dense_tensors"]
present(globals())
__getattr__ = module_getattr(globals())
