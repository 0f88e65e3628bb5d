"""torch._higher_order_ops: control flow as functions. In one process they are what they say: an if, a loop, a scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import toplevel as T
from .naming import module_getattr, present
from .utils import _pytree as pytree


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()) -> Any:
    """true_fn(*operands) if pred holds, else false_fn(*operands)."""
    return (true_fn if bool(pred) else false_fn)(*operands)


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    """body_fn applied to what it returned while cond_fn holds."""
    state = tuple(carried_inputs)
    while bool(cond_fn(*state)):
        state = tuple(body_fn(*state))
    return state


def associative_scan(combine_fn: Callable[..., Any], xs: Any, dim: int, reverse: bool = False,
                     combine_mode: str = "pointwise") -> Any:
    """Running combinations along dim of a tensor, or of a nest of tensors combined together."""
    leaves, spec = pytree.tree_flatten(xs)
    n = leaves[0].shape[dim]
    order = range(n - 1, -1, -1) if reverse else range(n)
    rows: list[list[Any]] = []
    for i in order:
        here = [t.select(dim, i) for t in leaves]
        if rows:
            merged = combine_fn(pytree.tree_unflatten(rows[-1], spec), pytree.tree_unflatten(here, spec))
            here = pytree.tree_flatten(merged)[0]
        rows.append(here)
    if reverse:
        rows.reverse()
    out = [T.stack([row[k] for row in rows], dim) for k in range(len(leaves))] if rows else leaves
    return pytree.tree_unflatten(out, spec)


def scan(combine_fn: Callable[..., Any], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False) -> Any:
    """(last state, stacked results) of combine_fn(state, slice) -> (state, result) along dim."""
    leaves, spec = pytree.tree_flatten(xs)
    n = leaves[0].shape[dim]
    state, rows = init, []
    shape: Any = None
    for i in range(n - 1, -1, -1) if reverse else range(n):
        state, y = combine_fn(state, pytree.tree_unflatten([t.select(dim, i) for t in leaves], spec))
        row, shape = pytree.tree_flatten(y)
        rows.append(row)
    if reverse:
        rows.reverse()
    return state, pytree.tree_unflatten([T.stack([row[k] for row in rows], 0) for k in range(len(rows[0]))], shape)


present(globals())
__getattr__ = module_getattr(globals())
