"""Operators whose result shares memory with the input, and functions composed of them (flatten, movedim, ...).

A shape rule returns sizes, strides and the offset (in elements from the beginning of the input); the eager forms use
NumPy's own views, so that the two can be checked against each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor.meta import Size
from .broadcast import same
from .declare import Spec, spelled, view
from .dims import as_int, infer_size, sizes, unstar, wrap_dim
from .op import call
from .strides import view_strides


def view_spec(m: Any, shape: Any, strides: Any, offset: Any = 0) -> Spec:
    return Spec(m.dtype, shape, strides, offset=offset)


# -- other sizes over the same elements ------------------------------------------------------------------------------
def _view_rule(m: Any, size: tuple) -> Spec:
    new = infer_size(size, m.numel)
    strides = view_strides(m.shape, m.strides, new)
    if strides is None:
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension spans "
                           "across two contiguous subspaces). Use .reshape(...) instead.")
    return view_spec(m, new, strides)


_sized = lambda input, size: (input, sizes(size))
VIEW = view("view", "input, size", lambda a, size: a.reshape(size), _view_rule, normalize=_sized)
RESHAPE = view("reshape", "input, shape", lambda a, shape: a.reshape(shape), _view_rule,
               normalize=lambda input, shape: (input, sizes(shape, "shape")))


@spelled("", "view", VIEW)
def view_(self: Any, *shape: Any, size: Any = None, dtype: Any = None) -> Any:
    """The same elements seen with other sizes (one may be -1), or, given a dtype, the same bytes as that dtype."""
    from ..tensor.dtypes import dtype as DType

    if dtype is not None or (len(shape) == 1 and isinstance(shape[0], DType)):
        from .conversion import VIEW_DTYPE

        return call(VIEW_DTYPE, (self, dtype if dtype is not None else shape[0]))
    return call(VIEW, (self, unstar(shape, size)))


def _reshape(input: Any, shape: tuple) -> Any:
    from .conversion import CONTIGUOUS

    meta = input._meta
    new = infer_size(shape, meta.numel)
    if view_strides(meta.shape, meta.strides, new) is None:
        input = call(CONTIGUOUS, (input,))
    return call(RESHAPE, (input, new))


@spelled("reshape", "", RESHAPE)
def reshape(input: Any, shape: Any) -> Any:
    """The elements with other sizes: a view where the layout allows, else a copy."""
    return _reshape(input, sizes(shape, "shape"))


@spelled("", "reshape", RESHAPE)
def reshape_method(self: Any, *size: Any, shape: Any = None) -> Any:
    """The elements with other sizes: a view where the layout allows, else a copy."""
    return _reshape(self, unstar(size, shape))


@spelled("", "view_as", VIEW)
def view_as(self: Any, other: Any) -> Any:
    """view with the sizes of `other`."""
    return call(VIEW, (self, tuple(other.shape)))


@spelled("", "reshape_as", RESHAPE)
def reshape_as(self: Any, other: Any) -> Any:
    """reshape to the sizes of `other`."""
    return _reshape(self, tuple(other.shape))


@spelled("flatten", "flatten", RESHAPE)
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Dimensions start_dim..end_dim made one."""
    start, end = wrap_dim(start_dim, input.ndim), wrap_dim(end_dim, input.ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not input.ndim:
        return _reshape(input, (1,))
    if start == end:
        return input
    merged: Any = 1
    for n in input.shape[start:end + 1]:
        merged = merged * n
    return _reshape(input, (*input.shape[:start], merged, *input.shape[end + 1:]))


@spelled("ravel", "ravel", RESHAPE)
def ravel(input: Any) -> Any:
    """All elements in one dimension."""
    return _reshape(input, (-1,)) if input.numel() else _reshape(input, (0,))


@spelled("unflatten", "unflatten", VIEW)
def unflatten(input: Any, dim: int, sizes: Any) -> Any:
    """Dimension `dim` split into `sizes` (one may be -1)."""
    d = wrap_dim(dim, input.ndim)
    pieces = infer_size(tuple(as_int(n) for n in sizes), input.shape[d])
    return call(VIEW, (input, (*input.shape[:d], *pieces, *input.shape[d + 1:])))


# -- order of dimensions ---------------------------------------------------------------------------------------------
def _permute_args(input: Any, dims: Any) -> tuple:
    ndim = input.ndim
    if len(dims) != ndim:
        raise RuntimeError(f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
                           f"desired ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = "
                           f"{len(dims)}")
    order = tuple([wrap_dim(d, ndim) for d in dims])
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return (input, order)


PERMUTE = view("permute", "input, *dims:ints", lambda a, dims: a.transpose(dims),
               lambda m, dims: view_spec(m, [m.shape[d] for d in dims], [m.strides[d] for d in dims]),
               functions="permute", methods="permute", normalize=_permute_args)


def _transpose_rule(m: Any, a: int, b: int) -> Spec:
    shape, strides = list(m.shape), list(m.strides)
    if shape:
        shape[a], shape[b] = shape[b], shape[a]
        strides[a], strides[b] = strides[b], strides[a]
    return view_spec(m, shape, strides)


TRANSPOSE = view("transpose", "input, dim0:dim, dim1:dim", lambda a, i, j: a.swapaxes(i, j) if a.ndim else a, _transpose_rule,
                 functions="transpose swapdims", methods="transpose swapdims",
                 normalize=lambda input, a, b: (input, wrap_dim(a, input.ndim), wrap_dim(b, input.ndim)))


@spelled("swapaxes", "swapaxes", TRANSPOSE)
def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """transpose under NumPy's name."""
    return call(TRANSPOSE, (input, axis0, axis1))


@spelled("t", "t", TRANSPOSE)
def t(input: Any) -> Any:
    """The transpose of a matrix; 0-d and 1-d tensors come back as they are."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return call(TRANSPOSE, (input, 0, 1)) if input.ndim == 2 else call(ALIAS, (input,))


def matrix_transpose(input: Any) -> Any:
    """The last two dimensions exchanged. RuntimeError for a vector; a 0-d tensor comes back."""
    if input.ndim == 0:
        return input
    if input.ndim < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {input.ndim}-D tensor.")
    return call(TRANSPOSE, (input, -2, -1))


@spelled("adjoint", "adjoint", TRANSPOSE)
def adjoint(input: Any) -> Any:
    """The last two dimensions exchanged, complex elements conjugated."""
    from .complex_numbers import conj

    if input.ndim == 0:
        return conj(input)
    if input.ndim < 2:
        raise RuntimeError(f"tensor.adjoint() is only supported on matrices or batches of matrices. Got "
                           f"{input.ndim}-D tensor.")
    return conj(call(TRANSPOSE, (input, -2, -1)))


@spelled("movedim moveaxis", "movedim moveaxis", PERMUTE)
def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Dimensions moved to other places, the rest keeping their order."""
    if input.ndim == 0:
        return call(ALIAS, (input,))
    ndim = input.ndim
    src = [wrap_dim(d, ndim) for d in (source if isinstance(source, (tuple, list)) else (source,))]
    dst = [wrap_dim(d, ndim) for d in (destination if isinstance(destination, (tuple, list)) else (destination,))]
    if len(src) != len(dst):
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({src} dims) should contain the same "
                           f"number of dims as destination ({dst} dims)")
    order: list[int] = [-1] * ndim
    for s, d in zip(src, dst):
        order[d] = s
    rest = iter([d for d in range(ndim) if d not in src])
    return call(PERMUTE, (input, tuple(d if d >= 0 else next(rest) for d in order)))


# -- dimensions of size 1 --------------------------------------------------------------------------------------------
def _unsqueeze_rule(m: Any, dim: int) -> Spec:
    step = m.shape[dim] * m.strides[dim] if dim < len(m.shape) else 1
    return view_spec(m, (*m.shape[:dim], 1, *m.shape[dim:]), (*m.strides[:dim], step, *m.strides[dim:]))


UNSQUEEZE = view("unsqueeze", "input, dim", np.expand_dims, _unsqueeze_rule, functions="unsqueeze", methods="unsqueeze",
                 normalize=lambda input, dim: (input, wrap_dim(dim, input.ndim + 1)))


def _squeeze_rule(m: Any, dim: tuple) -> Spec:
    keep = [d for d in range(len(m.shape)) if not (d in dim and m.shape[d] == 1)]
    return view_spec(m, [m.shape[d] for d in keep], [m.strides[d] for d in keep])


def _squeeze_args(input: Any, dim: Any = None) -> tuple:
    if dim is None:
        return (input, tuple(range(input.ndim)))
    return (input, tuple(sorted({wrap_dim(d, input.ndim) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))})))


SQUEEZE = view("squeeze", "input, dim:dims=None",
               lambda a, dim: a.reshape([n for d, n in enumerate(a.shape) if not (d in dim and n == 1)])
               if not a.size else a.squeeze(tuple(d for d in dim if d < a.ndim and a.shape[d] == 1)),
               _squeeze_rule, functions="squeeze", methods="squeeze", normalize=_squeeze_args)

# -- repetition without copying --------------------------------------------------------------------------------------


def _expand_rule(m: Any, size: tuple) -> Spec:
    pad = len(size) - len(m.shape)
    if pad < 0:
        raise RuntimeError(f"expand({list(m.shape)}, size={list(size)}): the number of sizes provided ({len(size)}) must be "
                           f"greater or equal to the number of dimensions in the tensor ({len(m.shape)})")
    shape, strides = [], []
    for d, n in enumerate(size):
        if d < pad:
            if isinstance(n, int) and n == -1:
                raise RuntimeError(f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing "
                                   f"dimension {d}")
            shape.append(n)
            strides.append(0)
            continue
        have, step = m.shape[d - pad], m.strides[d - pad]
        if (isinstance(n, int) and n == -1) or same(have, n) or have == n:
            shape.append(have)
            strides.append(step)
        elif have == 1:
            shape.append(n)
            strides.append(0)
        else:
            raise RuntimeError(f"The expanded size of the tensor ({n}) must match the existing size ({have}) at "
                               f"non-singleton dimension {d}.  Target sizes: {list(size)}.  Tensor sizes: {list(m.shape)}")
    for d in range(pad - 1, -1, -1) if m.shape else ():  # a new dimension of size 1 has the stride unsqueeze gives it
        if isinstance(shape[d], int) and shape[d] == 1 and d + 1 < len(shape):
            strides[d] = shape[d + 1] * strides[d + 1]
        elif isinstance(shape[d], int) and shape[d] == 1:
            strides[d] = 1
    return view_spec(m, shape, strides)


def _expand(a: np.ndarray, size: tuple) -> np.ndarray:
    pad = len(size) - a.ndim
    wanted = [a.shape[d - pad] if n == -1 else n for d, n in enumerate(size)]
    return np.lib.stride_tricks.as_strided(a, wanted, [0] * pad + [
        0 if h == 1 and n != 1 else s for h, n, s in zip(a.shape, wanted[pad:], a.strides)])


EXPAND = view("expand", "input, *size", _expand, _expand_rule, normalize=_sized, methods="expand")


@spelled("", "expand_as", EXPAND)
def expand_as(self: Any, other: Any) -> Any:
    """expand to the sizes of `other`."""
    return call(EXPAND, (self, tuple(other.shape)))


@spelled("broadcast_to", "broadcast_to", EXPAND)
def broadcast_to(input: Any, size: Any) -> Any:
    """expand under NumPy's name."""
    return call(EXPAND, (input, size))


@spelled("broadcast_tensors", "", EXPAND)
def broadcast_tensors(*tensors: Any) -> tuple:
    """All tensors expanded to their common shape."""
    from .broadcast import broadcast_shapes

    tensors = tuple(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    shape = broadcast_shapes(*[x.shape for x in tensors])
    return tuple(x if x.shape == shape else call(EXPAND, (x, shape)) for x in tensors)


@spelled("broadcast_shapes", "", EXPAND)
def broadcast_shapes_(*shapes: Any) -> Any:
    """The common shape of several shapes."""
    from .broadcast import broadcast_shapes

    return Size(broadcast_shapes(*[sizes(s) for s in shapes]))


# -- the same view ---------------------------------------------------------------------------------------------------
ALIAS = view("alias", "input", lambda a: a, lambda m: view_spec(m, m.shape, m.strides))
