"""Layouts: what strides a result has, and whether a reshape can be a view.

The rule for element-wise results is that of PyTorch's TensorIterator: inputs that agree keep their layout; otherwise
dimensions are ordered by the operands' strides, the first operand that can tell two dimensions apart deciding, and the
result is dense in that order. Sizes and strides may be symbolic: then a comparison that is not known becomes a guard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..tensor.meta import contiguous_strides, counted
from .broadcast import broadcast_strides, same


def is_contiguous(shape: Sequence, strides: Sequence) -> bool:
    """Row-major, strides of dimensions of size 1 ignored; anything empty counts as contiguous. A symbolic size is asked
    whether it is 0 or 1 only where the answer depends on it."""
    step: Any = 1
    for n, s in zip(reversed(shape), reversed(strides)):
        if isinstance(n, int) and n == 0:
            return True
        if not (isinstance(n, int) and n == 1) and not same(s, step):
            if is_size(n, 1):
                continue
            if s != step:
                return any(is_size(m, 0) for m in shape)
        step = step * counted(n)
    return True


def is_size(n: Any, value: int) -> bool:
    """Whether a size is `value`; of a symbolic one a guard where that is not known."""
    return bool(n == value)


def surely_contiguous(shape: Sequence, strides: Sequence) -> bool:
    """is_contiguous decided without recording a guard; False when that is not known."""
    step: Any = 1
    for n, s in zip(reversed(shape), reversed(strides)):
        if isinstance(n, int) and n <= 1:
            if n == 0:
                return True
            continue
        if not same(s, step):
            return False
        step = step * counted(n)
    return True


def canonical(shape: Sequence, strides: Sequence) -> bool:
    """Whether the strides are exactly those of a new tensor, also in dimensions of size 1; decided without a guard."""
    return all(map(same, strides, contiguous_strides(shape)))


def is_channels_last(shape: Sequence, strides: Sequence) -> bool:
    """Dense in the order N, H, W, C (4-d) or N, D, H, W, C (5-d)."""
    if len(shape) not in (4, 5):
        return False
    step: Any = 1
    for d in (1, *range(len(shape) - 1, 1, -1), 0):
        n = shape[d]
        if not (isinstance(n, int) and n == 1) and not same(strides[d], step):
            if is_size(n, 1):
                continue
            if strides[d] != step:
                return False
        step = step * n
    return True


def channels_last_strides(shape: Sequence) -> tuple:
    """Strides of a dense N, (D,) H, W, C layout for a shape given as N, C, (D,) H, W."""
    out: list[Any] = [0] * len(shape)
    step: Any = 1
    for d in (1, *range(len(shape) - 1, 1, -1), 0):
        out[d] = step
        step = step * counted(shape[d])
    return tuple(out)


def is_dense(shape: Sequence, strides: Sequence) -> bool:
    """Non-overlapping and dense: some order of the dimensions is row-major without gaps."""
    if is_contiguous(shape, strides):
        return True
    dims = [d for d, n in enumerate(shape) if not is_size(n, 1)]
    ordered: list[int] = []
    for d in dims:                                   # insertion sort: needs only `<`, which may record guards
        k = len(ordered)
        while k and strides[d] < strides[ordered[k - 1]]:
            k -= 1
        ordered.insert(k, d)
    step: Any = 1
    for d in ordered:
        if not same(strides[d], step) and strides[d] != step:
            return False
        step = step * shape[d]
    return True


def _order(shape: Sequence, operands: Sequence[Sequence]) -> list[int]:
    """Dimensions from fastest to slowest in the result, by the operands' (broadcast) strides."""
    order = list(range(len(shape) - 1, -1, -1))

    def compare(a: int, b: int) -> int:
        for strides in operands:
            x, y = strides[a], strides[b]
            if (isinstance(x, int) and x == 0) or (isinstance(y, int) and y == 0):
                continue
            if same(x, y):
                if not same(shape[a], shape[b]) and shape[a] > shape[b]:
                    return 1
                continue
            if x < y:
                return -1
            if x > y:
                return 1
            if shape[a] > shape[b]:
                return 1
        return 0

    for i in range(1, len(order)):
        at = i
        for j in range(i - 1, -1, -1):
            c = compare(order[j], order[at])
            if c > 0:
                order[j], order[at] = order[at], order[j]
                at = j
            elif c < 0:
                break
    return order


def dense_in_order(shape: Sequence, order: Sequence[int]) -> tuple:
    """Dense strides with dimension order[0] fastest."""
    out: list[Any] = [0] * len(shape)
    step: Any = 1
    for d in order:
        out[d] = step
        step = step * shape[d]
    return tuple(out)


def elementwise_strides(shape: Sequence, operands: Sequence[Any]) -> tuple:
    """Strides of an element-wise result of `shape` from operands' metadata (anything with .shape and .strides)."""
    if all(canonical(m.shape, m.strides) for m in operands):
        return contiguous_strides(shape)
    if any(is_size(n, 0) for n in shape):
        return contiguous_strides(shape)
    if all(len(m.shape) == len(shape) and all(map(same, m.shape, shape)) for m in operands):
        if all(is_contiguous(m.shape, m.strides) for m in operands):
            return contiguous_strides(shape)
        if all(is_channels_last(m.shape, m.strides) for m in operands):
            return channels_last_strides(shape)
        first = operands[0].strides
        if all(all(map(same, m.strides, first)) for m in operands) and is_dense(shape, first):
            return tuple(first)
    order = _order(shape, [broadcast_strides(m.shape, m.strides, shape) for m in operands if len(m.shape)])
    if order == list(range(len(shape) - 1, -1, -1)):
        return contiguous_strides(shape)
    return dense_in_order(shape, order)


def strides_in_order(shape: Sequence, operands: Sequence[Any]) -> tuple:
    """Dense strides in the order the operands' strides give, without the short cuts of elementwise_strides."""
    if any(is_size(n, 0) for n in shape):
        return contiguous_strides(shape)
    order = _order(shape, [broadcast_strides(m.shape, m.strides, shape) for m in operands if len(m.shape)])
    if order == list(range(len(shape) - 1, -1, -1)):
        return contiguous_strides(shape)
    return dense_in_order(shape, order)


def like_strides(meta: Any) -> tuple:
    """Strides of a new tensor like `meta` (memory_format=torch.preserve_format): its own if dense, else its order."""
    if surely_contiguous(meta.shape, meta.strides):
        return tuple(meta.strides)
    if is_dense(meta.shape, meta.strides):
        return tuple(meta.strides)
    return dense_in_order(meta.shape, _order(meta.shape, [meta.strides]))


def view_strides(shape: Sequence, strides: Sequence, new: Sequence) -> tuple | None:
    """Strides that make `new` a view of a tensor (shape, strides) with as many elements, or None if it must be copied.

    Groups neighbouring dimensions that are contiguous to each other; each group must be covered by whole new
    dimensions (the documented condition of Tensor.view).
    """
    if canonical(shape, strides):
        return contiguous_strides(new)
    if any(is_size(n, 0) for n in shape):
        return tuple(strides) if _equal_shapes(shape, new) else contiguous_strides(new)
    out: list[Any] = [0] * len(new)
    at = len(new) - 1
    base = strides[-1] if len(strides) else 1
    group: Any = 1
    filled: Any = 1
    for d in range(len(shape) - 1, -1, -1):
        group = group * shape[d]
        if d > 0 and (same(strides[d - 1], group * base) or is_size(shape[d - 1], 1) or strides[d - 1] == group * base):
            continue
        while at >= 0 and ((isinstance(new[at], int) and new[at] == 1)
                           or (not same(filled, group) and filled < group)):
            out[at] = filled * base
            filled = filled * new[at]
            at -= 1
        if not same(filled, group) and filled != group:
            return None
        if d > 0:
            base = strides[d - 1]
            group = filled = 1
    return tuple(out) if at == -1 else None


def _equal_shapes(a: Sequence, b: Sequence) -> bool:
    return len(a) == len(b) and all(same(m, n) or m == n for m, n in zip(a, b))
