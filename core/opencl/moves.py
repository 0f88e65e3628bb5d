"""Operators that only move elements, as index maps: views of every kind, cat, flip. Nothing is computed here and no memory
is touched; a kernel that reads such a value reads the value it is made of at another place.
"""

from __future__ import annotations

from typing import Any

from ..graph.node import Node
from ..ops.dims import normalise_slice
from ..symbolic import expr as symbolic
from .places import Entry, Index, axis, entry, moved, number, reshaped
from .sizes import Size, is_one, plain, plus, shape_of


def view_index(node: Node) -> Index | None:
    """Where element (i0, i1, ...) of a view lies in what it is a view of; None for views that are no such map."""
    base = node.args[0]
    assert node.op is not None and isinstance(base, Node)
    shape, new = shape_of(base.spec), shape_of(node.spec)
    if any(isinstance(n, int) and n == 0 for n in (*shape, *new)):
        return None
    maker = _VIEWS.get(node.op.name)
    more = (base.spec.shape,) if node.op.name == "getitem" else ()
    found = maker(shape, new, *node.args[1:], *more) if maker is not None else None
    return None if found is None else tuple([None if is_one(n) else e for n, e in zip(shape, found)])


def _select(shape: tuple[Size, ...], new: Any, dim: int, at: Any) -> Index:
    return (*range(dim), _constant(at), *range(dim, len(new)))


def _narrow(shape: tuple[Size, ...], new: tuple, dim: int, start: Any, length: Any) -> Index:
    return tuple([moved(d, plain(start)) if d == dim else d for d in range(len(new))])


def _getitem(shape: tuple[Size, ...], new: tuple, index: tuple, sizes: Any) -> Index:
    found: list[Entry] = []
    d = 0                                                     # the view's next dimension
    for item in index:
        if item is None:
            d += 1
        elif isinstance(item, slice):
            # What Python's rules ask about symbolic sizes was asked, and answered, when the shape was computed.
            start, _, step = normalise_slice(item.start, item.stop, item.step, sizes[len(found)])
            by = symbolic.mul(axis(d), number(plain(step)))
            found.append(entry(symbolic.add(by, number(plain(start)))))
            d += 1
        else:
            found.append(_constant(item))
    return (*found, *range(d, d + len(shape) - len(found)))


def _constant(at: Any) -> Entry:
    return entry(number(plain(at)))


def _diagonal(shape: tuple[Size, ...], new: tuple, offset: int, a: int, b: int) -> Index:
    last, rest = len(new) - 1, iter(range(len(new)))
    return tuple([moved(last, max(-offset, 0)) if d == a else moved(last, max(offset, 0)) if d == b else next(rest)
                  for d in range(len(shape))])


def _unfold(shape: tuple[Size, ...], new: tuple, dim: int, size: Any, step: Any) -> Index | None:
    if not shape:
        return ()
    window = symbolic.add(symbolic.mul(axis(dim), number(plain(step))), axis(len(new) - 1))
    return tuple([entry(window) if d == dim else d for d in range(len(shape))])


def _transposed(shape: tuple[Size, ...], new: tuple, a: int, b: int) -> Index:
    return tuple([b if d == a else a if d == b else d for d in range(len(shape))])


def _squeezed(shape: tuple[Size, ...], new: tuple, dims: tuple) -> Index:
    rest = iter(range(len(new)))
    return tuple([None if d in dims and is_one(n) else next(rest) for d, n in enumerate(shape)])


_VIEWS: dict[str, Any] = {
    "view": lambda shape, new, size: reshaped(shape, new),
    "reshape": lambda shape, new, size: reshaped(shape, new),
    "permute": lambda shape, new, dims: tuple([list(dims).index(d) for d in range(len(shape))]),
    "transpose": _transposed,
    "unsqueeze": lambda shape, new, dim: tuple([d + (d >= dim) for d in range(len(shape))]),
    "squeeze": _squeezed,
    "expand": lambda shape, new, size: tuple(range(len(new) - len(shape), len(new))),
    "select": _select,
    "narrow": _narrow,
    "getitem": _getitem,
    "diagonal": _diagonal,
    "unfold": _unfold,
}


def flipped(node: Node) -> Index:
    """Where element (i0, i1, ...) of a flipped value lies in the value."""
    shape = shape_of(node.spec)
    return tuple([moved(d, plus(n, -1), -1) if d in node.args[1] else d for d, n in enumerate(shape)])


def joined(node: Node) -> list[tuple[Node, Size, Index]]:
    """The pieces of a cat along its dimension, empty ones left out: (value, where it begins, where element (i0, i1, ...)
    of the whole lies in it)."""
    tensors, dim = node.args
    ndim = len(node.spec.shape)
    found = []
    start: Size = 0
    for t in tensors:
        shape = shape_of(t.spec)
        if len(shape) != ndim:                                # a legacy empty vector
            continue
        n = shape[dim]
        if not (isinstance(n, int) and n == 0):
            back = symbolic.neg(number(start))
            index = tuple([moved(d, plain(back)) if d == dim else d for d in range(ndim)])
            found.append((t, start, tuple([None if is_one(m) else e for m, e in zip(shape, index)])))
        start = plus(start, n)
    return found
