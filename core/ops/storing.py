"""Copies of a tensor in which one part is replaced: select_scatter, slice_scatter, put, index_reduce, and unravel_index."""

from __future__ import annotations

from typing import Any

from ..tensor import dtypes as dt
from .conversion import CONTIGUOUS
from .declare import spelled
from .dims import wrap_dim
from .op import OPS, call
from .scatter import SCATTER_REDUCE_


def _fresh(input: Any) -> Any:
    return call(CONTIGUOUS, (input,))


def _stored(part: Any, src: Any) -> None:
    if tuple(part.shape) != tuple(src.shape):
        raise RuntimeError(f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice "
                           f"size = "
                           f"{list(part.shape)}")
    part.copy_(src)


@spelled("select_scatter", "select_scatter", OPS["select"])
def select_scatter(input: Any, src: Any, dim: int, index: int) -> Any:
    """A copy with the slice at `index` along dim replaced."""
    out = _fresh(input)
    _stored(out.select(dim, index), src)
    return out


@spelled("slice_scatter", "slice_scatter", OPS["select"])
def slice_scatter(input: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    """A copy with the slice start:end:step along dim replaced."""
    out = _fresh(input)
    d = wrap_dim(dim, input.ndim)
    _stored(out[(slice(None),) * d + (slice(start, end, step),)], src)
    return out


@spelled("diagonal_scatter", "diagonal_scatter", OPS["diagonal"])
def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A copy with a diagonal replaced."""
    out = _fresh(input)
    _stored(out.diagonal(offset, dim1, dim2), src)
    return out


@spelled("", "put_", OPS["index_put_"])
def put_(self: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Elements stored by their position in the flattened tensor."""
    flat = _fresh(self).reshape(-1)
    call(OPS["index_put_"], (flat, (index.reshape(-1),), source.reshape(-1), accumulate))
    return self.copy_(flat.reshape(tuple(self.shape)))


@spelled("", "put", OPS["index_put_"])
def put(self: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """put_ on a copy."""
    return put_(self.clone(), index, source, accumulate)


@spelled("", "index_reduce_", SCATTER_REDUCE_)
def index_reduce_(self: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
    """Rows of `source` combined into the rows named by index: "prod", "mean", "amax" or "amin"."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    d = wrap_dim(dim, self.ndim)
    wide = index.to(dt.int64).reshape([-1 if k == d else 1 for k in range(source.ndim)]).expand(tuple(source.shape))
    return call(SCATTER_REDUCE_, (self, d, wide, source, reduce, include_self))


@spelled("index_reduce", "index_reduce", SCATTER_REDUCE_)
def index_reduce(input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
    """index_reduce_ on a copy."""
    return index_reduce_(_fresh(input), dim, index, source, reduce, include_self=include_self)


@spelled("unravel_index", "", None)
def unravel_index(indices: Any, shape: Any) -> tuple:
    """Positions in the flattened tensor as one index per dimension."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    out: list[Any] = []
    rest = indices
    for n in reversed(sizes):
        out.insert(0, rest % n)
        rest = rest // n
    return tuple(out)


@spelled("", "sum_to_size", OPS["sum"])
def sum_to_size(self: Any, *size: Any) -> Any:
    """Summed over the dimensions that broadcasting would expand `size` to."""
    from .dims import unstar

    wanted = unstar(size)
    lead = self.ndim - len(wanted)
    if lead < 0 or any(w not in (1, n) for w, n in zip(wanted, tuple(self.shape)[lead:])):
        raise RuntimeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(self.shape)}}}.")
    dims = [*range(lead), *[lead + k for k, w in enumerate(wanted) if w == 1 and self.shape[lead + k] != 1]]
    if not self.ndim:
        return self.clone()
    return self.sum(dims, keepdim=True).reshape(wanted) if dims else self


@spelled("", "narrow_copy", OPS["narrow"])
def narrow_copy(self: Any, dim: int, start: int, length: int) -> Any:
    """narrow, copied."""
    return _fresh(self.narrow(dim, start, length))


@spelled("diagflat", "diagflat", None)
def diagflat(input: Any, offset: int = 0) -> Any:
    """A square matrix with the elements on a diagonal."""
    return input.reshape(-1).diag(offset)
