"""Putting tensors together, repeating and rearranging elements by copying."""

from __future__ import annotations

from typing import Any

import numpy as np

from .broadcast import same
from .conversion import CONTIGUOUS
from .creation import sizes_of
from .declare import Spec, operator, spelled
from .dims import as_int, sizes, unstar, wrap_dim, wrap_dims
from .op import Composite, Extern, call
from .promotion import is_tensor_like, result_type
from .strides import canonical, channels_last_strides, is_channels_last, is_contiguous, like_strides


def _legacy_empty(m: Any) -> bool:
    return len(m.shape) == 1 and isinstance(m.shape[0], int) and m.shape[0] == 0


def _cat_rule(tensors: Any, dim: int) -> Spec:
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for i, t in enumerate(tensors):
        if not len(t.shape):
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    d = result_type(*tensors)
    real = [(i, t) for i, t in enumerate(tensors) if not _legacy_empty(t)]
    if not real:
        return Spec(d, (0,))
    first = real[0][1]
    total: Any = 0
    for i, t in real:
        if len(t.shape) != len(first.shape):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first.shape)} and {len(t.shape)}")
        for k, (m, n) in enumerate(zip(first.shape, t.shape)):
            if k != dim and not same(m, n) and m != n:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {dim}. Expected size {m} but got size "
                                   f"{n} for tensor number {i} in the list.")
        total = total + t.shape[dim]
    shape = (*first.shape[:dim], total, *first.shape[dim + 1:])
    if all(is_channels_last(t.shape, t.strides) and not is_contiguous(t.shape, t.strides) for _, t in real):
        return Spec(d, shape, channels_last_strides(shape))
    return Spec(d, shape)


def _cat_args(tensors: Any, dim: Any = 0) -> tuple:
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"cat(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}")
    for i, t in enumerate(tensors):
        if is_tensor_like(t) and not len(t.shape):
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    ndim = next((t.ndim for t in tensors if hasattr(t, "ndim") and not (t.ndim == 1 and t._meta.numel == 0)), 1)
    return (tuple(tensors), wrap_dim(dim, ndim))


def _cat(arrays: tuple, dim: int) -> np.ndarray:
    real = [a for a in arrays if a.shape != (0,)] or list(arrays[:1])
    d = np.result_type(*arrays) if len({a.dtype for a in arrays}) > 1 else arrays[0].dtype
    return np.concatenate(real, axis=dim if real[0].ndim > 1 else 0).astype(d, copy=False)


CAT = operator("cat", "tensors, dim=0", Extern(), _cat, _cat_rule, functions="cat concat concatenate", normalize=_cat_args,
               out=True)


def _stack_rule(tensors: Any, dim: int) -> Spec:
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0].shape
    for i, t in enumerate(tensors):
        if len(t.shape) != len(first) or any(not same(m, n) and m != n for m, n in zip(first, t.shape)):
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                               f"{list(t.shape)} at entry {i}")
    shape = (*first[:dim], len(tensors), *first[dim:])
    return Spec(result_type(*tensors), shape)


def _stack_args(tensors: Any, dim: Any = 0) -> tuple:
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"stack(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}")
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for i, t in enumerate(tensors):
        if not is_tensor_like(t):
            raise TypeError(f"stack(): expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    return (tuple(tensors), wrap_dim(dim, tensors[0].ndim + 1))


STACK = operator("stack", "tensors, dim=0", Composite(lambda tensors, dim: call(CAT, (tuple(
    [t.unsqueeze(dim) for t in tensors]), dim))), lambda arrays, dim: np.stack(arrays, axis=dim), _stack_rule,
    functions="stack",
    normalize=_stack_args, out=True)


@spelled("hstack", "", CAT, out=True)
def hstack(tensors: Any) -> Any:
    """Tensors side by side: along dimension 1 (0 for vectors)."""
    from .parts import atleast_1d

    many = atleast_1d(list(tensors))
    return call(CAT, (many, 0 if many[0].ndim == 1 else 1))


@spelled("vstack row_stack", "", CAT, out=True)
def vstack(tensors: Any) -> Any:
    """Tensors on top of each other."""
    from .parts import atleast_2d

    return call(CAT, (atleast_2d(list(tensors)), 0))


@spelled("dstack", "", CAT, out=True)
def dstack(tensors: Any) -> Any:
    """Tensors stacked along dimension 2."""
    from .parts import atleast_3d

    return call(CAT, (atleast_3d(list(tensors)), 2))


@spelled("column_stack", "", CAT, out=True)
def column_stack(tensors: Any) -> Any:
    """Vectors as columns, side by side."""
    return call(CAT, ([t.reshape(t.numel(), 1) if t.ndim <= 1 else t for t in tensors], 1))


@spelled("block_diag", "", CAT)
def block_diag(*tensors: Any) -> Any:
    """A matrix with the given matrices along the diagonal."""
    from .parts import atleast_2d

    many = atleast_2d(list(tensors))
    width = sum(t.shape[1] for t in many)
    rows, at = [], 0
    for t in many:
        rows.append(call(CAT, ((t.new_zeros(t.shape[0], at), t, t.new_zeros(t.shape[0], width - at - t.shape[1])), 1)))
        at += t.shape[1]
    return call(CAT, (rows, 0))


# -- repetition ------------------------------------------------------------------------------------------------------
def _repeat_rule(m: Any, repeats: tuple) -> Spec:
    pad = len(repeats) - len(m.shape)
    if pad < 0:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    for r in repeats:
        if r < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {r}")
    return Spec(m.dtype, sizes_of(tuple([n * r for n, r in zip((1,) * pad + tuple(m.shape), repeats)])))


def _repeat_composite(input: Any, repeats: tuple) -> Any:
    pad = len(repeats) - input.ndim
    shape = (1,) * pad + tuple(input.shape)
    spread = input.reshape([n for m in shape for n in (1, m)]).expand([n for m, r in zip(shape, repeats) for n in (r, m)])
    return spread.reshape([m * r for m, r in zip(shape, repeats)])


REPEAT = operator("repeat", "input, *repeats:ints", Composite(_repeat_composite), np.tile, _repeat_rule, methods="repeat",
                  normalize=lambda a, repeats: (a, sizes(repeats, "repeats")))


@spelled("tile", "tile", REPEAT)
def tile(input: Any, *dims: Any) -> Any:
    """repeat that fills missing leading dimensions with 1."""
    reps = unstar(dims, name="dims")
    return call(REPEAT, (input, (1,) * (input.ndim - len(reps)) + reps))


@spelled("repeat_interleave", "repeat_interleave", REPEAT)
def repeat_interleave(input: Any, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None) -> Any:
    """Each element repeated `repeats` times in place (one number, or a tensor of numbers along dim)."""
    if repeats is None:
        from .ranges import arange
        input, repeats, dim = arange(input.shape[0]), input, 0
    if dim is None:
        input, dim = input.reshape(-1), 0
    d = wrap_dim(dim, input.ndim)
    if hasattr(repeats, "dtype"):
        from .conversion import elements
        from .creation import tensor
        from .scatter import INDEX_SELECT

        counts = elements(repeats, "repeat_interleave() with a tensor of repeats").reshape(-1)
        if counts.size not in (1, input.shape[d]):
            raise RuntimeError(f"repeats must have the same size as input along dim, but got repeats.size(0) = "
                               f"{counts.size} and "
                               f"input.size({d}) = {input.shape[d]}")
        if counts.size and counts.min() < 0:
            raise RuntimeError("repeats can not be negative")
        index = np.repeat(np.arange(input.shape[d]), counts if counts.size > 1 else int(counts[0]))
        if output_size is not None and output_size != index.size:
            raise RuntimeError("allocated size does not match required size")
        return call(INDEX_SELECT, (input, d, tensor(index)))
    repeats = as_int(repeats, "repeats")
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    spread = input.unsqueeze(d + 1).expand((*input.shape[:d + 1], repeats, *input.shape[d + 1:]))
    out = spread.reshape((*input.shape[:d], input.shape[d] * repeats, *input.shape[d + 1:]))
    if repeats == 1:
        return call(CONTIGUOUS, (out,))                      # a copy, though nothing is repeated
    return out if canonical(out.shape, out._meta.strides) else call(CONTIGUOUS, (out,))


# -- rearrangement ---------------------------------------------------------------------------------------------------
FLIP = operator("flip", "input, *dims:ints", Extern(), np.flip, lambda m, dims: Spec(m.dtype, m.shape, like_strides(m)),
                functions="flip", methods="flip",
                normalize=lambda a, dims: (a, wrap_dims(dims, a.ndim) if not isinstance(dims, (tuple, list)) or dims else ()))


@spelled("fliplr", "fliplr", FLIP)
def fliplr(input: Any) -> Any:
    """flip along dimension 1."""
    if input.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return call(FLIP, (input, (1,)))


@spelled("flipud", "flipud", FLIP)
def flipud(input: Any) -> Any:
    """flip along dimension 0."""
    if input.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return call(FLIP, (input, (0,)))


def _roll_args(input: Any, shifts: Any, dims: Any = None) -> tuple:
    shifts = shifts if isinstance(shifts, (tuple, list)) else (shifts,)
    if dims is None or (isinstance(dims, (tuple, list)) and not dims):
        return (input, tuple(shifts), None)
    dims = dims if isinstance(dims, (tuple, list)) else (dims,)
    if len(dims) != len(shifts):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not input.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    return (input, tuple(shifts), tuple(wrap_dim(d, input.ndim) for d in dims))


def _roll_composite(input: Any, shifts: tuple, dims: Any) -> Any:
    if dims is None:
        return _roll_composite(input.reshape(-1), shifts, (0,)).reshape(tuple(input.shape))
    for s, d in zip(shifts, dims):
        n = input.shape[d]
        if n == 0:
            continue
        k = n - s % n
        input = call(CAT, ((input.narrow(d, k, n - k), input.narrow(d, 0, k)), d))
    return input if dims is not None and is_channels_last(input.shape, input._meta.strides) else input.contiguous()


def _roll_rule(m: Any, shifts: tuple, dims: Any) -> Spec:
    last = dims is not None and is_channels_last(m.shape, m.strides) and not is_contiguous(m.shape, m.strides)
    return Spec(m.dtype, m.shape, channels_last_strides(m.shape) if last else None)


def _roll(a: np.ndarray, shifts: tuple, dims: Any) -> np.ndarray:
    if dims is None:
        return np.roll(a, shifts[0] % max(a.size, 1))
    return np.roll(a, tuple([s % max(a.shape[d], 1) for s, d in zip(shifts, dims)]), dims)


ROLL = operator("roll", "input, shifts:ints, dims:ints=None", Composite(_roll_composite),
                _roll, _roll_rule, functions="roll", methods="roll", normalize=_roll_args)


@spelled("rot90", "rot90", FLIP)
def rot90(input: Any, k: int = 1, dims: Any = (0, 1)) -> Any:
    """The plane of two dimensions turned by k quarter turns."""
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    a, b = (wrap_dim(d, input.ndim) for d in dims)
    if a == b:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    k %= 4
    if k == 0:
        return input.clone()
    if k == 2:
        return input.flip((a, b))
    return input.flip((b if k == 1 else a,)).transpose(a, b)


@spelled("meshgrid", "", None)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple:
    """Coordinate grids of vectors; indexing "ij" (rows first) or "xy"."""
    many = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    swap = indexing == "xy" and len(many) >= 2
    ordered = [many[1], many[0], *many[2:]] if swap else list(many)
    shape = tuple(t.numel() for t in ordered)
    grids = [t.reshape([-1 if d == i else 1 for d in range(len(shape))]).expand(shape) for i, t in enumerate(ordered)]
    return tuple([grids[1], grids[0], *grids[2:]] if swap else grids)


@spelled("cartesian_prod", "", None)
def cartesian_prod(*tensors: Any) -> Any:
    """All combinations of elements of vectors, one per row."""
    if len(tensors) == 1:
        return tensors[0]
    return call(STACK, (tuple(g.reshape(-1) for g in meshgrid(*tensors)), 1))


def _diag_rule(m: Any, offset: int) -> Spec:
    if len(m.shape) != 1:
        raise RuntimeError("diag(): Supports 1D or 2D tensors. Got " + f"{len(m.shape)}D")
    n = m.shape[0] + abs(offset)
    return Spec(m.dtype, (n, n))


DIAG_MATRIX = operator("diag_matrix", "input, offset:int=0", Extern(), np.diag, _diag_rule)


@spelled("diag", "diag", DIAG_MATRIX, out=True)
def diag(input: Any, diagonal: int = 0) -> Any:
    """A square matrix with the vector on a diagonal, or a copy of a matrix's diagonal."""
    if input.ndim == 2:
        return input.diagonal(diagonal).clone()
    return call(DIAG_MATRIX, (input, diagonal))


def _embed_rule(m: Any, offset: int, a: int, b: int) -> Spec:
    n = m.shape[-1] + abs(offset)
    rest = list(m.shape[:-1])
    for d in sorted((a, b)):
        rest.insert(d, n)
    return Spec(m.dtype, rest)


def _embed(x: np.ndarray, offset: int, a: int, b: int) -> np.ndarray:
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], n, n), x.dtype)
    i = np.arange(x.shape[-1])
    out[..., i + max(-offset, 0), i + max(offset, 0)] = x
    return np.moveaxis(out, (-2, -1), (a, b))


operator("diag_embed", "input, offset:int=0, dim1:dim=-2, dim2:dim=-1", Extern(), _embed, _embed_rule, functions="diag_embed",
         methods="diag_embed",
         normalize=lambda x, offset=0, a=-2, b=-1: (x, offset, wrap_dim(a, x.ndim + 1), wrap_dim(b, x.ndim + 1)))


@spelled("trace", "trace", None)
def trace(input: Any) -> Any:
    """The sum of the diagonal of a matrix."""
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    return input.diagonal().sum()


@spelled("diff", "diff", None, out=True)
def diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours along dim, n times."""
    if not input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    d = wrap_dim(dim, input.ndim)
    parts = [p for p in (prepend, input, append) if p is not None]
    out = call(CAT, (parts, d)) if len(parts) > 1 else input if n else input.clone()
    for _ in range(n):
        length = out.shape[d]
        if length == 0:
            break
        high, low = out.narrow(d, 1, length - 1), out.narrow(d, 0, length - 1)
        out = high ^ low if out.dtype.category == 0 else high - low
    return out
