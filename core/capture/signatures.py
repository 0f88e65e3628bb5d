"""Whether a call fits a function written in C: rules here take what they need, Python also refuses what is too much.

A call that does not fit breaks the graph, so that Python raises its own error in its own words.
"""

from __future__ import annotations

import collections
import functools
import inspect
from typing import Any

# Functions without a signature that `inspect` could find: fewest and most positional arguments, keywords (None: any).
COUNTS: dict[Any, tuple[int, int | None, tuple[str, ...] | None]] = {
    next: (1, 2, ()), iter: (1, 2, ()), getattr: (2, 3, ()), max: (1, None, ("key", "default")),
    min: (1, None, ("key", "default")), functools.reduce: (2, 3, ()), functools.partial: (1, None, None), filter: (2, 2, ()),
    map: (2, None, ()), slice: (1, 3, ()), range: (1, 3, ()), zip: (0, None, ("strict",)), super: (0, 2, ()),
    bool: (0, 1, ()), list: (0, 1, ()), tuple: (0, 1, ()), set: (0, 1, ()), frozenset: (0, 1, ()), dict: (0, 1, None),
    int: (0, 2, ("base",)), str: (0, 3, ("object", "encoding", "errors")), collections.OrderedDict: (0, 1, None),
    collections.Counter: (0, 1, None), collections.deque: (0, 2, ("iterable", "maxlen")),
    collections.OrderedDict.update: (1, 2, None), set.symmetric_difference: (2, 2, ()),
    frozenset.symmetric_difference: (2, 2, ()),
    set.symmetric_difference_update: (2, 2, ()), dict.__reversed__: (1, 1, ()), str.join: (2, 2, ())}


@functools.cache
def signature_of(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (ValueError, TypeError):
        return None


def fitted(function: Any, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]] | None:
    """The arguments as `function` takes them, by position where that is possible; None when they do not fit."""
    counts = COUNTS.get(function)
    if counts is not None:
        least, most, names = counts
        fits = least <= len(args) and (most is None or len(args) <= most) and (names is None or set(kwargs) <= set(names))
        return (args, kwargs) if fits else None
    signature = signature_of(function)
    if signature is None:
        return args, kwargs
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    return list(bound.args), bound.kwargs


__all__ = ["fitted"]
