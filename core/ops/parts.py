"""Tensors in several parts (split, chunk, unbind) and with added dimensions, all of them views."""

from __future__ import annotations

from typing import Any

from .broadcast import same
from .declare import spelled
from .dims import as_int, is_int, wrap_dim
from .op import call
from .slices import GETITEM, NARROW, SELECT, slice_args
from .views import VIEW


@spelled("unbind", "unbind", SELECT)
def unbind(input: Any, dim: int = 0) -> tuple:
    """All slices along `dim`."""
    if not input.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    d = wrap_dim(dim, input.ndim)
    return tuple([call(SELECT, (input, d, i)) for i in range(input.shape[d])])


def _needs_dimension(name: str, x: Any, count: int = 1) -> None:
    if x.ndim < count:
        raise RuntimeError(f"{name} expects at least a {count}-dimensional tensor")


@spelled("split_with_sizes", "split_with_sizes", NARROW)
def split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> tuple:
    """Parts of the stated lengths along `dim`; they must add up."""
    _needs_dimension("split", input)
    d = wrap_dim(dim, input.ndim)
    total: Any = 0
    for n in split_sizes:
        total = total + n
    if not same(total, input.shape[d]) and total != input.shape[d]:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {input.shape[d]} (input tensor's size at "
                           f"dimension {dim}), but got split_sizes={list(split_sizes)}")
    at: Any = 0
    parts = []
    for n in split_sizes:
        parts.append(call(NARROW, (input, d, at, n)))
        at = at + n
    return tuple(parts)


@spelled("split", "split", NARROW)
def split(tensor: Any, split_size_or_sections: Any = None, dim: int = 0, *, split_size: Any = None) -> tuple:
    """Parts of `split_size_or_sections` elements along `dim` (the last may be smaller), or of the lengths in the list. The
    method calls that argument split_size."""
    if split_size_or_sections is None:
        if split_size is None:
            raise TypeError("split() missing 1 required positional argument: 'split_size'")
        split_size_or_sections = split_size
    _needs_dimension("split", tensor)
    if isinstance(split_size_or_sections, (tuple, list)):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    d = wrap_dim(dim, tensor.ndim)
    n, step = tensor.shape[d], as_int(split_size_or_sections, "split_size")
    if step < 0 or (step == 0 and n != 0):
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={step}")
    pieces = max(int((n + step - 1) // step), 1) if step else 1
    return split_with_sizes(tensor, [step] * (pieces - 1) + [n - step * (pieces - 1)], d)


@spelled("chunk", "chunk", NARROW)
def chunk(input: Any, chunks: int, dim: int = 0) -> tuple:
    """At most `chunks` parts of equal size along `dim` (the last may be smaller)."""
    _needs_dimension("chunk", input)
    if chunks <= 0:
        raise RuntimeError("chunk expects `chunks` to be greater than 0, got: " + str(chunks))
    d = wrap_dim(dim, input.ndim)
    n = input.shape[d]
    step = (n + chunks - 1) // chunks
    if n == 0:
        return split_with_sizes(input, [0] * chunks, d)
    return split(input, step, d)


@spelled("tensor_split", "tensor_split", NARROW)
def tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> tuple:
    """Parts cut at the stated indices, or that many parts whose sizes differ by at most one."""
    _needs_dimension("tensor_split", input)
    d = wrap_dim(dim, input.ndim)
    n = input.shape[d]
    if is_int(indices_or_sections):
        k = indices_or_sections
        lengths = [n // k + (1 if i < n % k else 0) for i in range(k)]
        return split_with_sizes(input, lengths, d)
    cuts = [0, *indices_or_sections, n]
    return tuple([call(GETITEM, slice_args(input, d, a, b)) for a, b in zip(cuts, cuts[1:])])


def _splitter(name: str, dim: int) -> None:
    @spelled(name, name, NARROW)
    def split_at(input: Any, indices_or_sections: Any) -> tuple:
        least = {"hsplit": 1, "vsplit": 2, "dsplit": 3}[name]
        if input.ndim < least:
            raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
                               f"{input.ndim} dimensions!")
        d = dim if input.ndim > 1 or dim != 1 else 0
        if is_int(indices_or_sections) and input.shape[d] % indices_or_sections != 0:
            raise RuntimeError(f"torch.{name} attempted to split along dimension {d}, but the size of the dimension "
                               f"{input.shape[d]} is not divisible by the split_size {indices_or_sections}!")
        return tensor_split(input, indices_or_sections, d)

    split_at.__name__ = name
    split_at.__doc__ = f"tensor_split along dimension {dim}."


_splitter("hsplit", 1)
_splitter("vsplit", 0)
_splitter("dsplit", 2)


# -- at least n dimensions -------------------------------------------------------------------------------------------
def _at_least(ndim: int, grow: Any) -> Any:
    def convert(*tensors: Any) -> Any:
        many = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
        out = tuple(x if x.ndim >= ndim else call(VIEW, (x, grow(tuple(x.shape)))) for x in many)
        return out[0] if len(tensors) == 1 and not isinstance(tensors[0], (tuple, list)) else out

    convert.__name__ = f"atleast_{ndim}d"
    convert.__doc__ = f"The tensor(s) with at least {ndim} dimension(s)."
    return spelled(convert.__name__, "", VIEW)(convert)


atleast_1d = _at_least(1, lambda s: (1,))
atleast_2d = _at_least(2, lambda s: (1,) * (2 - len(s)) + s)
atleast_3d = _at_least(3, lambda s: {0: (1, 1, 1), 1: (1, *s, 1), 2: (*s, 1)}[len(s)])
