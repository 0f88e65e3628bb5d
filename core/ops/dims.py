"""Canonical forms of dimension and size arguments, with PyTorch's errors. Sizes may be symbolic ints."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any


def is_int(value: Any) -> bool:
    """An int or a symbolic int (bool excluded)."""
    return (isinstance(value, int) and not isinstance(value, bool)) or type(value).__name__ == "SymInt"


def as_int(value: Any, name: str = "value") -> Any:
    """`value` as an int (symbolic ints stay symbolic). Accepts NumPy integers and 0-d integer tensors."""
    if type(value) is int or type(value).__name__ == "SymInt":
        return value
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise TypeError(f"argument '{name}' must be int, not {type(value).__name__}")
    return operator.index(value)


def wrap_dim(dim: Any, ndim: int) -> int:
    """A dimension made non-negative. Raises IndexError if it is outside [-ndim, ndim); a 0-d tensor counts as 1-d."""
    if type(dim) is not int:
        dim = operator.index(dim)
    top = ndim or 1
    if not -top <= dim < top:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-top}, {top - 1}], but got {dim})")
    return dim + top if dim < 0 else dim


def wrap_dims(dims: Any, ndim: int) -> tuple[int, ...]:
    """Dimensions to combine over: None or () means all; sorted, non-negative, without repeats (RuntimeError)."""
    if dims is None:
        return tuple(range(ndim))
    if not isinstance(dims, (tuple, list)):
        return (wrap_dim(dims, ndim),) if ndim else (wrap_dim(dims, ndim), )[:0]
    if len(dims) == 0:
        return tuple(range(ndim))
    out = sorted(wrap_dim(d, ndim) for d in dims)
    for a, b in zip(out, out[1:]):
        if a == b:
            raise RuntimeError(f"dim {a} appears multiple times in the list of dims")
    return tuple(out) if ndim else ()


def sizes(value: Any, name: str = "size") -> tuple:
    """A shape argument as a tuple of ints: an int, a torch.Size, a tuple or list of ints (symbolic ones stay)."""
    if isinstance(value, (tuple, list)):
        return tuple([n if type(n) is int else as_int(n, name) for n in value])
    return (as_int(value, name),)


def unstar(values: tuple, named: Any = None, name: str = "size") -> tuple:
    """`f(2, 3)`, `f((2, 3))`, `f([2, 3])` and `f(size=(2, 3))` alike as the tuple (2, 3)."""
    if named is not None:
        return sizes(named, name)
    if len(values) == 1 and isinstance(values[0], (tuple, list)):
        return sizes(values[0], name)
    return sizes(values, name)


def reduced_shape(shape: Sequence, dims: tuple[int, ...], keepdim: bool) -> tuple:
    """The shape after combining over `dims`."""
    if keepdim:
        return tuple([1 if d in dims else n for d, n in enumerate(shape)])
    return tuple([n for d, n in enumerate(shape) if d not in dims])


def infer_size(shape: Sequence, numel: Any) -> tuple:
    """`shape` with its -1 (at most one) replaced so that it has `numel` elements. RuntimeError if it cannot."""
    from .broadcast import same

    unknown = None
    known: Any = 1
    for d, n in enumerate(shape):
        if isinstance(n, int) and n == -1:
            if unknown is not None:
                raise RuntimeError("only one dimension can be inferred")
            unknown = d
        elif isinstance(n, int) and n < 0:
            raise RuntimeError(f"invalid shape dimension {n}")
        else:
            known = known * n
    if unknown is None:
        if not same(known, numel) and known != numel:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        return tuple(shape)
    if known == 0:
        if numel == 0:
            raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                               f"dimension size -1 can be any value and is ambiguous")
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    if not (isinstance(known, int) and known == 1) and numel % known != 0:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    out = list(shape)
    out[unknown] = numel // known
    return tuple(out)


def normalise_slice(start: Any, stop: Any, step: Any, size: Any) -> tuple:
    """(start, length, step) of a slice of a dimension of `size`, by Python's rules with step > 0 (ValueError else)."""
    step = 1 if step is None else as_int(step, "step")
    if step <= 0:
        raise ValueError("step must be greater than zero")
    if start is None:
        start = 0
    else:
        start = as_int(start, "start")
        if not (isinstance(start, int) and start == 0):
            if start < 0:
                start = start + size
                if start < 0:
                    start = 0
            elif start > size:
                start = size
    if stop is None:
        stop = size
    else:
        stop = as_int(stop, "stop")
        if isinstance(stop, int) and stop == 9223372036854775807:
            stop = size
        elif stop < 0:
            stop = stop + size
            if stop < 0:
                stop = 0
        elif stop is not size and stop > size:
            stop = size
    if isinstance(start, int) and start == 0:
        span = stop
    elif start > stop:
        span = 0
    else:
        span = stop - start
    return start, span if isinstance(step, int) and step == 1 else (span + step - 1) // step, step
